#pragma once

#include <string>

#include "base/report.hpp"
#include "simulate/simulate.hpp"

namespace lsrecon {

/// UsageError when ISMRMRD cannot hold the scan, with or without samples: phi, weights, voxels off
/// the grid, calibration samples; numbers beyond its 16 bits; times that do not rise evenly from 0
/// at the sample nearest to the centre of k-space (center_sample), from which a reader counts them.
void require_ismrmrd_holds(const std::string& path, const Simulation& simulation);

/// ISMRMRD raw data in HDF5, as libismrmrd lays it out: /dataset/xml and /dataset/data, with an
/// acquisition a readout, trajectories in cycles/voxel as float32, samples in float32, frames as
/// repetitions, and noise in acquisitions of its own at the start. Coil maps, field map and r2star,
/// for which the format has no place, stand beside /dataset as the native scan file has them, which
/// is noted.
void write_ismrmrd_scan(const std::string& path, const Simulation& simulation, Reporter& report);

/// The XML header, by the schema of version 1.
std::string ismrmrd_header_of(const Simulation& simulation);

} // namespace lsrecon
