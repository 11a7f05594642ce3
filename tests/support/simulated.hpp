#pragma once

#include <string>

#include "simulate/simulate.hpp"

namespace lsrecon {

SimulationOptions options_of(const std::string& design, const Grid& grid);

/// By the forward model of the reference.
Simulation simulated(const SimulationOptions& options);

/// F^H d / N of one coil: the image of a Cartesian scan that is fully sampled.
ComplexVector inverse_transform(const Scan& scan, std::size_t frame = 0);

double relative_difference(const ComplexVector& a, const ComplexVector& b);

} // namespace lsrecon
