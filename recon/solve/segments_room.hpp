#pragma once

#include "base/machine.hpp"
#include "scan/scan.hpp"

namespace lsrecon {

/// InputError when the host has no room for the time segments (engines/segments.hpp) of a frame of
/// the scan beside its volumes, by the expected number of segments.
void require_room_of_segments(const Scan& scan, const MemoryLimit& limit = memory_limit());

} // namespace lsrecon
