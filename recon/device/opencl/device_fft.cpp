#include "device/opencl/device_fft.hpp"

#include "base/fft.hpp"

namespace lsrecon::opencl {

namespace {

/// use(the first `count` values of a buffer, which the host may read, or change).
template <typename Value, typename Use> void with_mapped(Queue& queue, const cl::Buffer& buffer,
                                                         cl_map_flags access, std::size_t count,
                                                         const Use& use) {
    void* const data =
        queue.commands().enqueueMapBuffer(buffer, CL_TRUE, access, 0, count * sizeof(Value));
    use(static_cast<Value*>(data));
    queue.commands().enqueueUnmapMemObject(buffer, data);
}

/// FFTW in the buffer's own memory: a CPU device maps it without a copy.
template <typename Real> class MappedFftw : public DeviceFft {
public:
    MappedFftw(Queue& queue, const std::array<std::size_t, 3>& extents, std::size_t batch)
        : queue_(queue), fft_(extents, batch), values_(batch * fft_.count()) {}

    std::string name() const override { return Fft<Real>::version(); }

    void forward(const cl::Buffer& values) override {
        change(values, [&](std::complex<Real>* mapped) { fft_.forward(mapped); });
    }
    void backward(const cl::Buffer& values) override {
        change(values, [&](std::complex<Real>* mapped) { fft_.backward(mapped); });
    }

    bool convolves() const override { return fft_.count() > 1; }
    void convolve(const cl::Buffer& spectra, const std::vector<std::size_t>& first,
                  const cl::Buffer& values) override {
        const std::size_t count = first.back() + fft_.count();
        with_mapped<Real>(queue_, spectra, CL_MAP_READ, count, [&](const Real* all) {
            const Real* const odd = first.size() > 1 ? all + first[1] : nullptr;
            change(values, [&](std::complex<Real>* mapped) {
                fft_.convolve({all + first[0], odd}, mapped);
            });
        });
    }

private:
    template <typename Transform>
    void change(const cl::Buffer& values, const Transform& transform) {
        with_mapped<std::complex<Real>>(queue_, values, CL_MAP_READ | CL_MAP_WRITE, values_,
                                        transform);
    }

    Queue& queue_;
    Fft<Real> fft_;
    std::size_t values_;
};

} // namespace

void DeviceFft::convolve(const cl::Buffer&, const std::vector<std::size_t>&, const cl::Buffer&) {
    throw DeviceError(name() + " does not convolve");
}

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
