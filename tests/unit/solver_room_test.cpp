#include "solve/solver_room.hpp"

#include <gtest/gtest.h>

#include "engines/transforms.hpp"
#include "solve/solvers.hpp"
#include "support/case.hpp"

namespace lsrecon {
namespace {

constexpr double voxels = 12 * 10 * 9;
constexpr double with_allocator = 1.2;

class SolverRoom : public testing::Test {
protected:
    std::unique_ptr<Transforms> transforms = reference_transforms();
    SolveShape shape{{test::make_grid(12, 10, 9), 0}};
    SolveOptions options;

    HostMemory memory() {
        HostMemory of;
        add_solve(of, *transforms, shape, options, "the grid");
        return of;
    }
    double bytes() { return memory().bytes(); }
    Finding refusal() {
        try {
            memory().require("scan.h5", {1, "this test"});
        } catch (const InputError& error) {
            return error.finding();
        }
        return {};
    }
};

// Half of Q, its spectra of all parities, on lengths of small factors, and the phases of voxels.
TEST_F(SolverRoom, ATermOfOffResonanceIsAQ) {
    shape.system.terms = 2;
    const double two = bytes();
    shape.system.terms = 5;
    const double half = 23 * 19 * 9 * 16;
    const double spectra = 8 * voxels * 8;
    EXPECT_NEAR(bytes() - two, with_allocator * 3 * (half + spectra + voxels * 16), 1);
    EXPECT_EQ(refusal().thing, "off-resonance");
    EXPECT_NE(refusal().found.find("up to 5 terms"), std::string::npos) << refusal().found;
    EXPECT_NE(refusal().next_step.find("`field_map` none"), std::string::npos)
        << refusal().next_step;
    const double with_five = bytes();
    shape.segments = 7; // their factors of the voxels
    EXPECT_NEAR(bytes() - with_five, with_allocator * 7 * voxels * 16, 1);
}

TEST_F(SolverRoom, ANoiseMapIsVolumesMore) {
    const double without = bytes();
    shape.replicas = true;
    const double one = bytes() - without;
    EXPECT_GE(one, 3.5 * voxels * 16); // mean, squares, F^H d
    EXPECT_NE(refusal().next_step.find("leave the noise map out"), std::string::npos);
    shape.problems = 4;
    const double four = bytes();
    shape.replicas = false;
    EXPECT_NEAR(four - bytes() - one, with_allocator * 3 * voxels * 16, 1);
}

TEST_F(SolverRoom, RegularisersAndThePreconditionerCount) {
    const double plain = bytes();
    options.precondition = true;
    EXPECT_GT(bytes(), plain);
    options.precondition = false;
    options.regularisers = {{"prior", 1}};
    EXPECT_EQ(bytes(), plain) << "an isometry needs nothing";
    options.regularisers = {{"tv", 1}};
    const double tv = bytes();
    EXPECT_GT(tv, plain);
    options.regularisers = {{"wavelet", 1}};
    EXPECT_GT(bytes(), tv);
    EXPECT_NE(refusal().next_step.find("leave `reg` out"), std::string::npos)
        << refusal().next_step;
}

TEST_F(SolverRoom, ManySamplesNeedMoreThanTheSolve) {
    shape.samples = 10;
    const double of_solve = bytes();
    shape.samples = 100000;
    shape.coils = 4;
    EXPECT_GT(bytes(), of_solve);
    EXPECT_GE(bytes(), 4 * 100000 * 2 * 16) << "as they are loaded and as they are packed";
    EXPECT_EQ(refusal().thing, "the transform of the samples");
}

// On the CPU, whose arrays have complex numbers alone.
TEST_F(SolverRoom, TheCpuNeedsMoreThanADevice) {
    const double on_device = bytes();
    options.solver = &solver_named("eigen");
    EXPECT_GT(bytes(), on_device);
    shape.system.terms = 2;
    const double two = bytes();
    shape.system.terms = 3;
    EXPECT_NEAR(bytes() - two,
                with_allocator * (23 * 19 * 9 * 16 + 2 * 8 * voxels * 8 + voxels * 16), 1);
}

} // namespace
} // namespace lsrecon
