// Solves the normal equations in units of Q(0).

#include "solve/system.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "base/linear_algebra.hpp"

namespace lsrecon {

namespace {

/// The largest voxel is then 0.6 to 1.3 times that of the truth, on any trajectory.
constexpr int first_iterations = 10;

} // namespace

System::System(Device& device, Precision precision, std::unique_ptr<Gram> n, double lambda,
               std::vector<RegulariserTerm> regularisers, std::unique_ptr<Preconditioner> inverse)
    : device_(device), precision_(precision), n_(std::move(n)),
      plain_(device, precision, *n_, lambda), regularisers_(std::move(regularisers)),
      relative_(plain_), inverse_(std::move(inverse)) {
    for (const RegulariserTerm& term : regularisers_) {
        if (term.proximal) {
            others_.push_back(&term);
            continue;
        }
        relative_.terms().push_back({term.k.get(), term.weight});
        if (inverse_ && !term.is_real_linear) {
            inverse_->set_weight(term.k.get(), term.weight);
        }
    }
}

ComplexVector System::apply(const ComplexVector& x) {
    const double size = norm_of(x);
    const double norm = size > 0 ? size : 1;
    Array in = device_.zeros(static_cast<std::size_t>(x.size()), {true, precision_});
    Array out = device_.zeros(static_cast<std::size_t>(x.size()), {true, precision_});
    device_.upload(over(x, norm), in);
    relative_.apply(in, out);
    return times(device_.download(out), unit() * norm);
}

bool System::is_real_linear() const {
    return std::any_of(regularisers_.begin(), regularisers_.end(),
                       [](const RegulariserTerm& term) { return term.is_real_linear; });
}

const PriorImage* System::target() const {
    const auto found =
        std::find_if(regularisers_.begin(), regularisers_.end(),
                     [](const RegulariserTerm& term) { return term.target != nullptr; });
    return found == regularisers_.end() ? nullptr : found->target;
}

Volume System::right_hand_side(Volume f_h_d) const {
    if (target() == nullptr) {
        return f_h_d;
    }
    ComplexVector sum = f_h_d.values();
    for (const RegulariserTerm& term : regularisers_) {
        if (term.target != nullptr) {
            sum += unit() * term.weight * term.target->values;
        }
    }
    return Volume(std::move(sum));
}

System::Products System::products_of(const ComplexVector& image, const Volume& f_h_d) {
    const double norm = norm_of(image);
    if (norm == 0) {
        return {};
    }
    Array in = device_.zeros(static_cast<std::size_t>(image.size()), {true, precision_});
    device_.upload(over(image, norm), in);
    return products_of(in, norm, f_h_d);
}

System::Products System::products_of(const Array& image, double scale, const Volume& f_h_d) {
    const double of_b = f_h_d.norm();
    if (of_b == 0) {
        return {};
    }
    Array out = device_.zeros(image.count(), {true, precision_});
    n_->apply(image, out);
    const Array data = f_h_d.on(device_, precision_, 1 / of_b);
    return {device_.dot(image, data) * of_b * scale,
            device_.dot(image, out) * unit() * scale * scale};
}

Solution System::solve(const Volume& f_h_d, const SolveOptions& options) {
    for (const RegulariserTerm* term : others_) {
        if (term->couples_frames) {
            throw UsageError("`reg` llr and ttv need all frames together, and this is a single "
                             "one\n  next:     leave them out");
        }
    }
    if (!others_.empty()) {
        ComplexVector first = iterate_briefly(f_h_d);
        std::vector<SplitProblem> alone;
        alone.push_back(split(f_h_d, largest_size(first)));
        alone[0].start = std::move(first);
        alone[0].monitor = options.monitor;
        Solution solution = split_solve(device_, precision_, std::move(alone), options)[0];
        divide(solution.x, unit());
        divide(solution.earlier, unit());
        return solution;
    }
    Solution solution = conjugate_gradient(device_, relative_, precision_, inverse_.get(),
                                           right_hand_side(f_h_d), options);
    divide(solution.x, unit());
    divide(solution.earlier, unit());
    return solution;
}

ComplexVector System::inverse_of(const ComplexVector& v, const SolveOptions& options) {
    return conjugate_gradient(device_, relative_, precision_, inverse_.get(), Volume(v), options).x;
}

ComplexVector System::repeated(const ComplexVector& v, const Iterations& run) {
    return lsrecon::repeated(device_, relative_, precision_, Volume(v), run);
}

ComplexVector System::normal_product(const ComplexVector& v) {
    const double norm = norm_of(v);
    Array in = Volume(v).on(device_, precision_, norm > 0 ? 1 / norm : 1);
    Array out = device_.zeros(in.count(), in.element());
    n_->apply(in, out);
    return times(device_.download(out), norm);
}

void System::improve(Array& x, const Volume& f_h_d, const SolveOptions& options) {
    if (f_h_d.norm() == 0) {
        return;
    }
    const Volume b = target() == nullptr ? f_h_d : right_hand_side(f_h_d);
    Array left = b.on(device_, precision_, 1 / f_h_d.norm());
    Array product = device_.zeros(x.count(), x.element());
    relative_.apply(x, product);
    device_.combine(-1, product, 1, left);
    const double share = std::sqrt(device_.dot(left, left));
    if (!(share > options.tolerance)) {
        return;
    }
    SolveOptions of_left = options;
    of_left.tolerance =
        std::max(options.tolerance / share, smallest_tolerance(unit_roundoff(precision_)));
    add_solution(device_, relative_, precision_, inverse_.get(),
                 Volume(device_, std::move(left), 0), of_left, x);
}

/// A rough image, whose largest voxel gives the scale of the regularisers' weights.
ComplexVector System::iterate_briefly(const Volume& f_h_d) {
    SolveOptions options;
    options.iterations = first_iterations;
    options.tolerance = 1e-3;
    options.precondition = false;
    return times(iterate_plainly(f_h_d, options).x, unit());
}

Solution System::iterate_plainly(const Volume& f_h_d, const SolveOptions& options) {
    Solution solution = conjugate_gradient(device_, plain_, precision_, nullptr, f_h_d, options);
    divide(solution.x, unit());
    return solution;
}

namespace {

/// The sum of all gains of a run that are still to come, if they go on falling as the last four do.
/// A gain is what an iteration adds to 2 <x, b> - <x, A x>, for b of this square.
double gains_to_come(const Iterations& run, double square) {
    constexpr std::size_t looked_at = 3;
    std::vector<double> gains;
    for (std::size_t i = 0; i < run.alphas.size(); ++i) {
        gains.push_back(run.alphas[i] * square);
        square *= run.betas[i];
    }
    if (gains.size() <= looked_at) {
        return 0;
    }
    const double last = gains.back();
    const double ratio = std::cbrt(last / gains[gains.size() - 1 - looked_at]);
    return ratio < 1 ? last * ratio / (1 - ratio) : 0;
}

} // namespace

double System::explained_from(const ComplexVector& image, const Volume& f_h_d, int iterations,
                              double enough) {
    const double of_b = f_h_d.norm();
    const double size = norm_of(image);
    if (of_b == 0 || size == 0) {
        return 0;
    }
    Array start = device_.zeros(static_cast<std::size_t>(image.size()), {true, precision_});
    device_.upload(times(image, 1 / size), start);
    Array sum = device_.zeros(start.count(), start.element());
    n_->apply(start, sum);
    Array left = f_h_d.on(device_, precision_, 1 / of_b);
    device_.combine(-unit() * size / of_b, sum, 1, left);
    PlainRun run(device_, plain_, precision_, Volume(device_, std::move(left), 0), true);
    constexpr double little = 1e-4; // of b
    constexpr double rounding = 1e-9;
    const double target =
        std::max(smallest_tolerance(epsilon()), little / std::sqrt(run.squares()));
    double explained = 0;
    for (int done = std::min(4, iterations);; done = std::min(2 * done, iterations)) {
        run.go_on(done, target);
        device_.combine(1, start, 0, sum);
        run.add_to(of_b / (unit() * size), sum);
        explained = products_of(sum, size, f_h_d).explained();
        const double to_come =
            gains_to_come(run.coefficients(), run.squares() * of_b * of_b / unit());
        if (explained < enough && explained + to_come >= enough) {
            return (1 + rounding) * enough; // how much more is not known
        }
        if (explained >= enough || done == iterations) {
            return explained;
        }
    }
}

void System::set_lambda(double lambda) {
    plain_.set_lambda(lambda);
    relative_.set_lambda(lambda);
    if (inverse_) {
        inverse_->set_lambda(lambda);
    }
}

std::string System::description() const {
    return text(others_.empty() ? "" : "alternating directions around ",
                inverse_ ? "preconditioned " : "", "conjugate gradients on ", device_.name(), ", ",
                precision_ == Precision::float64 ? "double" : "single", " precision, ", means());
}

} // namespace lsrecon
