#include "io/raw_acquisitions.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "base/numbers.hpp"
#include "scan/units.hpp"

// The second part of RawAcquisitionSorter: from sorted frames to what a scan says of them.

namespace lsrecon {

namespace {

/// What rounding does to kz, relative to the largest: partitions of 2000 are 10 times as far apart.
constexpr double rounding_of_kz = 1e-4;

/// The third coordinate of M x 3.
class ThirdCoordinate {
public:
    ThirdCoordinate(const std::vector<float>& trajectory, const std::vector<std::size_t>& ends)
        : trajectory_(trajectory), ends_(ends) {
        for (std::size_t m = 0; m < trajectory.size() / 3; ++m) {
            least_ = m == 0 ? at(m) : std::min(least_, at(m));
            most_ = m == 0 ? at(m) : std::max(most_, at(m));
        }
        tolerance_ = rounding_of_kz * std::max(std::abs(least_), std::abs(most_));
    }

    /// Whether it is one number.
    bool flat() const { return most_ - least_ <= tolerance_; }
    /// Whether it is nowhere below 0, as density weights and times are, and not 0 everywhere.
    bool one_sided() const { return least_ >= 0 && most_ > 0; }
    /// Whether that of every readout is that of the first, sample by sample.
    bool same_in_every_readout() const {
        std::size_t begin = 0;
        std::size_t first = 0; // samples of the first that has any
        for (const std::size_t end : ends_) {
            first = first == 0 ? end : first;
            for (std::size_t i = 0; i < std::min(first, end - begin); ++i) {
                if (std::abs(at(begin + i) - at(i)) > tolerance_) {
                    return false;
                }
            }
            begin = end;
        }
        return true;
    }

private:
    double at(std::size_t m) const { return static_cast<double>(trajectory_[3 * m + 2]); }

