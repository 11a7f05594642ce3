// Solves the least-squares problems of one frame by a solver of the table.

#pragma once

#include <string>
#include <vector>

#include "base/report.hpp"
#include "encoding/least_squares.hpp"
#include "scan/image.hpp"
#include "solve/conjugate_gradient.hpp"

namespace lsrecon {

struct Solved {
    /// The solution of a single problem as it is; of several (coils without maps) their root of sum
    /// of squares, sqrt(sum_c |rho_cn|^2), with zero imaginary part.
    ComplexVector image;
    ResidualHistories residuals;
    std::vector<Stop> stops; ///< one a problem
    ComplexVector earlier = {}; ///< before the late iterations; empty where a tolerance ended them
    double explained =
        0; ///< ||d||^2 - ||F rho - d||^2, a.u.^2; 0 of frames that were solved jointly
    std::vector<double> gains; ///< ||F^H d|| / (Q(0) ||rho||), one a problem; 0 for a rho of zeros
    std::vector<Iterations> runs; ///< one a problem of plain iterations on the device; else none
    std::string solver; ///< what solved, in which precision, with which FFT
};

/// The monitor of one problem of `problems`: it reports how far they are, and the options'
/// monitor, if any, which problem it is.
Monitor monitor_of(std::size_t problem, std::size_t problems, const SolveOptions& options,
                   Listener listener);

/// Takes the solution of the next of so many problems; `b_norm` is ||F^H d|| / Q(0).
void add(Solution solution, double b_norm, std::size_t problems, Solved& solved);

/// Solves (F^H F + lambda Q(0) I) rho = F^H d for every right-hand side by the solver of the
/// options. The image is 0 where all coil maps are. ToleranceError when it cannot keep the
/// tolerance.
Solved solve(const LeastSquares& problem, const std::vector<Volume>& fhd,
             const SolveOptions& options, Listener listener = {});

/// Solves by Eigen, in double precision.
Solved solve_by_eigen(const LeastSquares& problem, const std::vector<Volume>& fhd,
                      const SolveOptions& options, Listener listener);
/// Solves on the device alone: see System::solve for its errors.
Solved solve_on_device(System& system, const std::vector<Volume>& fhd, const SolveOptions& options,
                       Listener listener);

/// ||d||^2 - ||F rho - d||^2 of images of next to no lambda and of no regulariser, of a system with
/// this lambda; 0 where the device has no room. The image of a single problem goes on from the one
/// that was solved for until it explains `enough`, or is expected to.
double explained_without_regularisation(System& system, const std::vector<Volume>& fhd,
                                        double lambda, const ComplexVector& image, double enough);

/// Checks the scale of the prior image that a regulariser compares with: InputError when it is in
/// other units, a note when it may be; UsageError for several problems.
void require_scale(System& system, const std::vector<Volume>& fhd, Listener listener);

/// Regularisers continue the image where no coil sees anything; nothing was measured there.
void clear_where_maps_are_zero(const CoilRows& maps, Solved& solved);

/// The image of the images of several sets of coil maps, S N values: at each voxel the norm of what
/// the coils see of all, sum_s S_s rho_s, over that of a coil map, with the phase of the first. The
/// values as they are for one set or none.
ComplexVector one_image(ComplexVector of_sets, const CoilRows& coil_maps, std::size_t voxels);

/// Takes the image out of `solved`.
ImageFrame to_image(const Frame& frame, Solved& solved);

/// The solvers of all frames, for the record.
std::string solvers_of(const Image& image);

/// A solver of the normal equations, named after --solver.
struct Solver {
    std::string name;
    std::string summary;
    /// See solve(), which calls it.
    Solved (*solve)(const LeastSquares& problem, const std::vector<Volume>& fhd,
                    const SolveOptions& options, Listener listener);
    bool on_device; ///< whether it runs on the device where there is room
    bool preconditions;
    bool splits; ///< minimises what is not quadratic, too
};

/// The table: a row each, the default first.
const std::vector<Solver>& solvers();

/// The row of a name in the table, and that which these options choose.
const Solver& solver_named(const std::string& name);
const Solver& solver_of(const SolveOptions& options);

} // namespace lsrecon
