// What the tables of formats call for ISMRMRD: raw data is read and written, and images.
// without.cpp says that it is not built in.

#pragma once

#include "base/input_file.hpp"
#include "io/formats.hpp"
#include "io/image/formats.hpp"
#include "scan/scan.hpp"
#include "simulate/simulate.hpp"

namespace lsrecon {

/// The images of an ISMRMRD file as frames; docs/ismrmrd.md says what becomes of every field.
/// The file is opened for reading only and never changed. InputError with the first thing wrong.
ScanHeader open_ismrmrd(const std::shared_ptr<const Hdf5Reader>& opened,
                        const ReadOptions& options);

/// Whether the first messages of a file lead to a header in XML.
bool is_ismrmrd_stream(const InputFile& file);
/// Opens ISMRMRD data from a stream.
ScanHeader open_ismrmrd_stream(const InputFile& file, const ReadOptions& options);

/// UsageError when ISMRMRD cannot hold the scan, with or without samples: phi, weights, voxels off
/// the grid, calibration samples; numbers beyond its 16 bits; times that do not rise evenly from 0
/// at the sample nearest to the centre of k-space (center_sample), from which a reader counts them.
void require_ismrmrd_holds(const std::string& path, const Simulation& simulation);

/// ISMRMRD raw data in HDF5, as libismrmrd lays it out: /dataset/xml and /dataset/data, with an
/// acquisition a readout, trajectories in cycles/voxel as float32, samples in float32, frames as
/// repetitions, and noise in acquisitions of its own at the start. Coil maps, field map and r2star,
/// that the format cannot hold, stand beside /dataset as the native scan file has them, which
/// is noted.
void write_ismrmrd_scan(const std::string& path, const Simulation& simulation, Reporter& report);

/// ISMRMRD images in HDF5, as libismrmrd lays them out: /dataset/image_0 with header [F],
/// attributes [F] and data [F, 1, z, y, x], a frame each, with the counters of its label.
void write_mrd_images(const StoredImage& image, const ImageOutput& output, Reporter& report);

/// Whether an HDF5 file holds images in this layout, of any program, and no image or maps of
/// lsrecon: raw data may have both. InputError when it cannot be opened.
bool holds_mrd_images(const std::string& path);

/// Opens the images, one as each frame, with the label that write_mrd_images gave it or the
/// counters that vary. InputError for several series, channels or orientations.
StoredImage open_mrd_images(const std::string& path, const ImageInput& input);

} // namespace lsrecon
