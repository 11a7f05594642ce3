// Alternating directions: x by conjugate gradients, z by proximal maps, then the multipliers.

#include "solve/splitting.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include "base/error.hpp"
#include "base/linear_algebra.hpp"
#include "solve/conjugate_gradient.hpp"
#include "solve/residuals.hpp"

namespace lsrecon {

namespace {

/// The usual ones are enough where the preconditioner is near; elsewhere they go on until the
/// residual has fallen as far as it does there (decision 0021).
constexpr int usual_inner_iterations = 3;
/// Reduction of the residual that is enough to stop earlier.
constexpr double inner_reduction = 0.05;
constexpr double least_reduction = 0.3; ///< enough to stop after the usual iterations
/// The first penalty shortens vectors by this share of the image's scale. Measured (decision 0021):
/// 0.005 to 0.02 serve both total variation and wavelets.
constexpr double first_shortening = 0.01;
/// The over-relaxation factor of each update (Boyd et al. 2011, section 3.4.3).
constexpr double relaxation = 1.7;
/// Penalties follow the residuals (Boyd et al. 2011, section 3.4.1).
constexpr double unbalanced = 10;
constexpr double penalty_step = 2;
/// Iterations until the residual of the inner problem is computed anew: it gathers rounding.
constexpr int fresh = 50;
/// Images that have not settled follow a path of larger weights, from about this one on, which
/// halve after some iterations each: 24 iterations with a weight of 0.0005 left an image of one
/// coil 70 % from the truth, 2000 of them 9 %, and 24 after such a path 10 %.
constexpr double unsettled_change = 0.005; ///< by the late iterations
constexpr double first_weight_of_path = 0.5;
constexpr int iterations_of_weight = 6;
/// A penalty that has fallen by this factor makes it worth computing the residual sooner.
constexpr double far_below = 16;

/// The distances that an iteration left between a term and its solution: squares of norms.
struct Distances {
    double apart = 0; ///< K x - z
    double size = 0; ///< K x
    double changed = 0; ///< K^H (z - z before)
    double multipliers = 0; ///< K^H u

    Distances& operator+=(const Distances& other) {
        apart += other.apart;
        size += other.size;
        changed += other.changed;
        multipliers += other.multipliers;
        return *this;
    }
    double primal() const { return apart > 0 ? std::sqrt(apart / std::max(size, apart)) : 0; }
    double dual() const { // both relative
        // Equal frames leave multipliers of nothing but rounding.
        constexpr double rounding = 1e-8;
        const double of = std::max(multipliers, rounding * size);
        return of > 0 ? std::sqrt(changed / of) : 0;
    }
    double larger() const { return std::max(primal(), dual()); }
    /// The factor by which the penalty must change to keep the primal and the dual residual within
    /// a factor of each other (Boyd et al. 2011, section 3.4.1).
    double penalty_factor() const {
        if (primal() > unbalanced * dual()) {
            return penalty_step;
        }
        return dual() > unbalanced * primal() ? 1 / penalty_step : 1;
    }
};

/// The alternating directions of one frame, step by step. Numbers are relative to its norm.
class Alternation {
public:
    /// `other`, or null, works at another time and lends its workspace.
    Alternation(Device& device, Precision precision, SplitProblem& problem,
                const Alternation* other);

    std::size_t terms() const { return parts_.size(); }
    /// x for the z and u of all terms.
    void solve_for_x();
    /// z of a term becomes K x, over-relaxed, + u: what its proximal map is to be applied to.
    void relax(std::size_t term);
    /// u of a term for its new z.
    Distances update(std::size_t term);

    const RegulariserTerm& term(std::size_t term) const { return *parts_[term].term; }
    double scale() const { return scale_; }
    double penalty(std::size_t term) const { return left_.terms()[first_ + term].weight; }
    /// Sets the penalty of a term before the first step.
    void begin_with(std::size_t term, double penalty) { weight_of(term) = penalty; }
    void change_penalty(std::size_t term, double factor);
    /// Follows a weight that changed by this factor: multipliers, which are at most the weight, and
    /// the penalty, by which they are scaled, change with it.
    void follow_weight(std::size_t term, double factor) {
        weight_of(term) *= factor;
        done_ = 0; // r is computed anew
    }
    /// z of a term.
    const Array& auxiliary(std::size_t term) const { return parts_[term].z; }
    const Array& image() const { return x_; }

private:
    struct Part {
        const RegulariserTerm* term;
        Array z; ///< K x, after the proximal map
        Array u; ///< scaled multipliers
        Array v; ///< K x
        Array back_z; ///< K^H z
        Array back_u; ///< K^H u
        double largest_penalty; ///< since r was computed anew
    };

    Array zeros(std::size_t count) { return device_.zeros(count, {true, precision_}); }
    Array zeros() { return zeros(b_.count()); }
    double square(const Array& array) { return device_.dot(array, array); }
    double& weight_of(std::size_t term) { return left_.terms()[first_ + term].weight; }
    const Array& preconditioned();
    bool penalty_has_fallen() const;
    void conjugate_gradients();
    double update_back(Part& part);

