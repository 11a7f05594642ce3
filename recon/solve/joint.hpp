#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "base/machine.hpp"
#include "engines/transforms.hpp"
#include "solve/solve.hpp"

namespace lsrecon {

/// A frame of those that are solved together, once its samples are transformed.
struct JointFrame {
    std::size_t index = 0; ///< in the scan
    Frame about = {}; ///< without samples
    std::shared_ptr<System> system = nullptr; ///< one for frames that were sampled alike
    std::vector<Volume> fhd = {}; ///< its right-hand sides; given away
    double error = 0; ///< of its transforms
    Monitor monitor = nullptr;
};

/// Minimises over the images rho_f of all frames, in their order,
///
///     sum over f of Q_f(0) / q (1/2 rho_f^H A_f rho_f - Re(rho_f^H b_f) + terms) + joint terms
///
/// with everything in units of Q_f(0) as in solve(), and q its mean: a frame of more samples counts
/// more (solve/splitting.hpp). s of every term is the largest voxel of all frames
/// (System::first_image). Coils without maps are one such problem after another. The stage "solve".
std::vector<Solved> solve_jointly(std::vector<JointFrame>& frames, const CoilRows& coil_maps,
                                  const SolveOptions& options, Reporter& report);

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
JointRoom require_joint_room(Transforms& transforms, const Scan& scan, const Grid& grid,
                             std::size_t coils, bool with_maps, const SolveOptions& options,
                             const MemoryLimit& limit = memory_limit());

} // namespace lsrecon
