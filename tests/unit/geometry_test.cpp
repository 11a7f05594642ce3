#include "model/geometry.hpp"

#include <cmath>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "support/findings.hpp"
#include "support/message.hpp"

namespace lsrecon {
namespace {

constexpr double turn = 2 * pi;
/// Of sums of a few values up to 3 with phases up to 30 turns, in double precision.
constexpr double rounding = 3 * 30 * turn * 2.2e-16 * 4;

/// Points of an object: where, in mm from the centre, and how bright.
struct Point {
    Vec3 mm;
    double rho;
};
const std::vector<Point> object{{{30, -20, 0}, 1.0}, {{-15, 40, 0}, 0.5}, {{0, 5, 0}, 2.0}};

Complex signal(const Vec3& k, const Vec3& fov_mm, const Vec3& moved_mm = {0, 0, 0}) {
    Complex sum = 0;
    for (const Point& point : object) {
        double turns = 0;
        for (std::size_t d = 0; d < 3; ++d) {
            turns += k[d] * (point.mm[d] + moved_mm[d]) / fov_mm[d];
        }
        sum += point.rho * std::polar(1.0, -turn * turns);
    }
    return sum;
}

/// Every k of 8 x 6 voxels of 25 x 30 mm, as two frames of one trajectory and a third of its own.
Scan make_scan() {
    Scan scan;
    scan.file = "scan.h5";
    scan.grid.size = {8, 6, 1};
    scan.grid.fov_mm = {200, 180, 5};
    auto trajectory = std::make_shared<Trajectory>();
    for (int y = -3; y < 3; ++y) {
        for (int x = -4; x < 4; ++x) {
            trajectory->positions.push_back({static_cast<double>(x), static_cast<double>(y), 0});
        }
    }
    trajectory->weights = RealVector::LinSpaced(48, 1, 48);
    auto other = std::make_shared<Trajectory>();
    other->positions = {{0, 0, 0}, {3.5, 1.25, 0}};
    for (int f = 0; f < 3; ++f) {
        const std::shared_ptr<const Trajectory> of_frame = f < 2 ? trajectory : other;
        CoilMatrix samples(1, static_cast<Eigen::Index>(of_frame->samples()));
        for (std::size_t m = 0; m < of_frame->samples(); ++m) {
            samples(0, static_cast<Eigen::Index>(m)) =
                signal(of_frame->positions[m], scan.grid.fov_mm);
        }
        scan.frames.push_back({of_frame, samples, "", std::nullopt});
    }
    return scan;
}

/// Frames as the file has them, changed by the geometry, and the changed scan.
struct Changed {
    Scan scan = make_scan();
    std::vector<Frame> frames = scan.frames;

