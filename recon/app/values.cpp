#include <algorithm>
#include <cmath>

#include "app/options.hpp"
#include "base/numbers.hpp"

namespace lsrecon::app {

std::optional<double> finite_number(const std::string& word) {
    char* end = nullptr;
    const double value = std::strtod(word.c_str(), &end);
    const bool whole = !word.empty() && *end == '\0' && std::isfinite(value);
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

Numbers positive() {
    return {"a number above 0", [](double value) { return value > 0; }};
}

Numbers from_zero() {
    return {"a number from 0", [](double value) { return value >= 0; }};
}

Numbers any_number() {
    return {"a number", [](double) { return true; }};
}

Numbers between(double least, double most) {
    return {text("a number from ", least, " to ", most),
            [=](double value) { return least <= value && value <= most; }};
}

Numbers whole(std::size_t least, double most) {
    const std::string end = std::isfinite(most) ? text(" to ", static_cast<std::size_t>(most)) : "";
    return {text("a whole number from ", least, end), [=](double value) {
                return static_cast<double>(least) <= value && value <= most &&
                       value == std::floor(value);
            }};
}

Numbers to_measure() {
    constexpr double most = 1e9;
    return whole(1, most);
}

Value matrix_to_measure(std::vector<std::size_t>& member) {
    constexpr double most = 1e9; // voxels
    Value value = number(member, to_measure(), "X,Y[,Z]");
    value.take = [&member, most, take = value.take](const std::string& word) -> std::string {
        const std::string refused = take(word);
        double voxels = 1;
        for (const std::size_t side : member) {
            voxels *= static_cast<double>(side);
        }
        return !refused.empty()                         ? refused
               : member.size() < 2 || member.size() > 3 ? "X,Y or X,Y,Z"
               : voxels > most                          ? text("at most ", most, " voxels")
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
    return {form.size() > longest ? "NAME" : form,
            [words, choose](const std::string& word) -> std::string {
                const auto found = std::find(words.begin(), words.end(), word);
                if (found == words.end()) {
                    return "one of " + comma_separated(words);
                }
                choose(static_cast<std::size_t>(found - words.begin()));
                return "";
            },
            shown};
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
            [&member] {
                std::string all;
                for (const std::string& one : member) {
                    all += (all.empty() ? "" : ",") + one;
                }
                return all;
            }};
}

Value name(std::string& member, const std::string& form) {
    return {form,
            [&member, form](const std::string& word) -> std::string {
                member = word;
                return !word.empty() ? "" : form == "FILE" ? "the name of a file" : "a name";
            },
            [&member] { return member; }};
}

Value required(Value value) {
    value.required = true;
    return value;
}

Value toggle(bool& member, bool given) {
    return {"",
            [&member, given](const std::string&) {
                member = given;
                return std::string();
            },
            [&member] { return member ? "yes" : "no"; }};
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

} // namespace lsrecon::app
