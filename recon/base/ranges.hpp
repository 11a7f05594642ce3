#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace lsrecon {

inline std::size_t divide_up(std::size_t a, std::size_t b) {
    return (a + b - 1) / b;
}
inline std::size_t round_up(std::size_t a, std::size_t b) {
    return divide_up(a, b) * b;
}

/// Items [first, first + count).
struct Range {
    std::size_t first;
    std::size_t count;
};

/// `total` items in ranges of `length`, the last one shorter; none for no items.
inline std::vector<Range> split_into_ranges(std::size_t total, std::size_t length) {
    std::vector<Range> ranges;
    for (std::size_t first = 0; first < total; first += length) {
        ranges.push_back({first, std::min(length, total - first)});
    }
    return ranges;
}

} // namespace lsrecon
