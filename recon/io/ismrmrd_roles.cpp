#include <algorithm>

#include "base/index_list.hpp"
#include "base/numbers.hpp"
#include "io/ismrmrd_contents.hpp"

// What the header of an acquisition says that it is for, and of which coils.

namespace lsrecon {

namespace {

// Flags of the format, by its numbers.
constexpr int noise_measurement = 19;
constexpr int parallel_calibration = 20;
constexpr int parallel_calibration_and_imaging = 21;

/// Acquisitions with one of these flags are neither of the image, nor noise, nor for coil maps.
struct SkippedFlag {
    int flag;
    const char* name;
};
constexpr SkippedFlag skipped_flags[] = {
    {23, "navigation"},
    {24, "phase correction"},
    {26, "HP feedback"},
    {27, "dummy scan"},
    {28, "RT feedback"},
    {29, "surface coil correction"},
    {30, "phase stabilization reference"},
    {31, "phase stabilization"},
};

} // namespace

bool has_flag(const IsmrmrdHeader& header, int flag) {
    return ((header.flags >> (flag - 1)) & 1U) != 0;
}

RawCounters counters_of(const IsmrmrdHeader& header) {
    const IsmrmrdCounters& idx = header.idx;
    return {idx.slice, idx.contrast, idx.phase, idx.repetition, idx.set};
}

IsmrmrdRole role_of(const IsmrmrdHeader& header) {
    IsmrmrdRole role;
    for (const SkippedFlag& skipped : skipped_flags) {
        if (has_flag(header, skipped.flag)) {
            role.skipped = skipped.name;
            return role;
        }
    }
    role.noise = has_flag(header, noise_measurement);
    // Lines that serve calibration and image can carry both flags.
    const bool both = has_flag(header, parallel_calibration_and_imaging);
    role.calibration = !role.noise && (both || has_flag(header, parallel_calibration));
    role.image = !role.noise && (both || !role.calibration);
    return role;
}

bool IsmrmrdCoils::named() const {
    return std::any_of(mask.begin(), mask.end(), [](std::uint64_t word) { return word != 0; });
}

bool IsmrmrdCoils::may_be(const IsmrmrdCoils& other) const {
    return channels == other.channels && (!named() || !other.named() || mask == other.mask);
}

std::string IsmrmrdCoils::to_string() const {
    if (!named()) {
        return counted(channels, "channel");
    }
    std::set<std::size_t> listed;
    for (std::size_t c = 0; c < 64 * mask.size(); ++c) {
        if (((mask[c / 64] >> (c % 64)) & 1U) != 0) {
            listed.insert(c);
        }
    }
    return "channels " + IndexList(listed).to_string();
}

} // namespace lsrecon
