#include "solve/solve.hpp"

#include "base/error.hpp"

namespace lsrecon {

namespace {

using Progress = std::function<void(double)>;

/// One problem after another by solve_one(b, progress).
template <typename SolveOne>
Solved solve_rows(const CoilMatrix& fhd, Reporter& report, const SolveOne& solve_one) {
    Solved solved{CoilMatrix(fhd.rows(), fhd.cols()), {}, {}, ""};
    for (Eigen::Index row = 0; row < fhd.rows(); ++row) {
        const Progress progress = [&](double fraction) {
            report.progress((static_cast<double>(row) + fraction) /
                            static_cast<double>(fhd.rows()));
        };
        Solution solution = solve_one(fhd.row(row).transpose(), progress);
        solved.rho.row(row) = solution.x.transpose();
        solved.residuals.push_back(std::move(solution.residuals));
        solved.stops.push_back(solution.stop);
    }
    return solved;
}

Solved solve_by_eigen(NormalEquations& equations, const CoilMatrix& fhd,
                      const SolveOptions& options, Reporter& report) {
    System& system = equations.on_reference();
    const auto apply = [&](const ComplexVector& rho) { return system.apply(rho); };
    Solved solved = solve_rows(fhd, report, [&](const ComplexVector& b, const Progress& progress) {
        return conjugate_gradient(apply, b, options, progress);
    });
    solved.solver =
        text("conjugate gradients by Eigen on the CPU, double precision, ", system.gram().means());
    return solved;
}

} // namespace

Solved solve_on_device(System& system, const CoilMatrix& fhd, const SolveOptions& options,
                       Reporter& report) {
    Solved solved = solve_rows(fhd, report, [&](const ComplexVector& b, const Progress& progress) {
        return system.solve(b, options, progress);
    });
    solved.solver = system.description();
    return solved;
}

Solved solve(NormalEquations& equations, const CoilMatrix& fhd, const SolveOptions& options,
             Reporter& report) {
    const Stage stage(report, "solve");
    const auto by_eigen = [&](const std::string& why) {
        report.note("solved by Eigen in double precision: " + why);
    };
    if (System* const system = options.on_device ? equations.on_device() : nullptr) {
        try {
            return solve_on_device(*system, fhd, options, report);
        } catch (const ToleranceError& error) {
            by_eigen(error.what());
        } catch (const DeviceError& error) {
            by_eigen(error.what());
        }
    }
    return solve_by_eigen(equations, fhd, options, report);
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
    ImageFrame image{{},          frame.label, frame.position, solved.residuals, solved.solver,
                     solved.stops};
    if (solved.rho.rows() == 1) {
        image.values = solved.rho.row(0).transpose();
    } else {
        image.values = solved.rho.colwise().norm().transpose().cast<Complex>();
    }
    return image;
}

} // namespace lsrecon
