// Writes to stdout, stderr and text files; keys in messages of the library become flags of the
// program.

#include "app/output.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdarg>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "app/command.hpp"
#include "base/escaped.hpp"
#include "base/output_file.hpp"
#include "io/formats.hpp"
#include "io/image/cfl.hpp"
#include "io/part_folder.hpp"

namespace lsrecon::app {

namespace {

std::string in_format(const char* format, std::va_list values) {
    std::va_list again;
    va_copy(again, values);
    std::string result(static_cast<std::size_t>(std::vsnprintf(nullptr, 0, format, again)), '\0');
    va_end(again);
    std::vsnprintf(result.data(), result.size() + 1, format, values);
    return result;
}

bool& is_silent() {
    static bool silent = false;
    return silent;
}

/// UsageError where the output would replace what nothing makes again.
void require_expendable(const NamedOutput& output) {
    if (!resolved_path(output.path).exists) {
        return;
    }
    const auto refuse = [&](const std::string& found, const std::string& expected) {
        throw UsageError({output.path, output.flag, found,
                          text(expected, ", or a name that is free"),
                          "name another output; if nobody needs the file, remove it first"});
    };
    if (const std::string scan = name_of_scan_format(output.path); !scan.empty()) {
        refuse("it is " + scan, "a file that is no scan");
    }
    if (output.kind == FileKind::cfl && ending_of(output.path) == "hdr" &&
        !recognises_cfl(output.path)) {
        refuse("a header of another format", "a header of BART's pair");
    }
}

} // namespace

void silence() {
    is_silent() = true;
}

void put(std::FILE* to, const std::string& line, const char* before, const char* after) {
    if (is_silent()) {
        return;
    }
    const std::string whole = before + with_flags(printable(line)) + after;
    std::fwrite(whole.data(), 1, whole.size(), to);
}

void put_page(const std::string& lines) {
    if (!is_silent()) {
        std::fwrite(lines.data(), 1, lines.size(), stdout);
    }
}

std::string with_flags(std::string message, const std::string& quote) {
    std::size_t open = message.find('`');
    while (open != std::string::npos) {
        const std::size_t close = message.find('`', open + 1);
        const std::string key = message.substr(open + 1, close - open - 1);
        if (close != std::string::npos && is_key(key)) {
            const std::string flag = quote + flag_of(key) + quote;
            message.replace(open, close + 1 - open, flag);
            open = message.find('`', open + flag.size());
        } else {
            open = close;
        }
    }
    return message;
}

void put_error(const std::string& message, const char* before) {
    std::istringstream lines("lsrecon: " + message);
    for (std::string line; std::getline(lines, line); before = "") {
        put(stderr, line, before);
    }
}

void print_line(const char* format, ...) {
    std::va_list values;
    va_start(values, format);
    put(stdout, in_format(format, values));
    va_end(values);
}

std::string formatted(const char* format, ...) {
    std::va_list values;
    va_start(values, format);
    std::string result = in_format(format, values);
    va_end(values);
    return result;
}

void check_files(const std::vector<NamedInput>& inputs, const std::vector<NamedOutput>& outputs,
                 bool quiet) {
    require_files(inputs, outputs);
    std::for_each(outputs.begin(), outputs.end(), &require_expendable);
    for (const NamedOutput& output : outputs) {
        if (!quiet && std::filesystem::exists(output.path)) {
            put(stderr, output.path + " is there, and will be replaced");
        }
    }
}

void write_text(const std::string& path, const std::string& content) {
    ReplacingFile file(path);
    errno = 0;
    std::ofstream stream(file.path());
    stream << content;
    stream.close();
    if (!stream) {
        fail_to_write(path, errno);
    }
    file.commit();
}

void require_all_frames(const std::map<std::size_t, FailedFrame>& failed, std::size_t frames,
                        const std::string& output, bool kept) {
    if (failed.empty()) {
        return;
    }
    std::vector<std::size_t> indices;
    for (const auto& [index, frame] : failed) {
        indices.push_back(index);
    }
    const ExitCode first = failed.begin()->second.code;
    throw Error(
        first,
        text(list_of_failures(indices, frames), "\n  found:    NaN for them in ", output,
             "; its /record/frame_errors says why", "\n  next:     ",
             kept ? text("run the command again with --resume to try them again; "
                         "the others are kept in ",
                         PartFolder::path_for(output),
                         first == ExitCode::input
                             ? ". If you correct the scan, remove that folder to begin again."
                             : "")
                  : "correct these frames and run the command again; the others "
                    "were solved together without them"));
}

void flush_stdout() {
    const bool lost_before = std::ferror(stdout) != 0;
    errno = 0;
    if (std::fflush(stdout) != 0 || lost_before) {
        fail_to_write("stdout", errno);
    }
}

} // namespace lsrecon::app
