#pragma once

#include "base/finding.hpp"

namespace lsrecon::test {

/// Their codes, in order.
inline std::vector<std::string> codes_of(const Findings& findings) {
    std::vector<std::string> codes;
    for (const Finding& finding : findings) {
        codes.push_back(row_of(finding).code);
    }
    return codes;
}

/// The first one of a kind; one without numbers and words where there is none.
inline Finding find(const Findings& findings, Found found) {
    for (const Finding& finding : findings) {
        if (finding.code == found) {
            return finding;
        }
    }
    return {};
}

inline bool has(const Findings& findings, Found found) {
    for (const Finding& finding : findings) {
        if (finding.code == found) {
            return true;
        }
    }
    return false;
}

} // namespace lsrecon::test
