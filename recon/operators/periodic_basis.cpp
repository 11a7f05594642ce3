#include <cmath>

#include "operators/box_factors.hpp"
#include "operators/embedding.hpp"
#include "operators/preconditioner.hpp"

namespace lsrecon {

namespace {

class PeriodicBasis : public Basis {
public:
    PeriodicBasis(Device& device, const Grid& grid, Precision precision)
        : device_(device), grid_(grid),
          precision_(precision), boxes_{with_factors(
                                     device, precision,
                                     {grid.size, {0, 0, 0}, Embedding(grid, true).extents, {}},
                                     [](std::size_t, std::size_t) { return 1; })},
          fft_(device.plan_fft(image().extents, 1, precision)),
          period_(device.zeros(image().points(), {true, precision})) {}

    std::size_t count() const override { return image().points(); }

    // The circulant matrix holds the mean of each diagonal of T and of the diagonal a period
    // further: at a difference d, N - |d| of N voxels in each dimension. Each d with -d, but for 0
    // in the slowest dimension, where both are there.
    RealVector of_t(const Q& q, double scale, CoilMaps* maps) override {
        const Array joined = maps != nullptr && maps->given() ? autocorrelation(*maps) : Array();
        const Voxels half = Voxels::half_differences(grid_);
        const auto slowest = static_cast<std::size_t>(grid_.dimensions - 1);
        const Box differences = with_factors(
            device_, precision_, {half.lattice_size(), half.lattice_first(), image().extents, {}},
            [&](std::size_t d, std::size_t n) {
                const long at = std::abs(half.lattice_first()[d] + static_cast<long>(n));
                const double share =
                    1 - static_cast<double>(at) / static_cast<double>(grid_.size[d]);
                return d == slowest && at > 0 ? 2 * share : share;
            });
        device_.pad(differences, {}, q.half.on(device_, precision_, scale), 0, period_);
        if (!joined.empty()) {
            device_.multiply_conjugate(joined, 0, period_.count(), period_);
        }
        return transformed();
    }

    RealVector of_response(const ComplexVector& response) override {
        Box around_middle = image();
        for (std::size_t d = 0; d < 3; ++d) {
            around_middle.first[d] = -static_cast<long>(grid_.size[d] / 2);
        }
        Array values = device_.zeros(grid_.voxels(), {true, precision_});
        device_.upload(response, values);
        device_.pad(around_middle, {}, values, 0, period_);
        return transformed();
    }

    void multiply(const Array& eigenvalues, const Array& in, Array& out) override {
        device_.combine(0, out, 0, out);
        fft_->add_convolution({boxes_, eigenvalues, period_}, {Array()}, in, out);
    }

private:
    /// The image's box in a period.
    const Box& image() const { return boxes_.front(); }

    /// sum_n sum_c conj(S_c(n)) S_c(n + d) of each difference d in the period, relative to d = 0.
    Array autocorrelation(CoilMaps& maps) {
        Array ones = device_.zeros(grid_.voxels(), {true, precision_});
        device_.upload(ComplexVector::Ones(static_cast<Eigen::Index>(ones.count())), ones);
        Array spectrum = device_.zeros(period_.count(), {true, precision_});
        Array sum = device_.zeros(period_.count(), {true, precision_});
        for (std::size_t c = 0; c < maps.count(); ++c) {
            device_.pad(image(), maps.map(c, 0), ones, 0, period_);
            fft_->forward(period_);
            device_.combine(1, period_, 0, spectrum);
            device_.multiply_conjugate(spectrum, 0, spectrum.count(), period_);
            device_.combine(1, period_, 1, sum);
        }
        fft_->backward(sum);
        const double at_zero = device_.download(sum, 0, 1)(0).real();
        if (at_zero > 0) { // else there are no signals to tell apart
            device_.combine(0, sum, 1 / at_zero, sum);
        }
        return sum;
    }

    /// The eigenvalues of the circulant matrix whose first column is in the period.
    RealVector transformed() {
        fft_->forward(period_);
        return device_.download(period_).real();
    }

    Device& device_;
    Grid grid_;
    Precision precision_;
    std::vector<Box> boxes_; ///< box of the image in a period, as the only element
    std::unique_ptr<FftPlan> fft_;
    Array period_;
};

} // namespace

std::shared_ptr<Basis> make_periodic_basis(Device& device, const Grid& grid, Precision precision) {
    return std::make_shared<PeriodicBasis>(device, grid, precision);
}

} // namespace lsrecon
