#include "scan/scan.hpp"

#include <algorithm>

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

Frame subset(const Frame& frame, const std::vector<std::size_t>& indices) {
    auto sampling = std::make_shared<Sampling>();
    const Sampling& all = *frame.sampling;
    const auto count = static_cast<Eigen::Index>(indices.size());
    sampling->phi.resize(all.phi.size() > 0 ? count : 0);
    sampling->weights.resize(all.weights.size() > 0 ? count : 0);
    CoilMatrix samples(frame.samples.rows(), count);
    for (Eigen::Index i = 0; i < count; ++i) {
        const auto m = static_cast<Eigen::Index>(indices[static_cast<std::size_t>(i)]);
        sampling->trajectory.push_back(all.trajectory[static_cast<std::size_t>(m)]);
        samples.col(i) = frame.samples.col(m);
        if (all.phi.size() > 0) {
            sampling->phi(i) = all.phi(m);
        }
        if (all.weights.size() > 0) {
            sampling->weights(i) = all.weights(m);
        }
    }
    return {sampling, samples, frame.label, frame.position};
}

SumOfSquares sum_of_squares(const CoilMatrix& coil_maps) {
    SumOfSquares result;
    const RealVector sums = coil_maps.colwise().squaredNorm();
    for (const double sum : sums) {
        result.largest = std::max(result.largest, sum);
        result.mean += sum;
        result.voxels += sum > 0 ? 1 : 0;
    }
    result.mean /= std::max<double>(1, static_cast<double>(result.voxels));
    return result;
}

} // namespace lsrecon
