#include "prepare/prepared_scan.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "io/field_file.hpp"
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

} // namespace

PreparedScan::PreparedScan(FrameSource& source, const PrepareOptions& options, Backend& backend,
                           Reporter& report)
    : scan_(source.take_scan()), frames_(source), maps_(scan_, frames_, backend, report) {
    const std::size_t known = scan_.remarks.size();
    if (options.geometry.any()) {
        frames_.place(Geometry(options.geometry, scan_));
    }
    set_field_map(options.field_map);
    if (options.whiten && !scan_.noise.empty()) {
        mix(whitening(scan_));
        scan_.remarks.push_back(
            text("coils whitened by ", scan_.noise.columns(), " samples of noise"));
    }
    require_compression(scan_, options.compression);
    if (options.compression.asked_for()) {
        const CompressedCoils compressed = frames_.look_at(first_good(), [&](const Frame& frame) {
            return compress(frame.samples, options.compression);
        });
        const std::size_t before = scan_.coils();
        mix(compressed.mixing);
        scan_.remarks.push_back(text(before, " coils compressed to ", scan_.coils(), ", with ",
                                     100 * compressed.energy, " % of the energy"));
    }
    maps_.make(options);
    for (std::size_t i = known; i < scan_.remarks.size(); ++i) {
        report.note(scan_.remarks[i]);
    }
}

/// Noise and maps change as the samples do.
void PreparedScan::mix(const CoilMixing& mixing) {
    frames_.mix(mixing);
    for (CoilRows* const rows : {&scan_.noise, &scan_.coil_maps}) {
        if (!rows->empty()) {
            *rows = mixed(mixing, *rows);
        }
    }
    for (Frame& calibration : scan_.calibrations) {
        calibration.samples = mixed(mixing, calibration.samples);
    }
    for (Frame& frame : scan_.frames) {
        frame.samples =
            CoilRows(static_cast<std::size_t>(mixing.rows()), 0, frame.samples.precision());
    }
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
    require_one_place(scan_, maps_.places(), "field map of --field-map " + wanted,
                      "--field-map none");
    const StoredField stored = read_field(wanted, scan_.grid);
    scan_.off_resonance = std::make_shared<const OffResonance>(
        resampled(stored.off_resonance, stored.grid, scan_.grid, wanted));
    scan_.remarks.push_back("field map of " + wanted + ", SHA-256 " + stored.sha256);
}

std::vector<std::size_t> PreparedScan::order() const {
    std::vector<std::size_t> order = by_sampling(scan_.frames);
    if (maps_differ()) {
        const std::vector<std::size_t>& place_of = maps_.place_of();
        std::stable_sort(order.begin(), order.end(),
                         [&](std::size_t a, std::size_t b) { return place_of[a] < place_of[b]; });
    }
    return order;
}

void PreparedScan::move_to(std::size_t frame) {
    if (!has_maps_of(frame)) {
        maps_.move_to(frame);
    }
}

} // namespace lsrecon
