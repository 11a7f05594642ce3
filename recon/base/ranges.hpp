// Ranges of indices, and lists of them as a user writes them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <set>
#include <string>
#include <utility>
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

/// Indices from 0 as a user lists them: "0,2,5-9".
class IndexList {
public:
    IndexList() = default; ///< none were listed
    /// UsageError that shows the word at fault.
    explicit IndexList(const std::string& list);
    explicit IndexList(const std::set<std::size_t>& indices);

    bool empty() const { return ranges_.empty(); }
    bool contains(std::size_t index) const;
    /// Contains it, or nothing was listed: every index is meant.
    bool admits(std::size_t index) const { return empty() || contains(index); }
    /// The largest number of indices below `count` that it admits: indices listed twice count
    /// twice.
    std::size_t most_admitted(std::size_t count) const;
    /// The listed ranges that hold none of these: "7,9-12".
    IndexList ranges_with_none_of(const std::set<std::size_t>& indices) const;
    /// The listed ranges that hold none of 0 to count - 1.
    IndexList ranges_beyond(std::size_t count) const;
    /// "0,2,5-9"
    std::string to_string() const;
    /// The list, or its start and last range where there are many: "0,2,4, ..., 98 (50 in all)".
    std::string shortened() const;

private:
    std::vector<std::pair<std::size_t, std::size_t>> ranges_; ///< first and last, as listed
};

/// InputError when a listed range holds none of the frames 0 to count - 1 of a file's `thing`.
void require_frames(const IndexList& listed, std::size_t count, const std::string& file,
                    const std::string& thing);

} // namespace lsrecon
