#include "encoding/lambda_curve.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <random>

#include "base/numbers.hpp"
#include "base/parallel.hpp"
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

/// Of few samples most eigenvalues are 0, and those of a rounded Q as far below it: in double
/// precision such a run ends before it finds them.
void go_on(PlainRun& run, System& system, int iterations) {
    const double tolerance = std::max(tolerance_of_runs, smallest_tolerance(system.epsilon()));
    try {
        run.go_on(iterations, 0.1 * tolerance);
    } catch (const ToleranceError&) {
        if (system.precision() != Precision::float64 || run.coefficients().alphas.empty()) {
            throw;
        }
    }
}

/// The runs on one system that a curve is made by: of F^H d, and of signs where there are some.
class Runs {
public:
    Runs(System& system, const std::vector<Volume>& fhd, const ComplexVector& signs)
        : system_(system), fhd_(fhd) {
        if (fhd.size() == 1) {
            of_one_.emplace(system.plain_run(fhd.front(), true));
        }
        if (signs.size() > 0) {
            of_signs_.emplace(system.plain_run(Volume(signs), false));
        }
    }

    /// How far to go next: several problems have no room side by side, and begin anew.
    int next(int done) const {
        return of_one_ ? done + iterations_between_curves
                       : std::max(first_iterations_of_curve, 2 * done);
    }
    void all_go_on(int iterations) {
        forms_.clear();
        images_.clear();
        if (of_one_) {
            forms_.push_back(forms_after(*of_one_, iterations, Nodes::of_gauss));
        } else {
            for (const Volume& b : fhd_) {
                PlainRun run = system_.plain_run(b, true);
                forms_.push_back(forms_after(run, iterations, Nodes::of_gauss));
                images_.push_back(run.image() / system_.unit());
            }
        }
        if (of_signs_) {
            forms_of_signs_.emplace(forms_after(*of_signs_, iterations, Nodes::with_zero));
        }
    }

    /// Of all problems together, such as the coils without maps.
    ShiftedForms::Forms at(double lambda) const {
        ShiftedForms::Forms sum;
        for (const ShiftedForms& of_one : forms_) {
            const ShiftedForms::Forms here = of_one.at(lambda);
            sum.b_x += here.b_x;
            sum.x_x += here.x_x;
            sum.slope += here.slope;
            sum.residual = std::max(sum.residual, here.residual);
        }
        return sum;
    }
    std::optional<ShiftedForms::Forms> of_signs(double lambda) const {
        return forms_of_signs_ ? std::optional(forms_of_signs_->at(lambda)) : std::nullopt;
    }
    /// Of smallest_lambda.
    std::vector<ComplexVector> images() const {
        return of_one_ ? std::vector<ComplexVector>{of_one_->image() / system_.unit()} : images_;
    }

private:
    using Nodes = ShiftedForms::Nodes;

    ShiftedForms forms_after(PlainRun& run, int iterations, Nodes nodes) const {
        go_on(run, system_, iterations);
        return {run.coefficients(), run.squares(), smallest_lambda, nodes};
    }

    System& system_;
    const std::vector<Volume>& fhd_;
    std::optional<PlainRun> of_one_;
    std::optional<PlainRun> of_signs_;
    std::vector<ShiftedForms> forms_;
    std::optional<ShiftedForms> forms_of_signs_;
    std::vector<ComplexVector> images_; ///< of several
};

