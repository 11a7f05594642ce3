#include "app/scan_list.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <glob.h>

#include "base/named_files.hpp"

namespace lsrecon::app {

namespace {

/// The files that a pattern names; itself, where it names none.
std::vector<std::string> matches_of(const std::string& pattern) {
    std::vector<std::string> found;
    glob_t matches{};
    std::error_code no_such_path; // what is wrong with it is said where it is read
    if (!std::filesystem::exists(pattern, no_such_path) &&
        ::glob(pattern.c_str(), 0, nullptr, &matches) == 0) {
        found.assign(matches.gl_pathv, matches.gl_pathv + matches.gl_pathc);
    }
    ::globfree(&matches);
    return found.empty() ? std::vector<std::string>{pattern} : found;
}

struct Line {
    std::string scan; ///< or a pattern
    std::string words;
};

std::vector<Line> lines_of(const std::string& list) {
    require_input(list, "list of scans");
    std::ifstream file(list);
    std::vector<Line> lines;
    for (std::string line; std::getline(file, line);) {
        line.erase(line.find_last_not_of("\r \t") + 1);
        if (!line.empty() && line[0] != '#') {
            const std::size_t tab = std::min(line.find('\t'), line.size());
            lines.push_back({line.substr(0, tab), line.substr(std::min(tab + 1, line.size()))});
        }
    }
    return lines;
}

} // namespace

Option scans_option(std::vector<std::string>& scans) {
    const Value names{"FILES",
                      [&scans](const std::string& word) {
                          scans.push_back(word);
                          return word.empty() ? "a name" : "";
                      },
                      [] { return ""; }};
    return {"SCANS",
            names,
            "scan files, or lists of them that end with .txt",
            Is::required,
            Is::repeated,
            More{"A list has one scan a line: its path from where the program runs, which may hold "
                 "* and ?, and after a tab options for this scan alone. `#` begins a comment."}};
}

OptionTable shared_options(ReconOptions& options) {
    return without({"SCAN"}, computing_options(options));
}

ReconOptions options_for(const ListedScan& listed, const ReconOptions& of_all) {
    ReconOptions one = of_all;
    one.scan = listed.scan;
    if (!listed.words.empty()) {
        take_words(shared_options(one), listed.words);
    }
    return one;
}

std::vector<ListedScan> listed_scans(const std::vector<std::string>& scans) {
    std::vector<ListedScan> listed;
    for (const std::string& file : scans) {
        const bool is_list = ending_of(file) == "txt";
        for (const Line& line : is_list ? lines_of(file) : std::vector<Line>{{file, ""}}) {
            for (const std::string& scan : matches_of(line.scan)) {
                listed.push_back({scan, line.words});
            }
        }
    }
    if (listed.empty()) {
        throw UsageError("SCANS: no scan is listed\n  next:     name some, or a list of them");
    }
    return listed;
}

} // namespace lsrecon::app
