#pragma once

#include "base/types.hpp"

namespace lsrecon {

/// What belongs to a Hermitian matrix N x N of which the lower half is read. Compiled once: Eigen's
/// solver takes seconds in each file that has one.
struct HermitianEigen {
    RealVector values; ///< N, the smallest first
    Eigen::MatrixXcd vectors; ///< N x N, one a column, of length 1
    bool has_converged;
};

HermitianEigen eigen_of(const Eigen::MatrixXcd& hermitian);

} // namespace lsrecon
