#pragma once

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "simulate/trajectories.hpp"

// The functions that the designs of trajectories.cpp share.

namespace lsrecon {

constexpr double most_samples = 1e9; ///< 40 GB of trajectory and samples; more is a slip

inline double widest(const Grid& grid) {
    return static_cast<double>(*std::max_element(grid.size.begin(), grid.size.end()));
}

/// A position in the unit cube or ball, stretched to the matrix; rounding never leaves N/2.
inline Vec3 stretch(const Vec3& unit, const Grid& grid) {
    Vec3 k{0, 0, 0};
    for (int d = 0; d < grid.dimensions; ++d) {
        k[d] = std::clamp(unit[d], -1.0, 1.0) * static_cast<double>(grid.size[d]) / 2;
    }
    return k;
}

/// The position of sample i of `count` on a line through the centre, -1 to 1; one is at the centre.
inline double on_line(std::size_t i, std::size_t count) {
    return 2 * (static_cast<double>(i) - static_cast<double>(count / 2)) /
           static_cast<double>(count);
}

inline void check_total(double samples) {
    if (!(samples <= most_samples)) {
        throw UsageError(text("the trajectory would have more than ", most_samples,
                              " samples\n  next:     use a smaller `matrix`, fewer `readouts` or "
                              "more `undersampling`"));
    }
}

inline std::size_t at_least_one(double count) {
    check_total(count);
    return static_cast<std::size_t>(std::max(1.0, std::ceil(count)));
}

inline Readouts of_equal_length(std::vector<Vec3> k, std::size_t readouts) {
    Readouts result{std::move(k), {}};
    for (std::size_t r = 1; r <= readouts; ++r) {
        result.ends.push_back(r * (result.k.size() / readouts));
    }
    return result;
}

/// Designs of spirals.cpp.
Readouts spiral(const TrajectoryOptions& options);
Readouts stack_of_spirals(const TrajectoryOptions& options);
Readouts cones(const TrajectoryOptions& options);

} // namespace lsrecon
