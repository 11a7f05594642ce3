// The completion of command lines in bash, zsh and fish, made of the rows of options.

#include <algorithm>

#include "app/command.hpp"
#include "app/output.hpp"
#include "base/numbers.hpp"

namespace lsrecon::app {

namespace {

bool takes_file(const Option& option) {
    const std::string& form = option.value.form;
    return static_cast<bool>(option.value.file) || form.find("FILE") != std::string::npos ||
           form.find("FOLDER") != std::string::npos;
}

bool is_positional(const Option& option) {
    return flag_of(option.key)[0] != '-';
}

/// The value's words, where it takes some words alone.
std::string words_of(const Option& option) {
    return separated_by(" ", option.value.words);
}

std::vector<std::string> flags_of(const Option& option) {
    return option.key == "output" ? std::vector<std::string>{"-o", "--output"}
                                  : std::vector<std::string>{flag_of(option.key)};
}

/// The word with a backslash before each of these characters.
std::string escaped(const std::string& word, const std::string& characters) {
    std::string result;
    for (const char c : word) {
        result += (characters.find(c) == std::string::npos ? "" : "\\") + std::string(1, c);
    }
    return result;
}

/// A quote in text that stands between quotes.
std::string in_quotes(const std::string& word) {
    std::string result;
    for (const char c : word) {
        result += c == '\'' ? "'\\''" : std::string(1, c);
    }
    return result;
}

// --- bash ----------------------------------------------------------------------------------------

std::string case_in_bash(const std::vector<std::string>& flags, const std::string& then) {
    return flags.empty() ? "" : "        " + separated_by("|", flags) + ") " + then + " ;;\n";
}

/// Cases by the word before: words, nothing to complete, or files, which are the default.
std::string values_in_bash(const OptionTable& options) {
    std::vector<std::string> files;
    std::vector<std::string> others;
    std::string cases;
    for (const Option& option : options) {
        if (is_positional(option) || option.value.form.empty()) {
            continue;
        }
        const std::vector<std::string> flags = flags_of(option);
        if (!option.value.words.empty()) {
            cases += case_in_bash(flags, "words='" + words_of(option) + "'");
        } else {
            std::vector<std::string>& some = takes_file(option) ? files : others;
            some.insert(some.end(), flags.begin(), flags.end());
        }
    }
    return cases + case_in_bash(files, "return") +
           case_in_bash(others, "compopt +o default; return");
}

std::string bash() {
    std::string cases;
    for (const Command& command : commands()) {
        const Bound bound = bound_rows(command);
        std::string flags = "--help --help-all";
        for (const Option& option : bound.options) {
            flags += is_positional(option) ? "" : " " + separated_by(" ", flags_of(option));
        }
        cases += "    " + command.name + ")\n        flags='" + flags +
                 "'\n        case $before in\n" + values_in_bash(bound.options) +
                 "        esac\n        ;;\n";
    }
    return "# bash completion of lsrecon, made by 'lsrecon --write-completions'.\n"
           "_lsrecon() {\n"
           "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}\n"
           "    local words='' flags=''\n"
           "    COMPREPLY=()\n"
           "    if ((COMP_CWORD == 1)); then\n"
           "        words='" +
           separated_by(" ", names_of(commands())) +
           " --help --version'\n"
           "    fi\n"
           "    [[ $word != '=' ]] || word=''\n"
           "    [[ $before != '=' ]] || before=${COMP_WORDS[COMP_CWORD - 2]}\n"
           "    case ${COMP_WORDS[1]} in\n" +
           cases +
           "    esac\n"
           "    [[ $words || $word != -* ]] || words=$flags\n"
           "    [[ ! $words ]] || mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\")\n"
           "}\n"
           "complete -o default -F _lsrecon lsrecon\n";
}

// --- zsh -----------------------------------------------------------------------------------------

/// ":FILE:_files", what follows a flag or stands alone.
std::string value_in_zsh(const Option& option) {
    const std::string form = escaped(option.value.form, ":[]");
    const bool may_lack = option.value.form[0] == '[';
    return (may_lack ? "::" : ":") + form + ":" +
           (!option.value.words.empty() ? "(" + words_of(option) + ")"
            : takes_file(option)        ? "_files"
                                        : " ");
}

std::string argument_in_zsh(const Option& option) {
    const std::string value = option.value.form.empty() ? "" : value_in_zsh(option);
    if (is_positional(option)) {
        return "'" + std::string(option.is(Is::repeated) ? "*:" : ":") + option.key + ":_files'";
    }
    const std::string help = "[" + escaped(with_flags(option.help), "[]:") + "]";
    const std::string quoted = in_quotes(help + value);
    return option.key == "output"    ? "'(-o --output)'{-o,--output}'" + quoted + "'"
           : option.is(Is::repeated) ? "'*" + flag_of(option.key) + quoted + "'"
                                     : "'" + flag_of(option.key) + quoted + "'";
}

std::string zsh() {
    std::string names;
    std::string cases;
    for (const Command& command : commands()) {
        names +=
            "        '" + command.name + ":" + in_quotes(escaped(command.summary, ":")) + "'\n";
        cases += "    " + command.name + ")\n        _arguments \\\n";
        for (const Option& option : bound_rows(command).options) {
            cases += "            " + argument_in_zsh(option) + " \\\n";
        }
        cases += "            '(- *)'{-h,--help}'[show the options of daily use]' \\\n"
                 "            '(- *)--help-all[show all options]'\n        ;;\n";
    }
    return "#compdef lsrecon\n"
           "# zsh completion of lsrecon, made by 'lsrecon --write-completions'.\n"
           "_lsrecon() {\n"
           "    local state line\n"
           "    local -a commands=(\n" +
           names +
           "    )\n"
           "    _arguments -C '(- *)--help[show the commands]' '(- *)--version[show the version]' "
           "\\\n"
           "        '1: :->command' '*:: :->options' && return\n"
           "    if [[ $state == command ]]; then\n"
           "        _describe command commands\n"
           "        return\n"
           "    fi\n"
           "    case $line[1] in\n" +
           cases +
           "    esac\n"
           "}\n"
           "_lsrecon \"$@\"\n";
}

// --- fish ----------------------------------------------------------------------------------------

std::string in_fish(const std::string& command, const Option& option) {
    const std::string begin =
        "complete -c lsrecon -n '__fish_seen_subcommand_from " + command + "'";
    if (is_positional(option)) {
        return begin + " -F\n";
    }
    const std::string value = option.value.form.empty()     ? ""
                              : !option.value.words.empty() ? " -x -a '" + words_of(option) + "'"
                              : takes_file(option)          ? " -r -F"
                              : option.value.form[0] == '[' ? ""
                                                            : " -x";
    return begin + (option.key == "output" ? " -s o" : "") + " -l " +
           flag_of(option.key).substr(2) + value + " -d '" +
           escaped(with_flags(option.help), "'\\") + "'\n";
}

std::string fish() {
    std::string lines =
        "# fish completion of lsrecon, made by 'lsrecon --write-completions'.\n"
        "complete -c lsrecon -f\n"
        "complete -c lsrecon -n __fish_use_subcommand -l version -d 'show the version'\n"
        "complete -c lsrecon -s h -l help -d 'show the commands or options'\n";
    for (const Command& command : commands()) {
        lines += "complete -c lsrecon -n __fish_use_subcommand -a " + command.name + " -d '" +
                 escaped(command.summary, "'\\") + "'\n";
        for (const Option& option : bound_rows(command).options) {
            lines += in_fish(command.name, option);
        }
    }
    return lines;
}

} // namespace

void write_completions(const std::string& folder) {
    write_text(folder + "/lsrecon.bash", bash());
    write_text(folder + "/_lsrecon", zsh());
    write_text(folder + "/lsrecon.fish", fish());
}

} // namespace lsrecon::app
