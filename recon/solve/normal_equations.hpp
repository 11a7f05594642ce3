#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "backend/backend.hpp"
#include "plan/plan.hpp"
#include "solve/system.hpp"
#include "stages/q.hpp"

namespace lsrecon {

/// What the normal equations of a scan's frames have in common.
struct CommonToFrames {
    Backend& backend;
    const Plan& plan;
    const CoilMatrix& coil_maps; ///< C x N or empty
    double lambda; ///< weight of Q(0) I
    std::function<Q(const Sampling&)> make_q;
    /// Of the solver on the device; double where it has that unless said otherwise.
    std::optional<Precision> precision = {};
};

/// The normal equations of one sampling, on two devices. What `common` refers to and the sampling
/// must outlive it.
class NormalEquations {
public:
    NormalEquations(const CommonToFrames& common, const Sampling& sampling);

    /// On the backend's device, in double precision where it has that; on the reference device for
    /// voxels off the grid. Null where the device has no room, which is noted. Made when it is
    /// first asked for.
    System* on_device();
    /// On the reference device; made when it is first asked for.
    System& on_reference();
    /// Q(0), the unit of lambda.
    double q_at_zero() { return q_ ? q_->at_zero() : on_reference().gram().diagonal(); }

private:
    const CommonToFrames& common_;
    const Sampling& sampling_;
    std::optional<Q> q_; ///< none for voxels off the grid
    bool device_asked_ = false;
    std::unique_ptr<Device> reference_;
    std::unique_ptr<System> on_device_;
    std::unique_ptr<System> on_reference_;
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
