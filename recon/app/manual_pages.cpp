#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <sstream>

#include "app/command.hpp"
#include "app/output.hpp"
#include "app/pages.hpp"
#include "base/numbers.hpp"
#include "base/version.hpp"

namespace lsrecon::app {

namespace {

/// Words as roff: `code` in bold, and nothing that roff would take for its own.
std::string in_roff(const std::string& words) {
    std::string roff;
    bool bold = false;
    for (const char c : words) {
        if (c == '`') {
            bold = !bold;
            roff += bold ? "\\fB" : "\\fR";
        } else {
            roff += c == '\\' ? "\\e" : c == '-' ? "\\-" : c == '\'' ? "\\(aq" : std::string(1, c);
        }
    }
    return roff;
}

/// Words in lines that fit a screen. A line that begins with a dot would be a request.
std::string in_lines(const std::string& words) {
    constexpr std::size_t longest = 78;
    std::istringstream in(words);
    std::string lines;
    std::string line;
    for (std::string word; in >> word;) {
        if (!line.empty() && line.size() + 1 + word.size() > longest) {
            lines += line + "\n";
            line.clear();
        }
        line += (!line.empty() ? " " : word[0] == '.' ? "\\&" : "") + word;
    }
    return lines + line + (line.empty() ? "" : "\n");
}

/// "[Formats](formats.md)" as "Formats".
std::string without_links(std::string words) {
    for (std::size_t end = words.find("]("); end != std::string::npos; end = words.find("](")) {
        words.erase(end, words.find(')', end) + 1 - end);
        words.erase(words.rfind('[', end), 1);
    }
    return words;
}

/// Lines of words, each of which may be a row of a list.
std::string paragraphs(const std::string& words) {
    std::istringstream lines(without_links(words));
    std::string roff;
    for (std::string line; std::getline(lines, line);) {
        const bool is_row = line.rfind("  - ", 0) == 0;
        roff += is_row ? ".br\n" + in_lines("\\(bu " + in_roff(line.substr(4)))
                       : in_lines(in_roff(line));
    }
    return roff;
}

std::string sentence(std::string words) {
    if (!words.empty() && words.back() == '.') {
        words.pop_back();
    }
    return words;
}

/// The day of the source where a package is built, else today.
std::string day() {
    const char* const source = std::getenv("SOURCE_DATE_EPOCH");
    const std::time_t time = source == nullptr ? std::time(nullptr) : std::atoll(source);
    std::tm parts{};
    gmtime_r(&time, &parts);
    char buffer[32];
    std::strftime(buffer, sizeof(buffer), "%Y-%m-%d", &parts);
    return buffer;
}

std::string in_capitals(std::string name) {
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    return name;
}

std::string head(const std::string& name, const std::string& summary) {
    return text(".TH ", in_roff(in_capitals(name)), " 1 ", day(), " \"lsrecon ", version,
                "\" \"User Commands\"\n.SH NAME\n",
                in_lines(in_roff(name) + " \\- " + in_roff(sentence(summary))), ".SH SYNOPSIS\n");
}

std::string form_in_roff(const Option& option) {
    return option.value.form.empty() ? "" : " \\fI" + in_roff(option.value.form) + "\\fR";
}

std::string option_in_roff(const Option& option) {
    const std::string flag = flag_of(option.key);
    return ".TP\n" + std::string(option.key == "output" ? "\\fB\\-o\\fR, " : "") + "\\fB" +
           in_roff(flag) + "\\fR" + (flag[0] == '-' ? form_in_roff(option) : "") + "\n" +
           in_lines(in_roff(line_of(option)) + ".") + paragraphs(with_flags(option.more, "`"));
}

/// Each group is a section, in the order in which they begin.
std::string options_in_roff(const OptionTable& options) {
    std::vector<std::pair<std::string, std::string>> sections;
    for (const Option& option : options) {
        auto section = std::find_if(sections.begin(), sections.end(),
                                    [&](const auto& one) { return one.first == option.group; });
        if (section == sections.end()) {
            section = sections.emplace(sections.end(), option.group, "");
        }
        section->second += option_in_roff(option);
    }
    std::string roff;
    for (const auto& [group, rows] : sections) {
        roff += ".SH " + in_capitals(group) + "\n" + rows;
    }
    return roff;
}

Page page_of_command(const Command& command) {
    const std::string name = "lsrecon-" + command.name;
    const Bound bound = bound_rows(command);
    std::string roff = head(name, command.summary) + ".B lsrecon " + command.name + "\n";
    for (const Option& option : bound.options) {
        if (option.is(Is::required)) {
            const std::string flag = flag_of(option.key);
            roff += flag[0] == '-' ? "\\fB" + in_roff(flag) + "\\fR" + form_in_roff(option) + "\n"
                                   : "\\fI" + flag + "\\fR\n";
        }
    }
    roff += "[\\fIoptions\\fR]\n.SH DESCRIPTION\n" + in_lines(in_roff(command.summary)) +
            options_in_roff(bound.options);
    for (const std::string& example : command.examples) {
        roff += (&example == &command.examples.front() ? ".SH EXAMPLES\n" : ".PP\n") +
                in_lines(in_roff(example));
    }
    return {name + ".1", roff + ".SH SEE ALSO\n.BR lsrecon (1)\n"};
}

Page page_of_program() {
    std::string roff = head("lsrecon", "least-squares reconstruction of non-Cartesian MRI scans") +
                       ".B lsrecon\n\\fIcommand\\fR [\\fIoptions\\fR]\n.SH DESCRIPTION\n"
                       "Reconstructs images of MRI scans on GPUs and CPUs.\n.SH COMMANDS\n";
    for (const Command& command : commands()) {
        roff +=
            ".TP\n.BR lsrecon\\-" + command.name + " (1)\n" + in_lines(in_roff(command.summary));
    }
    roff += ".SH OPTIONS\n.TP\n\\fB\\-\\-help\\fR\n"
            "show the commands, or the options of one, with\n"
            "\\fB\\-\\-help\\-all\\fR those for experts, too.\n"
            ".TP\n\\fB\\-\\-version\\fR\nshow the version, its revision and its parts.\n"
            ".SH EXIT STATUS\n" +
            in_roff(exit_codes_in_words()) + "\n";
    return {"lsrecon.1", roff};
}

} // namespace

std::vector<Page> manual_pages() {
    std::vector<Page> pages{page_of_program()};
    for (const Command& command : commands()) {
        pages.push_back(page_of_command(command));
    }
    return pages;
}

} // namespace lsrecon::app
