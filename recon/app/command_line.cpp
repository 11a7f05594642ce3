// Makes options of CLI11 from the rows of the table, and docs/options.md, which is the manual page,
// too.

#include <CLI/CLI.hpp>
#include <map>
#include <set>
#include <sstream>

#include "app/command.hpp"
#include "app/output.hpp"
#include "app/ranks.hpp"
#include "base/numbers.hpp"
#include "base/version.hpp"
#include "io/arrays.hpp"

namespace lsrecon::app {

namespace {

/// "field of view of the image, in mm [as the file says]"
std::string line_of(const Option& option) {
    const std::string held = option.is(Is::required)         ? "required"
                             : option.value.form.empty()     ? ""
                             : !option.default_words.empty() ? option.default_words
                                                             : option.value.shown();
    return with_flags(option.help + (option.unit.empty() ? "" : ", in " + option.unit) +
                      (held.empty() ? "" : " [" + held + "]"));
}

/// "0 done, 1 bug, ...", in two lines.
std::string exit_codes_in_words() {
    return "0 done, 1 bug, 2 usage, 3 input, 4 device, 5 not built in,\n"
           "6 outside the requested tolerance, 128 + n ended by signal n.";
}

std::string& stored_command_line() {
    static std::string line;
    return line;
}

/// Adds an option that takes its words, and keeps them in `given`.
void add(CLI::App& app, const Option& row, const std::shared_ptr<Keywords>& given) {
    const std::string& form = row.value.form;
    const auto take_words = [row, given](const CLI::results_t& words) {
        for (const std::string& word : words) {
            given->emplace_back(row.key, row.value.form.empty() ? "" : word);
            take(row, given->back().second);
        }
        return true;
    };
    const std::string names = (row.key == "output" ? "-o," : "") + flag_of(row.key);
    CLI::Option* const option = app.add_option(names, take_words, line_of(row));
    option->group(option->get_positional() ? "Positionals" : row.group)
        ->type_name(form)
        ->required(row.is(Is::required));
    option->option_text(option->get_positional() ? " " : form);
    if (form.empty()) {
        option->expected(0)->disable_flag_override();
    } else if (form[0] == '[') {
        option->expected(0, 1);
    }
    if (row.is(Is::repeated)) {
        option->take_all();
        if (option->get_positional()) {
            option->expected(-1);
        }
    }
}

/// The rank of an option in the help: required ones first, then those of daily use.
int order_in_help(const Option& row) {
    return row.is(Is::required) ? 0 : row.is(Is::daily) ? 1 : 2;
}

void add(CLI::App& cli, const Command& command, std::function<ExitCode()>& run) {
    const Bound bound = bound_rows(command);
    CLI::App& app = *cli.add_subcommand(command.name, command.summary)->group("Commands");
    OptionTable in_order_of_use = bound.options;
    std::stable_sort(in_order_of_use.begin(), in_order_of_use.end(),
                     [](const Option& one, const Option& other) {
                         return order_in_help(one) < order_in_help(other);
                     });
    const auto given = std::make_shared<Keywords>();
    for (const Option& row : in_order_of_use) {
        add(app, row, given);
    }
    app.set_help_flag("-h,--help,--help-all",
                      "show this page, or all options; docs/options.md says more");
    app.callback([&run, given, bound, shared = command.is_shared] {
        const auto like = std::find_if(given->begin(), given->end(),
                                       [](const auto& option) { return option.first == "like"; });
        if (like != given->end()) {
            take_like(std::string(like->second), bound.options, *given);
        }
        require_together(bound.options, *given);
        run = shared || ranks().is_first() ? bound.run : [] { return ExitCode::done; };
    });
}

/// The help of a command gets its examples, and loses the options for experts unless it has `all`.
void settle_help(CLI::App& app, bool all) {
    for (const Command& command : commands()) {
        if (command.name != app.get_name()) {
            continue;
        }
        std::string lines = command.examples.empty() ? "" : "\n\nExamples:";
        for (const std::string& example : command.examples) {
            lines += "\n  " + example;
        }
        app.description(command.summary + lines + (lines.empty() ? "" : "\n"));
        for (const Option& row : bound_rows(command).options) {
            if (row.is(Is::expert) && !all) {
                app.get_option(flag_of(row.key))->group(""); // which hides it
                app.footer("Options for experts: lsrecon " + command.name + " --help-all");
            }
        }
    }
}

/// Who takes an option that this command does not: others, or `import` as a file's role.
std::string of_others(const std::string& command, const std::string& flag) {
    std::vector<std::string> others;
    for (const Command& other : commands()) {
        const OptionTable rows = bound_rows(other).options;
        if (std::any_of(rows.begin(), rows.end(),
                        [&](const Option& row) { return flag_of(row.key) == flag; })) {
            others.push_back(other.name);
        }
    }
    const std::string role = command == "import" ? array_role_of(flag) : "";
    const std::string next = role.empty() ? "see 'lsrecon " + command + " --help'"
                                          : "import takes files by their roles: " + role + "=FILE";
    return others.empty() && role.empty()
               ? ""
               : "\n  expected: an option of " + command +
                     (others.empty() ? ""
                                     : "; " + flag + " belongs to " + comma_separated(others)) +
                     "\n  next:     " + next;
}

/// The message about a word that no option took.
std::string unknown(const CLI::App& app, const std::string& word) {
    if (word[0] != '-') {
        if (app.get_parent() != nullptr) {
            return "unknown word \"" + word + "\"";
        }
        const std::vector<std::string> names = names_of(commands());
        const std::string near = nearest(names, word);
        return "unknown command \"" + word + "\"" +
               (near.empty() ? "\n  expected: one of " + comma_separated(names)
                             : ". Did you mean " + near + "?") +
               "\n  next:     see lsrecon --help";
    }
    const std::string flag = word.substr(0, word.find('='));
    std::vector<std::string> names;
    for (const CLI::Option* option : app.get_options()) {
        names.insert(names.end(), option->get_lnames().begin(), option->get_lnames().end());
    }
    const std::string near =
        nearest(names, flag.substr(std::min(flag.find_first_not_of('-'), flag.size())));
    return "Unknown option " + flag + "." + (near.empty() ? "" : " Did you mean --" + near + "?") +
           (app.get_parent() == nullptr ? "" : of_others(app.get_name(), flag));
}

/// "-o, --output FILE"
std::string usage_of(const Option& option) {
    const std::string flag = (option.key == "output" ? "-o, " : "") + flag_of(option.key);
    const bool has_word = flag[0] == '-' && !option.value.form.empty();
    return has_word ? flag + " " + option.value.form : flag;
}

std::string item_of(const Option& option) {
    return "- **`" + usage_of(option) + "`** " + line_of(option) + "." +
           (option.more.empty() ? "" : " " + with_flags(option.more, "`")) + "\n";
}

/// docs/options.md
std::string options_in_markdown() {
    std::string page =
        "# Options\n\nMade by `lsrecon --options`. Brackets hold what is used without "
        "an option. The `/record` of an output\nhas each option that was used as `option_NAME`. "
        "`--help` of a command begins with the options of\ndaily use and leaves out those for "
        "experts; `--help-all` has them all.\n\nExit codes: " +
        exit_codes_in_words() + "\n";
    std::map<std::string, std::string> known; // an item, and the command that it is under
    for (const Command& command : commands()) {
        const Bound bound = bound_rows(command); // the options refer to its members
        page += "\n## lsrecon " + command.name + "\n\n" + command.summary + "\n" +
                (command.examples.empty()
                     ? ""
                     : "\n```sh\n" + separated_by("\n", command.examples) + "\n```\n");
        std::map<std::string, std::vector<std::string>> as_before; // flags by that command
        std::string group;
        for (const Option& option : bound.options) {
            const auto [item, is_new] = known.emplace(item_of(option), command.name);
            if (!is_new) {
                as_before[item->second].push_back("`" + flag_of(option.key) + "`");
                continue;
            }
            page += group == option.group ? "" : text("\n### ", option.group, "\n\n");
            page += item->first;
            group = option.group;
        }
        for (const auto& [name, flags] : as_before) {
            page += "\nAs for `lsrecon " + name + "`: " + comma_separated(flags) + ".\n";
        }
    }
    return page;
}

} // namespace

Value file_names(std::vector<std::string>& names) {
    return {"FILES",
            [&names](const std::string& word) {
                names.push_back(word);
                return word.empty() ? "a name" : "";
            },
            [] { return ""; }};
}

Option output_option(std::string& output, const std::string& help, const std::string& more) {
    return {"output", name(output), help, Is::required, Is::about_output, More{more}};
}

Option quiet_option(bool& quiet) {
    return {"quiet", toggle(quiet), "print notes and errors only", Is::about_output};
}

Bound bound_rows(const Command& command) {
    Bound bound = command.bind();
    OptionTable& rows = bound.options;
    const auto device = std::find_if(rows.begin(), rows.end(),
                                     [](const Option& row) { return row.key == "device"; });
    if (device != rows.end()) {
        rows.insert(device + 1, threads_option());
    }
    return bound;
}

/// Scripts read the version from the first line.
std::string version_in_words() {
    const Build build = this_build();
    return text("lsrecon ", version, "\nrevision  ", build.revision, "\nwith      ", build.with,
                build.without.empty() ? "" : "\nwithout   ", build.without);
}

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
            for (const Option& option : bound_rows(command).options) {
                all.insert(option.key);
            }
        }
        return all;
    }();
    return keys.count(key) > 0;
}

