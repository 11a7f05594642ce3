// The program's own scan file, read and written; writer.cpp writes.

#pragma once

#include <optional>
#include <string>

#include "io/formats.hpp"
#include "scan/scan.hpp"

namespace lsrecon {

class Hdf5Writer;

/// The program's own scan file, docs/formats.md. Nothing in it is ignored: what the format does
/// not know is refused, since a misspelt dataset would otherwise give a wrong image in silence.
/// Any other format is refused by its name.
bool recognises_native(const Hdf5Reader& file);

constexpr const char* simulation_attribute = "simulation"; ///< Simulation::settings
/// Simulation::settings of a scan; "" of any other file, or where there is none.
std::string settings_of_simulation(const std::string& path);

ScanHeader open_native(const std::shared_ptr<const Hdf5Reader>& opened, const ReadOptions& options);

/// Matrix, field of view, position and directions as root attributes.
void write_grid(Hdf5Writer& file, const Grid& grid);
/// Field of view, position and directions as attributes of an object.
void write_pose(Hdf5Writer& file, const std::string& object, const Grid& grid);
/// The positions of off-grid voxels as /voxels.
void write_voxels(Hdf5Writer& file, const Grid& grid, const std::vector<Vec3>& voxels);

/// /coil_maps, /field_map, /r2star and /voxels, those that there are.
void write_image_side(Hdf5Writer& file, const Scan& scan, Precision stored = Precision::float32);

/// Writes the program's own scan file, docs/formats.md: trajectory in cycles/fov as float64,
/// samples, noise and coil maps as complex64 or complex128, phi as complex64, weights as float64.
/// Frames that share one Trajectory are stored with one trajectory [M,D], others with one each,
/// [F,M,D]. Frames are of one size, share phi, weights and times, and have no positions of their
/// own. The bound of the relative error and the settings are those of Simulation.
void write_native_scan(const std::string& path, const Scan& scan,
                       std::optional<double> simulation_error = {},
                       const std::string& settings = "", Precision stored = Precision::float32);

} // namespace lsrecon
