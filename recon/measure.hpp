#pragma once

#include <string>
#include <vector>

#include "backend/backend.hpp"
#include "base/report.hpp"

namespace lsrecon {

/// One transform of random data, with the values of the double reference at some of its voxels:
/// what a variant is verified by before it is timed.
struct TransformCase {
    std::string stage; ///< "fhd" or "q"
    Grid grid;
    std::vector<Vec3> trajectory;
    CoilMatrix values; ///< mu of FHd, weights of Q
    Voxels voxels;
    std::vector<std::size_t> checked; ///< voxels that the reference computes
    CoilMatrix exact; ///< there
    double pairs = 0; ///< for Q over all (2N)^D differences, of which half are computed
    double reference_seconds = 0; ///< of all voxels on the reference
    bool reference_scaled = false; ///< reference_seconds were measured on a part
};

/// `matrix` has two or three entries. Runs the reference on at least 32 voxels.
TransformCase make_transform_case(const std::string& stage, const std::vector<std::size_t>& matrix,
                                  std::size_t samples, unsigned seed, Reporter& report);

/// Runs the transform of the case and returns all of its voxels.
CoilMatrix run_case(Backend& backend, const TransformCase& what, const Voxels& voxels,
                    Reporter& report);

struct Measurement {
    double relative_error = 0; ///< relative L2 at the checked voxels
    double bound = 0; ///< base/tolerance.hpp
    double seconds = 0; ///< median of computing; 0 when the error is above the bound
    double wall_seconds = 0; ///< median of all: conversion, transfer, launches, computing
    bool verified() const { return relative_error <= bound; }
};

/// Verifies first, then times for so many seconds, and five times unless three times as long is
/// over. A run that computes for as long by itself is enough.
Measurement measure(Backend& backend, const TransformCase& what, Reporter& report,
                    double seconds_to_time = 1.0);

struct Times {
    double compute = 0;
    double wall = 0;
};

/// Medians of what runs the transform of the case, timed as in measure().
Times time_case(Backend& backend, const TransformCase& what, Reporter& report,
                double seconds_to_time);

/// Relative L2 difference from the exact values, of values at the checked voxels.
double error_at_checked(const CoilMatrix& computed, const TransformCase& what);

} // namespace lsrecon
