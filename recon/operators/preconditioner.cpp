#include "operators/preconditioner.hpp"

#include <algorithm>

namespace lsrecon {

namespace {

/// Of the largest eigenvalue: those below are in directions that nothing determines.
constexpr double least = 1e-6;

} // namespace

Preconditioner::Preconditioner(Device& device, const Q& q, Precision precision,
                               std::shared_ptr<Basis> basis, double squares, double lambda,
                               CoilMaps* maps)
    : device_(device), grid_(q.grid), precision_(precision), basis_(std::move(basis)),
      squares_(squares), lambda_(lambda),
      inverse_(device.zeros(basis_->count(), {false, precision})),
      of_a_(basis_->of_t(q, squares / q.at_zero(), maps).cwiseMax(0)) {}

RealVector Preconditioner::eigenvalues_of(Operator& k) {
    if (k.is_isometry()) {
        return RealVector::Ones(static_cast<Eigen::Index>(basis_->count()));
    }
    std::size_t middle = 0;
    for (std::size_t d = 3; d-- > 0;) {
        middle = middle * grid_.size[d] + grid_.size[d] / 2;
    }
    const auto voxels = static_cast<Eigen::Index>(grid_.voxels());
    Array image = device_.zeros(grid_.voxels(), {true, precision_});
    Array there = device_.zeros(k.outputs(), {true, precision_});
    device_.upload(ComplexVector::Unit(voxels, static_cast<Eigen::Index>(middle)), image);
    k.apply(image, there);
    k.adjoint(there, image);
    return basis_->of_response(device_.download(image));
}

void Preconditioner::raise_to_mean() {
    of_a_ = of_a_.cwiseMax(squares_);
    stale_ = true;
}

void Preconditioner::restrict_to(const RealVector& voxels) {
    const auto count = static_cast<std::size_t>(voxels.size());
    support_ = device_.zeros(count, {false, precision_});
    inside_ = device_.zeros(count, {true, precision_});
    device_.upload(voxels, {0, count}, 0, support_);
}

void Preconditioner::set_lambda(double lambda) {
    stale_ = stale_ || lambda != lambda_;
    lambda_ = lambda;
}

void Preconditioner::set_weight(Operator* k, double weight) {
    auto term =
        std::find_if(terms_.begin(), terms_.end(), [&](const Term& any) { return any.k == k; });
    if (term == terms_.end()) {
        term = terms_.insert(term, {k, eigenvalues_of(*k), 0});
    }
    stale_ = stale_ || term->weight != weight;
    term->weight = weight;
}

void Preconditioner::apply(const Array& in, Array& out) {
    if (stale_) {
        RealVector sum = of_a_.array() + lambda_;
        double diagonal = lambda_; // where A is nothing else
        for (const Term& term : terms_) {
            sum += term.weight * term.eigenvalues.cwiseMax(0);
            diagonal += term.weight * term.eigenvalues.mean();
        }
        outside_ = diagonal > 0 ? 1 / diagonal : 0;
        const auto count = static_cast<double>(sum.size());
        const RealVector inverse = (count * sum.cwiseMax(least * sum.maxCoeff())).cwiseInverse();
        device_.upload(inverse, {0, basis_->count()}, 0, inverse_);
        stale_ = false;
    }
    if (support_.empty()) {
        basis_->multiply(inverse_, in, out);
        return;
    }
    device_.combine(1, in, 0, inside_);
    device_.multiply(support_, 0, support_.count(), inside_);
    basis_->multiply(inverse_, inside_, out);
    device_.multiply(support_, 0, support_.count(), out);
    device_.combine(outside_, in, 1, out);
    device_.combine(-outside_, inside_, 1, out);
}

} // namespace lsrecon
