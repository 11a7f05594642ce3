// Launches kernels/convolution.cl for each map and parity, with the radices and the work-groups
// that suit the length of a line.

#include "device/opencl/line_convolution.hpp"

#include <algorithm>
#include <cmath>
#include <complex>

#include "base/ranges.hpp"
#include "device/opencl/array_kernels.hpp"

namespace lsrecon::opencl {

namespace {

constexpr std::size_t most_maps = 8; ///< that the kernels take
constexpr std::size_t most_radices = 8;

/// Few, large ones first; empty when there are others than 2, 3, 5 and 7, or too many.
std::optional<std::vector<int>> radices_of(std::size_t length) {
    std::vector<int> result;
    for (const int radix : {7, 5, 3, 8, 4, 2}) {
        for (const auto r = static_cast<std::size_t>(radix); length % r == 0; length /= r) {
            result.push_back(radix);
        }
    }
    if (length != 1 || result.size() > most_radices) {
        return std::nullopt;
    }
    return result;
}

template <typename Real> cl::Buffer uploaded_roots(Queue& queue, std::size_t length) {
    std::vector<std::complex<Real>> roots(length);
    for (std::size_t n = 0; n < length; ++n) {
        roots[n] = std::complex<Real>(
            std::polar(1.0, -2 * pi * static_cast<double>(n) / static_cast<double>(length)));
    }
    return queue.upload(roots);
}

} // namespace

/// The parities of each dimension, and its last one.
struct LineConvolution::Shape {
    std::array<std::size_t, 3> parities{1, 1, 1};
    std::size_t last = 1; ///< the slowest dimension, y or z

