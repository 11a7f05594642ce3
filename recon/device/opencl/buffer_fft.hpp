#pragma once

#include <memory>
#include <string>

#include "device/convolution.hpp"
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
    void convolve(const Array& spectra, std::size_t first, Array& values) override {
        forward(values);
        device_.multiply(spectra, first, points_, values);
        backward(values);
    }
    void add_convolution(const Convolution& by, const std::vector<Array>& maps, const Array& in,
                         Array& out) override {
        add_convolution_by_verbs(device_, *this, by, maps, in, out);
    }

private:
    std::unique_ptr<DeviceFft> fft_;
    Device& device_;
    std::size_t points_;
};

} // namespace lsrecon::opencl
