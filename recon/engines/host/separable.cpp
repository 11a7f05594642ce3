// On a lattice exp(i 2 pi k.x) is a product of a factor a dimension. Each row of voxels along x is
// then a product of a row of values and a matrix of factors, samples by voxels.

#include <cmath>
#include <cstring>

#include "base/parallel.hpp"
#include "device/array.hpp"
#include "engines/host/engines.hpp"
#include "engines/pieces.hpp"

namespace lsrecon::host {

namespace {

/// Inlines a function into every clone.
#define LSRECON_INLINE inline __attribute__((always_inline))

constexpr std::size_t vector_bytes = 64;
template <typename Real> struct Vectors {
    static constexpr std::size_t length = vector_bytes / sizeof(Real);
    typedef Real Vector
        __attribute__((vector_size(vector_bytes), aligned(alignof(Real)), may_alias));
};
template <typename Real> constexpr std::size_t length_of_vector = Vectors<Real>::length;

constexpr std::size_t rows_at_once = 2;
/// Terms that are added up in the precision of the arrays before doubles take the sum over.
constexpr std::size_t longest_run = 256;

/// Complex numbers, their parts apart.
template <typename Real> struct Parts {
    const Real* real;
    const Real* imaginary;
};

// x and -x have the same cosine, and sines of another sign: what is computed for one is for both.

/// For rows_at_once rows, one `stride` after the other, of complex a: the sums over i of re a
/// cos_i, im a sin_i, re a sin_i and im a cos_i, a vector each. A vector of cosines is before its
/// sines.
template <typename Real> LSRECON_INLINE void multiply_rows(const Parts<Real>& rows,
                                                           std::size_t stride, const Real* factors,
                                                           std::size_t count, Real* sums) {
    using Vector = typename Vectors<Real>::Vector;
    Vector sum[4 * rows_at_once] = {};
    const Vector* const factor = reinterpret_cast<const Vector*>(factors);
    for (std::size_t i = 0; i < count; ++i) {
        const Vector cosine = factor[2 * i];
        const Vector sine = factor[2 * i + 1];
        for (std::size_t r = 0; r < rows_at_once; ++r) {
            const Real a = rows.real[r * stride + i];
            const Real b = rows.imaginary[r * stride + i];
            sum[4 * r] = sum[4 * r] + a * cosine;
            sum[4 * r + 1] = sum[4 * r + 1] + b * sine;
            sum[4 * r + 2] = sum[4 * r + 2] + a * sine;
            sum[4 * r + 3] = sum[4 * r + 3] + b * cosine;
        }
    }
    std::memcpy(sums, sum, sizeof sum);
}

/// For rows_at_once rows of sums s = rho(x) + rho(-x) and differences d: the sums over x of
/// s cos - i d sin, real and then imaginary parts. A row has the parts of s and then those of d.
template <typename Real> LSRECON_INLINE void add_up_rows(const Real* rows, const Real* factors,
                                                         std::size_t count, Real* sums) {
    using Vector = typename Vectors<Real>::Vector;
    Vector real[rows_at_once] = {};
    Vector imaginary[rows_at_once] = {};
    const Vector* const factor = reinterpret_cast<const Vector*>(factors);
    for (std::size_t i = 0; i < count; ++i) {
        const Vector cosine = factor[2 * i];
        const Vector sine = factor[2 * i + 1];
        for (std::size_t r = 0; r < rows_at_once; ++r) {
            const Real* const row = rows + 4 * r * count + i;
            real[r] = real[r] + row[0] * cosine + row[3 * count] * sine;
            imaginary[r] = imaginary[r] + row[count] * cosine - row[2 * count] * sine;
        }
    }
    for (std::size_t r = 0; r < rows_at_once; ++r) {
        reinterpret_cast<Vector*>(sums)[2 * r] = real[r];
        reinterpret_cast<Vector*>(sums)[2 * r + 1] = imaginary[r];
    }
}

/// (real, imaginary) = a b c
template <typename Real>
LSRECON_INLINE void multiply_each(const Parts<Real>& a, const Parts<Real>& b, const Parts<Real>& c,
                                  std::size_t count, Real* real, Real* imaginary) {
    for (std::size_t i = 0; i < count; ++i) {
        const Real of_two = b.real[i] * c.real[i] - b.imaginary[i] * c.imaginary[i];
        const Real beside = b.real[i] * c.imaginary[i] + b.imaginary[i] * c.real[i];
        real[i] = a.real[i] * of_two - a.imaginary[i] * beside;
        imaginary[i] = a.real[i] * beside + a.imaginary[i] * of_two;
    }
}

// A clone a precision.
#define LSRECON_CLONES_OF(Real)                                                                    \
    LSRECON_WIDE_CLONE void sums_at_points(const Parts<Real>& rows, std::size_t stride,            \
                                           const Real* factors, std::size_t count, Real* sums) {   \
        multiply_rows(rows, stride, factors, count, sums);                                         \
    }                                                                                              \
    LSRECON_WIDE_CLONE void sums_over_points(const Real* rows, const Real* factors,                \
                                             std::size_t count, Real* sums) {                      \
        add_up_rows(rows, factors, count, sums);                                                   \
    }                                                                                              \
    LSRECON_WIDE_CLONE void products(const Parts<Real>& a, const Parts<Real>& b,                   \
                                     const Parts<Real>& c, std::size_t count, Real* real,          \
                                     Real* imaginary) {                                            \
        multiply_each(a, b, c, count, real, imaginary);                                            \
    }
LSRECON_CLONES_OF(float)
LSRECON_CLONES_OF(double)

/// The factor exp(i 2 pi k_of_voxel x) of each point x along one dimension of a lattice, whose bits
/// do not depend on `first`: visit(index, factor).
template <typename Visit>
void for_each_factor(double k_of_voxel, long first, std::size_t size, const Visit& visit) {
    constexpr long steps = 16; // by a product each, which is hardly wrong by then
    const Complex step = std::polar(1.0, 2 * pi * k_of_voxel);
    const long begin = first - (first % steps + steps) % steps;
    Complex factor;
    for (long x = begin; x < first + static_cast<long>(size); ++x) {
        const double turns = k_of_voxel * static_cast<double>(x);
        factor =
            x % steps == 0 ? std::polar(1.0, 2 * pi * (turns - std::rint(turns))) : factor * step;
        if (x >= first) {
            visit(static_cast<std::size_t>(x - first), factor);
        }
    }
}

/// Complex numbers in rows of one length, real parts before imaginary ones.
template <typename Real> struct Table {
    std::size_t length = 0;
    std::vector<Real> numbers = {};

    Table() = default;
    Table(std::size_t rows, std::size_t of_row) : length(of_row), numbers(2 * rows * of_row) {}
    Parts<Real> at(std::size_t row, std::size_t first) const {
        const Real* const begin = numbers.data() + 2 * row * length + first;
        return {begin, begin + length};
    }
    void set(std::size_t row, std::size_t n, Complex value) {
        Real* const begin = numbers.data() + 2 * row * length + n;
        begin[0] = static_cast<Real>(value.real());
        begin[length] = static_cast<Real>(value.imag());
    }
};

template <typename Real> double error_of(const SamplePoints& points, const Voxels& voxels,
                                         std::size_t terms, std::size_t run) {
    return std::is_same_v<Real, double>
               ? 2 * tolerance::reference(largest_turns(points, voxels), terms)
               : tolerance::direct_transform({2 * tolerance::per_term, run, 0.5}, terms);
}

/// The number of points along x from 0 on whose mirror images are all others.
std::size_t half_of(const Voxels& voxels) {
    const long first = voxels.lattice_first()[0];
    const long last = first + static_cast<long>(voxels.lattice_size()[0]) - 1;
    return static_cast<std::size_t>(1 + std::max(std::abs(first), std::abs(last)));
}

template <typename Real> class Separable : public Transform {
public:
    Separable(const SamplePoints& points, const Voxels& voxels)
        : points_(points), voxels_(voxels), size_(voxels.lattice_size()),
          rows_(size_[1] * size_[2]), half_(half_of(voxels)) {}

    std::size_t samples() const override { return points_.count(); }
    std::size_t voxels() const override { return size_[0] * rows_; }

    double forward_error() const override {
        return error_of<Real>(points_, voxels_, voxels(), half_);
    }
    double adjoint_error() const override {
        return error_of<Real>(points_, voxels_, samples(), longest_run);
    }

    void adjoint(const Array& values, Array& out, const Progress& progress) override {
        const std::size_t coils = out.count() / std::max<std::size_t>(1, voxels());
        for (const Range& some : split_into_ranges(coils, at_a_time(voxels() * sizeof(Complex)))) {
            adjoint(values, coils, some, out, progress);
        }
    }

    void forward(const Array& rho, Array& out, const Progress& progress) override {
        const std::size_t coils = rho.count() / std::max<std::size_t>(1, voxels());
        const std::size_t bytes = room_of_halves() * sizeof(Real);
        for (const Range& some : split_into_ranges(coils, at_a_time(bytes))) {
            forward(rho, some, out, progress);
        }
    }

private:
    /// The number of coils whose sums, of so many bytes each, are in memory at a time.
    static std::size_t at_a_time(std::size_t bytes) {
        constexpr std::size_t most_bytes = std::size_t(1) << 28;
        return std::max<std::size_t>(1, most_bytes / std::max<std::size_t>(1, bytes));
    }

    /// Adds samples in blocks whose factors stay in a cache, to totals in doubles. A task has some
    /// rows of one coil, so that no two add to the same voxel.
    void adjoint(const Array& values, std::size_t of_all, const Range& coils, Array& out,
                 const Progress& progress) {
        constexpr std::size_t samples_of_a_block = 8 * longest_run; // their factors stay in a cache
        const std::size_t groups = divide_up(rows_, rows_of_a_task);
        const std::size_t count = coils.count * voxels();
        std::vector<Complex> totals(count);
        for (const Range& block : split_into_ranges(samples(), samples_of_a_block)) {
            Block factors = empty_block(block.count, true);
            for_each_range_in_parallel(block.count, all_cores(), [&](const Range& some) {
                for (std::size_t s = some.first; s < some.first + some.count; ++s) {
                    put_factors(block.first + s, s, true, factors);
                }
            });
            const Table<Real> of_coils = parts_of(values, of_all, coils, block);
            for_each_in_parallel(coils.count * groups, [&](std::size_t task) {
                const std::size_t c = task / groups;
                add_rows(factors, of_coils.at(c, 0), task % groups * rows_of_a_task,
                         totals.data() + c * voxels());
            });
            progress(static_cast<double>(block.first + block.count) /
                     static_cast<double>(samples()));
        }
        for_each_range_in_parallel(count, cores_for(count), [&](const Range& some) {
            for (std::size_t n = some.first; n < some.first + some.count; ++n) {
                lsrecon::values<Real>(out)[coils.first * voxels() + n] =
                    std::complex<Real>(totals[n]);
            }
        });
    }

    /// Folds the voxels of each coil once, and computes a few samples of all coils in a task, so
    /// that these share their factors.
    void forward(const Array& rho, const Range& coils, Array& out, const Progress& progress) {
        constexpr std::size_t progress_after = 64;
        std::vector<Real> of_coils(coils.count * room_of_halves());
        for_each_in_parallel(coils.count, [&](std::size_t c) {
            put_halves(lsrecon::values<Real>(rho) + (coils.first + c) * voxels(),
                       of_coils.data() + c * room_of_halves());
        });
        const std::vector<Range> tasks = split_into_ranges(samples(), samples_of_a_task);
        for (const Range& some : split_into_ranges(tasks.size(), progress_after)) {
            for_each_in_parallel(some.count, [&](std::size_t t) {
                const Range& task = tasks[some.first + t];
                Block factors = empty_block(task.count, false);
                for (std::size_t s = 0; s < task.count; ++s) {
                    put_factors(task.first + s, s, false, factors);
                }
                for (std::size_t c = 0; c < coils.count; ++c) {
                    const std::vector<Complex> sums =
                        sums_of(factors, of_coils.data() + c * room_of_halves());
                    for (std::size_t s = 0; s < task.count; ++s) {
                        lsrecon::values<Real>(out)[(coils.first + c) * samples() + task.first + s] =
                            std::complex<Real>(sums[s]);
                    }
                }
            });
            progress(static_cast<double>(some.first + some.count) /
                     static_cast<double>(tasks.size()));
        }
    }

    static constexpr std::size_t lanes = length_of_vector<Real>;
    static constexpr std::size_t rows_of_a_task = 8; // whose factors are then in the first cache
    static constexpr std::size_t samples_of_a_task = 4 * lanes;

    /// The factors of some samples, exp(i 2 pi k.x) of the adjoint, and of the forward transform
    /// its conjugate along y and z. Those of x, from 0 on, are vectors: of the adjoint lanes are
    /// points, by tile and sample, else they are samples, by vector and point.
    struct Block {
        std::size_t samples;
        Table<Real> x;
        Table<Real> y; ///< a row a point
        Table<Real> z;
    };

    Block empty_block(std::size_t count, bool is_adjoint) const {
        const std::size_t padded = round_up(count, lanes);
        const std::size_t vectors_of_x =
            is_adjoint ? divide_up(half_, lanes) * count : padded / lanes * half_;
        return {count, {vectors_of_x, lanes}, {size_[1], padded}, {size_[2], padded}};
    }

    /// Puts the factors of sample `m` at `s` of the block.
    void put_factors(std::size_t m, std::size_t s, bool is_adjoint, Block& block) const {
        const auto k_of_voxel = [&](std::size_t d) {
            return points_.positions[m][d] / voxels_.per_fov()[d];
        };
        for_each_factor(k_of_voxel(0), 0, half_, [&](std::size_t i, Complex factor) {
            if (is_adjoint) {
                block.x.set(i / lanes * block.samples + s, i % lanes, factor);
            } else {
                block.x.set(s / lanes * half_ + i, s % lanes, factor);
            }
        });
        for (const auto& [d, table] : {std::pair(1, &block.y), std::pair(2, &block.z)}) {
            const auto along = static_cast<std::size_t>(d);
            const auto put = [&, to = table](std::size_t i, Complex factor) {
                to->set(i, s, is_adjoint ? factor : std::conj(factor));
            };
            for_each_factor(k_of_voxel(along), voxels_.lattice_first()[along], size_[along], put);
        }
    }

    /// Some values of some of all coils.
    static Table<Real> parts_of(const Array& array, std::size_t of_all, const Range& coils,
                                const Range& some) {
        const std::size_t of_each = array.count() / of_all;
        Table<Real> parts(coils.count, some.count);
        for (std::size_t c = 0; c < coils.count; ++c) {
            for (std::size_t i = 0; i < some.count; ++i) {
                const std::size_t at = (coils.first + c) * of_each + some.first + i;
                parts.set(c, i,
                          array.element().complex ? Complex(lsrecon::values<Real>(array)[at])
                                                  : Complex(numbers<Real>(array)[at]));
            }
        }
        return parts;
    }

    /// Adds what the samples of a block are at rows_of_a_task rows from `first` on.
    void add_rows(const Block& block, const Parts<Real>& of_samples, std::size_t first,
                  Complex* totals) const {
        const std::size_t rows = std::min(rows_of_a_task, rows_ - first);
        alignas(vector_bytes) Real real[rows_of_a_task * longest_run] = {};
        alignas(vector_bytes) Real imaginary[rows_of_a_task * longest_run] = {};
        alignas(vector_bytes) Real sums[4 * rows_at_once * lanes];
        for (const Range& run : split_into_ranges(block.samples, longest_run)) {
            for (std::size_t r = 0; r < rows; ++r) {
                const std::size_t row = first + r;
                products({of_samples.real + run.first, of_samples.imaginary + run.first},
                         block.y.at(row % size_[1], run.first),
                         block.z.at(row / size_[1], run.first), run.count, real + r * longest_run,
                         imaginary + r * longest_run);
            }
            for (std::size_t x = 0; x < half_; x += lanes) {
                const Real* const factors =
                    block.x.at(x / lanes * block.samples + run.first, 0).real;
                for (std::size_t r = 0; r < rows; ++r) {
                    const std::size_t of_pair = r % rows_at_once;
                    if (of_pair == 0) {
                        sums_at_points({real + r * longest_run, imaginary + r * longest_run},
                                       longest_run, factors, run.count, sums);
                    }
                    add_tile(sums + 4 * of_pair * lanes, x, totals + (first + r) * size_[0]);
                }
            }
        }
    }

    /// Adds sums of sums_at_points from point `x` on to a row.
    void add_tile(const Real* sums, std::size_t x, Complex* row) const {
        const long size = static_cast<long>(size_[0]);
        const long before = -voxels_.lattice_first()[0]; // the voxel at 0
        const long begin = static_cast<long>(x);
        const long end = std::min(begin + static_cast<long>(lanes), static_cast<long>(half_));
        const auto add = [&](long from, long to, long sign) {
            for (long j = from; j < to; ++j) {
                const Real* const sum = sums + (j - begin);
                const auto of_sign = static_cast<Real>(sign);
                row[before + sign * j] += Complex(sum[0] - of_sign * sum[lanes],
                                                  of_sign * sum[2 * lanes] + sum[3 * lanes]);
            }
        };
        add(std::max(begin, -before), std::min(end, size - before), +1);
        add(std::max({begin, 1L, before - size + 1}), std::min(end, before + 1), -1);
    }

    /// Visits the voxels of a row at distance `j` from 0: visit(index, sign of x).
    template <typename Visit> void for_each_at(std::size_t j, const Visit& visit) const {
        const long first = voxels_.lattice_first()[0];
        for (const int sign : {+1, -1}) {
            const long at = sign * static_cast<long>(j) - first;
            if (at >= 0 && at < static_cast<long>(size_[0]) && (j > 0 || sign > 0)) {
                visit(static_cast<std::size_t>(at), sign);
            }
        }
    }

    /// The numbers of put_halves(): as rows of add_up_rows(), whose last may be zeros.
    std::size_t room_of_halves() const { return 4 * half_ * round_up(rows_, rows_at_once); }
    /// Folds each row about x = 0 into rho(x) + rho(-x) and rho(x) - rho(-x), so that one cosine
    /// and one sine serve both voxels.
    void put_halves(const std::complex<Real>* rho, Real* rows) const {
        for (std::size_t row = 0; row < rows_; ++row) {
            Real* const to = rows + 4 * half_ * row;
            for (std::size_t j = 0; j < half_; ++j) {
                for_each_at(j, [&](std::size_t at, int sign) {
                    const std::complex<Real> value = rho[row * size_[0] + at];
                    to[j] += value.real();
                    to[half_ + j] += value.imag();
                    to[2 * half_ + j] += static_cast<Real>(sign) * value.real();
                    to[3 * half_ + j] += static_cast<Real>(sign) * value.imag();
                });
            }
        }
    }

    /// Sums over all voxels, as put_halves() has them, for the samples of a block.
    std::vector<Complex> sums_of(const Block& block, const Real* rho) const {
        std::vector<Complex> sums(round_up(block.samples, lanes));
        alignas(vector_bytes) Real along_x[2 * rows_at_once * lanes];
        alignas(vector_bytes) Real real[lanes];
        alignas(vector_bytes) Real imaginary[lanes];
        for (std::size_t first = 0; first < rows_; first += rows_at_once) {
            for (std::size_t v = 0; v < sums.size(); v += lanes) {
                sums_over_points(rho + 4 * half_ * first, block.x.at(v / lanes * half_, 0).real,
                                 half_, along_x);
                for (std::size_t row = first; row < std::min(first + rows_at_once, rows_); ++row) {
                    const Real* const of_row = along_x + 2 * (row - first) * lanes;
                    products({of_row, of_row + lanes}, block.y.at(row % size_[1], v),
                             block.z.at(row / size_[1], v), lanes, real, imaginary);
                    for (std::size_t n = 0; n < lanes; ++n) {
                        sums[v + n] += Complex(real[n], imaginary[n]);
                    }
                }
            }
        }
        return sums;
    }

    SamplePoints points_;
    Voxels voxels_;
    std::array<std::size_t, 3> size_;
    std::size_t rows_;
    std::size_t half_; ///< half_of()
};

} // namespace

Cost predict_separable(const EngineFacts& facts, const Variant&, const std::string& stage,
                       const SamplePoints& points, const Voxels& voxels) {
    constexpr double of_pair = 2; // multiply-adds
    const double of_doubles = facts.precision == Precision::float64 ? 2 : 1;
    const std::size_t terms = stage == "f" ? voxels.count() : points.count();
    const std::size_t run = stage == "f" ? half_of(voxels) : longest_run;
    Cost cost = cost_of_pieces({1, points.count(), voxels.count()}, facts.precision);
    cost.seconds = of_doubles * of_pair * static_cast<double>(points.count()) *
                   static_cast<double>(voxels.count()) /
                   nominal_rates(facts.machine.device).multiply_adds;
    cost.host_bytes = static_cast<double>(voxels.count() * sizeof(Complex)); // of either direction
    cost.error = facts.precision == Precision::float64
                     ? error_of<double>(points, voxels, terms, run)
                     : error_of<float>(points, voxels, terms, run);
    return cost;
}

std::unique_ptr<Transform> make_separable(const EngineContext& context, const Variant&,
                                          const SamplePoints& points, const Voxels& voxels) {
    if (context.precision == Precision::float64) {
        return std::make_unique<Separable<double>>(points, voxels);
    }
    return std::make_unique<Separable<float>>(points, voxels);
}

} // namespace lsrecon::host
