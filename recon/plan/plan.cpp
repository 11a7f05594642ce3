#include "plan/plan.hpp"

#include "base/error.hpp"

namespace lsrecon {

Plan make_plan(const Scan& scan, bool with_q, bool with_neighbours) {
    if (with_q && scan.voxels) {
        throw UsageError("--q: the scan has /voxels, and Q serves a grid only\n  next:     leave "
                         "--q out: F^H F is then applied by F and F^H");
    }
    if (with_neighbours && scan.voxels) {
        throw UsageError("--reg: the scan has /voxels, and regularisers need a grid\n  next:     "
                         "use --lambda");
    }
    return {scan.grid, scan.image_voxels(), !scan.voxels.has_value(), !scan.coil_maps.empty()};
}

} // namespace lsrecon
