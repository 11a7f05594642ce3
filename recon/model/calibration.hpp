// The centre of k-space of some frames, from which coil maps are estimated, and how densely it is
// sampled.

#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "engines/transforms.hpp"
#include "scan/grid.hpp"
#include "scan/scan.hpp"

namespace lsrecon {

/// The cells of 1 cycle/FOV around the centre of k-space that hold a sample. Cells beyond N/2 of
/// the grid do not count.
class SampledCells {
public:
    /// Up to a radius of `most` cycles/FOV.
    SampledCells(const Grid& grid, std::size_t most);

    void add(const std::vector<Vec3>& positions);
    /// Whether this trajectory would fill a cell, or a hole in the centre, that is still empty.
    bool would_gain(const std::vector<Vec3>& positions) const;
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

    void add(const Vec3& k);
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
std::size_t sampled_radius(const std::vector<Vec3>& positions, const Grid& grid, std::size_t most);

/// The field of view in which coils are calibrated: the image's, but no wider than the file's,
/// beyond which samples need not be dense enough.
class CalibrationField {
public:
    CalibrationField(const Grid& image, const Grid& file);
    /// Keeps the image's whole field of view if these samples (in cycles per that field) are dense
    /// enough out to the smallest useful radius; narrows it to the file's otherwise.
    CalibrationField(const Grid& image, const Grid& file,
                     const std::vector<std::shared_ptr<const Trajectory>>& trajectories);
    const Grid& grid() const { return grid_; } ///< grid with about the image's voxels
    bool is_narrower() const { return share_ != Vec3{1, 1, 1}; } ///< than the image's
    /// The positions of the samples, in cycles per this field of view.
    std::shared_ptr<const std::vector<Vec3>>
    positions(const std::shared_ptr<const Trajectory>& trajectory) const;
    /// The samples of a frame that belong to the calibration on such a grid, at these positions.
    Frame central_part(const Frame& frame, const Grid& grid) const;
    /// The radius that a calibration of the frame should reach, in cycles per this field of view,
    /// as far as the frame is sampled. It is most_radius(), or larger where k-space is strong
    /// further out, as of an object whose phase varies.
    std::size_t wanted_radius(const Frame& frame) const;

private:
    Grid grid_;
    Vec3 share_{1, 1, 1}; ///< share of the image's field of view
    /// Radius of samples that are dense enough for a field wider than the file's.
    std::optional<std::size_t> dense_radius_;
};

/// The centre of k-space, so many cycles per field of view wide along each axis, as far as the grid
/// reaches.
Grid central_box(Grid grid, std::size_t side);
/// The grid of images whose samples lie in a box.
Grid with_room(Grid box, const Grid& grid);

/// Indices of the samples within a box; the edge at +h belongs to the next period.
std::vector<std::size_t> within(const std::vector<Vec3>& positions, const Grid& box);

/// The same, some of many at random, so that each part of k-space keeps its share: so many for each
/// cell of the box, on average.
std::vector<std::size_t> some_within(const std::vector<Vec3>& positions, const Grid& box,
                                     double a_cell);

/// The centre of k-space of some frames on a grid, from which coil maps are estimated.
struct Calibration {
    std::size_t radius; ///< radius in cycles/FOV within which it is sampled at the Nyquist rate
    Grid grid; ///< the calibration's field of view with a matrix of 2 radius, at most its own
    std::size_t frames; ///< F
    CoilMatrix images; ///< C x n F: least-squares images of the coils, x fastest
    CoilMatrix kspace; ///< C x n F: their Fourier transform, k from -floor(N/2) on
    std::size_t together = 1; ///< frames of the scan that one of the F is made of
    double unexplained = 0; ///< share of its samples' energy that the first of the F leaves

    /// Adds the frames of another calibration of the same grid.
    void join(const Calibration& other);
    /// n: of all coils and frames, from images with a Hann window over k-space.
    Eigen::ArrayXd smooth_energy() const;
};

/// A next step where maps cannot be estimated, for every command that wants them.
constexpr const char* without_maps = "'lsrecon recon `maps` none' reconstructs without maps";

/// Another next step, where the samples are too few.
constexpr const char* maps_of_another =
    "make maps of another scan of these coils, or of more of its frames, with 'lsrecon maps', and "
    "pass them with `maps` FILE";

/// The largest radius in cycles/FOV that a calibration needs when k-space is strongest in the
/// centre: maps are smooth, and more calibration costs more than it brings.
std::size_t most_radius(const Grid& grid);
/// Whether maps can be estimated from a centre that is sampled so far.
bool is_enough(std::size_t radius);
/// InputError where maps cannot be estimated from so many frames that fill these cells.
void require_calibration(const Scan& scan, const SampledCells& cells, std::size_t frames);
/// The field of view with a matrix of 2 radius, at most the grid's.
Grid calibration_grid(const Grid& grid, std::size_t radius);
constexpr const char* stage_of_calibration = "calibrate";
/// Reconstructs the densest part of k-space of each coil by least squares. InputError when even the
/// centre is sampled too sparsely. The radius is `radius`, as far as the frame is
/// sampled, or 0 for as far as that is and field.wanted_radius() at most.
Calibration calibrate(Transforms& transforms, const Scan& scan, const CalibrationField& field,
                      const Frame& frame, std::size_t radius = 0);
/// The time of a calibration on this grid, with the samples that belong to it.
double seconds_of_calibration(Transforms& transforms, const std::vector<Vec3>& positions,
                              std::size_t coils, const Grid& grid);

} // namespace lsrecon
