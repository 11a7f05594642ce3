#include "model/sampled_cells.hpp"

#include <algorithm>
#include <cmath>

#include "scan/directions.hpp"

namespace lsrecon {

namespace {

std::array<long, 3> cell_of(const Vec3& k) {
    return {std::lround(k[0]), std::lround(k[1]), std::lround(k[2])};
}

bool is_near_centre(const Vec3& k) {
    return dot(k, k) <= SampledCells::widest_gap * SampledCells::widest_gap;
}

} // namespace

SampledCells::SampledCells(const Grid& grid, std::size_t most)
    : size_(grid.size), reach_(static_cast<long>(most)), all_(most + 1, 0), sampled_(most + 1, 0) {
    for (std::size_t d = 0; d < static_cast<std::size_t>(grid.dimensions); ++d) {
        half_[d] = std::min(reach_, static_cast<long>(grid.size[d] / 2));
    }
    const auto width = static_cast<std::size_t>(2 * reach_ + 1);
    filled_.assign(width * width * width, false);
    for (long z = -half_[2]; z <= half_[2]; ++z) {
        for (long y = -half_[1]; y <= half_[1]; ++y) {
            for (long x = -half_[0]; x <= half_[0]; ++x) {
                if (counts({x, y, z})) {
                    ++all_[shell_of({x, y, z})];
                }
            }
        }
    }
}

std::size_t SampledCells::shell_of(const std::array<long, 3>& cell) const {
    const auto [x, y, z] = cell;
    return static_cast<std::size_t>(
        std::ceil(std::sqrt(static_cast<double>(x * x + y * y + z * z))));
}

std::size_t SampledCells::index_of(const std::array<long, 3>& cell) const {
    const long width = 2 * reach_ + 1;
    return static_cast<std::size_t>(((cell[2] + reach_) * width + cell[1] + reach_) * width +
                                    cell[0] + reach_);
}

bool SampledCells::counts(const std::array<long, 3>& cell) const {
    for (std::size_t d = 0; d < 3; ++d) {
        // +N/2 of an even number of voxels is -N/2.
        if (std::abs(cell[d]) > half_[d] || 2 * cell[d] >= static_cast<long>(size_[d])) {
            return false;
        }
    }
    return shell_of(cell) <= static_cast<std::size_t>(reach_);
}

void SampledCells::add(const std::vector<Vec3>& trajectory) {
    const auto beyond = static_cast<double>(reach_ + 1); // where no cell counts
    for (const Vec3& k : trajectory) {
        if (dot(k, k) > beyond * beyond) {
            continue;
        }
        const std::array<long, 3> cell = cell_of(k);
        if (!counts(cell)) {
            continue;
        }
        centre_is_sampled_ = centre_is_sampled_ || is_near_centre(k);
        if (!filled_[index_of(cell)]) {
            filled_[index_of(cell)] = true;
            ++sampled_[shell_of(cell)];
        }
    }
}

bool SampledCells::would_gain(const std::vector<Vec3>& trajectory) const {
    return std::any_of(trajectory.begin(), trajectory.end(), [&](const Vec3& k) {
        const std::array<long, 3> cell = cell_of(k);
        return counts(cell) && (!filled_[index_of(cell)] || (has_hole() && is_near_centre(k)));
    });
}

std::size_t SampledCells::radius() const {
    double cells = 0;
    double with_sample = 0;
    std::size_t result = 0;
    for (std::size_t r = 0; r < all_.size() && !has_hole(); ++r) {
        cells += static_cast<double>(all_[r]);
        with_sample += static_cast<double>(sampled_[r]);
        result = with_sample >= share * cells ? r : result;
    }
    return result;
}

std::size_t SampledCells::dense_radius() const {
    double cells = 0;
    double with_sample = 0;
    for (std::size_t r = 0; r < all_.size(); ++r) {
        cells += static_cast<double>(all_[r]);
        with_sample += static_cast<double>(sampled_[r]);
        if (with_sample < dense_share * cells) {
            return r > 0 ? r - 1 : 0;
        }
    }
    return all_.size() - 1;
}

std::size_t sampled_radius(const std::vector<Vec3>& trajectory, const Grid& grid,
                           std::size_t most) {
    SampledCells cells(grid, most);
    cells.add(trajectory);
    return cells.radius();
}

} // namespace lsrecon
