#include "operators/preconditioner.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

namespace lsrecon {

namespace {

/// A share of the largest eigenvalue: those below are in directions that nothing determines.
constexpr double least = 1e-6;

using Coordinates = std::array<long, 3>;

Coordinates coordinates_of(std::size_t voxel, const Grid& grid) {
    const auto n = [](std::size_t value) { return static_cast<long>(value); };
    return {n(voxel % grid.size[0]), n(voxel / grid.size[0] % grid.size[1]),
            n(voxel / grid.size[0] / grid.size[1])};
}

std::size_t wrapped(long at, std::size_t end) {
    const long size = static_cast<long>(end);
    return static_cast<std::size_t>((at % size + size) % size);
}

/// The voxel at some coordinates of a grid that repeats itself.
std::size_t voxel_at(const Coordinates& at, const Grid& grid) {
    std::size_t voxel = 0;
    for (std::size_t d = 3; d-- > 0;) {
        voxel = voxel * grid.size[d] + wrapped(at[d], grid.size[d]);
    }
    return voxel;
}

Coordinates middle_of(const Grid& grid) {
    Coordinates middle{};
    for (std::size_t d = 0; d < 3; ++d) {
        middle[d] = static_cast<long>(grid.size[d] / 2);
    }
    return middle;
}

/// The voxel of 1 nearest to the middle, of those whose neighbours are 1, too; else of all.
std::size_t inner_voxel(const RealVector& voxels, const Grid& grid) {
    const Coordinates middle = middle_of(grid);
    const auto is_inner = [&](const Coordinates& at) {
        bool inner = true;
        for (std::size_t d = 0; d < static_cast<std::size_t>(grid.dimensions); ++d) {
            for (const long step : {-1L, 1L}) {
                Coordinates beside = at;
                beside[d] += step;
                inner = inner && voxels(static_cast<Eigen::Index>(voxel_at(beside, grid))) > 0;
            }
        }
        return inner;
    };
    std::size_t best = voxel_at(middle, grid);
    std::pair<bool, long> best_rank{false, std::numeric_limits<long>::min()};
    const auto nearness_of = [&](const Coordinates& at) {
        long nearness = 0;
        for (std::size_t d = 0; d < 3; ++d) {
            nearness -= (at[d] - middle[d]) * (at[d] - middle[d]);
        }
        return nearness;
    };
    for (std::size_t row = 0; row < grid.voxels(); row += grid.size[0]) {
        Coordinates at = coordinates_of(row, grid);
        for (std::size_t n = row; n < row + grid.size[0]; ++n, ++at[0]) {
            const long nearness = nearness_of(at);
            // Neighbours are looked at where they may decide.
            if (voxels(static_cast<Eigen::Index>(n)) > 0 &&
                (!best_rank.first || nearness > best_rank.second)) {
                if (const std::pair<bool, long> rank{is_inner(at), nearness}; rank > best_rank) {
                    best = n;
                    best_rank = rank;
                }
            }
        }
    }
    return best;
}

/// A response of this voxel as if it were in the middle.
ComplexVector moved_to_middle(const ComplexVector& response, std::size_t voxel, const Grid& grid) {
    const Coordinates from = coordinates_of(voxel, grid);
    const Coordinates to = middle_of(grid);
    const std::size_t length = grid.size[0];
    const auto cut = static_cast<long>(length - wrapped(to[0] - from[0], length));
    ComplexVector moved(response.size());
    for (std::size_t row = 0; row < grid.voxels(); row += length) {
        const Coordinates at = coordinates_of(row, grid);
        const std::size_t there =
            voxel_at({0, at[1] + to[1] - from[1], at[2] + to[2] - from[2]}, grid);
        const Complex* values = response.data() + row;
        std::rotate_copy(values, values + cut % static_cast<long>(length), values + length,
                         moved.data() + there);
    }
    return moved;
}

} // namespace

Preconditioner::Preconditioner(Device& device, const Q& q, Precision precision,
                               std::shared_ptr<Basis> basis, double squares, double lambda,
                               CoilMaps* maps)
    : device_(device), grid_(q.grid), precision_(precision), basis_(std::move(basis)),
      squares_(squares), lambda_(lambda),
      inverse_(device.zeros(basis_->count(), {false, precision})),
      seen_voxel_(voxel_at(middle_of(grid_), grid_)),
      of_a_(basis_->of_t(q, squares / q.at_zero(), maps).cwiseMax(0)) {}

Preconditioner::Term Preconditioner::term_of(Operator& k) {
    if (k.is_isometry()) {
        return {&k, RealVector::Ones(static_cast<Eigen::Index>(basis_->count())), 1, 0};
    }
    Array image = device_.zeros(grid_.voxels(), {true, precision_});
    Array there = device_.zeros(k.outputs(), {true, precision_});
    const auto apply_to = [&](std::size_t voxel) {
        device_.upload(ComplexVector::Unit(static_cast<Eigen::Index>(grid_.voxels()),
                                           static_cast<Eigen::Index>(voxel)),
                       image);
        k.apply(image, there);
    };
    bool is_outside = false;
    if (!support_.empty()) {
        apply_to(unseen_voxel_);
        is_outside = device_.dot(there, there) > 0;
    }
    apply_to(seen_voxel_);
    k.adjoint(there, image);
    const ComplexVector response = moved_to_middle(device_.download(image), seen_voxel_, grid_);
    RealVector eigenvalues = basis_->of_response(response);
    const double outside = is_outside ? eigenvalues.mean() : 0;
    return {&k, std::move(eigenvalues), outside, 0};
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
    seen_voxel_ = inner_voxel(voxels, grid_);
    const auto unseen = std::find(voxels.begin(), voxels.end(), 0.0);
    unseen_voxel_ = static_cast<std::size_t>(unseen - voxels.begin());
}

void Preconditioner::set_lambda(double lambda) {
    stale_ = stale_ || lambda != lambda_;
    lambda_ = lambda;
}

void Preconditioner::set_weight(Operator* k, double weight) {
    auto term =
        std::find_if(terms_.begin(), terms_.end(), [&](const Term& any) { return any.k == k; });
    if (term == terms_.end()) {
        term = terms_.insert(term, term_of(*k));
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
            diagonal += term.weight * term.outside;
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
