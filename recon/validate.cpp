// Every stage of one scan on a device, and what the double reference says to it.

#include "validate.hpp"

#include <algorithm>
#include <numeric>
#include <random>

#include "base/error.hpp"
#include "base/tolerance.hpp"
#include "plan/plan.hpp"
#include "solve/resident_cg.hpp"
#include "solve/solve.hpp"
#include "stages/fhd.hpp"
#include "stages/gram.hpp"
#include "stages/mu.hpp"
#include "stages/q.hpp"

namespace lsrecon {

namespace {

using Indices = std::vector<std::size_t>;

std::vector<Vec3> pick(const std::vector<Vec3>& points, const Indices& indices) {
    std::vector<Vec3> picked;
    for (const std::size_t i : indices) {
        picked.push_back(points[i]);
    }
    return picked;
}

CoilMatrix pick(const CoilMatrix& values, const Indices& indices) {
    CoilMatrix picked(values.rows(), static_cast<Eigen::Index>(indices.size()));
    for (std::size_t i = 0; i < indices.size(); ++i) {
        picked.col(static_cast<Eigen::Index>(i)) =
            values.col(static_cast<Eigen::Index>(indices[i]));
    }
    return picked;
}

class Validation {
public:
    Validation(const Scan& scan, Backend& device, const ValidateOptions& options, Reporter& report)
        : scan_(scan), device_(device), options_(options), report_(report),
          frame_(scan.frames.front()), plan_(make_plan(scan, false)), kernel_(device.info().kernel),
          random_(options.seed) {
        reference_ = make_backend({"reference", "", ""});
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
        return rows_;
    }

private:
    std::size_t samples() const { return frame_.sampling->samples(); }
    const std::vector<Vec3>& trajectory() const { return frame_.sampling->trajectory; }

