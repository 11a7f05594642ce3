// Finds frequencies outside of the convex hull of the samples.

#include "operators/unsampled.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/parallel.hpp"
#include "scan/pose.hpp"

namespace lsrecon {

namespace {

/// Directions in which the hull is cut. A ball between them is too large by 0.5 % at most.
constexpr std::size_t directions_in_3d = 400;
constexpr std::size_t directions_in_2d = 64;

/// Evenly spread, and both ends of every axis, so that boxes are exact.
std::vector<Vec3> directions(int dimensions) {
    std::vector<Vec3> result;
    for (std::size_t d = 0; d < static_cast<std::size_t>(dimensions); ++d) {
        for (const double end : {-1.0, 1.0}) {
            Vec3 axis{0, 0, 0};
            axis[d] = end;
            result.push_back(axis);
        }
    }
    const double golden_angle = pi * (3 - std::sqrt(5.0));
    const std::size_t count = dimensions == 3 ? directions_in_3d : directions_in_2d;
    for (std::size_t i = 0; i < count; ++i) {
        const auto at = static_cast<double>(i);
        if (dimensions == 3) { // Vogel's spiral on a sphere
            const double z = 1 - (2 * at + 1) / static_cast<double>(count);
            const double radius = std::sqrt(1 - z * z);
            result.push_back(
                {radius * std::cos(golden_angle * at), radius * std::sin(golden_angle * at), z});
        } else {
            const double angle = 2 * pi * at / static_cast<double>(count);
            result.push_back({std::cos(angle), std::sin(angle), 0});
        }
    }
    return result;
}

/// Quarters of a cycle/fov along axis d, counted from the lowest that has a sample, or from 0.
class Quarters {
public:
    Quarters(const std::vector<Vec3>& positions, std::size_t d) : d_(d) {
        const auto ends = of_each_range(positions.size(), all_cores(), [&](const Range& range) {
            std::pair<double, double> some{0, 0};
            for (std::size_t m = range.first; m < range.first + range.count; ++m) {
                some.first = std::min(some.first, positions[m][d]);
                some.second = std::max(some.second, positions[m][d]);
            }
            return some;
        });
        for (const auto& [low, high] : ends) {
            lowest_ = std::min(lowest_, std::lround(4 * low));
            highest_ = std::max(highest_, std::lround(4 * high));
        }
    }
    std::size_t count() const { return static_cast<std::size_t>(highest_ - lowest_) + 1; }
    std::size_t of(const Vec3& k) const {
        return static_cast<std::size_t>(std::lround(4 * k[d_]) - lowest_);
    }

private:
    std::size_t d_;
    long lowest_ = 0;
    long highest_ = 0;
};

/// Samples among which are all corners of the hull of all of them, as far as it matters: the
/// outermost of every row of frequencies along x. In units of N.
std::vector<Vec3> outermost(const std::vector<Vec3>& positions, const Grid& grid) {
    constexpr std::size_t none = std::numeric_limits<std::size_t>::max();
    const Quarters y(positions, 1);
    const Quarters z(positions, 2);
    struct Ends {
        std::size_t first = none; ///< samples
        std::size_t last = none;
    };
    using Rows = std::vector<Ends>;
    const std::size_t count = y.count() * z.count();
    const auto take = [&](std::size_t m, Ends& ends) {
        if (m == none) {
            return;
        }
        const double x = positions[m][0];
        ends.first = ends.first == none || x < positions[ends.first][0] ? m : ends.first;
        ends.last = ends.last == none || x > positions[ends.last][0] ? m : ends.last;
    };
    const std::vector<Rows> parts = of_each_range(
        positions.size(), cores_for(positions.size(), count), [&](const Range& range) {
            Rows part(count);
            for (std::size_t m = range.first; m < range.first + range.count; ++m) {
                take(m, part[z.of(positions[m]) * y.count() + y.of(positions[m])]);
            }
            return part;
        });
    Rows rows(count);
    for (const Rows& part : parts) {
        for (std::size_t row = 0; row < count; ++row) {
            take(part[row].first, rows[row]);
            take(part[row].last, rows[row]);
        }
    }
    std::vector<Vec3> result;
    for (const auto& [first, last] : rows) {
        for (const std::size_t m : {first, last}) {
            if (m != none) {
                const Vec3& k = positions[m];
                result.push_back({k[0] / static_cast<double>(grid.size[0]),
                                  k[1] / static_cast<double>(grid.size[1]),
                                  k[2] / static_cast<double>(grid.size[2])});
            }
        }
    }
    return result;
}

/// The least of some numbers, and the least above it.
class TwoLeast {
public:
    void take(long number) {
        if (number < least_) {
            next_ = least_;
            least_ = number;
        } else if (number > least_ && number < next_) {
            next_ = number;
        }
    }
    void take(const TwoLeast& of_others) {
        for (const long number : {of_others.least_, of_others.next_}) {
            take(number);
        }
    }
    long apart() const { return next_ < none ? next_ - least_ : 0; } ///< 0 where all are equal

private:
    static constexpr long none = std::numeric_limits<long>::max();
    long least_ = none;
    long next_ = none;
};

/// The spacing of the outermost positions along each axis, at least 1 cycle/fov, in units of N:
/// coils see what lies between lines, and as far beyond the last one.
Vec3 spacing_at_the_rim(const std::vector<Vec3>& positions, const Grid& grid) {
    Vec3 spacing{0, 0, 0};
    for (std::size_t d = 0; d < static_cast<std::size_t>(grid.dimensions); ++d) {
        using Ends = std::pair<TwoLeast, TwoLeast>; // in halves of a cycle/fov
        const auto ends = of_each_range(positions.size(), all_cores(), [&](const Range& range) {
            Ends some;
            for (std::size_t m = range.first; m < range.first + range.count; ++m) {
                const long half = std::lround(2 * positions[m][d]);
                some.first.take(half);
                some.second.take(-half);
            }
            return some;
        });
        auto [low, high] = Ends();
        for (const Ends& some : ends) {
            low.take(some.first);
            high.take(some.second);
        }
        const double widest = static_cast<double>(std::max(low.apart(), high.apart())) / 2;
        spacing[d] = std::max(1.0, widest) / static_cast<double>(grid.size[d]);
    }
    return spacing;
}

} // namespace

RealVector unsampled_frequencies(const std::vector<Vec3>& positions, const Grid& grid) {
    const std::vector<Vec3> samples = outermost(positions, grid);
    const std::vector<Vec3> cuts = directions(grid.dimensions);
    const Vec3 spacing = spacing_at_the_rim(positions, grid);
    std::vector<double> reach(cuts.size()); // how far samples lie in a direction, and one beyond
    for_each_in_parallel(cuts.size(), [&](std::size_t i) {
        double farthest = -1;
        for (const Vec3& k : samples) {
            farthest = std::max(farthest, dot(cuts[i], k));
        }
        const Vec3 beyond{cuts[i][0] * spacing[0], cuts[i][1] * spacing[1],
                          cuts[i][2] * spacing[2]};
        reach[i] = farthest + std::sqrt(dot(beyond, beyond));
    });
    const std::size_t rows = grid.size[1] * grid.size[2];
    RealVector outside(static_cast<Eigen::Index>(grid.voxels()));
    const auto centred = [&](std::size_t at, std::size_t d) { // of the FFT's order, in units of N
        const auto size = static_cast<double>(grid.size[d]);
        const auto k = static_cast<double>(at);
        return (2 * at < grid.size[d] ? k : k - size) / size;
    };
    const std::size_t length = grid.size[0];
    for_each_in_parallel(rows, [&](std::size_t row) {
        std::size_t last_cut = 0; // a neighbour is mostly beyond the same
        const auto is_outside = [&](std::size_t x) {
            const Vec3 k{centred(x, 0), centred(row % grid.size[1], 1),
                         centred(row / grid.size[1], 2)};
            for (std::size_t i = 0; i < cuts.size(); ++i) {
                const std::size_t cut = (last_cut + i) % cuts.size();
                if (dot(cuts[cut], k) > reach[cut]) {
                    last_cut = cut;
                    return true;
                }
            }
            return false;
        };
        // The hull is convex: what lies between its ends in a row is inside.
        const auto in_order = [&](std::size_t i) { return (i + (length + 1) / 2) % length; };
        std::size_t first = 0;
        std::size_t end = length;
        while (first < end && is_outside(in_order(first))) {
            ++first;
        }
        while (first < end && is_outside(in_order(end - 1))) {
            --end;
        }
        for (std::size_t i = 0; i < length; ++i) {
            outside(static_cast<Eigen::Index>(row * length + in_order(i))) =
                i < first || i >= end ? 1 : 0;
        }
    });
    return outside;
}

Unsampled::Unsampled(Device& device, const Grid& grid, Precision precision,
                     const std::vector<Vec3>& positions)
    : device_(device), fft_(device.plan_fft(grid.size, 1, precision)),
      mask_(device.zeros(grid.voxels(), {false, precision})),
      values_(device.zeros(grid.voxels(), {true, precision})) {
    const RealVector outside =
        unsampled_frequencies(positions, grid) / static_cast<double>(grid.voxels());
    device.upload(outside, {0, grid.voxels()}, 0, mask_);
}

void Unsampled::apply(const Array& in, Array& out) {
    device_.combine(1, in, 0, values_);
    fft_->convolve(mask_, 0, values_);
    device_.combine(1, values_, 0, out);
}

} // namespace lsrecon
