#include "model/resampled.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "model/slice_volumes.hpp"
#include "scan/pose.hpp"
#include "scan/voxels.hpp"
#include "support/case.hpp"
#include "support/numbers.hpp"

namespace lsrecon {
namespace {

const Resampled of{"field.h5", "field map", "next"};
const std::array<Vec3, 3> axes{Vec3{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

/// By angles about z and then y.
std::array<Vec3, 3> turned(double a, double b) {
    std::array<Vec3, 3> result;
    for (std::size_t d = 0; d < 3; ++d) {
        const auto [x, y, z] = axes[d];
        const Vec3 v{std::cos(a) * x - std::sin(a) * y, std::sin(a) * x + std::cos(a) * y, z};
        result[d] = {std::cos(b) * v[0] + std::sin(b) * v[2], v[1],
                     std::cos(b) * v[2] - std::sin(b) * v[0]};
    }
    return result;
}

Grid placed(Grid grid, const Vec3& fov_mm, const Vec3& position,
            const std::array<Vec3, 3>& directions) {
    grid.fov_mm = fov_mm;
    grid.position = position;
    grid.directions = directions;
    return grid;
}

/// Of voxel (x, y, z), in the patient.
Vec3 position_of(const Grid& grid, std::size_t n) {
    const std::array<std::size_t, 3> at{n % grid.size[0], n / grid.size[0] % grid.size[1],
                                        n / grid.size[0] / grid.size[1]};
    Vec3 position = *grid.position;
    for (std::size_t d = 0; d < 3; ++d) {
        const double steps = static_cast<double>(at[d]) - std::floor(grid.size[d] / 2);
        for (std::size_t i = 0; i < 3; ++i) {
            position[i] += steps * grid.fov_mm[d] / static_cast<double>(grid.size[d]) *
                           (*grid.directions)[d][i];
        }
    }
    return position;
}

/// Trilinear, in doubles: every voxel of the volume counts as a tent.
Complex at_position(const CoilMatrix& volumes, std::size_t row, const Grid& volume,
                    const Vec3& position) {
    Complex sum = 0;
    double reach = 0;
    for (std::size_t n = 0; n < volume.voxels(); ++n) {
        const Vec3 there = position_of(volume, n);
        double tent = 1;
        for (std::size_t d = 0; d < 3; ++d) {
            const Vec3 between{position[0] - there[0], position[1] - there[1],
                               position[2] - there[2]};
            const double voxel = volume.fov_mm[d] / static_cast<double>(volume.size[d]);
            tent *= std::max(0.0, 1 - std::abs(dot(between, (*volume.directions)[d]) / voxel));
        }
        sum += tent * volumes(static_cast<Eigen::Index>(row), static_cast<Eigen::Index>(n));
        reach += tent;
    }
    EXPECT_NEAR(reach, 1, 1e-9) << "a position within the outermost voxels";
    return sum;
}

TEST(SliceOfVolume, IsWhatLiesAtItsVoxels) {
    test::Random random(5);
    const Grid volume =
        placed(test::make_grid(19, 22, 9), {190, 230, 72}, {4, -7, 11}, turned(0.3, -0.2));
    const CoilMatrix values = random.matrix(2, volume.voxels());
    for (const double angle : {0.0, 0.1, 0.25}) {
        const Grid slice = placed(test::make_grid(11, 14), {60, 75, 3}, {6, -3, 11 + 20 * angle},
                                  turned(angle, 2 * angle - 0.3));
        require_same_field(volume, slice, of);
        const CoilMatrix found = resampled(values, volume, slice, of).to_doubles();
        ASSERT_EQ(found.cols(), 11 * 14);
        for (std::size_t n = 0; n < slice.voxels(); ++n) {
            for (std::size_t row = 0; row < 2; ++row) {
                const Complex expected = at_position(values, row, volume, position_of(slice, n));
                const Complex value =
                    found(static_cast<Eigen::Index>(row), static_cast<Eigen::Index>(n));
                EXPECT_LT(std::abs(value - expected), 1e-5) << "voxel " << n << " at " << angle;
            }
        }
    }
}

TEST(SliceOfVolume, IsAPlaneWhereItIsOneAndNothingBeyond) {
    test::Random random(6);
    const Grid volume = placed(test::make_grid(7, 6, 5), {70, 60, 20}, {0, 0, 0}, axes);
    const CoilMatrix values = random.matrix(1, volume.voxels());
    for (std::size_t z = 0; z < 5; ++z) { // voxels of 4 mm, counted from the third
        const Grid plane = placed(test::make_grid(7, 6), {70, 60, 4},
                                  {0, 0, 4 * (static_cast<double>(z) - 2)}, axes);
        const CoilMatrix found = resampled(values, volume, plane, of).to_doubles();
        EXPECT_LT((found - values.middleCols(static_cast<Eigen::Index>(42 * z), 42)).norm(), 1e-6);
    }
    const auto at_height = [&](double mm) {
        return placed(test::make_grid(7, 6), {70, 60, 4}, {0, 0, mm}, axes);
    };
    // Half a voxel beyond the edge, as within a plane: there the outermost values continue.
    EXPECT_LT(
        (resampled(values, volume, at_height(11.9), of).to_doubles() - values.rightCols(42)).norm(),
        1e-6);
    EXPECT_EQ(resampled(values, volume, at_height(12.1), of).largest_part(), 0);
    EXPECT_NO_THROW(require_same_field(volume, at_height(11.9), of));
    EXPECT_THROW(require_same_field(volume, at_height(12.1), of), InputError);
    EXPECT_THROW(require_same_field(volume, at_height(-12.1), of), InputError);
}

TEST(SliceOfVolume, IsACopyWhereVoxelsAreTheSame) {
    test::Random random(10);
    for (const double angle : {0.1, 0.2, 0.3, 0.4}) {
        const auto directions = turned(angle, -0.2);
        const Vec3 position{4.1, -7, 11};
        const Grid volume =
            placed(test::make_grid(19, 16, 9), {187, 211, 65}, position, directions);
        const Grid slice = placed(test::make_grid(19, 16), {187, 211, 5}, position, directions);
        CoilRows::Floats values = random.matrix(1, volume.voxels()).cast<std::complex<float>>();
        for (Eigen::Index n = 0; n < values.cols(); n += 3) {
            values(0, n) = 0; // beside an object stays 0
        }
        const CoilRows found = resampled(values, volume, slice, of);
        EXPECT_EQ(found, CoilRows(values.middleCols(4 * 19 * 16, 19 * 16))) << angle;
    }
}

TEST(SliceOfVolume, MustLieInIt) {
    const Grid volume = placed(test::make_grid(20, 20, 20), {200, 200, 200}, {0, 0, 0}, axes);
    const auto slice = [](double fov, const Vec3& position, double angle) {
        return placed(test::make_grid(20, 20), {fov, fov, 5}, position, turned(angle, 0));
    };
    EXPECT_NO_THROW(require_same_field(volume, slice(200, {0, 0, 50}, 0), of));
    EXPECT_NO_THROW(require_same_field(volume, slice(200, {0, 0, 50}, 0.7), of))
        << "corners hold no object";
    EXPECT_THROW(require_same_field(volume, slice(200, {40, 0, 50}, 0), of), InputError);
    EXPECT_THROW(require_same_field(volume, slice(300, {0, 0, 0}, 0), of), InputError);
    EXPECT_THROW(require_same_field(volume, slice(0.2, {0, 0, 0}, 0), of), InputError)
        << "a field of view in metres";
}

TEST(Resampled, AreTheSameMapsOnAnotherGrid) {
    // A plane of numbers is linear everywhere.
    const auto plane = [](const Grid& grid) {
        CoilMatrix maps(2, static_cast<Eigen::Index>(grid.voxels()));
        for (std::size_t n = 0; n < grid.voxels(); ++n) {
            const Vec3 x = Voxels::of_grid(grid).position(n);
            const double mm = 3 * x[0] * grid.fov_mm[0] - 2 * x[1] * grid.fov_mm[1];
            maps(0, static_cast<Eigen::Index>(n)) = {mm, 1};
            maps(1, static_cast<Eigen::Index>(n)) = {1, -mm};
        }
        return maps;
    };
    Grid from = test::make_grid(30, 31);
    from.fov_mm = {300, 310, 1};
    Grid to = test::make_grid(17, 24);
    to.fov_mm = {150, 200, 1};
    EXPECT_TRUE(test::near(resampled(plane(from), from, to, of).to_doubles(), plane(to), 1e-6));
    // Nothing is known beyond the field of view.
    Grid wide = test::make_grid(20, 20);
    wide.fov_mm = {900, 900, 1};
    EXPECT_EQ(resampled(plane(from), from, wide, of)(0, 0), Complex(0));
}

TEST(Resampled, MustHoldWhatBothTheScanAndTheImageHold) {
    Grid scan = test::make_grid(24, 24);
    scan.fov_mm = {240, 200, 1};
    Grid image = scan;
    image.fov_mm = {300, 100, 1};
    const Grid needed = with_smaller_field(image, scan);
    EXPECT_EQ(needed.fov_mm, (Vec3{240, 100, 1}));
    Grid maps = scan;
    EXPECT_NO_THROW(require_same_field(maps, needed, of));
    maps.fov_mm = {120, 200, 1};
    EXPECT_THROW(require_same_field(maps, needed, of), InputError);
}

TEST(Resampled, OfAnUnknownPoseCannotFollowAShift) {
    Grid known = test::make_grid(8, 8);
    known.position = Vec3{0, 0, 0};
    known.directions = axes;
    const Resampled moved{"maps.h5", "coil maps", "next", true};
    const CoilMatrix maps = CoilMatrix::Ones(1, 64);
    EXPECT_NO_THROW(resampled(maps, known, known, moved));
    EXPECT_THROW(resampled(maps, test::make_grid(8, 8), known, moved), InputError);
    EXPECT_THROW(resampled(maps, known, test::make_grid(8, 8), moved), InputError);
}

TEST(Resampled, FollowTheirPoseInThePatient) {
    Grid from = test::make_grid(8, 8);
    from.fov_mm = {8, 8, 1};
    from.position = Vec3{0, 0, 0};
    from.directions = axes;
    CoilMatrix maps = CoilMatrix::Zero(1, 64);
    maps(0, 4 * 8 + 4) = 1; // at the centre
    Grid to = from;
    to.position = Vec3{2, -1, 0}; // mm, and voxels
    const CoilRows moved = resampled(maps, from, to, of);
    EXPECT_EQ(moved(0, (4 + 1) * 8 + 4 - 2), Complex(1));
    to.directions = turned(0.1, 0);
    EXPECT_THROW(resampled(maps, from, to, of), InputError);
}

/// The axes of a grid in another order and from other ends; each bit of `reversed` is one of these.
Grid stored_otherwise(const Grid& grid, const std::array<std::size_t, 3>& order,
                      unsigned reversed) {
    Grid stored = grid;
    for (std::size_t d = 0; d < 3; ++d) {
        const std::size_t axis = order[d];
        stored.size[d] = grid.size[axis];
        stored.fov_mm[d] = grid.fov_mm[axis];
        const double sign = (reversed >> d & 1U) != 0 ? -1 : 1;
        const double even = sign < 0 && stored.size[d] % 2 == 0 ? 1 : 0;
        for (std::size_t i = 0; i < 3; ++i) {
            const double along = sign * (*grid.directions)[axis][i];
            (*stored.directions)[d][i] = along;
            // Voxel floor(N/2) from this end is one before that from the other.
            (*stored.position)[i] +=
                even * along * stored.fov_mm[d] / static_cast<double>(stored.size[d]);
        }
    }
    return stored;
}

TEST(Resampled, KeepEveryVoxelWhereItIsWhateverItsAxes) {
    const Grid grid =
        placed(test::make_grid(4, 3, 5), {8, 9, 20}, {10, -20, 30}, turned(0.3, -0.2));
    std::array<std::size_t, 3> order{0, 1, 2};
    do {
        for (unsigned reversed = 0; reversed < 8; ++reversed) {
            const Grid stored = stored_otherwise(grid, order, reversed);
            test::Random random(11);
            CoilRows::Floats values = random.matrix(1, 60).cast<std::complex<float>>();
            require_same_field(stored, grid, of);
            const CoilRows found = resampled(values, stored, grid, of);
            for (std::size_t n = 0; n < 60; ++n) {
                const Vec3 position = position_of(grid, n);
                std::size_t same = 0;
                while (apart({position, {}}, {position_of(stored, same), {}}).mm > 1e-6) {
                    ASSERT_LT(++same, 60U);
                }
                EXPECT_EQ(found(0, n), Complex(values(0, static_cast<Eigen::Index>(same))));
            }
        }
    } while (std::next_permutation(order.begin(), order.end()));
}

TEST(Resampled, AreAsStoredWhereAPoseIsNotKnown) {
    test::Random random(12);
    const CoilMatrix values = random.matrix(1, 30);
    const Grid to = placed(test::make_grid(5, 6), {50, 60, 5}, {1, 2, 3}, axes);
    Grid from = to;
    from.directions.reset();
    EXPECT_EQ(resampled(values, from, to, of), values);
    from.directions = turned(0.5, 0);
    EXPECT_THROW(resampled(values, from, to, of), InputError);
    from.position.reset();
    EXPECT_EQ(resampled(values, from, to, of), values);
    from.directions = {axes[2], axes[0], axes[1]}; // another plane
    EXPECT_EQ(resampled(values, from, to, of), values);
    from.position = to.position;
    EXPECT_THROW(resampled(values, from, to, of), InputError);
}

/// What an error says, in its parts.
template <typename Work> std::string said_by(const Work& work) {
    try {
        work();
    } catch (const InputError& error) {
        return error.what();
    }
    return "nothing";
}

void expect_words(const std::string& said, const std::string& words) {
    EXPECT_NE(said.find(words), std::string::npos) << said;
}

TEST(SliceOfVolume, NeedsBothPoses) {
    const Grid volume = placed(test::make_grid(8, 8, 4), {80, 80, 40}, {0, 0, 0}, axes);
    const Grid slice = placed(test::make_grid(8, 8), {80, 80, 5}, {0, 0, 0}, axes);
    Grid bare = volume;
    bare.position.reset();
    expect_words(said_by([&] { require_same_field(bare, slice, of); }),
                 "this file has no position");
    Grid undirected = slice;
    undirected.directions.reset();
    expect_words(said_by([&] { require_same_field(volume, undirected, of); }),
                 "the scan has no directions");
    undirected.position.reset();
    expect_words(said_by([&] { require_same_field(volume, undirected, of); }),
                 "the scan has no position and");
}

Scan slices_at(const std::vector<double>& heights) {
    Scan scan;
    scan.file = "raw.h5";
    scan.grid = placed(test::make_grid(8, 8), {80, 80, 5}, {0, 0, heights[0]}, axes);
    for (std::size_t f = 0; f < heights.size(); ++f) {
        scan.frames.push_back({nullptr, {}, "slice " + std::to_string(f), Vec3{0, 0, heights[f]}});
    }
    scan.frame_counters = {"slice"};
    return scan;
}

TEST(SliceVolumes, AreThoseOfEachSlice) {
    const Grid volume = placed(test::make_grid(8, 8, 6), {80, 80, 60}, {0, 0, 0}, axes);
    test::Random random(7);
    const CoilMatrix values = random.matrix(1, volume.voxels());
    Scan scan = slices_at({10, -20, 0});
    scan.frames.push_back(scan.frames[1]); // a repetition
    SliceVolumes volumes(values, volume, scan, slices_of(scan), scan.grid, of);
    EXPECT_TRUE(volumes.differ());
    const std::vector<Eigen::Index> planes{4, 1, 3};
    const std::vector<Slice> slices = slices_of(scan);
    ASSERT_EQ(slices.size(), 3U);
    for (const Slice& slice : slices) {
        const Eigen::Index plane = planes[slice.index];
        const CoilMatrix expected = values.middleCols(64 * plane, 64);
        EXPECT_LT((volumes.take(slice).to_doubles() - expected).norm(), 1e-6) << plane;
    }
}

TEST(SliceVolumes, AreThoseOfSlicesOfSeveralOrientations) {
    const Grid volume = placed(test::make_grid(9, 9, 9), {90, 90, 90}, {0, 0, 0}, axes);
    test::Random random(8);
    const CoilMatrix values = random.matrix(1, volume.voxels());
    Scan scan = slices_at({0, 0, 0});
    scan.grid.position.reset();
    scan.grid.directions.reset();
    const std::vector<std::array<Vec3, 3>> directions{
        axes, {axes[1], axes[2], axes[0]}, {axes[2], axes[0], axes[1]}};
    for (std::size_t f = 0; f < 3; ++f) {
        scan.frames[f].position.reset();
        scan.frames[f].turned = Pose{Vec3{0, 0, 0}, directions[f]};
    }
    SliceVolumes volumes(values, volume, scan, slices_of(scan), scan.grid, of);
    for (std::size_t f = 0; f < 3; ++f) {
        const Grid slice = placed(scan.grid, scan.grid.fov_mm, {0, 0, 0}, directions[f]);
        const CoilMatrix found = volumes.take(slices_of(scan)[f]).to_doubles();
        for (std::size_t n = 0; n < 64; ++n) {
            const Complex expected = at_position(values, 0, volume, position_of(slice, n));
            EXPECT_LT(std::abs(found(0, static_cast<Eigen::Index>(n)) - expected), 1e-5) << f;
        }
    }
    scan.frames.push_back(scan.frames[1]);
    scan.frames.back().turned->position = Vec3{20, 0, 0};
    expect_words(
        said_by([&] { SliceVolumes(values, volume, scan, slices_of(scan), scan.grid, of); }),
        "20 mm away from the first");
}

TEST(SliceVolumes, MayComeFromAnotherCorner) {
    const Grid grid = placed(test::make_grid(5, 6, 7), {50, 60, 70}, {1, 2, 3}, axes);
    Scan scan = slices_at({3});
    scan.grid = grid;
    scan.frames[0].position.reset();
    test::Random random(9);
    const CoilMatrix values = random.matrix(1, grid.voxels());
    // The same voxels from the last y on: of six, the fourth is one before the centre.
    Grid mirrored = grid;
    (*mirrored.directions)[1] = {0, -1, 0};
    (*mirrored.position)[1] -= 10;
    CoilMatrix stored(1, values.cols());
    for (Eigen::Index n = 0; n < values.cols(); ++n) {
        const Eigen::Index y = n / 5 % 6;
        stored(0, n) = values(0, n + 5 * (5 - 2 * y));
    }
    SliceVolumes volumes(stored, mirrored, scan, slices_of(scan), scan.grid, of);
    EXPECT_FALSE(volumes.differ());
    EXPECT_LT((volumes.take(slices_of(scan)[0]).to_doubles() - values).norm(), 1e-6);
}

TEST(SliceVolumes, RefuseWhatNoSliceCanUse) {
    const Grid volume = placed(test::make_grid(8, 8, 6), {80, 80, 60}, {0, 0, 0}, axes);
    const CoilMatrix values = CoilMatrix::Ones(1, 384);
    const auto made_of = [&](const Scan& scan, const Grid& grid) {
        const CoilMatrix some = values.leftCols(static_cast<Eigen::Index>(grid.voxels()));
        return said_by([&] { SliceVolumes(some, grid, scan, slices_of(scan), scan.grid, of); });
    };
    EXPECT_EQ(made_of(slices_at({10, 0}), volume), "nothing");
    expect_words(made_of(slices_at({10, 50}), volume), "slice at 0, 0, 50 mm");
    expect_words(made_of(slices_at({10, 10}), volume), "the same of two slices");
    Grid plane = volume;
    plane.size[2] = 1;
    expect_words(made_of(slices_at({10, 0}), plane), "name a volume");
    plane.fov_mm[2] = 30;
    EXPECT_EQ(made_of(slices_at({10}), plane), "nothing");
    Scan nowhere = slices_at({10, 0});
    nowhere.grid.position.reset();
    for (Frame& frame : nowhere.frames) {
        frame.position.reset();
    }
    expect_words(made_of(nowhere, volume), "the scan has no position");
    Scan solid = slices_at({0});
    solid.grid.dimensions = 3;
    solid.grid.size[2] = 4;
    plane.dimensions = 2;
    expect_words(made_of(solid, plane), "of 2 dimensions");
}

} // namespace
} // namespace lsrecon
