// Makes the curve of lambda by runs of conjugate gradients, and applies a rule to it.

#include "encoding/lambda_curve.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <random>

#include "base/numbers.hpp"
#include "base/tolerance.hpp"
#include "encoding/sample_energy.hpp"
#include "encoding/solve.hpp"
#include "scan/coil_transform.hpp"
#include "solve/lanczos.hpp"

namespace lsrecon {

namespace {

constexpr int points_a_decade = 8;
/// How much larger than its own error a residual must be to need no F rho: right to a percent.
/// Measured on seven scans of SNR 10 to 100: to 0.004 %.
constexpr double certain = 100;
/// The runs end at this residual if the precision allows it. It is small beside every lambda.
constexpr double tolerance_of_runs = 1e-8;

/// 1 or -1 at each voxel that a coil sees, the same at every call. Their square is the count.
ComplexVector signs(const Encoding& encoding) {
    std::mt19937_64 bits(1);
    ComplexVector values(static_cast<Eigen::Index>(encoding.unknowns()));
    for (Complex& value : values) {
        value = (bits() & 1) == 0 ? 1 : -1;
    }
    if (const CoilRows& maps = encoding.images().coil_maps; !maps.empty()) {
        values.array() *= seen_by(maps).array();
    }
    return values;
}

/// Few samples leave most eigenvalues 0, and a rounded Q has them as far below 0. A run in double
/// precision ends before it finds those.
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

/// The runs of F^H d on one system that a curve is made by.
class Runs {
public:
    Runs(System& system, const std::vector<Volume>& fhd) : system_(system), fhd_(fhd) {
        if (fhd.size() == 1) {
            of_one_.emplace(system.plain_run(fhd.front(), true));
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
            forms_.push_back(forms_after(*of_one_, iterations));
            return;
        }
        for (const Volume& b : fhd_) {
            PlainRun run = system_.plain_run(b, true);
            forms_.push_back(forms_after(run, iterations));
            images_.push_back(run.image() / system_.unit());
        }
    }

    /// The sum over all problems, such as the coils without maps.
    ShiftedForms::Forms at(double lambda) const {
        ShiftedForms::Forms sum;
        for (const ShiftedForms& of_one : forms_) {
            const ShiftedForms::Forms forms = of_one.at(lambda);
            sum.b_x += forms.b_x;
            sum.x_x += forms.x_x;
            sum.residual = std::max(sum.residual, forms.residual);
        }
        return sum;
    }
    /// The images of smallest_lambda.
    std::vector<ComplexVector> images() const {
        return of_one_ ? std::vector<ComplexVector>{of_one_->image() / system_.unit()} : images_;
    }

private:
    ShiftedForms forms_after(PlainRun& run, int iterations) const {
        go_on(run, system_, iterations);
        return {run.coefficients(), run.squares(), smallest_lambda};
    }

