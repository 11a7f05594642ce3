#include "stages/normal_equations.hpp"

namespace lsrecon {

NormalEquations::NormalEquations(const CommonToFrames& common, const Sampling& sampling)
    : common_(common), sampling_(sampling) {
    if (common.plan.through_q) {
        q_ = common.make_q(sampling);
    }
}

ResidentSystem* NormalEquations::resident() {
    if (q_ && !resident_asked_) {
        resident_ =
            common_.backend.resident_system(q_->grid, q_->half, common_.coil_maps, common_.lambda);
        resident_asked_ = true;
    }
    return resident_.get();
}

const Gram& NormalEquations::gram() {
    if (!gram_) {
        gram_ = q_ ? make_q_gram(*q_)
                   : make_explicit_gram(common_.backend, sampling_, common_.plan.voxels);
    }
    return *gram_;
}

const NormalOperator& NormalEquations::in_double() {
    if (!in_double_) {
        in_double_.emplace(gram(), common_.coil_maps, common_.lambda);
    }
    return *in_double_;
}

NormalEquations& FrameEquations::of(const Frame& frame) {
    if (!equations_ || frame.sampling != sampling_) {
        equations_.reset(); // its memory is the next one's
        sampling_ = frame.sampling;
        equations_.emplace(common_, *sampling_);
    }
    return *equations_;
}

} // namespace lsrecon
