// A kernel with its arguments, as operators hand it to Device::run(), with a host function that
// does the same.

#pragma once

#include <functional>
#include <type_traits>
#include <variant>
#include <vector>

#include "device/array.hpp"
#include "device/device.hpp"

namespace lsrecon {

/// An argument of a kernel; a double stands for a number in the precision of the arrays.
using KernelArgument = std::variant<Array, GridSize, std::size_t, double>;

/// A kernel with its arguments, for Device::run().
struct KernelRun {
    const char* file; ///< among the kernel files
    /// Name of the function in it, whose first argument is items[0] (ONLY in real.h).
    const char* name;
    Precision precision; ///< precision of the arrays
    GridSize items; ///< work-items
    std::vector<KernelArgument> arguments; ///< after the first
    std::function<void()> on_host; ///< does the same to arrays of HostNumbers
};

/// An operator's work on arrays that no verb of Device does: a function of a kernel file, and loops
/// over arrays in the host's memory for floats and doubles. All take the same arguments, the first
/// an array that is not empty:
///
///     loops                           kernel file
///     Real*, std::complex<Real>*      __global real*, real2*; null for an empty array
///     Real, double                    real
///     std::size_t                     ulong
///     const GridSize&                 int4, 1 the last
template <typename Floats, typename Doubles> struct Kernel {
    const char* file;
    const char* name;
    Floats* in_floats;
    Doubles* in_doubles;

    /// Runs it on so many work-items. All arrays have the precision of the first.
    template <typename... Rest>
    void run(Device& device, const GridSize& items, const Array& first, const Rest&... rest) const {
        const Precision precision = first.element().precision;
        device.run({file, name, precision, items, arguments(in_doubles, first, rest...), [&] {
                        precision == Precision::float64 ? call(in_doubles, first, rest...)
                                                        : call(in_floats, first, rest...);
                    }});
    }

private:
    template <typename... Parameters, typename... Given>
    static std::vector<KernelArgument> arguments(void (*)(Parameters...), const Given&... given) {
        return {argument<std::decay_t<Parameters>>(given)...};
    }
    template <typename Parameter, typename Given>
    static KernelArgument argument(const Given& given) {
        if constexpr (std::is_pointer_v<Parameter>) {
            return given;
        } else {
            return static_cast<Parameter>(given);
        }
    }

    template <typename... Parameters, typename... Given>
    static void call(void (*loops)(Parameters...), const Given&... given) {
        loops(on_host<Parameters>(given)...);
    }
    template <typename Parameter, typename Given> static Parameter on_host(const Given& given) {
        if constexpr (std::is_pointer_v<Parameter>) {
            return given.empty() ? nullptr : numbers<std::remove_pointer_t<Parameter>>(given);
        } else {
            return static_cast<Parameter>(given);
        }
    }
};

template <typename Floats, typename Doubles> Kernel(const char*, const char*, Floats*, Doubles*)
    -> Kernel<Floats, Doubles>;

} // namespace lsrecon