    /// All of 0..total-1 when the reference can afford it, else as many at random, in order, and
    /// always the first and the last, where partial chunks and blocks are.
    Indices sample(std::size_t total, double pairs_each) {
        const double affordable = std::max(8.0, options_.pairs / std::max(1.0, pairs_each));
        Indices all(total);
        std::iota(all.begin(), all.end(), std::size_t(0));
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

    void add(const std::string& stage, double bound, const CoilMatrix& computed,
             const CoilMatrix& reference, const Indices& indices, std::size_t total,
             const std::string& remark = "") {
        ValidationRow row;
        row.stage = stage;
        row.bound = bound;
        row.relative_l2 = (computed - reference).norm() / reference.norm();
        Eigen::Index coil = 0;
        Eigen::Index column = 0;
        const double largest = (computed - reference).cwiseAbs().maxCoeff(&coil, &column);
        row.largest = largest / reference.cwiseAbs().maxCoeff();
        row.where = text(computed.rows() > 1 ? text("coil ", coil, ", ") : "",
                         stage == "mu" || stage == "f" ? "sample " : "voxel ",
                         indices[static_cast<std::size_t>(column)]);
        row.compared = indices.size();
        row.total = total;
        row.remark = remark;
        if (remark.empty() && indices.size() < total) {
            row.remark = text(indices.size(), " of ", total, " compared, chosen at random");
        }
        rows_.push_back(row);
    }

    void check_mu_and_fhd() {
        const CoilMatrix mu = compute_mu(device_, frame_, report_);
        const CoilMatrix exact_mu = reference_->mu(*frame_.sampling, frame_.samples);
        Indices every(samples());
        std::iota(every.begin(), every.end(), std::size_t(0));
        add("mu", tolerance::mu(), mu, exact_mu, every, samples());

        const CoilMatrix fhd = compute_fhd(device_, plan_, frame_, mu, scan_.coil_maps, report_);
        const Indices chosen = sample(plan_.voxels.count(), static_cast<double>(samples()));
        const Plan at_chosen{plan_.voxels.subset(chosen), false, plan_.coils_share_one_problem};
        const CoilMatrix maps =
            plan_.coils_share_one_problem ? pick(scan_.coil_maps, chosen) : CoilMatrix();
        const Stage stage(report_, "reference");
        const CoilMatrix exact =
            compute_fhd(*reference_, at_chosen, frame_, exact_mu, maps, silent_);
        add("fhd", tolerance::direct_transform(kernel_, samples()), pick(fhd, chosen), exact,
            chosen, plan_.voxels.count());
    }

    void check_q() {
        const Voxels where = plan_.through_q ? Voxels::half_differences(scan_.grid) : plan_.voxels;
        const ComplexVector q = compute_q_at(device_, *frame_.sampling, where, report_);
        const Indices chosen = sample(where.count(), static_cast<double>(samples()));
        const Stage stage(report_, "reference");
        const ComplexVector exact =
            compute_q_at(*reference_, *frame_.sampling, where.subset(chosen), silent_);
        add("q", tolerance::direct_transform(kernel_, samples()), pick(q.transpose(), chosen),
            exact.transpose(), chosen, where.count());
    }

    void check_forward() {
        const CoilMatrix rho = random_values(1, plan_.voxels.count());
        CoilMatrix f;
        {
            const Stage stage(report_, "f");
            f = device_.forward(trajectory(), rho, plan_.voxels, progress());
        }
        const Indices chosen = sample(samples(), static_cast<double>(plan_.voxels.count()));
        const Stage stage(report_, "reference");
        const CoilMatrix exact =
            reference_->forward(pick(trajectory(), chosen), rho, plan_.voxels, progress());
        add("f", tolerance::direct_transform(kernel_, plan_.voxels.count()), pick(f, chosen), exact,
            chosen, samples());
    }

    /// The device's F^H W F with coil maps on a volume that is zero but at some voxels, which is
    /// what makes the reference affordable, compared at some voxels.
    void check_operator() {
        const std::size_t count = plan_.voxels.count();
        const Indices in = sample(count, 2 * static_cast<double>(samples()));
        const Indices out = sample(count, 2 * static_cast<double>(samples()));
        const CoilMatrix values = random_values(1, in.size());
        ComplexVector rho = ComplexVector::Zero(static_cast<Eigen::Index>(count));
        for (std::size_t i = 0; i < in.size(); ++i) {
            rho(static_cast<Eigen::Index>(in[i])) = values(0, static_cast<Eigen::Index>(i));
        }
        const CommonToFrames common = common_of(device_, 0, report_);
        NormalEquations equations(common, *frame_.sampling);
        ResidentSystem* const resident = equations.resident();
        const CoilMatrix product =
            (resident ? resident->apply(rho) : equations.in_double().apply(rho)).transpose();

        const Stage stage(report_, "reference");
        const CoilMatrix unit = CoilMatrix::Ones(1, static_cast<Eigen::Index>(count));
        const CoilMatrix& maps = scan_.coil_maps.size() > 0 ? scan_.coil_maps : unit;
        const CoilMatrix maps_in = pick(maps, in);
        const CoilMatrix weighted = maps_in.array().rowwise() * values.row(0).array();
        CoilMatrix f =
            reference_->forward(trajectory(), weighted, plan_.voxels.subset(in), progress());
        f.array().rowwise() *= frame_.sampling->q_weights().transpose().array().cast<Complex>();
        const CoilMatrix back =
            reference_->fhd(trajectory(), f, plan_.voxels.subset(out), progress());
        const CoilMatrix exact = pick(maps, out).conjugate().cwiseProduct(back).colwise().sum();
        const double of_product =
            resident ? tolerance::resident_product(count, resident->epsilon()) : 0;
        add("operator", tolerance::gram(kernel_, samples()) + of_product, pick(product, out), exact,
            out, count,
            in.size() < count ? text("volume of ", in.size(), " voxels that are not 0, ",
                                     out.size(), " of ", count, " compared")
                              : "");
    }

    /// Both solve the same problem with their own Mu, FHd and Q, on as many samples as the
    /// reference can afford; then the device's solver solves the device's.
    void check_solution() {
        const double voxels =
            plan_.through_q ? static_cast<double>(Voxels::half_differences(scan_.grid).count())
                            : 2 * max_iterations_ * static_cast<double>(plan_.voxels.count());
        const Indices kept = sample(samples(), voxels);
        const Frame frame = kept.size() < samples() ? subset(frame_, kept) : frame_;
        const std::string remark = kept.size() < samples()
                                       ? text("with ", kept.size(), " of ", samples(), " samples")
                                       : "";
        const CommonToFrames common = common_of(device_, options_.lambda, report_);
        NormalEquations equations(common, *frame.sampling);
        const CoilMatrix right_hand_side = fhd(device_, frame, report_);
        const SolveOptions exactly{options_.lambda, max_iterations_, 1e-7, false};
        const CoilMatrix computed = solve(equations, right_hand_side, exactly, report_).rho;
        const double spread = spread_of(frame);
        Indices every(plan_.voxels.count());
        std::iota(every.begin(), every.end(), std::size_t(0));
        {
            const Stage stage(report_, "reference");
            const CommonToFrames of_reference = common_of(*reference_, options_.lambda, silent_);
            NormalEquations exact_equations(of_reference, *frame.sampling);
            const CoilMatrix exact =
                solve(exact_equations, fhd(*reference_, frame, silent_), exactly, silent_).rho;
            add("solution", tolerance::solution(kernel_, kept.size(), options_.lambda, spread),
                computed, exact, every, every.size(), remark);
        }
        if (ResidentSystem* const resident = equations.resident()) {
            const double epsilon = resident->epsilon();
            const double reach = std::max(exactly.tolerance, smallest_tolerance(epsilon));
            const SolveOptions like{options_.lambda, max_iterations_, reach};
            const Stage stage(report_, "solver");
            add("solver",
                tolerance::resident_solution(every.size(), epsilon, reach, like.lambda, spread),
                solve_on_device(*resident, right_hand_side, like, report_).rho, computed, every,
                every.size(), remark.empty() ? resident->description() : remark);
        }
    }

    /// Equations of the backend's own Q.
    CommonToFrames common_of(Backend& backend, double lambda, Reporter& report) const {
        return {backend, plan_, scan_.coil_maps, lambda, [&, this](const Sampling& sampling) {
                    return compute_q(backend, sampling, scan_.grid, report);
                }};
    }

    CoilMatrix fhd(Backend& backend, const Frame& frame, Reporter& report) const {
        const CoilMatrix mu = compute_mu(backend, frame, report);
        return compute_fhd(backend, plan_, frame, mu, scan_.coil_maps, report);
    }

    /// ||T|| / Q(0) by power iteration: it comes from below, within a few per cent.
    double spread_of(const Frame& frame) {
        const CommonToFrames common = common_of(*reference_, 0, silent_);
        NormalEquations equations(common, *frame.sampling);
        const Gram& gram = equations.gram();
        ComplexVector rho = random_values(1, plan_.voxels.count()).row(0).transpose();
        double norm = 1;
        for (int i = 0; i < 10; ++i) {
            rho = gram.apply(rho / rho.norm());
            norm = rho.norm();
        }
        return 1.1 * norm / gram.diagonal();
    }

    Progress progress() {
        return [this](double fraction) { report_.progress(fraction); };
    }

    const Scan& scan_;
    Backend& device_;
    std::unique_ptr<Backend> reference_;
    const ValidateOptions& options_;
    Reporter& report_;
    Reporter silent_;
    const Frame& frame_;
    Plan plan_;
    std::string kernel_;
    std::mt19937_64 random_;
    const int max_iterations_ = 200;
    std::vector<ValidationRow> rows_;
};

} // namespace

std::vector<ValidationRow> validate(const Scan& scan, Backend& device,
                                    const ValidateOptions& options, Reporter& report) {
    return Validation(scan, device, options, report).run();
}

} // namespace lsrecon
