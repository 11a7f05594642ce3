#include "solve/splitting.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "solve/cg.hpp"
#include "solve/late_change.hpp"
#include "solve/residuals.hpp"

namespace lsrecon {

namespace {

/// Of conjugate gradients within one iteration; they begin where the last ended. A few are enough
/// where the preconditioner is near; elsewhere they go on until the residual has fallen as far as
/// it does there (decision 0021).
constexpr int inner_iterations = 3;
constexpr int most_inner_iterations = 10;
constexpr double inner_reduction = 0.05; ///< of the residual, enough to stop earlier
constexpr double least_reduction = 0.3; ///< enough to stop after inner_iterations
/// The first penalty shortens vectors by this share of the image's scale. Measured (decision 0021):
/// 0.005 to 0.02 serve total variation and wavelets alike.
constexpr double first_shortening = 0.01;
/// Of what the iteration changes (Boyd et al. 2011, section 3.4.3).
constexpr double relaxation = 1.7;
/// Penalties follow the residuals (Boyd et al. 2011, section 3.4.1).
constexpr double unbalanced = 10;
constexpr double penalty_step = 2;
/// Iterations until the residual of the inner problem is computed anew: it gathers rounding.
constexpr int fresh = 50;
/// So much smaller than it was, a penalty makes it worth computing sooner.
constexpr double far_below = 16;

} // namespace

Distances& Distances::operator+=(const Distances& other) {
    apart += other.apart;
    size += other.size;
    changed += other.changed;
    multipliers += other.multipliers;
    return *this;
}

double Distances::primal() const {
    return apart > 0 ? std::sqrt(apart / std::max(size, apart)) : 0;
}

double Distances::dual() const {
    // Frames that are alike leave multipliers of nothing but rounding.
    constexpr double rounding = 1e-8;
    const double of = std::max(multipliers, rounding * size);
    return of > 0 ? std::sqrt(changed / of) : 0;
}

double Distances::penalty_factor() const {
    if (primal() > unbalanced * dual()) {
        return penalty_step;
    }
    return dual() > unbalanced * primal() ? 1 / penalty_step : 1;
}

Alternation::Alternation(Device& device, Precision precision, const SplitProblem& problem,
                         double norm, const Alternation* other)
    : device_(device), precision_(precision), b_(problem.b.on(device, precision, 1 / norm)),
      left_(device, precision, problem.a, {}), inverse_(problem.inverse), x_(zeros()),
      right_(zeros()), back_(other ? other->back_ : zeros()), r_(zeros()),
      p_(other ? other->p_ : zeros()), a_p_(other ? other->a_p_ : zeros()) {
    const double scale = problem.scale / norm;
    for (const RegulariserTerm* const term : problem.terms) {
        const std::size_t count = term->k->outputs();
        parts_.push_back({term, term->weight * scale, zeros(count), zeros(count), zeros(count),
                          zeros(), zeros(), 0});
        left_.terms().push_back({term->k.get(), term->weight / first_shortening});
        if (inverse_) {
            inverse_->set_weight(term->k.get(), term->weight);
        }
    }
}

const Array& Alternation::preconditioned() {
    if (!inverse_) {
        return r_;
    }
    inverse_->apply(r_, back_);
    return back_;
}

void Alternation::begin_at(const ComplexVector& x) {
    device_.upload(x, x_);
    for (Part& part : parts_) {
        part.term->k->apply(x_, part.z);
        part.term->k->adjoint(part.z, part.back_z);
    }
}

void Alternation::solve_for_x() {
    device_.combine(-1, right_, 1, r_); // r is that of x with another right-hand side
    device_.combine(1, b_, 0, right_);
    for (std::size_t i = 0; i < parts_.size(); ++i) {
        device_.combine(penalty(i), parts_[i].back_z, 1, right_);
        device_.combine(-penalty(i), parts_[i].back_u, 1, right_);
    }
    if (done_++ % fresh == 0 || penalty_has_fallen()) {
        left_.apply(x_, a_p_);
        device_.combine(-1, a_p_, 0, r_);
        for (std::size_t i = 0; i < parts_.size(); ++i) {
            parts_[i].largest_penalty = penalty(i);
        }
    }
    device_.combine(1, right_, 1, r_);
    for (std::size_t i = 0; inverse_ && i < parts_.size(); ++i) {
        inverse_->set_weight(parts_[i].term->k.get(), penalty(i));
    }
    conjugate_gradients();
}

/// Far enough for the rounding of larger terms to be seen in r.
bool Alternation::penalty_has_fallen() const {
    bool fallen = false;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
        fallen = fallen || parts_[i].largest_penalty > far_below * penalty(i);
    }
    return fallen;
}

