#include "solve/effort.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "solve/cg.hpp"

namespace lsrecon {

namespace {

/// UsageError when the user asks for what the solve has no choice of.
void require_choice(bool precondition, bool split, bool by_one_q, bool on_device) {
    if (split) {
        throw UsageError(
            "--preconditioner with a regulariser that is not quadratic, whose solver "
            "always uses its own circulant preconditioner\n  next:     leave the flag out");
    }
    if (precondition && !(by_one_q && on_device)) {
        throw UsageError(text("--preconditioner cosine with ",
                              on_device ? "a field map or /voxels, where conjugate gradients "
                                          "have none"
                                        : "--solver eigen, which has none",
                              "\n  next:     leave the flag out"));
    }
}

} // namespace

SolveOptions with_effort(SolveOptions options, const SolveEffort& effort, Products products,
                         double epsilon) {
    const bool split = need_splitting(options.regularisers);
    const bool by_one_q = products == Products::one_convolution;
    const bool regularised = options.lambda > 0 || !options.regularisers.empty();
    if (effort.precondition) {
        require_choice(*effort.precondition, split, by_one_q, options.on_device);
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
        split || (by_one_q && options.on_device && effort.precondition.value_or(converges));
    return options;
}

std::string preconditioner_of(const SolveOptions& options) {
    if (!options.precondition) {
        return "none";
    }
    return need_splitting(options.regularisers) ? "circulant" : "cosine";
}

} // namespace lsrecon
