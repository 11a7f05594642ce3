#pragma once

#include <string>

#include "backend/backend.hpp"
#include "io/q_file.hpp"
#include "scan/scan.hpp"

namespace lsrecon {

/// How an output was made: version, the run's settings, device, driver, kernel and the hash of its
/// source, the scan, its format and its SHA-256, remarks on reading.
Record make_record(const Scan& scan, const BackendInfo& backend, const Record& settings);

} // namespace lsrecon
