// What tests expect of a message: the names, numbers and options in it, whatever its words.
#pragma once

#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

namespace lsrecon::test {

/// The first of the names, numbers and options that a message does not hold as whole words; ""
/// where it holds them all. What stands between them may change.
inline std::string lacks(const std::string& message, const std::vector<std::string>& tokens) {
    const auto is_part = [&](std::size_t at) { // of a word or a number
        const auto alnum = [&](std::size_t n) {
            return n < message.size() && std::isalnum(static_cast<unsigned char>(message[n])) != 0;
        };
        return alnum(at) || (at < message.size() && message[at] == '.' && alnum(at + 1));
    };
    for (const std::string& token : tokens) {
        bool held = false;
        for (std::size_t at = message.find(token); at != std::string::npos && !held;
             at = message.find(token, at + 1)) {
            const bool begins = at == 0 || !is_part(at - 1) || !is_part(at);
            held = begins && (!is_part(at + token.size()) || !is_part(at + token.size() - 1));
        }
        if (!held) {
            return "'" + token + "' in: " + message;
        }
    }
    return "";
}

/// Whether one of several messages holds all of them.
inline bool one_holds(const std::vector<std::string>& messages,
                      const std::vector<std::string>& tokens) {
    return std::any_of(messages.begin(), messages.end(),
                       [&](const std::string& message) { return lacks(message, tokens).empty(); });
}

} // namespace lsrecon::test
