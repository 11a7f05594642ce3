// Reads the words of options into numbers, choices, ranges and paths, and suggests the nearest name
// for a misspelt one.

#include "base/option.hpp"

#include <algorithm>
#include <cmath>

namespace lsrecon::option {

std::optional<double> finite_number(const std::string& word) {
    char* end = nullptr;
    const double value = std::strtod(word.c_str(), &end);
    const bool is_decimal = word.find_first_of("xX") == std::string::npos;
    const bool whole = !word.empty() && *end == '\0' && is_decimal && std::isfinite(value);
    return whole ? std::optional<double>(value) : std::nullopt;
}

std::vector<std::string> split(const std::string& word, char separator) {
    std::vector<std::string> parts;
    std::size_t begin = 0;
    for (std::size_t end = 0; end != std::string::npos; begin = end + 1) {
        end = word.find(separator, begin);
        parts.push_back(word.substr(begin, end - begin));
    }
    return parts;
}

Numbers positive(double most) {
    return {text("a number above 0", std::isfinite(most) ? text(", at most ", most) : ""),
            [most](double value) { return 0 < value && value <= most; }};
}

Numbers from(double least, double most) {
    return {text("a number from ", least, std::isfinite(most) ? text(" to ", most) : ""),
            [=](double value) { return least <= value && value <= most; }};
}

Numbers any_number() {
    return {"a number", [](double) { return true; }};
}

Numbers whole(std::size_t least, double most) {
    const std::string end = std::isfinite(most) ? text(" to ", static_cast<std::size_t>(most)) : "";
    return {text("a whole number from ", least, end), [=](double value) {
                return static_cast<double>(least) <= value && value <= most &&
                       value == std::floor(value);
            }};
}

Value grid_size(std::vector<std::size_t>& member, double most_voxels) {
    Value value = number(member, whole(1, most_voxels), "X,Y[,Z]");
    value.take = [&member, most_voxels, take = value.take](const std::string& word) -> std::string {
        const std::string refused = take(word);
        double voxels = 1;
        for (const std::size_t side : member) {
            voxels *= static_cast<double>(side);
        }
        return !refused.empty()                         ? "X,Y or X,Y,Z, each " + refused
               : member.size() < 2 || member.size() > 3 ? "X,Y or X,Y,Z"
               : voxels > most_voxels                   ? text("at most ", most_voxels, " voxels")
                                                        : "";
    };
    return value;
}

Value one_of(const std::vector<std::string>& words, const std::function<void(std::size_t)>& choose,
             const std::function<std::string()>& shown) {
    constexpr std::size_t longest = 16;
    std::string form;
    for (const std::string& word : words) {
        form += (form.empty() ? "" : "|") + word;
    }
    Value value{form.size() > longest ? "NAME" : form,
                [words, choose](const std::string& word) -> std::string {
                    const auto found = std::find(words.begin(), words.end(), word);
                    if (found == words.end()) {
                        return "one of " + comma_separated(words);
                    }
                    choose(static_cast<std::size_t>(found - words.begin()));
                    return "";
                },
                shown};
    value.words = words;
    return value;
}

Value choice(std::string& member, const std::vector<std::string>& words) {
    return one_of(
        words, [&member, words](std::size_t chosen) { member = words[chosen]; },
        [&member] { return member; });
}

Value choices(std::vector<std::string>& member, const std::vector<std::string>& words,
              const std::string& form) {
    return {form,
            [&member, words](const std::string& word) -> std::string {
                member = split(word, ',');
                const bool known = std::all_of(member.begin(), member.end(), [&](const auto& one) {
                    return std::find(words.begin(), words.end(), one) != words.end();
                });
                return known || words.empty() ? "" : "one or more of " + comma_separated(words);
            },
            [&member] { return in_one_word(member); }};
}

Value name(std::string& member, const std::string& form, std::vector<std::string> words) {
    return {form,
            [&member, form](const std::string& word) -> std::string {
                member = word;
                return !word.empty() ? "" : form == "FILE" ? "the name of a file" : "a name";
            },
            [&member] { return member; },
            {},
            std::move(words)};
}

Value input(std::string& member) {
    Value value = name(member);
    value.file = value.shown;
    return value;
}

Value toggle(bool& member, bool given) {
    return {"",
            [&member, given](const std::string& word) -> std::string {
                member = (word == "no") != given;
                return word.empty() || word == "yes" || word == "no" ? "" : "yes or no";
            },
            [&member, given] { return member == given ? "yes" : "no"; }};
}

Value indices(IndexList& member) {
    return {"INDICES",
            [&member](const std::string& word) -> std::string {
                try {
                    member = IndexList(word);
                    return "";
                } catch (const UsageError&) {
                    return "indices and ranges from 0, such as 0,2,5-9";
                }
            },
            [&member] { return member.to_string(); }};
}

OptionTable in(const char* group, OptionTable rows) {
    for (Option& row : rows) {
        row.group = group;
    }
    return rows;
}

OptionTable without(const std::set<std::string>& keys, OptionTable rows) {
    rows.erase(std::remove_if(rows.begin(), rows.end(),
                              [&](const Option& row) { return keys.count(row.key) > 0; }),
               rows.end());
    return rows;
}

OptionTable joined(std::vector<OptionTable> parts) {
    OptionTable all;
    for (OptionTable& part : parts) {
        all.insert(all.end(), part.begin(), part.end());
    }
    return all;
}

void take(const Option& row, const std::string& word) {
    const std::string expected = row.value.take(word);
    if (!expected.empty()) {
        throw UsageError("`" + row.key + "` " + (word.empty() ? "\"\"" : word) +
                         "\n  expected: " + expected);
    }
}

namespace {

/// "`lambda` 0.1"
std::string said(const Keywords::value_type& option) {
    return "`" + option.first + "`" + (option.second.empty() ? "" : " " + option.second);
}

Keywords::const_iterator find(const Keywords& given, const std::string& key) {
    return std::find_if(given.begin(), given.end(),
                        [&](const auto& option) { return option.first == key; });
}

const Option& row_of(const OptionTable& rows, const std::string& key) {
    std::vector<std::string> keys;
    for (const Option& row : rows) {
        if (row.key == key) {
            return row;
        }
        keys.push_back(row.key);
    }
    const std::string near = nearest(keys, key);
    throw UsageError("Unknown option `" + key + "`." +
                     (near.empty() ? "" : " Did you mean `" + near + "`?"));
}

} // namespace

void take(const OptionTable& rows, const Keywords& given) {
    for (const auto& option : given) {
        const Option& row = row_of(rows, option.first);
        if (const auto& first = *find(given, row.key); &first != &option && !row.is(Is::repeated)) {
            throw UsageError(said(option) + " after " + said(first) +
                             "\n  expected: it once\n  next:     leave one of them out");
        }
        take(row, option.second);
    }
    require_together(rows, given);
}

void require_together(const OptionTable& rows, const Keywords& given) {
    for (const auto& option : given) {
        const Option& row = row_of(rows, option.first);
        if (const auto other = find(given, row.excludes); other != given.end()) {
            throw UsageError(said(option) + " with " + said(*other) +
                             "\n  expected: one of the two\n  next:     leave one of them out");
        }
        if (!row.needs.empty() && find(given, row.needs) == given.end()) {
            throw UsageError(said(option) + " without `" + row.needs +
                             "`\n  expected: both of them\n  next:     add `" + row.needs +
                             "`, or leave `" + row.key + "` out");
        }
    }
}

std::string nearest(const std::vector<std::string>& names, const std::string& word) {
    std::size_t most = 3 * word.size() / 5;
    std::string found;
    for (const std::string& name : names) {
        const auto begin = std::mismatch(word.begin(), word.end(), name.begin(), name.end()).first;
        const auto end =
            std::mismatch(word.rbegin(), word.rend(), name.rbegin(), name.rend()).first;
        const auto first = static_cast<std::size_t>(begin - word.begin());
        const auto last = static_cast<std::size_t>(end - word.rbegin());
        const std::size_t same = std::min(word.size(), first + last);
        if (first > 0 && same > most) {
            most = same;
            found = name;
        }
    }
    return found;
}

} // namespace lsrecon::option
