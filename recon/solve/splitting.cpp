#include "solve/splitting.hpp"

#include <algorithm>
#include <cmath>

#include "solve/residuals.hpp"

namespace lsrecon {

namespace {

/// Of conjugate gradients within one iteration; they begin where the last ended.
constexpr int inner_iterations = 6;
constexpr double inner_reduction = 0.05; ///< of the residual, enough to stop earlier
/// First penalty over the weight: differences of a twentieth of the image's scale are kept whole.
constexpr double first_penalty = 20;
/// Penalties follow the residuals (Boyd et al. 2011, section 3.4.1).
constexpr double unbalanced = 10;
constexpr double penalty_step = 2;

class Splitting {
public:
    Splitting(Device& device, SelfAdjoint& a, const std::vector<Regularised::Term>& terms,
              Precision precision, const Volume& b, double norm)
        : device_(device), precision_(precision), b_(b.on(device, precision, 1 / norm)),
          left_(device, precision, a, terms), x_(zeros(a.inputs())), right_(zeros(a.inputs())),
          back_(zeros(a.inputs())), r_(zeros(a.inputs())), p_(zeros(a.inputs())),
          a_p_(zeros(a.inputs())) {
        const double scale = b.values().cwiseAbs().maxCoeff() / norm;
        for (std::size_t i = 0; i < terms.size(); ++i) {
            const std::size_t count = terms[i].k->outputs();
            parts_.push_back(
                {terms[i].weight * scale, zeros(count), zeros(count), zeros(count), zeros(count)});
            left_.terms()[i].weight = first_penalty * terms[i].weight;
        }
    }

    /// The larger relative residual.
    double iterate() {
        device_.combine(1, b_, 0, right_);
        for (std::size_t i = 0; i < parts_.size(); ++i) {
            Part& part = parts_[i]; // u becomes z - u for a moment
            device_.combine(1, part.z, -1, part.u);
            term(i).k->adjoint(part.u, back_);
            device_.combine(term(i).weight, back_, 1, right_);
            device_.combine(1, part.z, -1, part.u);
        }
        solve_for_x();
        double worst = 0;
        for (std::size_t i = 0; i < parts_.size(); ++i) {
            worst = std::max(worst, update(i));
        }
        return worst;
    }

    ComplexVector solution() const { return device_.download(x_); }

private:
    struct Part {
        double length; ///< weight times scale
        Array z; ///< K x, shrunk
        Array u; ///< scaled multipliers
        Array v; ///< K x
        Array change; ///< of z
    };

    Array zeros(std::size_t count) { return device_.zeros(count, {true, precision_}); }
    double norm(const Array& array) { return std::sqrt(device_.dot(array, array)); }
    Regularised::Term& term(std::size_t i) { return left_.terms()[i]; }

    void solve_for_x() {
        left_.apply(x_, a_p_);
        device_.combine(1, right_, 0, r_);
        device_.combine(-1, a_p_, 1, r_);
        device_.combine(1, r_, 0, p_);
        double squares = device_.dot(r_, r_);
        const double enough = inner_reduction * inner_reduction * squares;
        for (int i = 0; i < inner_iterations && squares > enough; ++i) {
            left_.apply(p_, a_p_);
            const double alpha = squares / device_.dot(p_, a_p_);
            device_.combine(alpha, p_, 1, x_);
            device_.combine(-alpha, a_p_, 1, r_);
            const double before = squares;
            squares = device_.dot(r_, r_);
            device_.combine(1, r_, squares / before, p_);
        }
    }

    double update(std::size_t i) {
        Part& part = parts_[i];
        double& penalty = term(i).weight;
        term(i).k->apply(x_, part.v);
        const double size = std::max(norm(part.v), norm(part.z));
        device_.combine(1, part.v, 1, part.u); // v + u
        device_.combine(1, part.z, 0, part.change);
        device_.combine(1, part.u, 0, part.z);
        device_.shrink(x_.count(), part.length / penalty, part.z);
        device_.combine(-1, part.z, 1, part.u);
        device_.combine(-1, part.z, 1, part.v); // v - z
        device_.combine(-1, part.z, 1, part.change);
        term(i).k->adjoint(part.change, back_);
        const double of_change = penalty * norm(back_);
        term(i).k->adjoint(part.u, back_);
        const double of_multipliers = penalty * norm(back_);
        const double primal = size > 0 ? norm(part.v) / size : 0;
        const double dual = of_multipliers > 0 ? of_change / of_multipliers : 0;
        if (primal > unbalanced * dual) {
            penalty *= penalty_step;
            device_.combine(1 / penalty_step - 1, part.u, 1, part.u);
        } else if (dual > unbalanced * primal) {
            penalty /= penalty_step;
            device_.combine(penalty_step - 1, part.u, 1, part.u);
        }
        return std::max(primal, dual);
    }

    Device& device_;
    Precision precision_;
    Array b_;
    Regularised left_; ///< A + sum of penalty K^H K
    Array x_;
    Array right_;
    Array back_;
    Array r_;
    Array p_;
    Array a_p_;
    std::vector<Part> parts_;
};

} // namespace

Solution split_solve(Device& device, SelfAdjoint& a, const std::vector<Regularised::Term>& terms,
                     Precision precision, const Volume& b, const SolveOptions& options,
                     const std::function<void(double)>& progress) {
    const double norm = b.norm();
    if (norm == 0) {
        return zero_solution(static_cast<Eigen::Index>(b.count()));
    }
    Residuals residuals(options, progress);
    residuals.add(norm / norm);
    Splitting splitting(device, a, terms, precision, b, norm);
    for (int i = 0; i < options.iterations && !residuals.reached(); ++i) {
        residuals.add(splitting.iterate());
    }
    const ComplexVector solution = norm * splitting.solution();
    residuals.require_finite(solution);
    return {solution, residuals.history(), residuals.stop()};
}

} // namespace lsrecon
