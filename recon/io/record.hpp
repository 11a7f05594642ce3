#pragma once

#include <string>

#include "engines/backend.hpp"
#include "io/q_file.hpp"
#include "scan/scan.hpp"

namespace lsrecon {

/// How an output was made: version, the run's settings, device, driver, kernel and the hash of its
/// source, the scan, its format and its SHA-256, remarks on reading.
Record make_record(const Scan& scan, const BackendInfo& backend, const Record& settings);

/// What frames depend on: the record without the time and the command, and without the
/// paths of files whose hashes it has.
Record identity_of(const Record& record);

} // namespace lsrecon
