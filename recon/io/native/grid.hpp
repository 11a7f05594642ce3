// Grids, and volumes on them, as a native scan shares them with other HDF5 files.

#pragma once

#include <string>
#include <vector>

#include "base/error.hpp"
#include "io/formats.hpp"
#include "io/hdf5/reader.hpp"
#include "scan/voxels.hpp"

// Each function throws InputError with the first thing that is wrong.

namespace lsrecon::native {

using Extents = std::vector<std::size_t>;

[[noreturn]] inline void refuse(const Hdf5Reader& file, const std::string& thing,
                                const std::string& found, const std::string& expected,
                                const std::string& next_step) {
    throw InputError({file.path(), thing, found, expected, next_step});
}

/// An attribute of `count` finite numbers.
std::vector<double> header_numbers(const Hdf5Reader& file, const std::string& object,
                                   const std::string& name, std::size_t count,
                                   const std::string& expected);
/// Attribute fov_mm, lengths above 0, one a dimension of the grid.
void read_fov(const Hdf5Reader& file, const std::string& object, Grid& grid);
/// Attributes position and directions, where they are.
void read_pose(const Hdf5Reader& file, const std::string& object, Grid& grid);

/// Root attributes matrix, fov_mm, position and directions; of the first two what the user says in
/// place of them. `findings` gets what the user should know of it.
Grid read_grid(const Hdf5Reader& file, const ReadOptions& options, Findings& findings);

/// The extents of a volume on the grid, slowest dimension first.
Extents grid_extents(const Grid& grid);
/// The extents of an image of a scan, [N] for /voxels.
Extents image_extents(const Scan& scan);

/// Whether a volume of these extents can serve a scan on this grid: of as many dimensions, or of
/// three for the slices of two.
bool has_dimensions_of(const Grid& like, const Extents& extents);

/// The grid of the volumes of a dataset of these extents, as the file's attributes say. Without a
/// field of view it has that of `like`.
Grid grid_of_volumes(const Hdf5Reader& file, const std::string& dataset, const Extents& extents,
                     const Grid& like);

/// Finite numbers of these extents, which are `meaning`, with their unit as an attribute.
RealVector read_with_units(const Hdf5Reader& file, const std::string& name, const Extents& expected,
                           const std::string& meaning, const std::string& units);

/// /field_map, Hz, and /r2star, 1/s, where there is one; of this shape, which is `where`.
OffResonance read_field_map(const Hdf5Reader& file, const Extents& expected,
                            const std::string& where);

/// The positions of /voxels, of the grid's dimensions.
std::vector<Vec3> read_voxels(const Hdf5Reader& file, const Grid& grid);

/// Checks that a value of a dataset is finite.
void require_finite(const Hdf5Reader& file, const std::string& name, std::size_t element,
                    double value);

} // namespace lsrecon::native
