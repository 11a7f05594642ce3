// One adjoint test for every operator: <A x, y> = <x, A^H y>.

#include <gtest/gtest.h>

#include "backend/reference/reference.hpp"
#include "base/tolerance.hpp"
#include "stages/fhd.hpp"
#include "stages/mu.hpp"
#include "support/case.hpp"
#include "support/numbers.hpp"
#include "support/systems.hpp"

namespace lsrecon {
namespace {

using test::Case;
using test::flat;
using test::Problem;
using test::silent;
using test::unflat;

std::vector<Case> cases() {
    std::vector<Case> all;
    for (const std::uint64_t seed : {1, 2, 3}) {
        Case even{"even", {6, 4, 0}, 17, 1};
        Case odd{"odd, phi and weights", {5, 7, 0}, 30, 1};
        odd.phi = odd.weights = true;
        Case volume{"volume, three coils", {3, 4, 5}, 23, 3};
        volume.phi = volume.weights = volume.coil_maps = true;
        Case list{"voxels off the grid, two coils", {6, 5, 0}, 11, 2, 13, 3};
        list.weights = list.coil_maps = true;
        for (Case of : {even, odd, volume, list}) {
            of.seed = seed;
            all.push_back(of);
        }
    }
    return all;
}

class Adjoint : public testing::TestWithParam<Case> {
protected:
    Problem problem = test::make_problem(GetParam());
    std::unique_ptr<Backend> backend = make_reference_backend();
    Reporter report;

    std::size_t samples() const { return problem.trajectory().size(); }
    std::size_t voxels() const { return problem.voxels.count(); }
    double bound(std::size_t products) const {
        return static_cast<double>(products) *
               tolerance::reference(problem.largest_turns(), samples() + voxels());
    }

    /// w phi F S_c rho: what compute_mu and compute_fhd are the adjoint of.
    ComplexVector weighted_samples(const ComplexVector& rho) {
        const auto coils = static_cast<Eigen::Index>(GetParam().coils);
        CoilMatrix images = CoilMatrix::Ones(coils, rho.size());
        if (problem.coil_maps.size() > 0) {
            images = problem.coil_maps;
        }
        images.array().rowwise() *= rho.transpose().array();
        CoilMatrix d = backend->forward(problem.trajectory(), images, problem.voxels, silent);
        if (problem.sampling->phi.size() > 0) {
            d.array().rowwise() *= problem.sampling->phi.transpose().array();
        }
        if (problem.sampling->weights.size() > 0) {
            d.array().rowwise() *= problem.sampling->weights.transpose().array().cast<Complex>();
        }
        return flat(d);
    }
};

TEST_P(Adjoint, ForwardAndFhd) {
    const std::size_t coils = GetParam().coils;
    const auto forward = [&](const ComplexVector& rho) {
        return flat(
            backend->forward(problem.trajectory(), unflat(rho, coils), problem.voxels, silent));
    };
    const auto fhd = [&](const ComplexVector& mu) {
        return flat(backend->fhd(problem.trajectory(), unflat(mu, coils), problem.voxels, silent));
    };
    EXPECT_TRUE(test::adjoint_test(forward, fhd, coils * voxels(), coils * samples(), bound(1)));
}

TEST_P(Adjoint, StagesWithPhiWeightsAndCoilMaps) {
    const Plan plan{problem.voxels, false, problem.coil_maps.size() > 0};
    const auto forward = [&](const ComplexVector& rho) { return weighted_samples(rho); };
    const auto stages = [&](const ComplexVector& d) -> ComplexVector {
        Frame frame = problem.frame();
        frame.samples = unflat(d, GetParam().coils);
        const CoilMatrix mu = compute_mu(*backend, frame, report);
        return compute_fhd(*backend, plan, frame, mu, problem.coil_maps, report)
            .colwise()
            .sum()
            .transpose();
    };
    EXPECT_TRUE(
        test::adjoint_test(forward, stages, voxels(), GetParam().coils * samples(), bound(2)));
}

TEST_P(Adjoint, NormalOperatorIsHermitian) {
    test::ReferenceSystem normal(*backend, *problem.sampling, problem.voxels, problem.coil_maps,
                                 0.1);
    const auto apply = [&](const ComplexVector& rho) { return normal.apply(rho); };
    EXPECT_TRUE(test::adjoint_test(apply, apply, voxels(), voxels(), bound(2)));
}

TEST_P(Adjoint, NormalOperatorThroughQIsHermitian) {
    if (!problem.voxels.on_lattice()) {
        return; // Q serves a grid only.
    }
    test::ReferenceSystem normal(compute_q(*backend, *problem.sampling, problem.grid, report),
                                 problem.coil_maps, 0.1);
    const auto apply = [&](const ComplexVector& rho) { return normal.apply(rho); };
    EXPECT_TRUE(test::adjoint_test(apply, apply, voxels(), voxels(), bound(2)));
}

INSTANTIATE_TEST_SUITE_P(Cases, Adjoint, testing::ValuesIn(cases()));

} // namespace
} // namespace lsrecon