    explicit Changed(const GeometryOptions& options) {
        const Geometry geometry(options, scan);
        for (std::size_t f = 0; f < frames.size(); ++f) {
            geometry.apply(f, frames[f]);
        }
    }
};

TEST(Geometry, AShiftMovesTheObjectAndTheGridTheOtherWay) {
    GeometryOptions options;
    options.shift_mm = {25, -60};
    Scan scan = make_scan();
    scan.grid.position = Vec3{10, 20, 30};
    scan.grid.directions = std::array<Vec3, 3>{Vec3{0, 1, 0}, Vec3{0, 0, 1}, Vec3{1, 0, 0}};
    scan.frames[1].position = Vec3{0, 0, 0};
    const std::vector<Frame> stored = scan.frames;
    const Geometry geometry(options, scan);
    EXPECT_EQ(scan.grid.position, (Vec3{10, -5, 90}));
    for (std::size_t f = 0; f < 3; ++f) {
        Frame frame = stored[f];
        geometry.apply(f, frame);
        EXPECT_EQ(frame.trajectory, stored[f].trajectory); // Q of the file still holds
        EXPECT_EQ(frame.position, f == 1 ? std::optional(Vec3{0, -25, 60}) : std::nullopt);
        for (std::size_t m = 0; m < frame.trajectory->samples(); ++m) {
            const Complex expected =
                signal(frame.trajectory->positions[m], scan.grid.fov_mm, {25, -60, 0});
            EXPECT_LT(std::abs(frame.samples(0, m) - expected), rounding);
        }
    }
}

/// One bright voxel, as F^H of every k of the grid shows it.
TEST(Geometry, AVoxelMovesToWhereItShould) {
    Scan scan = make_scan();
    const Vec3 from{1.0 / 8, -1.0 / 6, 0}; // voxel (5, 2)
    auto& samples = scan.frames[0].samples.doubles();
    for (std::size_t m = 0; m < 48; ++m) {
        const Vec3& k = scan.frames[0].trajectory->positions[m];
        samples(0, static_cast<Eigen::Index>(m)) =
            std::polar(1.0, -turn * (k[0] * from[0] + k[1] * from[1]));
    }
    GeometryOptions options;
    options.shift_mm = {-50, 30}; // two voxels to the left, one up
    Frame frame = scan.frames[0];
    Geometry(options, scan).apply(0, frame);
    for (int y = 0; y < 6; ++y) {
        for (int x = 0; x < 8; ++x) {
            Complex sum = 0;
            for (std::size_t m = 0; m < 48; ++m) {
                const Vec3& k = frame.trajectory->positions[m];
                sum += frame.samples(0, m) *
                       std::polar(1.0, turn * (k[0] * (x - 4) / 8.0 + k[1] * (y - 3) / 6.0));
            }
            EXPECT_LT(std::abs(sum - (x == 3 && y == 3 ? 48.0 : 0.0)), 48 * rounding);
        }
    }
}

TEST(Geometry, AnotherFieldOfViewRescalesTheTrajectory) {
    GeometryOptions options;
    options.fov_mm = {400, 90};
    options.matrix = {16, 3};
    const Changed changed(options);
    EXPECT_EQ(changed.scan.grid.size, (std::array<std::size_t, 3>{16, 3, 1}));
    EXPECT_EQ(changed.scan.grid.fov_mm, (Vec3{400, 90, 5}));
    for (const Frame& frame : changed.frames) {
        for (std::size_t m = 0; m < frame.trajectory->samples(); ++m) {
            const Vec3& k = frame.trajectory->positions[m];
            EXPECT_LT(std::abs(frame.samples(0, m) - signal(k, {400, 90, 5})), rounding);
        }
    }
    EXPECT_EQ(changed.frames[0].trajectory->positions[1], (Vec3{-6, -1.5, 0}));
    EXPECT_EQ(changed.frames[0].trajectory->samples(), 48u); // the same voxels: nothing is beyond
    EXPECT_EQ(changed.frames[0].trajectory, changed.frames[1].trajectory);
    EXPECT_EQ(changed.frames[0].trajectory, changed.scan.frames[0].trajectory);
    EXPECT_NE(changed.frames[0].trajectory, changed.frames[2].trajectory);
}

TEST(Geometry, SamplesBeyondTheMatrixGo) {
    GeometryOptions options;
    options.matrix = {4, 6};
    options.shift_mm = {10, 0};
    Changed changed(options);
    const Frame& frame = changed.frames[1];
    ASSERT_EQ(frame.trajectory->samples(), 30u); // kx from -2 to 2
    ASSERT_EQ(frame.samples.columns(), 30u);
    for (std::size_t m = 0; m < 30; ++m) {
        const Vec3& k = frame.trajectory->positions[m];
        EXPECT_LE(std::abs(k[0]), 2);
        EXPECT_LT(std::abs(frame.samples(0, m) - signal(k, {200, 180, 5}, {10, 0, 0})), rounding);
        EXPECT_EQ(frame.trajectory->weights(static_cast<Eigen::Index>(m)),
                  1 + (k[0] + 4) + 8 * (k[1] + 3));
    }
    EXPECT_TRUE(test::one_holds(changed.scan.facts, {"37 of 98 samples", "N/2"}));
}

// Every k of 8 x 6 voxels fills half of 8 x 12, and what the file's grid would say is not asked.
TEST(Geometry, AliasingIsThatOfTheNewGrid) {
    const auto aliases = [](const GeometryOptions& options) {
        Scan scan = make_scan();
        scan.frames.resize(1);
        const Geometry geometry(options, scan);
        return test::has(scan.findings, Found::undersampled);
    };
    GeometryOptions options;
    options.fov_mm = {200, 360};
    options.matrix = {8, 12};
    EXPECT_TRUE(aliases(options));
    options.fov_mm = {200, 180};
    options.matrix = {8, 6};
    options.shift_mm = {1, 0};
    EXPECT_FALSE(aliases(options));
    options.matrix = {32, 24}; // finer than the samples
    EXPECT_FALSE(aliases(options));
}

TEST(Geometry, AFrameThatLosesMostSamplesIsRefused) {
    Scan scan = make_scan();
    auto far = std::make_shared<Trajectory>();
    far->positions = {{3.5, 1.25, 0}};
    scan.frames[2].trajectory = far;
    scan.frames[2].samples = CoilMatrix(CoilMatrix::Ones(1, 1));
    GeometryOptions options;
    options.matrix = {4, 6};
    EXPECT_THROW(Geometry(options, scan), InputError);
}

TEST(Geometry, ConjugateIsTheOtherSign) {
    GeometryOptions options;
    options.conjugate = true;
    options.shift_mm = {0, 30};
    const Changed changed(options);
    const Frame stored = make_scan().frames[2];
    EXPECT_EQ(changed.frames[2].trajectory->positions[1], (Vec3{-3.5, -1.25, 0}));
    // The shift is that of the image, whatever the sign of the file.
    EXPECT_LT(std::abs(changed.frames[2].samples(0, 1) -
                       stored.samples(0, 1) * std::polar(1.0, turn * 1.25 * 30 / 180)),
              rounding);
    EXPECT_EQ(test::lacks(changed.scan.facts.front(), {"sign", "`conjugate`"}), "");
}

TEST(Geometry, CalibrationAndSinglePrecisionFollow) {
    Scan scan = make_scan();
    scan.calibrations = {scan.frames[2]};
    scan.calibrations[0].samples =
        CoilRows::Floats(scan.frames[2].samples.doubles().cast<std::complex<float>>());
    GeometryOptions options;
    options.shift_mm = {25, 0};
    const Geometry geometry(options, scan);
    EXPECT_EQ(scan.calibrations[0].samples.precision(), Precision::float32);
    EXPECT_LT(std::abs(scan.calibrations[0].samples(0, 1) -
                       signal({3.5, 1.25, 0}, scan.grid.fov_mm, {25, 0, 0})),
              4 * 6e-8 * 3.5);
}

TEST(Geometry, WhatDoesNotFitTheScanIsRefused) {
    const auto refuses = [](
                             const GeometryOptions& options,
                             const std::function<void(Scan&)>& change = [](Scan&) {}) {
        Scan scan = make_scan();
        change(scan);
        EXPECT_THROW(Geometry(options, scan), UsageError);
    };
    refuses({{8, 8, 8}, {}, {}, false});
    refuses({{8, 0}, {}, {}, false});
    refuses({{}, {200}, {}, false});
    refuses({{}, {}, {1, 2, 3}, false});
    refuses({{}, {}, {1, 0}, false}, [](Scan& scan) {
        scan.voxels = {{0, 0, 0}};
        scan.coil_maps = CoilMatrix(CoilMatrix::Ones(1, 1));
    });
    refuses({{4, 6}, {}, {}, false}, [](Scan& scan) { scan.voxels = {{0, 0, 0}}; });
    refuses({{}, {100, 180}, {}, false}, [](Scan& scan) {
        auto trajectory = std::make_shared<Trajectory>(*scan.frames[2].trajectory);
        trajectory->phi = ComplexVector::Ones(2);
        scan.frames[2].trajectory = trajectory;
    });
}

// A matrix says what resolution is wanted; a field of view in another unit says nothing.
TEST(Geometry, MostSamplesGoOnlyForAMatrix) {
    const auto samples_on = [](const GeometryOptions& options) {
        Scan scan = make_scan();
        scan.frames.resize(2);
        const Geometry geometry(options, scan);
        return scan.frames[0].trajectory->samples();
    };
    EXPECT_EQ(samples_on({{4, 3}, {}, {}, false}), 15u); // kx from -2 to 2, ky from -1 to 1
    EXPECT_EQ(samples_on({{2, 2}, {}, {}, false}), 9u);
    EXPECT_EQ(samples_on({{8, 6}, {400, 360}, {}, false}), 15u);
    EXPECT_THROW(samples_on({{}, {400, 360}, {}, false}), InputError);
    EXPECT_THROW(samples_on({{8, 6}, {20000, 18000}, {}, false}), InputError);
}

/// Of 2D scans the position along z is that of the slice.
TEST(Geometry, FramesComeFromTheIsocentreToTheirPositions) {
    GeometryOptions options;
    options.shift_to_position = true;
    Scan scan = make_scan();
    EXPECT_THROW(Geometry(options, scan), InputError);
    scan.grid.position = Vec3{10, 20, 30};
    EXPECT_THROW(Geometry(options, scan), InputError);
    scan.grid.directions = std::array<Vec3, 3>{Vec3{0, 1, 0}, Vec3{0, 0, 1}, Vec3{1, 0, 0}};
    scan.frames[1].position = Vec3{7, -8, 9};
    scan.calibrations = {scan.frames[1]};
    const std::vector<Frame> stored = scan.frames;
    const Geometry geometry(options, scan);
    EXPECT_EQ(scan.grid.position, (Vec3{10, 20, 30}));
    const auto expect_shifted = [&](const Frame& frame, const Vec3& shift) {
        for (std::size_t m = 0; m < frame.trajectory->samples(); ++m) {
            const Complex expected =
                signal(frame.trajectory->positions[m], scan.grid.fov_mm, shift);
            EXPECT_LT(std::abs(frame.samples(0, m) - expected), rounding);
        }
    };
    for (std::size_t f = 0; f < 3; ++f) {
        Frame frame = stored[f];
        geometry.apply(f, frame);
        EXPECT_EQ(frame.position, stored[f].position);
        expect_shifted(frame, f == 1 ? Vec3{8, -9, 0} : Vec3{-20, -30, 0});
    }
    expect_shifted(scan.calibrations.at(0), {8, -9, 0});
}

TEST(Geometry, CalibrationStaysWithItsFrames) {
    Scan scan = make_scan();
    scan.grid.position = Vec3{1, 2, 3};
    scan.grid.directions = std::array<Vec3, 3>{Vec3{0, 1, 0}, Vec3{0, 0, 1}, Vec3{1, 0, 0}};
    scan.frames[1].position = Vec3{1, 2, 7};
    scan.calibrations = {scan.frames[1]};
    const Geometry geometry({{}, {}, {5, -6}, false}, scan);
    EXPECT_EQ(scan.frames[1].position, (Vec3{1, -3, 13}));
    EXPECT_EQ(scan.calibrations[0].position, scan.frames[1].position);
}

TEST(Geometry, APositionWithoutDirectionsCannotMove) {
    Scan scan = make_scan();
    scan.grid.position = Vec3{1, 2, 3};
    const Geometry geometry({{}, {}, {1, 0}, false}, scan);
    EXPECT_FALSE(scan.grid.position);
}

} // namespace
} // namespace lsrecon
