// The steps of preparation in their order: lines, what is left out, geometry, slice of a stack,
// field map, whitening, compression, delays of readouts, coils apart, coil maps, prior image.

#include "model/steps.hpp"

#include <cmath>

#include "base/error.hpp"
#include "base/numbers.hpp"
#include "model/resampled.hpp"
#include "model/stack_slice.hpp"
#include "scan/pose.hpp"

namespace lsrecon {

namespace {

/// Coil maps and a field map of the scan itself follow its grid as those that come beside it do.
void resample_own_volumes(ScanInPreparation& preparation) {
    Scan& scan = preparation.scan;
    const PrepareOptions& options = preparation.options;
    Grid from = preparation.file_grid;
    Grid to = scan.grid;
    from.position = to.position = Vec3{0, 0, 0}; // wherever the scan lies, its maps lie there, too
    from.directions = to.directions = {Vec3{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (std::size_t d = 0; d < options.geometry.shift_mm.size(); ++d) {
        (*to.position)[d] = -options.geometry.shift_mm[d];
    }
    const bool same = from.same_lattice(to) && from.fov_mm == to.fov_mm;
    if (scan.voxels || (same && from.position == to.position)) {
        return;
    }
    const auto follow = [&](const CoilRows& volumes, const std::string& thing,
                            const std::string& option) {
        const Resampled of{scan.file, thing,
                           "choose a smaller image with `fov_mm`, or pass `" + option + "` none"};
        require_same_field(from, with_smaller_field(to, from), of);
        scan.facts.push_back("the " + thing + " of the scan: resampled to this grid");
        return resampled(volumes, from, to, of);
    };
    if (!scan.coil_maps.empty() && is_default(options.maps)) {
        scan.coil_maps = follow(scan.coil_maps, "coil maps", "maps");
    }
    if (scan.off_resonance && is_default(options.field_map)) {
        scan.off_resonance = std::make_shared<const OffResonance>(
            off_resonance_in(follow(rows_of(*scan.off_resonance), "field map", "field_map")));
    }
}

void change_geometry(ScanInPreparation& preparation) {
    preparation.frames.change(
        [geometry = Geometry(preparation.options.geometry, preparation.scan)](
            std::size_t index, Frame& frame) { geometry.apply(index, frame); });
    resample_own_volumes(preparation);
    preparation.slices = slices_of(preparation.scan);
}

void take_slice_of_stack(ScanInPreparation& preparation) {
    const std::size_t slice = *preparation.options.stack_slice;
    const auto stack = std::make_shared<const StackSlice>(slice, preparation.scan);
    preparation.file_grid = slice_of_grid(preparation.file_grid);
    preparation.frames.change(
        [stack](std::size_t index, Frame& frame) { stack->apply(index, frame); });
    preparation.slices = slices_of(preparation.scan);
}

/// The root mean square of the samples that are farthest from the centre of k-space, over that of
/// the noise. Some noise is in all samples, and little else at the edge: 112 at SNR 1000 and 32 x
/// 32 voxels, 43 at 128 x 128.
double edge_over_noise(const Frame& frame, const CoilRows& noise) {
    constexpr double edge = 0.9;
    const std::vector<Vec3>& positions = frame.trajectory->positions;
    double farthest = 0;
    for (const Vec3& k : positions) {
        farthest = std::max(farthest, dot(k, k));
    }
    double energy = 0;
    double count = 0;
    frame.samples.visit([&](const auto& samples) {
        for (std::size_t m = 0; m < positions.size(); ++m) {
            if (dot(positions[m], positions[m]) >= edge * edge * farthest) {
                energy += samples.col(static_cast<Eigen::Index>(m))
                              .template cast<Complex>()
                              .squaredNorm();
                ++count;
            }
        }
    });
    return std::sqrt(energy / count / energy_of_noise(noise));
}

/// Scanners and simulators scale noise in ways of their own.
void leave_out_unlike_noise(ScanInPreparation& preparation) {
    constexpr double most = 100;
    const double ratio =
        preparation.frames.look_at(preparation.frames.first_good(), [&](const Frame& frame) {
            return edge_over_noise(frame, preparation.scan.noise);
        });
    if (std::isfinite(ratio) && ratio > most) {
        preparation.scan.noise = {};
        preparation.scan.findings.push_back(
            {Found::noise_unlike_samples, {{"ratio", std::round(ratio)}}});
    }
}

void whiten(ScanInPreparation& preparation) {
    preparation.mix(whitening(preparation.scan));
    preparation.scan.facts.push_back(
        text("coils prewhitened with ", preparation.scan.noise.columns(), " samples of noise"));
}

void require_compression(const Scan& scan, const CoilCompression& wanted) {
    if (wanted.coils > scan.coils()) {
        throw UsageError(
            text("`coils` ", wanted.coils, "\n  expected: at most the ", scan.coils(),
                 " coils of the scan\n  next:     compress to fewer, or leave `coils` out"));
    }
}

/// The Gram matrix of the coils in the first good frame of a slice; none of zeros, which say
/// nothing about the coils.
std::optional<Eigen::MatrixXcd> gram_of(ScanInPreparation& preparation, const Slice& slice) {
    const std::vector<std::size_t> good = preparation.frames.good_of(slice);
    if (good.empty()) {
        return std::nullopt;
    }
    return preparation.frames.look_at(good.front(), [](const Frame& frame) {
        return frame.samples.largest_part() > 0
                   ? std::optional<Eigen::MatrixXcd>(gram(frame.samples))
                   : std::nullopt;
    });
}

[[noreturn]] void refuse_silence(const ScanInPreparation& preparation) {
    throw InputError({preparation.scan.file,
                      text("samples of frame ", preparation.frames.first_good(),
                           ", from which `coils` and ", "`energy` find virtual coils"),
                      "only zeros", "an object inside the coils' sensitive volume",
                      "leave the frame out with `frames`, or compress no coils"});
}

void compress(ScanInPreparation& preparation) {
    const CoilCompression& wanted = preparation.options.compression;
    require_compression(preparation.scan, wanted);
    const std::size_t before = preparation.scan.coils();
    std::vector<Eigen::MatrixXcd> grams;
    for (const Slice& slice : preparation.slices) {
        if (const std::optional<Eigen::MatrixXcd> gram = gram_of(preparation, slice)) {
            grams.push_back(*gram);
        }
    }
    if (grams.empty()) {
        refuse_silence(preparation);
    }
    const CompressedCoils compressed = compressed_coils(grams, wanted);
    preparation.mix(compressed.mixing);
    preparation.scan.facts.push_back(
        text(before, " coils compressed to ", preparation.scan.coils(), ", with ",
             100 * compressed.energy, " % of the energy",
             grams.size() > 1 ? " in the slice that keeps least" : ""));
}

/// Makes each coil of a frame a frame of its own. Noise that is not white differs from coil to
/// coil.
void separate_coils(ScanInPreparation& preparation) {
    Scan& scan = preparation.scan;
    const PrepareOptions& options = preparation.options;
    const std::size_t coils = scan.coils();
    const std::vector<std::size_t> numbers = options.leave_out.coils_in_file(coils);
    std::vector<Frame> apart;
    for (const Frame& frame : scan.frames) {
        for (std::size_t c = 0; c < coils; ++c) {
            const bool is_virtual = options.compression.is_requested();
            apart.push_back(frame);
            apart.back().label +=
                text(frame.label.empty() ? "" : ", ",
                     is_virtual ? text("virtual coil ", c) : text("coil ", numbers[c]));
            apart.back().samples = CoilRows(1, 0, frame.samples.precision());
        }
    }
    scan.frames = std::move(apart);
    scan.readouts.clear();
    if (!scan.noise.empty()) {
        scan.noise = options.whiten ? CoilRows(scan.noise.to_doubles().row(0)) : CoilRows();
    }
    preparation.frames.separate(coils);
    preparation.slices = slices_of(scan);
    scan.facts.push_back(text("an image of each of ", counted(coils, "coil"), " (`keep_coils`)"));
}

void take_maps(ScanInPreparation& preparation) {
    preparation.maps.emplace(preparation.scan, preparation.slices, preparation.file_grid,
                             preparation.frames, preparation.options, preparation.transforms,
                             preparation.report);
}

void take_prior(ScanInPreparation& preparation) {
    preparation.prior.emplace(preparation.options.prior,
                              std::move(*preparation.options.stored_prior), preparation.scan,
                              preparation.slices, preparation.options.geometry.shifts());
}

} // namespace

const std::vector<Step>& steps() {
    using Preparation = const ScanInPreparation&;
    static const std::vector<Step> rows{
        {"lines", [](Preparation preparation) { return preparation.scan.has_samples(); },
         &correct_lines, nullptr},
        {"what is left out",
         [](Preparation preparation) {
             const LeaveOut& options = preparation.options.leave_out;
             return options.automatic || options.any();
         },
         &leave_out, nullptr},
        {"geometry", [](Preparation preparation) { return preparation.options.geometry.any(); },
         &change_geometry, nullptr},
        {"slice of a stack",
         [](Preparation preparation) { return preparation.options.stack_slice.has_value(); },
         &take_slice_of_stack, nullptr},
        {"field map", [](Preparation) { return true; }, &take_field, nullptr},
        {"noise of another scale",
         [](Preparation preparation) { return !preparation.scan.noise.empty(); },
         &leave_out_unlike_noise, nullptr},
        {"whitening",
         [](Preparation preparation) {
             return preparation.options.whiten && !preparation.scan.noise.empty();
         },
         &whiten, nullptr},
        {"compression",
         [](Preparation preparation) { return preparation.options.compression.is_requested(); },
         &compress, nullptr},
        {"delays", &may_have_delays, &correct_delays, &cost_of_delays},
        {"coils apart",
         [](Preparation preparation) {
             return preparation.options.keep_coils && preparation.scan.has_samples();
         },
         &separate_coils, nullptr},
        {"coil maps", [](Preparation) { return true; }, &take_maps, &cost_of_maps},
        {"prior image",
         [](Preparation preparation) { return preparation.options.stored_prior.has_value(); },
         &take_prior, nullptr},
    };
    return rows;
}

ScanInPreparation::ScanInPreparation(FrameSource& source, PrepareOptions wanted, Transforms& by,
                                     Reporter& watching)
    : scan(source.take_scan()), frames(source, scan), options(std::move(wanted)), transforms(by),
      report(watching), file_grid(scan.grid), slices(slices_of(scan)) {}

void ScanInPreparation::mix(const CoilTransform& mixing) {
    frames.mix(mixing);
    for (CoilRows* const rows : {&scan.noise, &scan.coil_maps}) {
        if (!rows->empty()) {
            *rows = mixed(mixing, *rows);
        }
    }
    for (Frame& calibration : scan.calibrations) {
        calibration.samples = mixed(mixing, calibration.samples);
    }
    for (Frame& frame : scan.frames) {
        frame.samples =
            CoilRows(static_cast<std::size_t>(mixing.rows()), 0, frame.samples.precision());
    }
}

} // namespace lsrecon
