#include "solve/joint.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "base/numbers.hpp"
#include "plan/embedding.hpp"
#include "scan/place.hpp"

namespace lsrecon {

namespace {

/// What problem p of all frames has in common.
struct Scales {
    double norm = 0; ///< largest ||F^H d|| / Q(0), and
    double image = 0; ///< of the frames' images, largest voxel, see System::first_image
    double mean_unit = 0; ///< of Q(0)
};

Scales scales_of(const std::vector<JointFrame>& frames, std::size_t p) {
    Scales scales;
    for (const JointFrame& frame : frames) {
        const Volume& b = frame.fhd[p];
        const double unit = frame.system->unit();
        scales.norm = std::max(scales.norm, b.norm() / unit);
        scales.image =
            std::max(scales.image, frame.system->first_image(b).cwiseAbs().maxCoeff() / unit);
        scales.mean_unit += unit / static_cast<double>(frames.size());
    }
    return scales;
}

/// Of problem p of all frames, whose right-hand sides are given away.
std::vector<Solution> solve_problem(std::vector<JointFrame>& frames, std::size_t p,
                                    const SolveOptions& options, Reporter& report) {
    const Scales scales = scales_of(frames, p);
    const std::size_t of = frames.front().fhd.size();
    std::vector<SplitProblem> problems;
    for (JointFrame& frame : frames) {
        const double unit = frame.system->unit();
        problems.push_back(frame.system->split(std::move(frame.fhd[p]), scales.image * unit));
        problems.back().norm = scales.norm * unit;
        problems.back().x_norm = scales.norm;
        problems.back().share = unit / scales.mean_unit;
        SolveOptions of_frame = options;
        of_frame.monitor = frame.monitor;
        problems.back().monitor = monitor_of(p, of, of_frame, report);
    }
    System& any = *frames.front().system;
    return split_solve(any.device(), any.precision(), std::move(problems), options);
}

} // namespace

std::vector<Solved> solve_jointly(std::vector<JointFrame>& frames, const CoilRows& coil_maps,
                                  const SolveOptions& options, Reporter& report) {
    const Stage stage(report, "solve");
    for (JointFrame& frame : frames) {
        require_scale(*frame.system, frame.fhd, report);
    }
    const std::size_t problems = frames.front().fhd.size();
    std::vector<Solved> solved(frames.size());
    for (std::size_t p = 0; p < problems; ++p) {
        std::vector<double> norms;
        for (const JointFrame& frame : frames) {
            norms.push_back(frame.fhd[p].norm() / frame.system->unit());
        }
        std::vector<Solution> solutions = solve_problem(frames, p, options, report);
        for (std::size_t f = 0; f < frames.size(); ++f) {
            add(std::move(solutions[f]), norms[f], problems, solved[f]);
        }
    }
    for (std::size_t f = 0; f < frames.size(); ++f) {
        solved[f].solver = frames[f].system->description();
        clear_where_maps_are_zero(coil_maps, solved[f]);
    }
    return solved;
}

namespace {

constexpr double mib = 1024 * 1024;

} // namespace

JointMemory joint_memory(const Grid& grid, std::size_t coils, bool with_maps, Precision precision,
                         std::size_t frames, std::size_t samplings, const SolveOptions& options) {
    const std::size_t problems = with_maps ? 1 : std::max<std::size_t>(coils, 1);
    // F^H d of every problem beside the images of one
    const std::size_t of_each = volumes_of_each_frame(options.regularisers, grid) + problems;
    const Embedding embedding(grid);
    const auto real = static_cast<double>(bytes_of(precision));
    const auto points = static_cast<double>(embedding.points());
    const double spectra = points * real * static_cast<double>(embedding.parities.size());
    const SolverMemory of_one = // with a basis
        solver_memory(grid, with_maps ? coils : 1, precision, 1);
    const double of_sampling = spectra + points * real; // and eigenvalues of the preconditioner
    const auto values = static_cast<double>(frames * grid.voxels());
    const double on_device = of_one.total - spectra + static_cast<double>(samplings) * of_sampling +
                             static_cast<double>(of_each) * values * 2 * real;
    const double in_stacks = 2 * 2 * real; // before and after
    // The image, as it was before the last iterations, and as it is written.
    const double finished = 2 * sizeof(Complex) + sizeof(std::complex<float>);
    const double eigenvalues = // of the preconditioners, a set for each term
        static_cast<double>(samplings * (1 + options.regularisers.size()) * embedding.points() *
                            sizeof(double));
    return {on_device, of_one.largest_array, values * (in_stacks + finished) + eigenvalues};
}

JointRoom require_joint_room(Transforms& transforms, const Scan& scan, const Grid& grid,
                             std::size_t coils, bool with_maps, const SolveOptions& options,
                             const MemoryLimit& limit) {
    Device& device = transforms.device();
    std::size_t elsewhere = 0; // frames of other places, which are finished before or after
    const auto needed = [&](std::size_t frames, std::size_t samplings) {
        JointMemory memory = joint_memory(grid, coils, with_maps, transforms.precision(), frames,
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
    for (const Place& place : places_of(scan)) {
        const std::size_t samplings = place.samplings.size();
        const std::vector<std::size_t> stack = place.frames();
        elsewhere = scan.frames.size() - stack.size();
        if (stack.size() == 1) {
            throw UsageError(
                text(flags_over_frames(options.regularisers), ": ",
                     scan.frames.size() == 1 ? "the scan" : "a place",
                     " has one frame, and its penalty is on what frames have in common"
                     "\n  next:     use `reg` tv or wavelet, cut a long readout series "
                     "by `spokes_per_frame`, or choose frames of one place"));
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
                 "choose some with `frames`, take a smaller `matrix`, or leave " +
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
