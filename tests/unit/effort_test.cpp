#include "solve/effort.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "device/array.hpp"
#include "solve/cg.hpp"

namespace lsrecon {
namespace {

const double doubles = unit_roundoff(Precision::float64);

SolveOptions regularised(double lambda, std::vector<RegulariserChoice> choices = {}) {
    SolveOptions options;
    options.lambda = lambda;
    options.regularisers = std::move(choices);
    return options;
}

TEST(Effort, WithoutRegulariserTheSolveStopsEarly) {
    const SolveOptions options = with_effort({}, {}, true, doubles);
    EXPECT_EQ(options.iterations, SolveOptions().iterations);
    EXPECT_EQ(options.tolerance, SolveOptions().tolerance);
    EXPECT_FALSE(options.precondition);
}

TEST(Effort, WithOneItConverges) {
    for (const SolveOptions& of :
         {regularised(1e-3), regularised(0, {{"roughness", 1e-2}}), regularised(1e-3, {})}) {
        const SolveOptions options = with_effort(of, {}, true, doubles);
        EXPECT_EQ(options.iterations, iterations_to_converge);
        EXPECT_LT(options.tolerance, SolveOptions().tolerance);
        EXPECT_TRUE(options.precondition);
    }
    EXPECT_DOUBLE_EQ(with_effort(regularised(1e-3), {}, true, doubles).tolerance, 1e-7);
    EXPECT_EQ(with_effort(regularised(2), {}, true, doubles).tolerance, SolveOptions().tolerance);
    EXPECT_FALSE(with_effort(regularised(1e-3), {}, false, doubles).precondition);
    const double singles = unit_roundoff(Precision::float32);
    EXPECT_EQ(with_effort(regularised(1e-3), {}, true, singles).tolerance,
              smallest_tolerance(singles))
        << "what single precision cannot keep is not asked for";
}

TEST(Effort, SplittingHasItsOwn) {
    const SolveOptions options = with_effort(regularised(1e-3, {{"tv", 1e-3}}), {}, true, doubles);
    EXPECT_EQ(options.iterations, iterations_of_splitting);
    EXPECT_EQ(options.tolerance, SolveOptions().tolerance);
}

TEST(Effort, TheUserDecides) {
    const SolveOptions options = with_effort(regularised(1e-3), {7, 0.5, false}, true, doubles);
    EXPECT_EQ(options.iterations, 7);
    EXPECT_EQ(options.tolerance, 0.5);
    EXPECT_FALSE(options.precondition);
    EXPECT_TRUE(with_effort({}, {{}, {}, true}, true, doubles).precondition);
}

/// Where there is no preconditioner, or always one, the other is not passed over in silence.
TEST(Effort, APreconditionerWithoutChoiceIsRefused) {
    const auto refuses = [](SolveOptions options, bool precondition, bool by_one_q,
                            const std::string& reason) {
        try {
            with_effort(std::move(options), {{}, {}, precondition}, by_one_q, doubles);
            ADD_FAILURE() << reason;
        } catch (const UsageError& error) {
            EXPECT_NE(std::string(error.what()).find(reason), std::string::npos) << error.what();
        }
    };
    refuses({}, true, false, "field map");
    refuses(regularised(1e-3), true, false, "field map");
    refuses(regularised(0, {{"tv", 1e-3}}), false, true, "not quadratic");
    SolveOptions by_eigen = regularised(1e-3);
    by_eigen.on_device = false;
    refuses(by_eigen, true, true, "--solver eigen");
    EXPECT_NO_THROW(with_effort(by_eigen, {{}, {}, false}, true, doubles));
    EXPECT_NO_THROW(with_effort({}, {{}, {}, false}, false, doubles));
    refuses(regularised(0, {{"tv", 1e-3}}), true, true, "not quadratic");
    const SolveOptions split = with_effort(regularised(0, {{"tv", 1e-3}}), {}, true, doubles);
    EXPECT_EQ(preconditioner_of(split), "circulant");
    EXPECT_EQ(preconditioner_of(with_effort(regularised(1e-3), {}, true, doubles)), "cosine");
    EXPECT_EQ(preconditioner_of(with_effort({}, {}, true, doubles)), "none");
}

} // namespace
} // namespace lsrecon
