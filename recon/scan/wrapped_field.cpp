// Looks for jumps in a field map that are of one size and reach from the top of its values to their
// bottom. Noise makes jumps of any size, and fat beside water leaves no values between the two.

#include "scan/wrapped_field.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace lsrecon {

namespace {

struct Jump {
    double size = 0;
    double middle = 0; ///< mean of the two values
};

/// The value below which a share of the values lie.
double quantile(std::vector<double> values, double share) {
    const auto at =
        values.begin() + static_cast<long>(share * static_cast<double>(values.size() - 1));
    std::nth_element(values.begin(), at, values.end());
    return *at;
}

/// Jumps along one dimension that are larger than `least` and than four times the steps beside
/// them. Beside a constant, as a mask leaves it, nothing is a jump.
void add_jumps(const RealVector& field, const Grid& grid, std::size_t d, double least,
               std::vector<Jump>& jumps) {
    constexpr Eigen::Index window = 6;
    constexpr double times = 4;
    Eigen::Index stride = 1;
    for (std::size_t i = 0; i < d; ++i) {
        stride *= static_cast<Eigen::Index>(grid.size[i]);
    }
    const auto size = static_cast<Eigen::Index>(grid.size[d]);
    for (Eigen::Index n = 0; n < field.size(); ++n) {
        if (n / stride % size > size - window) {
            continue;
        }
        const auto step = [&](Eigen::Index i) {
            return std::abs(field(n + (i + 1) * stride) - field(n + i * stride));
        };
        const double before = std::max(step(0), step(1));
        const double after = std::max(step(3), step(4));
        if (step(2) > least && before > 0 && after > 0 &&
            step(2) > times * std::max(before, after)) {
            jumps.push_back({step(2), (field(n + 2 * stride) + field(n + 3 * stride)) / 2});
        }
    }
}

/// The median of a number of each jump.
double median_of(const std::vector<Jump>& jumps, double Jump::*number) {
    std::vector<double> values;
    for (const Jump& jump : jumps) {
        values.push_back(jump.*number);
    }
    return quantile(std::move(values), 0.5);
}

} // namespace

std::optional<Finding> wrapped_field(const RealVector& field, const Grid& grid) {
    std::vector<double> values; // 0 where a map has none
    std::copy_if(field.data(), field.data() + field.size(), std::back_inserter(values),
                 [](double value) { return value != 0; });
    if (values.empty()) {
        return std::nullopt;
    }
    const double least = (quantile(values, 0.99) - quantile(values, 0.01)) / 3;
    std::vector<Jump> jumps;
    for (std::size_t d = 0; d < static_cast<std::size_t>(grid.dimensions); ++d) {
        add_jumps(field, grid, d, least, jumps);
    }
    constexpr std::size_t fewest = 8;
    if (jumps.size() < fewest) {
        return std::nullopt;
    }
    const double size = median_of(jumps, &Jump::size);
    const double middle = median_of(jumps, &Jump::middle);
    const auto of_one_size =
        static_cast<std::size_t>(std::count_if(jumps.begin(), jumps.end(), [&](const Jump& jump) {
            return std::abs(jump.size - size) < size / 4 &&
                   std::abs(jump.middle - middle) < size / 4;
        }));
    const auto share = [&](const auto& holds) {
        return static_cast<double>(std::count_if(values.begin(), values.end(), holds)) /
               static_cast<double>(values.size());
    };
    const double beyond =
        share([&](double value) { return std::abs(value - middle) > 0.6 * size; });
    const double between = share([&](double value) { return std::abs(value - middle) < size / 6; });
    // Simulated maps that were wrapped had 0.7 to 1, below 0.02 and 0.2 to 0.3; noise 0.7, 0.2 and
    // 0.2; fat beside water 0.9 to 1, 0 to 0.3 and up to 0.03.
    if (of_one_size < fewest || static_cast<double>(of_one_size) < 0.7 * jumps.size() ||
        beyond > 0.02 || between < 0.05) {
        return std::nullopt;
    }
    return Finding{Found::field_map_wrapped, {{"step", std::round(size)}, {"count", of_one_size}}};
}

} // namespace lsrecon
