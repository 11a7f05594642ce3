#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "backend/opencl/cl.hpp"
#include "base/file_lock.hpp"

namespace lsrecon::opencl {

using Note = std::function<void(const std::string&)>;

/// Where PoCL keeps what it compiles. Without such a folder it has no devices, and with a full one
/// it aborts the process.
struct DriverCache {
    std::string folder; ///< "" when there is none
    std::string passed_over; ///< places in front of it and what is wrong with them, a line each
};

/// The first of the places that can be made, written and has room.
DriverCache choose_driver_cache(const std::vector<std::string>& places);

bool is_pocl(const cl::Platform& platform);
bool is_pocl(const cl::Device& device);

/// $POCL_CACHE_DIR, else `pocl` in our own cache folder, else in private_folder(). Chosen at the
/// first call, which must come before PoCL is asked for its devices, and told to PoCL by that
/// variable. Ours, because nobody but us would take the lock of lock_driver_cache().
const DriverCache& driver_cache();

/// What a message says when the cache of PoCL may be the cause; "" when it cannot.
std::string trouble_with_driver_cache();

/// Keeps other processes from a program in the driver's cache while this one builds or loads it.
/// PoCL (3.1) removes a file before it renames the new one into its place, and reads the folder of
/// a program for its binary: a second process finds a part of that, fails or crashes. Null for
/// other drivers. `key` is a hash of the program; `note` is told of a process that does not let go.
std::unique_ptr<FileLock> lock_driver_cache(const cl::Device& device, const std::string& key,
                                            const Note& note);

} // namespace lsrecon::opencl
