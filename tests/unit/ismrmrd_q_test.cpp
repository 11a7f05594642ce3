#ifdef LSRECON_WITH_ISMRMRD

// Slices of raw data share what their trajectories have in common.

#include "reconstruct_file.hpp"
#include "scan/voxels.hpp"
#include "support/case.hpp"
#include "support/counting_transforms.hpp"
#include "support/surroundings.hpp"
#include "unit/ismrmrd_maker.hpp"

namespace lsrecon::ismrmrd_test {
namespace {

constexpr int size = 40; // more than calibrations have
constexpr int slices = 3;
constexpr int repetitions = 2;

/// Spokes, at other angles in each repetition, of slices 5 mm apart.
std::vector<Acquisition> spokes_of_slices() {
    constexpr int spokes = 64;
    constexpr int coils = 3;
    test::Random random(3);
    std::vector<Acquisition> all;
    for (int repetition = 0; repetition < repetitions; ++repetition) {
        for (int slice = 0; slice < slices; ++slice) {
            for (int spoke = 0; spoke < spokes; ++spoke) {
                Acquisition a = readout(size, coils, 2);
                const double angle = pi * (spoke + 0.5 * repetition) / spokes;
                for (uint16_t i = 0; i < size; ++i) {
                    const double k = i - size / 2;
                    a.traj(0, i) = static_cast<float>(k * std::cos(angle));
                    a.traj(1, i) = static_cast<float>(k * std::sin(angle));
                    for (uint16_t c = 0; c < coils; ++c) {
                        const Complex value = random.complex() + (k == 0 ? 20.0 : 0.0);
                        a.data(i, c) = std::complex<float>(value);
                    }
                }
                a.idx().slice = static_cast<uint16_t>(slice);
                a.idx().repetition = static_cast<uint16_t>(repetition);
                set_vector(a.position(), {0, 0, 5.0F * static_cast<float>(slice)});
                set_vector(a.read_dir(), {1, 0, 0});
                set_vector(a.phase_dir(), {0, 1, 0});
                set_vector(a.slice_dir(), {0, 0, 1});
                all.push_back(std::move(a));
            }
        }
    }
    return all;
}

TEST(QOfSlices, IsComputedOnceForEachTrajectory) {
    const std::string scan = write(spokes_of_slices(), header({size, size}, {size, size}));
    const test::TemporaryFolder folder;
    test::CountingTransforms transforms;
    // Calibrations have Qs on a grid of their own.
    transforms.voxels_of_q = Voxels::half_differences(test::make_grid(size, size)).count();
    FileOptions options;
    options.effort.iterations = 2;
    options.prepare.maps = maps_source("walsh");
    Reporter report;
    const ReconstructedFile result =
        reconstruct_file(scan, folder.file("image.h5"), transforms, options, report);
    EXPECT_EQ(result.about.frames.size(), static_cast<std::size_t>(slices * repetitions));
    EXPECT_TRUE(result.failed.empty());
    EXPECT_EQ(transforms.qs, repetitions);
}

} // namespace
} // namespace lsrecon::ismrmrd_test

#endif
