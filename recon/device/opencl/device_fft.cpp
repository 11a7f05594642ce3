#include "device/opencl/device_fft.hpp"

#include "base/fft.hpp"

namespace lsrecon::opencl {

namespace {

/// FFTW in the buffer's own memory: a CPU device maps it without a copy.
template <typename Real> class MappedFftw : public DeviceFft {
public:
    MappedFftw(Queue& queue, const std::array<std::size_t, 3>& extents, std::size_t batch)
        : queue_(queue), fft_(extents, batch),
          bytes_(batch * fft_.count() * sizeof(std::complex<Real>)) {}

    std::string name() const override { return Fft<Real>::version(); }

    void forward(const cl::Buffer& values) override {
        in_place(values, [&](std::complex<Real>* mapped) { fft_.forward(mapped); });
    }
    void backward(const cl::Buffer& values) override {
        in_place(values, [&](std::complex<Real>* mapped) { fft_.backward(mapped); });
    }

private:
    template <typename Transform>
    void in_place(const cl::Buffer& values, const Transform& transform) {
        void* const mapped = queue_.commands().enqueueMapBuffer(
            values, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, bytes_);
        transform(static_cast<std::complex<Real>*>(mapped));
        queue_.commands().enqueueUnmapMemObject(values, mapped);
    }

    Queue& queue_;
    Fft<Real> fft_;
    std::size_t bytes_;
};

} // namespace

std::unique_ptr<DeviceFft> make_fftw(Queue& queue, const std::array<std::size_t, 3>& extents,
                                     std::size_t batch, Precision precision) {
    if (precision == Precision::float64) {
        return std::make_unique<MappedFftw<double>>(queue, extents, batch);
    }
    return std::make_unique<MappedFftw<float>>(queue, extents, batch);
}

#ifndef LSRECON_WITH_VKFFT
std::unique_ptr<DeviceFft> make_vkfft(Queue&, const std::array<std::size_t, 3>&, std::size_t,
                                      Precision) {
    throw NotBuiltError("VkFFT is not built in\n  next:     configure with "
                        "-DLSRECON_WITH_VKFFT=ON");
}
#endif

FftEngine fft_engine_for(const DeviceInfo& device) {
    return device.type == "cpu" ? FftEngine::fftw : FftEngine::vkfft;
}

std::unique_ptr<DeviceFft> make_device_fft(Queue& queue, const std::array<std::size_t, 3>& extents,
                                           std::size_t batch, FftEngine engine,
                                           Precision precision) {
    return engine == FftEngine::fftw ? make_fftw(queue, extents, batch, precision)
                                     : make_vkfft(queue, extents, batch, precision);
}

} // namespace lsrecon::opencl