    Device& device_;
    Precision precision_;
    Array b_;
    double scale_;
    Regularised left_; ///< A + sum of penalty K^H K
    std::size_t first_; ///< index of the first of these terms in it
    Preconditioner* inverse_; ///< next to that of left_
    Array x_;
    Array right_;
    Array back_;
    Array r_; ///< right - left x
    Array p_;
    Array a_p_;
    std::vector<Part> parts_;
    int done_ = 0;
};

Alternation::Alternation(Device& device, Precision precision, SplitProblem& problem,
                         const Alternation* other)
    : device_(device), precision_(precision), b_(problem.b.on(device, precision, 1 / problem.norm)),
      scale_(problem.scale / problem.norm), left_(problem.a), first_(left_.terms().size()),
      inverse_(problem.inverse), x_(zeros()), right_(zeros()),
      back_(other ? other->back_ : zeros()), r_(zeros()), p_(other ? other->p_ : zeros()),
      a_p_(other ? other->a_p_ : zeros()) {
    problem.b = {}; // its memory is the next one's
    if (problem.start.size() > 0) {
        device.upload(over(problem.start, problem.norm), x_);
    }
    for (const RegulariserTerm* const term : problem.terms) {
        const std::size_t count = term->k->outputs();
        parts_.push_back({term, zeros(count), zeros(count), zeros(count), zeros(), zeros(), 0});
        left_.terms().push_back({term->k.get(), term->weight / first_shortening});
        if (inverse_) {
            inverse_->set_weight(term->k.get(), term->weight);
        }
        if (problem.start.size() > 0) {
            term->k->apply(x_, parts_.back().z);
            term->k->adjoint(parts_.back().z, parts_.back().back_z);
        }
    }
    problem.start = {};
}

const Array& Alternation::preconditioned() {
    if (!inverse_) {
        return r_;
    }
    inverse_->apply(r_, back_);
    return back_;
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

/// Whether a penalty is so far below its largest that the residual r, which is updated and not
/// computed anew, holds the rounding of that time.
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
        const double enough = i < usual_inner_iterations ? inner_reduction : least_reduction;
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
    weight_of(term) *= factor;
    part.largest_penalty = std::max(part.largest_penalty, penalty(term));
    device_.combine(1 / factor - 1, part.u, 1, part.u);
    device_.combine(1 / factor - 1, part.back_u, 1, part.back_u);
}

} // namespace

/// Frames in step: conjugate gradients one by one, then the proximal maps.
class SplitFrames {
public:
    SplitFrames(Device& device, Precision precision, std::vector<SplitProblem>& problems,
                int iterations)
        : device_(device), earlier_(problems.size(), EarlierImage(iterations)) {
        for (SplitProblem& problem : problems) {
            frames_.push_back(std::make_unique<Alternation>(
                device, precision, problem, frames_.empty() ? nullptr : frames_.front().get()));
        }
        for (const bool coupling : {false, true}) {
            for (std::size_t f = 0; f < (coupling ? 1 : frames_.size()); ++f) {
                for (std::size_t t = 0; t < frames_[f]->terms(); ++t) {
                    if (frames_[f]->term(t).couples_frames == coupling) {
                        add({t, f, coupling ? frames_.size() : 1, 0, frames_[f]->term(t).weight},
                            problems);
                    }
                }
            }
        }
    }

    /// Iteration `i`, from 0: the larger relative residual of each frame.
    std::vector<double> iterate(int i) {
        for (std::size_t f = 0; f < frames_.size(); ++f) {
            earlier_[f].before(i, device_, frames_[f]->image());
            frames_[f]->solve_for_x();
        }
        std::vector<double> worst(frames_.size(), 0);
        for (Group& group : groups_) {
            iterate(group, worst);
        }
        return worst;
    }

    /// Follows the weights that the terms have now, times `factor`.
    void follow_weights(double times = 1) {
        for (Group& group : groups_) {
            const double weight = times * frames_[group.first]->term(group.term).weight;
            const double factor = weight / group.weight;
            if (factor != 1) {
                group.weight = weight;
                group.penalty *= factor;
                for (std::size_t f = group.first; f < group.first + group.count; ++f) {
                    frames_[f]->follow_weight(group.term, factor);
                }
            }
        }
    }

    const Array& image(std::size_t f) const { return frames_[f]->image(); }
    ComplexVector solution(std::size_t f) const { return device_.download(image(f)); }
    ComplexVector earlier(std::size_t f, double scale) { return earlier_[f].take(scale); }
    /// How much the late ones of so many iterations changed the image that they changed most.
    double late_change() {
        double largest = 0;
        for (std::size_t f = 0; f < frames_.size(); ++f) {
            largest = std::max(largest, relative_change(solution(f), earlier_[f].values()));
        }
        return largest;
    }
    /// How often the smallest weight was halved on a path.
    int halvings_of_path() const {
        double smallest = first_weight_of_path;
        for (const Group& group : groups_) {
            smallest = std::min(smallest, group.weight);
        }
        return static_cast<int>(std::ceil(std::log2(first_weight_of_path / smallest)));
    }
    /// Goes on to so many iterations.
    void go_on_to(int iterations) { earlier_.assign(frames_.size(), EarlierImage(iterations)); }

private:
    /// A term of one frame, or of all, which then share a penalty.
    struct Group {
        std::size_t term;
        std::size_t first; ///< frame
        std::size_t count;
        double penalty;
        double weight; ///< which the penalty follows
    };

