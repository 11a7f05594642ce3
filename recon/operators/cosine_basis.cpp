// Computes the diagonal of a preconditioner in the basis of cosines (DCT-II), and multiplies by it.

#include <algorithm>
#include <cmath>

#include "base/linear_algebra.hpp"
#include "device/host_loops.hpp"
#include "device/kernel.hpp"
#include "operators/preconditioner.hpp"

namespace lsrecon {

namespace {

Eigen::Index index(std::size_t n) {
    return static_cast<Eigen::Index>(n);
}

/// A number for each distance of two voxels, from 0 to below `size` in every dimension: the sum of
/// what is there at its differences, to either side.
struct OfDistance {
    explicit OfDistance(const GridSize& of) : size(of), sums(RealVector::Zero(index(points()))) {}
    std::size_t points() const { return size[0] * size[1] * size[2]; }
    void add(long x, long y, long z, double value) {
        const auto at = [](long difference) {
            return static_cast<std::size_t>(std::abs(difference));
        };
        sums(index((at(z) * size[1] + at(y)) * size[0] + at(x))) += value;
    }

    GridSize size;
    RealVector sums;
};

/// The share of a distance of d in the eigenvalue of frequency k on N voxels, by its column d.
using Share = Eigen::MatrixXd (*)(std::size_t n, std::size_t distances);

// sum over n of u(n) u(n + d), u(n) the cosine of frequency k of norm 1: the diagonal of a Toeplitz
// matrix in the basis of cosines. With t = pi k / N:
//
//     (1 - d / N) cos(t d) - sin(t d) / (N sin(t))     k > 0
//      1 - d / N                                       k = 0
Eigen::MatrixXd of_products(std::size_t n, std::size_t distances) {
    const auto length = static_cast<double>(n);
    return Eigen::MatrixXd::NullaryExpr(
        index(n), index(distances), [&](Eigen::Index k, Eigen::Index d) {
            const double t = pi * static_cast<double>(k) / length;
            const auto distance = static_cast<double>(d);
            const double mean = (1 - distance / length) * std::cos(t * distance);
            return k == 0 ? mean : mean - std::sin(t * distance) / (length * std::sin(t));
        });
}

/// Shares on a grid without ends: cos(pi k d / N).
Eigen::MatrixXd of_cosines(std::size_t n, std::size_t distances) {
    return Eigen::MatrixXd::NullaryExpr(
        index(n), index(distances), [&](Eigen::Index k, Eigen::Index d) {
            return std::cos(pi * static_cast<double>(k * d) / static_cast<double>(n));
        });
}

/// The eigenvalues of all frequencies of a grid of this size: shares of x, y and z times sums.
RealVector eigenvalues(const GridSize& size, const OfDistance& of, Share share) {
    using Matrix = Eigen::MatrixXd;
    using View = Eigen::Map<const Matrix>;
    const auto shares = [&](std::size_t d) { return share(size[d], of.size[d]); };
    const Matrix of_x = shares(0);
    const Matrix of_y = shares(1).transpose();
    const Matrix of_z = shares(2).transpose();
    Matrix xy(index(size[0] * size[1]), index(of.size[2]));
    for_each_in_parallel(of.size[2], [&](std::size_t z) {
        const View plane(of.sums.data() + z * of.size[0] * of.size[1], index(of.size[0]),
                         index(of.size[1]));
        Eigen::Map<Matrix>(xy.col(index(z)).data(), index(size[0]), index(size[1])) =
            of_x * plane * of_y;
    });
    RealVector result(index(size[0] * size[1] * size[2]));
    Eigen::Map<Matrix> xyz(result.data(), xy.rows(), index(size[2]));
    for_each_in_parallel(size[1], [&](std::size_t y) {
        const Eigen::Index first = index(y * size[0]);
        xyz.middleRows(first, index(size[0])) = xy.middleRows(first, index(size[0])) * of_z;
    });
    return result;
}

// --- kernels ------------------------------------------------------------------------------------

/// visit(n, m) for every voxel n: elements 0, 2, 4, ..., 5, 3, 1 of each dimension come to
/// m = 0, 1, 2, ... U of multiply_in_cosines turns the FFT of elements in this order, over the
/// root of its length, into the cosine transform (DCT-II) of norm 1. Makhoul 1980, IEEE Trans. ASSP
/// 28:27.
template <typename Visit> void for_each_interleaved(const GridSize& size, const Visit& visit) {
    const auto interleaved = [](std::size_t n, std::size_t end) {
        return n % 2 == 0 ? n / 2 : end - 1 - n / 2;
    };
    const std::size_t cores = cores_for(size[0] * size[1] * size[2]);
    for_each_range_in_parallel(size[1] * size[2], cores, [&](const Range& rows) {
        for (std::size_t row = rows.first; row < rows.first + rows.count; ++row) {
            const std::size_t to =
                interleaved(row / size[1], size[2]) * size[1] + interleaved(row % size[1], size[1]);
            for (std::size_t x = 0; x < size[0]; ++x) {
                visit(row * size[0] + x, to * size[0] + interleaved(x, size[0]));
            }
        }
    });
}

template <typename Real>
void interleave_loops(const std::complex<Real>* in, const GridSize& size, std::complex<Real>* out) {
    for_each_interleaved(size,
                         [&](std::size_t n, std::size_t interleaved) { out[interleaved] = in[n]; });
}

template <typename Real> void deinterleave_loops(const std::complex<Real>* in, const GridSize& size,
                                                 std::complex<Real>* out) {
    for_each_interleaved(size,
                         [&](std::size_t n, std::size_t interleaved) { out[n] = in[interleaved]; });
}

/// visit(w(k), y(k), y(N - k)), 0 < k < N / 2, for every pair of voxels of each dimension in turn.
template <typename Value, typename Visit>
void for_each_pair(const GridSize& size, const Value* phase_factors, Value* y, const Visit& visit) {
    const Value* w = phase_factors;
    for (std::size_t d = 0; d < 3; w += size[d++]) {
        const Slabs slabs(size, d);
        const std::size_t pairs = (slabs.length - 1) / 2; // of slabs, in each block
        const auto visit_pairs = [&](const Range& range) {
            for (std::size_t i = range.first; i < range.first + range.count; ++i) {
                const std::size_t k = i % pairs + 1;
                Value* const block = y + i / pairs * slabs.block();
                Value* const a = block + k * slabs.step;
                Value* const b = block + (slabs.length - k) * slabs.step;
                for (std::size_t n = 0; n < slabs.step; ++n) {
                    visit(w[k], a[n], b[n]);
                }
            }
        };
        for_each_range_in_parallel(slabs.blocks * pairs, cores_for(slabs.voxels()), visit_pairs);
    }
}

/// y = U^H f U y, f real. In each dimension, for 0 < k < N / 2 and w = exp(-i pi k / 2N),
///
///     (U y)(k)     =   (w y(k) + conj(w) y(N - k)) / sqrt(2)
///     (U y)(N - k) = i (w y(k) - conj(w) y(N - k)) / sqrt(2)
///
/// and others stay. `phase_factors` holds w for k = 0 to N - 1 of x, then those of y and z.
template <typename Real> void multiply_in_cosines_loops(std::complex<Real>* y, const GridSize& size,
                                                        const std::complex<Real>* phase_factors,
                                                        const Real* f) {
    using Value = std::complex<Real>;
    const Real half_root = std::sqrt(Real(0.5));
    const auto times_i = [](const Value& a) { return Value(-a.imag(), a.real()); };
    for_each_pair(size, phase_factors, y, [&](const Value& w, Value& a, Value& b) {
        const Value p = product(w, a);
        const Value q = product(std::conj(w), b);
        a = half_root * (p + q);
        b = half_root * times_i(p - q);
    });
    const std::size_t voxels = size[0] * size[1] * size[2];
    for_each_range_in_parallel(voxels, cores_for(voxels), [&](const Range& range) {
        for_each_in_a_row(range.count, [y = y + range.first, f = f + range.first](std::size_t n) {
            y[n] *= f[n];
        });
    });
    for_each_pair(size, phase_factors, y, [&](const Value& w, Value& a, Value& b) {
        const Value p = a;
        const Value q = times_i(b);
        a = half_root * product(std::conj(w), p - q);
        b = half_root * product(w, p + q);
    });
}

constexpr Kernel interleave{"cosine_basis.cl", "interleave", &interleave_loops<float>,
                            &interleave_loops<double>};
constexpr Kernel deinterleave{"cosine_basis.cl", "deinterleave", &deinterleave_loops<float>,
                              &deinterleave_loops<double>};
constexpr Kernel multiply_in_cosines{"cosine_basis.cl", "multiply_in_cosines",
                                     &multiply_in_cosines_loops<float>,
                                     &multiply_in_cosines_loops<double>};

// --- the basis ----------------------------------------------------------------------------------

/// w of multiply_in_cosines.
ComplexVector phase_factors_of(const GridSize& size) {
    ComplexVector phase_factors(index(size[0] + size[1] + size[2]));
    Eigen::Index i = 0;
    for (const std::size_t n : size) {
        for (std::size_t k = 0; k < n; ++k) {
            phase_factors(i++) =
                std::polar(1.0, -pi * static_cast<double>(k) / (2 * static_cast<double>(n)));
        }
    }
    return phase_factors;
}

class CosineBasis : public Basis {
public:
    CosineBasis(Device& device, const Grid& grid, Precision precision)
        : device_(device), grid_(grid), precision_(precision), size_(grid.size),
          fft_(device.plan_fft(size_, 1, precision)),
          phase_factors_(device.zeros(size_[0] + size_[1] + size_[2], {true, precision})),
          values_(device.zeros(grid.voxels(), {true, precision})) {
        device.upload(phase_factors_of(size_), phase_factors_);
    }

