#include "solve/solver_room.hpp"

#include <algorithm>
#include <cmath>

#include "base/numbers.hpp"
#include "engines/pieces.hpp"
#include "engines/segments.hpp"
#include "engines/time_terms.hpp"
#include "scan/voxels.hpp"
#include "solve/solvers.hpp"

namespace lsrecon {

namespace {

/// Of the image's size, beside those of conjugate gradients.
std::size_t more_volumes(const SystemShape& shape,
                         const std::vector<RegulariserChoice>& regularisers, bool precondition) {
    // The preconditioned residual, a period and half a volume by which it is multiplied; half a
    // volume of what maps see, and the residual there.
    const std::size_t of_inverse = shape.maps > 1 ? 4 : 3;
    return volumes_of(regularisers, shape.grid) +
           (precondition && !need_splitting(regularisers) ? of_inverse : 0);
}

/// Where a solve takes where.
struct WhereSolved {
    Precision precision;
    bool on_device;
};

/// On the device that was asked for, where it has room.
WhereSolved where_solved(Transforms& transforms, const SystemShape& shape,
                         const SolveOptions& options) {
    const Precision precision = precision_of_solver(transforms, options.regularisers);
    const Device& device = transforms.device();
    const SolverMemory needed =
        memory_of_solver(shape, precision, options.regularisers, options.precondition);
    const bool fits =
        needed.total <= device.memory() && needed.largest_array <= device.largest_array();
    return solver_of(options).on_device && fits ? WhereSolved{precision, true}
                                                : WhereSolved{Precision::float64, false};
}

/// Coil maps that stay on the device (operators/coil_maps.hpp).
double resident_maps(const Device& device, const SystemShape& shape) {
    const double bytes =
        static_cast<double>(shape.maps * shape.grid.voxels() * sizeof(std::complex<float>));
    return 2 * bytes <= device.memory() ? bytes : 0;
}

/// Of F^H of as many coils at a time as it takes (engines/piecewise.hpp).
double bytes_of_transform(Transforms& transforms, const SolveShape& shape) {
    const Device& device = transforms.device();
    const Grid& grid = shape.system.grid;
    const PieceSizes at_a_time =
        fit_pieces({shape.coils, shape.samples, grid.voxels(), 1}, device.memory(),
                   device.largest_array(), transforms.precision());
    return bytes_of_pieces(at_a_time, transforms.precision());
}

double bytes_of_solver(const SystemShape& shape, const WhereSolved& where,
                       const SolveOptions& options) {
    const double needed =
        memory_of_solver(shape, where.precision, options.regularisers, options.precondition).total;
    if (where.on_device) {
        return needed;
    }
    // The reference has complex numbers for real ones, and Q comes to it by two copies.
    const Embedding embedding(shape.grid);
    const auto terms = static_cast<double>(std::max<std::size_t>(1, shape.terms));
    const double spectra = static_cast<double>(embedding.points() * embedding.parities.size());
    const auto half = static_cast<double>(Voxels::half_differences(shape.grid).count());
    return needed + terms * spectra * sizeof(double) + 2 * half * sizeof(Complex);
}

} // namespace

SolverMemory memory_of_solver(const SystemShape& shape, Precision precision,
                              const std::vector<RegulariserChoice>& regularisers,
                              bool precondition) {
    return solver_memory(shape.grid, shape.maps, precision,
                         more_volumes(shape, regularisers, precondition),
                         std::max<std::size_t>(1, shape.terms));
}

void require_room(const Device& device, double room, const SolverMemory& needed) {
    constexpr double mib = 1024 * 1024;
    if (needed.total > room || needed.largest_array > device.largest_array()) {
        const double may_be_used = needed.total > device.memory() ? device.memory() : room;
        throw DeviceError(text("it needs ", std::ceil(needed.total / mib), " MiB (largest buffer ",
                               std::ceil(needed.largest_array / mib), " MiB); ",
                               std::floor(may_be_used / mib), " MiB are available (largest buffer ",
                               std::floor(device.largest_array() / mib), " MiB)"));
    }
}

Precision precision_of_solver(Transforms& transforms,
                              const std::vector<RegulariserChoice>& regularisers) {
    return need_splitting(regularisers) ? transforms.precision() : transforms.solver_precision();
}

void note_move_to_cpu(const Transforms& transforms, const Error& why) {
    transforms.note(text("the solver runs on the CPU in double precision: ", why.what()));
}

void note_room_of_solver(Transforms& transforms, const SystemShape& shape,
                         const SolveOptions& options) {
    const Device& device = transforms.device();
    try {
        require_room(device, device.memory(),
                     memory_of_solver(shape, precision_of_solver(transforms, options.regularisers),
                                      options.regularisers, options.precondition));
    } catch (const DeviceError& error) {
        note_move_to_cpu(transforms, error);
    }
}

void SolveShape::expect(const Transforms& transforms, const RealVector& times,
                        const OffResonance& off_resonance) {
    if (times.size() > 0 && transforms.segment_error() > 0) {
        system.terms = std::max(system.terms, expected_time_terms(times, off_resonance));
        segments =
            std::max(segments, static_cast<std::size_t>(expected_segments(times, off_resonance)));
    }
}

void add_solve(HostMemory& memory, Transforms& transforms, const SolveShape& shape,
               const SolveOptions& options, const std::string& about_grid) {
    constexpr double with_allocator = 1.2;
    double sum = 0;
    const auto add = [&](const std::string& thing, const std::string& found, double bytes,
                         const std::string& otherwise) {
        sum += bytes;
        memory.add(thing, found, with_allocator * bytes, otherwise);
    };
    const SystemShape& system = shape.system;
    const Grid& grid = system.grid;
    const std::string size = by(grid.size, grid.dimensions) + " voxels";
    const auto volume = static_cast<double>(grid.voxels() * sizeof(Complex));
    const auto problems = static_cast<double>(shape.problems);
    const bool here = transforms.device().in_host_memory();
    const WhereSolved where = where_solved(transforms, system, options);
    const double of_transform = static_cast<double>(2 * bytes_of(transforms.precision()));
    const double of_voxels = of_transform * static_cast<double>(grid.voxels());
    const double of_q = of_transform * static_cast<double>(Voxels::half_differences(grid).count());

    // The solution, a copy of it, the image before and as it is written, where the solver on the
    // CPU has less than it had when Q came; of several problems their sums.
    double plain = (shape.problems > 1 ? 2 : 0) * volume + (where.on_device ? 3.5 : 0) * volume;
    SystemShape of_one = system;
    of_one.terms = 1;
    SolveOptions without = options;
    without.regularisers.clear();
    const bool solves_here = here || !where.on_device;
    plain += here ? problems * of_voxels + of_q + resident_maps(transforms.device(), system) : 0;
    plain += solves_here ? bytes_of_solver(of_one, where, without) : 0;
    add(about_grid, size, plain, "take a smaller `matrix`");
    if (!options.regularisers.empty() && solves_here) {
        add("`reg`", size,
            bytes_of_solver(of_one, where, options) - bytes_of_solver(of_one, where, without),
            "leave `reg` out");
    }
    if (system.terms > 1) {
        const auto more = static_cast<double>(system.terms - 1);
        const double of_preconditioner = need_splitting(options.regularisers) ? of_q : 0;
        double bytes =
            here ? more * of_q + of_preconditioner + static_cast<double>(shape.segments) * of_voxels
                 : 0;
        bytes += solves_here ? bytes_of_solver(system, where, options) -
                                   bytes_of_solver(of_one, where, options)
                             : 0;
        add("off-resonance",
            text("up to ", system.terms, " terms of the normal operator on ", size), bytes,
            "pass `field_map` none, or `kernel` tuned, which has no terms");
    }
    if (shape.replicas) { // mean, squares and image, F^H d with noise on the host, and their sum
        add("the noise map", size, (4.5 + problems) * volume, "leave the noise map out");
    }
    // Samples are transformed before the solve, beside the maps.
    const double of_samples =
        here ? bytes_of_transform(transforms, shape) + resident_maps(transforms.device(), system)
             : 0;
    if (of_samples > sum) {
        add("the transform of the samples",
            text(shape.samples, " samples of each of ", counted(shape.coils, "coil")),
            of_samples - sum, "compress the coils (`coils`)");
    }
}

} // namespace lsrecon
