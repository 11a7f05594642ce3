#include "scan/scan.hpp"

namespace lsrecon {

RealVector Sampling::q_weights() const {
    RealVector result = RealVector::Ones(static_cast<Eigen::Index>(samples()));
    if (weights.size() > 0) {
        result = weights;
    }
    if (phi.size() > 0) {
        result.array() *= phi.array().abs2();
    }
    return result;
}

} // namespace lsrecon
