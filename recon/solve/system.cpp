#include "solve/system.hpp"

#include "base/error.hpp"
#include "solve/splitting.hpp"

namespace lsrecon {

System::System(Device& device, Precision precision, std::unique_ptr<Gram> gram, CoilMaps& maps,
               double lambda, std::vector<RegulariserTerm> regularisers,
               std::unique_ptr<Circulant> inverse)
    : device_(device), precision_(precision), gram_(std::move(gram)),
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

Solution System::solve(const Volume& b, const SolveOptions& options,
                       const std::function<void(double)>& progress) {
    Solution solution = others_.empty() ? conjugate_gradient(device_, relative_, precision_,
                                                             inverse_.get(), b, options, progress)
                                        : split_solve(device_, relative_, others_, precision_,
                                                      inverse_.get(), b, options, progress);
    solution.x /= gram_->diagonal();
    return solution;
}

std::string System::description() const {
    return text(others_.empty() ? "" : "alternating directions around ",
                inverse_ ? "preconditioned " : "", "conjugate gradients on ", device_.name(), ", ",
                precision_ == Precision::float64 ? "double" : "single", " precision, ",
                gram_->means());
}

} // namespace lsrecon
