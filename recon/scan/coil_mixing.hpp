#pragma once

#include <functional>
#include <string>

#include "base/coil_rows.hpp"
#include "scan/scan.hpp"

namespace lsrecon {

/// V virtual coils as linear combinations of C coils, V x C.
using CoilMixing = Eigen::MatrixXcd;

/// The virtual coils of rows, C x M: V x M in the precision of the rows.
CoilRows mixed(const CoilMixing& mixing, const CoilRows& rows);
/// The same with a mixing for each column, V x C of any column.
using MixingOfColumn = std::function<const CoilMixing&(std::size_t column)>;
CoilRows mixed(const MixingOfColumn& mixing_of, const CoilRows& rows);

/// rows rows^H, C x C, added in a fixed order.
Eigen::MatrixXcd gram(const CoilRows& rows);

/// <n n^H> over the columns of noise, C x K: C x C.
Eigen::MatrixXcd covariance_of(const CoilRows& noise);
/// What a sample of all coils has of it, their sum of |n|^2; 0 without noise samples.
double energy_of_noise(const CoilRows& noise);

/// The matrix that makes the scan's noise white: W Psi W^H = v I, where Psi = <n n^H> over the
/// samples of scan.noise, v is the mean of its diagonal, so that samples keep their unit, and W the
/// inverse of the Cholesky factor of Psi / v. The solution with unit weights is then the one of
/// maximum likelihood (Pruessmann et al. 2001). InputError when the covariance is singular.
CoilMixing whitening(const Scan& scan);

/// How many virtual coils to keep, and of what.
struct CoilCompression {
    std::size_t coils = 0; ///< so many; 0: by energy
    /// The fewest that keep this share of the energy, for svd of the samples, else of the maps.
    double energy = 1;
    std::string method = ""; ///< "svd", "geometric" (prepare/slice_mixing.hpp), "" for svd

    bool asked_for() const { return coils > 0 || energy < 1; }
    bool by_slices() const { return method == "geometric"; }
};

/// The first virtual coils of these energies that are enough.
struct KeptCoils {
    std::size_t count;
    double energy; ///< the share that they keep
};
KeptCoils kept_coils(const Eigen::VectorXd& energies, const CoilCompression& wanted);

/// Virtual coils of a Gram matrix X X^H, C x C: those with the largest energy first.
struct CoilEnergies {
    CoilMixing mixing; ///< C x C, orthonormal rows
    Eigen::VectorXd energies; ///< C
};
CoilEnergies coil_energies(const Eigen::MatrixXcd& gram);

/// The first virtual coils of the singular value decomposition of samples with orthonormal rows:
/// white noise stays white (Buehrer et al. 2007, MRM 57:1131). By the Gram matrices of the samples
/// of several places, which all count alike.
struct CompressedCoils {
    CoilMixing mixing;
    double energy; ///< the share that they keep, of the place that keeps least
};
CompressedCoils compressed_coils(const std::vector<Eigen::MatrixXcd>& grams,
                                 const CoilCompression& wanted);

} // namespace lsrecon
