// The functions of OpenCL that the library calls: libOpenCL is opened when the first of them is, so
// that a machine without it has no OpenCL device, and a program of ours begins there all the same.

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <cstddef>
#include <dlfcn.h>
#include <tuple>
#include <type_traits>

namespace {

template <typename Function> struct Signature;
template <typename Result, typename... Arguments> struct Signature<Result(Arguments...)> {
    using result = Result;
    template <std::size_t i> using argument = std::tuple_element_t<i, std::tuple<Arguments...>>;
};

/// A function of libOpenCL, or null.
template <typename Function> Function* function(const char* name) {
    static void* const library = ::dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
    return library == nullptr ? nullptr : reinterpret_cast<Function*>(::dlsym(library, name));
}

/// What the functions answer without libOpenCL: that there is no platform, and no object.
template <typename Result> Result absent() {
    if constexpr (std::is_same_v<Result, cl_int>) {
        return CL_PLATFORM_NOT_FOUND_KHR;
    } else {
        return nullptr;
    }
}

} // namespace

// The parameters of a function by the types of its declaration, and their names.
#define A(f, i) Signature<decltype(f)>::argument<i> a##i
#define P1(f) A(f, 0)
#define P2(f) P1(f), A(f, 1)
#define P3(f) P2(f), A(f, 2)
#define P4(f) P3(f), A(f, 3)
#define P5(f) P4(f), A(f, 4)
#define P6(f) P5(f), A(f, 5)
#define P7(f) P6(f), A(f, 6)
#define P8(f) P7(f), A(f, 7)
#define P9(f) P8(f), A(f, 8)
#define P10(f) P9(f), A(f, 9)
#define N1 a0
#define N2 N1, a1
#define N3 N2, a2
#define N4 N3, a3
#define N5 N4, a4
#define N6 N5, a5
#define N7 N6, a6
#define N8 N7, a7
#define N9 N8, a8
#define N10 N9, a9

/// Defines the function `f` of so many parameters, for this program alone: other libraries beside
/// it may link libOpenCL.
#define LSRECON_CL(count, f)                                                                       \
    extern "C" __attribute__((visibility("hidden"))) Signature<decltype(f)>::result f(             \
        P##count(f)) {                                                                             \
        static auto* const loaded = function<decltype(f)>(#f);                                     \
        return loaded != nullptr ? loaded(N##count) : absent<Signature<decltype(f)>::result>();    \
    }

LSRECON_CL(6, clBuildProgram)
LSRECON_CL(5, clCreateBuffer)
LSRECON_CL(4, clCreateCommandQueue)
LSRECON_CL(6, clCreateContext)
LSRECON_CL(3, clCreateKernel)
LSRECON_CL(7, clCreateProgramWithBinary)
LSRECON_CL(5, clCreateProgramWithSource)
LSRECON_CL(9, clEnqueueCopyBuffer)
LSRECON_CL(9, clEnqueueFillBuffer)
LSRECON_CL(10, clEnqueueMapBuffer)
LSRECON_CL(9, clEnqueueNDRangeKernel)
LSRECON_CL(9, clEnqueueReadBuffer)
LSRECON_CL(6, clEnqueueUnmapMemObject)
LSRECON_CL(9, clEnqueueWriteBuffer)
LSRECON_CL(1, clFinish)
LSRECON_CL(1, clFlush)
LSRECON_CL(5, clGetCommandQueueInfo)
LSRECON_CL(5, clGetContextInfo)
LSRECON_CL(5, clGetDeviceIDs)
LSRECON_CL(5, clGetDeviceInfo)
LSRECON_CL(5, clGetEventProfilingInfo)
LSRECON_CL(6, clGetKernelWorkGroupInfo)
LSRECON_CL(3, clGetPlatformIDs)
LSRECON_CL(5, clGetPlatformInfo)
LSRECON_CL(6, clGetProgramBuildInfo)
LSRECON_CL(5, clGetProgramInfo)
LSRECON_CL(1, clReleaseCommandQueue)
LSRECON_CL(1, clReleaseContext)
LSRECON_CL(1, clReleaseDevice)
LSRECON_CL(1, clReleaseEvent)
LSRECON_CL(1, clReleaseKernel)
LSRECON_CL(1, clReleaseMemObject)
LSRECON_CL(1, clReleaseProgram)
LSRECON_CL(1, clRetainCommandQueue)
LSRECON_CL(1, clRetainContext)
LSRECON_CL(1, clRetainDevice)
LSRECON_CL(1, clRetainEvent)
LSRECON_CL(1, clRetainKernel)
LSRECON_CL(1, clRetainMemObject)
LSRECON_CL(1, clRetainProgram)
LSRECON_CL(4, clSetKernelArg)
LSRECON_CL(3, clSetMemObjectDestructorCallback)
LSRECON_CL(2, clWaitForEvents)
