#include "stages/mu.hpp"

#include "stages/finite.hpp"

namespace lsrecon {

CoilMatrix compute_mu(Backend& backend, const Frame& frame, Reporter& report) {
    const Stage stage(report, "mu");
    CoilMatrix mu = backend.mu(*frame.sampling, frame.samples);
    require_finite("mu", mu);
    return mu;
}

} // namespace lsrecon
