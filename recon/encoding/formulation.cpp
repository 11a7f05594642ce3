#include "encoding/formulation.hpp"

#include "base/error.hpp"

namespace lsrecon {

namespace {

/// Phases of a field map in another unit are no physics: 1 kHz during half a second is more than
/// any scan has.
void require_few_turns(const Scan& scan, const OffResonance& off_resonance) {
    constexpr double most = 500;
    const double field = off_resonance.field.cwiseAbs().maxCoeff();
    for (const Frame& frame : scan.frames) {
        const RealVector& times = frame.sampling->times;
        const double latest = times.size() > 0 ? times.cwiseAbs().maxCoeff() : 0;
        if (field * latest > most) {
            throw InputError(
                {scan.file, "field map and times",
                 text("up to ", field, " Hz at ", latest, " s, which is ", field * latest,
                      " turns of the phase"),
                 text("at most ", most, " turns"),
                 "check that the field map is in Hz and the times in s, or pass `field_map` none"});
        }
    }
}

Formulation formulated(const Scan& scan, const Grid& grid, bool has_maps,
                       const std::shared_ptr<const OffResonance>& off_resonance,
                       const FormulationOptions& options) {
    if (options.with_q && scan.voxels) {
        throw UsageError("`q`: the scan has /voxels, and Q serves a grid only\n  next:     leave "
                         "`q` out: F^H F is then applied by F and F^H");
    }
    if (options.with_neighbours && scan.voxels) {
        throw UsageError("`reg`: the scan has /voxels, and regularisers need a grid\n  next:     "
                         "use `lambda`");
    }
    if (off_resonance) {
        require_few_turns(scan, *off_resonance);
    }
    if (options.with_q && off_resonance) {
        throw UsageError("`q`: the scan has a field map, which Q does not model\n"
                         "  next:     leave `q` out, or pass `field_map` none");
    }
    const bool through_q = !scan.voxels && (!off_resonance || options.in_segments);
    Voxels voxels = scan.voxels ? Voxels::at(grid, *scan.voxels) : Voxels::of_grid(grid);
    return {grid, voxels.in_field(off_resonance), through_q, has_maps, off_resonance != nullptr};
}

} // namespace

Products Formulation::products() const {
    if (!through_q) {
        return Products::transforms;
    }
    return off_resonance ? Products::convolutions : Products::one_convolution;
}

Formulation formulate(const Scan& scan, const FormulationOptions& options) {
    return formulate(scan, scan.grid, scan.off_resonance, options);
}

Formulation formulate(const Scan& scan, const Grid& grid,
                      const std::shared_ptr<const OffResonance>& off_resonance,
                      const FormulationOptions& options) {
    return formulated(scan, grid, !scan.coil_maps.empty(), off_resonance, options);
}

Formulation formulate(const Scan& scan, bool with_maps, const FormulationOptions& options) {
    return formulated(scan, scan.grid, with_maps, scan.off_resonance, options);
}

Formulation formulate(const Scan& scan, const Model& model, const FormulationOptions& options) {
    return formulated(scan, scan.grid, !model.coil_maps->empty(), model.off_resonance, options);
}

} // namespace lsrecon
