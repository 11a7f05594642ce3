// Virtual coils: whitening, compression, and the covariance of noise that they go by.

#pragma once

#include "base/coil_rows.hpp"
#include "scan/scan.hpp"

namespace lsrecon {

/// V virtual coils as linear combinations of C coils, V x C.
using CoilTransform = Eigen::MatrixXcd;

/// The virtual coils of rows, C x M: V x M in the precision of the rows.
CoilRows mixed(const CoilTransform& mixing, const CoilRows& rows);

/// rows rows^H, C x C, added in a fixed order.
Eigen::MatrixXcd gram(const CoilRows& rows);

/// <n n^H> over the columns of noise, C x K: C x C.
Eigen::MatrixXcd covariance_of(const CoilRows& noise);
/// The energy of the noise in a sample of all coils, their sum of |n|^2; 0 without noise samples.
double energy_of_noise(const CoilRows& noise);

/// The matrix that makes the scan's noise white: W Psi W^H = v I, where Psi = <n n^H> over the
/// samples of scan.noise, v is the mean of its diagonal, so that samples keep their unit, and W the
/// inverse of the Cholesky factor of Psi / v. The solution with unit weights is then the one of
/// maximum likelihood (Pruessmann et al. 2001). InputError when the covariance is singular.
CoilTransform whitening(const Scan& scan);

/// The number of virtual coils to keep.
struct CoilCompression {
    std::size_t coils = 0; ///< so many; 0: by energy
    double energy = 1; ///< the fewest that keep this share of the samples' energy

    bool is_requested() const { return coils > 0 || energy < 1; }
};

/// The first virtual coils of the singular value decomposition of samples with orthonormal rows:
/// white noise stays white (Buehrer et al. 2007, MRM 57:1131). By the Gram matrices of the samples
/// of several slices, each of which counts as much.
struct CompressedCoils {
    CoilTransform mixing;
    double energy; ///< the share that they keep, in the slice that keeps least
};
CompressedCoils compressed_coils(const std::vector<Eigen::MatrixXcd>& grams,
                                 const CoilCompression& wanted);

} // namespace lsrecon
