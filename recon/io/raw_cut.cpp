#include "io/raw_cut.hpp"

#include <algorithm>

namespace lsrecon {

std::vector<RawPart> cut(std::size_t readouts, std::size_t length, std::size_t stride) {
    std::vector<RawPart> parts;
    for (std::size_t first = 0; length <= readouts && first <= readouts - length; first += stride) {
        parts.push_back({first, first + length});
        if (stride > readouts) {
            break; // the sum could be too large
        }
    }
    return parts;
}

std::size_t left_over(std::size_t readouts, const std::vector<RawPart>& parts) {
    std::size_t used = 0;
    std::size_t end = 0;
    for (const RawPart& part : parts) {
        used += part.end - std::max(part.first, end);
        end = part.end;
    }
    return readouts - used;
}

const InputError* RawSamples::error_of(std::size_t frame) const {
    const Place& place = frames_[frame];
    for (const auto& [readout, error] : raw_[place.raw].bad) {
        if (place.readouts.holds(readout)) {
            return &error;
        }
    }
    return nullptr;
}

CoilRows RawSamples::take(std::size_t frame) {
    const Place& place = frames_[frame];
    CoilRows& raw = raw_[place.raw].samples;
    if (const InputError* const error = error_of(frame)) {
        throw InputError(*error);
    }
    if (place.count == raw.columns()) {
        return frames_.size() == 1 ? std::move(raw) : raw;
    }
    return raw.visit([&](const auto& values) {
        return CoilRows(values.middleCols(static_cast<Eigen::Index>(place.first),
                                          static_cast<Eigen::Index>(place.count)));
    });
}

} // namespace lsrecon
