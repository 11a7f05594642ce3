#include "encoding/solve.hpp"

#include <gtest/gtest.h>

#include "plan/settle.hpp"

namespace lsrecon {
namespace {

TEST(Solvers, AreThoseOfTheirNamesAndOptions) {
    for (const Solver& row : solvers()) {
        SolveOptions options;
        options.solver = &row;
        EXPECT_EQ(&solver_named(row.name), &row);
        EXPECT_EQ(&solver_of(options), &row);
        EXPECT_FALSE(row.summary.empty());
    }
    EXPECT_EQ(&solver_of({}), &solvers().front()) << "the default";
}

TEST(Solvers, PreconditionAsTheirRowsSay) {
    for (const Solver& row : solvers()) {
        SolveOptions options;
        options.lambda = 0.01;
        options.solver = &row;
        EXPECT_EQ(with_effort(options, {}, Products::one_convolution, 1e-16).precondition,
                  row.preconditions)
            << row.name;
    }
}

} // namespace
} // namespace lsrecon
