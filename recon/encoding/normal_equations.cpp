#include "encoding/normal_equations.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "base/numbers.hpp"
#include "device/reference_device.hpp"
#include "encoding/methods.hpp"
#include "encoding/misfit.hpp"
#include "encoding/solvers.hpp"
#include "operators/explicit_gram.hpp"
#include "operators/finite.hpp"
#include "scan/check_samples.hpp"
#include "solve/cg.hpp"

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

/// DeviceError for zeros of a sample that counts, of a coil that has a map.
void require_not_of_device(const std::vector<Volume>& fhd, const Sampling& sampling,
                           const CoilRows& samples, const CoilRows& coil_maps) {
    if (std::any_of(fhd.begin(), fhd.end(), [](const Volume& v) { return v.norm() > 0; })) {
        return;
    }
    for (std::size_t c = 0; c < samples.rows(); ++c) {
        const bool is_seen = coil_maps.empty() || !is_silent(coil_maps, c);
        for (std::size_t m = 0; is_seen && m < samples.columns(); ++m) {
            if (counts(sampling, m) && samples(c, m) != Complex(0)) {
                require_not_zero("fhd", 0);
            }
        }
    }
}

/// Weights by which F^H d is the image: cells / (N |phi|^2), 0 where phi is.
Density weighting(const CommonToFrames& common, const Sampling& sampling) {
    if (!common.density) {
        return {sampling.weights, ""};
    }
    Density density = common.density(sampling);
    density.cells /= static_cast<double>(common.formulation.grid.voxels());
    for (Eigen::Index m = 0; m < sampling.phi.size(); ++m) {
        const double square = std::norm(sampling.phi(m));
        density.cells(m) = square > 0 ? density.cells(m) / square : 0;
    }
    return density;
}

/// The expected number of inner iterations in one iteration of splitting. It grows where samples
/// are missing, and in volumes, whose corners no trajectory reaches. Fitted (docs/performance.md,
/// predictions).
double expected_inner_iterations(std::size_t samples, const Grid& grid) {
    constexpr double least = 1;
    constexpr double most = most_inner_iterations;
    const double usual = grid.dimensions == 3 ? 4.5 : 3.3;
    const double missing = static_cast<double>(grid.voxels()) / static_cast<double>(samples);
    return std::clamp(usual * std::pow(missing, 0.25), least, most);
}

} // namespace

