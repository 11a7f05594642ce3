// Solves replicas of noise, and gathers the deviation of their images.

#include "encoding/noise_map.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/numbers.hpp"
#include "encoding/methods.hpp"
#include "operators/unsampled.hpp"
#include "scan/noise.hpp"

namespace lsrecon {

void RunningDeviation::add(const ComplexVector& image) {
    if (count_ == 0) {
        mean_ = ComplexVector::Zero(image.size());
        squares_ = RealVector::Zero(image.size());
    }
    ++count_;
    for (Eigen::Index n = 0; n < image.size(); ++n) {
        const Complex before = image(n) - mean_(n);
        mean_(n) += before / count_;
        squares_(n) += (std::conj(before) * (image(n) - mean_(n))).real();
    }
}

RealVector RunningDeviation::deviation(int parts) const {
    return (squares_ / (parts * (count_ - 1))).cwiseSqrt();
}

namespace {

/// Median and largest of what is not 0, for the record; in words.
std::string add_statistics(Image& image, const std::string& name, const RealVector& map) {
    std::vector<double> values;
    std::copy_if(map.begin(), map.end(), std::back_inserter(values),
                 [](double value) { return value > 0; });
    const double largest = values.empty() ? 0 : *std::max_element(values.begin(), values.end());
    require_an_image(largest);
    const double middle = median(values);
    image.numbers.emplace_back(name + "_median", middle);
    image.numbers.emplace_back(name + "_largest", largest);
    return text("median ", rounded(middle), ", largest ", rounded(largest));
}

/// The noise of an image by pseudo-replicas (Robson et al. 2008, MRM 60:895): the frame is solved
/// again with other noise added to its samples, and the standard deviation over the replicas is
/// taken in every voxel, N: of a real or imaginary part of a complex image, or of a magnitude. Its
/// relative error is 1 / (2 sqrt(replicas - 1)), and sqrt(2) times that for magnitudes.
///
/// Noise is added to the data, not reconstructed alone, because conjugate gradients that end early
/// and penalties that are not quadratic treat both by what the data are.
///
/// `noise` gives C x M values of a replica. At least 2 replicas; errors as of solve().
RealVector noise_map(const NoisyFrame& frame, std::size_t replicas,
                     const std::function<CoilRows(std::size_t replica)>& noise, Reporter& report) {
    const Stage stage(report, "noise_map");
    RunningDeviation running;
    for (std::size_t i = 0; i < replicas; ++i) {
        std::vector<Volume> noisy = frame.transform(noise(i));
        for (std::size_t p = 0; p < noisy.size(); ++p) {
            noisy[p] = Volume(ComplexVector(frame.fhd[p].values() + noisy[p].values()));
        }
        running.add(frame.solve(noisy));
        report.progress(static_cast<double>(i + 1) / static_cast<double>(replicas));
    }
    return running.deviation(frame.fhd.size() == 1 ? 2 : 1);
}

/// Why the g-factor is not defined for a scan as it is transformed, or this solve, which ended so,
/// has less noise than SENSE; null where it is that of SENSE.
std::optional<Found> why_no_g_factor(const Scan& scan, const CoilRows& coil_maps,
                                     const Trajectory& trajectory, bool white,
                                     const SolveOptions& options, const std::vector<Stop>& stops) {
    if (!method_of(options).solves) {
        return Found::no_g_factor_of_method;
    }
    if (scan.voxels) {
        return Found::no_g_factor_off_grid;
    }
    if (coil_maps.empty() && scan.coils() > 1) {
        return Found::no_g_factor_without_maps;
    }
    if (!white) {
        return Found::no_g_factor_of_coloured_noise;
    }
    if (trajectory.phi.size() > 0) {
        return Found::no_g_factor_with_phi;
    }
    if (unsampled_frequencies(trajectory.positions, scan.grid).sum() > 0) {
        return Found::no_g_factor_without_corners;
    }
    if (options.lambda > 0 || !options.regularisers.empty()) {
        return Found::no_g_factor_regularised;
    }
    return std::count(stops.begin(), stops.end(), Stop::iterations) > 0
               ? std::optional(Found::no_g_factor_stopped_early)
               : std::nullopt;
}

/// SNR_full / (SNR sqrt(R)) in every voxel, from a noise map: the g-factor (Pruessmann et al. 1999,
/// MRM 42:952). SNR_full is that of N samples on the Nyquist grid of these coils, combined with sum
/// |S|^2, and R is N over the samples of a coil. `deviation` is of a real or imaginary part of the
/// samples, whose noise is white. 0 where no coil has sensitivity; no maps stand for one coil whose
/// map is 1.
///
/// N samples on the Nyquist grid give A = N sum |S|^2 and, from samples of this deviation, an image
/// of deviation / sqrt(N sum |S|^2). With R = N / M that is divided out of the noise map.
RealVector g_factor(const RealVector& noise_map, const CoilRows& coil_maps, std::size_t samples,
                    double deviation) {
    const RealVector squares =
        coil_maps.empty() ? RealVector::Ones(noise_map.size()).eval() : squares_of(coil_maps);
    return noise_map.cwiseProduct((static_cast<double>(samples) * squares).cwiseSqrt()) / deviation;
}

} // namespace

void add_noise_map(Image& image, std::size_t f, const std::vector<Stop>& stops,
                   const NoisyFrame& frame, const Scan& scan, const Model& model,
                   const SolveOptions& options, std::size_t replicas, Reporter& report) {
    const ReplicaNoise noise(scan);
    const Trajectory& trajectory = *scan.frames[f].trajectory;
    const Precision precision = scan.frames[f].samples.precision();
    if (scan.noise.empty()) {
        report.add({Found::noise_map_relative});
    }
    image.noise_map = noise_map(
        frame, replicas,
        [&](std::size_t i) { return noise.draw(i, trajectory.samples(), precision); }, report);
    image.noise_map /= model.maps_scale;
    image.numbers.emplace_back("noise_replicas", static_cast<double>(replicas));
    image.numbers.emplace_back("noise_frame", static_cast<double>(f));
    image.numbers.emplace_back("noise_deviation_of_samples", noise.deviation());
    add_statistics(image, "noise_map", image.noise_map);
    const std::optional<Found> why_not =
        why_no_g_factor(scan, *model.coil_maps, trajectory, noise.white(), options, stops);
    if (why_not) {
        report.add({*why_not});
        return;
    }
    image.g_factor = g_factor(image.noise_map, *model.coil_maps, trajectory.samples(),
                              noise.deviation() / model.maps_scale);
    report.info("g-factor without regularisation: " +
                add_statistics(image, "g_factor", image.g_factor));
}

} // namespace lsrecon