    std::size_t count() const override { return grid_.voxels(); }

    // Q(-d) = conj Q(d): each difference of the half counts twice, but for those with 0 in the
    // slowest dimension, where both are there. Some slices at a time, whose distances are apart.
    RealVector of_t(const Q& q, double scale, CoilMaps*) override {
        constexpr std::size_t slices_at_a_time = 16;
        const Voxels half = Voxels::half_differences(grid_);
        const auto slowest = static_cast<std::size_t>(grid_.dimensions - 1);
        const Array values = q.half.on(device_, precision_, scale);
        const GridSize& size = half.lattice_size();
        const std::size_t slice = half.count() / size[slowest];
        OfDistance distances(size_);
        for (const Range& some : split_into_ranges(size[slowest], slices_at_a_time)) {
            const ComplexVector of_some =
                device_.download(values, some.first * slice, some.count * slice);
            for_each_in_parallel(some.count, [&](std::size_t i) {
                const auto at = static_cast<long>(some.first + i);
                const Complex* value = of_some.data() + i * slice;
                const double times = half.lattice_first()[slowest] + at == 0 ? 1 : 2;
                for (std::size_t n = 0; n < slice; ++n) {
                    std::array<long, 3> d{static_cast<long>(n % size[0]),
                                          static_cast<long>(n / size[0]), 0};
                    d[slowest] = at;
                    for (std::size_t axis = 0; axis < 3; ++axis) {
                        d[axis] += half.lattice_first()[axis];
                    }
                    distances.add(d[0], d[1], d[2], times * value[n].real());
                }
            });
        }
        return eigenvalues(size_, distances, &of_products);
    }

