// Writes each finished frame to a file with a hash, locks the folder, and compares identities when
// a run is resumed.

#include "io/part_folder.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <optional>
#include <string_view>
#include <sys/file.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

#include "base/bytes_as_text.hpp"
#include "base/error.hpp"
#include "base/float_range.hpp"
#include "base/input_file.hpp"
#include "base/named_files.hpp"
#include "base/numbers.hpp"
#include "base/output_file.hpp"
#include "base/packed.hpp"

namespace lsrecon {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view signature = "lsrecon-part 10\n";
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
    template <typename Archive> void each(Archive& archive) { archive(identity, chosen); }
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

/// A file: the signature, a hash of its name and of all that follows, the head with its size, and
/// the values.
struct Content {
    std::string head;
    FileBytes values;

    std::string hash(const std::string& name) const {
        Sha256 hash;
        return hash.add(packed(name) + packed(head)).add(values.data(), values.size()).hex();
    }
};

/// None where the file is damaged, or a copy of another. InputError when this version wrote no such
/// file.
std::optional<Content> content_of(const std::string& folder, const std::string& name) {
    const std::string path = folder + "/" + name;
    const InputFile file(path);
    std::uint64_t at = 0;
    const auto take = [&](void* to, std::size_t size) {
        at += size;
        return read_all(file.descriptor(), to, size, at - size);
    };
    std::string found(signature.size(), '\0');
    if (!take(found.data(), found.size()) || found != signature) {
        throw InputError({path, "file", "not what this version of lsrecon kept",
                          "what 'lsrecon recon' keeps of an image", "move the folder away"});
    }
    std::string hash(Sha256::digits, '\0');
    std::uint64_t size = 0;
    if (!take(hash.data(), hash.size()) || !take(&size, sizeof(size)) || size > file.bytes() - at) {
        return std::nullopt;
    }
    Content content{std::string(size, '\0'), FileBytes(file.bytes() - at - size)};
    const bool is_whole = take(content.head.data(), size) &&
                          take(content.values.data(), content.values.size()) &&
                          content.hash(name) == hash;
    return is_whole ? std::optional(std::move(content)) : std::nullopt;
}

void write_file(const std::string& folder, mode_t mode, const std::string& name,
                const Content& content) {
    const std::string before = std::string(signature) + content.hash(name) + packed(content.head);
    const FileBytes& values = content.values;
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

Finding kept_in(const std::string& folder, const std::string& which) {
    return {Found::frames_kept, {}, {{"folder", folder}, {"which", which}}};
}

} // namespace

std::string PartFolder::path_for(const std::string& image) {
    return resolved_path(image).target + ".part";
}

void PartFolder::require_none(const std::string& image) {
    const std::string path = path_for(image);
    struct stat status {};
    if (::lstat(path.c_str(), &status) == 0) {
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
    std::optional<Content> content;
    try {
        content = content_of(path_for(image), file_of_choice);
    } catch (const InputError&) { // there is none
    }
    auto kept = content ? unpacked<PackedChoice>(content->head) : PackedChoice();
    return difference(kept.identity, identity) ? "" : std::move(kept.chosen);
}

PartFolder::PartFolder(const std::string& image, Record identity, std::string chosen)
    : path_(path_for(image)), mode_(resolved_path(image).mode()), identity_(std::move(identity)),
      chosen_(std::move(chosen)) {}

PartFolder::PartFolder(const std::string& image, std::size_t frames, Record identity, bool resume,
                       std::string chosen)
    : PartFolder(image, std::move(identity), std::move(chosen)) { // now the destructor closes
    struct stat status {};
    if (resume && ::lstat(path_.c_str(), &status) == 0) {
        open();
        read_frames(frames);
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

void PartFolder::read_frames(std::size_t count) {
    for (std::size_t f = 0; f < count; ++f) {
        const std::string name = std::to_string(f);
        if (!fs::exists(fs::symlink_status(path_ + "/" + name))) {
            continue;
        }
        if (const std::optional<Content> content = content_of(path_, name)) {
            const auto about = unpacked<PackedFrame>(content->head);
            require_same(about.identity);
            frames_.push_back(frame_of(f, about));
        } else {
            damaged_.push_back(f);
        }
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
                       {packed(PackedChoice{identity_, chosen_}), {}});
        }
        write_file(path_, mode_, std::to_string(frame.index),
                   {packed(about(frame, identity_)), std::move(frame.values)});
    } catch (const std::system_error& failure) {
        refuse("folder", text("it cannot be written: ", failure.code().message()),
               "a file system with enough free space",
               frames_.empty() ? "free some space or name another output"
                               : "free some space and continue with `resume`");
    }
    frames_.push_back(std::move(frame));
}

FileBytes PartFolder::values(std::size_t position) const {
    const std::size_t frame = frames_[position].index;
    std::optional<Content> content = content_of(path_, std::to_string(frame));
    if (!content) {
        refuse(text("frame ", frame), "it was damaged after it was written",
               "the values that were written", "check the disk, then continue with `resume`");
    }
    return std::move(content->values);
}

void PartFolder::remove() {
    if (folder_ >= 0) {
        std::error_code ignored;
        fs::remove_all(path_, ignored);
        ::close(folder_);
        folder_ = -1;
    }
}

FrameStore::FrameStore(const std::string& image, const Scan& scan, std::optional<Record> identity,
                       bool resume, Reporter& report, std::string chosen, std::size_t volumes,
                       Precision precision)
    : scan_(scan), voxels_(scan.voxels ? scan.voxels->size() : scan.grid.voxels()),
      volumes_(volumes), precision_(precision), position_(scan.frames.size()) {
    if (scan.frames.size() == 1 || !identity) {
        return;
    }
    part_.emplace(image, position_.size(), std::move(*identity), resume, std::move(chosen));
    for (const FinishedFrame& frame : part_->frames()) {
        position_[frame.index] = resumed_++;
    }
    if (!part_->damaged().empty()) {
        report.add({Found::frames_damaged,
                    {},
                    {{"folder", part_->path()}, {"frames", comma_separated(part_->damaged())}}});
    }
    promise();
}

std::optional<Finding> FrameStore::kept() const {
    if (!part_ || part_->frames().empty()) {
        return std::nullopt;
    }
    return kept_in(part_->path(), text(part_->frames().size(), " of ", position_.size()));
}

/// Prepares the message that the user reads when a signal ends the program from now on.
void FrameStore::promise() {
    if (const auto now = kept()) {
        const std::string words = words_of(*now); // a signal meanwhile has the words before
        promise_.emplace("lsrecon: stopped by a signal; " + words + "\n");
    }
}

void FrameStore::require_some() {
    LargestPart largest;
    for (std::size_t f = 0; f < position_.size(); ++f) {
        if (has(f)) {
            largest.add(&finished(f).largest_part, 1);
        }
    }
    try {
        require_an_image(largest.value(), precision_, scan_.file);
    } catch (const Error&) {
        remove_part();
        throw;
    }
}

void FrameStore::put(std::size_t frame,
                     const std::function<ImageFrame(FileValues& values)>& write) {
    FinishedFrame finished;
    FileValues values(voxels_ * volumes_, precision_);
    finished.index = frame;
    finished.image = write(values);
    finished.largest_part = values.largest_part();
    finished.values = std::move(values).bytes();
    if (!part_) {
        position_[frame] = kept_.size();
        kept_.push_back(std::move(finished));
        return;
    }
    position_[frame] = part_->frames().size();
    if (part_->frames().empty()) { // a signal may come when it is safe, and not yet counted
        promise_.emplace("lsrecon: stopped by a signal; " +
                         words_of(kept_in(part_->path(), "finished")));
    }
    part_->add(std::move(finished));
    promise();
}

void FrameStore::put(std::size_t frame, ImageFrame image) {
    put(frame, [&](FileValues& values) {
        values.put(0, image.values);
        image.values.resize(0);
        return std::move(image);
    });
}

const FinishedFrame& FrameStore::finished(std::size_t frame) const {
    const std::size_t at = position_[frame].value();
    return part_ ? part_->frames()[at] : kept_[at];
}

std::vector<ImageFrame> FrameStore::frames(const std::map<std::size_t, FailedFrame>& failed) const {
    std::vector<ImageFrame> frames;
    for (std::size_t f = 0; f < position_.size(); ++f) {
        if (has(f)) {
            frames.push_back(finished(f).image);
            continue;
        }
        frames.push_back(image_of_failed(scan_.frames[f], failed.at(f)));
    }
    return frames;
}

PartValues FrameStore::stored() const {
    return [this](std::size_t frame, const TakeBytes& take) {
        const auto take_all = [&](const auto& values) {
            take(values.data(), values.size() * sizeof(values.front()));
        };
        if (!has(frame)) {
            const std::size_t count = voxels_ * volumes_;
            precision_ == Precision::float64 ? take_all(values_of_failed<double>(count))
                                             : take_all(values_of_failed<float>(count));
            return;
        }
        const std::size_t at = position_[frame].value();
        part_ ? take_all(part_->values(at)) : take_all(kept_[at].values);
    };
}

FrameValues FrameStore::values() const {
    return [this, stored = stored()](std::size_t frame) {
        ImageValues values(voxels_ * volumes_);
        char* to = reinterpret_cast<char*>(values.data());
        stored(frame, [&](const void* bytes, std::size_t size) {
            std::memcpy(to, bytes, size);
            to += size;
        });
        return values;
    };
}

void FrameStore::finish(bool all) {
    if (all) {
        remove_part();
    }
    promise_.reset();
}

void FrameStore::remove_part() {
    promise_.reset();
    if (part_) {
        part_->remove();
    }
}

} // namespace lsrecon
