#include "encoding/solvers.hpp"

#include <algorithm>

namespace lsrecon {

const std::vector<Solver>& solvers() {
    static const std::vector<Solver> rows{
        {"device", "conjugate gradients on the device, in double precision if the device has it",
         &solve_where_it_fits, true, true, true},
        {"eigen", "conjugate gradients by Eigen on the CPU, as a check", &solve_by_eigen, false,
         false, false},
    };
    return rows;
}

const Solver& solver_named(const std::string& name) {
    return *std::find_if(solvers().begin(), solvers().end(),
                         [&](const Solver& row) { return row.name == name; });
}

const Solver& solver_of(const SolveOptions& options) {
    return options.solver == nullptr ? solvers().front() : *options.solver;
}

} // namespace lsrecon
