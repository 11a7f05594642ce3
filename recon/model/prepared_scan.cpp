#include "model/prepared_scan.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "scan/directions.hpp"
#include "scan/remarks.hpp"

namespace lsrecon {

namespace {

void require_compression(const Scan& scan, const CoilCompression& wanted) {
    if (wanted.coils > scan.coils()) {
        throw UsageError(
            text("`coils` ", wanted.coils, "\n  expected: at most the ", scan.coils(),
                 " coils of the scan\n  next:     compress to fewer, or leave `coils` out"));
    }
}

/// The root mean square of the samples that are farthest from the centre of k-space, over that of
/// the noise. Some noise is in all samples, and little else at the edge: 112 at SNR 1000 and 32 x
/// 32 voxels, 43 at 128 x 128.
double edge_over_noise(const Frame& frame, const CoilRows& noise) {
    constexpr double edge = 0.9;
    const std::vector<Vec3>& trajectory = frame.sampling->trajectory;
    double farthest = 0;
    for (const Vec3& k : trajectory) {
        farthest = std::max(farthest, dot(k, k));
    }
    double energy = 0;
    double count = 0;
    frame.samples.visit([&](const auto& samples) {
        for (std::size_t m = 0; m < trajectory.size(); ++m) {
            if (dot(trajectory[m], trajectory[m]) >= edge * edge * farthest) {
                energy += samples.col(static_cast<Eigen::Index>(m))
                              .template cast<Complex>()
                              .squaredNorm();
                ++count;
            }
        }
    });
    return std::sqrt(energy / count / energy_of_noise(noise));
}

} // namespace

PreparedScan::PreparedScan(FrameSource& source, PrepareOptions options, Transforms& transforms,
                           Reporter& report)
    : scan_(source.take_scan()), file_grid_(scan_.grid), frames_(source) {
    const std::size_t known_facts = scan_.facts.size();
    const std::size_t known = scan_.remarks.size();
    if (options.geometry.any()) {
        frames_.place(Geometry(options.geometry, scan_));
    }
    places_ = places_of(scan_);
    place_of_ = place_of_frames(places_);
    set_field(options);
    if (!scan_.noise.empty()) {
        leave_out_unlike_noise();
    }
    if (options.whiten && !scan_.noise.empty()) {
        mix(whitening(scan_));
        scan_.facts.push_back(
            text("coils prewhitened with ", scan_.noise.columns(), " samples of noise"));
    }
    require_compression(scan_, options.compression);
    if (options.compression.asked_for()) {
        compress(options.compression);
    }
    maps_.emplace(scan_, places_, file_grid_, frames_, options, transforms, report);
    if (options.stored_prior) {
        prior_.emplace(options.prior, std::move(*options.stored_prior), scan_, places_,
                       options.geometry.shifts());
    }
    for (std::size_t i = known_facts; i < scan_.facts.size(); ++i) {
        report.tell(scan_.facts[i]);
    }
    for (std::size_t i = known; i < scan_.remarks.size(); ++i) {
        report.note(scan_.remarks[i]);
    }
}

/// Scanners and simulators scale noise in ways of their own.
void PreparedScan::leave_out_unlike_noise() {
    constexpr double most = 100;
    const double ratio = frames_.look_at(frames_.first_good(), [&](const Frame& frame) {
        return edge_over_noise(frame, scan_.noise);
    });
    if (std::isfinite(ratio) && ratio > most) {
        scan_.noise = {};
        scan_.remarks.push_back(
            text("The noise measurement is ", std::round(ratio),
                 " times weaker than the samples at the edge of k-space. It has another scale than "
                 "the samples and is not used."));
    }
}

void PreparedScan::compress(const CoilCompression& wanted) {
    const std::size_t before = scan_.coils();
    std::vector<Eigen::MatrixXcd> grams;
    for (const Place& place : places_) {
        if (const std::optional<Eigen::MatrixXcd> gram = gram_of(place)) {
            grams.push_back(*gram);
        }
    }
    if (grams.empty()) {
        refuse_silence();
    }
    const CompressedCoils compressed = compressed_coils(grams, wanted);
    mix(compressed.mixing);
    scan_.facts.push_back(text(before, " coils compressed to ", scan_.coils(), ", with ",
                               100 * compressed.energy, " % of the energy",
                               grams.size() > 1 ? " in the slice that keeps least" : ""));
}

/// Of the first good frame of a place; none of zeros, which say nothing about the coils.
std::optional<Eigen::MatrixXcd> PreparedScan::gram_of(const Place& place) {
    const std::vector<std::size_t> good = frames_.good_of(place);
    if (good.empty()) {
        return std::nullopt;
    }
    return frames_.look_at(good.front(), [](const Frame& frame) {
        return frame.samples.largest_part() > 0
                   ? std::optional<Eigen::MatrixXcd>(gram(frame.samples))
                   : std::nullopt;
    });
}

void PreparedScan::refuse_silence() const {
    throw InputError({scan_.file,
                      text("samples of frame ", frames_.first_good(), ", from which `coils` and ",
                           "`energy` find virtual coils"),
                      "only zeros", "an object inside the coils' sensitive volume",
                      "leave the frame out with `frames`, or compress no coils"});
}

void PreparedScan::set_coils(std::size_t coils) {
    for (Frame& frame : scan_.frames) {
        frame.samples = CoilRows(coils, 0, frame.samples.precision());
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
    set_coils(static_cast<std::size_t>(mixing.rows()));
}

void PreparedScan::set_field(PrepareOptions& options) {
    const std::string& wanted = options.field_map;
    const double factor = options.field_scale;
    if (wanted == "none" && scan_.off_resonance) {
        scan_.off_resonance.reset();
        scan_.facts.push_back("the field map of the scan is not used: `field_map` none");
    }
    if (wanted.empty() && scan_.off_resonance && scan_.off_resonance->is_zero()) {
        scan_.remarks.push_back("The field map of the scan is 0 in every voxel. `field_map` none "
                                "makes the same image in less time.");
    }
    if (!(wanted.empty() ? scan_.off_resonance != nullptr : wanted != "none") && factor != 1) {
        throw UsageError(text("`field_scale` ", factor,
                              ": the reconstruction has no field map\n  next:     leave it out, or "
                              "name a map with `field_map`"));
    }
    if (wanted.empty() && scan_.off_resonance) {
        scan_.off_resonance =
            std::make_shared<const OffResonance>(scan_.off_resonance->scaled(factor));
    }
    if (!options.field_map_of_file()) {
        return;
    }
    if (scan_.voxels) {
        throw UsageError("`field_map` " + wanted +
                         ": the scan has /voxels, and a map is resampled for a grid only\n"
                         "  next:     store /field_map at the voxels");
    }
    if (!options.stored_field) {
        throw UsageError("`field_map` " + wanted + ": the values of that map are missing");
    }
    const std::string sha256 = options.stored_field->sha256;
    field_.emplace(wanted, std::move(*options.stored_field), scan_, places_, file_grid_,
                   options.geometry.shifts(), factor);
    scan_.facts.push_back("field map of " + wanted + ", SHA-256 " + sha256 +
                          (field_->differ() ? ", at the place of each slice" : ""));
    scan_.off_resonance = field_->of(place_of(frames_.first_good()));
    remark_idle_field(scan_, scan_.remarks);
}

Model PreparedScan::model_of(const Place& place) {
    const PlaceMaps maps = maps_->of(place);
    Model model{maps.values, maps.scale, field_ ? field_->of(place) : scan_.off_resonance, nullptr};
    if (prior_) {
        model.prior = prior_->of(place);
        if (model.maps_scale != 1) {
            PriorImage scaled = *model.prior;
            scaled.values *= model.maps_scale;
            model.prior = std::make_shared<const PriorImage>(std::move(scaled));
        }
    }
    return model;
}

} // namespace lsrecon
