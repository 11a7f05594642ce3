#include "base/cropped_fft.hpp"

#include <algorithm>
#include <vector>

#include "base/fft_lines.hpp"
#include "base/parallel.hpp"

namespace lsrecon {

/// Along one dimension after the other, a few lines at a time.
template <typename Real> struct CroppedFft<Real>::Plans {
    struct Dimension {
        LineShape shape;
        LinePlans<Real> plans;
        std::array<Range, 2>
            frequencies; ///< places of those that are kept: 0 and up, negative ones
    };

    explicit Plans(const Shape& shape) : of(shape) {
        std::size_t step = shape.arrays;
        for (std::size_t d = 0; d < 3; ++d) {
            const LineShape line{shape.extents[d], step};
            const std::size_t negative = shape.kept[d] / 2;
            dimensions.push_back(
                {line,
                 LinePlans<Real>(line),
                 {{{0, shape.kept[d] - negative}, {shape.extents[d] - negative, negative}}}});
            step *= shape.padded[d];
        }
    }

    std::size_t kept_rows() const { return of.kept[1] * of.kept[2]; }
    /// The value in which frequency n of dimension d begins, the most negative one first.
    std::size_t place(std::size_t d, std::size_t n) const {
        const auto& [from_zero, negative] = dimensions[d].frequencies;
        return (n < negative.count ? negative.first + n : n - negative.count) *
               dimensions[d].shape.step;
    }
    std::size_t kept_row(std::size_t r) const {
        return place(1, r % of.kept[1]) + place(2, r / of.kept[1]);
    }

    /// Calls visit(blocks, i) for every i below `count`, on every core with blocks of its own.
    template <typename Visit>
    void in_blocks(std::size_t d, std::size_t count, const Visit& visit) const {
        for_each_range_in_parallel(count, all_cores(), [&](const Range& range) {
            LineBlock<Real> in(dimensions[d].shape);
            LineBlock<Real> out(dimensions[d].shape);
            for (std::size_t i = range.first; i < range.first + range.count; ++i) {
                visit(in, out, i);
            }
        });
    }

    /// Along y, at each kept z, or along z, at each y.
    template <std::size_t In, std::size_t Out>
    void columns(std::size_t d, Direction direction, const std::array<Range, In>& read,
                 const std::array<Range, Out>& written, Value* values) const {
        const Dimension& by = dimensions[d];
        const std::size_t of_row = of.extents[0] * of.arrays;
        const std::size_t visits = divide_up(of_row, together);
        const std::size_t rows = d == 1 ? of.kept[2] : of.extents[1];
        in_blocks(d, rows * visits, [&](auto& in, auto& out, std::size_t i) {
            const std::size_t row = i / visits;
            const std::size_t first = i % visits * together;
            const std::size_t count = std::min(together, of_row - first);
            Value* const here =
                values + (d == 1 ? place(2, row) : row * dimensions[1].shape.step) + first;
            for (const Range& part : read) {
                in.gather(here, count, part);
            }
            by.plans.transform(direction, in.data(), out);
            for (const Range& part : written) {
                out.scatter(here, count, part);
            }
        });
    }

    /// Calls visit(in, out, first row, how many): whole rows of x that are transformed together.
    template <typename Visit> void on_rows(const Visit& visit) const {
        const std::size_t at_a_time = of.arrays == 1 ? together : 1;
        in_blocks(0, divide_up(kept_rows(), at_a_time), [&](auto& in, auto& out, std::size_t i) {
            visit(in, out, i * at_a_time, std::min(at_a_time, kept_rows() - i * at_a_time));
        });
    }

    void forward(const Load& load, Value* values) const {
        on_rows([&](auto& in, auto& out, std::size_t first, std::size_t rows) {
            const std::size_t lines = rows * of.arrays;
            for (std::size_t l = 0; l < lines; ++l) {
                load(l % of.arrays, first + l / of.arrays, in.line(l));
            }
            dimensions[0].plans.transform(Direction::forward, in.data(), out);
            if (of.arrays > 1) {
                out.scatter(values + kept_row(first), lines);
                return;
            }
            for (std::size_t l = 0; l < lines; ++l) {
                std::copy_n(out.line(l), of.extents[0], values + kept_row(first + l));
            }
        });
        for (const std::size_t d : {1, 2}) {
            if (of.extents[d] > 1) {
                columns(d, Direction::forward, dimensions[d].frequencies, whole(d), values);
            }
        }
    }
    void backward(const Store& store, Value* values) const {
        for (const std::size_t d : {2, 1}) {
            if (of.extents[d] > 1) {
                columns(d, Direction::backward, whole(d), dimensions[d].frequencies, values);
            }
        }
        on_rows([&](auto& in, auto& out, std::size_t first, std::size_t rows) {
            const std::size_t lines = rows * of.arrays;
            if (of.arrays > 1) {
                in.gather(values + kept_row(first), lines);
            } else {
                for (std::size_t l = 0; l < lines; ++l) {
                    std::copy_n(values + kept_row(first + l), of.extents[0], in.line(l));
                }
            }
            dimensions[0].plans.transform(Direction::backward, in.data(), out);
            for (std::size_t l = 0; l < lines; ++l) {
                store(l % of.arrays, first + l / of.arrays, out.line(l));
            }
        });
    }
    std::array<Range, 1> whole(std::size_t d) const { return {{{0, of.extents[d]}}}; }

    Shape of;
    std::vector<Dimension> dimensions; ///< x, y and z
};

template <typename Real> CroppedFft<Real>::CroppedFft(const Shape& shape)
    : plans_(std::make_unique<Plans>(shape)) {}
template <typename Real> CroppedFft<Real>::~CroppedFft() = default;

template <typename Real> void CroppedFft<Real>::forward(const Load& load, Value* values) const {
    plans_->forward(load, values);
}
template <typename Real> void CroppedFft<Real>::backward(const Store& store, Value* values) const {
    plans_->backward(store, values);
}

template class CroppedFft<double>;
template class CroppedFft<float>;

} // namespace lsrecon
