// A scan of arrays that other programs wrote.

#pragma once

#include <string>
#include <vector>

#include "scan/scan.hpp"

namespace lsrecon {

/// A program's habits in arrays of trajectories.
struct ArrayConvention {
    std::string name;
    std::string summary;
    bool first_is_slowest; ///< columns of a trajectory: (z,) y, x in place of x, y (, z)
    std::string units; ///< "" where they are found from the range
};
const std::vector<ArrayConvention>& array_conventions();

/// What an array of samples may have as an axis: "frame", "coil", "readout", "sample", "part".
const std::vector<std::string>& sample_axes();

struct ImportOptions {
    std::vector<std::string> inputs; ///< FILE, or ROLE=FILE[:NAME]
    std::string convention; ///< name of a row; "" by the format of the trajectory's file
    std::string trajectory_units; ///< "" as the file or the convention says, or by the range
    std::vector<std::string>
        axes; ///< axes of the samples in the order of the program that wrote them
    std::vector<std::size_t> matrix; ///< none: that of maps or of the field map
    std::vector<double> fov_mm; ///< none: 1 mm a voxel
    bool low_resolution = false; ///< as of ReadOptions
};

/// The files of the inputs.
std::vector<std::string> files_of(const ImportOptions& options);

/// The scan that the arrays make, checked; its facts say how each was read. InputError when an
/// array is missing, does not fit or can be read in more than one way.
Scan import_arrays(const ImportOptions& options);
/// The trajectory of a sequence of Pulseq, the only input, without samples: along the gradient
/// axes that encode, on the field of view of its definitions, with the times from the excitation.
Scan import_sequence(const ImportOptions& options);

} // namespace lsrecon
