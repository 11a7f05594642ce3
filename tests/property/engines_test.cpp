// What engines say of their transforms before they make them, and which of them serves.

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "device/host_device.hpp"
#include "plan/options.hpp"
#include "support/arrays.hpp"
#include "support/case.hpp"
#include "support/findings.hpp"
#include "support/wrapped_transforms.hpp"

namespace lsrecon {
namespace {

using test::ArrayCase;
using test::Problem;

/// The DeviceError of what no engine makes.
std::string refusal_of(Transforms& transforms, const Problem& problem) {
    try {
        transforms.make(problem.points(), problem.voxels);
    } catch (const DeviceError& error) {
        return error.what();
    }
    return "";
}

class Engines : public testing::TestWithParam<ArrayCase> {
protected:
    void open(const std::string& variant = "") {
        on.open(variant);
        if (!on.opened) {
            GTEST_SKIP() << "no device, or none with this precision";
        }
    }
    ArrayCase on = GetParam();
    Problem problem = test::make_problem({"a plane", {7, 6, 0}, 33});
};

TEST_P(Engines, PredictTheErrorOfTheirTransforms) {
    for (const std::string& variant : test::variants(on)) {
        open(variant);
        Transforms& transforms = *on.opened;
        const Cost fhd = transforms.predict("fhd", problem.points(), problem.voxels);
        const Cost f = transforms.predict("f", problem.points(), problem.voxels);
        EXPECT_GT(fhd.seconds, 0) << variant;
        EXPECT_GT(fhd.device_bytes + fhd.host_bytes, 33 * sizeof(float)) << variant;
        EXPECT_EQ(transforms.computed_by().parameters, "") << "nothing ran yet";
        const auto made = transforms.make(problem.points(), problem.voxels);
        EXPECT_EQ(fhd.error, made->adjoint_error()) << variant;
        EXPECT_EQ(f.error, made->forward_error()) << variant;
    }
}

TEST_P(Engines, LeaveSmallProblemsToTheProcessors) {
    open();
    Transforms& small = on.opened->on_processors();
    const std::string kind = on.opened->device().kind();
    EXPECT_EQ(small.device().kind(), kind == "opencl" ? "host" : kind);
    EXPECT_EQ(&small.on_processors(), &small);
    EXPECT_EQ(small.precision(), on.opened->precision());
}

TEST_P(Engines, EstimateByTheNufftOnProcessors) {
    open();
    Transforms& quick = on.opened->for_estimates();
    EXPECT_EQ(&quick.for_estimates() == &quick, is_reference(on.backend));
    if (!is_reference(on.backend)) {
        EXPECT_EQ(quick.device().kind(), "host");
        const Voxels voxels = Voxels::of_grid(test::make_grid(9, 8));
        EXPECT_EQ(quick.engine_for(problem.points(), voxels).name, "nufft");
        EXPECT_LE(quick.predict("f", problem.points(), voxels).error, 1e-5);
    }
}

TEST_P(Engines, SayWhyNoneServesAnAccuracy) {
    open();
    ComputeOptions options;
    options.backend = on.backend;
    options.accuracy = 1e-20;
    const auto exact = open_transforms(options);
    const std::string refusal = refusal_of(*exact, problem);
    for (const Engine& engine : engines()) {
        if (engine.exact) {
            EXPECT_NE(refusal.find(engine.variants.back().name), std::string::npos) << refusal;
        }
    }
    EXPECT_NE(refusal.find("its relative error is up to"), std::string::npos) << refusal;
    options.accuracy = 0.1;
    EXPECT_EQ(refusal_of(*open_transforms(options), problem), "");
}

INSTANTIATE_TEST_SUITE_P(Devices, Engines, testing::ValuesIn(test::array_cases()));

TEST(NamedEngine, OfATableWithoutItIsNotInexact) {
    ComputeOptions options;
    options.engine = "nufft";
    EXPECT_FALSE(may_be_inexact(options, {engine_of("loops")}));
    EXPECT_TRUE(may_be_inexact(options)) << "every build has the host's";
}

TEST(NamedEngine, OfANewRowIsAWordOfTheOption) {
    const Engine loops = engine_of("loops");
    Engine quick = loops;
    quick.name = "quick";
    quick.device_kinds = {"opencl"};
    Engine rough = quick;
    rough.name = "rough";
    rough.exact = false;
    const std::vector<Engine> table{loops, quick, rough};
    using Words = std::vector<std::string>;
    EXPECT_EQ(engine_words(table), (Words{"auto", "exact", "quick", "rough"}));
    EXPECT_EQ(list_rival_engines(table), (Words{"exact", "rough"}));
    EXPECT_EQ(engine_words({loops}), (Words{"auto", "exact"}));
}

TEST(NamedEngine, OfAnyBuildIsTakenAndOthersAreNot) {
    ComputeOptions options;
    const option::OptionTable rows = option::device_options(options, "", "");
    const auto row =
        std::find_if(rows.begin(), rows.end(), [](const auto& one) { return one.key == "engine"; });
    ASSERT_NE(row, rows.end());
    for (const std::string name : {"auto", "exact", "nufft"}) {
        EXPECT_EQ(row->value.take(name), "");
        EXPECT_EQ(options.engine, name);
    }
    EXPECT_NE(row->value.take("no such engine"), "");
}

TEST(NamedEngine, ThatCannotServeIsReplacedWithANote) {
    Engine picky = engine_of("loops");
    picky.variants = {{"picky"}};
    picky.refusal = [](const SamplePoints&, const Voxels&) -> std::string { return "it is picky"; };
    ComputeOptions options = test::on_reference();
    options.precision = Precision::float64;
    options.kernel = "picky";
    Findings found;
    options.on_finding = [&](const Finding& finding) { found.push_back(finding); };
    std::vector<Engine> table = engines();
    table.push_back(picky);
    Transforms transforms(make_reference_device(), options, table);
    const Problem problem = test::make_problem({"a plane", {7, 6, 0}, 33});
    transforms.make(problem.points(), problem.voxels);
    const Finding replaced = test::find(found, Found::kernel_replaced);
    EXPECT_EQ(replaced.word("kernel"), "picky");
    EXPECT_EQ(replaced.word("why"), "it is picky");
    EXPECT_EQ(replaced.word("other"), "loops");
    EXPECT_EQ(transforms.computed_by().kernel, "loops") << "that ran";
}

} // namespace
} // namespace lsrecon
