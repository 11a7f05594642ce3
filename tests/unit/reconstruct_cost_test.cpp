#include "plan/cost.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "device/host_device.hpp"
#include "encoding/solve.hpp"
#include "engines/transforms.hpp"
#include "support/case.hpp"
#include "support/numbers.hpp"
#include "support/transforms.hpp"

namespace lsrecon {
namespace {

constexpr double voxels = 12 * 10 * 9;
constexpr double with_allocator = 1.2;

class FrameCost : public testing::Test {
protected:
    std::unique_ptr<Transforms> transforms = reference_transforms();
    FrameShape shape{test::make_grid(12, 10, 9), 1, false};
    SolveOptions options;

    HostMemory memory() {
        HostMemory of(true); // the reference is
        add_frame(of, *transforms, shape, options);
        return of;
    }
    double bytes() { return memory().bytes(); }
    Fault refusal() {
        try {
            memory().require("scan.h5", {1, "this test"});
        } catch (const InputError& error) {
            return error.fault();
        }
        return {};
    }
};

// Half of Q, its spectra of all parities, on lengths of small factors, and the phases of voxels.
TEST_F(FrameCost, ATermOfOffResonanceIsAQ) {
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

TEST_F(FrameCost, ANoiseMapIsVolumesMore) {
    const double without = bytes();
    shape.noise_map = true;
    const double one = bytes() - without;
    EXPECT_GE(one, 3.5 * voxels * 16); // mean, squares, F^H d
    EXPECT_NE(refusal().next_step.find("leave the noise map out"), std::string::npos);
    shape.problems = 4;
    const double four = bytes();
    shape.noise_map = false;
    EXPECT_NEAR(four - bytes() - one, with_allocator * 3 * voxels * 16, 1);
}

TEST_F(FrameCost, RegularisersAndThePreconditionerCount) {
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

TEST_F(FrameCost, ManySamplesNeedMoreThanTheSolve) {
    shape.samples = 10;
    const double of_solve = bytes();
    shape.samples = 100000;
    shape.coils = 4;
    EXPECT_GT(bytes(), of_solve);
    EXPECT_GE(bytes(), 4 * 100000 * 2 * 16) << "as they are loaded and as they are packed";
    EXPECT_EQ(refusal().thing, "the transform of the samples");
}

// On the CPU, whose arrays have complex numbers alone.
TEST_F(FrameCost, TheCpuNeedsMoreThanADevice) {
    const double on_device = bytes();
    options.solver = &solver_named("eigen");
    EXPECT_GT(bytes(), on_device);
    shape.system.terms = 2;
    const double two = bytes();
    shape.system.terms = 3;
    EXPECT_NEAR(bytes() - two,
                with_allocator * (23 * 19 * 9 * 16 + 2 * 8 * voxels * 8 + voxels * 16), 1);
}

TEST(SystemCost, OfAMillionVoxels) {
    const std::unique_ptr<Device> reference = make_reference_device();
    const auto cost = [&](std::size_t maps, Precision precision) {
        return cost_of_least_squares(*reference, {test::make_grid(128, 128, 128), maps}, precision,
                                     {}, false);
    };
    const double volume = 128.0 * 128 * 128 * 8; // of complex floats
    const double half = 255.0 * 255 * 128 * 8;
    // One volume to transform and eight real spectra, and half of Q with a period until these are
    // made.
    EXPECT_EQ(cost(0, Precision::float32).device_bytes, (1 + 4 + 1) * volume + half);
    EXPECT_EQ(cost(0, Precision::float32).largest_array, 4 * volume);
    EXPECT_EQ(cost(0, Precision::float64).device_bytes, 2 * ((1 + 4 + 1) * volume + half));
    // With 32 maps, of which two are there at a time, these and four vectors are more than half of
    // Q.
    EXPECT_EQ(cost(32, Precision::float64).device_bytes, (4 + 8 + 8 + 2) * volume);
}

TEST(MemoryBudget, SaysHowManyFramesFit) {
    const auto transforms = reference_transforms();
    Scan scan = test::scan_of(test::make_problem(test::cartesian({16, 16, 0})));
    const FrameShape frame(scan.grid, scan.coils(), true);
    SolveOptions options;
    options.regularisers = {{"llr", 0.01}};
    scan.frames.resize(1);
    EXPECT_THROW(require_joint_budget(*transforms, scan, frame, options), UsageError);
    scan.frames.resize(20, scan.frames[0]);
    for (std::size_t f = 10; f < 20; ++f) { // 11 trajectories
        scan.frames[f].trajectory = std::make_shared<Trajectory>(*scan.frames[0].trajectory);
    }
    const auto needed = [&](std::size_t frames) { // on the reference, which is in host memory
        return HostMemory(true).bytes_of(
            cost_of_frames(transforms->device(), frame, Precision::float64, frames,
                           std::min<std::size_t>(frames, 11), options));
    };
    EXPECT_GT(needed(20), needed(19));
    const MemoryBudget room =
        require_joint_budget(*transforms, scan, frame, options, {needed(20), "it"});
    EXPECT_NE(room.words.find("20 frames with 11 trajectories"), std::string::npos) << room.words;
    try {
        require_joint_budget(*transforms, scan, frame, options, {needed(14) + 1, "this test"});
        FAIL() << "no error";
    } catch (const InputError& error) {
        EXPECT_NE(error.fault().found.find("20 of 16 x 16 voxels with 11 trajectories"),
                  std::string::npos)
            << error.what();
        EXPECT_NE(error.fault().expected.find("at most 14"), std::string::npos) << error.what();
    }
}

} // namespace
} // namespace lsrecon