const std::string& command_line() {
    return stored_command_line();
}

Record settings_of(const OptionTable& options, const OptionTable& defaults) {
    Record settings{{"command", command_line()}};
    for (std::size_t row = 0; row < options.size(); ++row) {
        const std::string value = options[row].value.shown();
        if (!options[row].is(Is::about_output) && value != defaults[row].value.shown()) {
            settings.emplace_back(name_of_option(options[row].key), value);
        }
    }
    return settings;
}

std::vector<NamedInput> inputs_of(const OptionTable& options) {
    std::vector<NamedInput> files;
    for (const Option& option : options) {
        if (option.value.file) {
            files.push_back({flag_of(option.key), option.value.file()});
        }
    }
    return files;
}

HashesOfFiles hashes_of_files(const OptionTable& options) {
    Record files;
    for (const Option& option : options) {
        const std::string file =
            option.is(Is::about_output) || !option.value.file ? "" : option.value.file();
        if (!file.empty()) {
            files.emplace_back(name_of_file_hash(option.key), file);
        }
    }
    return [files](FileHashes& hashes) {
        Record record;
        for (const auto& [name, file] : files) {
            record.emplace_back(name, hashes.of(file));
        }
        return record;
    };
}

void take_words(const OptionTable& options, const std::string& line) {
    CLI::App app;
    app.set_help_flag();
    const auto given = std::make_shared<Keywords>();
    for (const Option& option : options) {
        add(app, option, given);
    }
    for (const Option& option : options) {
        app.get_option(flag_of(option.key))->required(false);
    }
    try {
        app.parse(line);
    } catch (const CLI::ParseError& error) {
        const std::vector<std::string> words = app.remaining(true);
        throw UsageError(words.empty() ? error.what() : unknown(app, words[0]));
    }
}

