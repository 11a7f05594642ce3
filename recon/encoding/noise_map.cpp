// Makes the covariance of an image, which is probed, or solves replicas of noise.

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

/// The `tolerance` of solves of probes, of which they leave a tenth: the square of it shows in a
/// diagonal, 0.1 to 1.2 % of a deviation as it was found. What lambda took out of the first solve
/// is solved to as much of the whole, within the second.
constexpr double coarsest_probes = 0.1;
constexpr double coarsest = 0.5;

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

/// The deviation of an image by pseudo-replicas (Robson et al. 2008, MRM 60:895): the frame is
/// solved again with other noise added to its samples, and the standard deviation over the replicas
/// is taken in every voxel, N: of a real or imaginary part of a complex image, or of a magnitude.
/// Its relative error is 1 / (2 sqrt(replicas - 1)), and sqrt(2) times that for magnitudes.
///
/// Noise is added to the data, not reconstructed alone, because penalties that are not quadratic
/// treat it by what the data are.
RealVector deviation_of_replicas(const NoisyFrame& frame, const ReplicaNoise& noise,
                                 std::size_t samples, Precision precision, std::size_t replicas,
                                 Reporter& report) {
    RunningDeviation running;
    for (std::size_t i = 0; i < replicas; ++i) {
        std::vector<Volume> noisy = frame.transform(noise.draw(i, samples, precision));
        for (std::size_t p = 0; p < noisy.size(); ++p) {
            noisy[p] = Volume(ComplexVector(frame.fhd[p].values() + noisy[p].values()));
        }
        running.add(frame.solve(noisy));
        report.progress(static_cast<double>(i + 1) / static_cast<double>(replicas));
    }
    return running.deviation(frame.is_complex ? 2 : 1);
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
    if (coil_maps.columns() > scan.grid.voxels()) {
        return Found::no_g_factor_of_sets;
    }
    if (!white) {
        return Found::no_g_factor_of_coloured_noise;
    }
    if (trajectory.phi.size() > 0) {
        return Found::no_g_factor_with_phi;
    }
    if (!determines_all(trajectory, scan.grid)) {
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

ImageNoise noise_of_image(const NoisyFrame& frame, const ReplicaNoise& noise,
                          const Trajectory& trajectory, Precision precision, std::size_t solves,
                          Reporter& report) {
    const Stage stage(report, "noise_map");
    if (frame.covariance) {
        if (const std::optional<ProbedDiagonal> probed =
                probed_diagonal(frame.covariance, frame.size, frame.seen, solves, report)) {
            return {noise.deviation() * probed->values.cwiseSqrt(), probed->error, probed->products,
                    true};
        }
    }
    const double parts = frame.is_complex ? 2 : 1;
    return {deviation_of_replicas(frame, noise, trajectory.samples(), precision, solves, report),
            1 / std::sqrt(2 * parts * (static_cast<double>(solves) - 1)), solves, false};
}

LinearMap covariance_of_adjoint(const Encoding& encoding, const RealVector& weights,
                                const CoilTransform& psi,
                                std::function<std::vector<Volume>(const CoilRows&)> adjoint) {
    return [&encoding, &weights, psi, adjoint = std::move(adjoint)](const ComplexVector& rho) {
        CoilMatrix samples = encoding.forward({rho});
        if (weights.size() > 0) {
            samples *= weights.cast<Complex>().asDiagonal();
        }
        if (psi.size() > 0) {
            samples = psi * samples;
        }
        return adjoint(CoilRows(std::move(samples))).front().values();
    };
}

bool determines_all(const Trajectory& trajectory, const Grid& grid) {
    return unsampled_frequencies(trajectory.positions, grid).sum() == 0;
}

LinearMap covariance_of_solve(std::shared_ptr<System> system, std::optional<Iterations> run,
                              LinearMap of_fhd, double lambda) {
    SolveOptions options;
    options.iterations = 1000;
    // What is left is divided by lambda where nothing was sampled.
    const double tolerance_of_probes = std::clamp(10 * lambda, 1e-4, coarsest_probes);
    const auto solve = [=](const ComplexVector& b, double tolerance) {
        SolveOptions of_one = options;
        of_one.tolerance = tolerance;
        return run ? system->repeated(b, *run) : system->inverse_of(b, of_one);
    };
    return [=](const ComplexVector& v) -> ComplexVector {
        ComplexVector once = solve(v, tolerance_of_probes);
        // R P R v = R v + R (P R v - v), where little is left without much lambda.
        const ComplexVector left =
            (of_fhd ? ComplexVector(of_fhd(once) / system->unit()) : system->normal_product(once)) -
            v;
        const double share = left.norm() / v.norm();
        if (run || share > tolerance_of_probes) {
            once += solve(left, std::min(tolerance_of_probes / share, coarsest));
        }
        return once / system->unit();
    };
}

LinearMap covariance_of_combined(const CoilRows& coil_maps, LinearMap of_fhd) {
    if (coil_maps.empty()) {
        return of_fhd;
    }
    const RealVector squares = squares_of(coil_maps);
    const RealVector factors = (squares.array() > 0).select(squares.cwiseInverse(), 0);
    return [factors, of_fhd = std::move(of_fhd)](const ComplexVector& v) -> ComplexVector {
        const auto over_squares = factors.cast<Complex>().asDiagonal();
        return over_squares * of_fhd(over_squares * v);
    };
}

void add_noise_map(Image& image, std::size_t f, const std::vector<Stop>& stops,
                   const ImageNoise& of_image, const Scan& scan, const Model& model,
                   const SolveOptions& options, Reporter& report) {
    const ReplicaNoise noise(scan);
    const Trajectory& trajectory = *scan.frames[f].trajectory;
    if (scan.noise.empty()) {
        report.add({Found::noise_map_relative});
    }
    image.noise_map = of_image.deviation / model.maps_scale;
    image.numbers.emplace_back(of_image.by_probes ? "noise_probes" : "noise_replicas",
                               static_cast<double>(of_image.solves));
    image.numbers.emplace_back("noise_map_error", of_image.error);
    image.numbers.emplace_back("noise_frame", static_cast<double>(f));
    image.numbers.emplace_back("noise_deviation_of_samples", noise.deviation());
    add_statistics(image, "noise_map", image.noise_map);
    report.info(text("noise map by ", of_image.solves, of_image.by_probes ? " probes" : " replicas",
                     ", to ", rounded(100 * of_image.error), " %"));
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
