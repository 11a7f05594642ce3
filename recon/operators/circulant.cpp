#include "operators/circulant.hpp"

#include <algorithm>
#include <cmath>

#include "plan/embedding.hpp"

namespace lsrecon {

namespace {

/// Of the largest eigenvalue: those below are in directions that nothing determines.
constexpr double least = 1e-6;

/// A box with one real factor a value of each dimension.
Box weighted(Device& device, Precision precision, Box box,
             const std::function<double(std::size_t, std::size_t)>& factor) {
    ComplexVector factors(static_cast<Eigen::Index>(box.size[0] + box.size[1] + box.size[2]));
    Eigen::Index i = 0;
    for (std::size_t d = 0; d < 3; ++d) {
        for (std::size_t n = 0; n < box.size[d]; ++n) {
            factors(i++) = factor(d, n);
        }
    }
    box.factors = device.zeros(static_cast<std::size_t>(factors.size()), {true, precision});
    device.upload(factors, box.factors);
    return box;
}

double one(std::size_t, std::size_t) {
    return 1;
}

} // namespace

Circulant::Circulant(Device& device, const Q& q, Precision precision, double squares, double lambda)
    : device_(device), grid_(q.grid), precision_(precision), lambda_(lambda) {
    const std::array<std::size_t, 3> extents = Embedding(grid_).extents;
    box_ = weighted(device, precision, {grid_.size, {0, 0, 0}, extents, {}}, &one);
    fft_ = device.plan_fft(extents, 1, precision);
    period_ = device.zeros(box_.points(), {true, precision});
    inverse_ = device.zeros(box_.points(), {false, precision});

    // Chan's matrix holds the mean of each diagonal of T and of the diagonal a period further: at
    // a difference d, N - |d| of N voxels in each dimension. Each d with -d, but for 0 in the
    // slowest dimension, where both are there.
    const Voxels half = Voxels::half_differences(grid_);
    const auto slowest = static_cast<std::size_t>(grid_.dimensions - 1);
    const Box differences =
        weighted(device, precision, {half.lattice_size(), half.lattice_first(), extents, {}},
                 [&](std::size_t d, std::size_t n) {
                     const long at = std::abs(half.lattice_first()[d] + static_cast<long>(n));
                     const double share =
                         1 - static_cast<double>(at) / static_cast<double>(grid_.size[d]);
                     return d == slowest && at > 0 ? 2 * share : share;
                 });
    const Array values = q.half.on(device, precision, squares / q.at_zero());
    device.pad(differences, {}, values, 0, period_);
    of_a_ = eigenvalues().cwiseMax(0);
}

RealVector Circulant::eigenvalues() {
    fft_->forward(period_);
    return device_.download(period_).real();
}

RealVector Circulant::eigenvalues_of(Operator& k) {
    // One voxel in the middle, and where it goes from there.
    Box middle = box_;
    std::size_t voxel = 0;
    for (std::size_t d = 3; d-- > 0;) {
        middle.first[d] = -static_cast<long>(grid_.size[d] / 2);
        voxel = voxel * grid_.size[d] + grid_.size[d] / 2;
    }
    ComplexVector point = ComplexVector::Zero(static_cast<Eigen::Index>(grid_.voxels()));
    point(static_cast<Eigen::Index>(voxel)) = 1;
    Array image = device_.zeros(grid_.voxels(), {true, precision_});
    device_.upload(point, image);
    if (!k.is_isometry()) {
        Array there = device_.zeros(k.outputs(), {true, precision_});
        k.apply(image, there);
        k.adjoint(there, image);
    }
    device_.pad(middle, {}, image, 0, period_);
    return eigenvalues();
}

void Circulant::raise_to_median() {
    std::vector<double> sorted(of_a_.data(), of_a_.data() + of_a_.size());
    const auto middle = sorted.begin() + static_cast<long>(sorted.size() / 2);
    std::nth_element(sorted.begin(), middle, sorted.end());
    of_a_ = of_a_.cwiseMax(*middle);
    stale_ = true;
}

void Circulant::set_lambda(double lambda) {
    stale_ = stale_ || lambda != lambda_;
    lambda_ = lambda;
}

void Circulant::set_weight(Operator* k, double weight) {
    auto term =
        std::find_if(terms_.begin(), terms_.end(), [&](const Term& any) { return any.k == k; });
    if (term == terms_.end()) {
        term = terms_.insert(term, {k, eigenvalues_of(*k), 0});
    }
    stale_ = stale_ || term->weight != weight;
    term->weight = weight;
}

void Circulant::apply(const Array& in, Array& out) {
    if (stale_) {
        RealVector sum = of_a_.array() + lambda_;
        for (const Term& term : terms_) {
            sum += term.weight * term.eigenvalues.cwiseMax(0);
        }
        const auto points = static_cast<double>(sum.size());
        const RealVector inverse = (points * sum.cwiseMax(least * sum.maxCoeff())).cwiseInverse();
        device_.upload(inverse, {0, static_cast<std::size_t>(inverse.size())}, 0, inverse_);
        stale_ = false;
    }
    device_.pad(box_, {}, in, 0, period_);
    fft_->forward(period_);
    device_.multiply(inverse_, 0, period_.count(), period_);
    fft_->backward(period_);
    device_.combine(0, out, 0, out);
    device_.crop(box_, {}, period_, 0, out);
}

} // namespace lsrecon
