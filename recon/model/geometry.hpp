// Another grid for a scan, and a shift of its image.

#pragma once

#include <memory>
#include <vector>

#include "scan/grid.hpp"
#include "scan/scan.hpp"

namespace lsrecon {

/// Another grid for a scan, and the change of trajectories and samples:
///
///     k' = +-k FOV' / FOV         cycles per new field of view; samples with |k'| > N'/2 go
///     d' = d exp(-i 2 pi k' . s / FOV')
///
/// so that d'(k) = sum rho(x) exp(-i 2 pi k . (x + s)): what was at x is at x + s. A voxel shows
/// what the file's grid has s before it, so the grid's centre in the patient moves by -s along its
/// axes. With shift_to_position s = -p along them, p being a frame's position from the isocentre:
/// the samples were taken around the isocentre, and the centre moves from there to p.
class Geometry {
public:
    /// Changes the scan's grid, trajectories, positions and calibration, and adds findings; its
    /// coil maps and field map stay on the file's grid. Frames that shared a trajectory still do.
    /// UsageError when the options do not fit the scan: another number of dimensions, phi or voxels
    /// that were made for the file's grid. InputError when a frame keeps too few samples.
    Geometry(const GeometryOptions& options, Scan& scan);

    /// A frame as the file has it, with or without samples, becomes one of the changed scan.
    void apply(std::size_t index, Frame& frame) const;

private:
    /// The change of one trajectory.
    struct Change {
        std::shared_ptr<const Trajectory> trajectory;
        std::vector<std::size_t> kept; ///< samples of the file that are in it
        std::size_t stored = 0; ///< samples of the file
    };
    void check(const Scan& scan) const;
    void require_enough(const Scan& scan, std::size_t frame, const Change& change) const;
    Grid changed(const Grid& grid) const;
    std::shared_ptr<const Change> change(const std::shared_ptr<const Trajectory>& stored) const;
    bool moves() const;
    void find_shifts(const Scan& scan);
    void record_shift(Scan& scan) const;
    void change_frames(Scan& scan, const std::string& within);
    void change_calibrations(Scan& scan) const;
    void move_positions(Scan& scan) const;
    void apply(const Change& change, const Vec3& shift_mm, Frame& frame) const;

    GeometryOptions options_;
    Vec3 fov_mm_{1, 1, 1}; ///< field of view of the new grid
    Vec3 factor_{1, 1, 1}; ///< k' over k
    Vec3 limit_{0, 0, 0}; ///< largest |k'| that is kept
    std::vector<Vec3> shifts_mm_; ///< shifts of the frames
    std::vector<std::shared_ptr<const Change>> frames_;
    std::vector<std::optional<Vec3>> positions_; ///< positions of the frames
};

} // namespace lsrecon
