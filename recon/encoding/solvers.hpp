#pragma once

#include <string>
#include <vector>

#include "encoding/solve.hpp"

namespace lsrecon {

/// A solver of the normal equations, named after --solver.
struct Solver {
    std::string name;
    std::string summary;
    /// See solve(), which calls it.
    Solved (*solve)(const LeastSquares& problem, const std::vector<Volume>& fhd,
                    const SolveOptions& options, Listener listener);
    bool on_device; ///< whether it runs on the device where there is room
    bool preconditions;
    bool splits; ///< minimises what is not quadratic, too
};

/// The table: a row each, the default first.
const std::vector<Solver>& solvers();

/// The row of a name in the table, and that which these options choose.
const Solver& solver_named(const std::string& name);
const Solver& solver_of(const SolveOptions& options);

} // namespace lsrecon
