#include "scan/frame_places.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "scan/sampling_pool.hpp"

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

bool at_one_place(const Frame& a, const Frame& b) {
    return slice_in(a.label) == slice_in(b.label) && near(a.position, b.position);
}

std::vector<std::size_t> places_of(const Scan& scan) {
    std::vector<const Frame*> first; // of each place
    std::vector<std::size_t> of_frames;
    for (const Frame& frame : scan.frames) {
        const auto known = std::find_if(first.begin(), first.end(), [&](const Frame* of_place) {
            return at_one_place(*of_place, frame);
        });
        of_frames.push_back(static_cast<std::size_t>(known - first.begin()));
        if (known == first.end()) {
            first.push_back(&frame);
        }
    }
    return of_frames;
}

std::vector<std::vector<std::size_t>> stacks_of(const Scan& scan) {
    const std::vector<std::size_t> place_of = places_of(scan);
    std::vector<std::vector<std::size_t>> stacks;
    for (const std::size_t f : by_sampling(scan.frames)) {
        stacks.resize(std::max(stacks.size(), place_of[f] + 1));
        stacks[place_of[f]].push_back(f);
    }
    return stacks;
}

std::size_t count_places(const std::vector<std::size_t>& place_of) {
    return *std::max_element(place_of.begin(), place_of.end()) + 1;
}

Grid grid_of(const Scan& scan, const Frame& frame) {
    Grid grid = scan.grid;
    if (frame.position) {
        grid.position = frame.position;
    }
    return grid;
}

void require_one_place(const Scan& scan, const std::string& what, const std::string& otherwise) {
    const std::size_t places = count_places(places_of(scan));
    if (places == 1) {
        return;
    }
    const bool slices =
        std::count(scan.frame_counters.begin(), scan.frame_counters.end(), "slice") > 0;
    throw InputError({scan.file, "frames that share the " + what,
                      slices ? "several slices" : text(places, " positions"), "frames of one place",
                      text("choose one with ", slices ? "--slice" : "--frames", "; ", otherwise)});
}

std::string slice_in(const std::string& label) {
    const std::string name = "slice ";
    const bool first = label.compare(0, name.size(), name) == 0; // of the counters, where it is one
    return first ? label.substr(0, label.find(',')) : "";
}

} // namespace lsrecon
