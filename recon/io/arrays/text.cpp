// Numbers in text: a line a row, separated by commas, semicolons or blanks.

#include <algorithm>
#include <fstream>

#include "base/error.hpp"
#include "base/escaped.hpp"
#include "base/option.hpp"
#include "io/arrays/formats.hpp"

namespace lsrecon {

namespace {

constexpr const char* separators = ",; \t\r";

std::vector<std::string> words_of(const std::string& line) {
    std::vector<std::string> words;
    std::size_t at = 0;
    while ((at = line.find_first_not_of(separators, at)) != std::string::npos) {
        const std::size_t end = std::min(line.find_first_of(separators, at), line.size());
        words.push_back(line.substr(at, end - at));
        at = end;
    }
    return words;
}

bool is_comment(const std::string& line) {
    const std::size_t at = line.find_first_not_of(separators);
    return at == std::string::npos || line[at] == '#' || line[at] == '%';
}

std::optional<std::vector<double>> numbers_of(const std::string& line) {
    std::vector<double> numbers;
    for (const std::string& word : words_of(line)) {
        const std::optional<double> number = option::finite_number(word);
        if (!number) {
            return std::nullopt;
        }
        numbers.push_back(*number);
    }
    return numbers;
}

/// The first line that is no comment, of the first few; a line of names may stand before numbers.
std::optional<std::vector<double>> first_numbers(std::ifstream& stream) {
    constexpr int most = 100;
    constexpr std::size_t longest = 4096;
    std::string line(longest, '\0');
    int names = 0;
    for (int i = 0; i < most && names < 2 && stream.getline(line.data(), longest); ++i) {
        const std::string read = line.c_str();
        if (read.size() + 1 < static_cast<std::size_t>(stream.gcount())) {
            return std::nullopt; // bytes of 0 are no text
        }
        if (is_comment(read)) {
            continue;
        }
        if (const auto numbers = numbers_of(read)) {
            return numbers;
        }
        ++names;
    }
    return std::nullopt;
}

} // namespace

bool recognises_numbers_in_text(const std::string& path) {
    std::ifstream stream(path, std::ios::binary);
    return first_numbers(stream).has_value();
}

std::vector<StoredArray> open_numbers_in_text(const std::string& path) {
    const auto file = std::make_shared<InputFile>(path);
    file->start_hash();
    std::string content(file->bytes(), '\0');
    bytes_of(file, 0, content.size()).read(content.data(), content.size(), 0);
    const auto numbers = std::make_shared<std::vector<double>>();
    std::size_t columns = 0;
    std::size_t number = 0; // of the line
    for (const std::string& line : option::split(content, '\n')) {
        ++number;
        if (is_comment(line)) {
            continue;
        }
        const auto row = numbers_of(line);
        if (!row && columns == 0) {
            continue; // names of the columns
        }
        if (!row || (columns > 0 && row->size() != columns)) {
            throw InputError({path, text("line ", number), "\"" + printable(line, 80) + "\"",
                              text(columns, " numbers, as in the lines before"),
                              "correct the line"});
        }
        columns = row->size();
        numbers->insert(numbers->end(), row->begin(), row->end());
    }
    return {array_of_doubles(path, "numbers", numbers, columns, file->sha256(), "")};
}

} // namespace lsrecon
