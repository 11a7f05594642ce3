// What a scan is computed by follows from the scan: not from the cores that a process has, and not
// from how fast a machine was measured to be.

#include <gtest/gtest.h>

#include "device/host_device.hpp"
#include "engines/piecewise.hpp"
#include "plan/plan.hpp"
#include "support/case.hpp"
#include "support/job_ranks.hpp"
#include "support/machines.hpp"
#include "support/surroundings.hpp"

namespace lsrecon {
namespace {

using test::described_machine;

Machine measured(Machine machine, double exact, double spreading, double fine, double product) {
    machine.model.exact = machine.model.phases = exact;
    machine.model.spreading = spreading;
    machine.model.fine = fine;
    machine.model.convolution = product;
    machine.model.product *= product;
    return machine;
}

/// Of scans that lie about where one engine, kernel or route becomes faster than another.
struct Choices {
    std::vector<std::string> engines;
    std::vector<double> errors; ///< those of the NUFFT's grids
    std::vector<bool> through_q;
    std::vector<double> seconds; ///< that are predicted

    bool operator==(const Choices& other) const {
        return engines == other.engines && errors == other.errors && through_q == other.through_q;
    }
};

Choices choices(Transforms& transforms) {
    Choices found;
    for (const std::array<std::size_t, 3>& size :
         {std::array<std::size_t, 3>{16, 16, 16}, {48, 40, 0}, {256, 256, 0}}) {
        const Grid grid = test::make_problem({"grid", size, 1}).grid;
        const Formulation formulation{grid, Voxels::of_grid(grid), true, true};
        for (const std::size_t samples : {2000, 20000, 60000, 150000, 300000, 600000, 1200000}) {
            const std::vector<Vec3> positions(samples, Vec3{1, 2, 3});
            found.engines.push_back(transforms.engine_for(positions, formulation.voxels).name);
            const Cost f = transforms.predict("f", positions, formulation.voxels);
            found.errors.push_back(f.error);
            found.seconds.push_back(f.seconds);
            for (const int products : {1, 4, 30}) {
                SolveOptions settings;
                settings.iterations = products;
                found.through_q.push_back(
                    route_of(transforms, positions, formulation, settings, 1, 1) == Route::q);
            }
        }
    }
    return found;
}

std::unique_ptr<Transforms> transforms_of(const Machine& machine, JobRanks* ranks = nullptr) {
    ComputeOptions options;
    options.accuracy_is_of_image = true;
    options.accuracy = 1e-4;
    options.ranks = ranks;
    return open_transforms(options, engines(), make_described_device(machine));
}

class Model : public testing::Test {
protected:
    void SetUp() override {
        if (!device_kinds().front().built) {
            GTEST_SKIP() << "no engine for a described device is built in";
        }
    }
};

TEST_F(Model, ACpuChoosesTheSameWithAnyCoresAndAnyMeasurement) {
    const Machine usual = described_machine("cpu", 2, 2600, 2);
    const Choices expected = choices(*transforms_of(usual));
    for (const char* const engine : {"nufft", "separable"}) {
        EXPECT_GT(std::count(expected.engines.begin(), expected.engines.end(), engine), 2)
            << engine;
    }
    EXPECT_GT(std::count(expected.through_q.begin(), expected.through_q.end(), true), 2);
    EXPECT_GT(std::count(expected.through_q.begin(), expected.through_q.end(), false), 2);
    for (const Machine& other :
         {described_machine("cpu", 2, 2600, 1), described_machine("cpu", 1, 2600, 1),
          described_machine("cpu", 128, 3900, 64), measured(usual, 10, 0.1, 1, 1),
          measured(usual, 0.1, 10, 1, 1), measured(usual, 1, 0.1, 10, 1),
          measured(usual, 1, 1, 1, 100), measured(usual, 1, 1, 1, 0.01)}) {
        const Choices found = choices(*transforms_of(other));
        EXPECT_TRUE(found == expected) << other.model.cores << " cores at " << other.model.exact;
    }
    EXPECT_NE(choices(*transforms_of(measured(usual, 10, 10, 10, 1))).seconds, expected.seconds)
        << "what is predicted depends on the model of the machine";
}

TEST_F(Model, AGpuChoosesTheSameAfterAnyMeasurement) {
    const Machine usual = described_machine("gpu", 10, 1000, 16);
    const Choices expected = choices(*transforms_of(usual));
    for (const Machine& other :
         {described_machine("gpu", 10, 1000, 1), measured(usual, 100, 0.01, 1, 1),
          measured(usual, 0.01, 100, 1, 1), measured(usual, 1, 0.1, 10, 100)}) {
        EXPECT_TRUE(choices(*transforms_of(other)) == expected);
    }
    EXPECT_FALSE(choices(*transforms_of(described_machine("gpu", 1000, 2000, 16))) == expected)
        << "another device may choose otherwise";
}

TEST_F(Model, WhatWasTunedFasterIsNotChosenForIt) {
    const test::TemporaryFolder cache;
    const test::ScopedEnvironment variable("LSRECON_CACHE", cache.path().string());
    const Machine usual = described_machine("cpu", 2, 2600, 2);
    const Choices expected = choices(*transforms_of(usual));
    for (const std::string stage : {"fhd", "q", "f"}) {
        const Parameters shipped = shipped_parameters(usual.device, "separable", stage).values;
        store_winner(usual.device, "separable", stage, {shipped, 1e18, "in no time"});
    }
    const Choices found = choices(*transforms_of(usual));
    EXPECT_TRUE(found == expected);
    EXPECT_NE(found.seconds, expected.seconds);
}

TEST_F(Model, RanksChooseAsTheFirst) {
    test::FirstOfTwo first;
    test::SecondOfTwo second(first);
    const Machine whole = described_machine("gpu", 1000, 2000, 16);
    const Machine part = measured(described_machine("gpu", 10, 1000, 1), 100, 1, 1, 1);
    const auto of_first = transforms_of(whole, &first);
    const auto of_second = transforms_of(part, &second);
    EXPECT_FALSE(choices(*transforms_of(part)) == choices(*of_first)) << "the test tests nothing";
    EXPECT_TRUE(choices(*of_second) == choices(*of_first));
}

// A rank that returns before the broadcast leaves the others waiting in it.
TEST_F(Model, RanksMeetWhereTheySayWhetherToShare) {
    const Grid small = test::make_problem({"grid", {1, 1, 0}, 1}).grid;
    const Grid large = test::make_problem({"grid", {64, 64, 64}, 1}).grid;
    for (const Grid& grid : {small, large}) {
        for (const std::size_t samples : {10, 100000}) {
            test::FirstOfTwo first;
            test::SecondOfTwo second(first);
            Machine machine = described_machine("cpu", 2, 2600, 2);
            const auto of_first = transforms_of(measured(machine, 100, 1, 1, 1), &first);
            machine.device.global_bytes = machine.device.max_allocation_bytes = 100000;
            const auto of_second = transforms_of(measured(machine, 0, 1, 1, 1), &second);
            const std::vector<Vec3> positions(samples, Vec3{1, 2, 3});
            const auto share = [&](Transforms& transforms) {
                return PiecewiseTransform(transforms, positions, Voxels::of_grid(grid))
                    .share_of_rank("fhd", 1);
            };
            const bool shared = share(*of_first).has_value();
            EXPECT_EQ(share(*of_second).has_value(), shared) << samples;
            EXPECT_TRUE(first.said.empty()) << "the first waits for ever";
        }
    }
}

} // namespace
} // namespace lsrecon
