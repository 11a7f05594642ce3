#pragma once

#include <string>

namespace lsrecon {

/// Text as XML and HTML hold it, in elements and in quoted attributes. Control characters, which
/// XML cannot hold, become blanks.
inline std::string escaped(const std::string& text) {
    std::string result;
    for (const char c : text) {
        switch (c) {
        case '&':
            result += "&amp;";
            break;
        case '<':
            result += "&lt;";
            break;
        case '>':
            result += "&gt;";
            break;
        case '"':
            result += "&quot;";
            break;
        case '\'':
            result += "&#39;";
            break;
        default:
            result += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
        }
    }
    return result;
}

} // namespace lsrecon