void Alternation::conjugate_gradients() {
    device_.combine(1, preconditioned(), 0, p_);
    double squares = device_.dot(r_, p_);
    const double first = squares;
    for (int i = 0; i < most_inner_iterations; ++i) {
        const double enough = i < inner_iterations ? inner_reduction : least_reduction;
        if (squares <= enough * enough * first) {
            break;
        }
        left_.apply(p_, a_p_);
        const double alpha = squares / device_.dot(p_, a_p_);
        device_.combine(alpha, p_, 1, x_);
        device_.combine(-alpha, a_p_, 1, r_);
        const Array& next = preconditioned();
        const double before = squares;
        squares = device_.dot(r_, next);
        device_.combine(1, next, squares / before, p_);
    }
}

void Alternation::relax(std::size_t term) {
    Part& part = parts_[term];
    part.term->k->apply(x_, part.v);
    device_.combine(relaxation, part.v, 1, part.u); // u + what K x and z are together
    device_.combine(1 - relaxation, part.z, 1, part.u);
    device_.combine(1, part.u, 0, part.z);
}

void Alternation::shorten(std::size_t term) {
    Part& part = parts_[term];
    for (const Penalised& vectors : part.term->penalised) {
        device_.shrink(vectors.first, vectors.count, vectors.parts,
                       vectors.share * part.length / penalty(term), part.z);
    }
}

Distances Alternation::update(std::size_t term) {
    Part& part = parts_[term];
    Distances distances;
    distances.size = square(part.term->k->is_isometry() ? x_ : part.v);
    device_.combine(-1, part.z, 1, part.u);
    device_.combine(-1, part.z, 1, part.v); // v - z
    distances.apart = square(part.v);
    distances.changed = update_back(part);
    distances.multipliers = square(part.back_u);
    return distances;
}

/// K^H of z and u after an iteration; the square of how far the first went.
double Alternation::update_back(Part& part) {
    Operator& k = *part.term->k;
    const bool known = k.is_isometry() && done_ % fresh != 0;
    if (known) { // u changed by relaxed K x and z before, less z now; K^H K x = x
        device_.combine(relaxation, x_, 1, part.back_u);
        device_.combine(1 - relaxation, part.back_z, 1, part.back_u);
    }
    k.adjoint(part.z, back_);
    device_.combine(-1, back_, 1, part.back_z);
    const double changed = square(part.back_z);
    device_.combine(1, back_, 0, part.back_z);
    if (known) {
        device_.combine(-1, part.back_z, 1, part.back_u);
    } else {
        k.adjoint(part.u, part.back_u);
    }
    return changed;
}

/// u is scaled by the penalty, and r is that of the left side with it.
void Alternation::change_penalty(std::size_t term, double factor) {
    if (factor == 1) {
        return;
    }
    Part& part = parts_[term];
    const double drop = (1 - factor) * penalty(term);
    if (part.term->k->is_isometry()) {
        device_.combine(drop, x_, 1, r_);
    } else {
        part.term->k->apply(x_, part.v);
        part.term->k->adjoint(part.v, back_);
        device_.combine(drop, back_, 1, r_);
    }
    left_.terms()[term].weight *= factor;
    part.largest_penalty = std::max(part.largest_penalty, penalty(term));
    device_.combine(1 / factor - 1, part.u, 1, part.u);
    device_.combine(1 / factor - 1, part.back_u, 1, part.back_u);
}

Solution split_solve(Device& device, Precision precision, const SplitProblem& problem,
                     const ComplexVector& start, const SolveOptions& options,
                     const std::function<void(double)>& progress) {
    const double norm = problem.b.norm();
    if (norm == 0) {
        return zero_solution(static_cast<Eigen::Index>(problem.b.count()));
    }
    require_tolerance(options.tolerance, precision);
    Residuals residuals(options, progress);
    residuals.add(norm / norm);
    Alternation splitting(device, precision, problem, norm);
    splitting.begin_at(start / norm);
    EarlierImage earlier(options.iterations);
    for (int i = 0; i < options.iterations && !residuals.reached(); ++i) {
        earlier.before(i, device, splitting.image());
        splitting.solve_for_x();
        double worst = 0;
        for (std::size_t t = 0; t < splitting.terms(); ++t) {
            splitting.relax(t);
            splitting.shorten(t);
            const Distances distances = splitting.update(t);
            splitting.change_penalty(t, distances.penalty_factor());
            worst = std::max(worst, distances.larger());
        }
        residuals.add(worst);
    }
    const ComplexVector solution = norm * splitting.solution();
    residuals.require_finite(solution);
    return {solution, residuals.history(), residuals.stop(),
            residuals.reached() ? ComplexVector() : earlier.take(norm)};
}

} // namespace lsrecon
