#include "backend/opencl/device_fft.hpp"

#include "base/fft.hpp"

namespace lsrecon::opencl {

namespace {

/// FFTW in the buffer's own memory: a CPU device maps it without a copy.
class MappedFftw : public DeviceFft {
public:
    MappedFftw(Queue& queue, const std::array<std::size_t, 3>& extents)
        : queue_(queue), fft_(extents) {}

    std::string name() const override { return Fft<float>::version(); }

    cl::Buffer allocate(Queue& queue, std::size_t count) const override {
        return cl::Buffer(queue.context(), CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR,
                          count * sizeof(std::complex<float>));
    }

    void forward(const cl::Buffer& values) override {
        in_place(values, [&](std::complex<float>* mapped) { fft_.forward(mapped); });
    }
    void backward(const cl::Buffer& values) override {
        in_place(values, [&](std::complex<float>* mapped) { fft_.backward(mapped); });
    }

private:
    template <typename Transform>
    void in_place(const cl::Buffer& values, const Transform& transform) {
        void* const mapped =
            queue_.commands().enqueueMapBuffer(values, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0,
                                               fft_.count() * sizeof(std::complex<float>));
        transform(static_cast<std::complex<float>*>(mapped));
        queue_.commands().enqueueUnmapMemObject(values, mapped);
    }

    Queue& queue_;
    Fft<float> fft_;
};

} // namespace

std::unique_ptr<DeviceFft> make_fftw(Queue& queue, const std::array<std::size_t, 3>& extents) {
    return std::make_unique<MappedFftw>(queue, extents);
}

#ifndef LSRECON_WITH_VKFFT
std::unique_ptr<DeviceFft> make_vkfft(Queue&, const std::array<std::size_t, 3>&) {
    throw NotBuiltError("VkFFT is not built in\n  next:     configure with "
                        "-DLSRECON_WITH_VKFFT=ON");
}
#endif

FftEngine fft_engine_for(const DeviceInfo& device) {
    return device.type == "cpu" ? FftEngine::fftw : FftEngine::vkfft;
}

std::unique_ptr<DeviceFft> make_device_fft(Queue& queue, const std::array<std::size_t, 3>& extents,
                                           FftEngine engine) {
    return engine == FftEngine::fftw ? make_fftw(queue, extents) : make_vkfft(queue, extents);
}

} // namespace lsrecon::opencl
