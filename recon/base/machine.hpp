#pragma once

#include <string>

namespace lsrecon {

/// Physical memory of this machine in bytes.
double machine_memory_bytes();

/// Name of the processor and how many threads it runs at once, as the system tells them.
std::string processor_name();

/// "2026-01-31T23:59:59Z"
std::string utc_now();

} // namespace lsrecon
