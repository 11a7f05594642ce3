#pragma once

#include "base/error.hpp"
#include "engines/transforms.hpp"
#include "plan/embedding.hpp"
#include "scan/host_memory.hpp"
#include "solve/conjugate_gradient.hpp"

namespace lsrecon {

/// What the memory of normal equations depends on.
struct SystemShape {
    Grid grid;
    std::size_t maps; ///< coil maps; 0 and 1 for none
    std::size_t terms = 1; ///< of the normal operator off resonance; 0 and 1 for a single Q
};

/// Bytes of a device that a system and its solve take.
SolverMemory memory_of_solver(const SystemShape& shape, Precision precision,
                              const std::vector<RegulariserChoice>& regularisers,
                              bool precondition);
/// DeviceError when that is more than there is: `room`, of all that may be used.
void require_room(const Device& device, double room, const SolverMemory& needed);

/// Of conjugate gradients and of splitting on the transforms' device: alternating directions need
/// no more than the transforms, since their conjugate gradients begin anew before rounding can
/// show.
Precision precision_of_solver(Transforms& transforms,
                              const std::vector<RegulariserChoice>& regularisers);

void note_move_to_cpu(const Transforms& transforms, const Error& why);
/// Notes that the solver will run on the CPU when the transforms' device cannot hold it, whatever
/// else it holds: known before anything is read.
void note_room_of_solver(Transforms& transforms, const SystemShape& shape,
                         const SolveOptions& options);

/// A frame, from its samples to its image.
struct SolveShape {
    SystemShape system;
    std::size_t problems = 1; ///< without maps one a coil
    std::size_t coils = 1;
    std::size_t samples = 0; ///< of a coil
    std::size_t segments = 0; ///< of time, of the transform off resonance
    bool replicas = false; ///< a noise map follows

    /// Where the engine divides off-resonance in time: raises the terms and segments to upper
    /// estimates of what these samples need.
    void expect(const Transforms& transforms, const RealVector& times,
                const OffResonance& off_resonance);
};

/// Adds what the host holds while a frame is solved beside what was read: on a device whose memory
/// is the host's all of its arrays, else images alone, and where the device has no room the solver
/// on the CPU; more where transforms of samples take more than the solve. A fifth is added for what
/// the allocator keeps; measured with 64^3 to 160^3 voxels and 1536^2, processes grew by 0.8 to 1.0
/// of the sum (docs/performance.md). `about_grid` is what messages call the grid.
void add_solve(HostMemory& memory, Transforms& transforms, const SolveShape& shape,
               const SolveOptions& options, const std::string& about_grid);

} // namespace lsrecon
