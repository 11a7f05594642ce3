// Computes exact sums for a few points at once in vector units, with sine and cosine by Taylor
// polynomials.

#include "engines/exact_sums.hpp"

#include <cmath>

#include "base/parallel.hpp"

namespace lsrecon {

namespace {

/// rint(x) of |x| < 2^51 in two additions, which compilers make vectors of.
inline double nearest(double x) {
    constexpr double shift = 6755399441055744.0; // 1.5 * 2^52
    return (x + shift) - shift;
}

/// Sums ten Taylor terms beyond the 1 of cos u (`first` 2) or sin(u)/u (`first` 3); the first
/// omitted term is below 2e-17 for |u| <= pi/2.
inline double series(double minus_u_squared, int first) {
    constexpr int last = 18;
    double sum = 1;
    for (int n = last; n >= 0; n -= 2) {
        sum = 1 + minus_u_squared * (1.0 / ((first + n - 1) * (first + n))) * sum;
    }
    return sum;
}

// exp(i 2 pi t) = (-1)^h exp(i 2 pi (t - h/2)), h = rint(2 t)
inline void find_phases(const PhasePoint& source, const PointLanes& points, Lanes& cosine,
                        Lanes& sine) {
    for (std::size_t p = 0; p < exact_lanes; ++p) {
        const double turns = source[0] * points.at[0][p] + source[1] * points.at[1][p] +
                             source[2] * points.at[2][p] + source[3] * points.at[3][p];
        const double halves = nearest(2 * turns);
        const double odd = halves / 2 - nearest(halves / 2); // 0, or half of 1
        const double sign = 1 - 8 * odd * odd;
        const double u = 2 * pi * (turns - halves / 2);
        cosine[p] = sign * series(-u * u, 2);
        sine[p] = sign * u * series(-u * u, 3);
    }
    for (std::size_t p = 0; points.decays && p < exact_lanes; ++p) {
        const double left = std::exp(-source[4] * points.at[4][p]);
        cosine[p] *= left;
        sine[p] *= left;
    }
}

LSRECON_AVX2_CLONE void add_block(const ExactSources& sources, const Range& range,
                                  const PointLanes& points, std::size_t count,
                                  std::vector<Lanes>& sums) {
    const std::size_t coils = sums.size() / 2;
    Lanes cosine;
    Lanes sine;
    for (std::size_t s = range.first; s < range.first + range.count; ++s) {
        find_phases(sources.at[s], points, cosine, sine);
        for (std::size_t c = 0; c < coils; ++c) {
            const Complex value = sources.values[s * coils + c];
            Lanes& real = sums[2 * c];
            Lanes& imaginary = sums[2 * c + 1];
            for (std::size_t p = 0; p < count; ++p) {
                real[p] += value.real() * cosine[p] - value.imag() * sine[p];
                imaginary[p] += value.real() * sine[p] + value.imag() * cosine[p];
            }
        }
    }
}

ExactSources sources_of(const SamplePoints& points, const OffResonance* off_resonance,
                        std::size_t coils, const ValueAt& value, const Range& range) {
    ExactSources sources;
    sources.at.reserve(range.count);
    sources.values.reserve(range.count * coils);
    for (std::size_t m = range.first; m < range.first + range.count; ++m) {
        sources.at.push_back(phase_point(points, off_resonance, m));
        for (std::size_t c = 0; c < coils; ++c) {
            sources.values.push_back(value(c, m));
        }
    }
    return sources;
}

} // namespace

PhasePoint phase_point(const SamplePoints& points, const OffResonance* off_resonance,
                       std::size_t m) {
    const Vec3& k = points.positions[m];
    const double time =
        off_resonance != nullptr ? (*points.times)(static_cast<Eigen::Index>(m)) : 0;
    const bool decays = off_resonance != nullptr && off_resonance->r2star.size() > 0;
    return {k[0], k[1], k[2], time, decays ? time : 0};
}

PhasePoint phase_point(const Voxels& voxels, const OffResonance* off_resonance, std::size_t n) {
    const Vec3 x = voxels.position(n);
    const Complex rate = off_resonance != nullptr ? off_resonance->rate(n) : Complex(0);
    return {x[0], x[1], x[2], rate.imag() / (2 * pi), rate.real()};
}

std::vector<PointLanes> in_lanes(std::size_t count,
                                 const std::function<PhasePoint(std::size_t)>& point) {
    std::vector<PointLanes> all(divide_up(count, exact_lanes));
    for (std::size_t n = 0; n < count; ++n) {
        PointLanes& lanes = all[n / exact_lanes];
        const PhasePoint at = point(n);
        for (std::size_t d = 0; d < at.size(); ++d) {
            lanes.at[d][n % exact_lanes] = at[d];
        }
        lanes.decays = lanes.decays || at.back() != 0;
    }
    return all;
}

void add_exact_block(const ExactSources& sources, const Range& range, const PointLanes& points,
                     std::vector<Lanes>& sums) {
    add_block(sources, range, points, exact_lanes, sums);
}

// F^H off resonance is exp(+i 2 pi (k.x + f t) - r t): the adjoint of a decay is that decay.
CoilMatrix exact_adjoint(const SamplePoints& points, std::size_t coils, const ValueAt& value,
                         const Voxels& voxels) {
    constexpr std::size_t block = 4096; // samples
    constexpr std::size_t most_parts = 256; // whose sums are kept apart, to be added in order
    const OffResonance* const off_resonance = off_resonance_of(points, voxels);
    const std::vector<PointLanes> points_in_lanes = in_lanes(
        voxels.count(), [&](std::size_t n) { return phase_point(voxels, off_resonance, n); });
    const std::vector<Range> parts =
        split_into_ranges(points.count(), round_up(divide_up(points.count(), most_parts), block));
    std::vector<std::vector<Lanes>> sums(parts.size() * points_in_lanes.size());
    for_each_in_parallel(parts.size(), [&](std::size_t part) {
        for (std::size_t i = 0; i < points_in_lanes.size(); ++i) {
            sums[part * points_in_lanes.size() + i].assign(2 * coils, Lanes{});
        }
        for (Range range : split_into_ranges(parts[part].count, block)) {
            range.first += parts[part].first;
            const ExactSources sources = sources_of(points, off_resonance, coils, value, range);
            for (std::size_t i = 0; i < points_in_lanes.size(); ++i) {
                add_exact_block(sources, {0, range.count}, points_in_lanes[i],
                                sums[part * points_in_lanes.size() + i]);
            }
        }
    });
    CoilMatrix result = CoilMatrix::Zero(static_cast<Eigen::Index>(coils),
                                         static_cast<Eigen::Index>(voxels.count()));
    for (std::size_t i = 0; i < sums.size(); ++i) {
        for (std::size_t c = 0; c < coils; ++c) {
            const std::size_t first = i % points_in_lanes.size() * exact_lanes;
            for (std::size_t n = first; n < std::min(first + exact_lanes, voxels.count()); ++n) {
                result(static_cast<Eigen::Index>(c), static_cast<Eigen::Index>(n)) +=
                    Complex(sums[i][2 * c][n - first], sums[i][2 * c + 1][n - first]);
            }
        }
    }
    return result;
}

std::size_t voxels_of_exact_sums(double multiply_adds, std::size_t coils, std::size_t samples) {
    constexpr double of_phase = 32;
    constexpr double of_value = 4;
    const double of_voxel =
        (of_phase + of_value * static_cast<double>(coils)) * static_cast<double>(samples);
    const double least = exact_lanes;
    return exact_lanes *
           static_cast<std::size_t>(std::max(least, multiply_adds / of_voxel) / least);
}

} // namespace lsrecon
