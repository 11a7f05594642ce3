#include "solve/solve.hpp"

#include "base/error.hpp"

namespace lsrecon {

namespace {

/// The options of one problem: the monitor hears which one it is.
SolveOptions of_problem(std::size_t problem, const SolveOptions& options) {
    SolveOptions result = options;
    if (options.monitor) {
        result.monitor = [problem, monitor = options.monitor](Iteration iteration) {
            iteration.problem = problem;
            monitor(iteration);
        };
    }
    return result;
}

/// One problem after another by solve_one(b, options, progress).
template <typename SolveOne> Solved solve_each(const std::vector<Volume>& fhd, double q_at_zero,
                                               const SolveOptions& options, Reporter& report,
                                               const SolveOne& solve_one) {
    Solved solved;
    const auto problems = static_cast<double>(fhd.size());
    RealVector squares; // of the magnitudes so far
    double done = 0;
    for (const Volume& b : fhd) {
        Solution solution =
            solve_one(b, of_problem(solved.stops.size(), options),
                      [&](double fraction) { report.progress((done + fraction) / problems); });
        const double size = solution.x.stableNorm();
        solved.gains.push_back(size > 0 ? b.norm() / size / q_at_zero : 0);
        solved.residuals.push_back(std::move(solution.residuals));
        solved.stops.push_back(solution.stop);
        if (fhd.size() == 1) {
            solved.image = std::move(solution.x);
        } else {
            squares = squares.size() == 0 ? RealVector(solution.x.cwiseAbs2())
                                          : RealVector(squares + solution.x.cwiseAbs2());
        }
        done += 1;
    }
    if (fhd.size() > 1) {
        solved.image = squares.cwiseSqrt().cast<Complex>();
    }
    return solved;
}

/// Of the scale of a prior image: beyond the first factor it is worth a note, beyond the second an
/// error.
constexpr double noted_scale = 2;
constexpr double refused_scale = 10;

Solved solve_by_eigen(NormalEquations& equations, const std::vector<Volume>& fhd,
                      const SolveOptions& options, Reporter& report) {
    System& system = equations.on_reference();
    const auto apply = [&](const ComplexVector& rho) { return system.apply(rho); };
    Solved solved = solve_each(
        fhd, system.gram().diagonal(), options, report,
        [&](const Volume& b, const SolveOptions& of_one, const Progress& progress) {
            return conjugate_gradient(apply, system.right_hand_side(b).values(), of_one, progress);
        });
    solved.solver =
        text("conjugate gradients by Eigen on the CPU, double precision, ", system.gram().means());
    return solved;
}

} // namespace

void require_scale(System& system, const std::vector<Volume>& fhd, Reporter& report) {
    if (system.target() == nullptr) {
        return;
    }
    const PriorImage& prior = *system.target();
    if (fhd.size() > 1) {
        throw UsageError("--reg prior: coils without maps are a problem each, and " + prior.file +
                         " is the image of none of them\n  next:     give the scan coil maps: "
                         "--maps espirit, or --maps FILE");
    }
    if (fhd[0].norm() == 0) {
        return;
    }
    const double scale = system.scale_of(prior.values, fhd[0]);
    if (!(scale > 1 / refused_scale && scale < refused_scale)) {
        throw InputError({prior.file, "scale of the prior image",
                          text("explains the scan best when it is multiplied by ", scale),
                          text("an image in the units of the reconstruction, within a factor of ",
                               refused_scale, " and with its phase"),
                          "scale it to an image of this scan that lsrecon made"});
    }
    if (scale < 1 / noted_scale || scale > noted_scale) {
        report.note(text("the prior image ", prior.file,
                         " explains the scan best when it is multiplied by ", scale));
    }
}

void clear_where_maps_are_zero(const CoilRows& maps, ComplexVector& image) {
    if (maps.empty()) {
        return;
    }
    RealVector largest = RealVector::Zero(image.size());
    maps.visit([&](const auto& rows) {
        for (Eigen::Index c = 0; c < rows.rows(); ++c) {
            largest = largest.cwiseMax(rows.row(c).cwiseAbs().template cast<double>().transpose());
        }
    });
    image = (largest.array() > 0).select(image, Complex(0));
}

Solved solve_on_device(System& system, const std::vector<Volume>& fhd, const SolveOptions& options,
                       Reporter& report) {
    Solved solved =
        solve_each(fhd, system.gram().diagonal(), options, report,
                   [&](const Volume& b, const SolveOptions& of_one, const Progress& progress) {
                       return system.solve(b, of_one, progress);
                   });
    solved.solver = system.description();
    return solved;
}

namespace {

Solved solve_where_it_fits(NormalEquations& equations, const std::vector<Volume>& fhd,
                           const SolveOptions& options, Reporter& report) {
    equations.prepare(report);
    const Stage stage(report, "solve");
    const auto by_eigen = [&](const std::string& why) {
        report.note((need_splitting(options.regularisers)
                         ? "solved on the CPU in double precision: "
                         : "solved by Eigen in double precision: ") +
                    why);
    };
    System* const system = options.on_device ? equations.on_device() : nullptr;
    if (need_prior(options.regularisers)) {
        require_scale(system ? *system : equations.on_reference(), fhd, report);
    }
    if (system) {
        try {
            return solve_on_device(*system, fhd, options, report);
        } catch (const ToleranceError& error) {
            by_eigen(error.what());
        } catch (const DeviceError& error) {
            by_eigen(error.what());
        }
    }
    if (need_splitting(options.regularisers)) { // which Eigen does not solve
        return solve_on_device(equations.on_reference(), fhd, options, report);
    }
    return solve_by_eigen(equations, fhd, options, report);
}

} // namespace

Solved solve(NormalEquations& equations, const std::vector<Volume>& fhd,
             const SolveOptions& options, Reporter& report) {
    Solved solved = solve_where_it_fits(equations, fhd, options, report);
    if (!options.regularisers.empty()) {
        clear_where_maps_are_zero(equations.coil_maps(), solved.image);
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

ImageFrame to_image(const Frame& frame, const Solved& solved) {
    return {solved.image,     frame.label,   frame.position,
            solved.residuals, solved.solver, solved.stops};
}

} // namespace lsrecon
