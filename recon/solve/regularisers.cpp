#include "solve/regularisers.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "operators/differences.hpp"
#include "operators/identity.hpp"

namespace lsrecon {

namespace {

std::unique_ptr<Operator> differences(Device& device, const Grid& grid) {
    return std::make_unique<Differences>(device, grid);
}

std::unique_ptr<Operator> identity(Device& device, const Grid& grid) {
    return std::make_unique<Identity>(device, grid.voxels());
}

} // namespace

const std::vector<Regulariser>& regularisers() {
    static const std::vector<Regulariser> table{
        {"l2", "the size of the image (Tikhonov), the same as --lambda", true, &identity},
        {"roughness", "squares of differences of neighbours", true, &differences},
        {"tv", "total variation: the size of differences of neighbours", false, &differences},
        {"l1", "the sum of magnitudes, for an image that is mostly empty", false, &identity},
    };
    return table;
}

const Regulariser& regulariser_named(const std::string& name) {
    std::string names;
    for (const Regulariser& row : regularisers()) {
        if (row.name == name) {
            return row;
        }
        names += (names.empty() ? "" : ", ") + row.name;
    }
    throw UsageError("--reg " + name + ": no such regulariser\n  expected: one of " + names);
}

bool need_splitting(const std::vector<RegulariserChoice>& chosen) {
    return std::any_of(chosen.begin(), chosen.end(), [](const RegulariserChoice& choice) {
        return !regulariser_named(choice.name).quadratic;
    });
}

std::size_t volumes_of(const std::vector<RegulariserChoice>& chosen, const Grid& grid) {
    const auto blocks = static_cast<std::size_t>(grid.dimensions); // of K rho, at most
    std::size_t volumes = chosen.empty() ? 0 : blocks + 1; // K rho and K^H K rho
    if (need_splitting(chosen)) {
        volumes += 3; // b, the right-hand side, and K^H of what changed
    }
    for (const RegulariserChoice& choice : chosen) {
        volumes += regulariser_named(choice.name).quadratic ? 0 : 4 * blocks; // z, u, v, z before
    }
    return volumes;
}

std::vector<RegulariserTerm> make_regularisers(const std::vector<RegulariserChoice>& chosen,
                                               Device& device, const Grid& grid) {
    std::vector<RegulariserTerm> terms;
    for (const RegulariserChoice& choice : chosen) {
        const Regulariser& row = regulariser_named(choice.name);
        terms.push_back({row.make(device, grid), choice.weight, row.quadratic});
    }
    return terms;
}

void Regularised::apply(const Array& in, Array& out) {
    a_.apply(in, out);
    for (const Term& term : terms_) {
        if (there_.count() != term.k->outputs()) {
            there_ = device_.zeros(term.k->outputs(), {true, precision_});
        }
        if (back_.empty()) {
            back_ = device_.zeros(inputs(), {true, precision_});
        }
        term.k->apply(in, there_);
        term.k->adjoint(there_, back_);
        device_.combine(term.weight, back_, 1, out);
    }
}

} // namespace lsrecon
