#pragma once

#include <memory>

#include "scan/slice.hpp"

namespace lsrecon {

/// The ways to make products with F^H W F, the cheapest first.
enum class Products { one_convolution, convolutions, transforms };

/// The decisions about a scan before any work: a pure function of the scan.
struct Formulation {
    Grid grid; ///< grid of the image, which may have its voxels elsewhere
    Voxels voxels; ///< voxels of the image
    bool through_q; ///< F^H F by convolution with Q, or by F and F^H themselves
    bool coils_share_one_problem; ///< one problem with coil maps, or one a coil and then combined
    bool off_resonance = false; ///< then F^H F through Q is a sum of such terms

    Products products() const;
};

/// The inputs of a formulation that do not come from the scan.
struct FormulationOptions {
    bool with_q = false; ///< the user brings Q
    bool with_neighbours = false; ///< regularisers that need a grid
    /// Off-resonance comes in time segments, as of Transforms::segment_error above 0, and not
    /// exactly.
    bool in_segments = false;
};

/// UsageError when the scan cannot use what the options bring; InputError when the field map must
/// be in another unit.
Formulation formulate(const Scan& scan, const FormulationOptions& options = {});
/// The formulation of a scan that is not prepared, for an image on another grid. `off_resonance` is
/// the field, or null.
Formulation formulate(const Scan& scan, const Grid& grid,
                      const std::shared_ptr<const OffResonance>& off_resonance,
                      const FormulationOptions& options);
/// The formulation of a prepared scan whose slices have coil maps or have none.
Formulation formulate(const Scan& scan, bool with_maps, const FormulationOptions& options);
/// The formulation of a prepared scan with the maps and the field of one slice.
Formulation formulate(const Scan& scan, const Model& model, const FormulationOptions& options);

} // namespace lsrecon
