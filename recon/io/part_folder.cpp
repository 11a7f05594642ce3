#include "io/part_folder.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sys/file.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

#include "base/error.hpp"
#include "base/file_bytes.hpp"
#include "base/packed.hpp"
#include "base/resolved_path.hpp"
#include "base/sha256.hpp"
#include "base/temporary_file.hpp"

namespace lsrecon {

namespace {

namespace fs = std::filesystem;

constexpr std::array<char, 16> signature{"lsrecon-part 9\n"};
constexpr const char* file_of_choice = "chosen";

/// The content of the file of a frame beside its values.
struct PackedFrame {
    Record identity; ///< what it depends on
    std::vector<double> position; ///< empty, or 3 numbers
    ImageFrame image; ///< without values, and without its position
    double largest_part = 0;
    template <typename Archive> void each(Archive& archive) {
        archive(identity, image.label, position, largest_part, image);
    }
};

struct PackedChoice {
    Record identity;
    std::string chosen;
    std::string hash; ///< of it: a damaged one would choose anything
    template <typename Archive> void each(Archive& archive) { archive(identity, chosen, hash); }
};

PackedFrame about(const FinishedFrame& frame, const Record& identity) {
    PackedFrame about{identity, {}, frame.image, frame.largest_part};
    if (frame.image.position) {
        about.position.assign(frame.image.position->begin(), frame.image.position->end());
    }
    return about;
}

FinishedFrame frame_of(std::size_t index, const PackedFrame& about) {
    FinishedFrame frame{index, about.image, {}, about.largest_part};
    if (about.position.size() == 3) {
        frame.image.position = Vec3{about.position[0], about.position[1], about.position[2]};
    }
    return frame;
}

/// Reads up to where the values begin; "" when this program wrote no such file.
std::string read_head(std::ifstream& file) {
    std::array<char, signature.size()> found{};
    std::uint64_t size = 0;
    file.read(found.data(), found.size());
    file.read(reinterpret_cast<char*>(&size), sizeof size);
    constexpr std::uint64_t most = 1U << 28U; // a damaged file may say anything
    std::string bytes(file && found == signature && size < most ? size : 0, '\0');
    file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    return file ? bytes : "";
}

std::optional<PackedFrame> read_about(std::ifstream& file) {
    const std::string bytes = read_head(file);
    return bytes.empty() ? std::nullopt : std::optional(unpacked<PackedFrame>(bytes));
}

/// A file: its head, and the values behind it.
void write_file(const std::string& folder, mode_t mode, const std::string& name,
                const std::string& head, const FileBytes& values) {
    const std::string before = std::string(signature.begin(), signature.end()) + packed(head);
    TemporaryFile file(folder, mode);
    if (!write_all(file.descriptor(), before.data(), before.size(), 0) ||
        !write_all(file.descriptor(), values.data(), values.size(), before.size())) {
        throw std::system_error(errno, std::generic_category());
    }
    file.put_at(folder + "/" + name);
}

std::string in_quotes(const std::string& value) {
    return value.empty() ? "nothing" : "\"" + value + "\"";
}

[[noreturn]] void refuse_second(const std::string& path) {
    throw UsageError({path, "folder", "another process is making this image", "one at a time",
                      "wait until it ends, or name another output"});
}

/// Open for its lock, below 0 where it cannot be opened; UsageError when another process has it.
int open_locked(const std::string& path) {
    const int folder = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder >= 0 && ::flock(folder, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
        ::close(folder);
        refuse_second(path);
    }
    return folder;
}

const char* const begin_again = "remove it to begin again";

} // namespace

std::string PartFolder::path_for(const std::string& image) {
    return resolved_path(image).target + ".part";
}

void PartFolder::require_none(const std::string& image) {
    const std::string path = path_for(image);
    struct stat facts {};
    if (::lstat(path.c_str(), &facts) == 0) {
        ::close(open_locked(path));
        throw UsageError({path, "folder", "frames of an image that was not finished",
                          "no such folder", text("continue with `resume`, or ", begin_again)});
    }
}

void PartFolder::refuse(const std::string& thing, const std::string& found,
                        const std::string& expected, const std::string& next_step) const {
    throw InputError({path_, thing, found, expected, next_step});
}

std::string PartFolder::chosen_in(const std::string& image, const Record& identity) {
    std::ifstream file(path_for(image) + "/" + file_of_choice, std::ios::binary);
    const std::string bytes = read_head(file);
    try {
        auto kept = bytes.empty() ? PackedChoice() : unpacked<PackedChoice>(bytes);
        const bool is_whole = kept.hash == Sha256().add(kept.chosen).hex();
        return is_whole && !difference(kept.identity, identity) ? std::move(kept.chosen) : "";
    } catch (const std::length_error&) { // it ends too early
        return "";
    }
}

PartFolder::PartFolder(const std::string& image, Record identity, std::string chosen)
    : path_(path_for(image)), mode_(resolved_path(image).mode()), identity_(std::move(identity)),
      chosen_(std::move(chosen)) {}

PartFolder::PartFolder(const std::string& image, Record identity, bool resume, std::string chosen)
    : PartFolder(image, std::move(identity), std::move(chosen)) { // now the destructor closes
    struct stat facts {};
    if (resume && ::lstat(path_.c_str(), &facts) == 0) {
        open();
        read_frames();
    }
}

PartFolder::~PartFolder() {
    if (folder_ >= 0) {
        ::close(folder_);
    }
}

void PartFolder::open() {
    folder_ = open_locked(path_);
    if (folder_ < 0) {
        refuse("folder", std::strerror(errno), "a folder that can be read and written",
               "check its permissions and those of its folder, or move it away");
    }
}

std::string PartFolder::file_of(std::size_t frame) const {
    return path_ + "/" + std::to_string(frame);
}

void PartFolder::read_frames() {
    for (const fs::directory_entry& entry : fs::directory_iterator(path_)) {
        const std::string name = entry.path().filename().string();
        if (name.find_first_not_of("0123456789") != std::string::npos) {
            continue; // a file that was not finished
        }
        std::ifstream file(entry.path(), std::ios::binary);
        const std::optional<PackedFrame> about = read_about(file);
        if (!about) {
            refuse("frame " + name, "not a frame that this version of lsrecon kept",
                   "what 'lsrecon recon' keeps of an image", "move the folder away");
        }
        require_same(about->identity);
        frames_.push_back(frame_of(std::stoul(name), *about));
    }
}

void PartFolder::require_same(const Record& stored) const {
    if (const std::optional<Difference> other = difference(stored, identity_)) {
        refuse("it was made with other settings: " + other->thing, in_quotes(other->before),
               in_quotes(other->now) + ", that of this run",
               text("use the settings of the first run, or ", begin_again, " and lose its frames"));
    }
}

void PartFolder::begin() {
    const mode_t to_enter = (mode_ & 0444U) >> 2U; // for those who may read the image
    if (::mkdir(path_.c_str(), mode_ | to_enter) != 0 && errno == EEXIST) {
        refuse_second(path_);
    }
    open();
}

void PartFolder::add(FinishedFrame frame) {
    try {
        if (folder_ < 0) {
            begin();
        }
        if (!chosen_.empty() && !fs::exists(path_ + "/" + file_of_choice)) {
            write_file(path_, mode_, file_of_choice,
                       packed(PackedChoice{identity_, chosen_, Sha256().add(chosen_).hex()}), {});
        }
        write_file(path_, mode_, std::to_string(frame.index), packed(about(frame, identity_)),
                   frame.values);
    } catch (const std::system_error& failure) {
        refuse("folder", text("it cannot be written: ", failure.code().message()),
               "a file system with enough free space",
               frames_.empty() ? "free some space or name another output"
                               : "free some space and continue with `resume`");
    }
    frame.values = FileBytes(); // {} would keep their memory
    frames_.push_back(std::move(frame));
}

FileBytes PartFolder::values(std::size_t position) const {
    const std::size_t frame = frames_[position].index;
    std::ifstream file(file_of(frame), std::ios::binary);
    FileBytes values;
    const bool begins = read_about(file).has_value();
    if (begins) {
        values.resize(fs::file_size(file_of(frame)) - static_cast<std::size_t>(file.tellg()));
        file.read(values.data(), static_cast<std::streamsize>(values.size()));
    }
    if (!begins || !file) {
        refuse(text("frame ", frame), "it cannot be read again", "the values that were written",
               text("check the disk, then ", begin_again));
    }
    return values;
}

void PartFolder::remove() {
    if (folder_ >= 0) {
        std::error_code ignored;
        fs::remove_all(path_, ignored);
        ::close(folder_);
        folder_ = -1;
    }
}

} // namespace lsrecon
