#include "model/slice_of_volume.hpp"

#include <cmath>

#include "base/error.hpp"
#include "base/numbers.hpp"
#include "base/parallel.hpp"
#include "model/interpolation.hpp"
#include "scan/directions.hpp"

namespace lsrecon {

namespace {

double voxel_mm(const Grid& grid, std::size_t d) {
    return grid.fov_mm[d] / static_cast<double>(grid.size[d]);
}

/// Voxels of a slice in those of a volume, counted from its first one.
class Places {
public:
    Places(const Grid& slice, const Grid& volume) : size_(slice.size) {
        for (std::size_t d = 0; d < 3; ++d) {
            const Vec3& axis = (*volume.directions)[d];
            const double voxel = voxel_mm(volume, d);
            const double apart = dot(*slice.position, axis) - dot(*volume.position, axis);
            centre_[d] = apart / voxel + static_cast<double>(volume.size[d] / 2);
            for (std::size_t i = 0; i < 2; ++i) {
                steps_[i][d] = dot((*slice.directions)[i], axis) * voxel_mm(slice, i) / voxel;
            }
        }
    }

    Vec3 of(std::size_t x, std::size_t y) const {
        const double i = static_cast<double>(x) - static_cast<double>(size_[0] / 2);
        const double j = static_cast<double>(y) - static_cast<double>(size_[1] / 2);
        Vec3 place;
        for (std::size_t d = 0; d < 3; ++d) {
            place[d] = centre_[d] + i * steps_[0][d] + j * steps_[1][d];
        }
        return place;
    }

private:
    std::array<std::size_t, 3> size_;
    Vec3 centre_{0, 0, 0};
    std::array<Vec3, 2> steps_{}; ///< of a voxel along x and y of the slice
};

/// Along an axis of the volume, in mm.
double beyond_mm(const Vec3& place, const Grid& volume) {
    double most = 0;
    for (std::size_t d = 0; d < 3; ++d) {
        const double last = static_cast<double>(volume.size[d]);
        most = std::max(most, std::max(-1 - place[d], place[d] - last) * voxel_mm(volume, d));
    }
    return most;
}

} // namespace

void require_known_place(const Grid& grid, const std::string& whose, const Resampled& of) {
    if (grid.position && grid.directions) {
        return;
    }
    const std::string missing = grid.position     ? "directions"
                                : grid.directions ? "position"
                                                  : "position and directions";
    throw InputError(
        {of.file, "place of the " + of.thing, text("a volume, and ", whose, " has no ", missing),
         "position and directions of both, to resample the volume to the slice", of.next});
}

bool is_slice_of(const Grid& to, const Grid& from) {
    return to.dimensions == 2 && from.dimensions == 3 && from.size[2] > 1;
}

void require_slice_inside(const Grid& slice, const Grid& volume, const Resampled& of) {
    require_known_place(volume, "this file", of);
    require_known_place(slice, "the scan", of);
    const Places places(slice, volume);
    const auto& size = slice.size;
    const auto ends = [](std::size_t count) {
        return count < 3 ? std::array<std::size_t, 2>{count / 2, count / 2}
                         : std::array<std::size_t, 2>{1, count - 2};
    };
    double beyond = 0;
    for (const std::size_t x : ends(size[0])) {
        beyond = std::max(beyond, beyond_mm(places.of(x, size[1] / 2), volume));
    }
    for (const std::size_t y : ends(size[1])) {
        beyond = std::max(beyond, beyond_mm(places.of(size[0] / 2, y), volume));
    }
    const double largest = *std::max_element(volume.fov_mm.begin(), volume.fov_mm.end());
    const double in_plane = std::max(slice.fov_mm[0], slice.fov_mm[1]);
    const Vec3& at = *slice.position;
    if (beyond > 0 || largest > most_times_larger * in_plane) {
        throw InputError({of.file, "field of view of the " + of.thing,
                          text(by(volume.fov_mm, 3), " mm, and the slice at ", at[0], ", ", at[1],
                               ", ", at[2], " mm (LPS) ",
                               beyond > 0 ? text("reaches ", beyond, " mm beyond it")
                                          : text("has ", by(slice.fov_mm, 2), " mm")),
                          text("a volume that holds the slice, and is at most ", most_times_larger,
                               " times as large"),
                          of.next});
    }
}

CoilRows slice_of(const CoilRows& volumes, const Grid& volume, const Grid& slice) {
    const Places places(slice, volume);
    const auto& size = volume.size;
    CoilRows::Floats result = CoilRows::Floats::Zero(static_cast<Eigen::Index>(volumes.rows()),
                                                     static_cast<Eigen::Index>(slice.voxels()));
    volumes.visit([&](const auto& values) {
        for_each_in_parallel(slice.size[1], [&](std::size_t y) {
            for (std::size_t x = 0; x < slice.size[0]; ++x) {
                const Vec3 at = places.of(x, y);
                std::array<std::optional<Between>, 3> cell;
                for (std::size_t d = 0; d < 3; ++d) {
                    cell[d] = between(at[d], size[d]);
                }
                if (!cell[0] || !cell[1] || !cell[2]) {
                    continue;
                }
                const auto n = static_cast<Eigen::Index>(y * slice.size[0] + x);
                for (unsigned corner = 0; corner < 8; ++corner) {
                    float share = 1;
                    std::array<std::size_t, 3> index{};
                    for (std::size_t d = 0; d < 3; ++d) {
                        const bool above = (corner >> d & 1U) != 0;
                        share *= above ? cell[d]->share : 1 - cell[d]->share;
                        index[d] = above ? cell[d]->above : cell[d]->below;
                    }
                    const std::size_t from = (index[2] * size[1] + index[1]) * size[0] + index[0];
                    result.col(n) += share * values.col(static_cast<Eigen::Index>(from))
                                                 .template cast<std::complex<float>>();
                }
            }
        });
    });
    return CoilRows(std::move(result));
}

} // namespace lsrecon
