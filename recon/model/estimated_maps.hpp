// Coil maps that are estimated from a calibration: the table of methods.

#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "base/computation.hpp"
#include "device/machine_model.hpp"
#include "model/calibration.hpp"

namespace lsrecon {

/// Options of ESPIRiT.
struct MapsOptions {
    /// Singular values below this share of the largest are noise. Without a value it is twice the
    /// share of noise and of a calibration's errors, from 0.02 to 0.05. It is never below the
    /// noise.
    std::optional<double> threshold;
    /// Maps are 0 where the eigenvalue, which is 1 where there is signal, is below this; but not in
    /// holes that the object encloses in a plane. Without a value it follows from the threshold.
    std::optional<double> crop;
    bool soft = false; ///< maps grow from 0 at the crop to 1, holes or not
    /// One set of maps, or two. Without a value there are two where the scan needs them.
    std::optional<std::size_t> sets = {};

    bool are_default() const { return !threshold && !crop && !soft; }
};

/// Coil maps C x N on a grid from a calibration, with sum_c |S_cn|^2 of 1, or less where a method
/// finds no signal; C x 2N of two sets. The phase of each voxel is that of the combination of coils
/// that holds most of the calibration's energy.
struct MapsMethod {
    std::string name; ///< after --maps
    std::string summary;
    CoilRows::Floats (*estimate)(const Calibration& calibration, const Grid& grid,
                                 const MapsOptions& options);
    bool takes_options;
    /// The cost for so many coils, from a calibration on one grid to maps on another.
    Cost (*cost)(const MachineModel& machine, std::size_t coils, const Grid& from, const Grid& to);
    std::optional<std::size_t> sets; ///< MapsOptions::sets, where the name says so
};

/// The table: one file and one row each.
const std::vector<MapsMethod>& maps_methods();
/// The method where none is asked for: ESPIRiT where its options are, too. It cuts voxels that an
/// object fills in part, which are many on a grid of few.
const MapsMethod& maps_method_for(const Grid& grid, const MapsOptions& options);
/// Null where no row has this name.
const MapsMethod* maps_method_named(const std::string& name);

/// ESPIRiT (Uecker et al. 2014, MRM 71:990): the eigenvectors of eigenvalue 1 of the projection on
/// what the coils' k-space looks like in any small window. 0 outside of the object. A second set is
/// of the next eigenvectors, where that eigenvalue is near 1, too: where an object wider than its
/// field of view lies over itself.
CoilRows::Floats espirit_maps(const Calibration& calibration, const Grid& grid,
                              const MapsOptions& options);

/// Walsh et al. 2000, MRM 43:682: the first eigenvector of the coils' covariance in a neighbourhood
/// of each voxel.
CoilRows::Floats walsh_maps(const Calibration& calibration, const Grid& grid,
                            const MapsOptions& options);

Cost cost_of_espirit(const MachineModel& machine, std::size_t coils, const Grid& from,
                     const Grid& to);
Cost cost_of_walsh(const MachineModel& machine, std::size_t coils, const Grid& from,
                   const Grid& to);

/// The combinations of coils that hold most of the energy of rows, C x n, the strongest first.
Eigen::MatrixXcf strongest_combinations(const CoilMatrix& rows, Eigen::Index count);

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
/// The eigenvectors of the next eigenvalue, from those of the largest.
Eigenvectors next_eigenvectors(const HermitianField& field, const Grid& grid,
                               const Eigen::VectorXcf& reference, const Eigenvectors& largest);

} // namespace lsrecon
