// Interpolates volumes of one grid, such as coil maps, at the voxels of another.

#include "model/resampled.hpp"

#include <cmath>

#include "base/error.hpp"
#include "base/numbers.hpp"
#include "base/parallel.hpp"
#include "scan/pose.hpp"

namespace lsrecon {

namespace {

constexpr double smallest_cosine = 0.9999; ///< cosine between axes that count as the same
constexpr double smallest_thickness_mm = 5; ///< thickness of a plane; files of planes hold none
constexpr double most_times_larger = 4; ///< a field of view larger than that is in another unit

double voxel_mm(const Grid& grid, std::size_t d) {
    return grid.fov_mm[d] / static_cast<double>(grid.size[d]);
}

bool has_pose(const Grid& grid) {
    return grid.position && grid.directions;
}

/// The distance along a direction from the centre of `to` to that of `from`.
double apart_along(const Vec3& direction, const Grid& from, const Grid& to) {
    const Vec3& a = *from.position;
    const Vec3& b = *to.position;
    return dot(direction, {a[0] - b[0], a[1] - b[1], a[2] - b[2]});
}

/// A grid of volumes, and where its voxels are among the values of each.
struct View {
    Grid grid;
    std::size_t first = 0;
    std::array<std::ptrdiff_t, 3> strides;

    explicit View(const Grid& stored)
        : grid(stored), strides{1, static_cast<std::ptrdiff_t>(stored.size[0]),
                                static_cast<std::ptrdiff_t>(stored.size[0] * stored.size[1])} {}
};

/// The view of the same voxels, which stay where they are, along the axes of `like`: other programs
/// store an image from another corner, or another axis first. The view is as stored where the axes
/// are unknown or differ.
View view_along(const Grid& like, const Grid& from) {
    const View stored(from);
    if (!from.directions || !like.directions) {
        return stored;
    }
    View view = stored;
    for (std::size_t d = 0; d < 3; ++d) {
        const auto cosine = [&](std::size_t axis) {
            return dot((*from.directions)[axis], (*like.directions)[d]);
        };
        std::size_t axis = 0;
        while (axis < 3 && std::abs(cosine(axis)) < smallest_cosine) {
            ++axis;
        }
        if (axis == 3 || (like.dimensions == 2 && d == 2 && axis != 2)) {
            return stored;
        }
        view.grid.size[d] = from.size[axis];
        view.grid.fov_mm[d] = from.fov_mm[axis];
        view.strides[d] = stored.strides[axis];
        const Vec3& along = (*from.directions)[axis];
        (*view.grid.directions)[d] = along;
        if (cosine(axis) < 0) {
            view.first += static_cast<std::size_t>(stored.strides[axis]) * (from.size[axis] - 1);
            view.strides[d] *= -1;
            (*view.grid.directions)[d] = {-along[0], -along[1], -along[2]};
            // The centre is that of voxel floor(N/2), from either end.
            const double moved = from.size[axis] % 2 == 0 ? voxel_mm(from, axis) : 0;
            for (std::size_t i = 0; i < 3 && from.position; ++i) {
                (*view.grid.position)[i] -= moved * along[i];
            }
        }
    }
    return view;
}

/// InputError when a pose is not known: it cannot follow where the image is moved.
void require_poses_to_move(const Grid& from, const Grid& to, const Resampled& of) {
    for (const Grid* const grid : {&from, &to}) {
        if (!has_pose(*grid)) {
            throw InputError(
                {of.file, "position and directions of the " + of.thing,
                 text("`shift_mm` moves the image, and the position and directions of ",
                      grid == &from ? "this file" : "the scan", " are not known"),
                 "both, to move them together", of.next + ", or leave `shift_mm` out"});
        }
    }
}

/// The distance along the axes, in mm, from the centre of `to` to that of `from`; 0 where unknown.
Vec3 offset_of(const Grid& from, const Grid& to, const Resampled& of) {
    if (of.shifted) {
        require_poses_to_move(from, to, of);
    }
    Vec3 offset{0, 0, 0};
    for (std::size_t d = 0; d < 3 && has_pose(from) && has_pose(to); ++d) {
        if (dot((*from.directions)[d], (*to.directions)[d]) < smallest_cosine) {
            throw InputError({of.file, "directions of the " + of.thing,
                              "turned against those of the scan", "the same axes", of.next});
        }
        offset[d] = apart_along((*to.directions)[d], from, to);
    }
    return offset;
}

/// Voxels of an image among those of volumes, counted from the first one along each axis: an affine
/// map.
class VoxelMap {
public:
    /// `offset_mm` of the centre of `from` from that of `to`, along the axes of `from`. The cosines
    /// are those between axes i of `to` and d of `from`.
    VoxelMap(const Grid& from, const Grid& to, const Vec3& offset_mm,
             const std::array<Vec3, 3>& cosines)
        : size_(to.size) {
        for (std::size_t d = 0; d < 3; ++d) {
            const double voxel = voxel_mm(from, d);
            centre_[d] = static_cast<double>(from.size[d] / 2) - offset_mm[d] / voxel;
            for (std::size_t i = 0; i < 3; ++i) {
                steps_[i][d] = cosines[i][d] * voxel_mm(to, i) / voxel;
            }
        }
    }

