#pragma once

#include <string>
#include <utility>

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

/// What escaped() made of a text, without the control characters.
inline std::string unescaped(const std::string& text) {
    static const std::pair<const char*, char> entities[] = {
        {"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&#39;", '\''}};
    std::string result;
    for (std::size_t at = 0; at < text.size();) {
        char c = text[at];
        std::size_t length = 1;
        for (const auto& [entity, meaning] : entities) {
            const std::string name = entity;
            if (text.compare(at, name.size(), name) == 0) {
                c = meaning;
                length = name.size();
            }
        }
        result += c;
        at += length;
    }
    return result;
}

} // namespace lsrecon
