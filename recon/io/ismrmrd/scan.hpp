#pragma once

#include "base/input_file.hpp"
#include "io/formats.hpp"
#include "scan/scan.hpp"

namespace lsrecon {

/// The images of an ISMRMRD file as frames; docs/ismrmrd.md says what becomes of every field.
/// The file is opened for reading only and never changed. InputError with the first thing wrong.
ScanHeader open_ismrmrd(const std::shared_ptr<const Hdf5Reader>& opened,
                        const ReadOptions& options);

/// Opens ISMRMRD data from a stream (io/ismrmrd/stream.hpp).
ScanHeader open_ismrmrd_stream(const InputFile& file, const ReadOptions& options);

} // namespace lsrecon
