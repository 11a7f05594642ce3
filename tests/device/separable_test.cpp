// Both forms of the separable product, whatever the device would choose.

#include <gtest/gtest.h>
#include <random>

#include "backend/opencl/separable.hpp"
#include "base/tolerance.hpp"
#include "support/device_fixture.hpp"

namespace lsrecon {
namespace {

struct Lattice {
    int dimensions;
    std::array<std::size_t, 3> size;
    std::size_t samples;
    std::size_t coils;
};

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
    const auto reference = make_backend({"reference", "", ""});
    for (const Voxels& voxels : {Voxels::of_grid(grid), Voxels::half_differences(grid)}) {
        const CoilMatrix exact = reference->fhd(trajectory, values, voxels, silent);
        for (const bool in_local_memory : {false, true}) {
            const CoilMatrix computed = opencl::separable_transform(
                queue, trajectory, values, voxels, in_local_memory, silent);
            EXPECT_LE((computed - exact).norm() / exact.norm(),
                      tolerance::direct_transform("separable", lattice.samples))
                << (in_local_memory ? "in local memory" : "in private memory");
        }
    }
}

// Beyond one work-group's 64 rows and 64 columns, one sample, partial and short chunks.
INSTANTIATE_TEST_SUITE_P(Awkward, SeparableForms,
                         ::testing::Values(Lattice{2, {1, 1, 1}, 1, 1},
                                           Lattice{2, {7, 9, 1}, 33, 3},
                                           Lattice{2, {150, 5, 1}, 597, 1},
                                           Lattice{3, {8, 11, 9}, 2500, 2}));

} // namespace
} // namespace lsrecon
