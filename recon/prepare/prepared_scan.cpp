#include "prepare/prepared_scan.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "io/field_file.hpp"
#include "io/maps_file.hpp"
#include "prepare/resampled.hpp"
#include "scan/frame_places.hpp"
#include "scan/sampling_pool.hpp"

namespace lsrecon {

namespace {

void require_compression(const Scan& scan, const CoilCompression& wanted) {
    if (wanted.coils > scan.coils()) {
        throw UsageError(text("--coils ", wanted.coils, "\n  expected: at most the ", scan.coils(),
                              " coils of the scan"));
    }
}

/// What of a file, "coil maps of --maps FILE", is that of one place; `without` says how to do
/// without.
void require_one_place(const Scan& scan, std::size_t places, const std::string& maps,
                       const std::string& without) {
    const bool slices =
        std::count(scan.frame_counters.begin(), scan.frame_counters.end(), "slice") > 0;
    if (places > 1) {
        throw InputError(
            {scan.file, "frames that share the " + maps,
             slices ? "several slices" : text(places, " positions"), "frames of one place",
             text("choose one with ", slices ? "--slice" : "--frames", ", or pass ", without)});
    }
}

const MapsMethod* method_named(const std::string& name) {
    const std::vector<MapsMethod>& table = maps_methods();
    const auto found = std::find_if(table.begin(), table.end(),
                                    [&](const MapsMethod& row) { return row.name == name; });
    return found == table.end() ? nullptr : &*found;
}

} // namespace

PreparedScan::PreparedScan(FrameSource& source, const PrepareOptions& options, Backend& backend,
                           Reporter& report)
    : source_(source), backend_(backend), report_(report), scan_(source.take_scan()),
      place_of_(places_of(scan_)) {
    const std::size_t known = scan_.remarks.size();
    if (options.geometry.any()) {
        geometry_.emplace(options.geometry, scan_);
    }
    set_field_map(options.field_map);
    if (options.whiten && !scan_.noise.empty()) {
        mix(whitening(scan_));
        scan_.remarks.push_back(
            text("coils whitened by ", scan_.noise.columns(), " samples of noise"));
    }
    require_compression(scan_, options.compression);
    if (options.compression.asked_for()) {
        const CompressedCoils compressed = compress(first().samples, options.compression);
        const std::size_t before = scan_.coils();
        mix(compressed.mixing);
        scan_.remarks.push_back(text(before, " coils compressed to ", scan_.coils(), ", with ",
                                     100 * compressed.energy, " % of the energy"));
    }
    try {
        make_maps(options);
    } catch (const InputError& error) {
        if (!options.maps.empty()) {
            throw;
        }
        scan_.coil_maps = {};
        method_ = nullptr;
        scan_.remarks.push_back(
            text("no coil maps could be estimated: each coil is a problem of its "
                 "own, combined by the root of the sum of squares, without "
                 "phase; --maps espirit says why: ",
                 error.finding().thing, ": ", error.finding().found));
    }
    for (std::size_t i = known; i < scan_.remarks.size(); ++i) {
        report.note(scan_.remarks[i]);
    }
}

/// After the mixing so far; noise and maps change as the samples do.
void PreparedScan::mix(const CoilMixing& mixing) {
    mixing_ = mixing_.rows() > 0 ? CoilMixing(mixing * mixing_) : mixing;
    for (CoilRows* const rows : {&scan_.noise, &scan_.coil_maps}) {
        if (!rows->empty()) {
            *rows = mixed(mixing, *rows);
        }
    }
    for (Frame& calibration : scan_.calibrations) {
        calibration.samples = mixed(mixing, calibration.samples);
    }
    if (first_) {
        first_->samples = mixed(mixing, first_->samples);
    }
    for (Frame& frame : scan_.frames) {
        frame.samples =
            CoilRows(static_cast<std::size_t>(mixing.rows()), 0, frame.samples.precision());
    }
}

Frame PreparedScan::transformed(std::size_t index) {
    Frame frame = source_.frame(index);
    if (geometry_) {
        geometry_->apply(index, frame);
    }
    if (mixing_.rows() > 0) {
        frame.samples = mixed(mixing_, frame.samples);
    }
    return frame;
}

const Frame& PreparedScan::first() {
    if (!first_) {
        first_ = transformed(source_.first_good());
    }
    return *first_;
}

Frame PreparedScan::frame(std::size_t index) {
    if (!first_ || index != source_.first_good()) {
        return transformed(index);
    }
    Frame frame = std::move(*first_);
    first_.reset();
    return frame;
}

void PreparedScan::set_field_map(const std::string& wanted) {
    if (wanted == "none" && scan_.off_resonance) {
        scan_.off_resonance.reset();
        scan_.remarks.push_back("the field map of the scan is not used: --field-map none");
    }
    if (wanted.empty() || wanted == "none") {
        return;
    }
    if (scan_.voxels) {
        throw UsageError("--field-map " + wanted +
                         ": the scan has /voxels, and a map is resampled for a grid only\n"
                         "  next:     store /field_map at the voxels");
    }
    require_one_place(scan_, places(), "field map of --field-map " + wanted, "--field-map none");
    const StoredField stored = read_field(wanted, scan_.grid);
    scan_.off_resonance = std::make_shared<const OffResonance>(
        resampled(stored.off_resonance, stored.grid, scan_.grid, wanted));
    scan_.remarks.push_back("field map of " + wanted + ", SHA-256 " + stored.sha256);
}

void PreparedScan::make_maps(const PrepareOptions& options) {
    std::string wanted = options.maps;
    if (wanted.empty()) {
        wanted = !scan_.coil_maps.empty() || scan_.coils() == 1 || scan_.voxels ? "" : "espirit";
    }
    if (wanted.empty()) {
        return;
    }
    if (!scan_.coil_maps.empty()) {
        scan_.remarks.push_back("the coil maps of the scan are not used: --maps " + wanted);
        scan_.coil_maps = {};
    }
    if (wanted == "none") {
        return;
    }
    method_ = method_named(wanted);
    if (scan_.voxels) {
        throw UsageError("--maps " + wanted +
                         ": the scan has /voxels, and maps are made for a grid only\n  next:     "
                         "store /coil_maps at the voxels");
    }
    if (method_ == nullptr || !options.maps_of_places) {
        require_one_place(scan_, places(), "coil maps of --maps " + wanted,
                          "--maps none for one problem a coil");
    }
    if (method_ == nullptr) {
        return read_maps_of(wanted);
    }
    estimate_ = options.estimate;
    place_ = place_of_[source_.first_good()];
    scan_.coil_maps = estimated(place_);
    if (places() > 1) {
        scan_.remarks.push_back(text("coil maps by ", method_->name,
                                     " from the centre of k-space, "
                                     "for each of ",
                                     places(), " places"));
        return;
    }
    const SumOfSquares squares = sum_of_squares(scan_.coil_maps);
    scan_.remarks.push_back(text(
        "coil maps by ", method_->name, " from the centre of k-space (", matrix_, " voxels); ",
        squares.voxels == scan_.grid.voxels() ? "all" : "",
        squares.voxels == scan_.grid.voxels() ? ""
                                              : text(squares.voxels, " of ", scan_.grid.voxels()),
        " voxels have signal"));
    if (squares.voxels == 0) {
        throw InputError({scan_.file, "coil maps by " + method_->name,
                          "no voxel with signal in the centre of k-space", "an object in the coils",
                          "pass --maps walsh, --maps FILE or --maps none"});
    }
}

/// Of the place's own calibration samples, or of its first frame that is neither bad nor silent.
Calibration PreparedScan::calibration_of(std::size_t place) {
    for (std::size_t f = 0; f < place_of_.size(); ++f) {
        if (place_of_[f] != place || source_.bad().count(f) > 0) {
            continue;
        }
        const std::string slice = slice_in(scan_.frames[f].label);
        for (const Frame& calibration : scan_.calibrations) {
            if (slice.empty() ? place == 0 : slice_in(calibration.label) == slice) {
                return calibrate(backend_, scan_, calibration, report_);
            }
        }
        const bool kept = f == source_.first_good();
        const Frame other = kept ? Frame() : transformed(f);
        const Frame& samples = kept ? first() : other;
        if (samples.samples.largest_part() > 0) {
            return calibrate(backend_, scan_, samples, report_);
        }
    }
    throw InputError({scan_.file, "coil maps by " + method_->name,
                      "zeros alone in every frame of a place", "an object in the coils",
                      "leave its frames out, or pass --maps FILE or --maps none"});
}

CoilRows PreparedScan::estimated(std::size_t place) {
    const Calibration calibration = calibration_of(place);
    const Stage stage(report_, "maps");
    matrix_.clear();
    for (std::size_t d = 0; d < static_cast<std::size_t>(scan_.grid.dimensions); ++d) {
        matrix_ += text(d == 0 ? "" : " x ", calibration.grid.size[d]);
    }
    CoilRows maps = method_->estimate(calibration, scan_.grid, estimate_);
    if (places() > 1 && maps.largest_part() == 0) { // a slice beside the object
        const auto frame = std::find(place_of_.begin(), place_of_.end(), place);
        report_.note(text("no voxel with signal in the place of frame ", frame - place_of_.begin(),
                          ": its maps are by walsh"));
        maps = walsh_maps(calibration, scan_.grid, estimate_);
    }
    return maps;
}

std::size_t PreparedScan::places() const {
    return *std::max_element(place_of_.begin(), place_of_.end()) + 1;
}

std::vector<std::size_t> PreparedScan::order() const {
    std::vector<std::size_t> order = by_sampling(scan_.frames);
    if (maps_differ()) {
        std::stable_sort(order.begin(), order.end(), [this](std::size_t a, std::size_t b) {
            return place_of_[a] < place_of_[b];
        });
    }
    return order;
}

void PreparedScan::move_to(std::size_t frame) {
    if (has_maps_of(frame)) {
        return;
    }
    const std::size_t place = place_of_[frame];
    if (const auto failed = failed_.find(place); failed != failed_.end()) {
        throw InputError(failed->second);
    }
    try {
        scan_.coil_maps = estimated(place);
    } catch (const RunError&) {
        throw;
    } catch (const InputError& error) {
        failed_.emplace(place, error);
        throw;
    }
    place_ = place;
}

void PreparedScan::read_maps_of(const std::string& file) {
    const StoredMaps stored = read_maps(file, scan_.grid);
    const std::size_t wanted =
        mixing_.rows() > 0 ? static_cast<std::size_t>(mixing_.cols()) : scan_.coils();
    if (stored.maps.rows() != wanted) {
        throw InputError({file, "/coil_maps", text("maps of ", stored.maps.rows(), " coils"),
                          text(wanted, ", the coils of ", scan_.file),
                          "name the maps of this scan's coils"});
    }
    CoilRows maps = resampled(stored.maps, stored.grid, scan_.grid,
                              {file, "coil maps", "estimate the maps from this scan"});
    if (maps.largest_part() == 0) {
        throw InputError({file, "/coil_maps", "zeros alone within the image's field of view",
                          "maps where the image is", "name the maps of this scan"});
    }
    scan_.coil_maps = mixing_.rows() > 0 ? mixed(mixing_, maps) : std::move(maps);
    scan_.remarks.push_back("coil maps of " + file + ", SHA-256 " + stored.sha256);
}

} // namespace lsrecon