    const std::array<std::size_t, 3>& size() const { return size_; }

    Vec3 at(std::size_t x, std::size_t y, std::size_t z) const {
        const std::array<std::size_t, 3> voxel{x, y, z};
        Vec3 position = centre_;
        for (std::size_t i = 0; i < 3; ++i) {
            const double n = static_cast<double>(voxel[i]) - static_cast<double>(size_[i] / 2);
            for (std::size_t d = 0; d < 3; ++d) {
                position[d] += n * steps_[i][d];
            }
        }
        return position;
    }

private:
    std::array<std::size_t, 3> size_; ///< size of the image
    Vec3 centre_{0, 0, 0}; ///< centre of the image
    std::array<Vec3, 3> steps_{}; ///< steps of a voxel along each axis of the image
};

VoxelMap map_of_slice(const Grid& volume, const Grid& slice, const Resampled& of) {
    require_known_pose(volume, "this file", of);
    require_known_pose(slice, "the scan", of);
    Vec3 offset;
    std::array<Vec3, 3> cosines;
    for (std::size_t d = 0; d < 3; ++d) {
        const Vec3& axis = (*volume.directions)[d];
        offset[d] = apart_along(axis, volume, slice);
        for (std::size_t i = 0; i < 3; ++i) {
            cosines[i][d] = dot((*slice.directions)[i], axis);
        }
    }
    return {volume, slice, offset, cosines};
}

/// Two neighbours on an axis between which a position lies, and the share of the upper one.
struct Between {
    std::size_t below;
    std::size_t above;
    float share;
};

/// The neighbours of a position in voxels from the first one of an axis. Beyond the outermost
/// voxels their values continue to the edge of the field of view, and half a voxel on; beyond that
/// is nothing. A position that is a voxel's but for rounding is that voxel: 0 beside an object
/// stays 0.
std::optional<Between> between(double at, std::size_t size) {
    constexpr double of_rounding = 1e-9; // less than a share in floats resolves beside 1
    const double nearest = std::round(at);
    const double exact = std::abs(at - nearest) < of_rounding ? nearest : at;
    const auto last = static_cast<double>(size - 1);
    if (!(exact >= -1 && exact <= last + 1)) {
        return std::nullopt;
    }
    const double inside = std::min(std::max(exact, 0.0), last);
    const double below = std::min(std::floor(inside), std::max(0.0, last - 1));
    const auto index = static_cast<std::size_t>(below);
    return Between{index, std::min(index + 1, size - 1), static_cast<float>(inside - below)};
}

/// The voxels of a volume around one of an image.
struct Cell {
    std::size_t voxel; ///< index of the image's voxel
    std::ptrdiff_t first; ///< the lowest neighbour
    std::array<std::ptrdiff_t, 3> steps{}; ///< steps from it to the upper neighbour along each axis
    std::array<float, 3> shares{}; ///< shares of the upper neighbours

