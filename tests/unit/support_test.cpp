// The helpers that judge the library are judged first.

#include <gtest/gtest.h>
#include <limits>

#include "base/tolerance.hpp"
#include "engines/on_host.hpp"
#include "engines/transforms.hpp"
#include "support/case.hpp"
#include "support/message.hpp"
#include "support/numbers.hpp"
#include "support/surroundings.hpp"

namespace lsrecon::test {
namespace {

const Complex i(0, 1);
const double bound = tolerance::reference(1, 5);

Eigen::MatrixXcd some_matrix() {
    return Random(5).matrix(3, 5);
}

Operator times(const Eigen::MatrixXcd& a) {
    return [a](const ComplexVector& x) -> ComplexVector { return a * x; };
}

TEST(AdjointTest, PassesForTheAdjoint) {
    const Eigen::MatrixXcd a = some_matrix();
    EXPECT_TRUE(adjoint_test(times(a), times(a.adjoint()), 5, 3, bound));
}

TEST(AdjointTest, FailsForEveryNearMiss) {
    const Eigen::MatrixXcd a = some_matrix();
    EXPECT_FALSE(adjoint_test(times(a), times(a.transpose()), 5, 3, bound)) << "no conjugate";
    EXPECT_FALSE(adjoint_test(times(a), times(-a.adjoint()), 5, 3, bound)) << "sign";
    EXPECT_FALSE(adjoint_test(times(a), times(a.adjoint() / 3), 5, 3, bound)) << "scale";
    EXPECT_FALSE(adjoint_test(times(a), times(a.adjoint() * (1 + 1e-12)), 5, 3, bound));
    const auto as_it_is = [](const ComplexVector& y) -> ComplexVector { return y; };
    EXPECT_FALSE(adjoint_test(times(a), as_it_is, 5, 3, bound)) << "shape";
    Eigen::MatrixXcd one_entry = a.adjoint();
    one_entry(4, 2) += 1e-9;
    EXPECT_FALSE(adjoint_test(times(a), times(one_entry), 5, 3, bound)) << "one entry";
}

TEST(AdjointTest, FailsForNaN) {
    const auto broken = [](const ComplexVector&) -> ComplexVector {
        return ComplexVector::Constant(3, std::numeric_limits<double>::quiet_NaN());
    };
    EXPECT_FALSE(adjoint_test(broken, times(some_matrix().adjoint()), 5, 3, bound));
}

TEST(AdjointTest, FailsForATransformOfTheWrongSign) {
    Case of;
    of.size = {4, 3, 0};
    of.samples = 5;
    const Problem problem = make_problem(of);
    const auto transforms = reference_transforms();
    const auto forward = [&](const ComplexVector& rho) {
        return flat(forward_on_host(*transforms, problem.positions(), unflat(rho, 1),
                                    problem.voxels, silent)
                        .values);
    };
    const auto wrong_sign = [&](const ComplexVector& d) -> ComplexVector {
        return flat(adjoint_on_host(*transforms, problem.positions(), unflat(d.conjugate(), 1),
                                    problem.voxels, silent)
                        .values)
            .conjugate();
    };
    EXPECT_FALSE(adjoint_test(forward, wrong_sign, 12, 5, bound));
}

TEST(AdjointTest, ShowsItsNumbers) {
    const testing::AssertionResult result =
        adjoint_test(times(Eigen::MatrixXcd::Identity(1, 1)),
                     times(2 * Eigen::MatrixXcd::Identity(1, 1)), 1, 1, bound);
    EXPECT_NE(std::string(result.message()).find("<A x, y> = ("), std::string::npos)
        << result.message();
}

TEST(Near, ComparesTheWholeAndShowsTheWorst) {
    CoilMatrix expected(1, 3);
    expected << 3, 4.0 * i, 0;
    CoilMatrix computed = expected;
    EXPECT_TRUE(near(computed, expected, 0));
    computed(0, 2) = 0.5; // of norm 5
    EXPECT_DOUBLE_EQ(relative_l2(computed, expected), 0.1);
    EXPECT_TRUE(near(computed, expected, 0.11));
    const testing::AssertionResult result = near(computed, expected, 0.09);
    EXPECT_FALSE(result);
    EXPECT_NE(std::string(result.message()).find("[0, 2]"), std::string::npos) << result.message();
}

TEST(Near, FailsForOtherShapesAndNaN) {
    EXPECT_FALSE(near(CoilMatrix(1, 2), CoilMatrix(2, 1), 1e9));
    CoilMatrix bad = CoilMatrix::Ones(1, 2);
    bad(0, 1) = std::numeric_limits<double>::quiet_NaN();
    EXPECT_FALSE(near(bad, CoilMatrix(CoilMatrix::Ones(1, 2)), 1e9));
    EXPECT_TRUE(near(CoilMatrix(2, 0), CoilMatrix(2, 0), 0));
    EXPECT_FALSE(near(CoilMatrix(CoilMatrix::Ones(1, 1)), CoilMatrix(CoilMatrix::Zero(1, 1)), 0.5));
}

TEST(Random, IsTheSameEverywhere) {
    // The 10000th number of mt19937_64 with its default seed: C++17, 29.6.5.
    std::mt19937_64 generator;
    generator.discard(9999);
    EXPECT_EQ(generator(), 9981545732273789042U);
    EXPECT_EQ(Random(3).complex(), Random(3).complex());
    EXPECT_NE(Random(3).complex(), Random(4).complex());
}

TEST(Random, PermutationsHoldEverythingOnce) {
    std::vector<std::size_t> order = Random(1).permutation(50);
    EXPECT_FALSE(std::is_sorted(order.begin(), order.end()));
    std::sort(order.begin(), order.end());
    for (std::size_t n = 0; n < order.size(); ++n) {
        EXPECT_EQ(order[n], n);
    }
}

TEST(Case, MakesWhatItSays) {
    Case of;
    of.size = {4, 5, 6};
    of.samples = 7;
    of.coils = 3;
    of.listed_voxels = 9;
    of.reach = 5;
    of.phi = true;
    const Problem problem = make_problem(of);
    EXPECT_EQ(problem.positions().size(), 7U);
    EXPECT_EQ(problem.trajectory->phi.size(), 7);
    EXPECT_EQ(problem.trajectory->weights.size(), 0);
    EXPECT_EQ(problem.voxels.count(), 9U);
    EXPECT_EQ(problem.rho.cols(), 9);
    EXPECT_EQ(problem.samples.rows(), 3);
    EXPECT_GT(problem.voxels.extent_in_voxels(), 0.5 * 6) << "nothing lies outside the grid";
}

TEST(Surroundings, FoldersAndVariablesGoWithTheirObjects) {
    std::filesystem::path path;
    {
        const TemporaryFolder folder;
        path = folder.path();
        write_text(folder.file("a"), "text");
        EXPECT_EQ(read_text(folder.file("a")), "text");
        EXPECT_EQ(folder.entries(), 1U);
    }
    EXPECT_FALSE(std::filesystem::exists(path));
    {
        const ScopedEnvironment variable("LSRECON_NO_SUCH_THING", "1");
        EXPECT_STREQ(std::getenv("LSRECON_NO_SUCH_THING"), "1");
    }
    EXPECT_EQ(std::getenv("LSRECON_NO_SUCH_THING"), nullptr);
}

TEST(Lacks, NamesAndNumbersAreFoundAsWholeWords) {
    const std::string said = "`lambda` 0.25 of 14 GB\n  next:     see page.";
    EXPECT_EQ(lacks(said, {"14 GB", "`lambda` 0.25", "\n  next:     ", "page"}), "");
    for (const std::string none : {"4 GB", "25", "0.2", "0", "lamb", "14 G", "pages", "15"}) {
        EXPECT_NE(lacks(said, {"`lambda`", none}), "") << none;
    }
    EXPECT_EQ(lacks("14 GB, 4 GB", {"4 GB"}), "") << "the second";
    EXPECT_TRUE(one_holds({"14 GB", "4 GB of 5"}, {"5", "4 GB"}));
    EXPECT_FALSE(one_holds({"5", "4 GB"}, {"5", "4 GB"})) << "each holds one of them";
}

} // namespace
} // namespace lsrecon::test
