// Makes the system of a problem on the device, or on the CPU where the device has no room.

#include "encoding/least_squares.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "base/numbers.hpp"
#include "device/host_device.hpp"
#include "encoding/methods.hpp"
#include "encoding/solve.hpp"
#include "solve/conjugate_gradient.hpp"

namespace lsrecon {

namespace {

/// The precision of conjugate gradients on the device of the transforms, or of splitting. Splitting
/// needs no more precision than the transforms: its conjugate gradients begin anew before rounding
/// can show.
Precision precision_of_solver(Transforms& transforms,
                              const std::vector<RegulariserChoice>& regularisers) {
    return need_splitting(regularisers) ? transforms.precision() : transforms.solver_precision();
}

/// Why a device with `room` left, in bytes, cannot hold this; "" where it can.
std::string no_room(const Device& device, double room, const Cost& needed) {
    constexpr double mib = 1024 * 1024;
    if (needed.device_bytes <= room && needed.largest_array <= device.largest_array()) {
        return "";
    }
    const double may_be_used = needed.device_bytes > device.memory() ? device.memory() : room;
    return text("it needs ", std::ceil(needed.device_bytes / mib), " MiB (largest buffer ",
                std::ceil(needed.largest_array / mib), " MiB); ", std::floor(may_be_used / mib),
                " MiB are available (largest buffer ", std::floor(device.largest_array() / mib),
                " MiB)");
}

/// The expected number of inner iterations in one iteration of splitting. It grows where samples
/// are missing, and in volumes, whose corners no trajectory reaches. Fitted (docs/performance.md,
/// predictions).
double expected_inner_iterations(std::size_t samples, const SystemShape& shape) {
    constexpr double least = 1;
    constexpr double most = most_inner_iterations;
    const Grid& grid = shape.grid;
    // Coils together see each voxel often enough for the preconditioner.
    const bool together = shape.maps > 1;
    const double usual = together ? 3.2 : grid.dimensions == 3 ? 6.2 : 5.2;
    const double missing = static_cast<double>(grid.voxels()) / static_cast<double>(samples);
    return std::clamp(usual * std::pow(missing, together ? 0.2 : 0.3), least, most);
}

} // namespace

WhereSolved where_solved(Transforms& transforms, const SystemShape& shape,
                         const SolveOptions& options) {
    const Precision precision = precision_of_solver(transforms, options.regularisers);
    const Device& device = transforms.device();
    std::string why_not;
    if (!method_of(options).solves) {
        return {precision, true, ""};
    }
    if (solver_of(options).on_device) {
        why_not = no_room(device, device.memory(),
                          cost_of_least_squares(device, shape, precision, options.regularisers,
                                                options.precondition));
        if (why_not.empty()) {
            return {precision, true, ""};
        }
    }
    return {Precision::float64, false, why_not};
}

void note_move_to_cpu(const Transforms& transforms, const std::string& why) {
    transforms.report({Found::solver_on_cpu, {}, {{"why", why}}});
}

Cost cost_of_least_squares(const Device& device, const SystemShape& shape, Precision precision,
                           const std::vector<RegulariserChoice>& regularisers, bool precondition) {
    const Grid& grid = shape.grid;
    const std::size_t voxels = shape.sets * grid.voxels();
    const bool by_cg = precondition && !need_splitting(regularisers);
    const std::size_t maps_at_once =
        std::min(shape.maps, Embedding(grid, device.in_host_memory()).batch(shape.maps, precision));
    Cost solve = cost_of_conjugate_gradient(voxels, precision, by_cg) +
                 CoilMaps::cost(maps_at_once, voxels) +
                 static_cast<double>(volumes_of(regularisers, grid)) *
                     Cost::array(voxels, Element{true, precision}.bytes());
    if (by_cg) { // that of splitting is in its volumes
        solve += Preconditioner::cost(voxels, precision, shape.maps > 1);
    }
    if (shape.sets > 1) { // parts of N, of the preconditioner and of the terms
        const std::size_t of_terms = volumes_of(regularisers, grid) > 0 ? 2 : 0;
        solve += static_cast<double>(5 + of_terms) *
                 Cost::array(voxels, Element{true, precision}.bytes());
    }
    if (shape.is_symmetric) { // squares, conjugate, K and K^H K
        solve += 4.0 * Cost::array(voxels, Element{true, precision}.bytes());
    }
    const std::size_t of_t = shape.sets > 1 ? 1 : shape.maps; // T of sets is that of no maps
    const Cost gram = shape.terms > 1
                          ? cost_of_time_terms_gram(device, grid, precision, shape.terms, of_t)
                          : ToeplitzWorkspace::cost(device, grid, precision, of_t) +
                                Toeplitz::cost(device, grid, precision);
    return gram + in_turn(Toeplitz::cost_of_making(device, grid, precision), solve);
}

double seconds_of_least_squares(Transforms& transforms, const SamplePoints& points,
                                const SystemShape& shape, const SolveOptions& options,
                                bool through_q) {
    const Grid& grid = shape.grid;
    const MachineModel& machine = transforms.device().machine_model();
    const std::size_t maps = std::max<std::size_t>(1, shape.maps);
    const auto terms = static_cast<double>(std::max<std::size_t>(1, shape.terms));
    const bool split = need_splitting(options.regularisers);
    const Precision precision = precision_of_solver(transforms, options.regularisers);
    const auto convolution = [&](std::size_t of_maps) {
        return terms * Toeplitz::seconds(transforms.device(), grid, precision, of_maps);
    };
    const double making =
        through_q ? machine.making + Toeplitz::products_of_making * convolution(1) : 0;
    const double product =
        through_q ? convolution(maps)
                  : 2 * static_cast<double>(maps) *
                        transforms.predict("f", points, Voxels::of_grid(grid), precision).seconds;
    const double numbers = static_cast<double>(shape.sets * grid.voxels()) *
                           slowdown_of(precision, transforms.device().in_host_memory());
    if (!split) {
        return making + options.iterations * (product + numbers * machine.pass);
    }
    const double splitting =
        passes_of(options.regularisers, grid, transforms.device().in_host_memory()) *
        (machine.shrink + numbers * machine.shrinking);
    const double inner = expected_inner_iterations(points.count(), shape);
    return making + options.iterations * (inner * (product + numbers * machine.pass) + splitting);
}

namespace {

std::unique_ptr<Preconditioner> make_preconditioner(const NormalOperator& n,
                                                    const SolveOptions& settings, Device& device,
                                                    Precision precision, CoilMaps& maps,
                                                    const RealVector* seen,
                                                    SharedWorkspaces& shared) {
    const bool split = need_splitting(settings.regularisers);
    if (n.preconditioner_q() == nullptr || !(settings.precondition || split)) {
        return nullptr;
    }
    const CoilRows& coil_maps = n.encoding().images().coil_maps;
    const double squares = maps.given() ? sum_of_squares(coil_maps).mean : 1;
    if (!shared.basis) {
        shared.basis = preconditioner_kind(split).make_basis(
            device, n.encoding().formulation().grid, precision);
    }
    auto inverse = std::make_unique<Preconditioner>(device, *n.preconditioner_q(), precision,
                                                    shared.basis, squares, settings.lambda, &maps);
    if (!split) {
        inverse->raise_to_mean();
    }
    if (seen != nullptr) {
        inverse->restrict_to(*seen);
    }
    return inverse;
}

/// These positions and their negatives, of which an image with a symmetry has the samples, too.
std::vector<Vec3> with_negatives(std::vector<Vec3> positions) {
    const std::size_t count = positions.size();
    positions.reserve(2 * count);
    for (std::size_t m = 0; m < count; ++m) {
        const Vec3& k = positions[m];
        positions.push_back({-k[0], -k[1], -k[2]});
    }
    return positions;
}

std::unique_ptr<System> make_system(const NormalOperator& n, const SolveOptions& settings,
                                    const KnownImage& known, Device& device, Precision precision,
                                    CoilMaps& maps, SharedWorkspaces& shared) {
    const Encoding& encoding = n.encoding();
    std::unique_ptr<Gram> gram = n.gram(device, precision, maps, shared.toeplitz);
    const RealVector by_voxel = maps.given() ? seen_by(encoding.images().coil_maps) : RealVector();
    const bool sees_all = by_voxel.size() == 0 || by_voxel.minCoeff() > 0;
    const RealVector* const seen = sees_all ? nullptr : &by_voxel;
    const std::vector<Vec3>& positions = encoding.trajectory().positions;
    const std::vector<Vec3> both_sides =
        known.symmetry ? with_negatives(positions) : std::vector<Vec3>();
    std::vector<RegulariserTerm> terms = make_regularisers(
        settings.regularisers, {device, precision, encoding.formulation().grid, known.prior,
                                known.symmetry ? &both_sides : &positions, seen, maps.sets()});
    if (known.symmetry) {
        Symmetry symmetry = *known.symmetry;
        if (need_splitting(settings.regularisers)) {
            symmetry.share = 0; // tv and others know more of the real part than its energy
        }
        RegulariserTerm term;
        term.k = std::make_unique<TowardsReal>(device, precision, symmetry);
        term.weight = known.symmetry->weight;
        term.is_real_linear = true;
        terms.push_back(std::move(term));
    }
    std::unique_ptr<Preconditioner> inverse =
        make_preconditioner(n, settings, device, precision, maps, seen, shared);
    return std::make_unique<System>(device, precision, std::move(gram), settings.lambda,
                                    std::move(terms), std::move(inverse));
}

/// On the transforms' device; null, with a note, where it has no room.
std::unique_ptr<System> make_system_on_device(const NormalOperator& n, const SolveOptions& settings,
                                              const KnownImage& known) {
    Transforms& transforms = n.encoding().transforms();
    Device& device = transforms.device();
    CoilMaps& maps = n.encoding().images().maps;
    const Formulation& formulation = n.encoding().formulation();
    const Precision precision = precision_of_solver(transforms, settings.regularisers);
    try {
        if (formulation.through_q) {
            const Cost needed = cost_of_least_squares(
                device,
                {formulation.grid, maps.count(), n.terms(), maps.sets(), known.symmetry != nullptr},
                precision, settings.regularisers, settings.precondition);
            if (needed.device_bytes > device.room()) {
                maps.stream();
            }
            if (const std::string why = no_room(device, device.room(), needed); !why.empty()) {
                throw DeviceError(why);
            }
        }
        SharedWorkspaces own;
        return make_system(n, settings, known, device, precision, maps, own);
    } catch (const Error& error) {
        note_move_to_cpu(transforms, error.what());
        return nullptr;
    }
}

} // namespace

ReferenceSystem make_reference_system(const NormalOperator& n, const SolveOptions& settings,
                                      const KnownImage& known) {
    ReferenceSystem result;
    SharedWorkspaces own;
    result.device = make_reference_device();
    result.maps = std::make_unique<CoilMaps>(*result.device, n.encoding().images().coil_maps,
                                             n.encoding().voxels());
    result.system =
        make_system(n, settings, known, *result.device, Precision::float64, *result.maps, own);
    return result;
}

LeastSquares::LeastSquares(const NormalOperator& n, const SolveOptions& settings, KnownImage known)
    : n_(n), settings_(settings), known_(std::move(known)),
      on_device_(solver_of(settings).on_device ? make_system_on_device(n, settings, known_)
                                               : nullptr),
      reference_(on_device_ ? ReferenceSystem() : on_reference()) {}

std::unique_ptr<System> make_kept_system(const NormalOperator& n, const SolveOptions& settings,
                                         const KnownImage& known, SharedWorkspaces& shared,
                                         std::optional<Precision> precision) {
    Transforms& transforms = n.encoding().transforms();
    CoilMaps& maps = n.encoding().images().maps;
    if (!shared.basis && shared.needed > transforms.device().room()) {
        maps.stream();
    }
    const Precision of_system =
        precision.value_or(precision_of_solver(transforms, settings.regularisers));
    return make_system(n, settings, known, transforms.device(), of_system, maps, shared);
}

std::unique_ptr<System> in_precision_of_transforms(const NormalOperator& n,
                                                   const SolveOptions& settings) {
    Transforms& transforms = n.encoding().transforms();
    Device& device = transforms.device();
    const Precision precision = transforms.precision();
    if (precision == precision_of_solver(transforms, settings.regularisers) ||
        !n.by_convolutions()) {
        return nullptr;
    }
    CoilMaps& maps = n.encoding().images().maps;
    const Cost needed = cost_of_least_squares(
        device, {n.encoding().formulation().grid, maps.count(), n.terms(), maps.sets()}, precision,
        {}, false);
    if (!no_room(device, device.room(), needed).empty()) {
        return nullptr;
    }
    std::shared_ptr<ToeplitzWorkspace> workspace;
    return std::make_unique<System>(device, precision, n.gram(device, precision, maps, workspace),
                                    settings.lambda);
}

} // namespace lsrecon
