#include "plan/plan.hpp"

#include "base/error.hpp"

namespace lsrecon {

Plan make_plan(const Scan& scan, const PlanOptions& options) {
    if (options.with_q && scan.voxels) {
        throw UsageError("--q: the scan has /voxels, and Q serves a grid only\n  next:     leave "
                         "--q out: F^H F is then applied by F and F^H");
    }
    if (options.with_neighbours && scan.voxels) {
        throw UsageError("--reg: the scan has /voxels, and regularisers need a grid\n  next:     "
                         "use --lambda");
    }
    const bool off_resonance = scan.off_resonance != nullptr;
    if (options.with_q && off_resonance) {
        throw UsageError("--q: the scan has a field map, and one Q is not its normal operator\n"
                         "  next:     leave --q out, or pass --field-map none");
    }
    const bool through_q = !scan.voxels && (!off_resonance || options.in_segments);
    return {scan.grid, scan.image_voxels(), through_q, !scan.coil_maps.empty(), off_resonance};
}

} // namespace lsrecon