    System& system_;
    const std::vector<Volume>& fhd_;
    std::optional<PlainRun> of_one_;
    std::vector<ShiftedForms> forms_;
    std::vector<ComplexVector> images_; ///< of several
};

/// By the first system that does: one in the precision of the transforms, the solver's, the
/// reference.
template <typename ByOne>
auto on_first_that_can(const NormalOperator& n, const SolveOptions& settings, const ByOne& by_one) {
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
    if (solver_of(settings).on_device) {
        if (auto result = tried(in_precision_of_transforms(n, settings).get())) {
            return *result;
        }
        const LeastSquares problem(n, settings);
        if (auto result = tried(&problem.system())) {
            return *result;
        }
    }
    return by_one(*make_reference_system(n, settings).system);
}

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

// Let x = (A / Q(0) + lambda)^-1 b. Then rho is x / Q(0), and R(lambda) is
//     ||d||^2 - 2 Re<rho, b> + <rho, A rho> = ||d||^2 - (<b, x> + lambda ||x||^2) / Q(0).
// The formula serves if R at the smallest lambda is far above the errors of T and F^H d, which are
// relative to ||d||^2. Else R is computed there from F rho itself, which takes as long as F^H d,
// and the forms give the difference to it: nothing of the size of ||d||^2 cancels but in double
// precision.
class CurveOfFrame {
public:
    CurveOfFrame(const NormalOperator& n, const Frame& frame, const RightHandSides& fhd,
                 double noise)
        : q_at_zero_(n.q_at_zero()),
          error_(tolerance::normal_equations(std::max(fhd.error, n.error()),
                                             n.encoding().transforms().epsilon())),
          by_chance_(tolerance::expected(error_, n.encoding().transforms().epsilon())) {
        start_.data = energy_of(*frame.trajectory, frame.samples);
        start_.noise = noise * frame.trajectory->sum_of_weights();
        for (const Volume& b : fhd.volumes) {
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
    LambdaCurve by(const Runs& runs) const;

private:
    double explained(const ShiftedForms::Forms& forms, double lambda) const {
        return (forms.b_x + lambda * forms.x_x) / q_at_zero_;
    }
    double left_by_forms(const Runs& runs) const {
        return start_.data - explained(runs.at(smallest_lambda), smallest_lambda);
    }

    LambdaCurve start_; ///< without points
    double q_at_zero_;
    double error_; ///< of T and F^H d: its bound
    double by_chance_; ///< what it is likely to be
    double squares_ = 0; ///< of F^H d
    double beside_forms_ = 0; ///< what F rho leaves of the samples and the forms do not have
};

LambdaCurve CurveOfFrame::by(const Runs& runs) const {
    LambdaCurve curve = start_;
    for (const double lambda : lambdas()) {
        const ShiftedForms::Forms forms = runs.at(lambda);
        LambdaPoint point{lambda};
        point.residual = start_.data - explained(forms, lambda) + beside_forms_;
        point.solution = forms.x_x / (q_at_zero_ * q_at_zero_);
        point.unsolved = forms.residual;
        if (forms.x_x > 0 && lambda >= error_ * std::sqrt(squares_ / forms.x_x)) {
            curve.points.push_back(point);
        }
    }
    return curve;
}

} // namespace

LambdaCurve make_lambda_curve(const NormalOperator& n, const Frame& frame,
                              const RightHandSides& fhd, double noise, SolveOptions options,
                              const IsEnough& is_enough, Reporter& report) {
    const Stage stage(report, "lambda");
    options.lambda = smallest_lambda;
    return on_first_that_can(n, options, [&](System& system) {
        Runs runs(system, fhd.volumes);
        CurveOfFrame of_frame(n, frame, fhd, noise);
        for (int done = 0;;) {
            done = std::min(runs.next(done), options.iterations);
            runs.all_go_on(done);
            report.progress(static_cast<double>(done) / options.iterations);
            LambdaCurve curve = of_frame.by(runs);
            bool enough = is_enough(curve, done);
            if (enough && of_frame.needs_misfit(runs)) {
                of_frame.set_misfit(
                    runs, n.encoding().misfits(frame.samples, runs.images(), report).sum());
                curve = of_frame.by(runs);
                enough = is_enough(curve, done);
            }
            if (enough || done == options.iterations) {
                return curve;
            }
        }
    });
}

/// How much larger a random error of F^H d is in the image: norm of (N + lambda)^-1 z over that of
/// random signs z.
double amplification(const NormalOperator& n, const SolveOptions& options, Reporter& report) {
    const Stage stage(report, "rounding");
    const ComplexVector z = signs(n.encoding());
    const int iterations = std::min(iterations_of_rounding, options.iterations);
    const ShiftedForms forms = on_first_that_can(n, options, [&](System& system) {
        PlainRun run = system.plain_run(Volume(z), false);
        go_on(run, system, iterations);
        return ShiftedForms(run.coefficients(), run.squares(), options.lambda);
    });
    return std::sqrt(forms.at(options.lambda).x_x / z.squaredNorm());
}

namespace {

void require_points(const LambdaCurve& curve, const Scan& scan) {
    if (curve.points.empty()) {
        throw InputError({scan.file, "automatic lambda", "no image but zeros in the frame",
                          "a frame with an object, in a precision that resolves it",
                          "pass a number, or choose other frames with `frames`"});
    }
}

/// Tells the options that make the same image again, and why.
void report_choice(const LambdaCurve& curve, const std::string& chosen_from,
                   const std::vector<RegulariserChoice>& beside, Reporter& report) {
    const LambdaPoint& chosen = curve.at_chosen();
    report.info(text("lambda ", chosen.lambda,
                     beside.empty() ? "" : " with `reg` " + in_words(beside), ": ",
                     curve.chosen.why, chosen_from, ". Its residual is ",
                     rounded(chosen.residual / curve.noise), " times the noise's energy"));
}

} // namespace

LambdaCurve choose_lambda(const RuleChoice& wanted, const Scan& scan, const Frame& frame,
                          const NormalOperator& n, const RightHandSides& fhd,
                          const SolveOptions& options, const std::string& chosen_from,
                          Reporter& report) {
    const LambdaRule& rule = *lambda_rule(wanted.word);
    const double of_sample = energy_of_noise(scan.noise);
    if (rule.needs_noise && !(of_sample > 0)) {
        throw InputError({scan.file, scan.name_of("noise"),
                          scan.noise.empty() ? "it is missing" : "only zeros",
                          "samples of noise, which `lambda` " + rule.name + " needs",
                          "pass `lambda` auto, or a number"});
    }
    const auto is_enough = [&](LambdaCurve& curve, int iterations) {
        const bool is_last = iterations >= options.iterations;
        try {
            require_points(curve, scan);
            curve.chosen = rule.choose(curve, scan.file);
        } catch (const RunError&) {
            throw;
        } catch (const InputError&) { // the rule finds none, perhaps with more
            if (is_last) {
                throw;
            }
            return false;
        }
        return is_last || (iterations >= first_iterations_of_curve && is_solved(curve.at_chosen()));
    };
    LambdaCurve curve = make_lambda_curve(n, frame, fhd, of_sample, options, is_enough, report);
    report_choice(curve, chosen_from, options.regularisers, report);
    return curve;
}

void add_lambda_curve(Image& image, const LambdaCurve& curve) {
    RecordTable table{lambda_curve_table, lambda_curve_columns(), {}};
    for (const LambdaPoint& point : curve.points) {
        for (const double value : {point.lambda, std::sqrt(point.residual),
                                   std::sqrt(point.solution), point.residual / curve.noise}) {
            table.values.push_back(value);
        }
    }
    image.tables.push_back(std::move(table));
    image.record.emplace_back("lambda_rule", curve.chosen.rule);
    image.numbers.emplace_back("lambda_discrepancy", curve.at_chosen().residual / curve.noise);
}

} // namespace lsrecon
