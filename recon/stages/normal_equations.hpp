#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "backend/backend.hpp"
#include "plan/plan.hpp"
#include "stages/gram.hpp"

namespace lsrecon {

/// What the normal equations of a scan's frames have in common.
struct CommonToFrames {
    Backend& backend;
    const Plan& plan;
    const CoilMatrix& coil_maps; ///< C x N or empty
    double lambda; ///< weight of Q(0) I
    std::function<Q(const Sampling&)> make_q;
};

/// The normal equations of one sampling, in the two forms that the solvers take. What `common`
/// refers to and the sampling must outlive it.
class NormalEquations {
public:
    NormalEquations(const CommonToFrames& common, const Sampling& sampling);

    /// On the device; null for voxels off the grid, and when the backend has no such system. Made
    /// when it is first asked for.
    ResidentSystem* resident();
    /// On the CPU in double precision; made when it is first asked for.
    const NormalOperator& in_double();
    /// T of in_double.
    const Gram& gram();
    /// Q(0), the unit of lambda.
    double q_at_zero() { return q_ ? q_->at_zero() : gram().diagonal(); }

private:
    const CommonToFrames& common_;
    const Sampling& sampling_;
    std::optional<Q> q_; ///< none for voxels off the grid
    bool resident_asked_ = false;
    std::unique_ptr<ResidentSystem> resident_;
    std::unique_ptr<Gram> gram_;
    std::optional<NormalOperator> in_double_;
};

/// The equations of each frame: made once for all consecutive frames that were sampled alike.
class FrameEquations {
public:
    explicit FrameEquations(CommonToFrames common) : common_(std::move(common)) {}
    FrameEquations(const FrameEquations&) = delete;
    FrameEquations& operator=(const FrameEquations&) = delete;
    NormalEquations& of(const Frame& frame);

private:
    CommonToFrames common_;
    std::shared_ptr<const Sampling> sampling_;
    std::optional<NormalEquations> equations_;
};

} // namespace lsrecon
