#include "simulate/cone_spiral.hpp"

#include <algorithm>
#include <cmath>

namespace lsrecon {

namespace {

constexpr double arc_step = 0.7; ///< cycles per field of view

/// Length of r = psi from the centre, the Archimedean spiral.
double spiral_length(double psi) {
    return (psi * std::sqrt(1 + psi * psi) + std::asinh(psi)) / 2;
}

/// The psi where the spiral is `length` long. Newton: the length is convex in psi, so from above it
/// falls towards the root.
double spiral_angle(double length, double last) {
    double psi = last;
    for (int i = 0; i < 60; ++i) {
        const double step = (spiral_length(psi) - length) / std::sqrt(1 + psi * psi);
        psi -= step;
        if (std::abs(step) <= 1e-14 * last) {
            break;
        }
    }
    return psi;
}

/// An arm is r = R phi / phi_end for phi = 0..phi_end. With psi = phi sin(polar) its length is
/// R / psi_end times that of the plane spiral r = psi.
double last_azimuth(const ConeSpiral& spiral) {
    return 2 * pi * spiral.radius / (static_cast<double>(spiral.interleaves) * spiral.pitch);
}

double arm_length(const ConeSpiral& spiral) {
    const double psi_end = last_azimuth(spiral) * std::sin(spiral.polar);
    return spiral.radius * spiral_length(psi_end) / psi_end;
}

} // namespace

std::size_t ConeSpiral::samples_per_arm() const {
    return samples > 0 ? samples
                       : static_cast<std::size_t>(std::ceil(arm_length(*this) / arc_step)) + 1;
}

double ConeSpiral::total_samples() const {
    const double one_arm =
        samples > 0 ? static_cast<double>(samples) : arm_length(*this) / arc_step + 2;
    return static_cast<double>(interleaves) * one_arm;
}

void append_spiral(const ConeSpiral& spiral, std::vector<Vec3>& unit) {
    const double sine = std::sin(spiral.polar);
    const double cosine = std::cos(spiral.polar);
    const double phi_end = last_azimuth(spiral);
    const double psi_end = phi_end * sine;
    const double length = spiral_length(psi_end);
    const std::size_t samples = spiral.samples_per_arm();
    const double last = static_cast<double>(std::max<std::size_t>(samples, 2) - 1);
    std::vector<double> radii(samples); // the same for every arm, 0 to 1
    for (std::size_t i = 0; i < samples; ++i) {
        radii[i] = spiral_angle(static_cast<double>(i) / last * length, psi_end) / psi_end;
    }
    for (std::size_t arm = 0; arm < spiral.interleaves; ++arm) {
        const double start = spiral.first_azimuth + 2 * pi * static_cast<double>(arm) /
                                                        static_cast<double>(spiral.interleaves);
        for (const double r : radii) {
            const double azimuth = start + r * phi_end;
            unit.push_back(
                {r * sine * std::cos(azimuth), r * sine * std::sin(azimuth), r * cosine});
        }
    }
}

} // namespace lsrecon
