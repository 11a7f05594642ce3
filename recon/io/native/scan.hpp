#pragma once

#include "io/formats.hpp"

namespace lsrecon {

/// The program's own scan file, docs/formats.md. Nothing in it is ignored: what the format does
/// not know is refused, since a misspelt dataset would otherwise give a wrong image in silence.
/// Any other format is refused by its name.
bool recognises_native(const Hdf5Reader& file);

constexpr const char* simulation_attribute = "simulation"; ///< Simulation::settings
/// Simulation::settings of a scan; "" of any other file, or where there is none.
std::string settings_of_simulation(const std::string& path);

ScanHeader open_native(const std::shared_ptr<const Hdf5Reader>& opened, const ReadOptions& options);

} // namespace lsrecon
