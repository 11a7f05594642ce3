#pragma once

#include <mutex>

namespace lsrecon {

/// Keeps other threads from HDF5, which has one state for all of a process: they wait before they
/// write with it, and before they fork a child that reads with it and begins with a copy of that
/// state. A thread may hold it several times.
std::unique_lock<std::recursive_mutex> alone_with_hdf5();

} // namespace lsrecon
