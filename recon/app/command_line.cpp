// Words of a command line become options, and options become help.

#include <algorithm>
#include <map>

#include "app/command.hpp"
#include "base/numbers.hpp"

namespace lsrecon::app {

namespace {

/// OptionTable that have gone, and what says the same.
const std::map<std::string, std::string>& former_flags() {
    static const std::map<std::string, std::string> table{
        {"--combine", "--maps none"},
        {"--noise-replicas", "--noise-map"},
    };
    return table;
}

bool is_positional(const Option& option) {
    return std::isupper(static_cast<unsigned char>(option.key.front())) != 0;
}

/// "-o, --output FILE"
std::string usage_of(const Option& option) {
    const std::string& form = option.value.form;
    const std::string flag = (option.key == "output" ? "-o, " : "") + flag_of(option.key);
    return is_positional(option) || form.empty() ? flag : flag + " " + form;
}

/// How many letters to insert, remove or replace (Levenshtein).
std::size_t distance(const std::string& a, const std::string& b) {
    std::vector<std::size_t> row(b.size() + 1);
    for (std::size_t j = 0; j < row.size(); ++j) {
        row[j] = j;
    }
    for (std::size_t i = 0; i < a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i + 1;
        for (std::size_t j = 0; j < b.size(); ++j) {
            const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
            diagonal = row[j + 1];
            row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
        }
    }
    return row.back();
}

/// The nearest flag: one that begins with these letters, or differs by few; "" when there is none.
std::string nearest(const OptionTable& options, const std::string& flag) {
    const std::size_t most = flag.size() / 3;
    std::string found;
    std::size_t least = most + 1;
    for (const Option& option : options) {
        const std::string candidate = flag_of(option.key);
        const bool begins = flag.size() > 3 && candidate.rfind(flag, 0) == 0;
        const std::size_t away = begins ? 0 : distance(flag, candidate);
        if (!is_positional(option) && away < least) {
            least = away;
            found = candidate;
        }
    }
    return found;
}

[[noreturn]] void refuse_unknown(const OptionTable& options, const std::string& flag) {
    const auto former = former_flags().find(flag);
    const std::string near = nearest(options, flag);
    throw UsageError("Unknown option " + flag + "." +
                     (former != former_flags().end() ? " Use " + former->second + " instead."
                      : near.empty()                 ? ""
                                                     : " Did you mean " + near + "?"));
}

void set(const Option& option, const std::string& word) {
    const std::string expected = option.value.take(word);
    if (!expected.empty()) {
        throw UsageError(flag_of(option.key) + " " + (word.empty() ? "\"\"" : word) +
                         "\n  expected: " + expected);
    }
}

/// The options of one command line as they are met.
class Words {
public:
    Words(const OptionTable& options, const std::vector<std::string>& words)
        : options_(options), words_(words) {}

    void take() {
        while (at_ < words_.size()) {
            const std::string word = words_[at_++];
            if (word.size() > 1 && word[0] == '-') {
                take_flag(word == "-o" ? "--output" : word);
            } else {
                take_positional(word);
            }
        }
        for (const Option& option : options_) {
            require(option);
        }
    }

private:
    void take_flag(const std::string& word) {
        const std::size_t equals = word.find('=');
        const std::string flag = word.substr(0, equals);
        const auto option = std::find_if(options_.begin(), options_.end(), [&](const Option& row) {
            return !is_positional(row) && flag_of(row.key) == flag;
        });
        if (option == options_.end()) {
            refuse_unknown(options_, flag);
        }
        if (!given_.insert(option->key).second && !option->value.repeats) {
            throw UsageError(flag + " is given twice\n  expected: it once");
        }
        const std::string& form = option->value.form;
        if (equals != std::string::npos && !form.empty()) {
            set(*option, word.substr(equals + 1));
        } else if (equals != std::string::npos) {
            throw UsageError(word + "\n  expected: " + flag + " without a value");
        } else if (form.empty() || (form[0] == '[' && !is_number_next())) {
            set(*option, "");
        } else if (at_ == words_.size()) {
            throw UsageError(flag + " has no value\n  expected: " + flag + " " + form);
        } else {
            set(*option, words_[at_++]);
        }
    }

    bool is_number_next() const {
        return at_ < words_.size() &&
               words_[at_].find_first_not_of("0123456789") == std::string::npos;
    }

    void take_positional(const std::string& word) {
        const auto option = std::find_if(options_.begin(), options_.end(), [&](const Option& row) {
            return is_positional(row) && given_.count(row.key) == 0;
        });
        if (option == options_.end()) {
            throw UsageError("\"" + word + "\"\n  expected: no more words without a flag");
        }
        given_.insert(option->key);
        set(*option, word);
    }

    void require(const Option& option) const {
        const std::string flag = flag_of(option.key);
        const bool given = given_.count(option.key) > 0;
        if (option.value.required && !given) {
            throw UsageError(flag + " is missing\n  expected: " + usage_of(option));
        }
        if (given && given_.count(option.excludes) > 0) {
            throw UsageError(flag + " with " + flag_of(option.excludes) +
                             "\n  expected: one of the two");
        }
        if (given && !option.needs.empty() && given_.count(option.needs) == 0) {
            throw UsageError(flag + " without " + flag_of(option.needs) +
                             "\n  expected: both of them");
        }
    }

