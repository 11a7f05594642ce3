// Convolutions with Q by kernels that transform lines in local memory.

#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <tuple>

#include "device/device.hpp"
#include "device/opencl/queue.hpp"

namespace lsrecon::opencl {

/// FftPlan::add_convolution() by kernels that transform lines in local memory, one dimension after
/// the other (kernels/convolution.cl). Memory is passed over five times, where an FFT of its own
/// and the steps around it take nine passes a parity.
class LineConvolution {
public:
    /// For a period of so many points; the queue must outlive it.
    LineConvolution(Queue& queue, const GridSize& extents, Precision precision);

    /// Whether the device has local memory for these lines, whose lengths are products of 2, 3, 5
    /// and 7; and the boxes are those of all parities, in the order of operators/embedding.hpp, and
    /// `by.periods` has room for the passes of one map and parity of x: one period, or 1 and one a
    /// parity of y with a third dimension.
    bool serves(const Convolution& by) const;
    /// `out` += the products of all maps.
    void add(const Convolution& by, const std::vector<Array>& maps, const Array& in, Array& out);

private:
    /// How lines of a length are shared among work-items.
    struct Lines {
        std::size_t length;
        std::vector<int> radices;
        std::size_t at_once; ///< lines of a work-group
        std::size_t threads; ///< work-items of a line
        cl::Buffer roots;
        /// By name, whether maps are doubles, and parities.
        std::map<std::tuple<const char*, bool, std::size_t>, cl::Kernel> kernels;
    };
    struct Shape;

    std::optional<Lines> lines_of(std::size_t length) const;
    static Shape shape_of(const Convolution& by);
    cl::Kernel kernel(const char* name, std::size_t dimension, const Shape& shape,
                      const Array& map);
    const cl::Buffer& roots(std::size_t dimension);
    template <typename... Arguments>
    void launch(cl::Kernel kernel, std::size_t dimension, std::size_t lines,
                const std::array<std::size_t, 2>& repeated, const Arguments&... arguments);
    void add_some(const Convolution& by, const Shape& shape, const Range& slots,
                  const Range& parities, const std::vector<Array>& maps, const Array& in,
                  Array& out);

    Queue& queue_;
    std::array<std::size_t, 3> extents_;
    Precision precision_;
    std::array<std::optional<Lines>, 3> lines_;
};

} // namespace lsrecon::opencl
