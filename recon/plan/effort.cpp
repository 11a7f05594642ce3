#include "plan/effort.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "encoding/solve.hpp"
#include "solve/conjugate_gradient.hpp"

namespace lsrecon {

namespace {

/// UsageError when the user asks for what the solve has no choice of.
void require_choice(bool precondition, bool split, bool by_one_q, const Solver& solver) {
    if (split) {
        throw UsageError(
            text("`preconditioner` with a regulariser that is not quadratic: ADMM always uses its ",
                 circulant_kind.name, " preconditioner\n  next:     leave the flag out"));
    }
    if (precondition && !(by_one_q && solver.preconditions)) {
        throw UsageError(text("`preconditioner` ", cosine_kind.name, " with ",
                              solver.preconditions
                                  ? "a field map or /voxels, where conjugate gradients have none"
                                  : "`solver` " + solver.name + ", which has none",
                              "\n  next:     leave the flag out"));
    }
}

} // namespace

SolveOptions with_effort(SolveOptions options, const SolveEffort& effort, Products products,
                         double epsilon) {
    const bool split = need_splitting(options.regularisers);
    const bool by_one_q = products == Products::one_convolution;
    const bool regularised = options.lambda > 0 || !options.regularisers.empty();
    const Solver& solver = solver_of(options);
    if (effort.precondition) {
        require_choice(*effort.precondition, split, by_one_q, solver);
    }
    const bool converges = regularised && !split && products != Products::transforms;
    if (split) {
        options.iterations = iterations_of_splitting;
    } else if (converges) {
        options.iterations = iterations_to_converge;
        const double to_converge =
            options.lambda > 0 ? tolerance_over_lambda * options.lambda : tolerance_without_lambda;
        options.tolerance =
            std::max(std::min(options.tolerance, to_converge), smallest_tolerance(epsilon));
    }
    options.iterations = effort.iterations.value_or(options.iterations);
    options.tolerance = effort.tolerance.value_or(options.tolerance);
    options.image_tolerance = effort.tolerance.value_or(options.image_tolerance);
    options.precondition =
        split || (by_one_q && solver.preconditions && effort.precondition.value_or(converges));
    return options;
}

int expected_iterations(const SolveOptions& options, double lambda) {
    constexpr double of_lambda = 8;
    constexpr double of_regularisers = 150; // 60 to 300 with roughness alone
    const double expected = lambda > 0 ? of_lambda / std::sqrt(lambda) : of_regularisers;
    return static_cast<int>(std::lround(std::clamp(expected, 1.0, double(options.iterations))));
}

double accuracy_for(double tolerance, double lambda, Precision precision) {
    constexpr double of_tolerance = 0.01;
    constexpr double most = 1e-3;
    const double least = precision == Precision::float64 ? 1e-12 : 2e-7;
    const double amplified = lambda > 0 ? std::min(1.0, lambda) : 1;
    return std::clamp(of_tolerance * amplified * tolerance, least, most);
}

std::string preconditioner_of(const SolveOptions& options) {
    return options.precondition ? preconditioner_kind(need_splitting(options.regularisers)).name
                                : "none";
}

} // namespace lsrecon