    const std::vector<float>& trajectory_;
    const std::vector<std::size_t>& ends_;
    double least_ = 0;
    double most_ = 0;
    double tolerance_ = 0;
};

} // namespace

void RawAcquisitionSorter::refuse_units() const {
    Grid grid = encoding_.grid;
    grid.dimensions = static_cast<int>(stored_dimensions());
    const std::string found =
        text("largest |k| as stored: ", by(range_, grid.dimensions), "; matrix ", by(grid.size, 3),
             ", FOV ", by(grid.fov_mm, 3), " mm");
    const std::string expected =
        "one unit that fills 0.5 to 1.05 of N/2; largest |k| / (N/2) would be " +
        reach_in_each_unit(range_, grid);
    const ForeignUnit* const foreign = foreign_unit_that_fills({range_}, grid);
    throw InputError(
        {encoding_.file, encoding_.dataset + ", units of the trajectory", found,
         expected +
             (foreign ? "; in " + foreign->name + ", which is none of them, it is filled" : ""),
         foreign ? text("write the trajectory in 1/m (", foreign->per_m, " times ", foreign->name,
                        "); or pass --traj-units UNIT, if it is in one of these")
                 : "pass --traj-units UNIT, and --matrix where k reaches beyond N/2"});
}

std::string RawAcquisitionSorter::units(std::vector<std::string>& remarks) const {
    if (stored_dimensions() == 0) {
        if (!options_.trajectory_units.empty()) {
            remarks.push_back("no trajectory is stored: --traj-units " + options_.trajectory_units +
                              " is not used");
        }
        return "";
    }
    if (!options_.trajectory_units.empty()) {
        return options_.trajectory_units;
    }
    Grid stored = encoding_.grid;
    stored.dimensions = static_cast<int>(stored_dimensions());
    Vec3 range = range_;
    std::string found = guess_trajectory_units({range}, stored);
    const bool new_matrix = found.empty() && !options_.matrix.empty();
    if (new_matrix) { // samples beyond N/2 of the file's may be within that of the image
        const Grid image = options_.grid_of_image(encoding_.grid);
        for (std::size_t d = 0; d < stored_dimensions(); ++d) {
            range[d] *= static_cast<double>(stored.size[d]) / static_cast<double>(image.size[d]);
        }
        found = guess_trajectory_units({range}, stored);
    }
    if (found.empty()) {
        refuse_units();
    }
    Vec3 reach = to_cycles_per_fov(found, stored);
    for (std::size_t d = 0; d < stored_dimensions(); ++d) {
        reach[d] *= range[d] / (0.5 * static_cast<double>(stored.size[d]));
        reach[d] = std::round(1000 * reach[d]) / 1000;
    }
    remarks.push_back(text("trajectory units ", found, ", found from its range (",
                           by(reach, stored.dimensions), " of N/2) and ",
                           new_matrix ? "--matrix" : "the matrix"));
    if (const ForeignUnit* const foreign = foreign_unit_that_fits({range}, stored)) {
        remarks.push_back(text("the range of the trajectory would also fit ", foreign->name,
                               ", which is not read: if the object has a wrong size, write the "
                               "trajectory in 1/m (",
                               foreign->per_m, " times ", foreign->name, ")"));
    }
    return found;
}

Vec3 RawAcquisitionSorter::units_factor(const std::string& units) const {
    if (units.empty()) {
        return {1, 1, 1};
    }
    // A third dimension that comes from encoding steps is not in `stored`, and its factor is 1.
    Grid stored = encoding_.grid;
    stored.dimensions = static_cast<int>(stored_dimensions());
    return to_cycles_per_fov(units, stored);
}

/// Of the frames that are cut, the first that holds one of those chosen.
const RawAcquisitionSorter::RawFrame& RawAcquisitionSorter::first_chosen() const {
    std::size_t index = 0;
    for (const auto& [counters, raw] : frames_) {
        const std::size_t parts = parts_of(raw, label(counters, choice_.varying())).size();
        for (std::size_t part = 0; part < parts; ++part) {
            if (options_.spokes_per_frame == 0 || options_.frames.admits(index++)) {
                return raw;
            }
        }
    }
    return frames_.begin()->second;
}

void RawAcquisitionSorter::add_remarks(std::vector<std::string>& remarks) const {
    remarks.insert(remarks.end(), remarks_.begin(), remarks_.end());
    choice_.add_remarks(remarks);
    add_remarks_on_places(remarks);
    if (discarded_ > 0) {
        remarks.push_back(
            text("left out ", discarded_, " samples by discard_pre and discard_post"));
    }
    if (encoding_.ramps && !has_trajectory()) {
        remarks.push_back("EPI: samples lie where the gradient's times in trajectoryDescription "
                          "put them; lines of both directions are not corrected against each "
                          "other, so a ghost may remain");
    }
    if (kind_.trajectory_dimensions > dimensions()) {
        remarks.push_back(text("only the first ", dimensions(), " of ", kind_.trajectory_dimensions,
                               " trajectory dimensions are used"));
    }
    if (has_trajectory() && stored_dimensions() < dimensions()) {
        remarks.push_back("the trajectory has 2 dimensions and the matrix 3: kz is "
                          "kspace_encode_step_2 less its center");
    }
}

/// Before units are looked for in what there is.
void RawAcquisitionSorter::require_whole_frame() const {
    const bool cut_up = options_.spokes_per_frame > 0;
    for (const auto& [counters, raw] : frames_) {
        if (raw.lost.empty() || (cut_up && !raw.trajectory.empty())) {
            return;
        }
    }
    throw InputError(frames_.begin()->second.bad.front().second);
}

void RawAcquisitionSorter::require_samples() const {
    for (const auto& [counters, raw] : frames_) {
        if (raw.trajectory.empty() && raw.lost.empty()) {
            throw InputError(
                {encoding_.file,
                 text(encoding_.dataset, ", frame ", label(counters, choice_.varying())),
                 "no samples", "at least one", "check discard_pre and discard_post"});
        }
    }
}

/// Writers put 0, density weights or times where kz should be: all partitions would be summed, or
/// lie elsewhere. The kz of partitions has both signs where there are three or more.
void RawAcquisitionSorter::require_kz() const {
    if (stored_dimensions() < 3) {
        return;
    }
    for (const auto& [counters, raw] : frames_) {
        const bool of_slices = choice_.varying()[0];
        if (raw.trajectory.empty() || !raw.lost.empty() || !(raw.partitions_differ || of_slices)) {
            continue;
        }
        const ThirdCoordinate third(raw.trajectory, raw.ends);
        const bool summed = raw.partitions_differ && third.same_in_every_readout();
        const bool one_sided = encoding_.grid.size[2] > 2 && third.one_sided();
        if (summed || one_sided || (of_slices && third.flat())) {
            const std::string name = label(counters, choice_.varying());
            throw InputError(
                {encoding_.file,
                 text(encoding_.dataset, name.empty() ? "" : ", frame " + name,
                      ", kz (third trajectory dimension)"),
                 summed      ? "the same in every acquisition, whose kspace_encode_step_2 differs"
                 : one_sided ? "nowhere below 0, as density weights or times are"
                             : "one number in all samples of a slice",
                 text("kz of each sample, since encodedSpace/matrixSize/z is ",
                      encoding_.grid.size[2]),
                 raw.partitions_differ
                     ? "write kz, or a trajectory of two dimensions: then kz is "
                       "kspace_encode_step_2 less its center"
                     : "write kz, or matrixSize/z 1 where slices are two-dimensional"});
        }
    }
}

StoredScan RawAcquisitionSorter::stored_scan() {
    Scan scan;
    scan.file = encoding_.file;
    scan.grid = space_.grid;
    add_remarks(scan.remarks);
    require_whole_frame();
    require_samples();
    require_kz();
    scan.has_single_readouts =
        frames_.size() > 1 && std::all_of(frames_.begin(), frames_.end(), [](const auto& frame) {
            return frame.second.ends.size() == 1;
        });
    for (std::size_t i = 0; i < frame_counters().size(); ++i) {
        const bool differs = std::any_of(frames_.begin(), frames_.end(), [&](const auto& frame) {
            return frame.first[i] != frames_.begin()->first[i];
        });
        if (differs) {
            const std::string& name = frame_counters()[i];
            scan.frame_counters.push_back(name);
            const bool told_apart = options_.frames_differ || options_.spokes_per_frame > 0 ||
                                    !options_.frames.empty() || !options_.counters[i].empty();
            const bool apart = name == "slice" || (name == "contrast" && !scan.has_single_readouts);
            if (!apart && !told_apart) {
                scan.joinable_counters.push_back(name);
            }
        }
    }
    const OwnPlaces own = set_geometry(scan);
    scan.trajectory_units = units(scan.remarks);
    Vec3 factor = units_factor(scan.trajectory_units);
    for (std::size_t d = 0; d < factor.size(); ++d) {
        factor[d] *= space_.factor[d];
    }
    set_calibrations(scan, factor, own == OwnPlaces::positions);

    const auto samples = std::make_shared<RawSamples>();
    add_frames(scan, *samples, factor, own);
    std::map<std::size_t, InputError> lost;
    for (std::size_t f = 0; f < scan.frames.size(); ++f) {
        if (!scan.frames[f].sampling) {
            lost.emplace(f, *samples->error_of(f));
        }
    }
    return {std::move(scan), [samples](std::size_t frame) { return samples->take(frame); },
            std::move(lost)};
}

} // namespace lsrecon
