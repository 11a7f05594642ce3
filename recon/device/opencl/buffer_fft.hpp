#pragma once

#include <memory>
#include <string>

#include "device/device.hpp"
#include "device/opencl/device_fft.hpp"
#include "device/opencl/opencl_device.hpp"

namespace lsrecon::opencl {

/// The FFT of a device's arrays.
class BufferFft : public FftPlan {
public:
    explicit BufferFft(std::unique_ptr<DeviceFft> fft) : fft_(std::move(fft)) {}
    std::string library() const override { return fft_->name(); }
    void forward(Array& values) override {
        guarded("the FFT", [&] { fft_->forward(buffer_of(values)); });
    }
    void backward(Array& values) override {
        guarded("the FFT", [&] { fft_->backward(buffer_of(values)); });
    }

private:
    std::unique_ptr<DeviceFft> fft_;
};

} // namespace lsrecon::opencl
