#pragma once

#include <memory>
#include <vector>

#include "operators/gram.hpp"

namespace lsrecon {

/// The left-hand side of the normal equations relative to Q(0): N + lambda + sum of weight K^H K.
class Regularised : public SelfAdjoint {
public:
    struct Term {
        Operator* k;
        double weight;
    };
    /// All arguments must outlive it. Copies share a workspace: one works at a time.
    Regularised(Device& device, Precision precision, Gram& n, double lambda,
                std::vector<Term> terms = {})
        : device_(device), precision_(precision), n_(n), lambda_(lambda), terms_(std::move(terms)) {
    }

    std::size_t inputs() const override { return n_.inputs(); }
    void apply(const Array& in, Array& out) override;
    void set_lambda(double lambda) { lambda_ = lambda; }
    /// The terms may change between calls.
    std::vector<Term>& terms() { return terms_; }
    const std::vector<Term>& terms() const { return terms_; }

private:
    Array& numbers(std::size_t count);

    Device& device_;
    Precision precision_;
    Gram& n_;
    double lambda_;
    std::vector<Term> terms_;
    struct Workspace {
        std::vector<Array> there; ///< K in, one of each size
        Array back; ///< K^H K in
    };
    std::shared_ptr<Workspace> workspace_ = std::make_shared<Workspace>();
};

} // namespace lsrecon
