#include "plan/settle.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "device/array.hpp"
#include "encoding/solve.hpp"
#include "solve/conjugate_gradient.hpp"

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
    const SolveOptions options = with_effort({}, {}, Products::one_convolution, doubles);
    EXPECT_EQ(options.iterations, SolveOptions().iterations);
    EXPECT_EQ(options.tolerance, SolveOptions().tolerance);
    EXPECT_FALSE(options.precondition);
}

TEST(Effort, AccuracyFollowsFromTheImage) {
    EXPECT_DOUBLE_EQ(accuracy_for(1e-2, 0, Precision::float32), 1e-4);
    EXPECT_DOUBLE_EQ(accuracy_for(1e-2, 0.1, Precision::float32), 1e-5);
    EXPECT_DOUBLE_EQ(accuracy_for(1e-2, 10, Precision::float32), 1e-4);
    EXPECT_EQ(accuracy_for(1e-9, 0, Precision::float32), 2e-7) << "what floats can keep";
    EXPECT_DOUBLE_EQ(accuracy_for(1e-9, 0, Precision::float64), 1e-11);
    EXPECT_LE(accuracy_for(100, 0, Precision::float32), 1e-3) << "an image asks for more";
}

TEST(Effort, WithOneItConverges) {
    for (const SolveOptions& of :
         {regularised(1e-3), regularised(0, {{"roughness", 1e-2}}), regularised(1e-3, {})}) {
        const SolveOptions options = with_effort(of, {}, Products::one_convolution, doubles);
        EXPECT_EQ(options.iterations, iterations_to_converge);
        EXPECT_LT(options.tolerance, SolveOptions().tolerance);
        EXPECT_TRUE(options.precondition);
    }
    EXPECT_DOUBLE_EQ(
        with_effort(regularised(1e-3), {}, Products::one_convolution, doubles).tolerance, 1e-7);
    EXPECT_EQ(with_effort(regularised(2), {}, Products::one_convolution, doubles).tolerance,
              SolveOptions().tolerance);
    const double singles = unit_roundoff(Precision::float32);
    EXPECT_EQ(with_effort(regularised(1e-3), {}, Products::one_convolution, singles).tolerance,
              smallest_tolerance(singles))
        << "what single precision cannot keep is not asked for";
}

TEST(Effort, OffResonanceItConvergesWithoutPreconditioner) {
    const SolveOptions by_terms =
        with_effort(regularised(1e-3), {}, Products::convolutions, doubles);
    EXPECT_EQ(by_terms.iterations, iterations_to_converge);
    EXPECT_DOUBLE_EQ(by_terms.tolerance, 1e-7);
    EXPECT_FALSE(by_terms.precondition);
    const SolveOptions by_transforms =
        with_effort(regularised(1e-3), {}, Products::transforms, doubles);
    EXPECT_EQ(by_transforms.iterations, SolveOptions().iterations);
    EXPECT_FALSE(by_transforms.precondition);
}

TEST(Effort, SplittingHasItsOwn) {
    const SolveOptions options =
        with_effort(regularised(1e-3, {{"tv", 1e-3}}), {}, Products::one_convolution, doubles);
    EXPECT_EQ(options.iterations, iterations_of_splitting);
    EXPECT_EQ(options.tolerance, SolveOptions().tolerance);
}

TEST(Effort, TheUserDecides) {
    const SolveOptions options =
        with_effort(regularised(1e-3), {7, 0.5, false}, Products::one_convolution, doubles);
    EXPECT_EQ(options.iterations, 7);
    EXPECT_EQ(options.tolerance, 0.5);
    EXPECT_EQ(options.image_tolerance, 0.5);
    EXPECT_EQ(
        with_effort(regularised(1e-3), {}, Products::one_convolution, doubles).image_tolerance,
        SolveOptions().image_tolerance)
        << "the solver's follows from lambda, the image's does not";
    EXPECT_FALSE(options.precondition);
    EXPECT_TRUE(with_effort({}, {{}, {}, true}, Products::one_convolution, doubles).precondition);
}

TEST(Effort, IterationsFollowFromLambda) {
    SolveOptions options;
    options.iterations = 300;
    EXPECT_EQ(expected_iterations(options, 1e-3), 253);
    EXPECT_EQ(expected_iterations(options, 0.01), 80);
    EXPECT_EQ(expected_iterations(options, 1e-6), 300) << "the most that the options allow";
    EXPECT_EQ(expected_iterations(options, 1e6), 1);
    EXPECT_LT(expected_iterations(options, 0), 300) << "a regulariser alone";
    options.iterations = 5;
    EXPECT_EQ(expected_iterations(options, 1e-3), 5);
}

/// Where there is no preconditioner, or always one, the other is not passed over in silence.
TEST(Effort, APreconditionerWithoutChoiceIsRefused) {
    const auto refuses = [](SolveOptions options, bool precondition, Products products,
                            const std::string& reason) {
        try {
            with_effort(std::move(options), {{}, {}, precondition}, products, doubles);
            ADD_FAILURE() << reason;
        } catch (const UsageError& error) {
            EXPECT_NE(std::string(error.what()).find(reason), std::string::npos) << error.what();
        }
    };
    refuses({}, true, Products::convolutions, "field map");
    refuses(regularised(1e-3), true, Products::transforms, "field map");
    refuses(regularised(0, {{"tv", 1e-3}}), false, Products::one_convolution, "not quadratic");
    SolveOptions by_eigen = regularised(1e-3);
    by_eigen.solver = &solver_named("eigen");
    refuses(by_eigen, true, Products::one_convolution, "`solver` eigen");
    EXPECT_NO_THROW(with_effort(by_eigen, {{}, {}, false}, Products::one_convolution, doubles));
    EXPECT_NO_THROW(with_effort({}, {{}, {}, false}, Products::transforms, doubles));
    refuses(regularised(0, {{"tv", 1e-3}}), true, Products::one_convolution, "not quadratic");
    const SolveOptions split =
        with_effort(regularised(0, {{"tv", 1e-3}}), {}, Products::one_convolution, doubles);
    EXPECT_EQ(preconditioner_of(split), "circulant");
    EXPECT_EQ(
        preconditioner_of(with_effort(regularised(1e-3), {}, Products::one_convolution, doubles)),
        "cosine");
    EXPECT_EQ(preconditioner_of(with_effort({}, {}, Products::one_convolution, doubles)), "none");
}

} // namespace
} // namespace lsrecon
