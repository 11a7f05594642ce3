#pragma once

#include <vector>

#include "scan/grid.hpp"

namespace lsrecon {

/// The cells of 1 cycle/FOV around the centre of k-space that hold a sample. Cells beyond N/2 of
/// the grid do not count.
class SampledCells {
public:
    /// Up to a radius of `most` cycles/FOV.
    SampledCells(const Grid& grid, std::size_t most);

    void add(const std::vector<Vec3>& trajectory);
    /// Whether this trajectory would fill a cell, or a hole in the centre, that is still empty.
    bool would_gain(const std::vector<Vec3>& trajectory) const;
    /// The largest radius within which nearly every cell holds a sample; 0 around a hole.
    std::size_t radius() const;
    /// The largest radius within which every cell holds a sample: samples are a cycle/FOV apart
    /// everywhere.
    std::size_t dense_radius() const;
    /// Whether no sample is within the widest gap of k = 0.
    bool has_hole() const { return !centre_is_sampled_; }

    static constexpr double share = 0.9; ///< share that counts as nearly every cell
    /// The widest gap around k = 0 in cycles/FOV. A narrower gap is bridged because an object is no
    /// larger than the field of view. Spokes from 0, 1 and 1.5 outwards gave the same maps; those
    /// from 2 gave maps of no use.
    static constexpr double widest_gap = 1.5;

private:
    static constexpr double dense_share = 0.99; ///< rings 1.25 cycles apart reach 0.98

    bool counts(const std::array<long, 3>& cell) const;
    std::size_t shell_of(const std::array<long, 3>& cell) const;
    std::size_t index_of(const std::array<long, 3>& cell) const;

    std::array<std::size_t, 3> size_; ///< size of the grid
    std::array<long, 3> half_{0, 0, 0}; ///< half the number of cells along each axis
    long reach_;
    std::vector<bool> filled_;
    std::vector<std::size_t> all_; ///< cells of the shell between the last radius and this one
    std::vector<std::size_t> sampled_;
    bool centre_is_sampled_ = false;
};

/// The radius() of one trajectory.
std::size_t sampled_radius(const std::vector<Vec3>& trajectory, const Grid& grid, std::size_t most);

} // namespace lsrecon
