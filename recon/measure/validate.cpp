// Compares every stage of one scan on a device with the double reference, the solver after a few
// iterations.

#include "measure/validate.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>

#include "base/error.hpp"
#include "base/numbers.hpp"
#include "base/tolerance.hpp"
#include "encoding/encoding.hpp"
#include "encoding/solve.hpp"
#include "engines/on_host.hpp"
#include "operators/q.hpp"
#include "solve/conjugate_gradient.hpp"
#include "solve/system.hpp"

namespace lsrecon {

namespace {

using Indices = std::vector<std::size_t>;

Indices all_of(std::size_t total) {
    Indices all(total);
    std::iota(all.begin(), all.end(), std::size_t(0));
    return all;
}

CoilMatrix pick(const CoilRows& values, const Indices& indices) {
    CoilMatrix picked(static_cast<Eigen::Index>(values.rows()),
                      static_cast<Eigen::Index>(indices.size()));
    values.visit([&](const auto& all) {
        for (std::size_t i = 0; i < indices.size(); ++i) {
            picked.col(static_cast<Eigen::Index>(i)) =
                all.col(static_cast<Eigen::Index>(indices[i])).template cast<Complex>();
        }
    });
    return picked;
}

/// The results of the comparison of each stage, at random points where the reference cannot afford
/// all.
class ValidationRows {
public:
    explicit ValidationRows(const ValidateOptions& options)
        : pairs_(options.pairs), random_(options.seed) {}

    /// All of 0..total-1 when the reference can afford it, else as many at random, in order, and
    /// always the first and the last, where partial chunks and blocks are.
    Indices sample(std::size_t total, double pairs_each) {
        const double affordable = std::max(8.0, pairs_ / std::max(1.0, pairs_each));
        Indices all = all_of(total);
        if (affordable >= static_cast<double>(total)) {
            return all;
        }
        std::shuffle(all.begin() + 1, all.end() - 1, random_);
        std::swap(all[1], all.back());
        all.resize(static_cast<std::size_t>(affordable));
        std::sort(all.begin(), all.end());
        return all;
    }
    CoilMatrix random_values(std::size_t coils, std::size_t count) {
        std::normal_distribution<double> normal;
        return CoilMatrix::NullaryExpr(static_cast<Eigen::Index>(coils),
                                       static_cast<Eigen::Index>(count),
                                       [&] { return Complex(normal(random_), normal(random_)); });
    }
    std::mt19937_64& random() { return random_; }

