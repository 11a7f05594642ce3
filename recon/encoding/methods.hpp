// The table of reconstruction methods, and what those have that do not solve.

#pragma once

#include <string>
#include <vector>

#include "encoding/encoding.hpp"
#include "encoding/solve.hpp"
#include "scan/density.hpp"

namespace lsrecon {

/// A method by which samples become an image, named after --method. A method that solves the normal
/// equations takes F^H d as their right-hand side. For any other method F^H d, with weights of the
/// method, is the image of each coil, or with coil maps the sum over coils.
struct Method {
    std::string name;
    std::string summary;
    bool solves;
    /// The weights of these samples, used in place of their own. InputError or UsageError where the
    /// method cannot serve the scan. Null for a method that solves.
    Density (*density)(const Trajectory& trajectory, const Scan& scan,
                       const Formulation& formulation, const SolveOptions& options);
    /// F^H d by other means than a transform of the engines; null for none. `weights` are M, w in
    /// w conj(phi) d.
    std::vector<Volume> (*fhd)(Transforms& transforms, const Trajectory& trajectory,
                               const RealVector& weights, const Grid& grid, const CoilRows& samples,
                               CoilMaps& maps, Listener listener);
};

/// The table: a row each, the default first.
const std::vector<Method>& methods();
/// The row of a name in the table, and that which these options choose.
const Method& method_named(const std::string& name);
const Method& method_of(const SolveOptions& options);

/// The density compensation that the options of gridding ask for.
Density density_of_gridding(const Trajectory& trajectory, const Scan& scan,
                            const Formulation& formulation, const SolveOptions& options);

/// Weights by which F^H d is the image: those of the method over N |phi|^2, 0 where phi is.
Density weights_of(const Method& method, const Trajectory& trajectory, const Scan& scan,
                   const Formulation& formulation, const SolveOptions& options);
/// The image of F^H d with such weights: over sum |S|^2 with coil maps, C x N; several coils
/// without maps by the root of their sum of squares.
Solved combined(const Method& method, const Density& weights, const CoilRows& coil_maps,
                const std::vector<Volume>& fhd);

} // namespace lsrecon