    const OptionTable& options_;
    const std::vector<std::string>& words_;
    std::size_t at_ = 0;
    std::set<std::string> given_;
};

std::string usual_of(const Option& option) {
    return option.value.form.empty() || option.value.required ? ""
           : !option.usual.empty()                            ? option.usual
                                                              : option.value.shown();
}

/// "field of view of the image, in mm [as the file says]"
std::string line_of(const Option& option) {
    const std::string usual = usual_of(option);
    return option.help + (option.unit.empty() ? "" : ", in " + option.unit) +
           (usual.empty() ? "" : " [" + usual + "]");
}

/// A row of a help, whose second column begins at the 30th.
std::string row(const std::string& first, const std::string& second, std::size_t column = 30) {
    std::string line = "  " + first;
    line += line.size() < column ? std::string(column - line.size(), ' ')
                                 : "\n" + std::string(column, ' ');
    return line + second + "\n";
}

/// The groups of some options, in their order.
std::vector<std::string> groups_of(const OptionTable& options) {
    std::vector<std::string> groups;
    for (const Option& option : options) {
        if (std::find(groups.begin(), groups.end(), option.group) == groups.end()) {
            groups.push_back(option.group);
        }
    }
    return groups;
}

/// "Estimate coil maps."
std::string sentence(std::string words) {
    words[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(words[0])));
    return words + ".";
}

std::string item_of(const Option& option) {
    return "- **`" + usage_of(option) + "`** " + line_of(option) + "." +
           (option.more.empty() ? "" : " " + option.more) +
           (option.recorded.empty() ? "" : "\n  Recorded as `" + option.recorded + "`.") + "\n";
}

} // namespace

std::string flag_of(const std::string& key) {
    if (std::isupper(static_cast<unsigned char>(key[0])) != 0) {
        return key;
    }
    std::string flag = "--" + key;
    std::replace(flag.begin(), flag.end(), '_', '-');
    return flag;
}

bool is_key(const std::string& key) {
    static const std::set<std::string> keys = [] {
        std::set<std::string> all;
        for (const Command& command : commands()) {
            const Bound bound = command.bind();
            for (const Option& option : bound.options) {
                all.insert(option.key);
            }
        }
        return all;
    }();
    return keys.count(key) > 0;
}

void take(const OptionTable& options, const std::vector<std::string>& words) {
    Words(options, words).take();
}

std::string help_of(const Command& command) {
    const Bound bound = command.bind(); // the options refer to its members
    const OptionTable& options = bound.options;
    std::string usage = "Usage: lsrecon " + command.name;
    for (const Option& option : options) {
        if (option.value.required) {
            usage += option.key == "output" ? " -o " + option.value.form : " " + option.key;
        }
    }
    std::string help = usage + " [OPTION]...\n\n" + sentence(command.summary) + "\n";
    for (const std::string& group : groups_of(options)) {
        help += "\n" + group + ":\n";
        for (const Option& option : options) {
            if (option.group == group) {
                help += row(usage_of(option), line_of(option));
            }
        }
    }
    return help + "\n--help shows this page, docs/options.md says more.\n";
}

std::string help_of_program() {
    std::string help = "Usage: lsrecon COMMAND [OPTION]...\n\n"
                       "Least-squares reconstruction of non-Cartesian MRI scans on any OpenCL "
                       "device.\n\nCommands:\n";
    for (const Command& command : commands()) {
        help += row(command.name, command.summary, 13);
    }
    return help +
           "\n'lsrecon COMMAND --help' lists the options of a command, 'lsrecon --options' those "
           "of all.\n'lsrecon --version' shows the version.\n\n"
           "Exit codes: 0 done, 1 bug, 2 usage, 3 input, 4 device, 5 not built in,\n"
           "6 outside the requested tolerance, 128 + n ended by signal n.\n";
}

std::string options_in_markdown() {
    std::string page =
        "# Options\n\nMade by `lsrecon --options`. Brackets hold what is used without "
        "an option. \"Recorded as\" is the\nname in the `/record` of an output.\n";
    std::map<std::string, std::string> known; // an item, and the command that it is under
    for (const Command& command : commands()) {
        const Bound bound = command.bind();
        const OptionTable& options = bound.options;
        page += "\n## lsrecon " + command.name + "\n\n" + sentence(command.summary) + "\n";
        std::map<std::string, std::string> as_before; // flags by the command that has them
        for (const std::string& group : groups_of(options)) {
            std::string items;
            std::map<std::string, std::vector<std::string>> flags_of; // by the same command
            for (const Option& option : options) {
                const auto [item, is_new] = known.emplace(item_of(option), command.name);
                if (option.group != group) {
                    continue;
                }
                if (is_new || item->second == command.name) {
                    items += item->first;
                } else {
                    flags_of[item->second].push_back("`" + flag_of(option.key) + "`");
                }
            }
            page += items.empty() ? "" : "\n### " + group + "\n\n" + items;
            for (const auto& [name, flags] : flags_of) {
                constexpr std::size_t few = 3;
                const bool all = items.empty() && flags_of.size() == 1 && flags.size() > few;
                std::string& as_name = as_before[name];
                as_name += (as_name.empty() ? "" : ", ") +
                           (all ? "all of " + group : comma_separated(flags));
            }
        }
        for (const auto& [name, flags] : as_before) {
            page += "\nAs for `lsrecon " + name + "`: " + flags + ".\n";
        }
    }
    return page;
}

} // namespace lsrecon::app
