// Of those that compute the same Q at once, one writes it into the folder.

#include "io/kept_q.hpp"

#include <filesystem>
#include <gtest/gtest.h>

#include "support/case.hpp"
#include "support/surroundings.hpp"
#include "support/transforms.hpp"
#include "support/wrapped_transforms.hpp"

namespace lsrecon {
namespace {

using test::TemporaryFolder;

class Second : public JobRanks {
public:
    std::size_t here() const override { return 1; }
};

/// Calls `meanwhile` when a transform is made.
std::unique_ptr<Transforms> transforms_with(
    JobRanks* ranks, const std::function<void()>& meanwhile = [] {}) {
    ComputeOptions options = test::on_reference();
    options.ranks = ranks;
    return open_transforms(options, test::wrapped([=](std::unique_ptr<Transform> inner) {
                               meanwhile();
                               return inner;
                           }));
}

class KeptQs : public testing::Test {
protected:
    TemporaryFolder folder;
    test::Problem problem = test::make_problem({"problem", {4, 5, 0}, 9});

    std::string only_file() const {
        std::string found;
        for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
            EXPECT_EQ(found, "") << "more than one file";
            found = entry.path().string();
        }
        return found;
    }
    void keep(Transforms& transforms) const {
        Reporter report;
        KeptQ("", folder.path().string(), nullptr, transforms, report)
            .of(*problem.sampling, problem.grid);
        EXPECT_TRUE(report.notes().empty());
    }
};

TEST_F(KeptQs, OnlyTheFirstRankWritesWhatAllHave) {
    Second rank;
    keep(*transforms_with(&rank));
    EXPECT_EQ(folder.entries(), 0U);
    keep(*transforms_with(nullptr));
    EXPECT_EQ(folder.entries(), 1U);
}

TEST_F(KeptQs, WhatAnotherProcessWroteMeanwhileStays) {
    keep(*transforms_with(nullptr));
    const std::string path = only_file();
    std::filesystem::remove(path);
    keep(*transforms_with(nullptr, [&] { test::write_text(path, "of another process"); }));
    EXPECT_EQ(only_file(), path);
    EXPECT_EQ(test::read_text(path), "of another process");
}

} // namespace
} // namespace lsrecon
