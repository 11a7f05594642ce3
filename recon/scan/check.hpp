#pragma once

#include <functional>
#include <string>

#include "scan/scan.hpp"

namespace lsrecon {

/// The shape of a scan, known before any value is read.
struct ScanShape {
    std::string file;
    std::string name_of_grid; ///< name in messages, as its format has it
    Grid grid; ///< grid of the image
    std::size_t coils = 1;
    std::size_t coil_maps = 0; ///< number of coil maps in the file
};

/// InputError when the host has no room for a reconstruction of one frame without options on the
/// host, in double precision: for who reads a scan without knowing what will be done with it.
void require_room(const ScanShape& shape);

/// The strict contract on values and sizes, the same for every format: finite numbers,
/// sizes that agree, |k| <= 1.05 N/2, voxels within 10 fields of view, weights >= 0 and at least
/// one sample that is not zero. InputError with the first violation. Samples that have not been
/// read yet are left to SampleCheck (scan/check_samples.hpp). For an image of another `matrix`,
/// whose N/2 samples may exceed, |k| <= N of the larger one.
void check(const Scan& scan, const std::vector<std::size_t>& matrix = {});

/// InputError about a part of the scan, which the message calls as the scan's format does.
[[noreturn]] void refuse_part(const Scan& scan, const std::string& name, const std::string& found,
                              const std::string& expected, const std::string& next);

/// InputError that names a value that is NaN or infinite, and where it stands.
[[noreturn]] void refuse_bad_value(const Scan& scan, const std::string& name, double value,
                                   const std::string& at);

/// InputError that names the first value, by its row and column, that is NaN, infinite or near it.
void require_finite_values(
    const Scan& scan, const std::string& name, const CoilRows& values,
    const std::function<std::string(std::size_t row, std::size_t column)>& place);

/// InputError when the scan has a trajectory but no samples: enough for Q, not for an image.
void require_samples(const Scan& scan);

} // namespace lsrecon
