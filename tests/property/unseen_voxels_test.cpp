// Regularisers of differences where coil maps are 0 around the object.

#include <gtest/gtest.h>

#include "encoding/solve.hpp"
#include "engines/on_host.hpp"
#include "engines/transforms.hpp"
#include "simulate/simulate.hpp"
#include "support/case.hpp"
#include "support/equations.hpp"
#include "support/numbers.hpp"

namespace lsrecon {
namespace {

/// An object in a third of its field of view, by four coils that see nothing else.
struct SmallObject {
    test::Problem problem;
    CoilRows maps;
    ComplexVector object;

    SmallObject() {
        test::Case of{"radial", {48, 48, 0}};
        of.design = "radial";
        of.coils = 4;
        problem = test::make_problem(of);
        const auto voxels = static_cast<Eigen::Index>(problem.grid.voxels());
        object = ComplexVector::Zero(voxels);
        CoilMatrix values = Birdcage(problem.grid, of.coils).maps().cast<Complex>();
        for (Eigen::Index n = 0; n < voxels; ++n) {
            const Vec3 x = problem.voxels.position(static_cast<std::size_t>(n));
            const double radius = std::hypot(x[0] / 0.3, x[1] / 0.36);
            if (radius >= 1) {
                values.col(n).setZero();
            } else {
                const bool inner = std::hypot(x[0] - 0.08, x[1] + 0.05) < 0.1;
                object(n) = std::polar(inner ? 1.6 : 1.0, 2 * x[0] - x[1]);
            }
        }
        maps = CoilRows(values);
        values.array().rowwise() *= object.transpose().array();
        problem.samples = forward_on_host(*reference_transforms(), problem.positions(), values,
                                          problem.voxels, test::silent)
                              .values;
    }

    Solved solved(const RegulariserChoice& choice, int iterations) const {
        const auto transforms = reference_transforms();
        Reporter report;
        const Formulation formulation{problem.grid, problem.voxels, true, false};
        const test::Equations by(*transforms, formulation, maps, *problem.trajectory);
        SolveOptions options;
        options.iterations = iterations;
        options.tolerance = 1e-5;
        options.regularisers = {choice};
        options.precondition = true;
        return by.solve(by.encoding.adjoint(problem.samples).volumes, options, report);
    }
};

TEST(UnseenVoxels, TotalVariationConverges) {
    const SmallObject scan;
    for (const double weight : {0.02, 0.1}) {
        const Solved solved = scan.solved({"tv", weight}, 100);
        EXPECT_LT(solved.residuals[0].back(), 1e-3) << weight;
    }
}

TEST(UnseenVoxels, RoughnessTakesNoMoreIterationsForThem) {
    const Solved solved = SmallObject().solved({"roughness", 0.1}, 300);
    EXPECT_EQ(solved.stops[0], Stop::tolerance);
    EXPECT_LT(solved.residuals[0].size(), 40U);
}

// The object ends where its maps do: no penalty pulls its rim towards the zeros around it.
TEST(UnseenVoxels, AnEvenObjectStaysEvenToItsRim) {
    SmallObject scan;
    const auto seen = scan.object.array().abs() > 0;
    scan.object = seen.select(ComplexVector::Ones(scan.object.size()), Complex(0));
    CoilMatrix images = scan.maps.to_doubles();
    images.array().rowwise() *= scan.object.transpose().array();
    scan.problem.samples = forward_on_host(*reference_transforms(), scan.problem.positions(),
                                           images, scan.problem.voxels, test::silent)
                               .values;
    for (const char* name : {"tv", "roughness"}) {
        EXPECT_TRUE(test::near(scan.solved({name, 0.1}, 150).image, scan.object, 1e-3)) << name;
    }
}

} // namespace
} // namespace lsrecon
