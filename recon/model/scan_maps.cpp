// Takes coil maps from the scan or from a file, or estimates them from the frames of each slice,
// and scales them to a sum of squares near 1.

#include "model/scan_maps.hpp"

#include <cmath>

#include "base/numbers.hpp"
#include "model/resampled.hpp"
#include "model/slice_calibration.hpp"
#include "scan/slice.hpp"

namespace lsrecon {

namespace {

/// The mean of sum |S|^2 over the voxels that maps see; 0 without maps. Tails that a resampling or
/// a smooth mask left are no maps.
double mean_square(const CoilRows& maps) {
    constexpr double of_tails = 1e-4; // of the largest
    const RealVector squares = squares_of(maps);
    const double largest = squares.size() > 0 ? squares.maxCoeff() : 0;
    double sum = 0;
    double voxels = 0;
    for (const double square : squares) {
        if (square > of_tails * largest) {
            sum += square;
            ++voxels;
        }
    }
    return voxels > 0 ? sum / voxels : 0;
}

/// The divisor of coil maps. Lambda and weights of regularisers are meant for squares that add up
/// to about 1, and so is the resolution of floats. It is a power of ten where that is enough, so
/// that maps in other units make the same image as these.
double scale_of(double mean_square) {
    const auto is_default = [](double mean) { return mean >= 0.5 && mean <= 2; };
    if (mean_square == 0 || is_default(mean_square)) {
        return 1;
    }
    const double power = std::pow(10, std::round(std::log10(mean_square) / 2));
    return is_default(mean_square / (power * power)) ? power : std::sqrt(mean_square);
}

/// Nothing in the pose of maps shows whether their samples were shifted to it.
void require_same_shift(Scan& scan, const std::string& file, const StoredVolumes& stored,
                        const GeometryOptions& geometry) {
    if (stored.header_shift.empty() || stored.header_shift == geometry.header_shift()) {
        return;
    }
    const auto words = [](const std::string& shift) {
        return text(shift == "yes" ? "with" : "without", " `shift_mm` header");
    };
    const std::string maps = words(stored.header_shift);
    const std::string image = words(geometry.header_shift());
    if (stored.scan_sha256 == scan.sha256()) {
        throw InputError({file, "/coil_maps",
                          text("maps of this scan ", maps, ", for an image ", image),
                          "the same for both: else they lie apart by the header's position",
                          text("make the maps ", image)});
    }
    scan.findings.push_back(
        {Found::maps_shifted,
         {{"maps", stored.header_shift == "yes"}, {"image", geometry.header_shift() == "yes"}}});
}

/// The source of coil maps; they are estimated where several coils have none.
MapsSource source_of(const PrepareOptions& options, const Scan& scan) {
    const MapsMethod& method = maps_method_for(scan.grid, options.estimate);
    const bool is_needed = scan.coil_maps.empty() && scan.coils() > 1 && !scan.voxels;
    return is_default(options.maps) && is_needed ? MapsSource(&method) : options.maps;
}

/// UsageError for two sets that this scan or this run has no use for.
void require_use_of_sets(const MapsMethod* method, const MapsOptions& options, const Scan& scan) {
    const std::size_t sets = method != nullptr ? method->sets.value_or(1) : 1;
    if (sets > 1 && scan.coils() < 2) {
        throw UsageError("`maps` " + method->name +
                         ": the scan has a single coil, which sees one image\n  next:     leave "
                         "`maps` out");
    }
    if (sets > options.sets.value_or(sets)) {
        throw UsageError("`maps` " + method->name +
                         ": two sets are for least squares without a prior image, not for a file "
                         "of maps or another method\n  next:     pass `maps` espirit:1");
    }
}

} // namespace

ScanMaps::ScanMaps(Scan& scan, const std::vector<Slice>& slices, const Grid& file_grid,
                   PreparedFrames& frames, PrepareOptions& options, Transforms& transforms,
                   Reporter& report)
    : scan_(scan), slices_(slices), file_grid_(file_grid), frames_(frames), report_(report),
      first_(frames.first_good()), estimate_options_(options.estimate) {
    if (is_default(options.maps) && !scan_.coil_maps.empty()) {
        require_maps_of_signals(scan_.coil_maps, scan_.file);
    }
    try {
        make(options, transforms);
    } catch (const InputError& error) {
        const bool is_requested = !is_default(options.maps) || !scan_.calibrations.empty() ||
                                  !scan_.calibrations_unused.empty();
        if (is_requested) {
            throw;
        }
        method_ = nullptr;
        scan_.findings.push_back(
            {Found::no_maps, {}, {{"why", error.fault().thing + ": " + error.fault().found}}});
    }
    if (!differ() && !of_all_) {
        of_all_ = scaled(std::move(scan_.coil_maps));
        scan_.coil_maps = {};
    }
}

void ScanMaps::make(PrepareOptions& options, Transforms& transforms) {
    const MapsSource source = source_of(options, scan_);
    const std::string wanted = word_of(source);
    const MapsMethod* const* const method = std::get_if<const MapsMethod*>(&source);
    method_ = method != nullptr ? *method : nullptr;
    if (!options.estimate.are_default() && (method_ == nullptr || !method_->takes_options)) {
        throw UsageError(
            text("`maps_threshold`, `maps_crop` and `soft_maps` are for `maps` espirit, not for ",
                 is_default(source) ? "the scan's own maps or a single coil" : "`maps` " + wanted,
                 "\n  next:     leave them out, or pass `maps` espirit"));
    }
    require_use_of_sets(method_, options.estimate, scan_);
    if (is_default(source)) {
        return;
    }
    if (!scan_.coil_maps.empty()) {
        scan_.facts.push_back("the coil maps of the scan are not used: `maps` " + wanted);
        scan_.coil_maps = {};
    }
    if (is_none(source)) {
        return;
    }
    if (scan_.voxels) {
        throw UsageError("`maps` " + wanted +
                         ": the scan has /voxels, and maps are made for a grid only\n  next:     "
                         "store /coil_maps at the voxels");
    }
    if (options.stored_maps) {
        return take_stored(wanted, std::move(*options.stored_maps), options.geometry, transforms);
    }
    if (method_ == nullptr) {
        throw UsageError("`maps` " + wanted + ": neither a method nor maps with values");
    }
    make_first(transforms);
    if (of_all_ && of_all_->values->largest_part() == 0) {
        of_all_.reset();
        throw InputError({scan_.file, "coil maps by " + method_->name,
                          "no voxel with signal in the centre of k-space",
                          "an object inside the coils' sensitive volume",
                          text("pass `maps` walsh or `maps` FILE; ", without_maps)});
    }
    remark_beyond_field(transforms);
    add_facts();
}

/// What the maps are made from, and where they are.
void ScanMaps::add_facts() {
    if (twice_ > 0) {
        scan_.facts.push_back(text("two sets of coil maps: the object lies over itself in ", twice_,
                                   " of ", scan_.grid.voxels(), " voxels",
                                   differ() ? " of the first slice" : "",
                                   ", as one that is wider than its field of view"));
    }
    const auto together = [&](const char* before) {
        return together_ > 1 ? text(before, "from ", together_, " frames together") : "";
    };
    if (slices_.size() > 1) {
        scan_.facts.push_back(text("coil maps by ", method_->name,
                                   " from the centre of k-space, "
                                   "for each of ",
                                   slices_.size(), " slices", together("; in the first ")));
        return;
    }
    const RealVector all = squares_of(*of_all_->values);
    const auto voxels = static_cast<Eigen::Index>(scan_.grid.voxels());
    const auto seen = static_cast<std::size_t>((all.head(voxels).array() > 0).count());
    scan_.facts.push_back(
        text("coil maps by ", method_->name, " from the centre of k-space (", matrix_, " voxels",
             together(", "), "); ", seen == scan_.grid.voxels() ? "all" : "",
             seen == scan_.grid.voxels() ? "" : text(seen, " of ", scan_.grid.voxels()),
             " voxels have maps"));
}

/// Remarks on an object beyond the field of view, which explains what a calibration leaves.
void ScanMaps::remark_beyond_field(Transforms& transforms) {
    constexpr double hardly_any = 1e-3;
    if (unexplained_ < hardly_any || scan_.grid.fov_mm != file_grid_.fov_mm) {
        return;
    }
    const std::optional<Grid> wide = frames_.look_at(
        first_, [&](const Frame& frame) { return grid_beyond_field(transforms, scan_, frame); });
    if (wide) {
        const auto option = [&](const auto& values) {
            std::string word = text(values[0]);
            for (std::size_t d = 1; d < static_cast<std::size_t>(wide->dimensions); ++d) {
                word += text(",", values[d]);
            }
            return word;
        };
        scan_.findings.push_back({Found::beyond_field_of_view,
                                  {},
                                  {{"fov", by(scan_.grid.fov_mm, wide->dimensions)},
                                   {"matrix", option(wide->size)},
                                   {"wide", option(wide->fov_mm)}}});
    }
}

/// Signal of a coil without a map is explained by no image: it would pass for noise.
void ScanMaps::require_maps_of_signals(const CoilRows& maps, const std::string& file) {
    if (!scan_.has_samples() || frames_.mixing().rows() > 0) {
        return;
    }
    const std::optional<std::size_t> coil = frames_.look_at(
        first_, [&](const Frame& frame) { return silent_in_these_alone(maps, frame.samples); });
    if (coil) {
        throw InputError({file, "/coil_maps",
                          text("only zeros for coil ", *coil, ", which has signal"),
                          "a map of every coil that has signal",
                          "check how the maps were made, or estimate them: `maps` espirit"});
    }
}

void ScanMaps::take_stored(const std::string& file, StoredVolumes stored,
                           const GeometryOptions& geometry, Transforms& transforms) {
    const Resampled of{file, "coil maps",
                       "estimate the maps from this scan, choose a smaller image with `fov_mm`, or "
                       "pass `maps` none",
                       geometry.shifts()};
    require_same_shift(scan_, file, stored, geometry);
    const CoilTransform& mixing = frames_.mixing();
    const std::size_t wanted =
        mixing.rows() > 0 ? static_cast<std::size_t>(mixing.cols()) : scan_.coils();
    if (stored.values.rows() != wanted) {
        throw InputError({file, "/coil_maps", text("maps of ", stored.values.rows(), " coils"),
                          text(wanted, ", the coils of ", scan_.file),
                          "name the maps of this scan's coils"});
    }
    require_maps_of_signals(stored.values, file);
    file_ = file;
    volumes_.emplace(std::move(stored.values), stored.grid, scan_, slices_,
                     with_smaller_field(scan_.grid, file_grid_), of);
    make_first(transforms);
    scan_.facts.push_back("coil maps of " + file + ", SHA-256 " + stored.sha256 +
                          (differ() ? ", resampled to each slice" : ""));
}

CoilRows ScanMaps::taken(const Slice& slice) {
    CoilRows maps = volumes_->take(slice);
    if (maps.largest_part() == 0) {
        throw InputError({file_, "/coil_maps", "only zeros within the image's field of view",
                          "maps where the image is", "name the maps of this scan"});
    }
    const CoilTransform& mixing = frames_.mixing();
    return mixing.rows() > 0 ? mixed(mixing, maps) : maps;
}

CalibrationField ScanMaps::field_of(const Slice& slice) {
    std::vector<std::shared_ptr<const Trajectory>> trajectories;
    if (const Frame* const own = calibration_samples_of(scan_, scan_.frames[slice.first_frame()])) {
        trajectories = {own->trajectory};
    } else {
        for (const std::size_t f : frames_.good_of(slice)) {
            trajectories.push_back(scan_.frames[f].trajectory);
        }
    }
    return {scan_.grid, file_grid_, trajectories};
}

/// Calibrates a slice from some of its frames: the first that is neither bad nor silent, and others
/// from all over the slice, since what moves has signal elsewhere in each.
Calibration ScanMaps::calibration_of(const Slice& slice, const CalibrationField& field,
                                     Transforms& transforms) {
    const std::vector<std::size_t> good = frames_.good_of(slice);
    const Frame* const own = calibration_samples_of(scan_, scan_.frames[slice.first_frame()]);
    if (own != nullptr && !good.empty()) {
        if (own->samples.largest_part() == 0) {
            throw InputError({scan_.file, "calibration lines", "only zeros",
                              "an object inside the coils' sensitive volume",
                              text("leave its frames out, or pass `maps` FILE; ", without_maps)});
        }
        const Stage stage(report_, stage_of_calibration);
        return calibrate(transforms, scan_, field, *own);
    }
    const std::optional<Calibration> all =
        calibrate_frames(transforms, scan_, field, frames_, good, report_);
    if (!all) {
        throw InputError({scan_.file, "coil maps by " + method_->name,
                          "only zeros in every frame of a slice",
                          "an object inside the coils' sensitive volume",
                          text("leave its frames out, or pass `maps` FILE; ", without_maps)});
    }
    return *all;
}

CoilRows ScanMaps::estimated(const Slice& slice, Transforms& transforms) {
    try {
        return estimate(slice, transforms);
    } catch (const RunError&) {
        throw;
    } catch (const InputError& error) {
        const Frame& first = scan_.frames[slice.first_frame()];
        Fault fault = error.fault();
        const std::string unused = why_no_calibration(scan_, first);
        if (!unused.empty()) {
            fault.found += ", and calibration lines " + unused;
            fault.expected += ", or calibration lines of the image's coils and slice";
        }
        if (slices_.size() > 1) {
            const std::string name = slice_in(first.label);
            fault.thing += " (" + (name.empty() ? first.label : name) + ")";
        }
        throw InputError(fault);
    }
}

CoilRows ScanMaps::estimate(const Slice& slice, Transforms& transforms) {
    const CalibrationField field = field_of(slice);
    const Calibration calibration = calibration_of(slice, field, transforms);
    const Stage stage(report_, "maps");
    together_ = calibration.together;
    unexplained_ = calibration.unexplained;
    matrix_ = by(calibration.grid.size, scan_.grid.dimensions);
    MapsOptions options = estimate_options_;
    options.sets = options.sets ? options.sets : method_->sets;
    CoilRows maps = method_->estimate(calibration, field.grid(), options);
    if (slices_.size() > 1 && maps.largest_part() == 0) { // a slice beside the object
        report_.add({Found::maps_by_walsh, {{"frame", slice.first_frame()}}});
        maps = walsh_maps(calibration, field.grid(), estimate_options_);
    }
    maps = field.is_narrower() ? of_wider_field(maps, field.grid()) : maps;
    const auto voxels = static_cast<Eigen::Index>(scan_.grid.voxels());
    const RealVector seen = seen_by(maps);
    twice_ = static_cast<std::size_t>(seen.tail(seen.size() - voxels).sum());
    return maps;
}

/// Each set of maps on the grid of the image.
CoilRows ScanMaps::of_wider_field(const CoilRows& maps, const Grid& grid) const {
    const auto from = static_cast<Eigen::Index>(grid.voxels());
    const auto to = static_cast<Eigen::Index>(scan_.grid.voxels());
    const auto sets = static_cast<Eigen::Index>(maps.columns()) / from;
    const Resampled of{scan_.file, "coil maps", without_maps};
    if (sets == 1) {
        return resampled(maps, grid, scan_.grid, of);
    }
    const CoilMatrix all = maps.to_doubles();
    CoilRows::Floats result(all.rows(), sets * to);
    for (Eigen::Index s = 0; s < sets; ++s) {
        const CoilRows one(CoilMatrix(all.middleCols(s * from, from)));
        result.middleCols(s * to, to) =
            resampled(one, grid, scan_.grid, of).to_doubles().cast<std::complex<float>>();
    }
    return result;
}

SliceMaps ScanMaps::scaled(CoilRows maps) {
    const double mean = mean_square(maps);
    const double scale = scale_of(mean);
    if (scale != 1) {
        maps.visit([&](auto& values) {
            using Value = typename std::decay_t<decltype(values)>::Scalar;
            for (Eigen::Index c = 0; c < values.rows(); ++c) {
                values.row(c) =
                    (values.row(c).template cast<Complex>() / scale).template cast<Value>();
            }
        });
    }
    if (scale != 1 && !is_scale_reported_) {
        is_scale_reported_ = true;
        report_.info(
            text("coil maps have a mean sum of squares of ", rounded(mean),
                 differ() ? " in a slice" : "", ": they are divided by ", rounded(scale),
                 " for the solve, and the image is in the units of the maps as they were"));
    }
    return {std::make_shared<const CoilRows>(std::move(maps)), scale};
}

/// Makes the maps of the first slice that can have any; the other slices fail with their frames.
void ScanMaps::make_first(Transforms& transforms) {
    const std::vector<std::size_t> slice_of = slice_of_frames(slices_);
    std::optional<InputError> why;
    for (std::size_t f = first_; f < slice_of.size(); ++f) {
        if (frames_.is_bad(f)) {
            continue;
        }
        const Slice& slice = slices_[slice_of[f]];
        try {
            SliceMaps maps = of(slice, transforms);
            first_ = f;
            differ() ? void(kept_.emplace(slice.index, std::move(maps)))
                     : void(of_all_ = std::move(maps));
            return;
        } catch (const RunError&) {
            throw;
        } catch (const InputError& error) {
            why = why ? why : std::optional(error);
        }
    }
    throw InputError(*why);
}

SliceMaps ScanMaps::of(const Slice& slice, Transforms& transforms) {
    if (of_all_) {
        return *of_all_;
    }
    if (auto kept = kept_.extract(slice.index)) {
        return std::move(kept.mapped());
    }
    if (const auto failed = failed_.find(slice.index); failed != failed_.end()) {
        throw InputError(failed->second);
    }
    try {
        return scaled(volumes_ ? taken(slice) : estimated(slice, transforms));
    } catch (const RunError&) {
        throw;
    } catch (const InputError& error) {
        failed_.emplace(slice.index, error);
        throw;
    }
}

} // namespace lsrecon
