// The normal operator off resonance as a sum of convolutions, on every device, against F^H W F of
// the reference.

#include "operators/gram.hpp"

#include <gtest/gtest.h>

#include "base/tolerance.hpp"
#include "engines/transforms.hpp"
#include "support/arrays.hpp"
#include "support/arrays_fixture.hpp"
#include "support/case.hpp"
#include "support/numbers.hpp"

namespace lsrecon {
namespace {

using test::Case;
using test::Problem;

using TimeTermsGram = test::ArraysFixture;

std::vector<Case> time_terms_cases() {
    Case plane{"a plane", {6, 5, 0}, 37};
    plane.field_hz = 300;
    Case volume{"a volume that decays, two coils", {3, 4, 5}, 29, 2};
    volume.field_hz = 200;
    volume.r2star = 60;
    volume.coil_maps = volume.weights = true;
    return {plane, volume};
}

TEST_P(TimeTermsGram, IsTheNormalOperatorOfTheReference) {
    if (on.opened->segment_error() == 0) {
        return; // the reference needs no terms
    }
    for (const Case& of : time_terms_cases()) {
        const Problem problem = test::make_problem(of);
        const OffResonance& off = *problem.voxels.off_resonance();
        const std::size_t voxels = problem.voxels.count();
        const CoilRows rows = problem.coil_maps;
        CoilMaps maps(on.device(), rows);
        Reporter report;
        const std::vector<TimeTerm> terms =
            compute_time_terms(*on.opened, *problem.trajectory, problem.grid, off, report);
        const auto gram = make_time_terms_gram(on.device(), on.precision, maps, terms, off,
                                               problem.trajectory->q_weights().sum());
        const auto apply = [&](const ComplexVector& x) {
            Array out = on.device().zeros(voxels, {true, on.precision});
            gram->apply(test::uploaded(on, x), out);
            return on.device().download(out);
        };
        // Of some 20 convolutions, whose weights are a few times 1 at most.
        const double of_product = 50 * tolerance::resident_product(voxels, on.epsilon());
        EXPECT_TRUE(test::adjoint_test(apply, apply, voxels, voxels, of_product)) << of.name;

        const auto reference = reference_transforms();
        CoilMaps exact_maps(reference->device(), rows);
        const auto exact =
            make_explicit_gram(reference->device(), Precision::float64, exact_maps, *reference,
                               Precision::float64, *problem.trajectory, problem.voxels);
        const ComplexVector x = test::Random(9).vector(voxels);
        Array in = reference->device().zeros(voxels, {true, Precision::float64});
        reference->device().upload(x, in);
        Array out = reference->device().zeros(voxels, {true, Precision::float64});
        exact->apply(in, out);
        double of_q = 0;
        for (const TimeTerm& term : terms) {
            of_q += term.q.error;
        }
        EXPECT_TRUE(test::near(apply(x), reference->device().download(out),
                               of_product + tolerance::gram(of_q)))
            << of.name;
    }
}

INSTANTIATE_TEST_SUITE_P(Devices, TimeTermsGram, testing::ValuesIn(test::array_cases()));

} // namespace
} // namespace lsrecon
