#pragma once

#include <memory>
#include <string>
#include <vector>

#include "operators/operator.hpp"
#include "scan/grid.hpp"

namespace lsrecon {

/// A term of what is minimised beside the data: a name in regularisers() and its weight, as after
/// --reg.
struct RegulariserChoice {
    std::string name;
    double weight = 0;
};

/// One kind of such a term, with K from `make`, in units of Q(0):
///
///     quadratic:  weight / 2 ||K rho||^2, which joins the normal equations
///     otherwise:  weight s sum_n |(K rho)_n|, where (K rho)_n has one number in every block of N,
///                 and s is the largest |F^H d| / Q(0), so that the weight serves scans of any
///                 scale
struct Regulariser {
    std::string name;
    std::string summary;
    bool quadratic;
    std::unique_ptr<Operator> (*make)(Device& device, const Grid& grid);
};

/// The table: a row each.
const std::vector<Regulariser>& regularisers();

/// UsageError that lists the names when there is none of this one.
const Regulariser& regulariser_named(const std::string& name);

/// Whether some are not quadratic: conjugate gradients alone do not minimise them.
bool need_splitting(const std::vector<RegulariserChoice>& chosen);

/// How many volumes of the image's size they need at most while they are minimised.
std::size_t volumes_of(const std::vector<RegulariserChoice>& chosen, const Grid& grid);

/// A term on a device.
struct RegulariserTerm {
    std::unique_ptr<Operator> k;
    double weight;
    bool quadratic;
};
std::vector<RegulariserTerm> make_regularisers(const std::vector<RegulariserChoice>& chosen,
                                               Device& device, const Grid& grid);

/// A + sum of weight K^H K over some terms.
class Regularised : public SelfAdjoint {
public:
    /// What is referred to must outlive it. `terms` may change between calls.
    struct Term {
        Operator* k;
        double weight;
    };
    Regularised(Device& device, Precision precision, SelfAdjoint& a, std::vector<Term> terms)
        : device_(device), precision_(precision), a_(a), terms_(std::move(terms)) {}

    std::size_t inputs() const override { return a_.inputs(); }
    void apply(const Array& in, Array& out) override;
    std::vector<Term>& terms() { return terms_; }

private:
    Device& device_;
    Precision precision_;
    SelfAdjoint& a_;
    std::vector<Term> terms_;
    Array there_; ///< K in
    Array back_; ///< K^H K in
};

} // namespace lsrecon