    /// Adds the result of the device for the stage, and the reference at the indices. The error is
    /// relative to the size of the whole: the chosen points may be weak, as in Q of a Cartesian
    /// scan.
    void add(const std::string& stage, double bound, const CoilMatrix& computed,
             const CoilMatrix& reference, const Indices& indices, const std::string& remark = "") {
        ValidationRow row;
        row.stage = stage;
        row.bound = bound;
        row.compared = indices.size();
        row.total = columns(computed);
        const CoilMatrix difference = pick(computed, indices) - reference;
        // A random point stands for many, and the two that are always chosen for themselves: the
        // error of a NUFFT is largest at the corners that they are.
        RealVector stands_for = RealVector::Ones(difference.cols());
        if (row.compared < row.total) {
            stands_for.segment(1, difference.cols() - 2)
                .setConstant(static_cast<double>(row.total - 2) /
                             static_cast<double>(row.compared - 2));
        }
        const auto norm_of_all = [&](const CoilMatrix& at_some) {
            return std::sqrt((at_some.cwiseAbs2() * stands_for).sum());
        };
        row.relative_l2 =
            norm_of_all(difference) / std::max(norm_of_all(reference), computed.norm());
        Eigen::Index coil = 0;
        Eigen::Index column = 0;
        row.largest =
            difference.cwiseAbs().maxCoeff(&coil, &column) / computed.cwiseAbs().maxCoeff();
        row.where = text(computed.rows() > 1 ? text("coil ", coil, ", ") : "",
                         stage == "mu" || stage == "f" ? "sample " : "voxel ",
                         indices[static_cast<std::size_t>(column)]);
        row.remark = remark;
        if (remark.empty() && row.compared < row.total) {
            row.remark = text(row.compared, " of ", row.total, " compared, chosen at random");
        }
        rows_.push_back(row);
    }
    const std::vector<ValidationRow>& rows() const { return rows_; }

private:
    double pairs_;
    std::mt19937_64 random_;
    std::vector<ValidationRow> rows_;
};

/// The image after a few iterations of conjugate gradients, and what errors make of it.
///
/// Converged solutions cannot be compared: where a scan determines its image badly, they take
/// hundreds of iterations, and two correct programs differ. After a few iterations an image is a
/// smooth function of the operator and of b, whose sensitivity can be measured.
struct FewIterations {
    SolveOptions options; ///< options with which it is made again
    ComplexVector x;
    double residual = 0; ///< ||b - A x|| / ||b||
    /// The relative distance that x moves when every product with A, and b, are wrong by the errors
    /// of the transforms, or of the solver alone, in random directions.
    double moved_by_transforms = 0;
    double moved_by_solver = 0;
};

struct PermittedErrors {
    double of_transforms; ///< relative error of products and b
    double of_solver; ///< error of products alone that are made of the same Q
    double tolerance; ///< the smallest that the solver can be asked for
};

constexpr int most_iterations = 5;
constexpr double little = 1e-4; ///< a comparison as sharp as this finds what is wrong

/// A vector of this norm in a random direction.
ComplexVector of_norm(double norm, Eigen::Index size, std::mt19937_64& random) {
    std::normal_distribution<double> normal;
    const ComplexVector direction =
        ComplexVector::NullaryExpr(size, [&] { return Complex(normal(random), normal(random)); });
    return norm / direction.norm() * direction;
}

/// The result of the same iterations with errors in every product and in b.
ComplexVector with_errors(System& normal, const ComplexVector& b, const SolveOptions& options,
                          double error, std::mt19937_64& random) {
    // An error of Q reaches every volume, also one that A makes small.
    const ComplexVector any = of_norm(1, b.size(), random);
    const double typical = normal.apply(any).norm();
    const auto apply = [&](const ComplexVector& p) -> ComplexVector {
        const ComplexVector product = normal.apply(p);
        return product + of_norm(error * (product.norm() + typical * p.norm()), b.size(), random);
    };
    const ComplexVector wrong_b = b + of_norm(error * b.norm(), b.size(), random);
    return conjugate_gradient(apply, wrong_b, options).x;
}

double moved_by(double error, const FewIterations& few, System& normal, const ComplexVector& b,
                std::mt19937_64& random) {
    try {
        return (with_errors(normal, b, few.options, error, random) - few.x).norm() / few.x.norm();
    } catch (const ToleranceError&) { // the errors made the operator negative
        return std::numeric_limits<double>::infinity();
    }
}

/// The iterations, up to five, for which the errors move the result little, and which stay above
/// the tolerance, so that another program does the same number.
FewIterations few_iterations(System& normal, const ComplexVector& b, double lambda,
                             const PermittedErrors& errors, std::mt19937_64& random) {
    const auto apply = [&](const ComplexVector& p) { return normal.apply(p); };
    FewIterations few;
    for (int iterations = most_iterations; iterations > 0; iterations /= 2) {
        few.options = {lambda, iterations, errors.tolerance};
        Solution solution = conjugate_gradient(apply, b, few.options);
        if (solution.stop == Stop::tolerance && solution.residuals.size() > 2) {
            few.options.iterations = static_cast<int>(solution.residuals.size()) - 2;
            solution = conjugate_gradient(apply, b, few.options);
        }
        few.x = solution.x;
        few.residual = solution.residuals.back();
        few.moved_by_transforms = moved_by(errors.of_transforms, few, normal, b, random);
        if (few.moved_by_transforms < little) {
            break;
        }
    }
    few.moved_by_solver = moved_by(errors.of_solver, few, normal, b, random);
    return few;
}

class Validation {
public:
    Validation(const Scan& scan, Transforms& device, const ValidateOptions& options,
               Reporter& report)
        : scan_(scan), device_(device), options_(options), report_(report),
          frame_(scan.frames.front()),
          formulation_(formulate(scan, {false, false, device.segment_error() > 0})),
          rows_(options) {
        reference_ = reference_transforms();
    }

