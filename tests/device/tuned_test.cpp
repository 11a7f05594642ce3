// kernels/tuned.cl with several sets of parameters against the double reference, on awkward sizes.

#include <gtest/gtest.h>

#include "base/tolerance.hpp"
#include "device/opencl/opencl_device.hpp"
#include "engines/opencl/points.hpp"
#include "support/case.hpp"
#include "support/device_fixture.hpp"
#include "support/numbers.hpp"
#include "support/surroundings.hpp"
#include "support/transforms.hpp"

namespace lsrecon {
namespace {

using test::Case;
using test::near;
using test::Problem;

Parameters parameters(int voxels, int trigonometry, int unroll, int group, int chunk) {
    return {{"VOXELS", voxels},
            {"TRIGONOMETRY", trigonometry},
            {"UNROLL", unroll},
            {"GROUP", group},
            {"CHUNK", chunk}};
}

class Tuned : public test::DeviceFixture, public testing::WithParamInterface<Parameters> {
protected:
    std::unique_ptr<Transforms> transforms() const {
        ComputeOptions options{"opencl", "", "tuned"};
        options.parameters = GetParam();
        return open_transforms(options);
    }

    static Problem problem(const std::array<std::size_t, 3>& size, std::size_t samples,
                           std::size_t coils, std::size_t listed = 0, double reach = 0.5) {
        Case of{"tuned", size, samples, coils};
        of.listed_voxels = listed;
        of.reach = reach;
        of.seed = samples + coils;
        return test::make_problem(of);
    }

    static testing::AssertionResult agree(const OnHost& computed, const OnHost& exact,
                                          const Problem& of, std::size_t sources) {
        return near(computed.values, exact.values,
                    computed.error + tolerance::reference(of.largest_turns(), sources));
    }

    void expect_fhd(const Problem& of) const {
        EXPECT_TRUE(agree(test::adjoint_of(*transforms(), of), test::exact_adjoint_of(of), of,
                          of.positions().size()));
    }

    void expect_forward(const Problem& of) const {
        EXPECT_TRUE(agree(test::forward_of(*transforms(), of), test::exact_forward_of(of), of,
                          of.voxels.count()));
    }

