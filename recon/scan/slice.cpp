#include "scan/slice.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"

namespace lsrecon {

namespace {

constexpr double same_place_mm = 2;

bool near(const std::optional<Vec3>& a, const std::optional<Vec3>& b) {
    if (!a || !b) {
        return !a && !b;
    }
    for (std::size_t d = 0; d < 3; ++d) {
        if (std::abs((*a)[d] - (*b)[d]) > same_place_mm) {
            return false;
        }
    }
    return true;
}

} // namespace

std::vector<std::size_t> Slice::frames() const {
    std::vector<std::size_t> all;
    for (const SampledFrames& alike : samplings) {
        all.insert(all.end(), alike.frames.begin(), alike.frames.end());
    }
    return all;
}

bool at_one_slice(const Frame& a, const Frame& b) {
    return slice_in(a.label) == slice_in(b.label) && near(a.position, b.position);
}

std::vector<Slice> slices_of(const Scan& scan) {
    std::vector<Slice> slices;
    for (std::size_t f = 0; f < scan.frames.size(); ++f) {
        const Frame& frame = scan.frames[f];
        auto slice = std::find_if(slices.begin(), slices.end(), [&](const Slice& known) {
            return at_one_slice(scan.frames[known.first_frame()], frame);
        });
        if (slice == slices.end()) {
            Slice first;
            first.index = slices.size();
            first.grid = scan.grid;
            first.grid.position = frame.position ? frame.position : scan.grid.position;
            slice = slices.insert(slices.end(), std::move(first));
        }
        std::vector<SampledFrames>& samplings = slice->samplings;
        auto alike =
            std::find_if(samplings.begin(), samplings.end(), [&](const SampledFrames& known) {
                return known.sampling == frame.sampling;
            });
        if (alike == samplings.end()) {
            alike = samplings.insert(samplings.end(), {frame.sampling, {}});
        }
        alike->frames.push_back(f);
    }
    return slices;
}

std::vector<std::size_t> slice_of_frames(const std::vector<Slice>& slices) {
    std::vector<std::size_t> place_of;
    for (const Slice& slice : slices) {
        for (const std::size_t f : slice.frames()) {
            place_of.resize(std::max(place_of.size(), f + 1));
            place_of[f] = slice.index;
        }
    }
    return place_of;
}

void require_one_slice(const Scan& scan, const std::string& what, const std::string& otherwise) {
    const std::size_t count = slices_of(scan).size();
    if (count == 1) {
        return;
    }
    const bool are_slices =
        std::count(scan.frame_counters.begin(), scan.frame_counters.end(), "slice") > 0;
    throw InputError(
        {scan.file, "frames that share the " + what,
         are_slices ? "several slices" : text(count, " positions"), "frames of one place",
         text("choose one with ", are_slices ? "`slice`" : "`frames`", "; ", otherwise)});
}

std::string slice_in(const std::string& label) {
    const std::string name = "slice ";
    const bool first = label.compare(0, name.size(), name) == 0; // of the counters, where it is one
    return first ? label.substr(0, label.find(',')) : "";
}

} // namespace lsrecon