/// By the first system that does: one in the precision of the transforms, the solver's, the
/// reference.
template <typename ByOne>
auto on_first_that_can(NormalEquations& equations, bool on_device, const ByOne& by_one) {
    const auto tried = [&](System* system) {
        std::optional<decltype(by_one(*system))> result;
        try {
            if (system != nullptr) {
                result.emplace(by_one(*system));
            }
        } catch (const ToleranceError&) { // of single precision
        } catch (const DeviceError&) {
        }
        return result;
    };
    if (on_device) {
        if (auto result = tried(equations.in_precision_of_transforms().get())) {
            return *result;
        }
        if (auto result = tried(equations.on_device())) {
            return *result;
        }
    }
    return by_one(equations.on_reference());
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
        is_far_.resize(grid.voxels());
        for_each_voxel([&](std::size_t n) {
            is_far_[n] = std::all_of(at_.begin(), at_.end(),
                                     [&](std::size_t blob) { return is_far(n, blob); });
        });
    }

    ComplexVector image() const {
        constexpr double width = 2; // standard deviation in voxels
        ComplexVector image(static_cast<Eigen::Index>(grid_.voxels()));
        for_each_voxel([&](std::size_t n) {
            double value = 0;
            for (const std::size_t blob : at_) {
                double square = 0;
                for (const std::size_t apart : distances(n, blob)) {
                    square += static_cast<double>(apart * apart);
                }
                value += std::exp(-square / (2 * width * width));
            }
            image(static_cast<Eigen::Index>(n)) = value;
        });
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
        far.reserve(grid_.voxels());
        for (std::size_t n = 0; n < grid_.voxels(); ++n) {
            (is_far_[n] ? far : blobs).push_back(magnitude(static_cast<Eigen::Index>(n)));
        }
        const double largest = far.empty() ? 0 : *std::max_element(far.begin(), far.end());
        double smallest = std::numeric_limits<double>::infinity();
        for (const std::size_t n : at_) {
            smallest = std::min(smallest, magnitude(static_cast<Eigen::Index>(n)));
        }
        return {largest / smallest, extent(far) < most_copies * extent(blobs)};
    }

private:
    template <typename Work> void for_each_voxel(const Work& work) const {
        for_each_range_in_parallel(grid_.voxels(), all_cores(), [&](const Range& some) {
            for (std::size_t n = some.first; n < some.first + some.count; ++n) {
                work(n);
            }
        });
    }

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
    std::vector<char> is_far_; ///< each voxel from all blobs
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

// With x = (A / Q(0) + lambda)^-1 b, rho is x / Q(0), and R(lambda) is
//     ||d||^2 - 2 Re<rho, b> + <rho, A rho> = ||d||^2 - (<b, x> + lambda ||x||^2) / Q(0).
// Where so much is left at the smallest lambda that the errors of T and F^H d, which are relative
// to
// ||d||^2, do not matter, that is all. Else it is computed there from F rho itself, which takes as
// long as F^H d, and the forms give the difference to it: nothing of the size of ||d||^2 cancels
// but in double precision.
// H has the eigenvalues of A (A + s)^-1 = 1 - s (A + s)^-1, and the expectation of z^H B z for
// signs z is tr B.
class CurveOfFrame {
public:
    CurveOfFrame(NormalEquations& equations, const Frame& frame, const std::vector<Volume>& fhd,
                 double noise)
        : q_at_zero_(equations.q_at_zero()), problems_(static_cast<double>(fhd.size())),
          error_(tolerance::normal_equations(equations.error(), equations.epsilon_of_transforms())),
          by_chance_(tolerance::expected(error_, equations.epsilon_of_transforms())) {
        start_.data = energy_of(*frame.sampling, frame.samples);
        start_.noise = noise * frame.sampling->sum_of_weights();
        start_.samples =
            static_cast<double>(frame.samples.rows()) * samples_that_weigh(*frame.sampling);
        for (const Volume& b : fhd) {
            squares_ += b.norm() * b.norm();
        }
    }

    /// Whether the residual at the smallest lambda needs F rho.
    bool needs_misfit(const Runs& runs) const {
        return left_by_forms(runs) <= certain * by_chance_ * start_.data;
    }
    /// ||W^1/2 (F rho - d)||^2 of the images of the runs as they are.
    void set_misfit(const Runs& runs, double misfit) {
        beside_forms_ = misfit - left_by_forms(runs);
    }
    LambdaCurve by(const Runs& runs, double seen_voxels) const;

private:
    double explained(const ShiftedForms::Forms& forms, double lambda) const {
        return (forms.b_x + lambda * forms.x_x) / q_at_zero_;
    }
    double left_by_forms(const Runs& runs) const {
        return start_.data - explained(runs.at(smallest_lambda), smallest_lambda);
    }

