#pragma once

#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "engines/backend.hpp"
#include "io/formats.hpp"
#include "io/record.hpp"
#include "prepare/prepare_options.hpp"
#include "solve/effort.hpp"

/// The table of options. Flags, help, docs/options.md and the record of a run come from it. It
/// knows no command line, so that another language can take its keywords from it.
namespace lsrecon::app {

/// A member of an options struct, as words. The member must outlive it.
struct Value {
    std::string form; ///< "X,Y[,Z]"; "" of a switch; "[N]" where the word may be missing
    /// Sets the member by a word. What was expected in place of a word that it refuses, else "".
    std::function<std::string(const std::string& word)> take;
    std::function<std::string()> shown; ///< "" of a member that holds nothing
    bool required = false;
    bool repeats = false;
};

/// A row of the table.
struct Option {
    std::string key; ///< "maps_crop"; in capitals for a word without a flag, such as "SCAN"
    const char* group;
    Value value;
    std::string unit;
    std::string usual; ///< what holds without it; "" for what the member shows
    std::string help; ///< one line
    std::string more = {}; ///< what docs/options.md says beside the help
    std::string recorded = {}; ///< its name in the record of an output; "" where it has none
    std::string excludes = {}; ///< the key of an option that must not be given, too
    std::string needs = {}; ///< the key of one that must
};
using OptionTable = std::vector<Option>;

namespace group {
constexpr const char* trajectory = "Trajectory";
constexpr const char* phantom = "Phantom";
constexpr const char* noise = "Noise";
constexpr const char* reading = "Reading";
constexpr const char* place = "Place";
constexpr const char* coils = "Coils";
constexpr const char* regularisation = "Regularisation";
constexpr const char* solver = "Solver";
constexpr const char* device = "Device";
constexpr const char* measurement = "Measurement";
constexpr const char* output = "Output";
} // namespace group

/// The rows that several commands take, bound to the members of their structs.
Option scan_option(std::string& scan);
OptionTable reading_options(ReadOptions& read);
OptionTable place_options(GeometryOptions& geometry);
OptionTable field_options(PrepareOptions& prepare);
OptionTable maps_options(PrepareOptions& prepare);
OptionTable coils_options(PrepareOptions& prepare);
OptionTable regularisation_options(std::string& lambda, SolveOptions& solve, std::string& prior);
OptionTable solver_options(SolveOptions& solve, SolveEffort& effort);
OptionTable q_options(std::string& file, std::string& folder);
OptionTable device_options(BackendOptions& backend);
Option device_option(std::string& device);
Option precision_option(std::optional<Precision>& precision);
Option output_option(std::string& output, const std::string& help, const std::string& more = "");
Option quiet_option(bool& quiet);

/// Several of them, one after another.
OptionTable joined(std::vector<OptionTable> parts);

/// The rows of another table for Option::more: "- `tv`: total variation".
template <typename Rows> std::string listed(const Rows& rows) {
    std::string lines;
    for (const auto& row : rows) {
        lines += "\n  - `" + row.name + "`: " + row.summary;
    }
    return lines;
}
/// Their names.
template <typename Rows> std::vector<std::string> names_of(const Rows& rows) {
    std::vector<std::string> names;
    for (const auto& row : rows) {
        names.push_back(row.name);
    }
    return names;
}

// --- values ---

/// The whole word as one finite number, else null.
std::optional<double> finite_number(const std::string& word);
std::vector<std::string> split(const std::string& word, char separator);

/// Which numbers a value takes.
struct Numbers {
    std::string expected;
    std::function<bool(double)> admits;
};
Numbers positive();
Numbers from_zero();
Numbers any_number();
Numbers between(double least, double most);
Numbers whole(std::size_t least, double most = std::numeric_limits<double>::infinity());
/// Samples and voxels of a measurement on made-up data: 1 to 10^9.
Numbers to_measure();

/// A grid of made-up data, of 2 or 3 dimensions.
Value matrix_to_measure(std::vector<std::size_t>& member);
/// One of the words, chosen by its place among them.
Value one_of(const std::vector<std::string>& words, const std::function<void(std::size_t)>& choose,
             const std::function<std::string()>& shown);
Value choice(std::string& member, const std::vector<std::string>& words);
/// Names out of `words`, separated by commas.
Value choices(std::vector<std::string>& member, const std::vector<std::string>& words,
              const std::string& form);
/// Any word but an empty one, which is usually an unset variable of a script.
Value name(std::string& member, const std::string& form = "FILE");
Value required(Value value);
/// A switch that sets the member to `given`.
Value toggle(bool& member, bool given = true);
Value indices(IndexList& member);

/// One number of a word; "" or what was expected.
template <typename T>
std::string take_number(T& member, const std::string& word, const Numbers& numbers) {
    if constexpr (std::is_integral_v<T>) {
        if (word.empty() || word.find_first_not_of("0123456789") != std::string::npos) {
            return numbers.expected;
        }
        errno = 0;
        const unsigned long long value = std::strtoull(word.c_str(), nullptr, 10);
        constexpr auto most = static_cast<unsigned long long>(std::numeric_limits<T>::max());
        if (errno == ERANGE || value > most) {
            return text("at most ", most);
        }
        if (!numbers.admits(static_cast<double>(value))) {
            return numbers.expected;
        }
        member = static_cast<T>(value);
    } else {
        const std::optional<double> value = finite_number(word);
        if (!value || !numbers.admits(*value)) {
            return numbers.expected;
        }
        member = *value;
    }
    return "";
}

template <typename T>
Value number(T& member, const Numbers& numbers, const std::string& form = "NUMBER") {
    return {
        form,
        [&member, numbers](const std::string& word) { return take_number(member, word, numbers); },
        [&member] { return text(member); }};
}
/// Of a member that may hold nothing.
template <typename T>
Value number(std::optional<T>& member, const Numbers& numbers, const std::string& form = "NUMBER") {
    return {form,
            [&member, numbers](const std::string& word) {
                return take_number(member.emplace(), word, numbers);
            },
            [&member] { return member ? text(*member) : ""; }};
}
/// Numbers separated by commas.
template <typename T>
Value number(std::vector<T>& member, const Numbers& numbers, const std::string& form) {
    return {form,
            [&member, numbers](const std::string& word) {
                member.clear();
                std::string expected;
                for (const std::string& part : split(word, ',')) {
                    const std::string found = take_number(member.emplace_back(), part, numbers);
                    expected = expected.empty() ? found : expected;
                }
                return expected;
            },
            [&member] {
                std::string words;
                for (const T& one : member) {
                    words += text(words.empty() ? "" : ",", one);
                }
                return words;
            }};
}

} // namespace lsrecon::app
