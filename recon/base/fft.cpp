// FFTs by FFTW, a few lines at a time on every core; lines of zeros, and frequencies that nobody
// asks for, are left out.

#include "base/fft.hpp"

#include <algorithm>
#include <mutex>
#include <vector>

#include "base/error.hpp"
#include "base/fft_lines.hpp"
#include "base/linear_algebra.hpp"
#include "base/parallel.hpp"
#include "base/ranges.hpp"

namespace lsrecon {

namespace {

/// FFTW's planner is not safe for threads; running a plan is.
std::mutex& planner() {
    static std::mutex mutex;
    return mutex;
}

} // namespace

template <typename Real> LinePlans<Real>::LinePlans(const LineShape& shape) {
    using Raw = typename Fftw<Real>::Value;
    LineBlock<Real> from(shape);
    LineBlock<Real> to(shape);
    const int length = static_cast<int>(shape.length);
    const int distance = static_cast<int>(shape.template distance<Real>());
    const auto plan = [&](int direction) {
        return Owned(Fftw<Real>::plan(1, &length, static_cast<int>(together),
                                      reinterpret_cast<Raw*>(from.data()), nullptr, 1, distance,
                                      reinterpret_cast<Raw*>(to.data()), nullptr, 1, distance,
                                      direction, FFTW_ESTIMATE | FFTW_PRESERVE_INPUT));
    };
    {
        const std::lock_guard<std::mutex> lock(planner());
        forward_ = plan(FFTW_FORWARD);
        backward_ = plan(FFTW_BACKWARD);
    }
    if (!forward_ || !backward_) {
        throw DeviceError(text("FFTW made no plan for ", length,
                               " values\n  next:     use a machine with more memory, or report a "
                               "bug when there is enough"));
    }
}

template <typename Real>
void LinePlans<Real>::Destroy::operator()(std::remove_pointer_t<Plan>* plan) const {
    const std::lock_guard<std::mutex> lock(planner());
    Fftw<Real>::destroy(plan);
}

template class LinePlans<double>;
template class LinePlans<float>;

std::size_t cores_for_fft(std::size_t values) {
    constexpr std::size_t worth_a_core = 4096;
    return cores_for(values, worth_a_core);
}

namespace {

bool is_fast(std::size_t length) {
    for (const std::size_t factor : {2, 3, 5, 7}) {
        while (length % factor == 0) {
            length /= factor;
        }
    }
    return length == 1;
}

} // namespace

std::size_t fast_length(std::size_t least) {
    std::size_t length = least;
    while (!is_fast(length)) {
        ++length;
    }
    return length;
}

/// Lines of the fastest dimension, of the one between, and of the slowest.
template <typename Real> struct Fft<Real>::Scratch {
    Scratch(const LineShape& fast, const LineShape& middle, const LineShape& slow)
        : in(fast), out(fast), odd(fast), across(middle), crossed(middle), along(slow),
          frequencies(slow), sum(slow) {}
    LineBlock<Real> in;
    LineBlock<Real> out;
    LineBlock<Real> odd;
    LineBlock<Real> across;
    LineBlock<Real> crossed;
    LineBlock<Real> along;
    LineBlock<Real> frequencies;
    LineBlock<Real> sum;
};

/// Along one dimension after the other.
template <typename Real> struct Fft<Real>::Plans {
    using Value = std::complex<Real>;
    struct Dimension {
        LineShape shape;
        LinePlans<Real> plans;
    };
    std::size_t count = 1; ///< values of an array
    std::size_t batch = 1;
    std::vector<Dimension> dimensions; ///< longer than 1
    std::vector<Value> twist; ///< twists of the odd frequencies of the slowest dimension
    std::vector<Value> fast_twist; ///< and of the fastest one

    /// Calls work(on_each) on every core that is to help; on_each(visit) calls visit(index of the
    /// first value, how many) for a few of its lines after the other, of those of whole arrays.
    /// Lines begin one after the other where a line's values do not lie between their beginnings.
    template <typename Work> static void few_lines_at_a_time(const Dimension& of,
                                                             std::size_t all_values,
                                                             std::size_t cores, const Work& work) {
        const std::size_t length = of.shape.length;
        const std::size_t neighbours = of.shape.step == 1 ? all_values / length : of.shape.step;
        const std::size_t between = of.shape.step == 1 ? length : 1; // first values of lines
        const std::size_t visits = divide_up(neighbours, together);
        const std::size_t planes = all_values / (neighbours * length);
        for_each_range_in_parallel(planes * visits, cores, [&](const Range& range) {
            work([&](const auto& visit) {
                for (std::size_t i = range.first; i < range.first + range.count; ++i) {
                    const std::size_t line = i % visits * together;
                    visit(i / visits * neighbours * length + line * between,
                          std::min(together, neighbours - line));
                }
            });
        });
    }

    static void along(const Dimension& of, Direction direction, Value* values,
                      std::size_t all_values, std::size_t cores) {
        few_lines_at_a_time(of, all_values, cores, [&](const auto& on_each) {
            LineBlock<Real> in(of.shape);
            LineBlock<Real> out(of.shape);
            on_each([&](std::size_t first, std::size_t count) {
                Value* const here = values + first;
                const bool as_it_is = of.shape.step == 1 && count == together && is_aligned(here);
                if (!as_it_is) {
                    in.gather(here, count);
                }
                of.plans.transform(direction, as_it_is ? here : in.data(), out.data());
                out.scatter(here, count);
            });
        });
    }

    std::shared_ptr<Scratch> scratch() const {
        const std::size_t middle = dimensions.size() / 2; // of two, the slower one
        return std::make_shared<Scratch>(dimensions.front().shape, dimensions[middle].shape,
                                         dimensions.back().shape);
    }
    /// Calls visit(memory, i) for every i below `visits`: with `alone` on this thread, else on
    /// as many cores as are worth it.
    template <typename Visit>
    void in_scratch(std::size_t visits, Scratch* alone, const Visit& visit) const {
        const std::size_t cores = alone == nullptr ? cores_for_fft(count) : 1;
        for_each_range_in_parallel(visits, cores, [&](const Range& range) {
            const std::shared_ptr<Scratch> own = alone == nullptr ? scratch() : nullptr;
            Scratch& memory = own ? *own : *alone;
            for (std::size_t i = range.first; i < range.first + range.count; ++i) {
                visit(memory, i);
            }
        });
    }

    /// A few rows at a time, or, of three dimensions, a plane, which stays in the cache for both of
    /// its transforms: calls visit(memory, first row, rows).
    template <typename Visit> void in_sheets(Scratch* alone, const Visit& visit) const {
        const std::size_t rows = count / dimensions.front().shape.length;
        const std::size_t of_sheet = dimensions.size() == 3 ? dimensions[1].shape.length : together;
        in_scratch(divide_up(rows, of_sheet), alone, [&](Scratch& by, std::size_t i) {
            visit(by, i * of_sheet, std::min(of_sheet, rows - i * of_sheet));
        });
    }
    /// Calls visit(first value, lines) for a few of these rows after the other.
    template <typename Visit>
    void in_rows(std::size_t first, std::size_t rows, const Visit& visit) const {
        for (std::size_t row = 0; row < rows; row += together) {
            visit((first + row) * dimensions.front().shape.length, std::min(together, rows - row));
        }
    }
    /// Rows from `in` to `array`, or back to `out`; `in` and `out` are spare memory otherwise.
    void rows_to(Scratch& by, Value* array, std::size_t lines) const {
        const Dimension& of = dimensions.front();
        if (lines == together && is_aligned(array)) {
            of.plans.transform(Direction::forward, by.in.data(), array);
            return;
        }
        of.plans.transform(Direction::forward, by.in.data(), by.out.data());
        by.out.scatter(array, lines);
    }
    void rows_from(Scratch& by, Value* array, std::size_t lines, LineBlock<Real>& to) const {
        const Dimension& of = dimensions.front();
        if (lines == together && is_aligned(array)) {
            of.plans.transform(Direction::backward, array, to.data());
            return;
        }
        by.in.gather(array, lines);
        of.plans.transform(Direction::backward, by.in.data(), by.out.data());
        if (&to != &by.out) {
            std::copy_n(by.out.data(), lines * of.shape.length, to.data());
        }
    }
    /// Columns of a plane that begins at `row`, of three dimensions.
    void columns(Scratch& by, Direction direction, std::size_t row, Value* array) const {
        if (dimensions.size() < 3) {
            return;
        }
        const Dimension& of = dimensions[1];
        for (std::size_t x = 0; x < of.shape.step; x += together) {
            Value* const here = array + row * of.shape.step + x;
            const std::size_t lines = std::min(together, of.shape.step - x);
            by.across.gather(here, lines);
            of.plans.transform(direction, by.across.data(), by.crossed.data());
            by.crossed.scatter(here, lines);
        }
    }
    /// `odd`, if any, is for the values times the twist of the fastest dimension.
    void load(const Lines& lines, Value* array, Value* odd, Scratch* alone) const {
        const std::size_t length = dimensions.front().shape.length;
        in_sheets(alone, [&](Scratch& by, std::size_t first_row, std::size_t rows) {
            in_rows(first_row, rows, [&](std::size_t first, std::size_t several) {
                lines.load(first, several * length, by.in.data());
                rows_to(by, array + first, several);
                if (odd != nullptr) {
                    for (std::size_t l = 0; l < several; ++l) {
                        ComplexRows<Real>::multiply_by(fast_twist.data(), by.in.line(l), length);
                    }
                    rows_to(by, odd + first, several);
                }
            });
            columns(by, Direction::forward, first_row, array);
        });
    }
    void store(const Lines& lines, Value* array, Value* odd, Scratch* alone) const {
        const std::size_t length = dimensions.front().shape.length;
        in_sheets(alone, [&](Scratch& by, std::size_t first_row, std::size_t rows) {
            columns(by, Direction::backward, first_row, array);
            in_rows(first_row, rows, [&](std::size_t first, std::size_t several) {
                if (odd == nullptr) {
                    rows_from(by, array + first, several, by.out);
                    lines.store(first, several * length, by.out.data());
                    return;
                }
                rows_from(by, odd + first, several, by.odd);
                rows_from(by, array + first, several, by.out);
                for (std::size_t l = 0; l < several; ++l) {
                    ComplexRows<Real>::add_conjugate_product(fast_twist.data(), by.odd.line(l),
                                                             by.out.line(l), length);
                }
                lines.store(first, several * length, by.out.data());
            });
        });
    }

    /// convolve() along the slowest dimension.
    void filter(const Spectra& spectra, Value* array, Scratch* alone) const {
        const Dimension& of = dimensions.back();
        const std::size_t all = count / of.shape.length;
        in_scratch(divide_up(all, together), alone, [&](Scratch& by, std::size_t i) {
            const std::size_t first = i * together;
            const std::size_t lines = std::min(together, all - first);
            by.along.gather(array + first, lines);
            of.plans.transform(Direction::forward, by.along.data(), by.frequencies.data());
            by.frequencies.multiply_by_spectrum(spectra.even + first, lines);
            of.plans.transform(Direction::backward, by.frequencies.data(), by.sum.data());
            if (spectra.odd != nullptr) {
                for (std::size_t l = 0; l < lines; ++l) {
                    ComplexRows<Real>::multiply_by(twist.data(), by.along.line(l), of.shape.length);
                }
                of.plans.transform(Direction::forward, by.along.data(), by.frequencies.data());
                by.frequencies.multiply_by_spectrum(spectra.odd + first, lines);
                of.plans.transform(Direction::backward, by.frequencies.data(), by.along.data());
                for (std::size_t l = 0; l < lines; ++l) {
                    ComplexRows<Real>::add_conjugate_product(twist.data(), by.along.line(l),
                                                             by.sum.line(l), of.shape.length);
                }
            }
            by.sum.scatter(array + first, lines);
        });
    }

    /// work(values, how many, cores): all at once, or an array a core, which may fit into its
    /// cache.
    template <typename Work> void on_arrays(Value* values, const Work& work) const {
        const std::size_t cores = cores_for_fft(batch * count);
        if (cores > 1 && dimensions.size() > 1 && batch >= cores) {
            for_each_range_in_parallel(batch, cores, [&](const Range& arrays) {
                for (std::size_t i = arrays.first; i < arrays.first + arrays.count; ++i) {
                    work(values + i * count, count, 1);
                }
            });
            return;
        }
        work(values, batch * count, cores);
    }

    void run(Direction direction, Value* values) const {
        on_arrays(values, [&](Value* first, std::size_t all, std::size_t cores) {
            for (const Dimension& of : dimensions) {
                along(of, direction, first, all, cores);
            }
        });
    }
    void convolve(const Spectra& spectra, const Spectra* of_odd, const Lines& lines,
                  Value* workspace, Scratch* alone) const {
        Value* const odd = of_odd == nullptr ? nullptr : workspace + count;
        if (dimensions.size() == 1) {
            lines.load(0, count, workspace);
            filter(spectra, workspace, alone);
            lines.store(0, count, workspace);
            return;
        }
        load(lines, workspace, odd, alone);
        filter(spectra, workspace, alone);
        if (odd != nullptr) {
            filter(*of_odd, odd, alone);
        }
        store(lines, workspace, odd, alone);
    }
};

template <typename Real>
Fft<Real>::Fft(const std::array<std::size_t, 3>& extents, std::size_t batch)
    : plans_(std::make_unique<Plans>()) {
    plans_->batch = batch;
    for (const std::size_t extent : extents) {
        if (extent != 1) {
            const LineShape shape{extent, plans_->count};
            plans_->dimensions.push_back({shape, LinePlans<Real>(shape)});
        }
        plans_->count *= extent;
    }
    const auto twist_of = [](std::size_t length) {
        std::vector<std::complex<Real>> twist;
        for (std::size_t n = 0; n < length; ++n) {
            const Complex turned =
                std::polar(1.0, -pi * static_cast<double>(n) / static_cast<double>(length));
            twist.emplace_back(turned);
        }
        return twist;
    };
    if (!plans_->dimensions.empty()) {
        plans_->twist = twist_of(plans_->dimensions.back().shape.length);
        plans_->fast_twist = twist_of(plans_->dimensions.front().shape.length);
    }
}

template <typename Real> Fft<Real>::~Fft() = default;

template <typename Real> void Fft<Real>::forward(std::complex<Real>* values) const {
    plans_->run(Direction::forward, values);
}
template <typename Real> void Fft<Real>::backward(std::complex<Real>* values) const {
    plans_->run(Direction::backward, values);
}
template <typename Real> void Fft<Real>::convolve(const Spectra& spectra, const Spectra* of_odd,
                                                  const Lines& lines, std::complex<Real>* workspace,
                                                  Scratch* alone) const {
    plans_->convolve(spectra, of_odd, lines, workspace, alone);
}
template <typename Real> std::shared_ptr<typename Fft<Real>::Scratch> Fft<Real>::scratch() const {
    return plans_->scratch();
}
template <typename Real> std::size_t Fft<Real>::count() const {
    return plans_->count;
}
template <typename Real> std::string Fft<Real>::version() {
    return Fftw<Real>::version();
}

template class Fft<double>;
template class Fft<float>;

/// Along one dimension after the other, a few lines at a time.
template <typename Real> struct CroppedFft<Real>::Plans {
    struct Dimension {
        LineShape shape;
        LinePlans<Real> plans;
        std::array<Range, 2>
            frequencies; ///< ranges of those that are kept: 0 and up, negative ones
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
    std::size_t first_of_frequency(std::size_t d, std::size_t n) const {
        const auto& [from_zero, negative] = dimensions[d].frequencies;
        return (n < negative.count ? negative.first + n : n - negative.count) *
               dimensions[d].shape.step;
    }
    std::size_t kept_row(std::size_t r) const {
        return first_of_frequency(1, r % of.kept[1]) + first_of_frequency(2, r / of.kept[1]);
    }

    /// Calls visit(blocks, i) for every i below `count`, on as many cores as are worth it, each
    /// with blocks of its own.
    template <typename Visit>
    void in_blocks(std::size_t d, std::size_t count, const Visit& visit) const {
        const std::size_t values = of.arrays * of.extents[0] * of.extents[1] * of.extents[2];
        for_each_range_in_parallel(count, cores_for_fft(values), [&](const Range& range) {
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
                values + (d == 1 ? first_of_frequency(2, row) : row * dimensions[1].shape.step) +
                first;
            for (const Range& part : read) {
                in.gather(here, count, part);
            }
            by.plans.transform(direction, in.data(), out.data());
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
            dimensions[0].plans.transform(Direction::forward, in.data(), out.data());
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
            dimensions[0].plans.transform(Direction::backward, in.data(), out.data());
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
