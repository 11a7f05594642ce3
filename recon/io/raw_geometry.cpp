#include <algorithm>

#include "base/error.hpp"
#include "base/numbers.hpp"
#include "io/raw_acquisitions.hpp"
#include "scan/directions.hpp"
#include "scan/header_numbers.hpp"

// The fourth part of RawAcquisitionSorter: where frames lie in the patient.

namespace lsrecon {

/// What is not finite, and directions that were never filled in, say nothing.
void RawAcquisitionSorter::place(const RawAcquisition& acquisition, Whereabouts& where) {
    if (!where.position && is_finite(acquisition.position)) {
        where.position = acquisition.position;
    }
    const bool filled_in = acquisition.directions != std::array<Vec3, 3>{};
    if (!where.directions && filled_in && is_finite(acquisition.directions)) {
        where.directions = acquisition.directions;
    }
}

void RawAcquisitionSorter::check_place(const RawAcquisition& acquisition, RawFrame& frame) {
    const bool placed = is_finite(acquisition.position);
    const bool directed = is_finite(acquisition.directions);
    if (options_.one_place && !(placed && directed)) {
        refuse(acquisition, placed ? "read_dir, phase_dir and slice_dir" : "position", "not finite",
               "numbers, by which --shift-mm header shifts",
               "correct the header, or give the shift in mm, --shift-mm X,Y");
    }
    nowhere_ += placed ? 0 : 1;
    undirected_ += directed ? 0 : 1;
    Whereabouts& where = frame.where;
    place(acquisition, where);
    const bool moved = (placed && !are_same_position(*where.position, acquisition.position)) ||
                       (directed && where.directions &&
                        !are_same_directions(*where.directions, acquisition.directions));
    if (moved && options_.one_place) {
        refuse(acquisition, "position and directions", "others than those of its frame before",
               "one place a frame, by which --shift-mm header shifts it",
               "give the shift in mm, --shift-mm X,Y, or leave --join out");
    }
    moved_within_frame_ = moved_within_frame_ || moved;
}

/// Frames of a slice share their coil maps.
void RawAcquisitionSorter::require_one_orientation_a_slice() const {
    std::map<std::uint16_t, decltype(frames_.begin())> of_slices;
    for (auto one = frames_.begin(); one != frames_.end(); ++one) {
        const auto first = of_slices.emplace(one->first.front(), one).first->second;
        const Apart from_first = apart(one->second.where, first->second.where);
        if (from_first.degrees > same_degrees && !from_first.share_maps()) {
            throw InputError(
                {encoding_.file,
                 text(encoding_.dataset, ", orientations of the frames of slice ",
                      one->first.front()),
                 text("several: ", label(one->first, choice_.varying()), " is ",
                      from_first.in_words(), " from ", label(first->first, choice_.varying())),
                 "one, with coil maps of its own",
                 "choose frames of one orientation, with --set or --frames for "
                 "example"});
        }
    }
}

RawAcquisitionSorter::RawFrame&
RawAcquisitionSorter::calibration_at_place_of(const RawAcquisition& acquisition,
                                              const RawCounters& counters) {
    Whereabouts where;
    place(acquisition, where);
    const auto [first, last] = calibrations_.equal_range(counters);
    const auto known = std::find_if(first, last, [&](const auto& calibration) {
        return apart(filled_in(calibration.second.where), filled_in(where)).share_maps();
    });
    return known != last ? known->second : calibrations_.emplace(counters, RawFrame())->second;
}

/// How far calibration lies from the nearest frame of its slice.
Apart RawAcquisitionSorter::apart_from_slice(const RawFrame& calibration,
                                             std::uint16_t slice) const {
    std::optional<Apart> nearest;
    for (const auto& [counters, frame] : frames_) {
        if (counters.front() == slice) {
            const Apart one = apart(filled_in(calibration.where), filled_in(frame.where));
            const auto rank = [](const Apart& of) { return std::pair(!of.share_maps(), of.mm); };
            nearest = nearest && rank(*nearest) < rank(one) ? nearest : one;
        }
    }
    return nearest.value_or(Apart());
}

RawAcquisitionSorter::OwnPlaces RawAcquisitionSorter::set_geometry(Scan& scan) const {
    const Whereabouts& first = first_chosen().where;
    const Vec3 isocentre{0, 0, 0};
    std::size_t placed = 0;
    std::size_t directed = 0;
    bool nowhere = true;
    bool moved = false;
    bool turned = false;
    for (const auto& [counters, frame] : frames_) {
        const auto& [position, directions] = frame.where;
        placed += position ? 1 : 0;
        directed += directions ? 1 : 0;
        nowhere = nowhere && position.value_or(isocentre) == isocentre;
        moved =
            moved || (position && first.position && !are_same_position(*position, *first.position));
        turned = turned || (directions && first.directions &&
                            !are_same_directions(*directions, *first.directions));
    }
    // Headers that were never filled in are zero everywhere: that is no position at the isocentre.
    if (directed == 0 && nowhere) {
        return OwnPlaces::none;
    }
    if (turned && options_.one_place) {
        throw InputError({encoding_.file, encoding_.dataset + ", orientations of the frames",
                          "several", "one, along which --shift-mm header shifts",
                          "choose frames of one orientation, with --slice for example"});
    }
    if (turned) {
        require_one_orientation_a_slice();
        scan.remarks.push_back(
            "frames have different orientations, but an image can store only one: orientation and "
            "position are left out; choose frames of one with --slice or --repetition");
        return OwnPlaces::orientations;
    }
    const auto of_some = [&](std::size_t count) { return count != 0 && count != frames_.size(); };
    if (of_some(placed) || of_some(directed)) {
        scan.remarks.push_back("the place of some frames is not known: orientation and position "
                               "are left out; choose frames of which it is, with --frames for "
                               "example");
        return OwnPlaces::none;
    }
    if (directed > 0 && orthonormal(*first.directions)) {
        scan.grid.directions = first.directions;
    } else if (directed > 0) {
        scan.remarks.push_back("read_dir, phase_dir and slice_dir are not orthogonal unit vectors "
                               "and are ignored");
    }
    scan.grid.position = first.position;
    return moved ? OwnPlaces::positions : OwnPlaces::none;
}

void RawAcquisitionSorter::add_remarks_on_places(std::vector<std::string>& remarks) const {
    for (const auto& [count, what] :
         {std::pair(nowhere_, "position"),
          std::pair(undirected_, "orientation (read_dir, phase_dir, slice_dir)")}) {
        if (count > 0) {
            remarks.push_back(text(what, " of ", counted(count, "acquisition"),
                                   " is not finite and is not used"));
        }
    }
    if (moved_within_frame_) {
        remarks.push_back("acquisitions of one frame have different positions or orientations; the "
                          "first one's are kept");
    }
}

} // namespace lsrecon
