#pragma once

#include "device/opencl/opencl_device.hpp"
#include "engines/backend.hpp"
#include "engines/opencl/engines.hpp"

namespace lsrecon::test {

/// The separable engine with these parameters for every stage, instead of those that the device
/// would choose.
class SeparableBackend : public Backend {
public:
    SeparableBackend(const Parameters& parameters, Precision precision, double memory = 0)
        : chosen_{parameters, "given"}, precision_(precision), queue_("", memory),
          device_(opencl::make_device(queue_)) {}

    /// What it noted, one line a note.
    const std::string& notes() const { return notes_; }

    BackendInfo info() const override {
        return {"opencl", "", "", "separable", "", unit_roundoff(precision_)};
    }
    Device& device() override { return *device_; }
    Precision precision() const override { return precision_; }
    std::unique_ptr<Transform> transform(const SamplePoints& points,
                                         const Voxels& voxels) override {
        const opencl::EngineContext context{
            {queue_, *device_, precision_, [this](const std::string& text) { note(text); }},
            [this](const std::string&, const std::string&) -> const ChosenParameters& {
                return chosen_;
            }};
        return opencl::make_separable(context, opencl::variant_named("separable"), points, voxels);
    }
    void note(const std::string& message) const override { notes_ += message + "\n"; }
    void restart_clock() override { queue_.restart_clock(); }
    double compute_seconds() const override { return queue_.compute_seconds(); }

private:
    ChosenParameters chosen_;
    Precision precision_;
    opencl::Queue queue_;
    std::unique_ptr<Device> device_;
    mutable std::string notes_;
};

} // namespace lsrecon::test
