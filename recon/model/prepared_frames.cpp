// Applies the changes to each frame as it is read, mixes its coils, and keeps the frames that were
// read early.

#include "model/prepared_frames.hpp"

#include <algorithm>
#include <iterator>

#include "base/machine.hpp"

namespace lsrecon {

namespace {

double bytes_of(const Frame& frame) {
    const CoilRows& samples = frame.samples;
    return static_cast<double>(samples.rows() * samples.columns() * 2 *
                               lsrecon::bytes_of(samples.precision()));
}

} // namespace

std::vector<std::size_t> PreparedFrames::good_of(const Slice& slice) const {
    const std::vector<std::size_t> frames = slice.frames();
    std::vector<std::size_t> good;
    std::copy_if(frames.begin(), frames.end(), std::back_inserter(good),
                 [&](std::size_t f) { return !is_bad(f); });
    std::sort(good.begin(), good.end());
    return good;
}

void PreparedFrames::change(FrameChange change) {
    for (auto& [index, frame] : kept_) {
        change(index, frame);
    }
    changes_.push_back(std::move(change));
}

void PreparedFrames::mix(const CoilTransform& mixing) {
    mixing_ = mixing_.rows() > 0 ? CoilTransform(mixing * mixing_) : mixing;
    for (auto& [index, frame] : kept_) {
        frame.samples = mixed(mixing, frame.samples);
    }
}

void PreparedFrames::separate(std::size_t coils) {
    whole_ = std::move(kept_);
    kept_.clear();
    coils_apart_ = coils;
}

Frame PreparedFrames::coil_of(std::size_t index) {
    const std::size_t source = index / coils_apart_;
    if (whole_.count(source) == 0) {
        whole_.clear();
        whole_.emplace(source, read(source));
    }
    const Frame& all = whole_.at(source);
    Frame frame = scan_.frames[index];
    all.samples.visit([&](const auto& values) {
        frame.samples = CoilRows(values.row(static_cast<Eigen::Index>(index % coils_apart_)));
    });
    return frame;
}

Frame PreparedFrames::read(std::size_t index) {
    Frame frame = source_.frame(index);
    for (const FrameChange& change : changes_) {
        change(index, frame);
    }
    frame.trajectory = scan_.frames[index * coils_apart_].trajectory;
    if (mixing_.rows() > 0) {
        frame.samples = mixed(mixing_, frame.samples);
    }
    return frame;
}

Frame PreparedFrames::take(std::size_t index) {
    auto kept = kept_.extract(index);
    if (!kept) {
        return coils_apart_ > 1 ? coil_of(index) : read(index);
    }
    kept.mapped().trajectory = scan_.frames[index].trajectory;
    return std::move(kept.mapped());
}

void PreparedFrames::keep(std::size_t index, Frame frame) {
    double bytes = 0;
    for (const auto& [other, one] : kept_) {
        bytes += other == first_good() ? 0 : bytes_of(one);
    }
    if (index == first_good() || bytes + bytes_of(frame) <= most_kept_bytes()) {
        kept_.insert_or_assign(index, std::move(frame));
    }
}

void PreparedFrames::release_large(Frame& frame) {
    if (bytes_of(frame) > most_kept_bytes()) {
        frame.samples = {};
    }
}

/// Frames that were looked at wait within this room until they are solved: little beside a solve.
double PreparedFrames::most_kept_bytes() {
    constexpr double share = 1.0 / 16;
    return share * memory_limit().bytes;
}

} // namespace lsrecon
