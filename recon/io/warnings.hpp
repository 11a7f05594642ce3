#pragma once

#include <string>
#include <vector>

namespace lsrecon {

/// Notes of one kind: scripts tell them by the code, whatever numbers and names the words hold.
struct WarningKind {
    std::string code;
    std::vector<std::string> phrases; ///< a note of the kind has one of them
};
const std::vector<WarningKind>& warning_kinds();

/// The code of a note, "other" where the table has none for it.
std::string code_of_warning(const std::string& note);

} // namespace lsrecon
