// Voxels on a grid or at listed points, and the off-resonance that they carry.

#include "scan/voxels.hpp"

#include <algorithm>
#include <cmath>

namespace lsrecon {

bool OffResonance::is_zero() const {
    return field.isZero(0) && r2star.isZero(0);
}

Complex OffResonance::rate(std::size_t n) const {
    const auto i = static_cast<Eigen::Index>(n);
    return {r2star.size() > 0 ? r2star(i) : 0, 2 * pi * field(i)};
}

OffResonance OffResonance::part(const Range& range) const {
    const auto first = static_cast<Eigen::Index>(range.first);
    const auto count = static_cast<Eigen::Index>(range.count);
    return {field.segment(first, count),
            r2star.size() > 0 ? RealVector(r2star.segment(first, count)) : RealVector()};
}

OffResonance OffResonance::subset(const std::vector<std::size_t>& indices) const {
    return {field(indices), r2star.size() > 0 ? RealVector(r2star(indices)) : RealVector()};
}

namespace {

Vec3 voxels_per_fov(const Grid& grid) {
    return {static_cast<double>(grid.size[0]), static_cast<double>(grid.size[1]),
            static_cast<double>(grid.size[2])};
}

/// Largest |coordinate| in each dimension.
Vec3 reach_of(const std::vector<Vec3>& points) {
    Vec3 reach{};
    for (const Vec3& point : points) {
        for (std::size_t d = 0; d < 3; ++d) {
            reach[d] = std::max(reach[d], std::abs(point[d]));
        }
    }
    return reach;
}

} // namespace

Voxels Voxels::of_grid(const Grid& grid) {
    Voxels voxels;
    voxels.per_fov_ = voxels_per_fov(grid);
    voxels.size_ = grid.size;
    for (int d = 0; d < 3; ++d) {
        voxels.first_[d] = -static_cast<long>(grid.size[d] / 2);
    }
    voxels.whole_size_ = voxels.size_;
    voxels.whole_first_ = voxels.first_;
    return voxels;
}

Voxels Voxels::half_differences(const Grid& grid) {
    Voxels voxels;
    voxels.per_fov_ = voxels_per_fov(grid);
    for (int d = 0; d < grid.dimensions; ++d) {
        const bool slowest = d == grid.dimensions - 1;
        voxels.size_[d] = slowest ? grid.size[d] : 2 * grid.size[d] - 1;
        voxels.first_[d] = slowest ? 0 : 1 - static_cast<long>(grid.size[d]);
    }
    voxels.whole_size_ = voxels.size_;
    voxels.whole_first_ = voxels.first_;
    return voxels;
}

Voxels Voxels::at(const Grid& grid, std::vector<Vec3> positions) {
    Voxels voxels;
    voxels.per_fov_ = voxels_per_fov(grid);
    voxels.positions_ = std::make_shared<const std::vector<Vec3>>(std::move(positions));
    return voxels;
}

Voxels Voxels::in_field(std::shared_ptr<const OffResonance> off_resonance) const {
    Voxels voxels = *this;
    voxels.off_resonance_ = std::move(off_resonance);
    return voxels;
}

Voxels Voxels::subset(const std::vector<std::size_t>& indices) const {
    std::vector<Vec3> chosen;
    chosen.reserve(indices.size());
    for (const std::size_t n : indices) {
        chosen.push_back(position(n));
    }
    Voxels voxels;
    voxels.per_fov_ = per_fov_;
    voxels.positions_ = std::make_shared<const std::vector<Vec3>>(std::move(chosen));
    if (off_resonance_) {
        voxels.off_resonance_ =
            std::make_shared<const OffResonance>(off_resonance_->subset(indices));
    }
    return voxels;
}

std::size_t Voxels::together() const {
    if (positions_) {
        return 1;
    }
    return size_[2] > 1 ? size_[0] * size_[1] : size_[0];
}

Voxels Voxels::part(const Range& range) const {
    if (range.count == count()) {
        return *this;
    }
    Voxels voxels = *this;
    if (off_resonance_) {
        voxels.off_resonance_ = std::make_shared<const OffResonance>(off_resonance_->part(range));
    }
    if (positions_) {
        const auto first = positions_->begin() + static_cast<long>(range.first);
        voxels.positions_ = std::make_shared<const std::vector<Vec3>>(
            first, first + static_cast<long>(range.count));
    } else {
        const std::size_t d = size_[2] > 1 ? 2 : 1;
        voxels.first_[d] += static_cast<long>(range.first / together());
        voxels.size_[d] = range.count / together();
    }
    return voxels;
}

std::size_t Voxels::origin() const {
    std::size_t n = 0;
    for (std::size_t d = 3; d-- > 0;) {
        n = n * size_[d] + static_cast<std::size_t>(-first_[d]);
    }
    return n;
}

std::size_t Voxels::count() const {
    return positions_ ? positions_->size() : size_[0] * size_[1] * size_[2];
}

Vec3 Voxels::position(std::size_t n) const {
    if (positions_) {
        return (*positions_)[n];
    }
    const Vec3 u = in_voxels(n);
    return {u[0] / per_fov_[0], u[1] / per_fov_[1], u[2] / per_fov_[2]};
}

Vec3 Voxels::in_voxels(std::size_t n) const {
    if (positions_) {
        const Vec3& x = (*positions_)[n];
        return {x[0] * per_fov_[0], x[1] * per_fov_[1], x[2] * per_fov_[2]};
    }
    const std::size_t ix = n % size_[0];
    const std::size_t iy = n / size_[0] % size_[1];
    const std::size_t iz = n / size_[0] / size_[1];
    return {static_cast<double>(first_[0] + static_cast<long>(ix)),
            static_cast<double>(first_[1] + static_cast<long>(iy)),
            static_cast<double>(first_[2] + static_cast<long>(iz))};
}

Vec3 Voxels::reach_in_voxels() const {
    if (positions_) {
        const Vec3 in_fov = reach_of(*positions_);
        return {in_fov[0] * per_fov_[0], in_fov[1] * per_fov_[1], in_fov[2] * per_fov_[2]};
    }
    Vec3 reach{};
    for (std::size_t d = 0; d < 3; ++d) {
        const auto first = static_cast<double>(whole_first_[d]);
        const auto last = first + static_cast<double>(whole_size_[d]) - 1;
        reach[d] = std::max(std::abs(first), std::abs(last));
    }
    return reach;
}

double Voxels::extent_in_voxels() const {
    const Vec3 reach = reach_in_voxels();
    return *std::max_element(reach.begin(), reach.end());
}

double largest_turns(const SamplePoints& points, const Voxels& voxels) {
    const Vec3 k = reach_of(points.positions);
    const Vec3 x = voxels.reach_in_voxels();
    double turns = 0;
    for (std::size_t d = 0; d < 3; ++d) {
        turns += k[d] * x[d] / voxels.per_fov()[d];
    }
    if (const OffResonance* const off_resonance = off_resonance_of(points, voxels)) {
        turns += points.times->lpNorm<Eigen::Infinity>() *
                 off_resonance->field.lpNorm<Eigen::Infinity>();
    }
    return turns;
}

} // namespace lsrecon
