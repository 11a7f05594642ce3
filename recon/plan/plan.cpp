#include "plan/plan.hpp"

#include "base/error.hpp"

namespace lsrecon {

Plan make_plan(const Scan& scan, bool with_q) {
    if (with_q && scan.voxels) {
        throw UsageError("--q: the scan has /voxels, and Q serves a grid only\n  next:     leave "
                         "--q out: F^H F is then applied by F and F^H");
    }
    return {scan.image_voxels(), !scan.voxels.has_value(), scan.coil_maps.size() > 0};
}

} // namespace lsrecon
