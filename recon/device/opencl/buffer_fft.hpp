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
    /// `points` of an array.
    BufferFft(std::unique_ptr<DeviceFft> fft, Device& device, std::size_t points)
        : fft_(std::move(fft)), device_(device), points_(points) {}
    std::string library() const override { return fft_->name(); }
    void forward(Array& values) override {
        guarded("the FFT", [&] { fft_->forward(buffer_of(values)); });
    }
    void backward(Array& values) override {
        guarded("the FFT", [&] { fft_->backward(buffer_of(values)); });
    }
    std::size_t parities() const override { return fft_->convolves() ? 2 : 1; }
    void convolve(const Array& spectra, const std::vector<std::size_t>& first,
                  Array& values) override {
        if (fft_->convolves()) {
            return guarded("the FFT",
                           [&] { fft_->convolve(buffer_of(spectra), first, buffer_of(values)); });
        }
        forward(values);
        device_.multiply(spectra, first[0], points_, values);
        backward(values);
    }

private:
    std::unique_ptr<DeviceFft> fft_;
    Device& device_;
    std::size_t points_;
};

} // namespace lsrecon::opencl
