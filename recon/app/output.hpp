// What the program prints and writes, and the checks of the files before its work.
#pragma once

#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include "base/named_files.hpp"
#include "scan/failed_frames.hpp"

namespace lsrecon::app {

/// Text leaves the program by these alone. Keys that the library's messages name become flags.
/// Control characters, which a file may hold to colour a terminal or to forge a line, become
/// blanks. `before` and `after` are the program's own.
void put(std::FILE* to, const std::string& line, const char* before = "", const char* after = "\n");
/// Nothing leaves it from now on.
void silence();
/// "lsrecon: " and a message of several lines, on stderr.
void put_error(const std::string& message, const char* before = "");
/// Lines on stdout that are the program's own, such as a help.
void put_page(const std::string& lines);
/// A line on stdout, of printf's format without its end.
[[gnu::format(printf, 1, 2)]] void print_line(const char* format, ...);
[[gnu::format(printf, 1, 2)]] std::string formatted(const char* format, ...);

/// "--maps-crop" in place of "`maps_crop`", by which the library names an option; between quotes.
std::string with_flags(std::string message, const std::string& quote = "");

/// require_files(); UsageError, too, where an output would replace a scan, or a header of another
/// format than BART's. Unless quiet, a word on each output that is there and will be replaced.
void check_files(const std::vector<NamedInput>& inputs, const std::vector<NamedOutput>& outputs,
                 bool quiet = true);

/// Writes a text file beside and renames it into place.
void write_text(const std::string& path, const std::string& content);

/// An error when frames failed, with the exit code of the first: the output is written, but not
/// whole. `kept`: the others are in the part, for --resume.
void require_all_frames(const std::map<std::size_t, FailedFrame>& failed, std::size_t frames,
                        const std::string& output, bool kept = true);

/// InputError when printed text could not be written, because stdout is full or closed.
void flush_stdout();

} // namespace lsrecon::app
