// Follows the slices of a map from the one with the most signal to both ends.

#include "model/slice_periods.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "scan/pose.hpp"

namespace lsrecon {

namespace {

std::size_t voxels_of(const SliceField& slice) {
    return static_cast<std::size_t>(std::count(slice.of.mask.begin(), slice.of.mask.end(), true));
}

/// The numbers of slices that have signal, as they lie side by side.
std::vector<std::size_t> side_by_side(const std::vector<SliceField>& slices) {
    std::vector<std::size_t> order;
    bool have_positions = true;
    for (std::size_t s = 0; s < slices.size(); ++s) {
        if (!slices[s].of.pieces.empty()) {
            order.push_back(s);
            have_positions = have_positions && slices[s].position;
        }
    }
    if (order.empty() || !have_positions) {
        return order;
    }
    const Vec3 origin = *slices[order.front()].position;
    const auto from_origin = [&](std::size_t s) { return minus(*slices[s].position, origin); };
    const Vec3 farthest = from_origin(
        *std::max_element(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
            return length(from_origin(a)) < length(from_origin(b));
        }));
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return dot(from_origin(a), farthest) < dot(from_origin(b), farthest);
    });
    return order;
}

/// The median of b - a where both have signal; none of few voxels.
std::optional<double> difference(const EchoField& a, const EchoField& b) {
    constexpr std::size_t fewest = 9;
    std::vector<double> differences;
    for (std::size_t i = 0; i < a.mask.size(); ++i) {
        if (a.mask[i] && b.mask[i]) {
            const auto n = static_cast<Eigen::Index>(i);
            differences.push_back(b.field(n) - a.field(n));
        }
    }
    if (differences.size() < fewest) {
        return std::nullopt;
    }
    const auto middle = differences.begin() + static_cast<long>(differences.size() / 2);
    std::nth_element(differences.begin(), middle, differences.end());
    return *middle;
}

} // namespace

void agree_on_periods(EchoFieldMap& map) {
    constexpr double sure = 0.35; // periods; half a period is either
    const std::vector<std::size_t> order = side_by_side(map.slices);
    map.unsure.clear();
    if (order.size() < 2) {
        return;
    }
    const auto start =
        std::max_element(order.begin(), order.end(),
                         [&](std::size_t a, std::size_t b) {
                             return voxels_of(map.slices[a]) < voxels_of(map.slices[b]);
                         }) -
        order.begin();
    const auto follow = [&](std::size_t known, std::size_t next) {
        EchoField& field = map.slices[next].of;
        const std::optional<double> off = difference(map.slices[known].of, field);
        const double periods = off.value_or(0) / field.period;
        if (!off || std::abs(periods - std::round(periods)) > sure) {
            map.unsure.push_back(map.slices[next].label);
            return;
        }
        const double shift = -std::round(periods) * field.period;
        field.field.array() += shift;
        for (FieldPiece& piece : field.pieces) {
            piece.median += shift;
        }
    };
    for (auto i = start + 1; i < static_cast<std::ptrdiff_t>(order.size()); ++i) {
        follow(order[static_cast<std::size_t>(i - 1)], order[static_cast<std::size_t>(i)]);
    }
    for (auto i = start; i > 0; --i) {
        follow(order[static_cast<std::size_t>(i)], order[static_cast<std::size_t>(i - 1)]);
    }
}

} // namespace lsrecon
