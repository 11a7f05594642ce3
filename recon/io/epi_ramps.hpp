#pragma once

#include "io/ismrmrd_xml.hpp"
#include "io/raw_encoding.hpp"

namespace lsrecon {

/// A readout gradient and when it was sampled, all times in us from where the gradient starts.
struct Trapezoid {
    double ramp_up = 0;
    double flat_top = 0;
    double ramp_down = 0;
    double delay = 0; ///< to the start of the first sample
    double dwell = 0; ///< of a sample
    std::size_t samples = 0;

    /// The gradient's area from its start to time t, for an amplitude of 1.
    double area(double t) const;
};

/// Where the samples lie, in cycles per field of view: a sample is taken in the middle of its dwell
/// time, k is 0 halfway through the time of all samples, and that time covers `matrix` cycles.
RampReadout positions_along(const Trapezoid& trapezoid, std::size_t matrix);

/// From trajectoryDescription of an encoding, identifier ConventionalEPI; nothing when there is no
/// such description. InputError when a time is missing or odd.
std::optional<Trapezoid> read_trapezoid(const XmlElement& encoding);

} // namespace lsrecon
