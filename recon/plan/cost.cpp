// Adds up the bytes of each part of a solve on host and device, and refuses a reconstruction for
// which there is no room.

#include "plan/cost.hpp"

#include <algorithm>
#include <cmath>

#include "base/numbers.hpp"
#include "encoding/choose_weight.hpp"
#include "encoding/methods.hpp"
#include "encoding/noise_map.hpp"
#include "encoding/solve.hpp"
#include "engines/pieces.hpp"
#include "engines/segments.hpp"
#include "engines/time_terms.hpp"
#include "model/prepared_frames.hpp"
#include "plan/settle.hpp"
#include "scan/findings.hpp"
#include "scan/slice.hpp"
#include "scan/trajectories.hpp"
#include "solve/conjugate_gradient.hpp"

namespace lsrecon {

namespace {

std::string words_of(const Grid& grid) {
    return by(grid.size, grid.dimensions) + " voxels";
}

/// Coil maps that stay on the device.
Cost resident_maps(const Device& device, const SystemShape& shape) {
    const Cost all = CoilMaps::cost(shape.maps, shape.sets * shape.grid.voxels());
    return CoilMaps::stay(all.device_bytes, device.memory()) ? all : Cost();
}

/// From F^H d on.
Cost cost_of_solve(Transforms& transforms, const FrameShape& frame, const WhereSolved& where,
                   const SolveOptions& options) {
    const SystemShape& system = frame.system;
    const Grid& grid = system.grid;
    const auto problems = static_cast<double>(frame.problems);
    if (!method_of(options).solves) {
        // F^H d, the image before and after, its sum over coils; before that the half cells of
        // pipe_menon_cells().
        const auto voxels = static_cast<double>(grid.voxels());
        const double half_cells = std::pow(2.0, grid.dimensions) * voxels * sizeof(double);
        return problems * Cost::array(grid.voxels(), sizeof(Complex)) +
               resident_maps(transforms.device(), system) +
               Cost::on_host(std::max(half_cells, 3 * voxels * sizeof(Complex)));
    }
    const std::size_t unknowns = system.sets * grid.voxels();
    const auto terms = static_cast<double>(std::max<std::size_t>(1, system.terms));
    const bool of_preconditioner = terms > 1 && need_splitting(options.regularisers);
    Cost cost = (problems + static_cast<double>(frame.segments)) *
                    Cost::array(unknowns, Element{true, transforms.precision()}.bytes()) +
                (terms + (of_preconditioner ? 1 : 0)) * Q::cost(grid, transforms.precision()) +
                resident_maps(transforms.device(), system);
    Cost solver = cost_of_least_squares(transforms.device(), system, where.precision,
                                        options.regularisers, options.precondition);
    // The solution, a copy of it, the image before and as it is written, where the solver on the
    // CPU has less than it had when Q came; of several problems their sums.
    double volumes = frame.problems > 1 ? 2 : 0;
    if (where.on_device) {
        volumes += 3.5;
        cost += solver;
    } else { // The reference has complex numbers for real ones, and Q comes to it by two copies.
        solver += terms * Toeplitz::cost(transforms.device(), grid, where.precision) +
                  2 * Q::cost(grid, where.precision);
        cost += Cost::on_host(solver.device_bytes);
    }
    cost += Cost::on_host(volumes * static_cast<double>(unknowns * sizeof(Complex)));
    if (frame.noise_map) {
        cost += cost_of_noise_map(grid.voxels(), frame.problems);
        cost += cost_of_least_squares(transforms.device(), system, transforms.precision(),
                                      options.regularisers, options.precondition);
    }
    return cost;
}

/// The bytes of all trajectories, with phi, weights and times.
double bytes_of_trajectories(const Scan& scan) {
    double bytes = 0;
    for (const Trajectory* const trajectory : trajectories_of(scan.frames)) {
        bytes += static_cast<double>(trajectory->samples() * sizeof(Vec3)) +
                 static_cast<double>(trajectory->phi.size()) * sizeof(Complex) +
                 static_cast<double>(trajectory->weights.size() + trajectory->times.size()) *
                     sizeof(double);
    }
    return bytes;
}

FrameShape frame_of(const ReconstructOptions& options, const Grid& grid, std::size_t stored_coils,
                    std::size_t stored_maps) {
    const PrepareOptions& prepare = options.prepare;
    const std::size_t wanted = prepare.compression.coils;
    const std::size_t coils = wanted > 0 ? std::min(wanted, stored_coils) : stored_coils;
    const bool with_maps = !is_none(prepare.maps) &&
                           (stored_maps > 0 || stored_coils > 1 || !is_default(prepare.maps));
    FrameShape frame(grid, coils, with_maps);
    if (const auto* const method = std::get_if<const MapsMethod*>(&prepare.maps);
        with_maps && method != nullptr) {
        frame.system.sets = prepare.estimate.sets.value_or((*method)->sets.value_or(1));
    }
    frame.system.is_symmetric = options.conjugate_symmetry;
    frame.noise_map = options.noise_solves > 0 || options.snr_units;
    return frame;
}

/// Measured with a scan of 16 x 16 voxels: mostly PoCL's compiler, or that of a GPU's driver.
void add_program(HostMemory& memory, const Device& device) {
    const double bytes = device.in_host_memory() ? 116e6 : 230e6;
    memory.add("the program", "with its libraries", Cost::on_host(bytes));
    memory.add_reserved(reserved_addresses());
}

/// Pinned for copies to a GPU, and parts that are rounded on their way.
double bytes_of_copies(const Device& device, std::size_t samples) {
    constexpr std::size_t many = std::size_t(1) << 17;
    return device.in_host_memory() || samples < many ? 0 : 50e6;
}

Products products_of(const Transforms& transforms, bool field) {
    if (!field) {
        return Products::one_convolution;
    }
    return transforms.segment_error() > 0 ? Products::convolutions : Products::transforms;
}

} // namespace

void add_frame(HostMemory& memory, Transforms& transforms, const FrameShape& frame,
               const SolveOptions& options) {
    const WhereSolved where = where_solved(transforms, frame.system, options);
    const std::string size = words_of(frame.system.grid);
    double before = 0;
    const auto add = [&](const std::string& thing, const std::string& found, const Cost& cost,
                         const std::string& otherwise, double with_allocator = 1.2) {
        if (const double bytes = with_allocator * memory.bytes_of(cost); bytes > before) {
            memory.add(thing, found, Cost::on_host(bytes - before), otherwise);
            before = bytes;
        }
    };
    FrameShape part = frame;
    part.system.terms = 1;
    part.segments = 0;
    part.noise_map = false;
    SolveOptions plain = options;
    plain.regularisers.clear();
    add(frame.name, size, cost_of_solve(transforms, part, where, plain), "take a smaller `matrix`");
    add("`reg`", size, cost_of_solve(transforms, part, where, options), "leave `reg` out");
    part.system.terms = frame.system.terms;
    part.segments = frame.segments;
    add("off-resonance",
        text("up to ", frame.system.terms, " terms of the normal operator on ", size),
        cost_of_solve(transforms, part, where, options),
        "pass `field_map` none, or `kernel` tuned, which has no terms");
    add("the noise map", size, cost_of_solve(transforms, frame, where, options),
        "leave the noise map out");
    // Before the solve, beside the maps, in few arrays. An engine on the host has positions of its
    // own.
    Cost fhd = cost_of_fhd(transforms, frame.coils, frame.samples, frame.system.grid.voxels());
    if (frame.engine_bytes > 0) {
        fhd.device_bytes = std::max(
            0.0, fhd.device_bytes - bytes_of_positions(frame.samples, frame.system.grid.voxels()));
    }
    add("the transform of the samples",
        text(frame.samples, " samples of each of ", counted(frame.coils, "coil")),
        fhd + Cost::on_host(frame.engine_bytes) + resident_maps(transforms.device(), frame.system),
        "compress the coils (`coils`)", 1.1);
}

Cost cost_of_frames(const Device& device, const FrameShape& frame, Precision precision,
                    std::size_t frames, std::size_t trajectories, const SolveOptions& options) {
    const Grid& grid = frame.system.grid;
    const std::size_t voxels = grid.voxels();
    const Embedding embedding(grid, device.in_host_memory());
    const std::size_t maps = std::max<std::size_t>(1, frame.system.maps);
    const Cost volume = Cost::array(voxels, Element{true, precision}.bytes());
    const std::size_t circulant = Embedding(grid, true).points(); // of the preconditioner
    const Cost eigenvalues = Cost::array(circulant, Element{false, precision}.bytes());
    const Cost one_at_a_time =
        in_turn(Toeplitz::cost_of_making(device, grid, precision),
                cost_of_conjugate_gradient(voxels, precision, false) + volume + // of the basis
                    CoilMaps::cost(std::min(maps, embedding.batch(maps, precision)), voxels));
    // F^H d of every problem beside the images of one
    const std::size_t of_each = volumes_of_each_frame(options.regularisers, grid) + frame.problems;
    // Two stacks, before and after; the image, the one before the last iterations, the written one.
    const double of_voxel = static_cast<double>(2 * Element{true, precision}.bytes() +
                                                2 * sizeof(Complex) + sizeof(std::complex<float>));
    const double on_host = // with those of the preconditioners, a set for each term
        static_cast<double>(trajectories * (1 + options.regularisers.size()) * circulant *
                            sizeof(double));
    return ToeplitzWorkspace::cost(device, grid, precision, maps) + one_at_a_time +
           static_cast<double>(trajectories) *
               (Toeplitz::cost(device, grid, precision) + eigenvalues) +
           static_cast<double>(frames * of_each) * volume +
           Cost::on_host(static_cast<double>(frames * voxels) * of_voxel + on_host);
}

namespace {

bool fits(const Device& device, const MemoryLimit& limit, const Cost& cost) {
    return cost.device_bytes <= device.memory() && cost.largest_array <= device.largest_array() &&
           HostMemory(device.in_host_memory()).bytes_of(cost) <= limit.bytes;
}

} // namespace

MemoryBudget require_joint_budget(const Transforms& transforms, const Scan& scan,
                                  const FrameShape& frame, const SolveOptions& options,
                                  const MemoryLimit& limit) {
    constexpr double mib = 1024 * 1024;
    const Device& device = transforms.device();
    const std::size_t all = scan.frames.size();
    const HostMemory host(device.in_host_memory());
    MemoryBudget budget;
    for (const Slice& slice : slices_of(scan)) {
        const std::size_t frames = slice.frames().size();
        const std::size_t trajectories = slice.trajectories.size();
        if (frames == 1) {
            throw UsageError(text(
                flags_over_frames(options.regularisers), ": ", all == 1 ? "the scan" : "a slice",
                " has one frame, and its penalty is on what frames have in common"
                "\n  next:     use `reg` tv or wavelet, cut a long readout series "
                "by `spokes_per_frame`, or choose frames of one slice"));
        }
        const Cost elsewhere = // frames of other slices, which are finished before or after
            Cost::on_host(static_cast<double>((all - frames) * frame.system.grid.voxels() *
                                              sizeof(std::complex<float>)));
        const auto needed = [&](std::size_t some) {
            return cost_of_frames(device, frame, transforms.precision(), some,
                                  std::min(some, trajectories), options) +
                   elsewhere;
        };
        const Cost cost = needed(frames);
        const std::string on_device = text(std::ceil(cost.device_bytes / mib), " MiB");
        const std::string on_host = text(std::ceil(host.bytes_of(cost) / mib), " MiB");
        if (!fits(device, limit, cost)) {
            std::size_t fewer = frames;
            while (fewer > 0 && !fits(device, limit, needed(fewer))) {
                --fewer;
            }
            throw InputError(
                {scan.file, "frames that are solved together",
                 text(frames, " of ", words_of(frame.system.grid), " with ", trajectories,
                      " trajectories, which need ", on_device, " of the device's memory and ",
                      on_host, " of the host's"),
                 text("at most ", fewer, ", which fit into the ", std::floor(device.memory() / mib),
                      " MiB of the device that may be used and ", std::floor(limit.bytes / mib),
                      " MiB of ", limit.whose),
                 "choose some with `frames`, take a smaller `matrix`, or leave " +
                     flags_over_frames(options.regularisers) + " out"});
        }
        if (cost.device_bytes > budget.on_device) {
            budget = {cost.device_bytes,
                      text(frames, " frames with ", trajectories,
                           trajectories == 1 ? " trajectory" : " trajectories",
                           " are solved together: ", on_device, " of the device's memory, ",
                           on_host, " of the host's")};
        }
    }
    return budget;
}

bool may_be_joint(const Transforms& transforms, const ReconstructOptions& options, const Scan& scan,
                  const FrameShape& frame) {
    const std::vector<Slice> slices = slices_of(scan);
    const bool has_series = std::any_of(
        slices.begin(), slices.end(), [](const Slice& slice) { return slice.frames().size() > 1; });
    if (!may_be_regularised(options) || has_open_weight(options) || !has_series ||
        options.certify > 0 || options.noise_solves > 0 || options.snr_units ||
        options.conjugate_symmetry || options.prepare.keep_coils) {
        return false;
    }
    SolveOptions settings = options.solve;
    settings.regularisers.insert(settings.regularisers.end(), {{"tv", 0}, {"ttv", 0}});
    try {
        require_joint_budget(transforms, scan, frame, settings);
    } catch (const Error&) {
        return false;
    }
    const std::size_t frames = std::min(most_frames_of_weight, scan.frames.size());
    return std::all_of(regularisers().begin(), regularisers().end(), [&](const Regulariser& row) {
        settings.regularisers = options.solve.regularisers;
        settings.regularisers.push_back({row.name, 0});
        return !row.may_be_weighed ||
               fits(transforms.device(), memory_limit(),
                    cost_of_frames(transforms.device(), frame, transforms.precision(), frames,
                                   frames, settings));
    });
}

void require_room(Transforms& transforms, const ReconstructOptions& options,
                  const ScanShape& shape) {
    if (need_all_frames(options.solve.regularisers)) {
        return; // which frames there are is not known yet
    }
    FrameShape frame = frame_of(options, shape.grid, shape.coils, shape.coil_maps);
    frame.coils = 1; // how many samples each has is not known yet
    frame.name += ", by " + shape.name_of_grid;
    const SolveOptions settings = settle(
        options, {products_of(transforms, false), unit_roundoff(transforms.solver_precision())});
    const WhereSolved where = where_solved(transforms, frame.system, settings);
    if (!where.why_not.empty()) {
        note_move_to_cpu(transforms, where.why_not);
    }
    HostMemory memory(transforms.device().in_host_memory());
    add_frame(memory, transforms, frame, settings);
    add_program(memory, transforms.device());
    memory.require(shape.file);
}

FrameShape shape_of(Transforms& transforms, const ReconstructOptions& options, const Scan& scan,
                    const Grid& grid, const OffResonance* field) {
    FrameShape frame = frame_of(options, grid, scan.coils(), scan.coil_maps.rows());
    for (const Trajectory* const trajectory : trajectories_of(scan.frames)) {
        const std::vector<Vec3>& k = trajectory->positions;
        frame.engine_bytes =
            std::max(frame.engine_bytes,
                     transforms.predict("fhd", k, Voxels::of_grid(grid)).host_bytes +
                         transforms.predict("q", k, Voxels::half_differences(grid)).host_bytes);
        if (field != nullptr && trajectory->times.size() > 0 && transforms.segment_error() > 0) {
            const RealVector& times = trajectory->times;
            frame.system.terms = std::max(frame.system.terms, expected_time_terms(times, *field));
            frame.segments = std::max(frame.segments,
                                      static_cast<std::size_t>(expected_segments(times, *field)));
        }
    }
    frame.samples = scan.most_samples();
    return frame;
}

SolveFacts solve_facts(Transforms& transforms, const ReconstructOptions& options, const Scan& scan,
                       const Grid& grid, bool field) {
    FrameShape frame = frame_of(options, grid, scan.coils(), scan.coil_maps.rows());
    frame.samples = scan.most_samples();
    return {products_of(transforms, field), unit_roundoff(transforms.solver_precision()),
            may_be_joint(transforms, options, scan, frame),
            too_large_to_weigh(transforms, options, scan, frame)};
}

void add_samples(HostMemory& memory, const Device& device, const FrameShape& frame,
                 const Scan& scan) {
    memory.add(scan.name_of("trajectory"), counted(scan.frames.size(), "frame"),
               Cost::on_host(bytes_of_trajectories(scan)));
    const std::size_t each = 2 * bytes_of(scan.frames.front().samples.precision());
    const auto of_frame = static_cast<double>(scan.coils() * frame.samples * each);
    // Frames among which the reference frame is chosen are kept until they are solved.
    const auto others =
        static_cast<double>(std::min(most_frames_to_compare, scan.frames.size()) - 1);
    memory.add(scan.name_of("samples"),
               text(frame.samples, " samples of each of ", counted(scan.coils(), "coil")),
               Cost::on_host(of_frame +
                             std::min(others * of_frame, PreparedFrames::most_kept_bytes()) +
                             bytes_of_copies(device, frame.samples)));
    add_program(memory, device);
}

void add_scan(HostMemory& memory, Transforms& transforms, const FrameShape& frame,
              const SolveOptions& options, const Scan& scan) {
    add_samples(memory, transforms.device(), frame, scan);
    if (frame.system.maps > 0) {
        memory.add("coil maps", text(frame.coils, " on the grid of the image"),
                   Cost::on_host(CoilMaps::cost(frame.system.maps,
                                                frame.system.sets * frame.system.grid.voxels())
                                     .device_bytes),
                   "compress the coils (`coils`)");
    }
    add_frame(memory, transforms, frame, options);
}

double device_bytes(Transforms& transforms, const FrameShape& frame, const SolveOptions& options) {
    const WhereSolved where = where_solved(transforms, frame.system, options);
    return std::max(
        cost_of_solve(transforms, frame, where, options).device_bytes,
        (cost_of_fhd(transforms, frame.coils, frame.samples, frame.system.grid.voxels()) +
         resident_maps(transforms.device(), frame.system))
            .device_bytes);
}

namespace {

SolveOptions solve_of(const Candidate& candidate, SolveOptions options) {
    options.regularisers = candidate.regularisers;
    return options;
}

/// The equations of what is held out, beside those of what is kept.
Cost cost_of_held_out(const Transforms& transforms, const Grid& grid) {
    constexpr double volumes = 4; // F^H d and an image, of both
    const Precision precision = transforms.precision();
    return Q::cost(grid, precision) + Toeplitz::cost(transforms.device(), grid, precision) +
           volumes * Cost::array(grid.voxels(), Element{true, precision}.bytes());
}

} // namespace

void add_choice(HostMemory& memory, Transforms& transforms, const FrameShape& frame,
                const SolveOptions& options, const Candidate& candidate, const Scan& scan) {
    add_scan(memory, transforms, frame, solve_of(candidate, options), scan);
    memory.add("held-out samples", "of the choice", cost_of_held_out(transforms, frame.system.grid),
               "name a `reg` with its weight");
}

double device_bytes_of_choice(Transforms& transforms, const FrameShape& frame,
                              const SolveOptions& options, const Candidate& candidate) {
    return device_bytes(transforms, frame, solve_of(candidate, options)) +
           cost_of_held_out(transforms, frame.system.grid).device_bytes;
}

std::uint64_t too_large_to_weigh(Transforms& transforms, const ReconstructOptions& options,
                                 const Scan& scan, const FrameShape& frame) {
    const Device& device = transforms.device();
    std::uint64_t too_large = 0;
    std::uint64_t bit = 1;
    for (const Regulariser& row : regularisers()) {
        if (row.may_be_weighed && !row.couples_frames) {
            Candidate candidate{options.solve.regularisers, options.solve.lambda};
            candidate.regularisers.push_back({row.name, 0});
            HostMemory memory(device.in_host_memory());
            add_choice(memory, transforms, frame, options.solve, candidate, scan);
            const bool has_room =
                memory.fits() &&
                (device.in_host_memory() || device_bytes_of_choice(transforms, frame, options.solve,
                                                                   candidate) <= device.memory());
            too_large |= has_room ? 0 : bit;
        }
        bit *= 2;
    }
    return too_large;
}

void require_room(Transforms& transforms, const ReconstructOptions& options, const Scan& scan,
                  const Grid& grid, const OffResonance* field, HostMemory memory) {
    if (field != nullptr) { // turns in a wrong unit would need terms beyond any memory
        require_few_turns(scan, field->scaled(options.prepare.field_scale));
    }
    if (need_all_frames(options.solve.regularisers)) {
        memory.add(scan.name_of("trajectory"), counted(scan.frames.size(), "frame"),
                   Cost::on_host(bytes_of_trajectories(scan)));
        memory.require(scan.file);
        MemoryLimit left = memory_limit();
        left.bytes -= memory.bytes();
        left.whose += " beside trajectories and what slices are taken from";
        const FrameShape frame = frame_of(options, grid, scan.coils(), scan.coil_maps.rows());
        require_joint_budget(transforms, scan, frame, options.solve, left);
        return;
    }
    add_scan(memory, transforms, shape_of(transforms, options, scan, grid, field),
             settle(options, solve_facts(transforms, options, scan, grid, field != nullptr)), scan);
    memory.require(scan.file);
}

} // namespace lsrecon
