// All forms of the separable product, whatever the device would choose.

#include <gtest/gtest.h>
#include <random>

#include "backend/opencl/pieces.hpp"
#include "backend/opencl/separable.hpp"
#include "base/tolerance.hpp"
#include "plan/search_space.hpp"
#include "support/device_fixture.hpp"

namespace lsrecon {
namespace {

struct Lattice {
    int dimensions;
    std::array<std::size_t, 3> size;
    std::size_t samples;
    std::size_t coils;
};

/// In private memory; in local memory with tall and wide tiles, in floats and, where the device has
/// them, in doubles.
std::vector<Parameters> forms(const DeviceInfo& device) {
    const auto local = [](int group_x, int group_y, int columns, int rows, int step) {
        return Parameters{{"FORM", 1},          {"GROUP_X", group_x},
                          {"GROUP_Y", group_y}, {"ITEM_COLUMNS", columns},
                          {"ITEM_ROWS", rows},  {"STEP", step},
                          {"UNROLL", 4}};
    };
    std::vector<Parameters> all{
        {{"FORM", 0}, {"CHUNK", 512}, {"RUN", 16}}, local(16, 8, 4, 8, 16), local(8, 8, 8, 4, 8)};
    if (device.double_precision) {
        all.push_back({{"FORM", 2},
                       {"WARPS_X", 2},
                       {"WARPS_Y", 2},
                       {"WARP_COLUMNS", 32},
                       {"WARP_ROWS", 16},
                       {"STEP", 8}});
    }
    return all;
}

double bound(const Parameters& parameters, std::size_t samples) {
    return parameters.at("FORM") == 2 ? tolerance::separable_in_doubles()
                                      : tolerance::direct_transform("separable", samples);
}

class SeparableForms : public test::DeviceFixture, public ::testing::WithParamInterface<Lattice> {};

TEST_P(SeparableForms, AgreeWithTheReference) {
    const Lattice& lattice = GetParam();
    Grid grid;
    grid.dimensions = lattice.dimensions;
    grid.size = lattice.size;
    std::mt19937_64 random(7);
    std::uniform_real_distribution<double> uniform(-0.5, 0.5);
    std::vector<Vec3> trajectory(lattice.samples, Vec3{0, 0, 0});
    for (Vec3& k : trajectory) {
        for (std::size_t d = 0; d < static_cast<std::size_t>(grid.dimensions); ++d) {
            k[d] = uniform(random) * static_cast<double>(grid.size[d]);
        }
    }
    const CoilMatrix values = CoilMatrix::NullaryExpr(
        static_cast<Eigen::Index>(lattice.coils), static_cast<Eigen::Index>(lattice.samples),
        [&] { return Complex(uniform(random), uniform(random)); });
    opencl::Queue queue("");
    const auto silent = [](double) {};
    const auto no_note = [](const std::string&) {};
    const auto reference = make_backend({"reference", "", ""});
    for (const Voxels& voxels : {Voxels::of_grid(grid), Voxels::half_differences(grid)}) {
        const CoilMatrix exact = reference->fhd(trajectory, values, voxels, silent);
        const CoilMatrix exact_samples = reference->forward(trajectory, exact, voxels, silent);
        for (const Parameters& parameters : forms(queue.info())) {
            EXPECT_EQ(opencl::separable_bound(parameters, lattice.samples),
                      bound(parameters, lattice.samples));
            const CoilMatrix computed = opencl::separable_transform(
                queue, parameters, trajectory, values, voxels, silent, no_note);
            EXPECT_LE((computed - exact).norm() / exact.norm(), bound(parameters, lattice.samples))
                << to_text(parameters);
            const CoilMatrix samples =
                opencl::separable_forward(queue, parameters, trajectory, exact, voxels, silent);
            EXPECT_LE((samples - exact_samples).norm() / exact_samples.norm(),
                      bound(parameters, voxels.count()))
                << "F, " << to_text(parameters);
        }
    }
}

// Beyond one work-group's 64 rows and 64 columns, one sample, partial and short chunks.
INSTANTIATE_TEST_SUITE_P(Awkward, SeparableForms,
                         ::testing::Values(Lattice{2, {1, 1, 1}, 1, 1},
                                           Lattice{2, {7, 9, 1}, 33, 3},
                                           Lattice{2, {150, 5, 1}, 597, 1},
                                           Lattice{3, {8, 11, 9}, 2500, 2}));

using SeparablePieces = test::DeviceFixture;

TEST_F(SeparablePieces, AVolumeLargerThanTheMemoryGoesThroughItInPieces) {
    Grid grid;
    grid.dimensions = 3;
    grid.size = {33, 20, 18};
    std::vector<Vec3> trajectory;
    CoilMatrix values(1, 40);
    for (int m = 0; m < 40; ++m) {
        trajectory.push_back({0.4 * m - 8, 7 - 0.35 * m, 0.1 * m});
        values(0, m) = Complex(m, 1 - m);
    }
    const Voxels voxels = Voxels::of_grid(grid);
    const auto silent = [](double) {};
    const CoilMatrix exact =
        make_backend({"reference", "", ""})->fhd(trajectory, values, voxels, silent);
    opencl::Queue small("", 256 * 1024);
    for (const Parameters& parameters : forms(small.info())) {
        std::string told;
        const CoilMatrix computed =
            opencl::separable_transform(small, parameters, trajectory, values, voxels, silent,
                                        [&](const std::string& note) { told += note; });
        EXPECT_NE(told.find("in pieces of 0.13 MiB"), std::string::npos) << told;
        EXPECT_LE((computed - exact).norm() / exact.norm(), bound(parameters, 40));
    }
}

TEST_F(SeparablePieces, AFailedAllocationMakesThemSmaller) {
    std::vector<std::size_t> tried;
    std::string told;
    const auto note = [&](const std::string& text) { told += text; };
    const auto room_for = [&](std::size_t room) {
        return [&tried, room](std::size_t bytes) {
            tried.push_back(bytes);
            if (bytes > room) {
                throw cl::Error(CL_MEM_OBJECT_ALLOCATION_FAILURE, "clCreateBuffer");
            }
            return bytes;
        };
    };
    EXPECT_EQ(opencl::with_smaller_pieces(1U << 20, note, room_for(300000)), 1U << 18);
    EXPECT_EQ(tried, (std::vector<std::size_t>{1U << 20, 1U << 19, 1U << 18}));
    EXPECT_NE(told.find("no room for pieces of 1 MiB"), std::string::npos) << told;
    EXPECT_THROW(opencl::with_smaller_pieces(1U << 20, note, room_for(10)), cl::Error);
    const auto broken = [](std::size_t) -> int { throw cl::Error(CL_INVALID_KERNEL, "x"); };
    EXPECT_THROW(opencl::with_smaller_pieces(1U << 20, note, broken), cl::Error);
}

} // namespace
} // namespace lsrecon
