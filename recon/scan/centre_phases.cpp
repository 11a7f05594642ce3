// Compares readouts that cross k = 0 with each other there.

#include "scan/readouts.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/numbers.hpp"
#include "base/parallel.hpp"

namespace lsrecon {

namespace {

using Eigen::Index;

constexpr double per_radian = 180 / pi;

ComplexVector column_of(const CoilRows& samples, std::size_t m) {
    return samples.visit([&](const auto& values) {
        return ComplexVector(values.col(static_cast<Index>(m)).template cast<Complex>());
    });
}

/// The strongest sample of each readout beside k = 0, which gradients that are late do not move off
/// those of other readouts.
std::vector<ComplexVector> strongest_near_centre(const Trajectory& trajectory,
                                                 const CoilRows& samples,
                                                 const FrameReadouts& readouts) {
    constexpr double near = 2; // cycles per field of view
    std::vector<ComplexVector> strongest;
    std::size_t first = 0;
    for (const std::size_t end : readouts.ends) {
        ComplexVector best;
        for (std::size_t m = first; m < end; ++m) {
            const Vec3& k = trajectory.positions[m];
            if (std::hypot(k[0], k[1], k[2]) < near) {
                const ComplexVector sample = column_of(samples, m);
                best =
                    best.size() == 0 || sample.squaredNorm() > best.squaredNorm() ? sample : best;
            }
        }
        if (best.size() > 0) {
            strongest.push_back(best);
        }
        first = end;
    }
    return strongest;
}

/// The values of readouts where they cross k = 0, between the two samples beside it.
std::vector<ComplexVector> at_centre(const Trajectory& trajectory, const CoilRows& samples,
                                     const FrameReadouts& readouts, double& noise) {
    constexpr double near = 0.2; // cycles per field of view
    struct Crossing {
        std::size_t after = 0; ///< the sample after it; 0 for none
        double share = 0; ///< of that one
    };
    const auto crossing_of = [&](std::size_t r) {
        Crossing crossing;
        double nearest = near * near;
        for (std::size_t m = r == 0 ? 0 : readouts.ends[r - 1]; m + 1 < readouts.ends[r]; ++m) {
            const Vec3& k = trajectory.positions[m];
            Vec3 step = trajectory.positions[m + 1];
            double along = 0;
            double squared = 0;
            for (std::size_t d = 0; d < 3; ++d) {
                step[d] -= k[d];
                along -= k[d] * step[d];
                squared += step[d] * step[d];
            }
            const double part = squared > 0 ? std::clamp(along / squared, 0.0, 1.0) : 0;
            double distance = 0;
            for (std::size_t d = 0; d < 3; ++d) {
                const double there = k[d] + part * step[d];
                distance += there * there;
            }
            if (distance < nearest && squared < 2) {
                nearest = distance;
                crossing = {m + 1, part};
            }
        }
        return crossing;
    };
    std::vector<Crossing> crossings(readouts.ends.size());
    for_each_range_in_parallel(
        crossings.size(), cores_for(trajectory.samples()), [&](const Range& some) {
            for (std::size_t r = some.first; r < some.first + some.count; ++r) {
                crossings[r] = crossing_of(r);
            }
        });
    std::vector<ComplexVector> centres;
    std::vector<double> last;
    for (std::size_t r = 0; r < crossings.size(); ++r) {
        const auto [after, share] = crossings[r];
        if (after > 0) {
            centres.emplace_back((1 - share) * column_of(samples, after - 1) +
                                 share * column_of(samples, after));
            last.push_back(column_of(samples, readouts.ends[r] - 1).squaredNorm());
        }
    }
    noise = last.empty() ? 0 : std::sqrt(median(last));
    return centres;
}

/// The steps of phase and strength from each readout to the next, at k = 0.
struct Steps {
    ComplexVector phases; ///< of absolute value 1
    double angle = 0; ///< median, in degrees
    double ratio = 1; ///< median of the stronger over the weaker
    double coherence = 0; ///< 1 where all coils step alike
    double noise = 0; ///< bound of the standard deviation of a phase, times 4
};

Steps centre_steps(const std::vector<ComplexVector>& centres, double noise) {
    Steps steps;
    steps.phases.resize(static_cast<Index>(centres.size()) - 1);
    std::vector<double> angles;
    std::vector<double> ratios;
    std::vector<double> strengths;
    for (std::size_t s = 0; s + 1 < centres.size(); ++s) {
        const double a = std::max(centres[s].norm(), 1e-30);
        const double b = std::max(centres[s + 1].norm(), 1e-30);
        const Complex step = centres[s].dot(centres[s + 1]) / (a * b);
        steps.phases(static_cast<Index>(s)) = step / std::max(std::abs(step), 1e-30);
        steps.coherence += std::abs(step) / static_cast<double>(centres.size() - 1);
        angles.push_back(per_radian * std::abs(std::arg(step)));
        ratios.push_back(std::max(a / b, b / a));
        strengths.push_back(a);
    }
    steps.angle = median(angles);
    steps.ratio = median(ratios);
    steps.noise = 4 * noise / median(strengths);
    return steps;
}

/// The step of a step that grows by the same from one readout to the next, in degrees; none where
/// the steps are not so regular, or as regular without growth.
std::optional<double> growth_of(const ComplexVector& phases, double regular) {
    constexpr int resolution = 720; // half degrees
    constexpr int least = 6;
    double best = std::max(regular, std::abs(phases.mean()));
    std::optional<double> growth;
    for (int q = least; q <= resolution - least; ++q) {
        Complex sum = 0;
        for (Index s = 0; s < phases.size(); ++s) {
            sum += phases(s) * std::polar(1.0, -2 * pi * q * static_cast<double>(s) / resolution);
        }
        if (std::abs(sum) / static_cast<double>(phases.size()) > best) {
            best = std::abs(sum) / static_cast<double>(phases.size());
            growth = (q <= resolution / 2 ? q : q - resolution) * 360.0 / resolution;
        }
    }
    return growth;
}

} // namespace

Findings findings_at_centre(const Trajectory& trajectory, const CoilRows& samples,
                            const FrameReadouts& readouts) {
    constexpr double differ = 20; // degrees
    constexpr double differ_in_strength = 1.15;
    constexpr double regular = 0.8; // share of the steps
    constexpr double same_coils = 0.9;
    double noise = 0;
    const std::vector<ComplexVector> centres = at_centre(trajectory, samples, readouts, noise);
    if (centres.size() < FrameReadouts::fewest) {
        return {};
    }
    const Steps steps = centre_steps(centres, noise);
    if (steps.coherence < same_coils) {
        return {};
    }
    const auto strongest = [&] {
        return centre_steps(strongest_near_centre(trajectory, samples, readouts), noise);
    };
    if (steps.angle > std::max(differ, per_radian * steps.noise)) {
        const Complex mean = steps.phases.mean();
        const double step = per_radian * std::arg(mean);
        const std::optional<double> growth = growth_of(steps.phases, regular);
        if (growth && std::abs(*growth) < 175) { // 180: two classes
            return {{Found::readout_quadratic, {{"degrees", *growth}, {"half", *growth / 2}}}};
        }
        if (std::abs(mean) > regular && std::abs(step) > differ / 2) {
            return {{Found::readout_steps, {{"degrees", std::round(step)}}}};
        }
        if (strongest().angle < differ) {
            return {};
        }
        return {{Found::shots_differ,
                 {{"degrees", std::round(steps.angle)}, {"gain", 1}},
                 {{"which", "neighbouring readouts"}}}};
    }
    if (steps.ratio > std::max(differ_in_strength, std::exp(steps.noise)) &&
        strongest().ratio > differ_in_strength) {
        return {{Found::shots_differ,
                 {{"degrees", 0}, {"gain", 1 / steps.ratio}},
                 {{"which", "neighbouring readouts"}}}};
    }
    return {};
}

} // namespace lsrecon
