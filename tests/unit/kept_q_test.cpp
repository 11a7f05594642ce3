// Of those that compute the same Q at once, one writes it into the folder.

#include "io/q_file.hpp"

#include <filesystem>
#include <gtest/gtest.h>

#include "encoding/normal_operator.hpp"
#include "support/case.hpp"
#include "support/findings.hpp"
#include "support/surroundings.hpp"
#include "support/transforms.hpp"
#include "support/wrapped_transforms.hpp"

namespace lsrecon {
namespace {

using test::TemporaryFolder;

class Second : public JobRanks {
public:
    std::size_t rank() const override { return 1; }
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
        KeptQ store("", folder.path().string(), {}, report);
        QsOfRun(&store, 0, report).of(transforms, *problem.trajectory, problem.grid);
        EXPECT_TRUE(report.findings().empty());
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
    const StoredQ q = stored(test::exact_q(*problem.trajectory, problem.grid));
    std::string of_another_process;
    keep(*transforms_with(nullptr, [&] {
        write_q(path, q.grid, {q_key(*problem.trajectory, q.grid)}, [&](std::size_t) { return q; },
                {"another", 0}, {});
        of_another_process = test::read_text(path);
    }));
    EXPECT_EQ(only_file(), path);
    EXPECT_EQ(test::read_text(path), of_another_process);
}

TEST_F(KeptQs, WhatIsNoQIsReplaced) {
    keep(*transforms_with(nullptr));
    const std::string path = only_file();
    test::write_text(path, "no Q");
    Reporter report;
    KeptQ store("", folder.path().string(), {}, report);
    QsOfRun(&store, 0, report).of(*transforms_with(nullptr), *problem.trajectory, problem.grid);
    EXPECT_EQ(test::codes_of(report.findings()), std::vector<std::string>{"q_not_kept"});
    EXPECT_EQ(only_file(), path);
    EXPECT_NE(test::read_text(path), "no Q");
}

} // namespace
} // namespace lsrecon
