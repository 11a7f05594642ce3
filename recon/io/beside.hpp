// The tables of what is read from files beside a scan: coil maps, field map, prior image, and
// numbers of samples.

#pragma once

#include <string>
#include <vector>

#include "io/formats.hpp"
#include "scan/stored_values.hpp"

namespace lsrecon {

/// What comes beside a scan in files of their own: one row a kind. A file is of any format that
/// holds such values, which its content shows.

/// A kind of volumes on a grid.
struct VolumesBeside {
    std::string name; ///< what messages call them
    std::string dataset; ///< their name in HDF5
    bool of_coils; ///< one volume a coil; otherwise there is one
    bool may_be_zero;
    bool real;
    std::string next_step; ///< for a file that does not serve
    /// Reads what HDF5 has beside the dataset, too, on a grid of these extents; null for no more.
    CoilRows (*of_hdf5)(const Hdf5Reader& file, const std::vector<std::size_t>& extents);
};

extern const VolumesBeside coil_maps_beside;
extern const VolumesBeside field_map_beside;
extern const VolumesBeside prior_image_beside;

/// Reads HDF5 with the row's dataset, NIfTI-1 or ISMRMRD images; also arrays that do not say where
/// they lie (.npy, BART's pair), which have the field of view of `like`, as has HDF5
/// without one. InputError when there are no such volumes, of as many dimensions as `like` or of
/// three for the slices of two; when a value is not finite, or all are zero and must not be.
StoredVolumes read_volumes(const VolumesBeside& row, const std::string& path, const Grid& like);
/// Bytes of the values as they are kept.
double bytes_of_volumes(const VolumesBeside& row, const std::string& path);

/// Numbers of samples: where, when and how much they count.
struct SampleValuesBeside {
    std::string name; ///< name of the option and of the dataset in HDF5
    std::string units; ///< units that HDF5 must name; "" for any
    std::string SamplesBeside::*file;
    bool by_dimension; ///< one number a dimension of the grid; otherwise one a sample
    void (*put)(Trajectory& trajectory, const std::vector<double>& values, const Vec3& factor);
};

const std::vector<SampleValuesBeside>& sample_values_beside();

/// Reads the values that `options` name, of all frames or of each, and puts them in place of
/// the scan's own. InputError when they do not fit its samples.
void put_sample_values(StoredScan& stored, const ReadOptions& options);

} // namespace lsrecon
