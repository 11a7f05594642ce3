#include "io/frame_store.hpp"

#include <cstring>

#include "base/error.hpp"
#include "base/float_range.hpp"
#include "base/numbers.hpp"

namespace lsrecon {

namespace {

Finding kept_in(const std::string& folder, const std::string& which) {
    return {Found::frames_kept, {}, {{"folder", folder}, {"which", which}}};
}

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
        position_[frame] = here_.size();
        here_.push_back(std::move(finished));
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
