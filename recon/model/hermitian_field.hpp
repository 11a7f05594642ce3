#pragma once

#include "base/coil_rows.hpp"
#include "scan/grid.hpp"

namespace lsrecon {

/// A Hermitian matrix of C x C numbers for every voxel of a grid, as a sum over a few terms in each
/// dimension:
///
///     entry(a, b) at voxel n = sum over t of coefficients(ab, t) prod_d basis[d](n_d, t_d)
struct HermitianField {
    std::size_t coils = 0;
    /// Coefficients of pairs a <= b alone, a pair a row, (0,0), (0,1), ... (1,1), ...; t with x
    /// fastest.
    CoilRows::Floats coefficients;
    std::array<Eigen::MatrixXcf, 3> basis; ///< N_d x terms
};

struct Eigenvectors {
    CoilRows::Floats vectors; ///< C x N, of norm 1, or 0 where the matrix is
    Eigen::ArrayXf eigenvalues; ///< N
};

/// The eigenvectors of the largest eigenvalue at every voxel, with <reference, vector> real and not
/// negative: an eigenvector has any phase, and an image needs one that is smooth. They are computed
/// a few rows at a time, on all cores.
Eigenvectors dominant_eigenvectors(const HermitianField& field, const Grid& grid,
                                   const Eigen::VectorXcf& reference);

} // namespace lsrecon
