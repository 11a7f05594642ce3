// A slice of a stack has the samples that it alone would give, and else there is a reason.

#include "model/stack_slice.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"

namespace lsrecon {
namespace {

constexpr std::size_t slices = 5;
constexpr std::size_t in_plane = 6;

Vec3 position_in_plane(std::size_t j) {
    const double number = static_cast<double>(j);
    return {0.7 * number - 2, 1.3 * std::sin(number), 0};
}

/// What one voxel of each slice gives at a position in the plane.
Complex of_slice(std::size_t z, std::size_t j) {
    const Vec3 k = position_in_plane(j);
    const double number = static_cast<double>(z);
    return std::polar(1 + number, 2 * pi * (k[0] * 0.1 * number - k[1] * 0.2));
}

/// Partitions from kz on, the last first, in an order of samples that is that of planes.
Scan stack(std::size_t partitions, double first) {
    Scan scan;
    scan.grid.dimensions = 3;
    scan.grid.size = {4, 4, slices};
    scan.grid.fov_mm = {40, 40, 50};
    scan.grid.position = Vec3{1, 2, 3};
    scan.grid.directions = {Vec3{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    auto trajectory = std::make_shared<Trajectory>();
    CoilMatrix samples = CoilMatrix::Zero(1, static_cast<Eigen::Index>(partitions * in_plane));
    Eigen::Index m = 0;
    for (std::size_t j = 0; j < in_plane; ++j) {
        for (std::size_t p = partitions; p-- > 0;) {
            Vec3 k = position_in_plane(j);
            k[2] = first + static_cast<double>(p * slices) / static_cast<double>(partitions);
            trajectory->positions.push_back(k);
            for (std::size_t z = 0; z < slices; ++z) {
                const double at = (static_cast<double>(z) - double(slices / 2)) / double(slices);
                samples(0, m) += of_slice(z, j) * std::polar(1.0, -2 * pi * k[2] * at);
            }
            ++m;
        }
    }
    scan.frames.push_back({trajectory, CoilRows(samples), "", std::nullopt});
    return scan;
}

TEST(StackSlice, HasTheSamplesOfASliceAlone) {
    for (const auto& [partitions, first] :
         {std::pair<std::size_t, double>(slices, -2), {slices, -1.5}, {7, -2.3}}) {
        for (std::size_t z = 0; z < slices; ++z) {
            Scan scan = stack(partitions, first);
            Frame frame = scan.frames.front();
            const StackSlice slice(z, scan);
            slice.apply(0, frame);
            EXPECT_EQ(scan.grid.dimensions, 2);
            EXPECT_EQ((*scan.grid.position)[2], 3 + 10 * (static_cast<double>(z) - 2));
            EXPECT_EQ(frame.trajectory, scan.frames.front().trajectory);
            ASSERT_EQ(frame.samples.columns(), in_plane);
            for (std::size_t j = 0; j < in_plane; ++j) {
                EXPECT_EQ(frame.trajectory->positions[j], position_in_plane(j));
                EXPECT_LT(std::abs(frame.samples(0, j) - of_slice(z, j)), 1e-12);
            }
        }
    }
}

TEST(StackSlice, RefusesSlicesThatPartitionsCouple) {
    Scan few = stack(4, -2);
    EXPECT_THROW(StackSlice(0, few), InputError);
    Scan rotated = stack(slices, -2);
    auto changed = std::make_shared<Trajectory>(*rotated.frames.front().trajectory);
    changed->positions.front()[0] += 0.01;
    rotated.frames.front().trajectory = changed;
    EXPECT_THROW(StackSlice(0, rotated), InputError);
    Scan beyond = stack(slices, -2);
    EXPECT_THROW(StackSlice(slices, beyond), UsageError);
}

} // namespace
} // namespace lsrecon
