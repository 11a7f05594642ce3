// Builds the kernels of one file for the precision of their arrays, and runs them.

#pragma once

#include <array>
#include <string>

#include "base/error.hpp"
#include "device/kernel.hpp"
#include "device/opencl/opencl_device.hpp"

namespace lsrecon::opencl {

template <typename Integer> cl_int4 as_int4(const std::array<Integer, 3>& values) {
    return {{static_cast<cl_int>(values[0]), static_cast<cl_int>(values[1]),
             static_cast<cl_int>(values[2]), 1}};
}

/// A number in the precision of an array.
inline Real number(double value, const Array& of) {
    return {value, of.element().precision};
}

/// The kernels of one file, built for the precision of the arrays that they run on.
class ArrayKernels {
public:
    static constexpr std::size_t group = 128; ///< GROUP of the kernels
    using Items = std::array<std::size_t, 3>;

    ArrayKernels(Queue& queue, std::string file) : queue_(queue), file_(std::move(file)) {}

    template <typename... Arguments> void run(const char* name, const Array& like,
                                              const Items& items, const Arguments&... arguments) {
        run_with_maps(name, like, Precision::float32, items, arguments...);
    }

    template <typename... Arguments> void run_with_maps(const char* name, const Array& like,
                                                        Precision of_maps, const Items& items,
                                                        const Arguments&... arguments) {
        guarded(name, [&] {
            queue_.launch_items(kernel(name, like.element().precision, of_maps), items,
                                arguments...);
        });
    }

    /// Runs an operator's kernel, of this file.
    void run(const KernelRun& run) {
        guarded(run.name, [&] {
            cl::Kernel of_run = kernel(run.name, run.precision, Precision::float32);
            cl_uint index = 1;
            for (const KernelArgument& argument : run.arguments) {
                std::visit([&](const auto& value) { set(of_run, index++, value, run.precision); },
                           argument);
            }
            queue_.launch_items(of_run, run.items);
        });
    }

    /// Runs every work-item of some work-groups, which add up.
    template <typename... Arguments> void run_work_groups(const char* name, const Array& like,
                                                          std::size_t work_groups,
                                                          const Arguments&... arguments) {
        guarded(name, [&] {
            cl::Kernel of_work_groups = kernel(name, like.element().precision, Precision::float32);
            Queue::set_arguments(of_work_groups, arguments...);
            queue_.launch(of_work_groups, cl::NDRange(work_groups * group), cl::NDRange(group));
        });
    }

private:
    static void set(cl::Kernel& kernel, cl_uint index, const Array& array, Precision) {
        const cl_mem buffer = array.empty() ? nullptr : buffer_of(array)();
        kernel.setArg(index, sizeof(buffer), &buffer);
    }
    static void set(cl::Kernel& kernel, cl_uint index, const GridSize& size, Precision) {
        kernel.setArg(index, as_int4(size));
    }
    static void set(cl::Kernel& kernel, cl_uint index, std::size_t whole, Precision) {
        kernel.setArg(index, static_cast<cl_ulong>(whole));
    }
    static void set(cl::Kernel& kernel, cl_uint index, double value, Precision precision) {
        Queue::set_argument(kernel, index, Real{value, precision});
    }

    cl::Kernel kernel(const char* name, Precision precision, Precision of_maps) {
        const bool doubles = precision == Precision::float64;
        return queue_.kernel(file_, name,
                             text("-DGROUP=", group, " -DDOUBLES=", doubles ? 1 : 0, " -DMAP_REAL=",
                                  of_maps == Precision::float64 ? "double" : "float"));
    }

    Queue& queue_;
    std::string file_;
};

} // namespace lsrecon::opencl
