// Tries the units that programs write on the reach of a trajectory, and suggests the one in which
// it would fill the matrix.

#include "scan/units.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "base/error.hpp"
#include "base/numbers.hpp"
#include "base/parallel.hpp"

namespace lsrecon {

namespace {

/// Largest |k| relative to N/2, over all samples, in each dimension of more than one voxel.
Vec3 filled_range(const std::vector<Vec3>& positions, const Grid& grid) {
    Vec3 range{0, 0, 0};
    for (std::size_t d = 0; d < static_cast<std::size_t>(grid.dimensions); ++d) {
        if (grid.size[d] < 2) {
            continue;
        }
        for (const Vec3& k : positions) {
            range[d] = std::max(range[d], std::abs(k[d]));
        }
        range[d] /= 0.5 * static_cast<double>(grid.size[d]);
    }
    return range;
}

/// The largest |k| relative to N/2, of all dimensions or of those that say something about units.
struct Reach {
    double anywhere = 0;
    double decisive = 0;
};

Reach reach_of(const Vec3& range, const Vec3& factor, const Grid& grid) {
    Reach reach;
    bool any_large = false;
    for (std::size_t d = 0; d < 3; ++d) {
        const bool large = grid.size[d] >= fewest_voxels;
        any_large = any_large || large;
        reach.anywhere = std::max(reach.anywhere, range[d] * factor[d]);
        reach.decisive = std::max(reach.decisive, large ? range[d] * factor[d] : 0);
    }
    reach.decisive = any_large ? reach.decisive : reach.anywhere;
    return reach;
}

bool fits(const Reach& reach) {
    return reach.decisive >= least_reach && reach.anywhere <= 1.05;
}

/// Whether a trajectory reaches as far as those made for the matrix, without the overshoot of
/// gradients.
bool fills(const Reach& reach) {
    return reach.decisive >= 0.95 && reach.anywhere <= 1.001;
}

/// The table of foreign units, which must not be mistaken for units that are known.
const std::vector<ForeignUnit>& foreign_units() {
    static const std::vector<ForeignUnit> table{
        {"1/mm", 1000}, {"1/cm", 100}, {"rad/mm", 1000 / (2 * pi)}, {"rad/m", 1 / (2 * pi)}};
    return table;
}

/// The first foreign unit that is `enough`, unless a unit that is known is filled.
const ForeignUnit* foreign_unit(const std::vector<Vec3>& positions, const Grid& grid,
                                bool (*enough)(const Reach&)) {
    const Vec3 range = filled_range(positions, grid);
    for (const std::string& units : trajectory_unit_names()) {
        if (fills(reach_of(range, to_cycles_per_fov(units, grid), grid))) {
            return nullptr;
        }
    }
    const Vec3 per_m = to_cycles_per_fov("1/m", grid);
    for (const ForeignUnit& unit : foreign_units()) {
        const Vec3 factor{unit.per_m * per_m[0], unit.per_m * per_m[1], unit.per_m * per_m[2]};
        if (enough(reach_of(range, factor, grid))) {
            return &unit;
        }
    }
    return nullptr;
}

} // namespace

const std::vector<std::string>& trajectory_unit_names() {
    static const std::vector<std::string> names{"cycles/fov", "cycles/voxel", "rad/voxel", "1/m"};
    return names;
}

Vec3 to_cycles_per_fov(const std::string& units, const Grid& grid) {
    Vec3 factor{1, 1, 1};
    for (std::size_t d = 0; d < static_cast<std::size_t>(grid.dimensions); ++d) {
        const double voxels = static_cast<double>(grid.size[d]);
        if (units == "cycles/fov") {
            factor[d] = 1;
        } else if (units == "cycles/voxel") {
            factor[d] = voxels;
        } else if (units == "rad/voxel") {
            factor[d] = voxels / (2 * pi);
        } else if (units == "1/m") {
            factor[d] = grid.fov_mm[d] / 1000;
        } else {
            throw UsageError(text("trajectory units \"", units,
                                  "\" are unknown\n  expected: one of ",
                                  comma_separated(trajectory_unit_names())));
        }
    }
    return factor;
}

std::optional<Finding> metres_to_mm(Vec3& fov_mm, int dimensions) {
    constexpr double least = 2;
    if (std::max(fov_mm[0], fov_mm[1]) >= least) {
        return std::nullopt;
    }
    const Vec3 stored = fov_mm;
    for (std::size_t d = 0; d < 3; ++d) {
        const bool unknown = static_cast<int>(d) >= dimensions && fov_mm[d] == 1;
        fov_mm[d] *= unknown || fov_mm[d] >= least ? 1 : 1000;
    }
    return Finding{Found::fov_in_metres,
                   {},
                   {{"stored", by(stored, dimensions)}, {"fov", by(fov_mm, dimensions)}}};
}

bool fill_every_dimension(const Vec3& largest, const Grid& grid) {
    bool any_large = false;
    for (std::size_t d = 0; d < static_cast<std::size_t>(grid.dimensions); ++d) {
        const double share = 2 * largest[d] / static_cast<double>(grid.size[d]);
        if (grid.size[d] >= fewest_voxels && !fills({share, share})) {
            return false;
        }
        any_large = any_large || grid.size[d] >= fewest_voxels;
    }
    return any_large;
}

std::string guess_trajectory_units(const std::vector<Vec3>& positions, const Grid& grid) {
    const Vec3 range = filled_range(positions, grid);
    std::string found;
    for (const std::string& units : trajectory_unit_names()) {
        if (!fits(reach_of(range, to_cycles_per_fov(units, grid), grid))) {
            continue;
        }
        if (!found.empty()) {
            return "";
        }
        found = units;
    }
    return foreign_unit_that_fills(positions, grid) != nullptr ? "" : found;
}

const ForeignUnit* foreign_unit_that_fills(const std::vector<Vec3>& positions, const Grid& grid) {
    return foreign_unit(positions, grid, &fills);
}

const ForeignUnit* foreign_unit_that_fits(const std::vector<Vec3>& positions, const Grid& grid) {
    return foreign_unit(positions, grid, &fits);
}

std::optional<UnitsHint> hint_on_units(const Vec3& least, const Vec3& most, const Grid& grid,
                                       const std::string& units) {
    Vec3 largest{0, 0, 0};
    Vec3 middle{0, 0, 0};
    Vec3 centred{0, 0, 0};
    bool off_centre = false;
    for (std::size_t d = 0; d < static_cast<std::size_t>(grid.dimensions); ++d) {
        constexpr double of_whole = 0.1; // partial echoes and grids of even size have less
        largest[d] = std::max(std::abs(least[d]), std::abs(most[d]));
        centred[d] = 0.5 * (most[d] - least[d]);
        middle[d] = 0.5 * (most[d] + least[d]);
        off_centre = off_centre || std::abs(middle[d]) > of_whole * centred[d];
    }
    const std::string of_centred = off_centre ? guess_trajectory_units({centred}, grid) : "";
    if (!of_centred.empty()) {
        return UnitsHint{text("around its middle, ", by(middle, grid.dimensions),
                              ", it would be filled in ", of_centred),
                         "write the trajectory with 0 at the centre of k-space"};
    }
    const Vec3 range = filled_range({largest}, grid);
    std::optional<UnitsHint> nearest;
    double least_off = 0.2; // of N/2: no unit that is known fits
    const auto try_factor = [&](const Vec3& factor, const UnitsHint& hint) {
        const Reach reach = reach_of(range, factor, grid);
        if (fits(reach) && std::abs(reach.decisive - 1) < least_off) {
            least_off = std::abs(reach.decisive - 1);
            nearest = hint;
        }
    };
    // Units relative to the matrix or the field of view: their factor, and what to write instead.
    constexpr double turn = 1 / (2 * pi);
    const Vec3 half{0.5 * double(grid.size[0]), 0.5 * double(grid.size[1]),
                    0.5 * double(grid.size[2])};
    for (const auto& [name, factor, written, times] :
         {std::tuple("+-1 (1 for N/2)", half, "cycles/voxel", "0.5"),
          {"rad/fov", Vec3{turn, turn, turn}, "cycles/fov", "1 / (2 pi)"}}) {
        try_factor(factor, {text("in ", name, ", which is not read, it would be filled"),
                            text("write the trajectory in ", written, " (", times,
                                 " times what is stored)")});
    }
    if (units.empty() || units == "1/m") { // in others lengths do not matter
        constexpr double mm = 10; // of a cm
        Grid in_mm = grid;
        std::vector<double> lengths;
        for (std::size_t d = 0; d < static_cast<std::size_t>(grid.dimensions); ++d) {
            in_mm.fov_mm[d] *= mm;
            lengths.push_back(in_mm.fov_mm[d]);
        }
        try_factor(to_cycles_per_fov("1/m", in_mm),
                   {"in 1/m and with a field of view in cm it would be filled",
                    text("pass `header` fov_mm=", separated_by(",", lengths),
                         ", if the field of view is in cm")});
    }
    return nearest;
}

void Extent::add(const std::vector<Vec3>& positions) {
    const auto among = [&](const Range& some) {
        Extent of;
        for (std::size_t m = some.first; m < some.first + some.count; ++m) {
            of.add(positions[m]);
        }
        return of;
    };
    for (const Extent& of : of_each_range(positions.size(), cores_for(positions.size()), among)) {
        add(of.least);
        add(of.most);
    }
}

void Extent::add(const Vec3& position) {
    for (std::size_t d = 0; d < 3; ++d) {
        least[d] = std::min(least[d], position[d]);
        most[d] = std::max(most[d], position[d]);
    }
}

std::optional<UnitsHint> hint_on_wrong_units(Extent extent, const Grid& grid,
                                             const std::string& units) {
    auto& [least, most] = extent;
    const Vec3 factor = to_cycles_per_fov(units, grid);
    Vec3 largest{0, 0, 0};
    for (std::size_t d = 0; d < 3; ++d) {
        least[d] /= factor[d];
        most[d] /= factor[d];
        largest[d] = std::max(std::abs(least[d]), std::abs(most[d]));
    }
    const std::string fits = guess_trajectory_units({largest}, grid);
    return fits.empty()
               ? hint_on_units(least, most, grid, units)
               : UnitsHint{"", "pass `traj_units` " + fits + ", in which the matrix is filled"};
}

std::string reach_in_each_unit(const Vec3& largest_stored, const Grid& grid) {
    std::string result;
    for (const std::string& units : trajectory_unit_names()) {
        const Vec3 factor = to_cycles_per_fov(units, grid);
        Vec3 reach{};
        for (std::size_t d = 0; d < static_cast<std::size_t>(grid.dimensions); ++d) {
            reach[d] = factor[d] * largest_stored[d] / (0.5 * static_cast<double>(grid.size[d]));
        }
        result += (result.empty() ? "" : ", ") + by(reach, grid.dimensions) + " in " + units;
    }
    return result;
}

} // namespace lsrecon
