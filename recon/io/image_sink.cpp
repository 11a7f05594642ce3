#include "io/image_sink.hpp"

#include <cstring>

#include "base/error.hpp"
#include "base/largest_part.hpp"
#include "io/image/file.hpp"

namespace lsrecon {

namespace {

ImageSink::Made with_values_of(const ImageSink::Solved& solved) {
    return [&solved](std::size_t frame, FileValues& values) {
        ImageFrame image = solved(frame);
        values.put(0, image.values);
        image.values.resize(0);
        return image;
    };
}

constexpr const char* next_step = "\n  next:     the same command with --resume solves the others";

bool may_be_of_one_frame(const Error& error) {
    const ExitCode code = error.code();
    return code == ExitCode::input || code == ExitCode::device || code == ExitCode::tolerance;
}

} // namespace

ImageSink::ImageSink(const std::string& image, const Scan& scan, std::optional<Identity> identity,
                     bool resume, std::size_t volumes, Precision precision)
    : image_(image), scan_(scan), voxels_(scan.voxels ? scan.voxels->size() : scan.grid.voxels()),
      volumes_(volumes), precision_(precision), position_(scan.frames.size()) {
    if (scan.frames.size() == 1 || !identity) {
        return;
    }
    part_.emplace(image, std::move(*identity), resume);
    for (const FinishedFrame& frame : part_->frames()) {
        if (frame.index < position_.size()) {
            position_[frame.index] = resumed_++;
        }
    }
    promise();
}

/// "7 of 20 frames are kept in image.h5.part"; "" where none is.
std::string ImageSink::kept() const {
    const std::size_t done = part_ ? part_->frames().size() : 0;
    return done == 0 ? ""
                     : text(done, " of ", position_.size(), " frames are kept in ", part_->path(),
                            next_step);
}

/// What the user reads when a signal ends the program from now on.
void ImageSink::promise() {
    const std::string now = kept(); // a signal while it is made has the words before
    promise_.reset();
    if (!now.empty()) {
        promise_.emplace("lsrecon: stopped by a signal; " + now + "\n");
    }
}

void ImageSink::fill(const std::vector<std::size_t>& order, const Solved& solved,
                     Reporter& report) {
    fill(order, with_values_of(solved), report);
}

void ImageSink::fill(const std::vector<std::size_t>& order, const Made& made, Reporter& report) {
    try {
        {
            FrameProgress progress(report, position_.size());
            for (const std::size_t f : order) {
                progress.next(label_beside_index(scan_.frames[f].label, f));
                if (!has(f)) {
                    add(f, made, report);
                }
            }
        }
        if (failed_.size() == position_.size()) {
            std::rethrow_exception(first_error_);
        }
    } catch (const Error&) {
        if (!kept().empty()) {
            report.note(kept());
        }
        throw;
    }
    require_some();
}

void ImageSink::fill(const std::vector<std::vector<std::size_t>>& stacks, const Together& together,
                     Reporter& report) {
    for (const std::vector<std::size_t>& stack : stacks) {
        std::vector<std::size_t> begun;
        {
            FrameProgress progress(report, stack.size());
            for (const std::size_t f : stack) {
                progress.next(label_beside_index(scan_.frames[f].label, f));
                if (succeeds(
                        f, [&] { together.begin(f); }, report)) {
                    begun.push_back(f);
                }
            }
        }
        if (!begun.empty()) {
            together.solve();
        }
        for (const std::size_t f : begun) {
            add(f, with_values_of(together.solved), report);
        }
    }
    if (failed_.size() == position_.size()) {
        std::rethrow_exception(first_error_);
    }
    require_some();
}

/// That not all frames are zero everywhere.
void ImageSink::require_some() {
    try {
        require_an_image(largest_part(), precision_);
    } catch (const Error&) {
        remove_part();
        throw;
    }
}

bool ImageSink::succeeds(std::size_t frame, const std::function<void()>& work, Reporter& report) {
    try {
        work();
        return true;
    } catch (const RunError&) {
        throw;
    } catch (const Error& error) {
        if (position_.size() == 1 || !may_be_of_one_frame(error)) {
            throw;
        }
        first_error_ = first_error_ ? first_error_ : std::current_exception();
        failed_[frame] = {frame, error.code(), error.what()};
        report.fail(about_failure(scan_.frames[frame], frame, error.what()));
        return false;
    }
}

void ImageSink::add(std::size_t frame, const Made& made, Reporter& report) {
    FinishedFrame finished;
    const auto work = [&] {
        FileValues values(voxels_ * volumes_, precision_);
        finished.index = frame;
        finished.image = made(frame, values);
        finished.largest_part = values.largest_part();
        finished.values = std::move(values).bytes();
    };
    if (succeeds(frame, work, report)) {
        keep(std::move(finished));
    }
}

void ImageSink::keep(FinishedFrame finished) {
    const std::size_t frame = finished.index;
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

const FinishedFrame& ImageSink::finished(std::size_t frame) const {
    const std::size_t at = position_[frame].value();
    return part_ ? part_->frames()[at] : here_[at];
}

std::vector<FailedFrame> ImageSink::failed() const {
    std::vector<FailedFrame> failed;
    for (const auto& [index, frame] : failed_) {
        failed.push_back(frame);
    }
    return failed;
}

std::vector<ImageFrame> ImageSink::frames() const {
    std::vector<ImageFrame> frames;
    for (std::size_t f = 0; f < position_.size(); ++f) {
        if (has(f)) {
            frames.push_back(finished(f).image);
            continue;
        }
        ImageFrame missing;
        missing.label = scan_.frames[f].label;
        missing.position = scan_.frames[f].position;
        missing.error = on_one_line(failed_.at(f).error);
        frames.push_back(std::move(missing));
    }
    return frames;
}

PartValues ImageSink::stored() const {
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

FrameValues ImageSink::values() const {
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

double ImageSink::largest_part() const {
    LargestPart largest;
    for (std::size_t f = 0; f < position_.size(); ++f) {
        if (has(f)) {
            largest.add(&finished(f).largest_part, 1);
        }
    }
    return largest.value();
}

void ImageSink::finish() {
    if (failed_.empty()) {
        remove_part();
    }
    promise_.reset();
}

void ImageSink::remove_part() {
    promise_.reset();
    if (part_) {
        part_->remove();
    }
}

} // namespace lsrecon
