// Numbers that move the samples of a scan along k-space and change their phase.

#pragma once

#include <string>
#include <vector>

#include "scan/scan.hpp"

namespace lsrecon {

/// How one parameter moves samples along k-space and changes their phase, per unit.
struct SampleParameter {
    std::string name;
    std::vector<Vec3> shift; ///< M, cycles per field of view; empty for none
    RealVector phase; ///< M, rad; empty for none
};

/// The trajectory, moved by so much of each parameter.
Trajectory moved(const Trajectory& trajectory, const std::vector<SampleParameter>& parameters,
                 const RealVector& values);
/// The phases of so much of each parameter, M in rad; empty where none has any.
RealVector phases_of(const std::vector<SampleParameter>& parameters, const RealVector& values);
/// Takes phases, M, out of samples, C x M; none where they are empty.
void take_out(const RealVector& phases, CoilRows& samples);

} // namespace lsrecon
