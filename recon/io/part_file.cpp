#include "io/part_file.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <map>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.hpp"
#include "base/file_bytes.hpp"
#include "base/packed.hpp"
#include "base/place.hpp"
#include "io/part_record.hpp"

namespace lsrecon {

namespace {

constexpr std::array<char, 16> signature{"lsrecon-part 4\n"};

struct PackedIdentity {
    std::vector<std::string> names;
    std::vector<std::string> values;
    template <typename Archive> void each(Archive& archive) { archive(names, values); }
};

struct PackedFrame {
    std::uint64_t index = 0;
    std::string label;
    std::vector<double> position; ///< empty, or 3 numbers
    ResidualHistories residuals;
    std::string solver;
    std::vector<Stop> stops;
    double largest_part = 0;
    double late_change = 0;
    double explained = 0;
    double unexplained = 0;
    double resolved_lambda = 0;
    double image_error = 0;
    template <typename Archive> void each(Archive& archive) {
        archive(index, label, position, residuals, solver, stops, largest_part, late_change,
                explained, unexplained, resolved_lambda, image_error);
    }
};

std::string packed_frame(const FinishedFrame& frame) {
    const ImageFrame& image = frame.image;
    PackedFrame about{frame.index,        image.label,           {},
                      image.residuals,    image.solver,          image.stops,
                      frame.largest_part, image.late_change,     image.explained,
                      image.unexplained,  image.resolved_lambda, image.image_error};
    if (image.position) {
        about.position.assign(image.position->begin(), image.position->end());
    }
    return packed(about);
}

FinishedFrame unpacked_frame(const std::string& bytes) {
    const auto about = unpacked<PackedFrame>(bytes);
    FinishedFrame frame;
    frame.index = about.index;
    frame.image = {{},
                   about.label,
                   {},
                   about.residuals,
                   about.solver,
                   about.stops,
                   about.late_change,
                   about.explained,
                   about.unexplained,
                   about.resolved_lambda,
                   about.image_error};
    if (about.position.size() == 3) {
        frame.image.position = Vec3{about.position[0], about.position[1], about.position[2]};
    }
    frame.largest_part = about.largest_part;
    return frame;
}

/// So that the name of a new file is on disk, too.
void sync_folder(const std::string& path) {
    const int folder = ::open(resolved_path(path).folder().c_str(), O_RDONLY | O_CLOEXEC);
    if (folder >= 0) {
        ::fsync(folder);
        ::close(folder);
    }
}

std::string quoted(const std::string& words) {
    return "\"" + words + "\"";
}

/// What a frame depends on; a remark has no value.
std::string entry(const std::string& name, const std::string& value) {
    return quoted(value.empty() ? name : name + " = " + value);
}

[[noreturn]] void refuse_second(const std::string& path) {
    throw UsageError({path, "file", "another process is making this image", "one at a time",
                      "wait until it ends, or name another output"});
}

const char* const begin_again = "remove it to begin again";

} // namespace

std::string PartFile::path_for(const std::string& image) {
    return resolved_path(image).target + ".part";
}

void PartFile::require_none(const std::string& image) {
    const std::string path = path_for(image);
    struct stat facts {};
    if (::lstat(path.c_str(), &facts) == 0) {
        const int file = ::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
        const bool in_use =
            file >= 0 && ::flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
        ::close(file);
        if (in_use) {
            refuse_second(path);
        }
        throw UsageError({path, "file", "frames of an image that was not finished", "no such file",
                          text("continue with --resume, or ", begin_again)});
    }
}

void PartFile::refuse(const std::string& thing, const std::string& found,
                      const std::string& expected, const std::string& next_step) const {
    throw InputError({path_, thing, found, expected, next_step});
}

PartFile::PartFile(const std::string& image, Identity identity, bool resume)
    : path_(path_for(image)), mode_(resolved_path(image).mode()), identity_(std::move(identity)) {
    if (resume) {
        open(false);
    }
    if (file_ >= 0) {
        try {
            read_frames();
        } catch (...) {
            ::close(file_);
            throw;
        }
    }
}

PartFile::~PartFile() {
    if (file_ >= 0) {
        ::close(file_);
    }
}

void PartFile::open(bool create) {
    file_ = ::open(path_.c_str(),
                   O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | (create ? O_CREAT | O_EXCL : 0),
                   mode_);
    if (file_ < 0 && create && errno == EEXIST) {
        refuse_second(path_);
    }
    if (file_ < 0) {
        if (!create && errno == ENOENT) {
            return;
        }
        refuse("file", std::strerror(errno), "a file that can be read and written",
               "check its permissions and those of its folder");
    }
    if (::flock(file_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
        ::close(file_);
        file_ = -1;
        refuse_second(path_);
    }
}

void PartFile::read_frames() {
    std::array<char, signature.size()> found{};
    const bool begun = read_all(file_, found.data(), found.size(), 0);
    if (begun && found != signature) {
        refuse("file", "not a part file of lsrecon", "what 'lsrecon recon' keeps of an image",
               "move it away");
    }
    std::optional<PartRecord> record;
    if (begun) {
        record = read_part_record(file_, signature.size(), false);
    }
    if (!record) { // it ended before its first frame
        end_ = 0;
        return;
    }
    require_identity(record->about);
    while (record) {
        end_ = record->end;
        record = read_part_record(file_, end_, false);
        if (record) {
            frames_.push_back(unpacked_frame(record->about));
            at_.push_back(end_);
        }
    }
}

void PartFile::require_identity(const std::string& about) const {
    const auto stored = unpacked<PackedIdentity>(about);
    const std::string next =
        text("run with what it was begun with, or ", begin_again, ": its frames are then lost");
    std::map<std::string, std::string> of_run(identity_.begin(), identity_.end());
    for (std::size_t i = 0; i < stored.names.size(); ++i) {
        const std::string& name = stored.names[i];
        const auto found = of_run.find(name);
        if (found == of_run.end()) {
            refuse("what its frames depend on", entry(name, stored.values[i]),
                   "no such entry, as in this run", next);
        }
        if (found->second != stored.values[i]) {
            refuse("it was made with other settings: " + name, quoted(stored.values[i]),
                   quoted(found->second) + ", that of this run", next);
        }
        of_run.erase(found);
    }
    if (!of_run.empty()) {
        const auto& [name, value] = *of_run.begin();
        refuse("what its frames depend on", "no such entry",
               entry(name, value) + ", as in this run", next);
    }
}

void PartFile::append(const std::string& about, const FileBytes& values) {
    const std::optional<std::uint64_t> end = write_part_record(file_, end_, about, values);
    if (!end) {
        refuse("file", text("it cannot be written: ", std::strerror(errno)),
               "a file system with enough free space",
               frames_.empty() ? "free some space or name another output"
                               : "free some space and continue with --resume");
    }
    end_ = *end;
}

void PartFile::add(FinishedFrame frame) {
    if (file_ < 0) {
        open(true);
    }
    if (end_ == 0) {
        if (!write_all(file_, signature.data(), signature.size(), 0)) {
            refuse("file", text("it cannot be written: ", std::strerror(errno)),
                   "a file system with enough free space",
                   "free some space or name another output");
        }
        end_ = signature.size();
        PackedIdentity identity;
        for (const auto& [name, value] : identity_) {
            identity.names.push_back(name);
            identity.values.push_back(value);
        }
        append(packed(identity), {});
        sync_folder(path_);
    }
    const std::uint64_t at = end_;
    append(packed_frame(frame), frame.values);
    frame.values = FileBytes(); // {} would keep their memory
    frames_.push_back(std::move(frame));
    at_.push_back(at);
}

FileBytes PartFile::values(std::size_t position) const {
    std::optional<PartRecord> record = read_part_record(file_, at_[position], true);
    if (!record) {
        refuse(text("frame ", frames_[position].index), "it cannot be read again",
               "the values that were written", text("check the disk, then ", begin_again));
    }
    return std::move(record->values);
}

void PartFile::remove() {
    if (file_ >= 0) {
        ::unlink(path_.c_str());
        ::close(file_);
        file_ = -1;
    }
}

} // namespace lsrecon
