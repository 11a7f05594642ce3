#include "solve/normal_equations.hpp"

#include <cmath>

#include "base/error.hpp"
#include "operators/explicit_gram.hpp"
#include "operators/toeplitz.hpp"

namespace lsrecon {

namespace {

/// DeviceError when the system needs more memory than may be used.
void require_room(const Device& device, const SolverMemory& needed) {
    constexpr double mib = 1024 * 1024;
    if (needed.total > device.memory() || needed.largest_array > device.largest_array()) {
        throw DeviceError(text("it needs ", std::ceil(needed.total / mib), " MiB, ",
                               std::ceil(needed.largest_array / mib), " of them in one piece; ",
                               std::floor(device.memory() / mib), " MiB may be used, ",
                               std::floor(device.largest_array() / mib), " in one piece"));
    }
}

} // namespace

NormalEquations::NormalEquations(const CommonToFrames& common, const Sampling& sampling)
    : common_(common), sampling_(sampling) {
    if (common.plan.through_q) {
        q_ = common.make_q(sampling);
    }
}

System* NormalEquations::on_device() {
    if (!q_) {
        return &on_reference();
    }
    if (device_asked_) {
        return on_device_.get();
    }
    device_asked_ = true;
    Device& device = common_.backend.device();
    const Precision precision = common_.precision.value_or(
        device.has(Precision::float64) ? Precision::float64 : Precision::float32);
    const std::size_t maps = rows(common_.coil_maps);
    try {
        require_room(device, solver_memory(q_->grid, maps, precision));
        on_device_ = std::make_unique<System>(
            device, precision, std::make_unique<Toeplitz>(device, *q_, precision, maps),
            common_.coil_maps, common_.lambda);
    } catch (const Error& error) {
        common_.backend.note(
            text("the solver runs on the CPU in double precision: ", error.what()));
    }
    return on_device_.get();
}

System& NormalEquations::on_reference() {
    if (!on_reference_) {
        reference_ = make_reference_device();
        constexpr Precision precision = Precision::float64;
        std::unique_ptr<Gram> gram;
        if (q_) {
            gram = std::make_unique<Toeplitz>(*reference_, *q_, precision, rows(common_.coil_maps));
        } else {
            gram = make_explicit_gram(*reference_, common_.backend, sampling_, common_.plan.voxels);
        }
        on_reference_ = std::make_unique<System>(*reference_, precision, std::move(gram),
                                                 common_.coil_maps, common_.lambda);
    }
    return *on_reference_;
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
