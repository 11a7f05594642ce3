#include "encoding/lambda_curve.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <random>

#include "base/numbers.hpp"
#include "base/tolerance.hpp"
#include "encoding/misfit.hpp"
#include "encoding/solvers.hpp"
#include "solve/shifted_forms.hpp"

namespace lsrecon {

namespace {

constexpr int points_a_decade = 8;
/// How much larger than its own error a residual must be to need no F rho: right to a percent.
/// Measured on seven scans of SNR 10 to 100: to 0.004 %.
constexpr double certain = 100;
/// Of the runs, where the precision allows: small beside every lambda.
constexpr double tolerance_of_runs = 1e-8;

/// Of a number of problems together, such as the coils without maps.
struct Runs {
    std::vector<ShiftedForms> forms;
    std::vector<ComplexVector> images; ///< of smallest_lambda

    ShiftedForms::Forms at(double lambda) const {
        ShiftedForms::Forms sum;
        for (const ShiftedForms& of_one : forms) {
            const ShiftedForms::Forms here = of_one.at(lambda);
            sum.b_x += here.b_x;
            sum.x_x += here.x_x;
            sum.slope += here.slope;
            sum.residual = std::max(sum.residual, here.residual);
        }
        return sum;
    }
};

Runs runs_on(System& system, const std::vector<Volume>& fhd, const SolveOptions& options,
             Reporter& report) {
    SolveOptions how = options;
    how.monitor = nullptr;
    how.monitor = monitor_of(0, 1, how, report);
    how.tolerance = std::max(options.tolerance, smallest_tolerance(system.epsilon()));
    Runs runs;
    for (const Volume& b : fhd) {
        Solution run = system.iterate_plainly(b, how);
        const double norm = b.norm();
        runs.forms.emplace_back(run.run, norm * norm, options.lambda);
        runs.images.push_back(std::move(run.x));
    }
    return runs;
}

/// Runs until the relative residual is `tolerance`.
Runs runs_until(double tolerance, NormalEquations& equations, const std::vector<Volume>& fhd,
                SolveOptions options, Reporter& report) {
    options.tolerance = tolerance;
    System* const system = solver_of(options).on_device ? equations.on_device() : nullptr;
    if (system != nullptr) {
        try {
            return runs_on(*system, fhd, options, report);
        } catch (const ToleranceError&) { // of single precision
        } catch (const DeviceError&) {
        }
    }
    // Of few samples most eigenvalues are 0, and those of a rounded Q as far below it. Fewer
    // iterations do not find them.
    SolveOptions fewer = options;
    for (;; fewer.iterations /= 2) {
        try {
            return runs_on(equations.on_reference(), fhd, fewer, report);
        } catch (const ToleranceError&) {
            if (fewer.iterations < 2) {
                throw;
            }
        }
    }
}

Runs runs_of(NormalEquations& equations, const std::vector<Volume>& fhd,
             const SolveOptions& options, Reporter& report) {
    return runs_until(tolerance_of_runs, equations, fhd, options, report);
}

/// (A + lambda Q(0))^-1 b to a residual of 0.01, preconditioned where the solve is.
ComplexVector solved_without_regularisers(NormalEquations& equations, const ComplexVector& b,
                                          SolveOptions options, Reporter& report) {
    options.tolerance = 0.1; // solved to a tenth of it
    options.monitor = nullptr;
    options.monitor = monitor_of(0, 1, options, report);
    System* const system = solver_of(options).on_device ? equations.on_device() : nullptr;
    if (system != nullptr) {
        try {
            return system->solve_without_regularisers(Volume(b), options).x;
        } catch (const ToleranceError&) { // of single precision
        } catch (const DeviceError&) {
        }
    }
    return equations.on_reference().solve_without_regularisers(Volume(b), options).x;
}

double samples_that_weigh(const Sampling& sampling) {
    return sampling.weights.size() > 0 ? static_cast<double>((sampling.weights.array() > 0).count())
                                       : static_cast<double>(sampling.samples());
}

/// 1 or -1 at each voxel that a coil sees, the same at every call. Their square is the count.
ComplexVector signs(const NormalEquations& equations) {
    std::mt19937_64 bits(1);
    ComplexVector values(static_cast<Eigen::Index>(equations.voxels()));
    for (Complex& value : values) {
        value = (bits() & 1) == 0 ? 1 : -1;
    }
    if (!equations.coil_maps().empty()) {
        values.array() *= seen_by(equations.coil_maps()).array();
    }
    return values;
}

/// Blobs of size 1 in the object, at random where |F^H d| is not small, the same at every call.
/// Their spatial frequencies are those of which images have most: a scan whose centre of k-space is
/// sampled fully leaves ghosts of fine details alone.
class Blobs {
public:
    Blobs(const Grid& grid, const ComplexVector& f_h_d) : grid_(grid) {
        constexpr std::size_t count = 2;
        constexpr double of_object = 0.2; // of the largest |F^H d|
        const RealVector magnitude = f_h_d.cwiseAbs();
        const double least = of_object * magnitude.maxCoeff();
        std::vector<std::size_t> object;
        for (std::size_t n = 0; n < grid.voxels(); ++n) {
            if (magnitude(static_cast<Eigen::Index>(n)) >= least) {
                object.push_back(n);
            }
        }
        std::mt19937_64 random(1);
        for (std::size_t i = 0; i < count; ++i) {
            at_.push_back(object[random() % object.size()]);
        }
    }