    std::size_t all() const { return parities[0] * parities[1] * parities[2]; }
    /// Parities of y that are apart while z is transformed.
    std::size_t beside_last() const { return last == 2 ? parities[1] : 1; }
    /// Periods that a map and parity of x take.
    std::size_t periods() const { return last == 2 ? 1 + parities[1] : 1; }
    /// Returns the index of the first box whose parity along d is odd, or 0 when d has no odd
    /// parity.
    std::size_t odd(std::size_t d) const {
        std::size_t box = parities[d] - 1;
        for (std::size_t faster = 0; faster < d; ++faster) {
            box *= parities[faster];
        }
        return box;
    }
};

LineConvolution::LineConvolution(Queue& queue, const GridSize& extents, Precision precision)
    : queue_(queue), extents_(extents), precision_(precision) {
    std::transform(extents.begin(), extents.end(), lines_.begin(),
                   [&](std::size_t length) { return lines_of(length); });
}

// Neighbouring lines fill what memory delivers at once, 128 bytes; some eight values are in the
// registers of a work-item.
std::optional<LineConvolution::Lines> LineConvolution::lines_of(std::size_t length) const {
    const std::optional<std::vector<int>> radices = radices_of(length);
    const std::size_t bytes = 2 * bytes_of(precision_);
    const std::size_t threads = std::max<std::size_t>(1, length / 8);
    std::size_t at_once = 128 / bytes;
    const auto fits = [&] {
        const std::size_t pitch = at_once > 1 ? at_once + 1 : 1;
        return at_once * threads <= std::min<std::size_t>(512, queue_.info().max_work_group) &&
               length * pitch * bytes <= queue_.info().local_bytes;
    };
    while (at_once > 1 && !fits()) {
        at_once /= 2;
    }
    if (!radices || !fits()) {
        return std::nullopt;
    }
    return Lines{length, *radices, at_once, threads, {}, {}};
}

LineConvolution::Shape LineConvolution::shape_of(const Convolution& by) {
    const Box& box = by.boxes.front();
    Shape shape;
    shape.last = box.extents[2] > 1 ? 2 : 1;
    for (std::size_t d = 0; by.boxes.size() > 1 && d < 3; ++d) {
        shape.parities[d] = box.size[d] > 1 ? 2 : 1;
    }
    return shape;
}

bool LineConvolution::serves(const Convolution& by) const {
    const Shape shape = shape_of(by);
    return std::all_of(lines_.begin(), lines_.end(),
                       [](const auto& lines) { return lines.has_value(); }) &&
           shape.all() == by.boxes.size() &&
           by.periods.count() >= shape.periods() * by.boxes.front().points();
}

void LineConvolution::add(const Convolution& by, const std::vector<Array>& maps, const Array& in,
                          Array& out) {
    const Shape shape = shape_of(by);
    const std::size_t room = by.periods.count() / (shape.periods() * by.boxes.front().points());
    const std::size_t parities = std::min(room, shape.parities[0]);
    for (const Range& slots :
         split_into_ranges(maps.size(), std::min(most_maps, room / parities))) {
        for (const Range& some : split_into_ranges(shape.parities[0], parities)) {
            add_some(by, shape, slots, some, maps, in, out);
        }
    }
}

/// Compiles a kernel for the lines of a dimension. Maps enter along x alone, so that their
/// precision makes no variants of the others.
cl::Kernel LineConvolution::kernel(const char* name, std::size_t dimension, const Shape& shape,
                                   const Array& map) {
    Lines& lines = *lines_[dimension];
    const bool doubles = precision_ == Precision::float64;
    const bool double_maps =
        dimension == 0 && !map.empty() && map.element().precision == Precision::float64;
    cl::Kernel& known = lines.kernels[{name, double_maps, shape.parities[dimension]}];
    if (known() != nullptr) {
        return known;
    }
    std::string options =
        text("-DALONG_X=", dimension == 0 ? 1 : 0, " -DDOUBLES=", doubles ? 1 : 0,
             " -DMAP_REAL=", double_maps ? "double" : "float", " -DLENGTH=", lines.length,
             " -DLINES=", lines.at_once, " -DTHREADS=", lines.threads);
    if (dimension > 0) { // those of x come as arguments
        options += text(" -DPARITIES=", shape.parities[dimension]);
    }
    for (std::size_t i = 0; i < most_radices; ++i) {
        options += text(" -DR", i, "=", i < lines.radices.size() ? lines.radices[i] : 1);
    }
    known = queue_.kernel("convolution.cl", name, options);
    return known;
}

const cl::Buffer& LineConvolution::roots(std::size_t dimension) {
    Lines& lines = *lines_[dimension];
    if (lines.roots() == nullptr) {
        lines.roots = precision_ == Precision::float64
                          ? uploaded_roots<double>(queue_, lines.length)
                          : uploaded_roots<float>(queue_, lines.length);
    }
    return lines.roots;
}

template <typename... Arguments>
void LineConvolution::launch(cl::Kernel kernel, std::size_t dimension, std::size_t lines,
                             const std::array<std::size_t, 2>& repeated,
                             const Arguments&... arguments) {
    const Lines& shared = *lines_[dimension];
    const std::size_t group = shared.at_once * shared.threads;
    Queue::set_arguments(kernel, arguments...);
    queue_.launch(kernel,
                  cl::NDRange(divide_up(lines, shared.at_once) * group, repeated[0], repeated[1]),
                  cl::NDRange(group, 1, 1));
}

// The periods of all maps and parities of x come first in `by.periods`; behind them are those for
// z, each with the parities of y.
void LineConvolution::add_some(const Convolution& by, const Shape& shape, const Range& slots,
                               const Range& parities, const std::vector<Array>& maps,
                               const Array& in, Array& out) {
    const Box& box = by.boxes.front();
    const auto [nx, ny, nz] = box.size;
    const std::size_t periods = slots.count * parities.count;
    const std::size_t rows = ny * nz;
    const std::size_t behind = shape.last == 2 ? periods * extents_[0] * rows : 0;
    const auto whole = [](std::size_t number) { return static_cast<cl_int>(number); };
    const auto size_of = [](std::size_t number) { return static_cast<cl_ulong>(number); };
    const Array& any_map = maps[slots.first];
    const auto map = [&](std::size_t slot) -> const cl::Buffer& {
        const Array& of_slot = maps[slots.first + std::min(slot, slots.count - 1)];
        return buffer_of(of_slot.empty() ? in : of_slot); // read only with a map
    };
    const auto of_dimension = [&](const char* name, std::size_t d) {
        return kernel(name, d, shape, any_map);
    };
    // The factors of a dimension: even ones, odd ones, the first, and how many.
    const auto even = [&]() -> const cl::Buffer& { return buffer_of(box.factors); };
    const auto odd = [&](std::size_t d) -> const cl::Buffer& {
        return buffer_of(by.boxes[shape.odd(d)].factors);
    };
    const auto with_maps = whole(any_map.empty() ? 0 : 1);
    const cl::Buffer& work = buffer_of(by.periods);

    launch(of_dimension("pad_along_x", 0), 0, rows, {periods, 1}, buffer_of(in), map(0), map(1),
           map(2), map(3), map(4), map(5), map(6), map(7), with_maps, size_of(rows), even(), odd(0),
           whole(0), whole(nx), whole(parities.first), whole(parities.count), roots(0), work);
    if (shape.last == 2) {
        launch(of_dimension("pad_along_y", 1), 1, extents_[0], {nz, periods}, work,
               size_of(extents_[0]), even(), odd(1), whole(nx), whole(ny), roots(1),
               size_of(behind), work);
    }
    const std::size_t last = shape.last;
    const std::size_t width = last == 2 ? extents_[0] * extents_[1] : extents_[0];
    launch(of_dimension("convolve_along_last", last), last, width,
           {periods * shape.beside_last(), 1}, work, size_of(behind), size_of(width), even(),
           odd(last), whole(last == 2 ? nx + ny : nx), whole(box.size[last]), buffer_of(by.spectra),
           whole(parities.first), whole(parities.count), whole(shape.parities[0]),
           whole(shape.beside_last()), roots(last));
    if (shape.last == 2) {
        launch(of_dimension("crop_along_y", 1), 1, extents_[0], {nz, periods}, work,
               size_of(behind), size_of(extents_[0]), even(), odd(1), whole(nx), whole(ny),
               roots(1), work);
    }
    launch(of_dimension("crop_along_x", 0), 0, rows, {1, 1}, work, map(0), map(1), map(2), map(3),
           map(4), map(5), map(6), map(7), with_maps, size_of(rows), even(), odd(0), whole(0),
           whole(nx), whole(parities.first), whole(parities.count), whole(slots.count), roots(0),
           buffer_of(out));
}

} // namespace lsrecon::opencl
