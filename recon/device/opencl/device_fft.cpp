#include "device/opencl/device_fft.hpp"

#include "base/fft.hpp"

namespace lsrecon::opencl {

namespace {

/// Some values of a buffer, which the host may read and write.
template <typename Value> class Mapped {
public:
    Mapped(Queue& queue, const cl::Buffer& buffer, std::size_t first, std::size_t count)
        : queue_(queue), buffer_(buffer),
          data_(queue.commands().enqueueMapBuffer(buffer, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE,
                                                  first * sizeof(Value), count * sizeof(Value))) {}
    Mapped(const Mapped&) = delete;
    Mapped& operator=(const Mapped&) = delete;
    ~Mapped() {
        clEnqueueUnmapMemObject(queue_.commands()(), buffer_(), data_, 0, nullptr, nullptr);
    }
    Value* data() const { return static_cast<Value*>(data_); }

private:
    Queue& queue_;
    const cl::Buffer& buffer_;
    void* data_;
};

/// FFTW in the buffer's own memory: a CPU device maps it without a copy.
template <typename Real> class MappedFftw : public DeviceFft {
public:
    MappedFftw(Queue& queue, const std::array<std::size_t, 3>& extents, std::size_t batch)
        : queue_(queue), fft_(extents, batch), values_(batch * fft_.count()) {}

    std::string name() const override { return Fft<Real>::version(); }

    void forward(const cl::Buffer& values) override {
        const Mapped<std::complex<Real>> mapped(queue_, values, 0, values_);
        fft_.forward(mapped.data());
    }
    void backward(const cl::Buffer& values) override {
        const Mapped<std::complex<Real>> mapped(queue_, values, 0, values_);
        fft_.backward(mapped.data());
    }

    bool convolves() const override { return fft_.count() > 1; }
    void convolve(const cl::Buffer& spectra, const std::vector<std::size_t>& first,
                  const cl::Buffer& values) override {
        const Mapped<std::complex<Real>> mapped(queue_, values, 0, values_);
        const Mapped<Real> all(queue_, spectra, 0, first.back() + fft_.count());
        fft_.convolve({all.data() + first[0], first.size() > 1 ? all.data() + first[1] : nullptr},
                      mapped.data());
    }

private:
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
