#pragma once

#include <array>
#include <string>

#include "base/error.hpp"
#include "device/array.hpp"
#include "device/opencl/queue.hpp"

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
        guarded(name,
                [&] { queue_.launch_items(kernel(name, like, of_maps), items, arguments...); });
    }

    /// With every work-item of work-groups that add up.
    template <typename... Arguments> void run_work_groups(const char* name, const Array& like,
                                                          std::size_t work_groups,
                                                          const Arguments&... arguments) {
        guarded(name, [&] {
            cl::Kernel of_work_groups = kernel(name, like, Precision::float32);
            Queue::set_arguments(of_work_groups, arguments...);
            queue_.launch(of_work_groups, cl::NDRange(work_groups * group), cl::NDRange(group));
        });
    }

private:
    cl::Kernel kernel(const char* name, const Array& like, Precision of_maps) {
        const bool doubles = like.element().precision == Precision::float64;
        return queue_.kernel(file_, name,
                             text("-DGROUP=", group, " -DDOUBLES=", doubles ? 1 : 0, " -DMAP_REAL=",
                                  of_maps == Precision::float64 ? "double" : "float"));
    }

    Queue& queue_;
    std::string file_;
};

} // namespace lsrecon::opencl
