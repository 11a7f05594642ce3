#include "scan/held_out.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace lsrecon {

namespace {

constexpr double piece = 8; ///< cycles/FOV
constexpr std::uint64_t of_pieces = 8; ///< one of them is held out

double distance(const Vec3& a, const Vec3& b) {
    return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

/// Steps that are longer lead from one readout to the next.
double longest_step(const std::vector<Vec3>& trajectory) {
    constexpr double of_median = 2.5;
    std::vector<double> steps;
    for (std::size_t m = 1; m < trajectory.size(); ++m) {
        steps.push_back(distance(trajectory[m - 1], trajectory[m]));
    }
    const auto middle = steps.begin() + static_cast<std::ptrdiff_t>(steps.size() / 2);
    std::nth_element(steps.begin(), middle, steps.end());
    return of_median * *middle;
}

/// A number that scatters all bits of where a sample was taken, to a quarter of a cycle/FOV
/// (splitmix64 of Steele et al. 2014, OOPSLA).
std::uint64_t scattered(const Vec3& k) {
    constexpr double a_cycle = 4;
    std::uint64_t bits = 0;
    for (const double component : k) {
        bits += 0x9e3779b97f4a7c15U + static_cast<std::uint64_t>(std::llround(a_cycle * component));
        bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9U;
        bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebU;
        bits ^= bits >> 31;
    }
    return bits;
}

} // namespace

HeldOut hold_out(const Sampling& sampling) {
    const std::vector<Vec3>& trajectory = sampling.trajectory;
    HeldOut result;
    if (trajectory.size() < 2) {
        return result;
    }
    const double longest = longest_step(trajectory);
    for (std::size_t first = 0, end = 0; first < trajectory.size(); first = end) {
        double length = 0;
        for (end = first + 1; end < trajectory.size(); ++end) {
            const double step = distance(trajectory[end - 1], trajectory[end]);
            length += step;
            if (step > longest || length >= piece) {
                break;
            }
        }
        // The same for a readout in the other direction.
        const std::uint64_t drawn = scattered(trajectory[first]) + scattered(trajectory[end - 1]);
        const bool is_held = drawn % of_pieces == 0;
        for (std::size_t m = first; m < end; ++m) {
            if (is_held && sampling.weight(m) > 0) {
                result.held.push_back(m);
            } else {
                result.kept.push_back(m);
            }
        }
    }
    return result;
}

} // namespace lsrecon