ExitCode run_command_line(int argc, const char* const* argv) {
    for (int i = 0; i < argc; ++i) {
        stored_command_line() += (i == 0 ? "" : " ") + std::string(argv[i]);
    }
    if (argc == 3 && argv[1] == std::string("--write-completions")) { // in no help
        write_completions(argv[2]);
        return ExitCode::done;
    }
    CLI::App cli("Least-squares reconstruction of non-Cartesian MRI scans on GPUs and CPUs.",
                 "lsrecon");
    cli.set_help_flag("-h,--help", "show this page; docs/options.md says more");
    std::function<ExitCode()> run;
    for (const Command& command : commands()) {
        add(cli, command, run);
    }
    cli.set_version_flag("--version", version_in_words(),
                         "show the version, its revision and its parts");
    cli.set_help_all_flag("--options", "show docs/options.md");
    cli.require_subcommand(1);
    cli.footer("Exit codes: " + exit_codes_in_words());
    try {
        if (argc == 1) {
            throw CLI::CallForHelp();
        }
        cli.parse(argc, argv);
    } catch (const CLI::CallForAllHelp&) {
        put_page(options_in_markdown());
        return ExitCode::done;
    } catch (const CLI::Success& asks_for_page) {
        const bool all = std::count(argv, argv + argc, std::string("--help-all")) > 0;
        for (CLI::App* const chosen : cli.get_subcommands()) {
            settle_help(*chosen, all);
        }
        std::ostringstream page;
        cli.exit(asks_for_page, page);
        put_page(CLI::detail::find_and_replace(page.str(), "\n\n\n", "\n\n"));
        return ExitCode::done;
    } catch (const CLI::ParseError& error) {
        const std::vector<std::string> words = cli.remaining(true);
        const std::vector<CLI::App*> chosen = cli.get_subcommands();
        throw UsageError(words.empty() ? error.what()
                                       : unknown(chosen.empty() ? cli : *chosen[0], words[0]));
    }
    return run();
}

} // namespace lsrecon::app
