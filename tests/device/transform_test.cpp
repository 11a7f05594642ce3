// Every kernel variant against the double reference, on awkward sizes.

#include <gtest/gtest.h>

#include "base/tolerance.hpp"
#include "engines/transforms.hpp"
#include "support/case.hpp"
#include "support/device_fixture.hpp"
#include "support/numbers.hpp"
#include "support/surroundings.hpp"
#include "support/transforms.hpp"

namespace lsrecon {
namespace {

using test::Case;
using test::near;
using test::Problem;
using test::silent;

Case case_of(const std::string& name, const std::array<std::size_t, 3>& size, std::size_t samples,
             std::size_t coils = 1) {
    Case of{name, size, samples, coils};
    of.seed = samples + coils;
    return of;
}

Case off_resonance(Case of, double field_hz, double r2star = 0) {
    of.field_hz = field_hz;
    of.r2star = r2star;
    return of;
}

Case listed(Case of, std::size_t voxels, double reach) {
    of.listed_voxels = voxels;
    of.reach = reach;
    return of;
}

/// The cases, and slow ones where these run: compiling their kernels takes long.
std::vector<Case> joined(std::vector<Case> cases, const std::vector<Case>& slow) {
    if (test::slow_cases()) {
        cases.insert(cases.end(), slow.begin(), slow.end());
    }
    return cases;
}

/// Work-groups are of 64, runs of 32, chunks of 2048 or less, bundles of 8 coils or less.
std::vector<Case> kernel_cases() {
    return joined(
        {
            case_of("OneSampleOneVoxel", {1, 1, 0}, 1),
            case_of("NoSample", {5, 4, 0}, 0, 3),
            case_of("Samples63Voxels65", {13, 5, 0}, 63),
            case_of("Samples597Odd", {15, 17, 0}, 597),
            case_of("Volume", {7, 5, 9}, 129),
            case_of("ThreeCoils", {5, 6, 7}, 65, 3),
            case_of("PartialLastChunk", {5, 4, 0}, 2049),
            case_of("ChunksOfVoxels", {45, 47, 0}, 33),
            case_of("LongGrid", {2047, 1, 0}, 64),
            listed(case_of("ListInside", {8, 8, 0}, 65), 63, 0.5),
            listed(case_of("ListFarOutside", {16, 16, 0}, 597), 65, 40),
            off_resonance(case_of("OffResonanceOfAVolume", {7, 5, 4}, 64, 2), 2500),
            off_resonance(case_of("Decay", {16, 3, 2}, 63), 100, 80),
        },
        {
            case_of("Samples64Voxels63", {9, 7, 0}, 64),
            case_of("Samples65Voxels64", {8, 8, 0}, 65),
            case_of("Samples31", {6, 5, 0}, 31),
            case_of("Unequal", {4, 50, 0}, 100),
            case_of("FlatVolume", {6, 4, 1}, 33),
            case_of("FullChunk", {5, 4, 0}, 2048),
            case_of("ThirdChunkReusesABuffer", {5, 4, 0}, 4096 + 65),
            case_of("Rows15Wide", {15, 3, 2}, 512),
            case_of("Rows16Wide", {16, 3, 1}, 513),
            case_of("Rows33Wide", {33, 5, 0}, 17),
            listed(case_of("ListOfAVolume", {9, 12, 10}, 65), 64, 3),
            listed(case_of("ListOfOne", {8, 8, 0}, 1), 1, 0.5),
            listed(case_of("ListBeyondAChunk", {8, 8, 0}, 31), 2049, 0.5),
            off_resonance(case_of("OffResonance", {13, 5, 0}, 65), 250),
            listed(off_resonance(case_of("OffResonanceOfAList", {8, 8, 0}, 65), 250, 30), 63, 2),
        });
}

std::vector<Case> cases_of_many_coils() {
    return joined(
        {case_of("Nine", {9, 7, 0}, 63, 9), case_of("EightInChunks", {4, 4, 0}, 2048 + 65, 8)},
        {case_of("Two", {9, 7, 0}, 65, 2), case_of("Eight", {9, 7, 0}, 64, 8),
         case_of("Twelve", {5, 5, 0}, 65, 12)});
}

class EveryKernel : public test::DeviceFixture, public testing::WithParamInterface<Case> {
protected:
    Problem problem = test::make_problem(GetParam());

