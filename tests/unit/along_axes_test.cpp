#include "model/along_axes.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>

#include "scan/directions.hpp"

namespace lsrecon {
namespace {

const std::array<Vec3, 3> oblique{Vec3{0.6, 0.8, 0}, {-0.8, 0.6, 0}, {0, 0, 1}};

Vec3 place_of(const Grid& grid, const std::array<std::size_t, 3>& at) {
    Vec3 place = *grid.position;
    for (std::size_t d = 0; d < 3; ++d) {
        const double steps =
            static_cast<double>(at[d]) - static_cast<double>(grid.size[d] / 2); // floor(N/2)
        for (std::size_t i = 0; i < 3; ++i) {
            place[i] += steps * grid.fov_mm[d] / static_cast<double>(grid.size[d]) *
                        (*grid.directions)[d][i];
        }
    }
    return place;
}

/// The place of every value, in 1/100 mm.
std::map<float, std::array<long, 3>> places_of(const Grid& grid, const CoilRows& values) {
    std::map<float, std::array<long, 3>> places;
    Eigen::Index n = 0;
    for (std::size_t z = 0; z < grid.size[2]; ++z) {
        for (std::size_t y = 0; y < grid.size[1]; ++y) {
            for (std::size_t x = 0; x < grid.size[0]; ++x, ++n) {
                const Vec3 place = place_of(grid, {x, y, z});
                const auto value = static_cast<float>(values.to_doubles()(0, n).real());
                for (std::size_t i = 0; i < 3; ++i) {
                    places[value][i] = std::lround(100 * place[i]);
                }
            }
        }
    }
    return places;
}

CoilRows counting(std::size_t voxels) {
    CoilRows::Floats values(1, static_cast<Eigen::Index>(voxels));
    for (Eigen::Index n = 0; n < values.cols(); ++n) {
        values(0, n) = static_cast<float>(n);
    }
    return CoilRows(std::move(values));
}

TEST(AlongAxes, KeepEveryVoxelWhereItIs) {
    Grid like;
    like.directions = oblique;
    std::array<std::size_t, 3> order{0, 1, 2};
    do {
        for (unsigned signs = 0; signs < 8; ++signs) {
            Grid grid;
            grid.dimensions = 3;
            grid.size = {4, 3, 5};
            grid.fov_mm = {8, 9, 20};
            grid.position = Vec3{10, -20, 30};
            grid.directions = oblique;
            for (std::size_t d = 0; d < 3; ++d) {
                for (std::size_t i = 0; i < 3; ++i) {
                    const double sign = (signs >> d & 1U) != 0 ? -1 : 1;
                    (*grid.directions)[d][i] = sign * oblique[order[d]][i];
                }
            }
            CoilRows values = counting(grid.voxels());
            const auto before = places_of(grid, values);
            lay_along_axes_of(like, grid, values);
            EXPECT_EQ(places_of(grid, values), before);
            EXPECT_EQ(grid.size[order[0]], 4U);
            for (std::size_t d = 0; d < 3; ++d) {
                EXPECT_NEAR(dot((*grid.directions)[d], oblique[d]), 1, 1e-12);
            }
        }
    } while (std::next_permutation(order.begin(), order.end()));
}

TEST(AlongAxes, LeaveWhatHasOtherAxesOrNone) {
    Grid like;
    like.directions = oblique;
    Grid grid;
    grid.size = {3, 2, 1};
    CoilRows values = counting(6);
    lay_along_axes_of(like, grid, values);
    EXPECT_FALSE(grid.directions);
    const std::array<Vec3, 3> others{Vec3{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    grid.directions = others;
    lay_along_axes_of(like, grid, values);
    EXPECT_EQ(grid.directions, others);
    const std::array<Vec3, 3> another_plane{oblique[2], oblique[0], oblique[1]};
    grid.directions = another_plane;
    lay_along_axes_of(like, grid, values);
    EXPECT_EQ(grid.directions, another_plane);
    EXPECT_EQ(grid.size[0], 3U);
}

} // namespace
} // namespace lsrecon
