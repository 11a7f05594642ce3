#pragma once

#include <string>
#include <vector>

#include "solve/conjugate_gradient.hpp"

namespace lsrecon {

/// What solves, a word after --solver.
struct Solver {
    std::string name;
    std::string summary;
    bool on_device; ///< as SolveOptions has it
    bool preconditions;
    bool splits; ///< minimises what is not quadratic, too
};

/// The table: a row each, the default first.
const std::vector<Solver>& solvers();

/// The row of a name in the table, and that of these options.
const Solver& solver_named(const std::string& name);
const Solver& solver_of(const SolveOptions& options);

} // namespace lsrecon
