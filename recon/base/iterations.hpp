#pragma once

#include <vector>

namespace lsrecon {

/// Relative residuals of the solver, one history a problem: before every iteration and at the end.
using ResidualHistories = std::vector<std::vector<double>>;

/// The reason why the iterations ended; a solve that diverges is an error and gives no image.
enum class Stop { tolerance, iterations };

} // namespace lsrecon
