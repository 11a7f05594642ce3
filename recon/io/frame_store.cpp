#include "io/frame_store.hpp"

#include <cstring>

#include "base/error.hpp"
#include "base/largest_part.hpp"
#include "base/numbers.hpp"

namespace lsrecon {

namespace {

constexpr const char* next_step = "\n  next:     the same command with `resume` solves the others";

} // namespace

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
        report.note(text("frames that are damaged in ", part_->path(),
                         " are solved again: ", comma_separated(part_->damaged())));
    }
    promise();
}

std::string FrameStore::kept() const {
    const std::size_t done = part_ ? part_->frames().size() : 0;
    return done == 0 ? ""
                     : text(done, " of ", position_.size(), " frames are kept in ", part_->path(),
                            next_step);
}

/// Prepares the message that the user reads when a signal ends the program from now on.
void FrameStore::promise() {
    const std::string now = kept(); // a signal while it is made has the words before
    if (!now.empty()) {
        promise_.emplace("lsrecon: stopped by a signal; " + now + "\n");
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
        position_[frame] = here_.size();
        here_.push_back(std::move(finished));
        return;
    }
    position_[frame] = part_->frames().size();
    if (part_->frames().empty()) { // a signal may come when it is safe, and not yet counted
        promise_.emplace("lsrecon: stopped by a signal; finished frames are kept in " +
                         part_->path() + next_step);
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
    return part_ ? part_->frames()[at] : here_[at];
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
            precision_ == Precision::float64 ? take_all(in_place_of_failed<double>(count))
                                             : take_all(in_place_of_failed<float>(count));
            return;
        }
        const std::size_t at = position_[frame].value();
        part_ ? take_all(part_->values(at)) : take_all(here_[at].values);
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
