#include "solve/system.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace lsrecon {

namespace {

/// The largest voxel is then 0.6 to 1.3 times that of the truth, on any trajectory.
constexpr int first_iterations = 10;

} // namespace

System::System(Device& device, Precision precision, std::unique_ptr<Gram> gram, CoilMaps& maps,
               double lambda, std::vector<RegulariserTerm> regularisers,
               std::unique_ptr<Preconditioner> inverse)
    : device_(device), precision_(precision), gram_(std::move(gram)), maps_(maps),
      plain_(device, *gram_, maps, lambda), regularisers_(std::move(regularisers)),
      relative_(device, precision, plain_, {}), inverse_(std::move(inverse)) {
    for (const RegulariserTerm& term : regularisers_) {
        if (term.quadratic) {
            relative_.terms().push_back({term.k.get(), term.weight});
            if (inverse_) {
                inverse_->set_weight(term.k.get(), term.weight);
            }
        } else {
            others_.push_back(&term);
        }
    }
}

ComplexVector System::apply(const ComplexVector& x) {
    const double norm = x.stableNorm() > 0 ? x.stableNorm() : 1;
    Array in = device_.zeros(static_cast<std::size_t>(x.size()), {true, precision_});
    Array out = device_.zeros(static_cast<std::size_t>(x.size()), {true, precision_});
    device_.upload(x / norm, in);
    relative_.apply(in, out);
    return gram_->diagonal() * norm * device_.download(out);
}

const PriorImage* System::target() const {
    const auto found =
        std::find_if(regularisers_.begin(), regularisers_.end(),
                     [](const RegulariserTerm& term) { return term.target != nullptr; });
    return found == regularisers_.end() ? nullptr : found->target;
}

Volume System::right_hand_side(const Volume& f_h_d) const {
    if (target() == nullptr) {
        return f_h_d;
    }
    ComplexVector sum = f_h_d.values();
    for (const RegulariserTerm& term : regularisers_) {
        if (term.target != nullptr) {
            sum += gram_->diagonal() * term.weight * term.target->values;
        }
    }
    return Volume(std::move(sum));
}

System::Products System::products_of(const ComplexVector& image, const Volume& f_h_d) {
    const double norm = image.stableNorm();
    const double of_b = f_h_d.norm();
    if (norm == 0 || of_b == 0) {
        return {};
    }
    Array in = device_.zeros(static_cast<std::size_t>(image.size()), {true, precision_});
    Array out = device_.zeros(in.count(), {true, precision_});
    device_.upload(image / norm, in);
    gram_->add(maps_, in, out);
    const Array data = f_h_d.on(device_, precision_, 1 / of_b);
    return {device_.dot(in, data) * of_b * norm,
            device_.dot(in, out) * gram_->diagonal() * norm * norm};
}

Solution System::solve(const Volume& f_h_d, const SolveOptions& options,
                       const std::function<void(double)>& progress) {
    for (const RegulariserTerm* term : others_) {
        if (term->over_frames) {
            throw UsageError("`reg` llr and ttv need all frames together, and this is a single "
                             "one\n  next:     leave them out");
        }
    }
    const Volume b = right_hand_side(f_h_d);
    Solution solution;
    if (others_.empty()) {
        solution = conjugate_gradient(device_, relative_, precision_, inverse_.get(), b, options,
                                      progress);
    } else {
        const ComplexVector first = first_image(f_h_d);
        solution = split_solve(device_, precision_, split(b, first.cwiseAbs().maxCoeff()), first,
                               options, progress);
    }
    solution.x /= gram_->diagonal();
    solution.earlier /= gram_->diagonal();
    return solution;
}

ComplexVector System::first_image(const Volume& f_h_d) {
    SolveOptions options;
    options.iterations = first_iterations;
    options.tolerance = 1e-3;
    options.precondition = false;
    return gram_->diagonal() * iterate_plainly(f_h_d, options, [](double) {}).x;
}

Solution System::iterate_plainly(const Volume& f_h_d, const SolveOptions& options,
                                 const std::function<void(double)>& progress) {
    Solution solution =
        conjugate_gradient(device_, plain_, precision_, nullptr, f_h_d, options, progress);
    solution.x /= gram_->diagonal();
    return solution;
}

void System::set_lambda(double lambda) {
    plain_.set_lambda(lambda);
    if (inverse_) {
        inverse_->set_lambda(lambda);
    }
}

std::string System::description() const {
    return text(others_.empty() ? "" : "alternating directions around ",
                inverse_ ? "preconditioned " : "", "conjugate gradients on ", device_.name(), ", ",
                precision_ == Precision::float64 ? "double" : "single", " precision, ",
                gram_->means());
}

} // namespace lsrecon
