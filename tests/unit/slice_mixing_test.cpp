// Virtual coils of slices: what samples become is what the virtual coils would have measured.

#include "prepare/slice_mixing.hpp"

#include "base/error.hpp"
#include "engines/on_host.hpp"
#include "engines/reference.hpp"
#include "support/case.hpp"
#include "support/lines.hpp"
#include "support/numbers.hpp"

namespace lsrecon {
namespace {

using test::Lines;
using test::make_grid;
using test::near;
using test::on_lines;
using test::Random;
using test::silent;

constexpr double rounding = 1e-11; ///< of sums over a few hundred voxels, and of an FFT

/// Some coils with random maps.
Scan scan_on(const Lines& lines, std::size_t coils) {
    Scan scan;
    scan.file = "scan.h5";
    scan.grid = lines.grid;
    scan.coil_maps = Random(5).matrix(coils, lines.grid.voxels());
    Frame frame;
    frame.sampling = std::make_shared<const Sampling>(lines.sampling);
    frame.samples = CoilRows(coils, 0, Precision::float64);
    scan.frames = {frame};
    return scan;
}

CoilMatrix measured(const Scan& scan, const CoilRows& maps, const ComplexVector& rho) {
    CoilMatrix images = maps.to_doubles();
    images.array().rowwise() *= rho.transpose().array();
    return forward_on_host(*make_reference_backend(), scan.frames[0].sampling->points(), images,
                           scan.image_voxels(), silent)
        .values;
}

SliceMixing mixing_of(const Scan& scan, const CoilCompression& wanted) {
    return {scan, scan.frames[0].sampling, wanted};
}

void expect_what_virtual_coils_measure(const Scan& scan, std::size_t coils,
                                       const std::string& axis) {
    const ComplexVector rho = Random(6).vector(scan.grid.voxels());
    SliceMixing mixing = mixing_of(scan, {coils, 1, "geometric"});
    EXPECT_EQ(mixing.axis(), axis);
    EXPECT_EQ(mixing.coils(), coils);
    Frame frame = scan.frames[0];
    frame.samples = measured(scan, scan.coil_maps, rho);
    mixing.mix(frame);
    const CoilRows maps = mixing.maps(scan.coil_maps);
    EXPECT_TRUE(near(frame.samples.to_doubles(), measured(scan, maps, rho), rounding));
    const double kept = maps.to_doubles().squaredNorm() / scan.coil_maps.doubles().squaredNorm();
    EXPECT_NEAR(mixing.energy(), kept, rounding);
    EXPECT_EQ(coils == scan.coils(), std::abs(kept - 1) < rounding);
}

TEST(SliceMixing, MakesWhatVirtualCoilsWouldMeasure) {
    struct Shape {
        Grid grid;
        std::size_t dimension;
        std::string axis;
    };
    for (const auto& [grid, dimension, axis] : {Shape{make_grid(8, 6), 0, "x"},
                                                {make_grid(4, 7), 1, "y"},
                                                {make_grid(5, 4, 3), 0, "x"},
                                                {make_grid(3, 5, 7), 2, "z"},
                                                {make_grid(2, 9, 4), 1, "y"}}) {
        Scan scan = scan_on(on_lines(grid, dimension, 7), 4);
        expect_what_virtual_coils_measure(scan, 4, axis);
        expect_what_virtual_coils_measure(scan, 2, axis);
        Sampling other = *scan.frames[0].sampling;
        for (Vec3& k : other.trajectory) { // another sign, and from another offset on
            k = {-k[0], -k[1], -k[2]};
            k[dimension] += 0.3;
        }
        scan.frames[0].sampling = std::make_shared<const Sampling>(other);
        expect_what_virtual_coils_measure(scan, 3, axis);
    }
}

TEST(SliceMixing, TakesLongScansAndLargeSlicesInParts) {
    expect_what_virtual_coils_measure(scan_on(on_lines(make_grid(3, 4), 0, 30000), 3), 2, "x");
    const Scan scan = scan_on(on_lines(make_grid(4, 65, 67), 0, 2), 3);
    const SliceMixing mixing = mixing_of(scan, {2, 1, "geometric"});
    EXPECT_NEAR(mixing.energy(),
                mixing.maps(scan.coil_maps).to_doubles().squaredNorm() /
                    scan.coil_maps.doubles().squaredNorm(),
                rounding);
}

TEST(SliceMixing, HoldsOffResonanceWhereTimesAreThoseOfLines) {
    Lines lines = on_lines(make_grid(3, 4, 5), 2, 6);
    const auto samples = static_cast<Eigen::Index>(lines.sampling.samples());
    lines.sampling.times.resize(samples);
    for (Eigen::Index m = 0; m < samples; ++m) {
        lines.sampling.times(m) =
            1e-2 + 1e-3 * lines.sampling.trajectory[static_cast<std::size_t>(m)][0];
    }
    Scan scan = scan_on(lines, 3);
    Random random(8);
    const auto voxels = static_cast<Eigen::Index>(scan.grid.voxels());
    OffResonance field{RealVector(voxels), RealVector(voxels)};
    for (Eigen::Index n = 0; n < voxels; ++n) {
        field.field(n) = random.uniform(-100, 100);
        field.r2star(n) = random.uniform(0, 30);
    }
    scan.off_resonance = std::make_shared<const OffResonance>(field);
    expect_what_virtual_coils_measure(scan, 2, "z");
}

TEST(SliceMixing, TakesTheLongestDimensionThatHasLines) {
    Lines all{make_grid(4, 5, 6), 0, {}};
    for (std::size_t i = 0; i < all.grid.voxels(); ++i) {
        all.sampling.trajectory.push_back({static_cast<double>(i % 4) - 2,
                                           static_cast<double>(i / 4 % 5) - 2,
                                           static_cast<double>(i / 20) - 3});
    }
    Scan scan = scan_on(all, 2);
    EXPECT_EQ(mixing_of(scan, {1, 1, "geometric"}).axis(), "z");
    all.sampling.weights = RealVector::Ones(120);
    all.sampling.weights.head(20).setConstant(2);
    scan = scan_on(all, 2);
    EXPECT_EQ(mixing_of(scan, {1, 1, "geometric"}).axis(), "y");
}

TEST(SliceMixing, NeedsOneCoilWhereEachSliceHasOne) {
    // In each slice another combination of the coils sees everything: svd would need all of them.
    const Lines lines = on_lines(make_grid(6, 5), 0, 3);
    Scan scan = scan_on(lines, 4);
    const CoilMatrix of_slice = Random(9).matrix(4, 6);
    const CoilMatrix seen = Random(10).matrix(1, 30);
    CoilMatrix& maps = scan.coil_maps.doubles();
    for (Eigen::Index n = 0; n < 30; ++n) {
        maps.col(n) = of_slice.col(n % 6) * seen(0, n);
    }
    EXPECT_GT(compressed_coils({gram(scan.coil_maps)}, {0, 0.999, ""}).mixing.rows(), 2);
    const SliceMixing mixing = mixing_of(scan, {0, 0.999, "geometric"});
    EXPECT_EQ(mixing.coils(), 1);
    EXPECT_GT(mixing.energy(), 0.999);
    // What one voxel sees is kept, though of 4 coils.
    EXPECT_NEAR(mixing.maps(scan.coil_maps).to_doubles().squaredNorm(), maps.squaredNorm(),
                1e-3 * maps.squaredNorm());
}

TEST(SliceMixing, TakesTheCoilsOfAllSlicesWhereMapsAreZero) {
    const Lines lines = on_lines(make_grid(6, 5), 0, 3);
    Scan scan = scan_on(lines, 4);
    const CoilMatrix of_all = Random(11).matrix(4, 2);
    CoilMatrix& maps = scan.coil_maps.doubles();
    maps = of_all * Random(12).matrix(2, 30);
    for (Eigen::Index n = 0; n < 30; n += 6) {
        maps.col(n).setZero();
    }
    const SliceMixing mixing = mixing_of(scan, {2, 1, "geometric"});
    const CoilMatrix others = of_all * Random(13).matrix(2, 30); // of another place
    EXPECT_NEAR(mixing.maps(others).to_doubles().squaredNorm(), others.squaredNorm(),
                rounding * others.squaredNorm());
}

TEST(SliceMixing, KeepsWhiteNoiseWhite) {
    const Scan scan = scan_on(on_lines(make_grid(4, 5), 1, 3), 5);
    const SliceMixing mixing = mixing_of(scan, {3, 1, "geometric"});
    const CoilMatrix white = CoilMatrix::Identity(5, 5); // <n n^H> over its columns is I / 5
    const CoilMatrix virtual_ones = mixing.noise(white).to_doubles();
    EXPECT_TRUE(near(CoilMatrix(virtual_ones * virtual_ones.adjoint()), CoilMatrix::Identity(3, 3),
                     rounding));
}

void expect_refused(const std::function<void()>& run, const std::vector<std::string>& says) {
    try {
        run();
        FAIL() << "no error";
    } catch (const Error& error) {
        for (const std::string& piece : says) {
            EXPECT_NE(std::string(error.what()).find(piece), std::string::npos) << error.what();
        }
    }
}

TEST(SliceMixing, SaysWhatIsMissing) {
    const Scan good = scan_on(on_lines(make_grid(6, 5), 0, 4), 3);
    const CoilCompression wanted{2, 1, "geometric"};
    Scan scan = good;
    scan.coil_maps = {};
    expect_refused([&] { mixing_of(scan, wanted); }, {"scan.h5", "coil maps", "--compression svd"});
    scan.coil_maps = CoilRows(CoilMatrix(CoilMatrix::Zero(3, 30)));
    expect_refused([&] { mixing_of(scan, {0, 0.9, "geometric"}); }, {"coil maps", "zeros alone"});
    scan = good;
    scan.voxels = std::vector<Vec3>(30, Vec3{0, 0, 0});
    expect_refused([&] { mixing_of(scan, wanted); }, {"/voxels", "--compression svd"});
    Lines other = on_lines(make_grid(6, 5), 0, 4, 2);
    other.sampling.trajectory[3][0] += 0.1;
    expect_refused([&] { mixing_of(scan_on(other, 3), wanted); },
                   {"scan.h5", "along x its 24 samples are on more lines", "along y", "1 cycle/FOV",
                    "--compression svd"});
    SliceMixing mixing = mixing_of(good, wanted);
    Frame frame;
    frame.sampling = std::make_shared<const Sampling>(other.sampling);
    frame.samples = Random(1).matrix(3, 24);
    expect_refused([&] { mixing.mix(frame); },
                   {"scan.h5", "of a frame", "along x", "--frames", "--compression svd"});
}

} // namespace
} // namespace lsrecon
