#include "model/resampled.hpp"

#include <Eigen/SparseCore>
#include <cmath>

#include "base/error.hpp"
#include "base/parallel.hpp"
#include "model/along_axes.hpp"
#include "model/interpolation.hpp"
#include "model/slice_of_volume.hpp"

namespace lsrecon {

namespace {

constexpr double smallest_thickness_mm = 5; ///< of a plane; files of planes hold none

/// Where the image is moved, a place that is not known cannot follow.
void require_known_places(const Grid& from, const Grid& to, const Resampled& of) {
    for (const Grid* const grid : {&from, &to}) {
        if (!grid->position || !grid->directions) {
            throw InputError(
                {of.file, "place of the " + of.thing,
                 text("`shift_mm` moves the image, and the position and directions of ",
                      grid == &from ? "this file" : "the scan", " are not known"),
                 "both, to move them together", of.next + ", or leave `shift_mm` out"});
        }
    }
}

/// How far the centre of `from` lies from that of `to`, along the axes, in mm; 0 where unknown.
Vec3 offset_of(const Grid& from, const Grid& to, const Resampled& of) {
    if (of.shifted) {
        require_known_places(from, to, of);
    }
    Vec3 offset{0, 0, 0};
    if (!from.position || !to.position || !from.directions || !to.directions) {
        return offset;
    }
    for (std::size_t d = 0; d < 3; ++d) {
        double cosine = 0;
        for (std::size_t i = 0; i < 3; ++i) {
            cosine += (*from.directions)[d][i] * (*to.directions)[d][i];
            offset[d] += (*to.directions)[d][i] * ((*from.position)[i] - (*to.position)[i]);
        }
        if (cosine < smallest_cosine) {
            throw InputError({of.file, "directions of the " + of.thing,
                              "turned against those of the scan", "the same axes", of.next});
        }
    }
    return offset;
}

} // namespace

void require_same_field(const Grid& from, const Grid& to, const Resampled& of) {
    if (is_slice_of(to, from)) {
        return require_slice_inside(to, from, of);
    }
    const Vec3 offset = offset_of(from, to, of);
    for (std::size_t d = 0; d < static_cast<std::size_t>(to.dimensions); ++d) {
        const double voxel = std::max(from.fov_mm[d] / static_cast<double>(from.size[d]),
                                      to.fov_mm[d] / static_cast<double>(to.size[d]));
        const bool covered = from.fov_mm[d] / 2 - std::abs(offset[d]) >= to.fov_mm[d] / 2 - voxel;
        if (!covered || from.fov_mm[d] > most_times_larger * to.fov_mm[d]) {
            throw InputError({of.file, "field of view of the " + of.thing,
                              text(from.fov_mm[d], " mm along ", "xyz"[d], ", its centre ",
                                   std::abs(offset[d]), " mm from that of the scan"),
                              text("one that holds the scan's ", to.fov_mm[d],
                                   " mm, and is at most ", most_times_larger, " times as large"),
                              of.next});
        }
    }
}

Grid with_smaller_field(Grid grid, const Grid& other) {
    for (std::size_t d = 0; d < grid.fov_mm.size(); ++d) {
        grid.fov_mm[d] = std::min(grid.fov_mm[d], other.fov_mm[d]);
    }
    return grid;
}

CoilRows resampled(const CoilRows& maps, const Grid& from, const Grid& to, const Resampled& of) {
    if (is_slice_of(to, from)) {
        return slice_of(maps, from, to);
    }
    const Vec3 offset = offset_of(from, to, of);
    if (from.same_lattice(to) && from.fov_mm == to.fov_mm && offset == Vec3{0, 0, 0}) {
        return maps;
    }
    std::array<Eigen::MatrixXf, 3> basis;
    for (std::size_t d = 0; d < 3; ++d) {
        basis[d] = linear_interpolation({to.size[d], to.fov_mm[d]},
                                        {from.size[d], from.fov_mm[d], offset[d]});
    }
    if (to.dimensions == 2) { // a plane serves what lies within its thickness
        const double thickness = std::max(from.fov_mm[2], to.fov_mm[2]);
        if (std::abs(offset[2]) > std::max(thickness, smallest_thickness_mm)) {
            throw InputError({of.file, "position of the " + of.thing,
                              text(std::abs(offset[2]), " mm from the scan's plane"),
                              "the same plane", of.next});
        }
        basis[2].setOnes(1, 1);
    }
    using Sparse = Eigen::SparseMatrix<std::complex<float>, Eigen::RowMajor>;
    const Sparse along_x = basis[0].cast<std::complex<float>>().sparseView();
    const Sparse along_y = basis[1].cast<std::complex<float>>().sparseView();
    const auto x = static_cast<Eigen::Index>(from.size[0]);
    const auto y = static_cast<Eigen::Index>(from.size[1]);
    const auto plane = static_cast<Eigen::Index>(to.size[0] * to.size[1]);
    CoilRows::Floats result = CoilRows::Floats::Zero(static_cast<Eigen::Index>(maps.rows()),
                                                     static_cast<Eigen::Index>(to.voxels()));
    maps.visit([&](const auto& values) {
        for_each_in_parallel(maps.rows(), [&](std::size_t coil) {
            const auto c = static_cast<Eigen::Index>(coil);
            for (std::size_t z = 0; z < from.size[2]; ++z) {
                const CoilRows::Floats of_plane =
                    values.row(c)
                        .segment(static_cast<Eigen::Index>(z) * x * y, x * y)
                        .template cast<std::complex<float>>()
                        .template reshaped<Eigen::RowMajor>(y, x);
                const CoilRows::Floats rows = along_y * of_plane;
                const CoilRows::Floats there = rows * along_x.transpose();
                for (Eigen::Index n = 0; n < basis[2].rows(); ++n) {
                    const float share = basis[2](n, static_cast<Eigen::Index>(z));
                    if (share != 0) {
                        result.row(c).segment(n * plane, plane) +=
                            share * there.reshaped<Eigen::RowMajor>().transpose();
                    }
                }
            }
        });
    });
    return CoilRows(std::move(result));
}

} // namespace lsrecon
