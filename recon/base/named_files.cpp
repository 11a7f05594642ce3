// Resolves the paths that a user names, through links, and refuses outputs that would overwrite an
// input or have the ending of another format.

#include "base/named_files.hpp"

#include <cctype>
#include <cerrno>
#include <climits>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <system_error>
#include <unistd.h>

#include "base/error.hpp"
#include "base/output_file.hpp"

namespace lsrecon {

namespace {

constexpr int most_links = 40; // as many as Linux follows

std::string folder_of(const std::string& path) {
    const std::size_t slash = path.rfind('/');
    if (slash == std::string::npos) {
        return ".";
    }
    return slash == 0 ? "/" : path.substr(0, slash);
}

/// `path` with its symbolic links followed, or errno.
int follow(std::string& path) {
    for (int links = 0; links < most_links; ++links) {
        char link[PATH_MAX];
        const ssize_t size = ::readlink(path.c_str(), link, sizeof(link));
        if (size < 0) {
            return errno == EINVAL || errno == ENOENT ? 0 : errno; // no link, or no file
        }
        const std::string next(link, static_cast<std::size_t>(size));
        path = next.front() == '/' ? next : folder_of(path) + "/" + next;
    }
    return ELOOP;
}

bool same(const struct stat& a, const struct stat& b) {
    return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

} // namespace

std::string ResolvedPath::folder() const {
    return folder_of(target);
}

std::string ResolvedPath::name() const {
    return target.substr(target.rfind('/') + 1);
}

std::string ResolvedPath::what_is_wrong() const {
    if (exists && (error == 0 || !is_regular())) { // a pipe on /dev/stdin has no name
        return S_ISREG(status.st_mode)    ? ""
               : S_ISDIR(status.st_mode)  ? "it is a folder"
               : S_ISFIFO(status.st_mode) ? "it is a pipe"
               : S_ISSOCK(status.st_mode) ? "it is a socket"
                                          : "it is a device";
    }
    return error == 0 || error == ENOENT ? "no such file" : std::strerror(error);
}

ResolvedPath resolved_path(const std::string& path) {
    ResolvedPath result;
    result.path = path;
    result.target = path;
    result.exists = ::stat(path.c_str(), &result.status) == 0;
    if (!result.exists && errno != ENOENT) {
        result.error = errno;
        return result;
    }
    result.error = path.empty() ? ENOENT : follow(result.target);
    if (result.error != 0) {
        return result;
    }
    struct stat found {};
    const std::string& last = result.exists ? result.target : result.folder();
    if (::stat(last.c_str(), &found) != 0) {
        result.error = errno;
    } else if (result.exists && !same(found, result.status)) {
        result.error = ENOENT; // the file behind /proc/self/fd/3 may have no name any more
    }
    if (!result.exists) {
        result.status = found;
    }
    return result;
}

bool same_file(const ResolvedPath& a, const ResolvedPath& b) {
    return a.error == 0 && b.error == 0 && a.exists == b.exists && same(a.status, b.status) &&
           (a.exists || a.name() == b.name());
}

namespace {

using Words = std::vector<std::string>;

struct Format {
    std::string name;
    Words endings; ///< endings of this format
    bool others_too; ///< whether an ending that says nothing will do
};

const Format& format_of(FileKind kind) {
    static const Format formats[] = {{"HDF5", {"h5", "hdf5", "hdf", "mrd"}, true},
                                     {"PNG", {"png"}, false},
                                     {"JSON", {"json", "txt"}, true},
                                     {"NIfTI-1", {"nii", "nii.gz"}, false},
                                     {"BART's cfl and hdr", {"cfl", "hdr"}, false},
                                     {"HTML", {"html", "htm"}, false},
                                     {"text", {"log", "tsv", "txt"}, true}};
    static_assert(std::size(formats) == static_cast<int>(FileKind::log) + 1);
    return formats[static_cast<int>(kind)];
}

/// Endings of what this program does not write, and what would be believed of such a file.
const Words& endings_of_others() {
    static const Words endings{"nii",  "nii.gz", "gz",  "mat", "dcm",  "ima", "jpg",  "jpeg",
                               "tif",  "tiff",   "bmp", "gif", "webp", "svg", "pdf",  "npy",
                               "npz",  "cfl",    "hdr", "img", "mha",  "mhd", "nrrd", "mgz",
                               "nhdr", "csv",    "zip", "xml", "html", "htm"};
    return endings;
}

bool contains(const Words& words, const std::string& word) {
    return std::find(words.begin(), words.end(), word) != words.end();
}

bool says_another_format(const std::string& ending, const Format& own) {
    if (contains(own.endings, ending)) {
        return false;
    }
    const auto says = [&](FileKind kind) { return contains(format_of(kind).endings, ending); };
    return !own.others_too || contains(endings_of_others(), ending) || says(FileKind::hdf5) ||
           says(FileKind::png) || says(FileKind::json);
}

void require_ending(const NamedOutput& output) {
    const Format& own = format_of(output.kind);
    const std::string ending = ending_of(output.path);
    if (says_another_format(ending, own)) {
        throw UsageError({output.path, output.flag,
                          ending.empty() ? "a name without an ending" : "the ending ." + ending,
                          text(".", own.endings.front(),
                               own.others_too ? ", or the ending of no other format" : "",
                               ", since the output is ", own.name),
                          text("name a file that ends in .", own.endings.front())});
    }
}

[[noreturn]] void refuse_shared(const NamedOutput& output, const std::string& other_flag) {
    throw UsageError({output.path, output.flag, text("the file of ", other_flag),
                      "a file of its own", "name another output"});
}

} // namespace

std::string ending_of(const std::string& path) {
    const std::string name = path.substr(path.rfind('/') + 1);
    const std::size_t dot = name.rfind('.');
    std::string ending = dot == std::string::npos ? "" : name.substr(dot + 1);
    std::transform(ending.begin(), ending.end(), ending.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    const std::string before = name.substr(0, dot == std::string::npos ? 0 : dot);
    const bool compressed = ending == "gz" && before.size() > 4 && ending_of(before) == "nii";
    return compressed ? "nii.gz" : ending;
}

std::vector<std::string> file_and_halves(const std::string& path) {
    const std::string ending = ending_of(path);
    const std::string whole = ending == "gz" ? path.substr(0, path.size() - 3) : path;
    const bool is_half = contains({"cfl", "hdr", "img"}, ending_of(whole));
    const std::string base = is_half ? whole.substr(0, whole.size() - 4) : path;
    std::vector<std::string> files{path};
    for (const char* const half : {".cfl", ".hdr", ".img"}) {
        files.push_back(base + half);
        files.push_back(base + half + ".gz");
    }
    return files;
}

void require_no_pipes(const std::string& path) {
    for (const std::string& file : file_and_halves(path)) {
        const ResolvedPath resolved = resolved_path(file);
        if (resolved.exists && !resolved.is_regular() && !S_ISDIR(resolved.status.st_mode)) {
            throw InputError({file, "file", resolved.what_is_wrong(), "a file",
                              "write what it holds to a file, and name that"});
        }
    }
}

void require_input(const std::string& path, const std::string& thing) {
    const ResolvedPath resolved = resolved_path(path);
    std::string found = resolved.what_is_wrong();
    if (found.empty()) {
        const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
        found = file < 0 ? std::strerror(errno) : "";
        ::close(file);
    }
    if (!found.empty()) {
        throw InputError(
            {path, thing, found, "a file that can be read", "check the path and its permissions"});
    }
}

void require_files(const std::vector<NamedInput>& inputs, const std::vector<NamedOutput>& outputs) {
    struct Known {
        std::string flag;
        ResolvedPath path;
    };
    std::vector<Known> known;
    for (const NamedInput& input : inputs) {
        if (!input.path.empty()) {
            require_input(input.path, input.flag);
            for (const std::string& file : file_and_halves(input.path)) {
                if (const ResolvedPath resolved = resolved_path(file); resolved.exists) {
                    known.push_back({input.flag, resolved});
                }
            }
        }
    }
    for (const NamedOutput& output : outputs) {
        if (output.path.empty()) {
            continue;
        }
        const ResolvedPath resolved = resolved_path(output.path);
        require_replaceable(resolved);
        for (const Known& other : known) {
            if (same_file(resolved, other.path)) {
                refuse_shared(output, other.flag);
            }
        }
        known.push_back({output.flag, resolved});
        require_ending(output);
        const ReplacingFile can_be_written(output.path);
    }
}

void require_folder(const std::string& flag, const std::string& path) {
    if (path.empty()) {
        return;
    }
    try {
        std::filesystem::create_directories(path);
        const TemporaryFile can_be_written(path);
    } catch (const std::system_error& failure) {
        throw UsageError({path, flag, failure.code().message(), "a folder that can be written",
                          "change its permissions or name another folder"});
    }
}

} // namespace lsrecon