    std::vector<ValidationRow> run() {
        if (scan_.has_samples()) {
            check_mu_and_fhd();
        }
        check_q();
        check_forward();
        check_operator();
        if (scan_.has_samples()) {
            check_solution();
        }
        return rows_.rows();
    }

private:
    std::size_t samples() const { return frame_.trajectory->samples(); }
    const std::vector<Vec3>& positions() const { return frame_.trajectory->positions; }

    double remember(double bound) {
        worst_bound_ = std::max(worst_bound_, bound);
        return bound;
    }

    void check_mu_and_fhd() {
        CoilMatrix mu;
        {
            const Stage stage(report_, "mu");
            mu = mu_on_host(device_, *frame_.trajectory, frame_.samples);
        }
        const CoilMatrix exact_mu = mu_on_host(*reference_, *frame_.trajectory, frame_.samples);
        rows_.add("mu", of_mu(), mu, exact_mu, all_of(samples()));

        // Uses the device's Mu, so that its error does not count against F^H.
        auto bare = std::make_shared<Trajectory>();
        bare->positions = positions();
        bare->times = frame_.trajectory->times;
        Frame of_mu{bare, mu, "", {}};
        const FhdOnHost fhd =
            fhd_on_host(device_, formulation_.voxels, of_mu, scan_.coil_maps, report_);
        const Indices chosen =
            rows_.sample(formulation_.voxels.count(), work(samples(), scan_.coils()));
        const CoilMatrix maps =
            formulation_.coils_share_one_problem ? pick(scan_.coil_maps, chosen) : CoilMatrix();
        const Stage stage(report_, "reference");
        const CoilMatrix exact =
            fhd_on_host(*reference_, formulation_.voxels.subset(chosen), of_mu, maps, silent_)
                .values;
        rows_.add("fhd", remember(fhd.error), fhd.values, exact, chosen);
    }

    void check_q() {
        const Voxels where =
            formulation_.through_q ? Voxels::half_differences(scan_.grid) : formulation_.voxels;
        OnHost of_device;
        if (formulation_.through_q) {
            q_ = compute_q_in_stage(device_, *frame_.trajectory, scan_.grid, report_);
            of_device = {q_->half.values().transpose(), q_->error};
        } else {
            of_device = compute_q_at(device_, *frame_.trajectory, where, report_);
        }
        const Indices chosen = rows_.sample(where.count(), static_cast<double>(samples()));
        const Stage stage(report_, "reference");
        const OnHost exact =
            compute_q_at(*reference_, *frame_.trajectory, where.subset(chosen), silent_);
        rows_.add("q", remember(of_device.error), of_device.values, exact.values, chosen);
    }

    void check_forward() {
        const CoilMatrix rho = rows_.random_values(1, formulation_.voxels.count());
        OnHost f;
        {
            const Stage stage(report_, "f");
            f = forward_on_host(device_, frame_.trajectory->points(), rho, formulation_.voxels,
                                progress());
        }
        const Indices chosen =
            rows_.sample(samples(), static_cast<double>(formulation_.voxels.count()));
        const Stage stage(report_, "reference");
        Frame at_chosen = subset({frame_.trajectory, {}, "", {}}, chosen);
        const OnHost exact = forward_on_host(*reference_, at_chosen.trajectory->points(), rho,
                                             formulation_.voxels, progress());
        rows_.add("f", remember(f.error), f.values, exact.values, chosen);
    }

