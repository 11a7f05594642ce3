#include "engines/exact_sums.hpp"

#include <array>
#include <cmath>

#include "base/parallel.hpp"
#include "base/vector_clones.hpp"

namespace lsrecon {

namespace {

/// Voxels whose sums are computed side by side, in vectors.
constexpr std::size_t lanes = 16;
using Lanes = std::array<double, lanes>;

/// x, y, z of voxels, and what a time t makes of their field: t `turns`, and exp(-t `decay`).
struct Places {
    std::array<Lanes, 3> at = {};
    Lanes turns = {};
    Lanes decay = {};
    bool decays = false;
};

/// Samples of a block: their places, times, and values, all coils of one after the other.
struct Sources {
    std::vector<Vec3> at;
    std::vector<double> times;
    std::vector<Complex> values;
};

/// rint(x) of |x| < 2^51 in two additions, which compilers make vectors of.
inline double nearest(double x) {
    constexpr double shift = 6755399441055744.0; // 1.5 * 2^52
    return (x + shift) - shift;
}

/// Taylor's polynomial of cos (`first` 2) or sin(u)/u (`first` 3) for u up to a quarter turn: nine
/// more terms, of which the next one is below 3e-16.
inline double series(double minus_u_squared, int first) {
    constexpr int last = 18;
    double sum = 1;
    for (int n = last; n >= 0; n -= 2) {
        sum = 1 + minus_u_squared * (1.0 / ((first + n - 1) * (first + n))) * sum;
    }
    return sum;
}

// exp(i 2 pi t) = (-1)^h exp(i 2 pi (t - h/2)), h = rint(2 t)
inline void find_phases(const Vec3& k, double time, const Places& places, Lanes& cosine,
                        Lanes& sine) {
    for (std::size_t p = 0; p < lanes; ++p) {
        const double turns = k[0] * places.at[0][p] + k[1] * places.at[1][p] +
                             k[2] * places.at[2][p] + time * places.turns[p];
        const double halves = nearest(2 * turns);
        const double odd = halves / 2 - nearest(halves / 2); // 0, or half of 1
        const double sign = 1 - 8 * odd * odd;
        const double u = 2 * pi * (turns - halves / 2);
        cosine[p] = sign * series(-u * u, 2);
        sine[p] = sign * u * series(-u * u, 3);
    }
    for (std::size_t p = 0; places.decays && p < lanes; ++p) {
        const double left = std::exp(-time * places.decay[p]);
        cosine[p] *= left;
        sine[p] *= left;
    }
}

/// sums: the real parts of a coil, then its imaginary ones, and so on.
LSRECON_AVX2_CLONE void add_block(const Sources& sources, const Places& places, std::size_t count,
                                  std::vector<Lanes>& sums) {
    const std::size_t coils = sums.size() / 2;
    Lanes cosine;
    Lanes sine;
    for (std::size_t m = 0; m < sources.at.size(); ++m) {
        find_phases(sources.at[m], sources.times.empty() ? 0 : sources.times[m], places, cosine,
                    sine);
        for (std::size_t c = 0; c < coils; ++c) {
            const Complex value = sources.values[m * coils + c];
            Lanes& real = sums[2 * c];
            Lanes& imaginary = sums[2 * c + 1];
            for (std::size_t p = 0; p < count; ++p) {
                real[p] += value.real() * cosine[p] - value.imag() * sine[p];
                imaginary[p] += value.real() * sine[p] + value.imag() * cosine[p];
            }
        }
    }
}

std::vector<Places> places_of(const Voxels& voxels, const OffResonance* off_resonance) {
    std::vector<Places> all(divide_up(voxels.count(), lanes));
    for (std::size_t n = 0; n < voxels.count(); ++n) {
        Places& places = all[n / lanes];
        const Vec3 x = voxels.position(n);
        for (std::size_t d = 0; d < 3; ++d) {
            places.at[d][n % lanes] = x[d];
        }
        if (off_resonance != nullptr) {
            const Complex rate = off_resonance->rate(n);
            places.turns[n % lanes] = rate.imag() / (2 * pi);
            places.decay[n % lanes] = rate.real();
            places.decays = places.decays || rate.real() != 0;
        }
    }
    return all;
}

Sources sources_of(const SamplePoints& points, bool timed, std::size_t coils, const ValueAt& value,
                   const Range& range) {
    Sources sources;
    sources.at.reserve(range.count);
    sources.values.reserve(range.count * coils);
    for (std::size_t m = range.first; m < range.first + range.count; ++m) {
        sources.at.push_back(points.trajectory[m]);
        if (timed) {
            sources.times.push_back((*points.times)(static_cast<Eigen::Index>(m)));
        }
        for (std::size_t c = 0; c < coils; ++c) {
            sources.values.push_back(value(c, m));
        }
    }
    return sources;
}

} // namespace

// F^H off resonance is exp(+i 2 pi (k.x + f t) - r t): the adjoint of a decay is that decay.
CoilMatrix exact_adjoint(const SamplePoints& points, std::size_t coils, const ValueAt& value,
                         const Voxels& voxels) {
    constexpr std::size_t block = 4096; // samples
    constexpr std::size_t most_parts = 256; // whose sums are kept apart, to be added in order
    const OffResonance* const off_resonance = off_resonance_of(points, voxels);
    const std::vector<Places> places = places_of(voxels, off_resonance);
    const std::vector<Range> parts =
        split_into_ranges(points.count(), round_up(divide_up(points.count(), most_parts), block));
    std::vector<std::vector<Lanes>> sums(parts.size() * places.size());
    for_each_in_parallel(parts.size(), [&](std::size_t part) {
        for (std::size_t i = 0; i < places.size(); ++i) {
            sums[part * places.size() + i].assign(2 * coils, Lanes{});
        }
        for (Range range : split_into_ranges(parts[part].count, block)) {
            range.first += parts[part].first;
            const Sources sources =
                sources_of(points, off_resonance != nullptr, coils, value, range);
            for (std::size_t i = 0; i < places.size(); ++i) {
                add_block(sources, places[i], lanes, sums[part * places.size() + i]);
            }
        }
    });
    CoilMatrix result = CoilMatrix::Zero(static_cast<Eigen::Index>(coils),
                                         static_cast<Eigen::Index>(voxels.count()));
    for (std::size_t i = 0; i < sums.size(); ++i) {
        for (std::size_t c = 0; c < coils; ++c) {
            const std::size_t first = i % places.size() * lanes;
            for (std::size_t n = first; n < std::min(first + lanes, voxels.count()); ++n) {
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
    const double least = lanes;
    return lanes * static_cast<std::size_t>(std::max(least, multiply_adds / of_voxel) / least);
}

} // namespace lsrecon
