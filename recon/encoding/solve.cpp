// Solves one problem after another, on the device or by Eigen, and combines their images.

#include "encoding/solve.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/linear_algebra.hpp"
#include "solve/residuals.hpp"

namespace lsrecon {

namespace {

/// One problem after another by solve_one(b, options).
template <typename SolveOne> Solved solve_each(System& system, const std::vector<Volume>& fhd,
                                               const SolveOptions& options, Listener listener,
                                               const SolveOne& solve_one) {
    Solved solved;
    SolveOptions of_one = options;
    for (std::size_t p = 0; p < fhd.size(); ++p) {
        of_one.monitor = monitor_of(p, fhd.size(), options, listener);
        Solution solution = solve_one(fhd[p], of_one);
        solved.explained += system.products_of(solution.x, fhd[p]).explained();
        add(std::move(solution), fhd[p].norm() / system.unit(), fhd.size(), solved);
    }
    return solved;
}

/// Limits of the scale factor of a prior image: the first gives a note, the second an error.
constexpr double noted_scale = 2;
constexpr double refused_scale = 10;

} // namespace

Monitor monitor_of(std::size_t problem, std::size_t problems, const SolveOptions& options,
                   Listener listener) {
    return [problem, problems, iterations = options.iterations, monitor = options.monitor,
            listener](Iteration iteration) {
        const double done = static_cast<double>(iteration.done) / iterations;
        listener.progress((static_cast<double>(problem) + done) / static_cast<double>(problems));
        iteration.problem = problem;
        if (monitor) {
            monitor(iteration);
        }
    };
}

void add(Solution solution, double b_norm, std::size_t problems, Solved& solved) {
    const double size = norm_of(solution.x);
    solved.gains.push_back(size > 0 ? b_norm / size : 0);
    solved.residuals.push_back(std::move(solution.residuals));
    solved.stops.push_back(solution.stop);
    if (!solution.run.alphas.empty()) {
        solved.runs.push_back(std::move(solution.run));
    }
    if (problems == 1) {
        solved.image = std::move(solution.x);
        solved.earlier = std::move(solution.earlier);
        return;
    }
    if (solved.image.size() == 0) {
        solved.image = ComplexVector::Zero(solution.x.size());
        solved.earlier = solved.image;
    }
    const ComplexVector& earlier = solution.earlier.size() > 0 ? solution.earlier : solution.x;
    solved.image.real() += solution.x.cwiseAbs2();
    solved.earlier.real() += earlier.cwiseAbs2();
    if (solved.stops.size() == problems) {
        for (ComplexVector* const image : {&solved.image, &solved.earlier}) {
            image->real() = image->real().cwiseSqrt().eval();
        }
    }
}

void require_scale(System& system, const std::vector<Volume>& fhd, Listener listener) {
    if (system.target() == nullptr) {
        return;
    }
    const PriorImage& prior = *system.target();
    if (fhd.size() > 1) {
        throw UsageError("`reg` prior: without maps each coil is solved alone, and " + prior.file +
                         " is a combined image\n  next:     give the scan coil maps: "
                         "`maps` espirit, or `maps` FILE");
    }
    if (fhd[0].norm() == 0) {
        return;
    }
    const double scale = system.products_of(prior.values, fhd[0]).scale();
    if (!(scale > 1 / refused_scale && scale < refused_scale)) {
        throw InputError({prior.file, "scale of the prior image",
                          text("fits the scan best when it is multiplied by ", scale),
                          text("an image in the units of the reconstruction, within a factor of ",
                               refused_scale, " and with its phase"),
                          "scale it to an image of this scan that lsrecon made"});
    }
    if (scale < 1 / noted_scale || scale > noted_scale) {
        listener.add({Found::prior_scale, {{"scale", scale}}, {{"file", prior.file}}});
    }
}

void clear_where_maps_are_zero(const CoilRows& maps, Solved& solved) {
    if (maps.empty()) {
        return;
    }
    const RealVector seen = seen_by(maps);
    for (ComplexVector* const image : {&solved.image, &solved.earlier}) {
        if (image->size() > 0) {
            for_each_segment(*image, [&](auto segment, Eigen::Index first) {
                const auto of = seen.segment(first, segment.size()).array();
                segment = (of > 0).select(segment, Complex(0));
            });
        }
    }
}

ComplexVector one_image(ComplexVector of_sets, const CoilRows& coil_maps, std::size_t voxels) {
    if (coil_maps.empty() || coil_maps.columns() == voxels) {
        return of_sets;
    }
    const auto count = static_cast<Eigen::Index>(voxels);
    ComplexVector image = of_sets.head(count);
    for (Eigen::Index n = 0; n < count; ++n) {
        const Complex other = of_sets(count + n);
        double seen = 0; // |sum_s S_s rho_s|^2
        double first = 0;
        double second = 0;
        Complex both = 0; // <S_1, S_2>
        for (std::size_t c = 0; c < coil_maps.rows(); ++c) {
            const Complex one = coil_maps(c, n);
            const Complex next = coil_maps(c, count + n);
            seen += std::norm(one * image(n) + next * other);
            first += std::norm(one);
            second += std::norm(next);
            both += std::conj(one) * next;
        }
        const double of_map =
            (first + second) / 2 + std::hypot((first - second) / 2, std::abs(both));
        const double size = std::abs(image(n));
        const Complex phase_factor = size > 0 ? image(n) / size : Complex(1);
        image(n) = of_map > 0 ? std::sqrt(seen / of_map) * phase_factor : Complex(0);
    }
    return image;
}

Solved solve_on_device(System& system, const std::vector<Volume>& fhd, const SolveOptions& options,
                       Listener listener) {
    Solved solved = solve_each(
        system, fhd, options, listener,
        [&](const Volume& b, const SolveOptions& of_one) { return system.solve(b, of_one); });
    solved.solver = system.description();
    return solved;
}

double explained_without_regularisation(System& system, const std::vector<Volume>& fhd,
                                        double lambda, const ComplexVector& image, double enough) {
    const SolveOptions plain{1e-4, 20, 1e-3}; // it left up to 1.3 times what 40 left
    double explained = 0;
    system.set_lambda(plain.lambda);
    try {
        if (fhd.size() == 1) {
            explained = system.explained_from(image, fhd[0], plain.iterations, enough);
        } else {
            for (const Volume& b : fhd) {
                explained += system.products_of(system.iterate_plainly(b, plain).x, b).explained();
            }
        }
    } catch (const DeviceError&) {
        explained = 0;
    } catch (const ToleranceError&) {
        explained = 0;
    }
    system.set_lambda(lambda);
    return explained;
}

namespace {

Solved solve_by_eigen_on(System& system, const std::vector<Volume>& fhd,
                         const SolveOptions& options, Listener listener) {
    require_scale(system, fhd, listener);
    const auto apply = [&](const ComplexVector& rho) { return system.apply(rho); };
    Solved solved = solve_each(
        system, fhd, options, listener, [&](const Volume& b, const SolveOptions& of_one) {
            return conjugate_gradient(apply, system.right_hand_side(b).values(), of_one);
        });
    solved.solver =
        text("conjugate gradients by Eigen on the CPU, double precision, ", system.means());
    return solved;
}

/// Splitting is what Eigen does not do, nor has it real inner products of complex vectors.
Solved solve_on_reference(System& system, const std::vector<Volume>& fhd,
                          const SolveOptions& options, Listener listener) {
    if (!need_splitting(options.regularisers) && !system.is_real_linear()) {
        return solve_by_eigen_on(system, fhd, options, listener);
    }
    require_scale(system, fhd, listener);
    return solve_on_device(system, fhd, options, listener);
}

/// Solves on the device when the problem is there and its precision can keep the tolerance, else on
/// the CPU in double precision, with a finding.
Solved solve_where_it_fits(const LeastSquares& problem, const std::vector<Volume>& fhd,
                           const SolveOptions& options, Listener listener) {
    if (!problem.is_on_device()) {
        return solve_on_reference(problem.system(), fhd, options, listener);
    }
    require_scale(problem.system(), fhd, listener);
    const auto solve_again = [&](const std::string& why) {
        listener.add(
            {need_splitting(options.regularisers) ? Found::solved_on_cpu : Found::solved_by_eigen,
             {},
             {{"why", why}}});
        return solve_on_reference(*problem.on_reference().system, fhd, options, listener);
    };
    try {
        return solve_on_device(problem.system(), fhd, options, listener);
    } catch (const ToleranceError& error) {
        return solve_again(error.what());
    } catch (const DeviceError& error) {
        return solve_again(error.what());
    }
}

} // namespace

Solved solve_by_eigen(const LeastSquares& problem, const std::vector<Volume>& fhd,
                      const SolveOptions& options, Listener listener) {
    if (!problem.is_on_device()) {
        return solve_by_eigen_on(problem.system(), fhd, options, listener);
    }
    return solve_by_eigen_on(*problem.on_reference().system, fhd, options, listener);
}

Solved solve(const LeastSquares& problem, const std::vector<Volume>& fhd,
             const SolveOptions& options, Listener listener) {
    Solved solved = solver_of(options).solve(problem, fhd, options, listener);
    if (!options.regularisers.empty()) { // lambda alone leaves 0 there
        clear_where_maps_are_zero(problem.coil_maps(), solved);
    }
    return solved;
}

std::string solvers_of(const Image& image) {
    std::string solvers;
    for (const ImageFrame& frame : image.frames) {
        if (solvers.find(frame.solver) == std::string::npos) {
            solvers += (solvers.empty() ? "" : "; ") + frame.solver;
        }
    }
    return solvers;
}

ImageFrame to_image(const Frame& frame, Solved& solved) {
    const double change = relative_change(solved.image, solved.earlier);
    return {std::move(solved.image), frame.label,  frame.position, solved.residuals,
            solved.solver,           solved.stops, change};
}

const std::vector<Solver>& solvers() {
    static const std::vector<Solver> rows{
        {"device", "conjugate gradients on the device, in double precision if the device has it",
         &solve_where_it_fits, true, true, true},
        {"eigen", "conjugate gradients by Eigen on the CPU, as a check", &solve_by_eigen, false,
         false, false},
    };
    return rows;
}

const Solver& solver_named(const std::string& name) {
    return *std::find_if(solvers().begin(), solvers().end(),
                         [&](const Solver& row) { return row.name == name; });
}

const Solver& solver_of(const SolveOptions& options) {
    return options.solver == nullptr ? solvers().front() : *options.solver;
}

} // namespace lsrecon
