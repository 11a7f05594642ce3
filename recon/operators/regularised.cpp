#include "operators/regularised.hpp"

namespace lsrecon {

void Regularised::apply(const Array& in, Array& out) {
    device_.combine(lambda_, in, 0, out);
    n_.add(in, out);
    for (const Term& term : terms_) {
        if (term.k->is_isometry()) {
            device_.combine(term.weight, in, 1, out);
            continue;
        }
        Array& there = numbers(term.k->outputs());
        Array& back = workspace_->back;
        if (back.empty()) {
            back = device_.zeros(inputs(), {true, precision_});
        }
        term.k->apply(in, there);
        term.k->adjoint(there, back);
        device_.combine(term.weight, back, 1, out);
    }
}

Array& Regularised::numbers(std::size_t count) {
    for (Array& there : workspace_->there) {
        if (there.count() == count) {
            return there;
        }
    }
    return workspace_->there.emplace_back(device_.zeros(count, {true, precision_}));
}

} // namespace lsrecon
