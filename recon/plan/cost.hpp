// The memory that a reconstruction takes, by its frames, solver and choices.

#pragma once

#include <string>

#include "encoding/least_squares.hpp"
#include "plan/options.hpp"
#include "plan/settle.hpp"
#include "scan/check.hpp"
#include "scan/host_memory.hpp"

namespace lsrecon {

/// A frame, from its samples to its image.
struct FrameShape {
    FrameShape(const Grid& grid, std::size_t of_coils, bool with_maps)
        : system{grid, with_maps ? of_coils : 0}, problems(with_maps ? 1 : of_coils),
          coils(of_coils) {}

    SystemShape system;
    std::size_t problems; ///< without maps one a coil
    std::size_t coils;
    std::size_t samples = 0; ///< of a coil
    std::size_t segments = 0; ///< of time, of the transform off resonance
    double engine_bytes = 0; ///< of the host, that transforms of the largest sampling hold
    bool noise_map = false;
    std::string name = "the image and its solver"; ///< for messages
};

/// Adds what is in memory while a frame is solved, beside what was read: a part for each thing that
/// the user may leave out.
/// A fifth is added for what the allocator keeps, a tenth where arrays are few and large; measured
/// with 64^3 to 160^3 voxels and 1536^2, processes grew by 0.8 to 1.0 of the sum
/// (docs/performance.md).
void add_frame(HostMemory& memory, Transforms& transforms, const FrameShape& frame,
               const SolveOptions& options);

/// The largest frame of a scan without samples. `field` is null without off-resonance.
FrameShape shape_of(Transforms& transforms, const ReconstructOptions& options, const Scan& scan,
                    const Grid& grid, const OffResonance* field);
/// The facts that decide about the solve of a scan whose slices are like the first.
SolveFacts solve_facts(Transforms& transforms, const ReconstructOptions& options, const Scan& scan,
                       const Grid& grid, bool field);
/// Adds the trajectories, the samples of a frame, and the program.
void add_samples(HostMemory& memory, const Device& device, const FrameShape& frame,
                 const Scan& scan);
/// Adds what add_samples() adds, the maps, and what add_frame() adds.
void add_scan(HostMemory& memory, Transforms& transforms, const FrameShape& frame,
              const SolveOptions& options, const Scan& scan);
/// The bytes that a solve holds on the device at most.
double device_bytes(Transforms& transforms, const FrameShape& frame, const SolveOptions& options);

/// The memory of frames that are solved together. They have so many trajectories.
Cost cost_of_frames(const Device& device, const FrameShape& frame, Precision precision,
                    std::size_t frames, std::size_t trajectories, const SolveOptions& options);

/// For regularisers that couple the frames of each slice (scan/slice.hpp), before the values
/// of any are read: UsageError for a slice of one frame, InputError that says how many would fit
/// when the device or the host has no room for those of a slice. Returns what the largest slice
/// needs.
struct MemoryBudget {
    double on_device = 0; ///< bytes
    std::string words; ///< "20 frames ... are solved together: 30 MiB ..."
};
MemoryBudget require_joint_budget(const Transforms& transforms, const Scan& scan,
                                  const FrameShape& frame, const SolveOptions& options,
                                  const MemoryLimit& limit = memory_limit());
/// Whether `reg` auto may choose such regularisers: all slices have room for the largest of them,
/// and for every other one by the frames that choose, and nothing is asked for that a single frame
/// alone has.
bool may_be_joint(const Transforms& transforms, const ReconstructOptions& options, const Scan& scan,
                  const FrameShape& frame);

/// Adds what is in memory while held-out samples weigh this candidate and it is solved.
void add_choice(HostMemory& memory, Transforms& transforms, const FrameShape& frame,
                const SolveOptions& options, const Candidate& candidate, const Scan& scan);
double device_bytes_of_choice(Transforms& transforms, const FrameShape& frame,
                              const SolveOptions& options, const Candidate& candidate);
/// Regularisers that are not weighed because the host or the device has no room for them
/// (SolveFacts::too_large).
std::uint64_t too_large_to_weigh(Transforms& transforms, const ReconstructOptions& options,
                                 const Scan& scan, const FrameShape& frame);

/// From shapes alone, before any value is read: InputError when the host has no room for a
/// reconstruction. Notes that the solver will run on the CPU when the device has none.
void require_room(Transforms& transforms, const ReconstructOptions& options,
                  const ScanShape& shape);

/// Once everything but samples is known, which `memory` has more of: InputError as above, and as of
/// require_joint_budget. The image is on `grid`. The number of terms of off-resonance is an upper
/// estimate from the extremes of the times and of the field, or null; the device is asked for the
/// exact number when the solver is made.
void require_room(Transforms& transforms, const ReconstructOptions& options, const Scan& scan,
                  const Grid& grid, const OffResonance* field, HostMemory memory);

} // namespace lsrecon