    void expect_q(const Problem& of, const Voxels& where) const {
        EXPECT_TRUE(agree(test::q_of(*transforms(), of, where), test::exact_q_of(of, where), of,
                          of.positions().size()));
    }
};

TEST_P(Tuned, FhdOfRowsThatDoNotFillAWorkItem) {
    for (const std::size_t x : {1, 2, 7, 15, 17, 31, 64}) {
        expect_fhd(problem({x, 5, 3}, 65, 1));
    }
}

TEST_P(Tuned, FhdOfSeveralCoilsAndChunks) {
    for (const std::size_t coils : {1, 3, 9}) {
        expect_fhd(problem({16, 3, 2}, 64, coils));
        expect_fhd(problem({9, 7, 0}, 2049, coils));
    }
}

TEST_P(Tuned, FhdOfALatticeThatIsNotAbout0) {
    Problem of = problem({9, 4, 3}, 65, 2);
    of.voxels = Voxels::half_differences(of.grid);
    expect_fhd(of);
}

TEST_P(Tuned, FhdOfLists) {
    expect_fhd(problem({8, 8, 0}, 63, 1, 65));
    expect_fhd(problem({16, 12, 10}, 597, 1, 63, 40));
    expect_fhd(problem({8, 8, 0}, 33, 3, 1));
}

TEST_P(Tuned, FhdOfAGridWhoseRestIsNotSmall) {
    expect_fhd(problem({2047, 1, 0}, 64, 1));
    expect_fhd(problem({3, 1024, 0}, 64, 1));
}

TEST_P(Tuned, Forward) {
    expect_forward(problem({15, 17, 0}, 65, 1));
    expect_forward(problem({7, 5, 9}, 1, 3));
    expect_forward(problem({5, 5, 0}, 63, 9));
    expect_forward(problem({16, 16, 0}, 33, 1, 65, 3));
}

TEST_P(Tuned, Q) {
    const Problem grid = problem({9, 8, 3}, 597, 1);
    expect_q(grid, Voxels::half_differences(grid.grid));
    const Problem list = problem({8, 8, 0}, 65, 1, 63, 3);
    expect_q(list, list.voxels);
}

/// Either trigonometry, with one voxel a work-item and several; every set is minutes of compiling.
std::vector<Parameters> sets() {
    const Parameters several = parameters(8, 0, 4, 128, 2048);
    if (!test::slow_cases()) {
        return {several};
    }
    return {parameters(1, 0, 1, 1, 64), several, parameters(16, 1, 8, 16, 33)};
}

INSTANTIATE_TEST_SUITE_P(Sets, Tuned, testing::ValuesIn(sets()), [](const auto& of) {
    std::string name;
    for (const auto& [key, value] : of.param) {
        name += key + std::to_string(value);
    }
    return name;
});

class TunedParameters : public test::DeviceFixture {};

TEST_F(TunedParameters, AreReportedAfterTheyRan) {
    const Problem problem = test::make_problem({"reported", {4, 4, 0}, 5});
    ComputeOptions options{"opencl", "", "tuned"};
    options.parameters = {{"VOXELS", 4}};
    const auto transforms = open_transforms(options);
    EXPECT_EQ(transforms->computed_by().parameters, "");
    test::adjoint_of(*transforms, problem);
    const std::string shown = transforms->computed_by().parameters;
    EXPECT_EQ(shown.rfind("tuned fhd: ", 0), 0U) << shown;
    EXPECT_NE(shown.find("VOXELS=4 (given)"), std::string::npos) << shown;
}

TEST_F(TunedParameters, GeometryKeepsRowsApartUnlessTheyLeaveWorkItemsIdle) {
    const auto device = opencl::make_device(std::make_unique<opencl::Queue>(""));
    const ChosenParameters chosen{parameters(8, 0, 4, 128, 4096), "given"};
    const std::vector<Vec3> positions(10, Vec3{0, 0, 0});
    for (const Precision precision : {Precision::float32, Precision::float64}) {
        if (!device->has(precision)) {
            continue;
        }
        const opencl::Resources resources{opencl::queue_of(*device), *device, precision,
                                          [](const Finding&) {}};
        const auto layout = SourceLayout::vectors;
        const auto geometry = [&](std::size_t x, std::size_t coils, TransformPlan& plan) {
            const Voxels voxels = Voxels::of_grid(test::make_grid(x, 5));
            plan = plan_transform({}, coils, {bytes_of(precision), 6, 2});
            const opencl::PointsOnDevice sources(
                resources,
                opencl::trajectory_points(positions, {1, 1, 1},
                                          SplitScale(voxels.extent_in_voxels())),
                layout);
            const opencl::PointsOnDevice points(resources, opencl::voxel_points(voxels), layout);
            return opencl::tuned_geometry(resources, chosen, sources, points, false, plan);
        };
        // Of a whole float4 or double4 each, whole runs of them.
        const auto most_sources = [&](std::size_t numbers) {
            const std::size_t room =
                device->info().constant_bytes / (numbers * bytes_of(precision));
            return std::min<std::size_t>(room, 4096) / opencl::sources_of_a_run *
                   opencl::sources_of_a_run;
        };
        TransformPlan plan{};
        const opencl::Geometry wide = geometry(127, 1, plan);
        EXPECT_EQ(plan.sources_per_chunk, most_sources(8));
        EXPECT_EQ(plan.points_per_block % 127, 0U);
        // A GPU spreads so few points.
        const std::size_t voxels = device->info().type == "cpu" ? 8 : 1;
        EXPECT_EQ(wide.points_of_an_item, voxels);
        EXPECT_EQ(wide.row_length, 127U);
        EXPECT_EQ(wide.items({0, 127 * 5}), divide_up(127, voxels) * 5);
        const opencl::Geometry narrow = geometry(2, 1, plan);
        EXPECT_EQ(narrow.row_length, voxels == 8 ? 0U : 2U);
        EXPECT_EQ(narrow.items({0, 10}), voxels == 8 ? 2U : 10U);
        geometry(127, 8, plan);
        EXPECT_EQ(plan.sources_per_chunk, most_sources(24));
    }
}

} // namespace
} // namespace lsrecon
