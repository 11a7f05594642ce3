#pragma once

#include "io/formats.hpp"
#include "scan/off_resonance.hpp"

// /field_map, /r2star and /times of the native scan file, checked as native_scan_parts.hpp says.

namespace lsrecon::native {

/// That what off-resonance needs is there, or none of it.
void require_times(const Hdf5Reader& file, const ReadOptions& options);

/// /times, s.
RealVector read_times(const Hdf5Reader& file, std::size_t samples);

/// /field_map, Hz, and /r2star, 1/s, where there is one; of this shape, which is `where`.
OffResonance read_field_map(const Hdf5Reader& file, const std::vector<std::size_t>& expected,
                            const std::string& where);

} // namespace lsrecon::native
