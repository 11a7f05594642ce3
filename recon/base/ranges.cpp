// Parses lists of indices such as "3,5-9", shortens them for messages, and checks them against the
// frames of a file.

#include "base/ranges.hpp"

#include <charconv>
#include <iterator>
#include <optional>

#include "base/error.hpp"
#include "base/numbers.hpp"

namespace lsrecon {

namespace {

std::optional<std::size_t> to_index(const std::string& word) {
    std::size_t value = 0;
    const char* const end = word.data() + word.size();
    const auto [stop, error] = std::from_chars(word.data(), end, value);
    return error == std::errc() && stop == end ? std::optional<std::size_t>(value) : std::nullopt;
}

/// "3", or "5-9".
std::string in_words(const std::pair<std::size_t, std::size_t>& range) {
    return range.first == range.second ? text(range.first) : text(range.first, "-", range.second);
}

} // namespace

IndexList::IndexList(const std::string& list) {
    for (std::size_t begin = 0; begin <= list.size();) {
        const std::size_t end = std::min(list.find(',', begin), list.size());
        const std::string word = list.substr(begin, end - begin);
        const std::size_t dash = word.find('-');
        const auto first = to_index(word.substr(0, dash));
        const auto last = dash == std::string::npos ? first : to_index(word.substr(dash + 1));
        if (!first || !last || *first > *last) {
            throw UsageError("\"" + word + "\"\n  expected: whole numbers from 0 and ranges, " +
                             "such as 0,2,5-9");
        }
        ranges_.emplace_back(*first, *last);
        begin = end + 1;
    }
}

IndexList::IndexList(const std::set<std::size_t>& indices) {
    for (const std::size_t index : indices) {
        if (ranges_.empty() || ranges_.back().second + 1 != index) {
            ranges_.emplace_back(index, index);
        }
        ranges_.back().second = index;
    }
}

bool IndexList::contains(std::size_t index) const {
    return std::any_of(ranges_.begin(), ranges_.end(), [&](const auto& range) {
        return range.first <= index && index <= range.second;
    });
}

std::size_t IndexList::most_admitted(std::size_t count) const {
    std::size_t admitted = empty() ? count : 0;
    for (const auto& [first, last] : ranges_) {
        const std::size_t end = std::min(last, count - 1) + 1;
        admitted += std::min(count - admitted, end > first ? end - first : 0);
    }
    return admitted;
}

IndexList IndexList::ranges_with_none_of(const std::set<std::size_t>& indices) const {
    IndexList result;
    for (const auto& range : ranges_) {
        const auto next = indices.lower_bound(range.first);
        if (next == indices.end() || *next > range.second) {
            result.ranges_.push_back(range);
        }
    }
    return result;
}

IndexList IndexList::ranges_beyond(std::size_t count) const {
    IndexList result;
    std::copy_if(ranges_.begin(), ranges_.end(), std::back_inserter(result.ranges_),
                 [&](const auto& range) { return range.first >= count; });
    return result;
}

std::string IndexList::to_string() const {
    std::string result;
    for (const auto& range : ranges_) {
        result += (result.empty() ? "" : ",") + in_words(range);
    }
    return result;
}

std::string IndexList::shortened() const {
    constexpr std::size_t most = 10;
    if (ranges_.size() <= most) {
        return to_string();
    }
    IndexList begin;
    begin.ranges_.assign(ranges_.begin(), ranges_.begin() + most - 2);
    std::size_t count = 0;
    for (const auto& [first, last] : ranges_) {
        count += last - first + 1;
    }
    return text(begin.to_string(), ", ..., ", in_words(ranges_.back()), " (", count, " in all)");
}

void require_frames(const IndexList& listed, std::size_t count, const std::string& file,
                    const std::string& thing) {
    if (const IndexList missing = listed.ranges_beyond(count); !missing.empty()) {
        throw InputError(
            {file, thing,
             text("no frame ", missing.to_string(), " of `frames` ", listed.to_string()),
             count == 1 ? "frame 0, the only one" : text("frames 0 to ", count - 1),
             "choose from these"});
    }
}

} // namespace lsrecon
