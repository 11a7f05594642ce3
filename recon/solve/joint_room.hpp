#pragma once

#include "base/machine.hpp"
#include "engines/backend.hpp"
#include "solve/conjugate_gradient.hpp"

namespace lsrecon {

/// Bytes that frames need while they are solved together.
struct JointMemory {
    double on_device; ///< images and multipliers of each, Q of each sampling
    double largest_array;
    double on_host; ///< the stack of images, and those that are finished
};
JointMemory joint_memory(const Grid& grid, std::size_t coils, bool with_maps, Precision precision,
                         std::size_t frames, std::size_t samplings, const SolveOptions& options);

/// For regularisers that couple the frames of each place (scan/place.hpp), before the values
/// of any are read: UsageError for a place of one frame, InputError that says how many would fit
/// when the device or the host has no room for those of a place. Returns what the largest place
/// needs. The grid is that of the images, and the coils those that are left after compression.
/// Without maps each is a problem.
struct JointRoom {
    double on_device = 0; ///< bytes
    std::string words; ///< "20 frames ... are solved together: 30 MiB ..."
};
JointRoom require_joint_room(Backend& backend, const Scan& scan, const Grid& grid,
                             std::size_t coils, bool with_maps, const SolveOptions& options,
                             const MemoryLimit& limit = memory_limit());

} // namespace lsrecon
