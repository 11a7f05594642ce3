// Options: the rows of their table, and the values that words set.
#pragma once

#include <charconv>
#include <functional>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <type_traits>
#include <vector>

#include "base/numbers.hpp"
#include "base/ranges.hpp"

/// The parts of a table of options: flags, help, docs/options.md and the record of a run come from
/// its rows. It knows no command line, so that another language can take its keywords from it.
/// Words of a row name other options by their keys: `maps_crop`.
namespace lsrecon::option {

/// A member of an options struct, as words. The member must outlive it.
struct Value {
    std::string form; ///< "X,Y[,Z]"; "" of a switch; "[N]" where the word may be missing
    /// Sets the member by a word. What was expected in place of a word that it refuses, else "".
    std::function<std::string(const std::string& word)> take;
    /// The member in words, with all digits, so that different values have different words; ""
    /// where it holds nothing.
    std::function<std::string()> shown;
    /// The file that the member names; "" where its word names none, or where there is no function.
    std::function<std::string()> file = {};
    std::vector<std::string> words = {}; ///< all that it takes, where these are few
};

// What a row says after its key, value and help, each by its name:

struct Unit {
    std::string name;
};
/// What holds without the option, where it is not what the member shows.
struct Default {
    std::string words;
};
/// What docs/options.md says beside the help.
struct More {
    std::string words;
};
/// An option that must not be given, too.
struct Excludes {
    std::string key;
};
/// An option that must be given, too.
struct Needs {
    std::string key;
};
/// Help begins with options that are required, then daily. An expert's is in the help of all
/// options alone. One that is about the output changes where it goes or what is reported, but no
/// value.
enum class Is { required, repeated, daily, expert, about_output };

/// A row of the table.
struct Option {
    template <typename... Parts>
    Option(std::string its_key, Value its_value, std::string its_help, const Parts&... parts)
        : key(std::move(its_key)), value(std::move(its_value)), help(std::move(its_help)) {
        (set(parts), ...);
    }
    bool is(Is what) const { return marks.count(what) > 0; }
    void set(const Unit& its) { unit = its.name; }
    void set(const Default& its) { default_words = its.words; }
    void set(const More& its) { more = its.words; }
    void set(const Excludes& its) { excludes = its.key; }
    void set(const Needs& its) { needs = its.key; }
    void set(Is what) { marks.insert(what); }

    std::string key; ///< "maps_crop"; in capitals for a word without a flag, such as "SCAN"
    Value value;
    std::string help; ///< one line
    std::string unit, default_words, more, excludes, needs;
    std::set<Is> marks;
    const char* group = "";
};
using OptionTable = std::vector<Option>;

/// The rows as those of a group.
OptionTable in(const char* group, OptionTable rows);
/// Several of them, one after another.
OptionTable joined(std::vector<OptionTable> parts);
/// The rows but those of these keys.
OptionTable without(const std::set<std::string>& keys, OptionTable rows);

/// Words by the keys of their options, in the order in which they were given.
using Keywords = std::vector<std::pair<std::string, std::string>>;

/// Sets the member of a row. UsageError for a word that it refuses.
void take(const Option& row, const std::string& word);
/// Sets members by all words. UsageError also for a key that no row has, one that is given again,
/// and as of require_together().
void take(const OptionTable& rows, const Keywords& given);
/// UsageError for an option without one that it needs, or with one that it excludes.
void require_together(const OptionTable& rows, const Keywords& given);
/// The name that begins and ends like this word, in three fifths of its letters; "" without one.
std::string nearest(const std::vector<std::string>& names, const std::string& word);

/// The rows of another table for Option::more: "- tv: total variation".
template <typename Rows> std::string listed(const Rows& rows) {
    std::string lines;
    for (const auto& row : rows) {
        lines += "\n  - " + row.name + ": " + row.summary;
    }
    return lines;
}
/// The whole word as one finite number, else null.
std::optional<double> finite_number(const std::string& word);
std::vector<std::string> split(const std::string& word, char separator);

/// The numbers that a value takes.
struct Numbers {
    std::string expected;
    std::function<bool(double)> admits;
};
Numbers positive(double most = std::numeric_limits<double>::infinity());
Numbers from(double least, double most = std::numeric_limits<double>::infinity());
Numbers any_number();
Numbers whole(std::size_t least, double most = std::numeric_limits<double>::infinity());
/// Samples or voxels of a measurement on made-up data.
constexpr double most_to_measure = 1e9;

/// The size of a grid of 2 or 3 dimensions.
Value grid_size(std::vector<std::size_t>& member,
                double most_voxels = std::numeric_limits<double>::infinity());
/// One of the words; `choose` gets its index among them.
Value one_of(
    const std::vector<std::string>& words, const std::function<void(std::size_t)>& choose,
    const std::function<std::string()>& shown = [] { return std::string(); });
Value choice(std::string& member, const std::vector<std::string>& words);
/// A choice of an enumeration, whose values have these words.
template <typename Enum>
Value choice(std::optional<Enum>& member, const std::vector<std::string>& words) {
    return one_of(
        words, [&member](std::size_t chosen) { member = static_cast<Enum>(chosen); },
        [&member, words] { return member ? words[static_cast<std::size_t>(*member)] : ""; });
}
/// Names out of `words`, separated by commas.
Value choices(std::vector<std::string>& member, const std::vector<std::string>& words,
              const std::string& form);
/// Any word but an empty one, which is usually an unset variable of a script. Others look it up,
/// among `words` where these are few.
Value name(std::string& member, const std::string& form = "FILE",
           std::vector<std::string> words = {});
/// A name of a file that is read.
Value input(std::string& member);
/// A switch that sets the member to `given`, by the word no to the other.
Value toggle(bool& member, bool given = true);
Value indices(IndexList& member);

/// A number with all its digits and no more; a word as it is.
template <typename T> std::string in_full(const T& value) {
    if constexpr (std::is_floating_point_v<T>) {
        return exact(value);
    } else {
        return text(value);
    }
}

/// One number of a word; "" or what was expected.
template <typename T>
std::string take_number(T& member, const std::string& word, const Numbers& numbers) {
    if constexpr (std::is_integral_v<T>) {
        const char* const end = word.data() + word.size();
        const auto [read, error] = std::from_chars(word.data(), end, member);
        if (error == std::errc::result_out_of_range) {
            return text("at most ", std::numeric_limits<T>::max());
        }
        if (error != std::errc() || read != end || !numbers.admits(static_cast<double>(member))) {
            return numbers.expected;
        }
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
        [&member] { return in_full(member); }};
}
/// A number for a member that may hold nothing.
template <typename T>
Value number(std::optional<T>& member, const Numbers& numbers, const std::string& form = "NUMBER") {
    return {form,
            [&member, numbers](const std::string& word) {
                return take_number(member.emplace(), word, numbers);
            },
            [&member] { return member ? in_full(*member) : ""; }};
}
/// "1,2"
template <typename T> std::string in_one_word(const std::vector<T>& values) {
    std::string word;
    for (const T& one : values) {
        word += (word.empty() ? "" : ",") + in_full(one);
    }
    return word;
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
            [&member] { return in_one_word(member); }};
}

} // namespace lsrecon::option
