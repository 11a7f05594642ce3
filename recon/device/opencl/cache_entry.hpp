#pragma once

#include <string>
#include <vector>

#include "device/opencl/cl.hpp"

namespace lsrecon::opencl {

/// FOLDER/HASH.bin in the cache folder, for what was compiled for this device: the hash is of the
/// program's version, the device, its driver and `parts`.
std::string cache_entry_path(const std::string& folder, const cl::Device& device,
                             const std::vector<std::string>& parts);

/// The hash in its name.
std::string key_of_entry(const std::string& path);

/// Empty for an entry that is missing, broken or under the wrong name: a driver may abort the
/// process on a broken one (seen with PoCL 3.1), so it must never see one.
std::vector<unsigned char> read_cache_entry(const std::string& path);

/// Makes the entry's folder. Returns whether it can be written: asking PoCL for a program to keep
/// makes it compile each kernel once more, for any size of work-groups.
bool can_keep_cache_entry(const std::string& path);

/// Writes into the folder that can_keep_cache_entry() made, beside the entry, and renames into
/// place, so that processes may write at the same time. A cache that cannot be written costs time
/// at the next start, not this run.
void write_cache_entry(const std::string& path, const void* bytes, std::size_t size);

} // namespace lsrecon::opencl