    /// Interpolated along y, then x, then z.
    template <typename Value> std::complex<float> in(const Value* values) const {
        return along<2>(values + first);
    }

private:
    template <std::size_t d, typename Value> std::complex<float> along(const Value* values) const {
        const auto at = [&](const Value* there) {
            if constexpr (d == 1) {
                return std::complex<float>(*there);
            } else {
                constexpr std::size_t before = d == 2 ? 0 : 1;
                return along<before>(there);
            }
        };
        const float share = shares[d];
        return share == 0 ? at(values) : (1 - share) * at(values) + share * at(values + steps[d]);
    }
};

/// The cells of a row of an image; voxels beyond the volumes have none.
std::vector<Cell> cells_of_row(const VoxelMap& map, const View& view, std::size_t y,
                               std::size_t z) {
    std::vector<Cell> cells;
    cells.reserve(map.size()[0]);
    for (std::size_t x = 0; x < map.size()[0]; ++x) {
        const Vec3 at = map.at(x, y, z);
        Cell cell{(z * map.size()[1] + y) * map.size()[0] + x,
                  static_cast<std::ptrdiff_t>(view.first)};
        bool inside = true;
        for (std::size_t d = 0; d < 3 && inside; ++d) {
            const auto neighbours = between(at[d], view.grid.size[d]);
            inside = neighbours.has_value();
            if (inside) {
                cell.first += static_cast<std::ptrdiff_t>(neighbours->below) * view.strides[d];
                cell.steps[d] = neighbours->above > neighbours->below ? view.strides[d] : 0;
                cell.shares[d] = neighbours->share;
            }
        }
        if (inside) {
            cells.push_back(cell);
        }
    }
    return cells;
}

CoilRows interpolated(const CoilRows& volumes, const View& view, const VoxelMap& map) {
    const std::size_t rows = map.size()[1] * map.size()[2];
    CoilRows::Floats result = CoilRows::Floats::Zero(
        static_cast<Eigen::Index>(volumes.rows()), static_cast<Eigen::Index>(rows * map.size()[0]));
    volumes.visit([&](const auto& values) {
        for_each_in_parallel(rows, [&](std::size_t row) {
            const std::vector<Cell> cells =
                cells_of_row(map, view, row % map.size()[1], row / map.size()[1]);
            for (Eigen::Index c = 0; c < result.rows(); ++c) {
                const auto* const of_coil = values.row(c).data();
                for (const Cell& cell : cells) {
                    result(c, static_cast<Eigen::Index>(cell.voxel)) = cell.in(of_coil);
                }
            }
        });
    });
    return CoilRows(std::move(result));
}

/// The distance in mm by which a position is beyond the volume's field of view and a half voxel
/// more.
double beyond_mm(const Vec3& position, const Grid& volume) {
    double most = 0;
    for (std::size_t d = 0; d < 3; ++d) {
        const double last = static_cast<double>(volume.size[d]);
        most = std::max(most, std::max(-1 - position[d], position[d] - last) * voxel_mm(volume, d));
    }
    return most;
}

void require_slice_inside(const Grid& volume, const Grid& slice, const Resampled& of) {
    const VoxelMap map = map_of_slice(volume, slice, of);
    const auto& size = slice.size;
    const auto ends = [](std::size_t count) {
        return count < 3 ? std::array<std::size_t, 2>{count / 2, count / 2}
                         : std::array<std::size_t, 2>{1, count - 2};
    };
    double beyond = 0;
    for (const std::size_t x : ends(size[0])) {
        beyond = std::max(beyond, beyond_mm(map.at(x, size[1] / 2, 0), volume));
    }
    for (const std::size_t y : ends(size[1])) {
        beyond = std::max(beyond, beyond_mm(map.at(size[0] / 2, y, 0), volume));
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

void require_same_plane(double apart_mm, const Grid& from, const Grid& to, const Resampled& of) {
    const double thickness = std::max(from.fov_mm[2], to.fov_mm[2]);
    if (apart_mm > std::max(thickness, smallest_thickness_mm)) {
        throw InputError({of.file, "position of the " + of.thing,
                          text(apart_mm, " mm from the scan's plane"), "the same plane", of.next});
    }
}

} // namespace

bool is_slice_of(const Grid& to, const Grid& from) {
    return to.dimensions == 2 && from.dimensions == 3 && from.size[2] > 1;
}

void require_known_pose(const Grid& grid, const std::string& whose, const Resampled& of) {
    if (has_pose(grid)) {
        return;
    }
    const std::string missing = grid.position     ? "directions"
                                : grid.directions ? "position"
                                                  : "position and directions";
    throw InputError({of.file, "position and directions of the " + of.thing,
                      text("a volume, and ", whose, " has no ", missing),
                      "position and directions of both, to resample the volume to the slice",
                      of.next});
}

void require_same_field(const Grid& from, const Grid& to, const Resampled& of) {
    if (is_slice_of(to, from)) {
        return require_slice_inside(from, to, of);
    }
    const Grid there = view_along(to, from).grid;
    const Vec3 offset = offset_of(there, to, of);
    for (std::size_t d = 0; d < static_cast<std::size_t>(to.dimensions); ++d) {
        const double voxel = std::max(voxel_mm(there, d), voxel_mm(to, d));
        const bool covered = there.fov_mm[d] / 2 - std::abs(offset[d]) >= to.fov_mm[d] / 2 - voxel;
        if (!covered || there.fov_mm[d] > most_times_larger * to.fov_mm[d]) {
            throw InputError({of.file, "field of view of the " + of.thing,
                              text(there.fov_mm[d], " mm along ", "xyz"[d], ", its centre ",
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

CoilRows resampled(const CoilRows& volumes, const Grid& from, const Grid& to, const Resampled& of) {
    if (is_slice_of(to, from)) {
        return interpolated(volumes, View(from), map_of_slice(from, to, of));
    }
    const View view = view_along(to, from);
    Vec3 offset = offset_of(view.grid, to, of);
    if (from.same_lattice(to) && from.fov_mm == to.fov_mm && offset == Vec3{0, 0, 0} &&
        view.strides == View(from).strides) {
        return volumes;
    }
    if (to.dimensions == 2) { // a plane serves what lies within its thickness
        require_same_plane(std::abs(std::exchange(offset[2], 0)), from, to, of);
    }
    const std::array<Vec3, 3> same_axes{Vec3{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    return interpolated(volumes, view, {view.grid, to, offset, same_axes});
}

Eigen::MatrixXf linear_interpolation(std::size_t to, std::size_t from) {
    Eigen::MatrixXf result =
        Eigen::MatrixXf::Zero(static_cast<Eigen::Index>(to), static_cast<Eigen::Index>(from));
    const double step = static_cast<double>(from) / static_cast<double>(to);
    for (std::size_t n = 0; n < to; ++n) {
        const double at = static_cast<double>(from / 2) +
                          step * (static_cast<double>(n) - static_cast<double>(to / 2));
        if (const auto neighbours = between(at, from)) {
            const auto row = static_cast<Eigen::Index>(n);
            result(row, static_cast<Eigen::Index>(neighbours->below)) += 1 - neighbours->share;
            result(row, static_cast<Eigen::Index>(neighbours->above)) += neighbours->share;
        }
    }
    return result;
}

} // namespace lsrecon
