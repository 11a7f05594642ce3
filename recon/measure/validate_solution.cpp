#include "measure/validate_solution.hpp"

#include <limits>

#include "base/error.hpp"

namespace lsrecon {

namespace {

constexpr int most_iterations = 5;
constexpr double little = 1e-4; ///< a comparison as sharp as this finds what is wrong

void silent(double) {}

/// In a random direction.
ComplexVector of_norm(double norm, Eigen::Index size, std::mt19937_64& random) {
    std::normal_distribution<double> normal;
    const ComplexVector direction =
        ComplexVector::NullaryExpr(size, [&] { return Complex(normal(random), normal(random)); });
    return norm / direction.norm() * direction;
}

/// The same iterations with errors in every product and in b.
ComplexVector with_errors(System& normal, const ComplexVector& b, const SolveOptions& options,
                          double error, std::mt19937_64& random) {
    // An error of Q reaches every volume alike, also one that A makes small.
    const ComplexVector any = of_norm(1, b.size(), random);
    const double typical = normal.apply(any).norm();
    const auto apply = [&](const ComplexVector& p) -> ComplexVector {
        const ComplexVector product = normal.apply(p);
        return product + of_norm(error * (product.norm() + typical * p.norm()), b.size(), random);
    };
    const ComplexVector wrong_b = b + of_norm(error * b.norm(), b.size(), random);
    return conjugate_gradient(apply, wrong_b, options, silent).x;
}

double moved_by(double error, const FewIterations& few, System& normal, const ComplexVector& b,
                std::mt19937_64& random) {
    try {
        return (with_errors(normal, b, few.options, error, random) - few.x).norm() / few.x.norm();
    } catch (const ToleranceError&) { // the errors made the operator negative
        return std::numeric_limits<double>::infinity();
    }
}

} // namespace

FewIterations few_iterations(System& normal, const ComplexVector& b, double lambda,
                             const PermittedErrors& errors, std::mt19937_64& random) {
    const auto apply = [&](const ComplexVector& p) { return normal.apply(p); };
    FewIterations few;
    for (int iterations = most_iterations; iterations > 0; iterations /= 2) {
        few.options = {lambda, iterations, errors.tolerance};
        Solution solution = conjugate_gradient(apply, b, few.options, silent);
        if (solution.stop == Stop::tolerance && solution.residuals.size() > 2) {
            few.options.iterations = static_cast<int>(solution.residuals.size()) - 2;
            solution = conjugate_gradient(apply, b, few.options, silent);
        }
        few.x = solution.x;
        few.residual = solution.residuals.back();
        few.moved_by_transforms = moved_by(errors.of_transforms, few, normal, b, random);
        if (few.moved_by_transforms < little) {
            break;
        }
    }
    few.moved_by_solver = moved_by(errors.of_solver, few, normal, b, random);
    return few;
}

} // namespace lsrecon