    /// The device's F^H W F with coil maps on a volume that is zero but at some voxels, which is
    /// what makes the reference affordable, compared at some voxels.
    void check_operator() {
        const std::size_t count = formulation_.voxels.count();
        const Indices in = rows_.sample(count, 2 * work(samples(), scan_.coil_maps.rows()));
        const Indices out = rows_.sample(count, 2 * work(samples(), scan_.coil_maps.rows()));
        const CoilMatrix values = rows_.random_values(1, in.size());
        ComplexVector rho = ComplexVector::Zero(static_cast<Eigen::Index>(count));
        for (std::size_t i = 0; i < in.size(); ++i) {
            rho(static_cast<Eigen::Index>(in[i])) = values(0, static_cast<Eigen::Index>(i));
        }
        ImageSpace images(device_.device(), formulation_, scan_.coil_maps);
        const Encoding encoding(device_, images, *frame_.trajectory);
        const NormalOperator n(encoding, [&](const Trajectory&) { return *q_; });
        const LeastSquares problem(n, SolveOptions());
        const CoilMatrix product = problem.system().apply(rho).transpose();

        const Stage stage(report_, "reference");
        const auto maps_at = [&](const Indices& indices) {
            return scan_.coil_maps.empty()
                       ? CoilMatrix::Ones(1, static_cast<Eigen::Index>(indices.size())).eval()
                       : pick(scan_.coil_maps, indices);
        };
        const CoilMatrix weighted = maps_at(in).array().rowwise() * values.row(0).array();
        CoilMatrix f = forward_on_host(*reference_, frame_.trajectory->points(), weighted,
                                       formulation_.voxels.subset(in), progress())
                           .values;
        f.array().rowwise() *= frame_.trajectory->q_weights().transpose().array().cast<Complex>();
        const CoilMatrix back = adjoint_on_host(*reference_, frame_.trajectory->points(), f,
                                                formulation_.voxels.subset(out), progress())
                                    .values;
        const CoilMatrix exact = maps_at(out).conjugate().cwiseProduct(back).colwise().sum();
        rows_.add("operator", tolerance::gram(worst_bound_) + rounding_of_product(problem.system()),
                  product, exact, out,
                  in.size() < count ? text("volume of ", in.size(), " voxels that are not 0, ",
                                           out.size(), " of ", count, " compared")
                                    : "");
    }

    /// Checks the solution. Device and reference iterate on the same problem with their own Mu, FHd
    /// and Q, on one coil where each coil is a separate problem, and on as many samples as the
    /// reference can afford; then Eigen iterates on the device's.
    void check_solution() {
        const Frame frame = affordable_problem();
        ImageSpace images(device_.device(), formulation_, scan_.coil_maps);
        const Encoding encoding(device_, images, *frame.trajectory);
        const RightHandSides fhd = [&] {
            const Stage stage(report_, "fhd", encoding.cost(frame.samples.rows()).seconds);
            return encoding.adjoint(frame.samples, report_);
        }();
        const NormalOperator n(encoding, make_q(device_, report_));
        SolveOptions settings;
        settings.lambda = options_.lambda;
        const LeastSquares problem(n, settings);
        const double of_product = rounding_of_product(problem.system());
        const PermittedErrors errors{
            tolerance::normal_equations(std::max(fhd.error, n.error()), device_.epsilon()) +
                of_product,
            of_product, smallest_tolerance(problem.system().epsilon())};
        const FewIterations few = [&] {
            const Stage stage(report_, "reference");
            ImageSpace exact_images(reference_->device(), formulation_, scan_.coil_maps);
            const Encoding exact(*reference_, exact_images, *frame.trajectory);
            const NormalOperator exact_n(exact, make_q(*reference_, silent_));
            const ComplexVector b = exact.adjoint(frame.samples).volumes.front().values();
            return few_iterations(*make_reference_system(exact_n, settings).system, b,
                                  options_.lambda, errors, rows_.random());
        }();
        const auto by_eigen = [&]() -> CoilMatrix {
            return solve_by_eigen(problem, fhd.volumes, few.options, report_).image.transpose();
        };
        const CoilMatrix computed =
            problem.is_on_device()
                ? CoilMatrix(solve_on_device(problem.system(), fhd.volumes, few.options, report_)
                                 .image.transpose())
                : by_eigen();
        const Indices every = all_of(formulation_.voxels.count());
        const std::string iterations =
            counted(static_cast<std::size_t>(few.options.iterations), "iteration");
        rows_.add("solution", tolerance::few_iterations(few.moved_by_transforms), computed,
                  few.x.transpose(), every,
                  text(iterations, part_of_scan(frame), ", residual ", rounded(few.residual),
                       few.residual > SolveOptions().tolerance ? ", not converged" : ""));
        if (problem.is_on_device()) {
            const Stage stage(report_, "solver");
            rows_.add("solver", tolerance::few_iterations(few.moved_by_solver), computed,
                      by_eigen(), every,
                      text(iterations, part_of_scan(frame), ", ", problem.system().description()));
        }
    }

