#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "io/formats.hpp"
#include "io/hdf5/reader.hpp"

// The parts of the native scan file, in the order in which open_native reads them. Each checks what
// it reads and throws InputError with the first thing that is wrong.

namespace lsrecon::native {

using Extents = std::vector<std::size_t>;

/// One a frame of the trajectory, a single one when it has no frame dimension.
struct Samplings {
    std::vector<std::shared_ptr<const Sampling>> of_frames; ///< null for those not chosen
    std::map<std::size_t, InputError> lost; ///< null as well: HDF5 cannot read their trajectory
};

[[noreturn]] inline void refuse(const Hdf5Reader& file, const std::string& thing,
                                const std::string& found, const std::string& expected,
                                const std::string& next_step) {
    throw InputError({file.path(), thing, found, expected, next_step});
}

/// Of a volume on the grid, slowest dimension first.
Extents grid_extents(const Grid& grid);

/// Whether a volume of these extents can serve a scan on this grid: of as many dimensions, or of
/// three for the slices of two.
bool has_dimensions_of(const Grid& like, const Extents& extents);

/// Where the volumes of a dataset are, of these extents: where the
/// file's attributes say. Without a field of view they have that of `like`.
Grid grid_of_volumes(const Hdf5Reader& file, const std::string& dataset, const Extents& extents,
                     const Grid& like);

/// "[2, 3]": where element `flat` of an array lies.
std::string place(std::size_t flat, const Extents& extents);

/// InputError when a value of a dataset is not finite.
void require_finite(const Hdf5Reader& file, const std::string& name, std::size_t element,
                    double value);

/// Attributes format and version: that this program can read the rest.
void check_format(const Hdf5Reader& file);

/// That every name in the file is one that the format knows.
void check_names(const Hdf5Reader& file);

/// Attributes matrix, fov_mm, position and directions; of the first two what the user says in place
/// of them. `remarks` gets what the user should know of it.
Grid read_grid(const Hdf5Reader& file, const ReadOptions& options,
               std::vector<std::string>& remarks);

/// InputError when the host cannot hold what a reconstruction needs at once: the samples of one
/// frame and the coil maps in their own precision, trajectories of the chosen frames, Q, and the
/// volumes of the solver.
void require_memory(const Hdf5Reader& file, const Grid& grid, const ReadOptions& options);

/// Of /voxels, positions of the grid's dimensions.
std::vector<Vec3> read_voxels(const Hdf5Reader& file, const Grid& grid);

/// What the user says, or the attribute of /trajectory.
std::string trajectory_units(const Hdf5Reader& file, const ReadOptions& options);

/// /trajectory, /phi, /weights and /times. Frames whose trajectories are equal share theirs.
Samplings read_samplings(const Hdf5Reader& file, const Grid& grid, const ReadOptions& options);

/// What /samples declares, without its values; without /samples the frames have no coils, which is
/// enough for Q.
std::vector<Frame> read_frames(const Hdf5Reader& file, const Samplings& samplings);

/// The values of /samples of one frame, C x M.
CoilRows read_samples(const Hdf5Reader& file, std::size_t frame);

} // namespace lsrecon::native
