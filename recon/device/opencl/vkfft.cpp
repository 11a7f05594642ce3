// Computes FFTs on GPUs by VkFFT, which a build without it refuses.

#include "device/opencl/opencl_device.hpp"

#include "device/host_device.hpp"
#include "device/opencl/line_convolution.hpp"
#include "device/opencl/program.hpp"

#ifdef LSRECON_WITH_VKFFT

// VkFFT keeps compiled plans as text, which version 1.2 cuts at a zero byte. Its programs go
// through our cache on disk instead, as all others do: these functions replace OpenCL's within the
// header.
namespace {

cl_program built_program(cl_context context, cl_uint count, const char** texts,
                         const std::size_t* lengths, cl_int* result) {
    std::string source;
    for (cl_uint i = 0; i < count; ++i) {
        source.append(texts[i], lengths[i]);
    }
    try {
        const cl::Context in(context, true);
        cl::Program program = lsrecon::opencl::build_program(
            in, in.getInfo<CL_CONTEXT_DEVICES>().front(), "VkFFT", source, "");
        *result = clRetainProgram(program());
        return program();
    } catch (const std::exception&) {
        *result = CL_BUILD_PROGRAM_FAILURE;
        return nullptr;
    }
}

template <typename... Arguments> cl_int already_built(Arguments...) {
    return CL_SUCCESS;
}

} // namespace

#define VKFFT_BACKEND 3 // OpenCL
#define clCreateProgramWithSource built_program
#define clBuildProgram already_built
#include <vkFFT.h>
#undef clCreateProgramWithSource
#undef clBuildProgram

namespace lsrecon::opencl {

namespace {

/// uint64_t in 1.2, a type of VkFFT in 1.3.
using Size = decltype(VkFFTConfiguration::FFTdim);

void require(VkFFTResult result, const char* what) {
    if (result == VKFFT_ERROR_FAILED_TO_ALLOCATE || result == VKFFT_ERROR_MALLOC_FAILED) {
        throw DeviceError(text("VkFFT: ", what, " ran out of memory (error ", result,
                               ")\n  next:     free the device's memory, or use `solver` eigen"));
    }
    if (result != VKFFT_SUCCESS) {
        throw DeviceError(text("VkFFT: ", what, " failed with error ", result,
                               "\n  next:     use `solver` eigen"));
    }
}

class Vkfft : public FftPlan {
public:
    Vkfft(Queue& queue, Device& device, const GridSize& extents, const std::array<Range, 3>& zeros,
          std::size_t batch, Precision precision)
        : FftPlan(device, extents[0] * extents[1] * extents[2], batch),
          lines_(queue, extents, precision), precision_(precision), commands_(queue.commands()()),
          context_(queue.context()()),
          opencl_device_(queue.commands().getInfo<CL_QUEUE_DEVICE>()()),
          platform_(
              cl::Platform(cl::Device(opencl_device_, true).getInfo<CL_DEVICE_PLATFORM>())()) {
        for (std::size_t d = 0; d < 3; ++d) {
            if (extents[d] > 1) { // a length of 1 transforms nothing; VkFFT is not given it
                lengths_.push_back(extents[d]);
                zeros_.push_back(zeros[d]);
            }
        }
    }
    std::string library() const override {
        const int v = VkFFTGetVersion(); // X.XX.XX as XXXXX
        return text("VkFFT ", v / 10000, ".", v / 100 % 100, ".", v % 100);
    }

    void forward(Array& values) override { run(forward_, values, -1); }
    void backward(Array& values) override { run(backward_, values, 1); }
    void add_convolution(const Convolution& by, const std::vector<Array>& maps, const Array& in,
                         Array& out) override {
        if (lines_.serves(by)) {
            lines_.add(by, maps, in, out);
        } else {
            FftPlan::add_convolution(by, maps, in, out);
        }
    }

private:
    std::size_t value_bytes() const { return 2 * bytes_of(precision_); }

    /// A plan of one direction, made when it first runs: kernels take a while to compile, and most
    /// transforms go one way.
    struct OneWay {
        ~OneWay() {
            if (is_planned) {
                deleteVkFFT(&application);
            }
        }
        VkFFTApplication application = {};
        bool is_planned = false;
    };

    /// Describes a plan of one direction: lengths, ranges of zeros that VkFFT may skip, batch and
    /// precision.
    VkFFTConfiguration describe(int direction) {
        VkFFTConfiguration configuration = {};
        configuration.FFTdim = static_cast<Size>(lengths_.size());
        for (std::size_t d = 0; d < lengths_.size(); ++d) {
            configuration.size[d] = static_cast<Size>(lengths_[d]);
            configuration.performZeropadding[d] = zeros_[d].count > 0 ? 1 : 0;
            configuration.fft_zeropad_left[d] = static_cast<Size>(zeros_[d].first);
            configuration.fft_zeropad_right[d] =
                static_cast<Size>(zeros_[d].first + zeros_[d].count);
        }
        configuration.numberBatches = static_cast<Size>(batch_);
        configuration.makeForwardPlanOnly = direction < 0 ? 1 : 0;
        configuration.makeInversePlanOnly = direction < 0 ? 0 : 1;
        configuration.platform = &platform_;
        configuration.device = &opencl_device_;
        configuration.context = &context_;
        bytes_ = static_cast<Size>(batch_ * points_ * value_bytes());
        configuration.bufferSize = &bytes_;
        configuration.doublePrecision = precision_ == Precision::float64 ? 1 : 0;
        // Sines from tables made in double precision; the device's own may be fast and wrong.
        configuration.useLUT = 1;
        return configuration;
    }

    void run(OneWay& plan, const Array& values, int direction) {
        if (lengths_.empty()) {
            return;
        }
        if (!plan.is_planned) {
            require(initializeVkFFT(&plan.application, describe(direction)), "planning");
            plan.is_planned = true;
        }
        cl_mem buffer = buffer_of(values)();
        VkFFTLaunchParams parameters = {};
        parameters.buffer = &buffer;
        parameters.commandQueue = &commands_;
        require(VkFFTAppend(&plan.application, direction, &parameters), "launching");
    }

    LineConvolution lines_;
    Precision precision_;
    cl_command_queue commands_;
    cl_context context_;
    cl_device_id opencl_device_;
    cl_platform_id platform_;
    std::vector<std::size_t> lengths_;
    std::vector<Range> zeros_; ///< ranges of zeros along these lengths
    Size bytes_ = 0;
    OneWay forward_;
    OneWay backward_;
};

} // namespace

std::unique_ptr<FftPlan> make_vkfft(Queue& queue, Device& device, const GridSize& extents,
                                    const std::array<Range, 3>& zeros, std::size_t batch,
                                    Precision precision) {
    return guarded("planning an FFT", [&] {
        return std::make_unique<Vkfft>(queue, device, extents, zeros, batch, precision);
    });
}

} // namespace lsrecon::opencl

#else

namespace lsrecon::opencl {

std::unique_ptr<FftPlan> make_vkfft(Queue&, Device&, const std::array<std::size_t, 3>&,
                                    const std::array<Range, 3>&, std::size_t, Precision) {
    throw NotBuiltError("VkFFT is not built in\n  next:     configure with "
                        "-DLSRECON_WITH_VKFFT=ON");
}

} // namespace lsrecon::opencl

#endif
