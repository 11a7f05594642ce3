// Numbers, counts and lists in messages, and the median of numbers.
#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/error.hpp"

namespace lsrecon {

/// The middle one of at least one number, the larger one of two.
inline double median(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

/// A number as messages show it; streams would write "nan" and "-nan".
inline std::string shown(double value) {
    if (std::isnan(value)) {
        return "NaN";
    }
    if (std::isinf(value)) {
        return value > 0 ? "infinity" : "-infinity";
    }
    return text(value);
}

/// The number with as many digits as it takes to be read as the same number.
inline std::string exact(double value) {
    std::array<char, 32> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
    return {digits.data(), end};
}

/// The number with two digits, as messages show measured numbers: 0.012, 1.2, 120, 1.2e+06.
inline std::string rounded(double value) {
    std::ostringstream stream;
    stream.precision(2);
    stream << value;
    return text(std::strtod(stream.str().c_str(), nullptr));
}

/// "15", or "9 to 15": whole numbers as they are, others with two digits.
inline std::string range_in_words(const std::vector<double>& values) {
    const auto [least, most] = std::minmax_element(values.begin(), values.end());
    const auto in_words = [](double v) { return v == std::round(v) ? text(v) : rounded(v); };
    const std::string from = in_words(*least);
    const std::string to = in_words(*most);
    return from == to ? to : from + " to " + to;
}

/// "256 x 256": the first `dimensions` of the values.
template <typename Values> std::string by(const Values& values, int dimensions) {
    std::string result = text(values[0]);
    for (std::size_t d = 1; d < static_cast<std::size_t>(dimensions); ++d) {
        result += text(" x ", values[d]);
    }
    return result;
}

/// "1 number", "2 numbers".
inline std::string counted(std::size_t count, const std::string& thing) {
    return text(count, " ", thing, count == 1 ? "" : "s");
}

/// The names of the rows of a table.
template <typename Rows> std::vector<std::string> names_of(const Rows& rows) {
    std::vector<std::string> names;
    for (const auto& row : rows) {
        names.push_back(row.name);
    }
    return names;
}

/// "one; two" by "; "
template <typename Words>
std::string separated_by(const std::string& separator, const Words& words) {
    std::string result;
    for (const auto& word : words) {
        result += text(result.empty() ? "" : separator, word);
    }
    return result;
}
/// "one, two"
template <typename Words> std::string comma_separated(const Words& words) {
    return separated_by(", ", words);
}

} // namespace lsrecon