    ComplexVector image() const {
        constexpr double width = 2; // standard deviation in voxels
        ComplexVector image(static_cast<Eigen::Index>(grid_.voxels()));
        for (std::size_t n = 0; n < grid_.voxels(); ++n) {
            double value = 0;
            for (const std::size_t blob : at_) {
                double square = 0;
                for (const std::size_t apart : distances(n, blob)) {
                    square += static_cast<double>(apart * apart);
                }
                value += std::exp(-square / (2 * width * width));
            }
            image(static_cast<Eigen::Index>(n)) = value;
        }
        return image;
    }

    struct Ghost {
        double size = 0; ///< the largest value far from all blobs, over the smallest at one of them
        bool is_compact = false; ///< or spread out, as the streaks of radial scans are
    };
    /// Of the image of the blobs. Near them is what blurs.
    Ghost ghost(const RealVector& magnitude) const {
        // Ghosts have at most 3 times the extent of the blobs. What is spread out has 5 and more
        // from 48 x 48 voxels on.
        constexpr double most_copies = 4;
        std::vector<double> far;
        std::vector<double> blobs;
        for (std::size_t n = 0; n < grid_.voxels(); ++n) {
            const bool is_beyond = std::all_of(at_.begin(), at_.end(),
                                               [&](std::size_t blob) { return is_far(n, blob); });
            (is_beyond ? far : blobs).push_back(magnitude(static_cast<Eigen::Index>(n)));
        }
        const double largest = far.empty() ? 0 : *std::max_element(far.begin(), far.end());
        double smallest = std::numeric_limits<double>::infinity();
        for (const std::size_t n : at_) {
            smallest = std::min(smallest, magnitude(static_cast<Eigen::Index>(n)));
        }
        return {largest / smallest, extent(far) < most_copies * extent(blobs)};
    }

private:
    /// How many equal values are spread as widely.
    static double extent(const std::vector<double>& values) {
        double squares = 0;
        double fourths = 0;
        for (const double value : values) {
            squares += value * value;
            fourths += value * value * value * value;
        }
        return squares * squares / fourths;
    }

    /// In voxels along each dimension, on a grid that goes on periodically.
    std::array<std::size_t, 3> distances(std::size_t a, std::size_t b) const {
        std::array<std::size_t, 3> result{};
        for (std::size_t d = 0; d < 3; ++d) {
            const std::size_t size = grid_.size[d];
            const std::size_t apart = std::max(a % size, b % size) - std::min(a % size, b % size);
            result[d] = std::min(apart, size - apart);
            a /= size;
            b /= size;
        }
        return result;
    }