    /// `computed` is within its own error and that of the reference, which does not reduce its
    /// phases.
    testing::AssertionResult agree(const OnHost& computed, const OnHost& exact,
                                   std::size_t sources) const {
        return near(computed.values, exact.values,
                    computed.error + tolerance::reference(problem.largest_turns(), sources));
    }

    void expect_fhd_of_every_kernel() {
        const OnHost exact = test::exact_adjoint_of(problem);
        for (const std::string& kernel : kernel_names()) {
            EXPECT_TRUE(agree(test::adjoint_of(*device(kernel), problem), exact,
                              problem.positions().size()))
                << "kernel " << kernel;
        }
    }
};

class EveryKernelOfManyCoils : public EveryKernel {};

TEST_P(EveryKernelOfManyCoils, Fhd) {
    expect_fhd_of_every_kernel();
}

TEST_P(EveryKernel, Fhd) {
    expect_fhd_of_every_kernel();
}

TEST_P(EveryKernel, Forward) {
    const OnHost exact = test::exact_forward_of(problem);
    for (const std::string& kernel : kernel_names()) {
        EXPECT_TRUE(
            agree(test::forward_of(*device(kernel), problem), exact, problem.voxels.count()))
            << "kernel " << kernel;
    }
}

TEST_P(EveryKernel, Q) {
    const Voxels where = test::differences_of_problem(problem);
    const OnHost exact = test::exact_q_of(problem, where);
    for (const std::string& kernel : kernel_names()) {
        EXPECT_TRUE(
            agree(test::q_of(*device(kernel), problem, where), exact, problem.positions().size()))
            << "kernel " << kernel;
    }
}

INSTANTIATE_TEST_SUITE_P(Awkward, EveryKernel, testing::ValuesIn(kernel_cases()),
                         [](const auto& of) { return of.param.name; });

INSTANTIATE_TEST_SUITE_P(Awkward, EveryKernelOfManyCoils, testing::ValuesIn(cases_of_many_coils()),
                         [](const auto& of) { return of.param.name; });

class DeviceTotal : public test::DeviceFixture {};

// 1 and 4095 times 2^-30 at the centre of k-space: each run of them is below half an ulp of the
// total, and together they are 64 eps of it, which is more than any kernel but the naive may lose.
TEST_F(DeviceTotal, KeepsWhatIsSmallBesideIt) {
    const std::size_t samples = 4096;
    const std::vector<Vec3> centre(samples, {0, 0, 0});
    CoilMatrix mu = CoilMatrix::Constant(1, samples, 0x1p-30);
    mu(0, 0) = 1;
    const Voxels voxels = Voxels::of_grid(test::make_grid(5, 4));
    const CoilMatrix expected = CoilMatrix::Constant(1, 20, 1 + 4095 * 0x1p-30);
    for (const std::string& kernel : kernel_names()) {
        const OnHost computed = adjoint_on_host(*device(kernel), centre, mu, voxels, silent);
        EXPECT_TRUE(near(computed.values, expected, computed.error)) << "kernel " << kernel;
    }
}

class DeviceMu : public test::DeviceFixture {};

TEST_F(DeviceMu, AgreesWithTheReference) {
    for (const std::size_t samples : {1, 63, 64, 65, 597}) {
        for (const std::size_t coils : {1, 3, 9}) {
            for (const bool both : {false, true}) {
                Case of = case_of("mu", {4, 4, 0}, samples, coils);
                of.phi = of.weights = both;
                const Problem problem = test::make_problem(of);
                EXPECT_TRUE(
                    near(mu_on_host(*device(), *problem.trajectory, problem.samples),
                         mu_on_host(*reference_transforms(), *problem.trajectory, problem.samples),
                         tolerance::mu()))
                    << samples << " samples, " << coils << " coils, phi and weights " << both;
            }
        }
    }
}

TEST_F(DeviceMu, OfNothingIsNothing) {
    const Problem problem = test::make_problem(case_of("mu", {4, 4, 0}, 0, 2));
    const CoilMatrix mu = mu_on_host(*device(), *problem.trajectory, problem.samples);
    EXPECT_EQ(mu.rows(), 2);
    EXPECT_EQ(mu.cols(), 0);
}

} // namespace
} // namespace lsrecon
