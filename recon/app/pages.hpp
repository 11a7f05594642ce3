// Files that are made from the rows of options, to be installed.
#pragma once

#include <string>
#include <vector>

namespace lsrecon::app {

/// A file that is made from the rows of options, to be installed.
struct Page {
    std::string name; ///< "lsrecon-recon.1"
    std::string content;
};

/// A manual page of the program and of each command, for `man`.
std::vector<Page> manual_pages();
/// The completion of command lines: lsrecon.bash, _lsrecon for zsh, lsrecon.fish.
std::vector<Page> completions();

} // namespace lsrecon::app
