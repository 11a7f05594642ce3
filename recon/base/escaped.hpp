// Text as XML, terminals, tables and shells take it.
#pragma once

#include <algorithm>
#include <cctype>
#include <cstring>
#include <iterator>
#include <string>
#include <utility>

namespace lsrecon {

/// The characters that XML and HTML write as entities.
inline constexpr std::pair<const char*, char> entities[] = {
    {"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&#39;", '\''}};

/// Text as XML and HTML hold it, in elements and in quoted attributes. Control characters, which
/// XML cannot hold, become blanks.
inline std::string escaped(const std::string& text) {
    std::string result;
    for (const char c : text) {
        const auto found = std::find_if(std::begin(entities), std::end(entities),
                                        [c](const auto& entity) { return entity.second == c; });
        result += found != std::end(entities)            ? found->first
                  : static_cast<unsigned char>(c) < 0x20 ? std::string(" ")
                                                         : std::string(1, c);
    }
    return result;
}

/// Undoes escaped(), except that control characters stay blanks.
inline std::string unescaped(const std::string& text) {
    std::string result;
    for (std::size_t at = 0; at < text.size();) {
        const auto found =
            std::find_if(std::begin(entities), std::end(entities), [&](const auto& entity) {
                return text.compare(at, std::strlen(entity.first), entity.first) == 0;
            });
        const bool is_entity = found != std::end(entities);
        result += is_entity ? found->second : text[at];
        at += is_entity ? std::strlen(found->first) : 1;
    }
    return result;
}

/// Foreign text on one line of a terminal: control characters, which could colour or move it,
/// become blanks. Of more than `most` bytes the first, whole characters of UTF-8, and how many
/// there are.
inline std::string printable(const std::string& text, std::size_t most = std::string::npos) {
    const auto is_control = [&](std::size_t i) {
        const auto byte = static_cast<unsigned char>(text[i]);
        const auto before = static_cast<unsigned char>(i > 0 ? text[i - 1] : ' ');
        return byte < 0x20 || byte == 0x7f || (before == 0xc2 && byte >= 0x80 && byte < 0xa0);
    };
    std::size_t end = std::min(most, text.size());
    while (end > 0 && end < text.size() &&
           (static_cast<unsigned char>(text[end]) & 0xc0U) == 0x80) {
        --end;
    }
    std::string result = text.substr(0, end);
    for (std::size_t i = 0; i < end; ++i) {
        if (is_control(i)) {
            result[i] = ' ';
            if (static_cast<unsigned char>(text[i]) >= 0x80) {
                result[i - 1] = ' ';
            }
        }
    }
    return end == text.size() ? result : result + "... (" + std::to_string(text.size()) + " bytes)";
}

/// A field of a table whose columns are separated by tabs, as C writes a text: control characters
/// and backslashes are escapes.
inline std::string in_one_field(const std::string& text) {
    constexpr char digits[] = "0123456789abcdef";
    std::string field;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '\t' || c == '\n' || c == '\\') {
            field += c == '\t' ? "\\t" : c == '\n' ? "\\n" : "\\\\";
        } else if (byte < 0x20 || byte == 0x7f) {
            field += std::string("\\x") + digits[byte / 16] + digits[byte % 16];
        } else {
            field += c;
        }
    }
    return field;
}

/// A word of a command that a user may paste into a shell.
inline std::string shell_word(const std::string& word) {
    const auto is_plain = [](unsigned char c) {
        return std::isalnum(c) != 0 || std::string("_./-").find(c) != std::string::npos;
    };
    if (!word.empty() && std::all_of(word.begin(), word.end(), is_plain)) {
        return word;
    }
    std::string quoted;
    for (const char c : word) {
        quoted += c == '\'' ? "'\\''" : std::string(1, c);
    }
    return "'" + quoted + "'";
}

} // namespace lsrecon
