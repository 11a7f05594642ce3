// One transform of random data, verified and then timed.
#pragma once

#include <limits>
#include <random>
#include <string>
#include <vector>

#include "base/report.hpp"
#include "engines/on_host.hpp"

namespace lsrecon {

/// The check of a result before its time counts.
struct Verified {
    double relative_error = 0; ///< relative L2
    double bound = 0;
    bool verified() const { return relative_error <= bound; }
};

/// One transform of random data, with the values of the double reference at some of its points,
/// voxels of FHd and Q, samples of F: what a variant is verified by before it is timed.
struct TransformCase {
    std::string stage; ///< "fhd", "q" or "f"
    Grid grid;
    std::vector<Vec3> positions;
    CoilMatrix values; ///< mu of FHd, weights of Q, rho of F: a row a coil
    Voxels voxels;
    std::vector<std::size_t> checked; ///< points that the reference computes
    CoilMatrix exact; ///< there
    double pairs = 0; ///< pairs, for Q over all (2N)^D differences, of which half are computed
    double reference_seconds = 0; ///< time of all points on the reference
    bool reference_scaled = false; ///< reference_seconds were measured on a part

    std::size_t points() const { return stage == "f" ? positions.size() : voxels.count(); }
    /// The number of sources that a point sums over.
    std::size_t sources() const { return stage == "f" ? voxels.count() : positions.size(); }
};

/// A grid of so many voxels: two or three dimensions.
Grid grid_of(const std::vector<std::size_t>& matrix);

/// `matrix` has two or three entries. Runs the reference on at least 32 points.
TransformCase make_transform_case(const std::string& stage, const std::vector<std::size_t>& matrix,
                                  std::size_t samples, unsigned seed, Reporter& report);
/// A case of any trajectory, and of several coils.
TransformCase make_transform_case(const std::string& stage, const Grid& grid,
                                  std::vector<Vec3> positions, std::size_t coils,
                                  std::mt19937_64& random, Reporter& report);

/// Runs the transform of the case and returns all of its points, or those that are checked.
OnHost run_case(Transforms& transforms, const TransformCase& what, Reporter& report);
OnHost run_checked(Transforms& transforms, const TransformCase& what, Reporter& report);

/// Relative L2 error at the checked points; the bound is that of base/tolerance.hpp.
struct Measurement : Verified {
    double seconds = 0; ///< median of computing; 0 when the error is above the bound
    /// Least of these times: the one that a busy machine disturbs least.
    double fastest_seconds = 0;
    double wall_seconds = 0; ///< median of all: conversion, transfer, launches, computing
};

/// The effort of timing: for `seconds`, and `runs` times unless three times as long is over.
struct MeasureEffort {
    double seconds = 1;
    std::size_t runs = 5;
    /// A run that takes longer ends it. The first one, which warms up, only when it takes thrice
    /// as long.
    double hopeless_seconds = std::numeric_limits<double>::infinity();
};

/// Verifies first, then times. A run that computes for as long as the effort is enough.
Measurement measure(Transforms& transforms, const TransformCase& what, Reporter& report,
                    const MeasureEffort& effort = {});

struct Times {
    double compute = 0; ///< median
    double fastest = 0; ///< fastest time of computing
    double wall = 0; ///< median
};

/// Runs the transform of the case again and again, as in measure().
Times time_case(Transforms& transforms, const TransformCase& what, Reporter& report,
                const MeasureEffort& effort);

/// Relative L2 difference from the exact values at the checked points, of values at all points, or
/// at those alone.
double error_of(const CoilMatrix& computed, const TransformCase& what);
double error_at_checked(const CoilMatrix& computed, const TransformCase& what);

} // namespace lsrecon