    LambdaCurve start_; ///< without points
    double q_at_zero_;
    double problems_;
    double error_; ///< of T and F^H d: its bound
    double by_chance_; ///< what it is likely to be
    double squares_ = 0; ///< of F^H d
    double beside_forms_ = 0; ///< what F rho leaves of the samples and the forms do not tell
};

LambdaCurve CurveOfFrame::by(const Runs& runs, double seen_voxels) const {
    LambdaCurve curve = start_;
    for (const double lambda : lambdas()) {
        const ShiftedForms::Forms forms = runs.at(lambda);
        LambdaPoint point{lambda};
        point.residual = start_.data - explained(forms, lambda) + beside_forms_;
        point.solution = forms.x_x / (q_at_zero_ * q_at_zero_);
        point.curvature =
            curvature_of(point, -2 * forms.slope / (q_at_zero_ * q_at_zero_), q_at_zero_);
        point.unsolved = forms.residual;
        if (const std::optional<ShiftedForms::Forms> of_signs = runs.of_signs(lambda)) {
            const double free = lambda * of_signs->b_x;
            point.freedom = problems_ * (seen_voxels - free);
            point.amplification = std::sqrt(of_signs->x_x / seen_voxels);
            point.freedom_squared =
                problems_ * (seen_voxels - 2 * free + lambda * lambda * of_signs->x_x);
        }
        if (forms.x_x > 0 && lambda >= error_ * std::sqrt(squares_ / forms.x_x)) {
            curve.points.push_back(point);
        }
    }
    return curve;
}

} // namespace

LambdaCurve make_lambda_curve(NormalEquations& equations, const Frame& frame,
                              const std::vector<Volume>& fhd, double noise, bool with_freedom,
                              const SolveOptions& options, const IsEnough& is_enough,
                              Reporter& report) {
    equations.prepare(report); // a stage of its own
    const Stage stage(report, "lambda");
    const ComplexVector z = with_freedom ? signs(equations) : ComplexVector();
    const double seen = z.squaredNorm();
    return on_first_that_can(equations, solver_of(options).on_device, [&](System& system) {
        Runs runs(system, fhd, z);
        CurveOfFrame of_frame(equations, frame, fhd, noise);
        for (int done = 0;;) {
            done = std::min(runs.next(done), options.iterations);
            runs.all_go_on(done);
            report.progress(static_cast<double>(done) / options.iterations);
            LambdaCurve curve = of_frame.by(runs, seen);
            bool enough = is_enough(curve, done);
            if (enough && of_frame.needs_misfit(runs)) {
                of_frame.set_misfit(runs, equations.misfit(frame.samples, runs.images(), report));
                curve = of_frame.by(runs, seen);
                enough = is_enough(curve, done);
            }
            if (enough || done == options.iterations) {
                return curve;
            }
        }
    });
}

double amplification(NormalEquations& equations, double lambda, const SolveOptions& options,
                     Reporter& report) {
    const Stage stage(report, "rounding");
    const ComplexVector z = signs(equations);
    const int iterations = std::min(iterations_of_rounding, options.iterations);
    const ShiftedForms forms =
        on_first_that_can(equations, solver_of(options).on_device, [&](System& system) {
            PlainRun run = system.plain_run(Volume(z), false);
            go_on(run, system, iterations);
            return ShiftedForms(run.coefficients(), run.squares(), options.lambda);
        });
    return std::sqrt(forms.at(lambda).x_x / z.squaredNorm());
}

// The image of an object e by the equations is (A + s)^-1 A e = e - s x with (A + s) x = e. Its
// error is at most the residual of x, because s ||(A + s)^-1|| <= 1. That of (A + s) y = A e has no
// such bound.
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