    /// The strongest coil when each is a separate problem, and some of the samples when the
    /// reference cannot afford all.
    Frame affordable_problem() {
        const double of_sample =
            formulation_.through_q
                ? work(Voxels::half_differences(scan_.grid).count() + formulation_.voxels.count(),
                       1)
                : work(30 * formulation_.voxels.count(), 1); // F and F^H in every product
        Frame frame = subset(frame_, rows_.sample(samples(), of_sample));
        if (!formulation_.coils_share_one_problem) {
            Eigen::Index strongest = 0;
            const CoilMatrix samples = frame.samples.to_doubles();
            samples.rowwise().norm().maxCoeff(&strongest);
            frame.samples = samples.row(strongest);
        }
        return frame;
    }

    std::string part_of_scan(const Frame& frame) const {
        const std::size_t kept = frame.trajectory->samples();
        return text(kept < samples() ? text(", ", kept, " of ", samples(), " samples") : "",
                    frame.samples.rows() < scan_.coils()
                        ? text(", the strongest of ", scan_.coils(), " coils")
                        : "");
    }

    double of_mu() const { return tolerance::mu() * device_.epsilon() / tolerance::eps; }

    /// The rounding of a product with the normal equations beside that of Q, or of F and F^H in
    /// place of Q.
    double rounding_of_product(const System& system) const {
        return tolerance::resident_product(formulation_.voxels.count(), system.epsilon()) +
               (formulation_.through_q ? 0 : tolerance::gram(worst_bound_));
    }

    /// The work in pairs; a coil of a pair costs `of_coil` beside the sine and cosine of the pair.
    static double work(std::size_t points, std::size_t coils) {
        constexpr double of_coil = 0.1;
        return static_cast<double>(points) * (1 + of_coil * static_cast<double>(coils));
    }

    /// Computes Q by these transforms, so that normal equations of the device and of the reference
    /// share nothing.
    NormalOperator::MakeQ make_q(Transforms& transforms, Reporter& report) const {
        return [&](const Trajectory& trajectory) {
            return compute_q_in_stage(transforms, trajectory, scan_.grid, report);
        };
    }

    Progress progress() {
        return [this](double fraction) { report_.progress(fraction); };
    }

    const Scan& scan_;
    Transforms& device_;
    std::unique_ptr<Transforms> reference_;
    const ValidateOptions& options_;
    Reporter& report_;
    Reporter silent_;
    const Frame& frame_;
    Formulation formulation_;
    std::optional<Q> q_; ///< Q of the device; none for voxels off the grid
    double worst_bound_ = 0; ///< worst bound of F^H, Q and F
    ValidationRows rows_;
};

} // namespace

std::vector<ValidationRow> validate(const Scan& scan, Transforms& device,
                                    const ValidateOptions& options, Reporter& report) {
    return Validation(scan, device, options, report).run();
}

} // namespace lsrecon
