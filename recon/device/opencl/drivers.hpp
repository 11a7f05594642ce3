// OpenCL's drivers: their devices, and the cache that PoCL keeps.

#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/finding.hpp"
#include "base/folders.hpp"
#include "device/devices.hpp"
#include "device/opencl/cl.hpp"

namespace lsrecon::opencl {

/// The folder where PoCL keeps the programs that it compiles. Without such a folder PoCL has no
/// devices, and with a full one it aborts the process.
struct DriverCache {
    std::string folder; ///< "" when there is none
    std::string passed_over; ///< folders in front of it and what is wrong with them, a line each
};

/// The first of the folders that can be made and written, and has room.
DriverCache choose_driver_cache(const std::vector<std::string>& folders);

bool is_pocl(const cl::Platform& platform);
bool is_pocl(const cl::Device& device);

/// $POCL_CACHE_DIR, else `pocl` in our own cache folder, else in private_folder(). Chosen at the
/// first call, which must come before PoCL is asked for its devices, and passed to PoCL in that
/// variable. It is our own folder, because other programs do not take lock_driver_cache().
const DriverCache& driver_cache();

/// The message for the case that PoCL's cache may be the cause of a failure; "" when it cannot be.
std::string trouble_with_driver_cache();

/// Keeps other processes from a program in the driver's cache while this one builds or loads it.
/// PoCL (3.1) removes a file before it renames the new one into its place, and looks for a
/// program's binary by reading its folder: a second process sees a half-written state and fails or
/// crashes. Null for other drivers. `key` is a hash of the program; `on_finding` is called when
/// another process holds the lock for too long.
std::unique_ptr<FileLock> lock_driver_cache(const cl::Device& device, const std::string& key,
                                            const OnFinding& on_finding);

/// The handles of list_devices(), in the same order.
std::vector<cl::Device> device_handles();

/// The message when there is no device: `platforms` are those that the loader knows, `trouble` is
/// trouble_with_driver_cache() when PoCL is one of them.
std::string no_device_message(const std::vector<std::string>& platforms,
                              const std::string& trouble);

DeviceInfo describe(const cl::Device& device, int index);

} // namespace lsrecon::opencl