    bool is_far(std::size_t a, std::size_t b) const {
        constexpr std::size_t least = 6; // voxels
        constexpr std::size_t share = 10; // of the field of view
        const std::array<std::size_t, 3> apart = distances(a, b);
        for (std::size_t d = 0; d < 3; ++d) {
            if (apart[d] >= std::max(least, grid_.size[d] / share)) {
                return true;
            }
        }
        return false;
    }

    Grid grid_;
    std::vector<std::size_t> at_;
};

/// Numbers that a user can type again.
std::vector<double> lambdas() {
    std::vector<double> result;
    const double decades = std::log10(largest_lambda / smallest_lambda);
    for (int i = 0; i <= std::lround(decades * points_a_decade); ++i) {
        const double exact =
            smallest_lambda * std::pow(10, static_cast<double>(i) / points_a_decade);
        result.push_back(std::stod(rounded(exact)));
    }
    return result;
}

/// Of (log residual, log solution). dR / d lambda is -lambda Q(0) d||rho||^2 / d lambda, because
/// R + lambda Q(0) ||rho||^2 is smallest; second derivatives cancel (Hansen 1998, section 4.6).
double curvature_of(const LambdaPoint& point, double slope, double q_at_zero) {
    const double along = -point.lambda * q_at_zero * slope / point.residual;
    const double down = slope / point.solution;
    const double bend = q_at_zero * slope * slope / (point.residual * point.solution);
    return (bend - along * down * down + along * along * down) /
           std::pow(along * along + down * down, 1.5);
}

} // namespace

// With x = (A / Q(0) + lambda)^-1 b, rho is x / Q(0), and R(lambda) is
//     ||d||^2 - 2 Re<rho, b> + <rho, A rho> = ||d||^2 - (<b, x> + lambda ||x||^2) / Q(0).
// Where so much is left at the smallest lambda that the errors of T and F^H d, which are relative
// to
// ||d||^2, do not matter, that is all. Else it is computed there from F rho itself, which takes as
// long as F^H d, and the forms give the difference to it: nothing of the size of ||d||^2 cancels
// but in double precision.
LambdaCurve make_lambda_curve(NormalEquations& equations, const Frame& frame,
                              const std::vector<Volume>& fhd, double noise,
                              const SolveOptions& options, Reporter& report) {
    equations.prepare(report); // a stage of its own
    const Stage stage(report, "lambda");
    const double q_at_zero = equations.q_at_zero();
    const Runs runs = runs_of(equations, fhd, options, report);
    const auto explained = [&](const ShiftedForms::Forms& forms, double lambda) {
        return (forms.b_x + lambda * forms.x_x) / q_at_zero;
    };
    const double most_explained = explained(runs.at(smallest_lambda), smallest_lambda);
    const double error =
        tolerance::normal_equations(equations.error(), equations.epsilon_of_transforms());

    LambdaCurve curve;
    curve.data = energy_of(*frame.sampling, frame.samples);
    const double by_forms = curve.data - most_explained;
    const double by_chance = tolerance::expected(error, equations.epsilon_of_transforms());
    const double smallest_residual = by_forms > certain * by_chance * curve.data
                                         ? by_forms
                                         : equations.misfit(frame.samples, runs.images, report);
    curve.noise = noise * frame.sampling->sum_of_weights();
    curve.samples = static_cast<double>(frame.samples.rows()) * samples_that_weigh(*frame.sampling);
    double squares = 0;
    for (const Volume& b : fhd) {
        squares += b.norm() * b.norm();
    }
    for (const double lambda : lambdas()) {
        const ShiftedForms::Forms forms = runs.at(lambda);
        LambdaPoint point{lambda};
        point.residual = smallest_residual + most_explained - explained(forms, lambda);
        point.solution = forms.x_x / (q_at_zero * q_at_zero);
        point.curvature =
            curvature_of(point, -2 * forms.slope / (q_at_zero * q_at_zero), q_at_zero);
        point.unsolved = forms.residual;
        if (forms.x_x > 0 && lambda >= error * std::sqrt(squares / forms.x_x)) {
            curve.points.push_back(point);
        }
    }
    return curve;
}

// H has the eigenvalues of A (A + s)^-1 = 1 - s (A + s)^-1, and the expectation of z^H B z for
// signs z is tr B.
void add_freedom(LambdaCurve& curve, NormalEquations& equations, const std::vector<Volume>& fhd,
                 const SolveOptions& options, Reporter& report) {
    const Stage stage(report, "lambda");
    const ComplexVector z = signs(equations);
    const double voxels = z.squaredNorm();
    const Runs runs = runs_of(equations, {Volume(z)}, options, report);
    for (LambdaPoint& point : curve.points) {
        const ShiftedForms::Forms forms = runs.at(point.lambda);
        const double free = point.lambda * forms.b_x;
        const auto problems = static_cast<double>(fhd.size());
        point.freedom = problems * (voxels - free);
        point.amplification = std::sqrt(forms.x_x / voxels);
        point.freedom_squared =
            problems * (voxels - 2 * free + point.lambda * point.lambda * forms.x_x);
    }
}

double amplification(NormalEquations& equations, double lambda, SolveOptions options,
                     Reporter& report) {
    const Stage stage(report, "rounding");
    options.iterations = std::min(iterations_of_rounding, options.iterations);
    const ComplexVector z = signs(equations);
    const Runs runs = runs_of(equations, {Volume(z)}, options, report);
    return std::sqrt(runs.at(lambda).x_x / z.squaredNorm());
}

// The image of an object e by the equations is (A + s)^-1 A e = e - s x with (A + s) x = e. Its error
// is at most the residual of x, because s ||(A + s)^-1|| <= 1. That of (A + s) y = A e has no such
// bound.
std::optional<Ghosts> limit_ghosts(LambdaCurve& curve, const Grid& grid, NormalEquations& equations,
                                   const Volume& f_h_d, SolveOptions options, Reporter& report) {
    constexpr double most = 0.05; // of what it is the ghost of
    constexpr double resolved = 1.25; // of what the smallest lambda leaves
    const Stage stage(report, "ghosts");
    const Blobs blobs(grid, f_h_d.values());
    const ComplexVector e = blobs.image();
    const auto ghost = [&](std::size_t point) {
        options.lambda = curve.points[point].lambda;
        equations.set_lambda(options.lambda);
        const ComplexVector x = solved_without_regularisers(equations, e, options, report);
        equations.set_lambda(smallest_lambda);
        const double share = options.lambda * equations.q_at_zero();
        return blobs.ghost((e - share * x).cwiseAbs());
    };
    std::size_t high = curve.chosen.index;
    const auto first = std::find_if(
        curve.points.begin(), curve.points.begin() + static_cast<std::ptrdiff_t>(high),
        [](const LambdaPoint& point) { return point.lambda >= smallest_by_prediction; });
    auto low = static_cast<std::size_t>(first - curve.points.begin());
    const Blobs::Ghost chosen = ghost(high);
    if (!chosen.is_compact || chosen.size <= most || low == high) {
        return std::nullopt;
    }
    Ghosts result{curve.at_chosen().lambda, chosen.size,
                  std::max(most, resolved * ghost(low).size)};
    if (chosen.size <= result.limit) {
        return std::nullopt;
    }
    while (high - low > 1) {
        const std::size_t middle = (low + high) / 2;
        (ghost(middle).size > result.limit ? high : low) = middle;
    }
    curve.chosen.index = low;
    const LambdaPoint& point = curve.at_chosen();
    if (point.freedom > 0) { // sigma^2 tr A (A + s)^-2 / Q(0), with sigma from what is left
        const double of_sample = point.residual / (curve.samples - point.freedom);
        result.noise = of_sample * (point.freedom - point.freedom_squared) /
                       (point.lambda * equations.q_at_zero() * point.solution);
    }
    return result;
}

} // namespace lsrecon
