#include "solve/joint_room.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "base/error.hpp"
#include "base/numbers.hpp"
#include "plan/embedding.hpp"
#include "scan/place.hpp"

namespace lsrecon {

namespace {

constexpr double mib = 1024 * 1024;

std::size_t samplings_of(const Scan& scan, const std::vector<std::size_t>& stack) {
    std::set<const Sampling*> samplings;
    for (const std::size_t f : stack) {
        samplings.insert(scan.frames[f].sampling.get());
    }
    return samplings.size();
}

} // namespace

JointMemory joint_memory(const Grid& grid, std::size_t coils, bool with_maps, Precision precision,
                         std::size_t frames, std::size_t samplings, const SolveOptions& options) {
    const std::size_t problems = with_maps ? 1 : std::max<std::size_t>(coils, 1);
    // F^H d of every problem beside the images of one
    const std::size_t of_each = volumes_of_each_frame(options.regularisers, grid) + problems;
    const SolverMemory device =
        joint_memory(grid, with_maps ? coils : 1, precision, {frames, samplings, of_each});
    const auto values = static_cast<double>(frames * grid.voxels());
    const double in_stacks = 2 * 2 * static_cast<double>(bytes_of(precision)); // before and after
    // The image, as it was before the last iterations, and as it is written.
    const double finished = 2 * sizeof(Complex) + sizeof(std::complex<float>);
    const double eigenvalues = // of the preconditioners, a set for each term
        static_cast<double>(samplings * (1 + options.regularisers.size()) *
                            Embedding(grid).points() * sizeof(double));
    return {device.total, device.largest_array, values * (in_stacks + finished) + eigenvalues};
}

JointRoom require_joint_room(Backend& backend, const Scan& scan, const Grid& grid,
                             std::size_t coils, bool with_maps, const SolveOptions& options,
                             const MemoryLimit& limit) {
    Device& device = backend.device();
    std::size_t elsewhere = 0; // frames of other places, which are finished before or after
    const auto needed = [&](std::size_t frames, std::size_t samplings) {
        JointMemory memory = joint_memory(grid, coils, with_maps, backend.precision(), frames,
                                          std::min(frames, samplings), options);
        memory.on_host += device.in_host_memory() ? memory.on_device : 0;
        memory.on_host +=
            static_cast<double>(elsewhere * grid.voxels() * sizeof(std::complex<float>));
        return memory;
    };
    const auto fits = [&](const JointMemory& memory) {
        return memory.on_device <= device.memory() &&
               memory.largest_array <= device.largest_array() && memory.on_host <= limit.bytes;
    };
    JointRoom room;
    for (const std::vector<std::size_t>& stack : stacks_of(scan)) {
        const std::size_t samplings = samplings_of(scan, stack);
        elsewhere = scan.frames.size() - stack.size();
        if (stack.size() == 1) {
            throw UsageError(
                text(flags_over_frames(options.regularisers), ": ",
                     scan.frames.size() == 1 ? "the scan" : "a place",
                     " has one frame, and its penalty is on what frames have in common"
                     "\n  next:     use --reg tv or wavelet, cut a long readout series "
                     "by --spokes-per-frame, or choose frames of one place"));
        }
        const JointMemory memory = needed(stack.size(), samplings);
        if (!fits(memory)) {
            std::size_t fewer = stack.size();
            while (fewer > 0 && !fits(needed(fewer, samplings))) {
                --fewer;
            }
            throw InputError(
                {scan.file, "frames that are solved together",
                 text(stack.size(), " of ", by(grid.size, grid.dimensions), " voxels with ",
                      samplings, " trajectories, which need ", std::ceil(memory.on_device / mib),
                      " MiB of the device's memory and ", std::ceil(memory.on_host / mib),
                      " MiB of the host's"),
                 text("at most ", fewer, ", which fit into the ", std::floor(device.memory() / mib),
                      " MiB of the device that may be used and ", std::floor(limit.bytes / mib),
                      " MiB of ", limit.whose),
                 "choose some with --frames, take a smaller --matrix, or leave " +
                     flags_over_frames(options.regularisers) + " out"});
        }
        if (memory.on_device > room.on_device) {
            room = {memory.on_device,
                    text(stack.size(), " frames with ", samplings,
                         samplings == 1 ? " trajectory" : " trajectories", " are solved together: ",
                         std::ceil(memory.on_device / mib), " MiB of the device's memory, ",
                         std::ceil(memory.on_host / mib), " MiB of the host's")};
        }
    }
    return room;
}

} // namespace lsrecon
