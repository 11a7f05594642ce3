// The preconditioner in any basis, and the basis of periodic exponentials.

#include "operators/preconditioner.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "base/linear_algebra.hpp"
#include "operators/embedding.hpp"

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

/// The voxel at which the response of a term is measured, away from edges of the coil maps, which
/// would cut it: nearest to the middle of those that are 1 and have neighbours of 1; else of all
/// that are 1.
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
      squares_(squares), lambda_(lambda), sets_(maps != nullptr ? maps->sets() : 1),
      inverse_(device.zeros(basis_->count(), {false, precision})),
      seen_voxel_(voxel_at(middle_of(grid_), grid_)),
      of_a_(basis_->of_t(q, squares / q.at_zero(), maps).cwiseMax(0)) {
    if (sets_ > 1) {
        parts_.emplace(device, precision, grid_.voxels(), sets_);
        of_set_ = device.zeros(grid_.voxels(), {true, precision});
    }
}

Preconditioner::Term Preconditioner::term_of(Operator& k) {
    if (k.is_isometry()) {
        return {&k, RealVector::Ones(static_cast<Eigen::Index>(basis_->count())), 1, 0};
    }
    Array image = device_.zeros(k.inputs(), {true, precision_});
    Array there = device_.zeros(k.outputs(), {true, precision_});
    const auto apply_to = [&](std::size_t voxel) {
        device_.upload(ComplexVector::Unit(static_cast<Eigen::Index>(k.inputs()),
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
    const ComplexVector response =
        moved_to_middle(device_.download(image, 0, grid_.voxels()), seen_voxel_, grid_);
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

RealVector Preconditioner::inverse_of_sum() const {
    auto sum = unwritten<RealVector>(of_a_.size());
    for_each_segment(sum, [&](auto segment, Eigen::Index first) {
        segment = of_a_.segment(first, segment.size()).array() + lambda_;
        for (const Term& term : terms_) {
            segment += term.weight * term.eigenvalues.segment(first, segment.size()).cwiseMax(0);
        }
    });
    double largest = -std::numeric_limits<double>::infinity();
    for (const double of_some :
         of_each_range(basis_->count(), cores_for(basis_->count()), [&](const Range& some) {
             return sum
                 .segment(static_cast<Eigen::Index>(some.first),
                          static_cast<Eigen::Index>(some.count))
                 .maxCoeff();
         })) {
        largest = std::max(largest, of_some);
    }
    const auto count = static_cast<double>(sum.size());
    for_each_segment(sum, [&](auto segment, Eigen::Index) {
        segment = (count * segment.cwiseMax(least * largest)).cwiseInverse();
    });
    return sum;
}

void Preconditioner::apply(const Array& in, Array& out) {
    if (stale_) {
        double diagonal = lambda_; // where A is nothing else
        for (const Term& term : terms_) {
            diagonal += term.weight * term.outside;
        }
        outside_ = diagonal > 0 ? 1 / diagonal : 0;
        device_.upload(inverse_of_sum(), {0, basis_->count()}, 0, inverse_);
        stale_ = false;
    }
    if (support_.empty()) {
        multiply_by_inverse(in, out);
        return;
    }
    device_.combine(1, in, 0, inside_);
    device_.multiply(support_, 0, support_.count(), inside_);
    multiply_by_inverse(inside_, out);
    device_.multiply(support_, 0, support_.count(), out);
    device_.combine(outside_, in, 1, out);
    device_.combine(-outside_, inside_, 1, out);
}

void Preconditioner::multiply_by_inverse(const Array& in, Array& out) {
    if (sets_ == 1) {
        basis_->multiply(inverse_, in, out);
        return;
    }
    for (std::size_t s = 0; s < sets_; ++s) {
        basis_->multiply(inverse_, parts_->take(in, s), of_set_);
        parts_->put(of_set_, s, out);
    }
}

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
        if (at_zero > 0) { // else there are no signals to distinguish
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
