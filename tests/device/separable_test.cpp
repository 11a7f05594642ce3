// Both forms of the separable product, whatever the device would choose.

#include <gtest/gtest.h>
#include <random>

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

/// In private memory; in local memory with tall and wide tiles.
std::vector<Parameters> forms() {
    const auto local = [](int group_x, int group_y, int columns, int rows, int step) {
        return Parameters{{"LOCAL", 1},         {"GROUP_X", group_x},
                          {"GROUP_Y", group_y}, {"ITEM_COLUMNS", columns},
                          {"ITEM_ROWS", rows},  {"STEP", step},
                          {"UNROLL", 4}};
    };
    return {
        {{"LOCAL", 0}, {"CHUNK", 512}, {"RUN", 16}}, local(16, 8, 4, 8, 16), local(8, 8, 8, 4, 8)};
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
        for (const Parameters& parameters : forms()) {
            const CoilMatrix computed = opencl::separable_transform(
                queue, parameters, trajectory, values, voxels, silent, no_note);
            EXPECT_LE((computed - exact).norm() / exact.norm(),
                      tolerance::direct_transform("separable", lattice.samples))
                << to_text(parameters);
            const CoilMatrix samples =
                opencl::separable_forward(queue, parameters, trajectory, exact, voxels, silent);
            EXPECT_LE((samples - exact_samples).norm() / exact_samples.norm(),
                      tolerance::direct_transform("separable", voxels.count()))
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

} // namespace
} // namespace lsrecon
