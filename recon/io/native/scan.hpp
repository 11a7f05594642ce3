#pragma once

#include "io/formats.hpp"

namespace lsrecon {

/// The program's own scan file, docs/formats.md. Nothing in it is ignored: what the format does
/// not know is refused, since a misspelt dataset would otherwise give a wrong image in silence.
/// Any other format is refused by its name.
bool recognises_native(const Hdf5Reader& file);
ScanHeader open_native(const std::shared_ptr<const Hdf5Reader>& opened, const ReadOptions& options);

} // namespace lsrecon
