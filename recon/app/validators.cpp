#include "app/validators.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdlib>

#include "app/console.hpp"
#include "base/numbers.hpp"

namespace lsrecon::app {

namespace {

CLI::Validator number(const std::string& expected, const std::function<bool(double)>& right) {
    return CLI::Validator(
        [=](const std::string& word) {
            const std::optional<double> value = finite_number(word);
            return value && right(*value) ? std::string() : refusal(word, expected);
        },
        "");
}

} // namespace

std::string refusal(const std::string& word, const std::string& expected) {
    return (word.empty() ? "\"\"" : word) + "\n  expected: " + expected;
}

CLI::Validator one_of(const std::vector<std::string>& words) {
    return CLI::Validator(
        [=](const std::string& word) {
            return std::find(words.begin(), words.end(), word) != words.end()
                       ? std::string()
                       : refusal(word, "one of " + comma_separated(words));
        },
        "{" + joined(words) + "}");
}

std::optional<double> finite_number(const std::string& word) {
    char* end = nullptr;
    const double value = std::strtod(word.c_str(), &end);
    const bool whole = !word.empty() && *end == '\0' && std::isfinite(value);
    return whole ? std::optional<double>(value) : std::nullopt;
}

CLI::Validator whole_number(const std::string& expected, bool zero_allowed,
                            unsigned long long most) {
    return CLI::Validator(
        [=](const std::string& word) {
            const bool digits =
                !word.empty() && word.find_first_not_of("0123456789") == std::string::npos;
            if (!digits) {
                return refusal(word, expected);
            }
            errno = 0;
            const unsigned long long value = std::strtoull(word.c_str(), nullptr, 10);
            if (errno == ERANGE || value > most) {
                return refusal(word, "at most " + std::to_string(most));
            }
            return value > 0 || zero_allowed ? std::string() : refusal(word, expected);
        },
        "");
}

namespace {
constexpr unsigned long long most_to_measure = 1000000000;
}

CLI::Validator count_to_measure() {
    return whole_number("a whole number from 1", false, most_to_measure);
}

void require_matrix(const std::vector<std::size_t>& matrix) {
    if (matrix.size() != 2 && matrix.size() != 3) {
        throw UsageError(
            text("--matrix has ", matrix.size(), " entries\n  expected: X,Y or X,Y,Z"));
    }
    double voxels = 1;
    for (const std::size_t side : matrix) {
        voxels *= static_cast<double>(side);
    }
    if (voxels > most_to_measure) {
        throw UsageError(text("--matrix has ", voxels, " voxels\n  expected: at most ",
                              static_cast<double>(most_to_measure)));
    }
}

CLI::Validator file_name() {
    return CLI::Validator(
        [](const std::string& word) {
            return word.empty() ? refusal(word, "the name of a file") : std::string();
        },
        "");
}

CLI::Validator positive_number() {
    return number("a number above 0", [](double value) { return value > 0; });
}

CLI::Validator non_negative_number() {
    return number("a number from 0", [](double value) { return value >= 0; });
}

CLI::Validator number_between(double least, double most) {
    return number(text("a number from ", least, " to ", most),
                  [=](double value) { return least <= value && value <= most; });
}

} // namespace lsrecon::app