NormalEquations::NormalEquations(PlaceEquations& place, const Sampling& sampling, Route route)
    : common_(place.common), maps_(place.maps), drawn_(place.drawn), sampling_(sampling),
      density_(weighting(common_, sampling)),
      through_q_(!common_.density && route == Route::q && common_.formulation.through_q &&
                 !common_.formulation.off_resonance),
      transform_(common_.transforms, sampling.points(), common_.formulation.voxels),
      factors_(common_.transforms.device(), common_.transforms.precision(), sampling.phi,
               density_.cells) {}

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
                          NormalEquations::cost(device, shape, precision, options.regularisers,
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

Cost NormalEquations::cost(const Device& device, const SystemShape& shape, Precision precision,
                           const std::vector<RegulariserChoice>& regularisers, bool precondition) {
    const Grid& grid = shape.grid;
    const std::size_t voxels = grid.voxels();
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
    const Cost gram =
        shape.terms > 1 ? cost_of_time_terms_gram(device, grid, precision, shape.terms, shape.maps)
                        : ToeplitzWorkspace::cost(device, grid, precision, shape.maps) +
                              Toeplitz::cost(device, grid, precision);
    return gram + in_turn(Toeplitz::cost_of_making(device, grid, precision), solve);
}

std::vector<Volume> NormalEquations::fhd_in_stage(const CoilRows& samples, Reporter& report) {
    const bool by_method = common_.method != nullptr && common_.method->fhd != nullptr;
    const Stage stage(report, by_method ? common_.method->name : "fhd",
                      by_method ? 0 : transform_.predicted("fhd", samples.rows()).seconds);
    return fhd(samples, report);
}

std::vector<Volume> NormalEquations::fhd(const CoilRows& samples, Listener listener) {
    const bool by_method = common_.method != nullptr && common_.method->fhd != nullptr;
    std::vector<Volume> volumes =
        by_method ? common_.method->fhd(common_.transforms, sampling_, density_.cells,
                                        common_.formulation.grid, samples, maps_, listener)
                  : compute_fhd(common_.transforms, transform_, factors_, samples, maps_, listener);
    require_not_of_device(volumes, sampling_, samples, common_.coil_maps);
    if (by_method) {
        return volumes;
    }
    error_ = std::max(error_, transform_.error());
    return volumes;
}

bool NormalEquations::are_certified() {
    return common_.certified == Certified::of_all ||
           (common_.certified == Certified::of_engines_not_exact &&
            !common_.transforms.engine_for(sampling_.points(), common_.formulation.voxels).exact);
}

Certificate NormalEquations::certify(const CoilRows& samples, const std::vector<Volume>& fhd,
                                     Reporter& report) {
    if (!are_certified()) {
        return {};
    }
    const Stage stage(report, "certify");
    return certify_fhd(sampling_, samples, common_.coil_maps, common_.formulation.voxels,
                       drawn_.draw(), fhd);
}

void NormalEquations::certify_gram(Certificate& certificate, Reporter& report) {
    if (certificate.voxels == 0) {
        return;
    }
    if (q() == nullptr) {
        certificate.gram = certificate.fhd;
        certificate.spread = 1;
        return;
    }
    if (!of_q_) {
        const Stage stage(report, "certify");
        of_q_.emplace();
        certify_q(sampling_, *q(), *of_q_);
    }
    certificate.gram = of_q_->gram;
    certificate.spread = of_q_->spread;
}

std::size_t NormalEquations::unknowns() {
    return are_certified() ? static_cast<std::size_t>(std::ceil(drawn_.draw().unknowns)) : voxels();
}

Eigen::VectorXd NormalEquations::misfits(const CoilRows& samples,
                                         const std::vector<ComplexVector>& images,
                                         Listener listener) {
    return compute_misfits(common_.transforms, transform_, sampling_, samples, maps_, images,
                           listener);
}

void NormalEquations::prepare(Reporter& report) {
    std::optional<Stage> stage; // whoever makes Q opens the stage of Q
    if (by_terms() && terms_.empty()) {
        stage.emplace(report, "q");
    }
    make_products(report);
}

void NormalEquations::make_products(Listener listener) {
    if (common_.density) {
        return;
    }
    if (!by_terms()) {
        q();
        return;
    }
    if (terms_.empty()) {
        terms_ = compute_time_terms(common_.transforms, sampling_, common_.formulation.grid,
                                    *common_.formulation.voxels.off_resonance(), listener);
        for (const TimeTerm& term : terms_) {
            error_ = std::max(error_, term.q.error);
        }
    }
    if (preconditions() && !without_field_) {
        without_field_ = common_.make_q(sampling_);
    }
}

Precision NormalEquations::solver_precision() const {
    return common_.solver_precision.value_or(
        precision_of_solver(common_.transforms, common_.regularisers));
}

bool NormalEquations::preconditions() const {
    return common_.formulation.through_q &&
           (common_.precondition || need_splitting(common_.regularisers));
}

double NormalEquations::seconds(Transforms& transforms, const SamplePoints& points,
                                const SystemShape& shape, const SolveOptions& options,
                                bool through_q) {
    const Grid& grid = shape.grid;
    const Pace& pace = transforms.device().pace();
    const std::size_t maps = std::max<std::size_t>(1, shape.maps);
    const auto terms = static_cast<double>(std::max<std::size_t>(1, shape.terms));
    const bool split = need_splitting(options.regularisers);
    const Precision precision = precision_of_solver(transforms, options.regularisers);
    const auto half = static_cast<double>(Voxels::half_differences(grid).count());
    const auto convolution = [&](std::size_t of_maps) {
        return terms * Toeplitz::seconds(transforms.device(), grid, precision, of_maps);
    };
    const double making = through_q
                              ? pace.planning + Toeplitz::products_of_making * convolution(1) +
                                    terms * half * pace.voxel
                              : 0;
    const double product =
        through_q
            ? convolution(maps)
            : 2 * static_cast<double>(maps) *
                  transforms.predict_in(precision, "f", points, Voxels::of_grid(grid)).seconds;
    const double numbers = static_cast<double>(grid.voxels()) *
                           slowdown_of(precision, transforms.device().in_host_memory());
    if (!split) {
        return making + options.iterations * (product + numbers * pace.pass);
    }
    const double splitting =
        passes_of(options.regularisers, grid) * (pace.shrink + numbers * pace.shrinking);
    const double inner = expected_inner_iterations(points.count(), grid);
    return making + options.iterations * (inner * (product + numbers * pace.pass) + splitting);
}

const Q* NormalEquations::q() {
    if (!q_ && through_q_) {
        q_ = common_.make_q(sampling_);
        error_ = std::max(error_, q_->error);
    }
    return q_ ? &*q_ : nullptr;
}

void NormalEquations::set_lambda(double lambda) {
    common_.lambda = lambda;
    for (System* const system : {on_device_ ? on_device_->get() : nullptr, on_reference_.get()}) {
        if (system != nullptr) {
            system->set_lambda(lambda);
        }
    }
}

double NormalEquations::q_at_zero() {
    return q() ? q()->at_zero() : sampling_.q_weights().sum();
}

std::unique_ptr<System> NormalEquations::system_on(Device& device, Precision precision,
                                                   CoilMaps& maps, SharedWorkspaces& shared) {
    std::unique_ptr<Gram> gram = gram_on(device, precision, maps, shared);
    const RealVector seen = maps.given() ? seen_by(common_.coil_maps) : RealVector();
    const bool sees_all = seen.size() == 0 || seen.minCoeff() > 0;
    std::vector<RegulariserTerm> terms = make_regularisers(
        common_.regularisers, {device, precision, common_.formulation.grid, common_.prior,
                               &sampling_.trajectory, sees_all ? nullptr : &seen});
    std::unique_ptr<Preconditioner> inverse;
    if (preconditions()) {
        const double squares = maps.given() ? sum_of_squares(common_.coil_maps).mean : 1;
        const bool split = need_splitting(common_.regularisers);
        if (!shared.basis) {
            shared.basis =
                preconditioner_kind(split).make_basis(device, common_.formulation.grid, precision);
        }
        inverse =
            std::make_unique<Preconditioner>(device, by_terms() ? *without_field_ : *q(), precision,
                                             shared.basis, squares, common_.lambda, &maps);
        if (!split) {
            inverse->raise_to_mean();
        }
        if (!sees_all) {
            inverse->restrict_to(seen);
        }
    }
    return std::make_unique<System>(device, precision, std::move(gram), common_.lambda,
                                    std::move(terms), std::move(inverse));
}

std::unique_ptr<Gram> NormalEquations::gram_on(Device& device, Precision precision, CoilMaps& maps,
                                               SharedWorkspaces& shared) {
    make_products({});
    if (by_terms()) {
        return make_time_terms_gram(device, precision, maps, terms_,
                                    *common_.formulation.voxels.off_resonance(), q_at_zero());
    }
    if (q()) {
        if (!shared.toeplitz) {
            shared.toeplitz = std::make_shared<ToeplitzWorkspace>(device, common_.formulation.grid,
                                                                  precision, maps.count());
        }
        return std::make_unique<Toeplitz>(device, *q(), precision, maps, shared.toeplitz,
                                          q()->at_zero());
    }
    const Precision of_transform =
        common_.formulation.through_q ? Precision::float64 : common_.transforms.precision();
    return make_explicit_gram(device, precision, maps, common_.transforms, of_transform, sampling_,
                              common_.formulation.voxels);
}

System* NormalEquations::on_device() {
    if (on_device_) {
        return on_device_->get();
    }
    on_device_.emplace();
    Device& device = common_.transforms.device();
    const Precision precision = solver_precision();
    try {
        if (common_.formulation.through_q) {
            make_products({});
            const Cost needed =
                cost(device, {common_.formulation.grid, maps_.count(), terms_.size()}, precision,
                     common_.regularisers, common_.precondition);
            if (needed.device_bytes > device.room()) {
                maps_.stream();
            }
            if (const std::string why = no_room(device, device.room(), needed); !why.empty()) {
                throw DeviceError(why);
            }
        }
        SharedWorkspaces own;
        *on_device_ = system_on(device, precision, maps_, own);
    } catch (const Error& error) {
        note_move_to_cpu(common_.transforms, error.what());
    }
    return on_device_->get();
}

std::unique_ptr<System> NormalEquations::in_precision_of_transforms() {
    Device& device = common_.transforms.device();
    const Precision precision = common_.transforms.precision();
    const bool by_convolutions = by_terms() || through_q_;
    if (precision == solver_precision() || !by_convolutions) {
        return nullptr;
    }
    make_products({});
    const Cost needed = cost(device, {common_.formulation.grid, maps_.count(), terms_.size()},
                             precision, {}, false);
    if (!no_room(device, device.room(), needed).empty()) {
        return nullptr;
    }
    SharedWorkspaces own;
    return std::make_unique<System>(device, precision, gram_on(device, precision, maps_, own),
                                    common_.lambda);
}

std::unique_ptr<System> NormalEquations::kept_system(SharedWorkspaces& shared, Reporter& report) {
    prepare(report);
    if (!shared.basis && shared.needed > common_.transforms.device().room()) {
        maps_.stream();
    }
    return system_on(common_.transforms.device(), solver_precision(), maps_, shared);
}

System& NormalEquations::on_reference() {
    if (!on_reference_) {
        SharedWorkspaces own;
        reference_ = make_reference_device();
        maps_on_reference_ = std::make_unique<CoilMaps>(*reference_, common_.coil_maps);
        on_reference_ = system_on(*reference_, Precision::float64, *maps_on_reference_, own);
    }
    return *on_reference_;
}

} // namespace lsrecon
