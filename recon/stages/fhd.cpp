#include "stages/fhd.hpp"

#include "stages/finite.hpp"

namespace lsrecon {

CoilMatrix compute_fhd(Backend& backend, const Plan& plan, const Frame& frame, const CoilMatrix& mu,
                       const CoilMatrix& coil_maps, Reporter& report) {
    const Stage stage(report, "fhd");
    CoilMatrix fhd = backend.fhd(frame.sampling->trajectory, mu, plan.voxels,
                                 [&](double fraction) { report.progress(fraction); });
    require_finite("fhd", fhd);
    if (!plan.coils_share_one_problem) {
        return fhd;
    }
    return coil_maps.conjugate().cwiseProduct(fhd).colwise().sum();
}

} // namespace lsrecon