    RealVector of_response(const ComplexVector& response) override {
        const auto middle = [&](std::size_t d) { return static_cast<long>(size_[d] / 2); };
        const auto for_each_difference = [&](const auto& use) {
            const Complex* value = response.data();
            for (long z = -middle(2); z < static_cast<long>(size_[2]) - middle(2); ++z) {
                for (long y = -middle(1); y < static_cast<long>(size_[1]) - middle(1); ++y) {
                    for (long x = -middle(0); x < static_cast<long>(size_[0]) - middle(0); ++x) {
                        if (*value != Complex(0)) {
                            use(x, y, z, value->real());
                        }
                        ++value;
                    }
                }
            }
        };
        GridSize reach{1, 1, 1};
        for_each_difference([&](long x, long y, long z, double) {
            std::size_t d = 0;
            for (const long difference : {x, y, z}) {
                reach[d] = std::max(reach[d], static_cast<std::size_t>(std::abs(difference)) + 1);
                ++d;
            }
        });
        OfDistance distances(reach);
        for_each_difference(
            [&](long x, long y, long z, double value) { distances.add(x, y, z, value); });
        return eigenvalues(size_, distances, &of_cosines);
    }

    void multiply(const Array& eigenvalues, const Array& in, Array& out) override {
        interleave.run(device_, size_, in, size_, values_);
        fft_->forward(values_);
        const GridSize half{size_[0] / 2 + 1, size_[1] / 2 + 1, size_[2] / 2 + 1};
        multiply_in_cosines.run(device_, half, values_, size_, phase_factors_, eigenvalues);
        fft_->backward(values_);
        deinterleave.run(device_, size_, values_, size_, out);
    }

private:
    Device& device_;
    Grid grid_;
    Precision precision_;
    GridSize size_;
    std::unique_ptr<FftPlan> fft_;
    Array phase_factors_; ///< phase factors of multiply_in_cosines
    Array values_;
};

} // namespace

std::shared_ptr<Basis> make_cosine_basis(Device& device, const Grid& grid, Precision precision) {
    return std::make_shared<CosineBasis>(device, grid, precision);
}

} // namespace lsrecon