    void add(Group group, const std::vector<SplitProblem>& problems) {
        const Alternation& any = *frames_[group.first];
        group.penalty =
            any.penalty(group.term) * any.term(group.term).proximal->shortening(group.count);
        for (std::size_t f = group.first; f < group.first + group.count; ++f) {
            const double share = any.term(group.term).couples_frames ? problems[f].share : 1;
            frames_[f]->begin_with(group.term, group.penalty / share);
        }
        groups_.push_back(group);
    }

    void iterate(Group& group, std::vector<double>& worst) {
        const std::size_t end = group.first + group.count;
        std::vector<Array> z;
        for (std::size_t f = group.first; f < end; ++f) {
            frames_[f]->relax(group.term);
            z.push_back(frames_[f]->auxiliary(group.term));
        }
        const Alternation& any = *frames_[group.first]; // all have the same scale
        const RegulariserTerm& term = any.term(group.term);
        term.proximal->apply(device_, {group.weight, any.scale(), group.penalty}, z);
        Distances sum;
        for (std::size_t f = group.first; f < end; ++f) {
            const Distances of_frame = frames_[f]->update(group.term);
            worst[f] = std::max(worst[f], of_frame.larger());
            sum += of_frame;
        }
        const double factor = sum.penalty_factor();
        group.penalty *= factor;
        for (std::size_t f = group.first; f < end; ++f) {
            frames_[f]->change_penalty(group.term, factor);
        }
    }

    Device& device_;
    std::vector<std::unique_ptr<Alternation>> frames_;
    std::vector<EarlierImage> earlier_;
    std::vector<Group> groups_;
};

std::vector<Solution> split_solve(Device& device, Precision precision,
                                  std::vector<SplitProblem> problems, const SolveOptions& options) {
    if (problems.front().norm == 0) {
        const auto voxels = static_cast<Eigen::Index>(problems.front().b.count());
        return std::vector<Solution>(problems.size(), zero_solution(voxels));
    }
    require_tolerance(options.tolerance, precision);
    std::vector<Residuals> residuals;
    for (const SplitProblem& problem : problems) {
        SolveOptions of_frame = options;
        of_frame.monitor = problem.monitor;
        residuals.emplace_back(of_frame);
        residuals.back().add(problem.norm / problem.norm); // 1, or NaN
    }
    int iterations = options.iterations;
    int halvings = 0; // of weights on a path
    SplitFrames frames(device, precision, problems, iterations);
    const auto all_reached = [&] {
        return std::all_of(residuals.begin(), residuals.end(),
                           [](const Residuals& of_frame) { return of_frame.reached(); });
    };
    for (int i = 0; i < iterations && !all_reached(); ++i) {
        const std::vector<double> worst = frames.iterate(i);
        for (std::size_t f = 0; f < worst.size(); ++f) {
            residuals[f].add(worst[f]);
        }
        const int on_path = i + 1 - options.iterations;
        if (on_path == 0 && options.settles && frames.late_change() > unsettled_change) {
            halvings = frames.halvings_of_path();
            iterations += halvings * iterations_of_weight + options.iterations;
            frames.go_on_to(iterations);
        }
        if (on_path >= 0 && on_path <= halvings * iterations_of_weight &&
            on_path % iterations_of_weight == 0) {
            frames.follow_weights(std::pow(2, halvings - on_path / iterations_of_weight));
        }
    }
    std::vector<Solution> solutions;
    for (std::size_t f = 0; f < problems.size(); ++f) {
        const double x_norm = problems[f].x_norm;
        ComplexVector x = x_norm * frames.solution(f);
        residuals[f].require_finite(x);
        solutions.push_back({std::move(x), residuals[f].history(), residuals[f].stop(),
                             residuals[f].reached() ? ComplexVector() : frames.earlier(f, x_norm)});
    }
    return solutions;
}

SplitPath::SplitPath(Device& device, Precision precision, std::vector<SplitProblem> problems) {
    for (const SplitProblem& problem : problems) {
        x_norms_.push_back(problem.x_norm);
    }
    if (problems.front().norm > 0) {
        frames_ = std::make_unique<SplitFrames>(device, precision, problems, 0);
    }
}

SplitPath::~SplitPath() = default;
SplitPath::SplitPath(SplitPath&&) noexcept = default;

void SplitPath::go_on(int iterations) {
    if (!frames_) {
        return;
    }
    frames_->follow_weights();
    for (int i = 0; i < iterations; ++i) {
        for (const double residual : frames_->iterate(++done_)) {
            Residuals((SolveOptions())).add(residual);
        }
    }
}

const Array* SplitPath::image(std::size_t problem) const {
    return frames_ ? &frames_->image(problem) : nullptr;
}

} // namespace lsrecon
