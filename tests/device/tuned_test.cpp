// kernels/tuned.cl with several sets of parameters against the double reference, on awkward sizes.

#include <gtest/gtest.h>

#include "backend/opencl/geometry.hpp"
#include "backend/reference/reference.hpp"
#include "base/tolerance.hpp"
#include "support/case.hpp"
#include "support/device_fixture.hpp"
#include "support/numbers.hpp"

namespace lsrecon {
namespace {

using test::Case;
using test::near;
using test::Problem;
using test::silent;

Parameters parameters(int voxels, int trigonometry, int unroll, int group, int chunk) {
    return {{"VOXELS", voxels},
            {"TRIGONOMETRY", trigonometry},
            {"UNROLL", unroll},
            {"GROUP", group},
            {"CHUNK", chunk}};
}

class Tuned : public test::DeviceFixture, public testing::WithParamInterface<Parameters> {
protected:
    std::unique_ptr<Backend> backend() const {
        BackendOptions options{"opencl", "", "tuned"};
        options.parameters = GetParam();
        return make_backend(options);
    }

    static Problem problem(const std::array<std::size_t, 3>& size, std::size_t samples,
                           std::size_t coils, std::size_t listed = 0, double reach = 0.5) {
        Case of{"tuned", size, samples, coils};
        of.listed_voxels = listed;
        of.reach = reach;
        of.seed = samples + coils;
        return test::make_problem(of);
    }

    static double bound(const Problem& of, std::size_t sources) {
        return tolerance::direct_transform("tuned", sources) +
               tolerance::reference(of.largest_turns(), sources);
    }

    void expect_fhd(const Problem& of) const {
        EXPECT_TRUE(
            near(backend()->fhd(of.trajectory(), of.samples, of.voxels, silent),
                 make_reference_backend()->fhd(of.trajectory(), of.samples, of.voxels, silent),
                 bound(of, of.trajectory().size())));
    }

    void expect_forward(const Problem& of) const {
        EXPECT_TRUE(
            near(backend()->forward(of.trajectory(), of.rho, of.voxels, silent),
                 make_reference_backend()->forward(of.trajectory(), of.rho, of.voxels, silent),
                 bound(of, of.voxels.count())));
    }

    void expect_q(const Problem& of, const Voxels& where) const {
        const RealVector weights = of.samples.row(0).cwiseAbs().transpose();
        EXPECT_TRUE(near(backend()->q(of.trajectory(), weights, where, silent),
                         make_reference_backend()->q(of.trajectory(), weights, where, silent),
                         bound(of, of.trajectory().size())));
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

INSTANTIATE_TEST_SUITE_P(Sets, Tuned,
                         testing::Values(parameters(1, 0, 1, 1, 64), parameters(8, 0, 2, 128, 512),
                                         parameters(8, 1, 4, 64, 2048),
                                         parameters(16, 1, 8, 16, 33)),
                         [](const auto& of) {
                             std::string name;
                             for (const auto& [key, value] : of.param) {
                                 name += key + std::to_string(value);
                             }
                             return name;
                         });

class TunedParameters : public test::DeviceFixture {};

TEST_F(TunedParameters, AreToldAfterTheyRan) {
    const Problem problem = test::make_problem({"told", {4, 4, 0}, 5});
    BackendOptions options{"opencl", "", "tuned"};
    options.parameters = {{"VOXELS", 4}};
    const auto backend = make_backend(options);
    EXPECT_EQ(backend->info().parameters, "");
    backend->fhd(problem.trajectory(), problem.samples, problem.voxels, silent);
    const std::string told = backend->info().parameters;
    EXPECT_EQ(told.rfind("tuned fhd: ", 0), 0U) << told;
    EXPECT_NE(told.find("VOXELS=4 (given)"), std::string::npos) << told;
}

TEST(TunedGeometry, KeepsRowsApartUnlessTheyLeaveWorkItemsIdle) {
    DeviceInfo gpu;
    gpu.type = "gpu";
    gpu.constant_bytes = 65536;
    const ChosenParameters chosen{parameters(8, 0, 4, 128, 4096), "given"};
    const std::vector<Vec3> trajectory(10, Vec3{0, 0, 0});
    const auto geometry = [&](std::size_t x, std::size_t coils, TransformPlan& plan,
                              bool mirror = false) {
        const Voxels voxels = Voxels::of_grid(test::make_grid(x, 5));
        plan = plan_transform({}, coils, 24, 8);
        const SplitScale scale(voxels.extent_in_voxels());
        return opencl::tuned_geometry(gpu, chosen,
                                      opencl::TrajectoryPoints(trajectory, {1, 1, 1}, scale),
                                      opencl::VoxelPoints(voxels), mirror, plan);
    };
    TransformPlan plan{};
    const opencl::Geometry wide = geometry(127, 1, plan);
    EXPECT_EQ(wide.row_length, 127U);
    EXPECT_EQ(wide.items({0, 127 * 5}), 16U * 5);
    EXPECT_EQ(plan.sources_per_chunk, 2048U) << "64 KiB of 32 bytes";
    EXPECT_EQ(plan.points_per_block % 127, 0U);
    const opencl::Geometry narrow = geometry(2, 1, plan);
    EXPECT_EQ(narrow.row_length, 0U);
    EXPECT_EQ(narrow.items({0, 10}), 2U);
    EXPECT_EQ(geometry(127, 8, plan).points_of_an_item, 2U) << "16 sums";
    EXPECT_EQ(geometry(127, 8, plan, true).points_of_an_item, 1U) << "as many with the mirror";
    EXPECT_EQ(plan.sources_per_chunk, 65536U / 96 / 32 * 32);
}

} // namespace
} // namespace lsrecon
