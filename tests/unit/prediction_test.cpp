#include "plan/plan.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "device/host_device.hpp"
#include "engines/transforms.hpp"
#include "support/case.hpp"
#include "support/message.hpp"
#include "support/transforms.hpp"

namespace lsrecon {
namespace {

Machine described_gpu() {
    Machine machine;
    machine.device.name = "a GPU";
    machine.device.type = "gpu";
    machine.device.double_precision = true;
    machine.device.compute_units = 100;
    machine.device.clock_mhz = 2000;
    machine.device.global_bytes = std::size_t(1) << 36;
    machine.device.max_allocation_bytes = std::size_t(1) << 34;
    machine.model = nominal_model(true, 16);
    machine.model.start = 7;
    machine.model.byte = 1e-6;
    machine.model.exact_sum = 1e-5; // so that sums last longer than the transform beside them
    return machine;
}

class PredictionOf : public testing::Test {
protected:
    std::unique_ptr<Transforms> transforms;
    Scan scan = test::scan_of(test::make_problem(test::cartesian({16, 16, 0})));
    ReconstructOptions options;

    void SetUp() override {
        if (!device_kinds().front().built) {
            GTEST_SKIP() << "no engine for a described device is built in";
        }
        transforms =
            open_transforms(ComputeOptions(), engines(), make_described_device(described_gpu()));
        options.effort.iterations = 10;
    }
    Plan prediction(double file_bytes = 0) {
        return plan_of(*transforms, options, scan, scan.grid, nullptr, file_bytes);
    }
    double seconds(const std::string& name) { return prediction(1e6).seconds_of(name); }
};

TEST_F(PredictionOf, AScanHasItsStages) {
    EXPECT_EQ(seconds("start"), 7);
    EXPECT_NEAR(seconds("read"), described_gpu().model.making + 1, 1e-9);
    for (const char* const stage : {"fhd", "q", "solve", "write"}) {
        EXPECT_GT(seconds(stage), 0) << stage;
    }
    EXPECT_EQ(seconds("maps"), 0); // one coil
    double sum = 0;
    const Plan all = prediction();
    for (const auto& [stage, of_stage] : all.stages) {
        sum += of_stage;
    }
    EXPECT_EQ(all.seconds(), sum);
    EXPECT_EQ(all.iterations, 10);
    EXPECT_GT(all.device_bytes, 0);
    EXPECT_GT(all.host_bytes, 0);
}

TEST_F(PredictionOf, FramesOfOneTrajectoryShareItsQ) {
    options.certify = 1e-3; // sums of F^H d of each frame, as many of Q
    const double of_one[] = {seconds("fhd"), seconds("q"), seconds("solve"), seconds("certify")};
    scan.frames.resize(3, scan.frames.front());
    EXPECT_GT(of_one[3], 0);
    EXPECT_NEAR(seconds("certify") + 3 * of_one[0], 2 * (of_one[3] + of_one[0]), 1e-9);
    EXPECT_NEAR(seconds("fhd"), 3 * of_one[0], 1e-9);
    EXPECT_NEAR(seconds("q"), of_one[1], 1e-12);
    EXPECT_NEAR(seconds("solve"), 3 * of_one[2], 1e-9);
    scan.frames[1].trajectory = std::make_shared<Trajectory>(*scan.frames[0].trajectory);
    EXPECT_NEAR(seconds("q"), 2 * of_one[1], 1e-12);
}

TEST_F(PredictionOf, CoilsWithoutMapsAreOneProblemEach) {
    const double of_one = seconds("solve");
    scan.frames.front().samples = CoilRows(4, 0, Precision::float32);
    options.prepare.maps = maps_source("none");
    EXPECT_NEAR(seconds("solve"), 4 * of_one, 1e-9);
    options.prepare.maps = maps_source("");
    EXPECT_GT(seconds("calibrate"), 0);
    EXPECT_GT(seconds("maps"), 0);
}

TEST_F(PredictionOf, WhatIsChosenTakesAStage) {
    EXPECT_EQ(seconds("lambda"), 0);
    EXPECT_EQ(seconds("weight"), 0);
    options.lambda_rule = {"discrepancy"};
    EXPECT_GT(seconds("lambda"), 0);
    options.lambda_rule = {held_out};
    EXPECT_EQ(seconds("lambda"), 0);
    const double of_lambda = seconds("weight");
    EXPECT_GT(of_lambda, 0);
    options.lambda_rule.reset();
    options.effort = {};
    options.solve.lambda = 0;
    EXPECT_GT(seconds("weight"), of_lambda) << "regularisers are tried, too";
}

TEST_F(PredictionOf, TheSolveTakesTheIterationsOfItsLambda) {
    options.effort.iterations.reset();
    options.solve.lambda = 0.01;
    const double of_large = seconds("solve");
    EXPECT_EQ(test::lacks(prediction().assumed, {"80 iterations", "lambda 0.01"}), "");
    options.solve.lambda = 1e-3;
    EXPECT_GT(seconds("solve") / of_large, 2);
    options.effort.iterations = 80;
    EXPECT_NEAR(seconds("solve"), of_large, 1e-9);
    options.effort.iterations.reset();
    options.solve.regularisers = {{"tv", 0.01}};
    EXPECT_EQ(prediction().assumed, "") << "passes that the options set";
}

TEST_F(PredictionOf, WhatIsReconstructedIsPredicted) {
    auto trajectory = std::make_shared<Trajectory>();
    for (const Vec3& k : scan.frames.front().trajectory->positions) {
        if (static_cast<long>(k[1]) % 2 == 0) { // every other line
            trajectory->positions.push_back(k);
        }
    }
    Frame centre{scan.frames.front().trajectory, CoilRows(4, 256, Precision::float32), "", {}};
    scan.frames = {{trajectory, CoilRows(4, 0, Precision::float32), "", {}}};
    EXPECT_EQ(seconds("maps"), 0) << "none can be estimated, and nobody asks for them";
    const double of_coils = seconds("solve");
    options.prepare.maps = maps_source("espirit");
    EXPECT_THROW(prediction(), InputError);
    options.prepare.maps = maps_source("");
    scan.calibrations = {centre};
    EXPECT_GT(seconds("maps"), 0) << "from calibration lines";
    EXPECT_LT(seconds("solve"), of_coils) << "coils share one problem";
}

} // namespace
} // namespace lsrecon
