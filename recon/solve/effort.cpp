#include "solve/effort.hpp"

#include <algorithm>

#include "solve/cg.hpp"

namespace lsrecon {

SolveOptions with_effort(SolveOptions options, const SolveEffort& effort, bool by_one_q,
                         double epsilon) {
    const bool split = need_splitting(options.regularisers);
    const bool regularised = options.lambda > 0 || !options.regularisers.empty();
    const bool converges = regularised && !split && by_one_q;
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
    // Splitting is preconditioned always, and Eigen's conjugate gradients never.
    options.precondition =
        split || (by_one_q && options.on_device && effort.precondition.value_or(converges));
    return options;
}

} // namespace lsrecon
