#include "encoding/normal_operator.hpp"

#include <algorithm>

#include "operators/explicit_gram.hpp"

namespace lsrecon {

NormalOperator::NormalOperator(const Encoding& encoding, const MakeQ& make_q,
                               const Options& options, Listener listener)
    : encoding_(encoding) {
    const Formulation& formulation = encoding.formulation();
    const Sampling& sampling = encoding.sampling();
    if (formulation.products() == Products::one_convolution && options.route == Route::q) {
        q_ = make_q(sampling);
        error_ = q_->error;
    } else if (formulation.products() == Products::convolutions) {
        terms_ = compute_time_terms(encoding.transforms(), sampling, formulation.grid,
                                    *formulation.voxels.off_resonance(), listener);
        for (const TimeTerm& term : terms_) {
            error_ = std::max(error_, term.q.error);
        }
        if (options.for_preconditioner) {
            mean_field_q_ = make_q(sampling);
        }
    }
    q_at_zero_ = q_ ? q_->at_zero() : sampling.q_weights().sum();
}

std::unique_ptr<Gram> NormalOperator::gram(Device& device, Precision precision, CoilMaps& maps,
                                           std::shared_ptr<ToeplitzWorkspace>& workspace) const {
    const Formulation& formulation = encoding_.formulation();
    if (!terms_.empty()) {
        return make_time_terms_gram(device, precision, maps, terms_,
                                    *formulation.voxels.off_resonance(), q_at_zero_);
    }
    if (q_) {
        if (!workspace) {
            workspace = std::make_shared<ToeplitzWorkspace>(device, formulation.grid, precision,
                                                            maps.count());
        }
        return std::make_unique<Toeplitz>(device, *q_, precision, maps, workspace, q_at_zero_);
    }
    Transforms& transforms = encoding_.transforms();
    const Precision of_transform =
        formulation.through_q ? Precision::float64 : transforms.precision();
    return make_explicit_gram(device, precision, maps, transforms, of_transform,
                              encoding_.sampling(), formulation.voxels);
}

} // namespace lsrecon
