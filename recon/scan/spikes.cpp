// Finds spikes by the strongest samples of each shell of k-space and of those outside it.

#include "scan/check.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include "base/parallel.hpp"
#include "scan/check.hpp"

namespace lsrecon {

namespace {

constexpr std::size_t neighbours = 12;
constexpr double innermost = 2; ///< cycles/FOV; within, signal may fall by more between samples

/// The largest energies, in descending order.
using Strongest = std::array<double, neighbours>;

void add(double energy, Strongest& to) {
    if (energy > to.back()) {
        to.back() = energy;
        std::sort(to.begin(), to.end(), std::greater<>());
    }
}

std::size_t shell_of(const Vec3& k) {
    return static_cast<std::size_t>(std::sqrt(k[0] * k[0] + k[1] * k[1] + k[2] * k[2]));
}

/// The energy of all coils of each sample; 0 of one that does not count.
std::vector<double> energies_of(const CoilRows& samples, const Trajectory& trajectory) {
    std::vector<double> energies(samples.columns(), 0);
    samples.visit([&](const auto& values) {
        for_each_range_in_parallel(energies.size(), all_cores(), [&](const Range& some) {
            for (std::size_t m = some.first; m < some.first + some.count; ++m) {
                if (counts(trajectory, m)) {
                    energies[m] =
                        static_cast<double>(values.col(static_cast<Eigen::Index>(m)).squaredNorm());
                }
            }
        });
    });
    return energies;
}

/// The strongest samples of each shell, among some of all samples.
std::vector<Strongest> strongest_of(const Range& some, const std::vector<double>& energies,
                                    const std::vector<Vec3>& positions) {
    std::vector<Strongest> of;
    for (std::size_t m = some.first; m < some.first + some.count; ++m) {
        const std::size_t shell = shell_of(positions[m]);
        if (shell >= of.size()) {
            of.resize(shell + 1, Strongest{});
        }
        add(energies[m], of[shell]);
    }
    return of;
}

/// The strongest samples of each shell and of those outside it.
std::vector<Strongest> strongest_from(const std::vector<double>& energies,
                                      const std::vector<Vec3>& positions) {
    std::vector<Strongest> from;
    for (const auto& some :
         of_each_range(energies.size(), cores_for(energies.size()), [&](const Range& range) {
             return strongest_of(range, energies, positions);
         })) {
        from.resize(std::max(from.size(), some.size()), Strongest{});
        for (std::size_t shell = 0; shell < some.size(); ++shell) {
            for (const double energy : some[shell]) {
                add(energy, from[shell]);
            }
        }
    }
    for (std::size_t shell = from.size(); shell-- > 1;) {
        for (const double energy : from[shell]) {
            add(energy, from[shell - 1]);
        }
    }
    return from;
}

/// Whether the sample before or after it is near, as of readouts: signal would be as strong there.
/// Samples far from all others may be the only ones of a peak of k-space.
bool has_neighbour(const std::vector<Vec3>& positions, std::size_t m) {
    constexpr double near = 1.5; // cycles/FOV
    const auto is_near = [&](std::size_t other) {
        const Vec3& a = positions[m];
        const Vec3& b = positions[other];
        return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]) < near;
    };
    return (m > 0 && is_near(m - 1)) || (m + 1 < positions.size() && is_near(m + 1));
}

} // namespace

Spikes spikes_of(const CoilRows& samples, const Trajectory& trajectory) {
    constexpr double times = 5;
    Spikes spikes;
    if (samples.columns() != trajectory.samples()) { // Cartesian lines, whose positions follow
        return spikes;
    }
    const std::vector<double> energies = energies_of(samples, trajectory);
    const std::vector<Strongest> from = strongest_from(energies, trajectory.positions);
    const auto among = [&](const Range& some) {
        Spikes found;
        for (std::size_t m = some.first; m < some.first + some.count; ++m) {
            const std::size_t shell = shell_of(trajectory.positions[m]);
            const double usual = from[std::max<std::size_t>(shell, 1) - 1].back();
            if (usual > 0 && energies[m] > times * times * usual &&
                static_cast<double>(shell) >= innermost && has_neighbour(trajectory.positions, m)) {
                found.first = found.count++ == 0 ? m : found.first;
                found.times = std::max(found.times, std::sqrt(energies[m] / usual));
            }
        }
        return found;
    };
    for (const Spikes& found : of_each_range(energies.size(), cores_for(energies.size()), among)) {
        spikes.first = spikes.count == 0 ? found.first : spikes.first;
        spikes.count += found.count;
        spikes.times = std::max(spikes.times, found.times);
    }
    return spikes;
}

} // namespace lsrecon
