#include "scan/check.hpp"

#include <functional>
#include <gtest/gtest.h>
#include <limits>

#include "base/error.hpp"
#include "support/case.hpp"

namespace lsrecon {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

/// A scan that is right, with everything in it that can be wrong.
Scan good_scan() {
    test::Case of;
    of.size = {4, 6, 0};
    of.samples = 5;
    of.coils = 2;
    of.phi = true;
    of.weights = true;
    of.coil_maps = true;
    const test::Problem problem = test::make_problem(of);
    Scan scan;
    scan.file = "scan.h5";
    scan.format = "lsrecon-scan";
    scan.grid = problem.grid;
    scan.frames = {problem.frame()};
    scan.coil_maps = problem.coil_maps;
    return scan;
}

void change_trajectory(Scan& scan, const std::function<void(Trajectory&)>& change) {
    auto trajectory = std::make_shared<Trajectory>(*scan.frames[0].trajectory);
    change(*trajectory);
    scan.frames[0].trajectory = trajectory;
}

struct Violation {
    std::string name;
    std::function<void(Scan&)> spoil;
    std::string thing;
    std::string found;
};

Violation of_trajectory(const std::string& name, const std::function<void(Trajectory&)>& spoil,
                        const std::string& thing, const std::string& found) {
    return {name, [spoil](Scan& scan) { change_trajectory(scan, spoil); }, thing, found};
}

const std::vector<Violation>& violations() {
    static const std::vector<Violation> all{
        {"SamplesTooFew", [](Scan& s) { s.frames[0].samples.doubles().conservativeResize(2, 4); },
         "/samples", "4 values"},
        of_trajectory(
            "PhiTooLong", [](Trajectory& a) { a.phi.setOnes(6); }, "/phi", "6 values"),
        of_trajectory(
            "WeightsTooShort", [](Trajectory& a) { a.weights.setOnes(2); }, "/weights", "2 values"),
        {"CoilMapsOfAnotherGrid", [](Scan& s) { s.coil_maps.doubles().setOnes(2, 25); },
         "/coil_maps", "25 values"},
        {"CoilMapsOfOtherCoils", [](Scan& s) { s.coil_maps.doubles().setOnes(3, 24); },
         "/coil_maps", "3 values"},
        {"NoFrame", [](Scan& s) { s.frames.clear(); }, "/samples", "no frame"},
        {"SampleNan",
         [](Scan& s) {
             s.frames[0].samples.doubles()(1, 3) = {0, nan};
         },
         "/samples", "NaN at [1, 3]"},
        {"SampleInfinite", [](Scan& s) { s.frames[0].samples.doubles()(0, 2) = infinity; },
         "/samples", "infinity at [0, 2]"},
        {"SampleWithoutSquare",
         [](Scan& s) {
             s.frames[0].samples.doubles()(0, 2) = {1e200, 1};
         },
         "/samples", "1e+200 at [0, 2]"},
        {"SampleNanInTheSecondFrame",
         [](Scan& s) {
             s.frames.push_back(s.frames[0]);
             s.frames[1].samples.doubles()(1, 0) = nan;
         },
         "/samples", "NaN at [1, 1, 0]"},
        {"SamplesZero", [](Scan& s) { s.frames[0].samples.doubles().setZero(); }, "/samples",
         "every sample is 0"},
        {"MapNan", [](Scan& s) { s.coil_maps.doubles()(0, 7) = nan; }, "/coil_maps",
         "NaN at [0, 1, 3]"},
        {"MapsZero", [](Scan& s) { s.coil_maps.doubles().setZero(); }, "/coil_maps",
         "every value is 0"},
        {"VoxelNan",
         [](Scan& s) {
             s.coil_maps = {};
             s.voxels = std::vector<Vec3>{{0, 0, 0}, {0, nan, 0}};
         },
         "/voxels", "NaN at [1, 1]"},
        {"VoxelInMillimetres",
         [](Scan& s) {
             s.coil_maps = {};
             s.voxels = std::vector<Vec3>{{0, 0, 0}, {-115, 0, 0}};
         },
         "/voxels", "-115 at [1, 0]"},
        of_trajectory(
            "NoTrajectory", [](Trajectory& s) { s.positions.clear(); }, "/trajectory", "no point"),
        of_trajectory(
            "TrajectoryNan", [](Trajectory& s) { s.positions[4][1] = nan; }, "/trajectory",
            "NaN at [4, 1]"),
        of_trajectory(
            "BeyondTheMatrix",
            [](Trajectory& s) {
                s.positions[2] = {0, 3.16, 0};
            },
            "/trajectory", "3.16 cycles/fov at [2, 1]"),
        of_trajectory(
            "PhiInfinite",
            [](Trajectory& s) {
                s.phi(1) = {0, infinity};
            },
            "/phi", "infinity at [1]"),
        of_trajectory(
            "PhiZero", [](Trajectory& s) { s.phi.setZero(), s.weights.resize(0); }, "/phi",
            "every value is 0"),
        of_trajectory(
            "WeightNan", [](Trajectory& s) { s.weights(3) = nan; }, "/weights", "NaN at [3]"),
        of_trajectory(
            "WeightNegative", [](Trajectory& s) { s.weights(3) = -0.5; }, "/weights",
            "-0.5 at [3]"),
        of_trajectory(
            "WeightsZero", [](Trajectory& s) { s.weights.setZero(); }, "/weights",
            "every value is 0"),
    };
    return all;
}

TEST(Check, AGoodScanPasses) {
    EXPECT_NO_THROW(check(good_scan()));
}

TEST(Check, FivePerCentOfOvershootPass) {
    Scan scan = good_scan();
    change_trajectory(scan, [](Trajectory& s) { s.positions[0] = {-2.1, 3.15, 0}; });
    EXPECT_NO_THROW(check(scan));
}

TEST(Check, EveryViolationNamesFileThingAndValue) {
    for (const Violation& violation : violations()) {
        Scan scan = good_scan();
        violation.spoil(scan);
        try {
            check(scan);
            ADD_FAILURE() << violation.name << ": no error";
        } catch (const InputError& error) {
            const Fault& fault = error.fault();
            EXPECT_EQ(error.code(), ExitCode::input);
            EXPECT_EQ(fault.file, "scan.h5") << violation.name;
            EXPECT_EQ(fault.thing, violation.thing) << violation.name;
            EXPECT_NE(fault.found.find(violation.found), std::string::npos)
                << violation.name << " found: " << fault.found;
            EXPECT_FALSE(fault.expected.empty()) << violation.name;
            EXPECT_FALSE(fault.next_step.empty()) << violation.name;
        }
    }
}

TEST(Check, AFrameWithATrajectoryOfItsOwnCanBeLeftOut) {
    Scan scan = good_scan();
    scan.frames.push_back(scan.frames[0]);
    change_trajectory(scan, [](Trajectory& s) { s.positions[2] = {0, nan, 0}; });
    try {
        check(scan);
        FAIL() << "no error";
    } catch (const InputError& error) {
        EXPECT_NE(error.fault().found.find("[0, 2, 1]"), std::string::npos);
        EXPECT_NE(error.fault().next_step.find("`frames`"), std::string::npos);
    }
}

TEST(Check, ATrajectoryOfSomeFramesThatIsNoNumberIsWrongForThemAlone) {
    Scan scan = good_scan();
    EXPECT_TRUE(bad_trajectories(scan).empty());
    const Frame good = scan.frames[0];
    change_trajectory(scan, [](Trajectory& s) { s.positions[2] = {0, nan, 0}; });
    scan.frames.push_back(good);
    scan.frames.push_back(scan.frames[0]);
    const auto bad = bad_trajectories(scan);
    ASSERT_EQ(bad.size(), 2U);
    for (const std::size_t f : {0U, 2U}) {
        EXPECT_NE(bad.at(f).fault().found.find(text("[", f, ", 2, 1]")), std::string::npos);
    }
    scan.frames.erase(scan.frames.begin() + 1);
    EXPECT_TRUE(bad_trajectories(scan).empty()) << "all frames share it";
}

TEST(Check, ATrajectoryBeyondTheMatrixIsTheScans) {
    Scan scan = good_scan();
    scan.frames.push_back(scan.frames[0]);
    change_trajectory(scan, [](Trajectory& s) { s.positions[2] = {0, 3.16, 0}; });
    EXPECT_TRUE(bad_trajectories(scan).empty());
    EXPECT_THROW(check(scan), InputError);
}

TEST(Check, ThingsAreNamedAsTheFormatDoes) {
    Scan scan = good_scan();
    scan.format = "ismrmrd";
    scan.coil_maps.doubles().setZero();
    try {
        check(scan);
        FAIL() << "no error";
    } catch (const InputError& error) {
        EXPECT_EQ(error.fault().thing, "coil_maps");
    }
}

TEST(Check, ATrajectoryWithoutSamplesIsEnoughForQAlone) {
    Scan scan = good_scan();
    scan.frames[0].samples = {};
    scan.coil_maps = {};
    EXPECT_NO_THROW(check(scan));
    EXPECT_THROW(require_samples(scan), InputError);
    EXPECT_NO_THROW(require_samples(good_scan()));
}

TEST(Room, OfAMatrixBeyondMemory) {
    EXPECT_NO_THROW(require_room({"scan.h5", "matrix", test::make_grid(8, 8), 4, 0}));
    try {
        require_room({"scan.h5", "matrix", test::make_grid(1 << 19, 1 << 19), 1, 0});
        FAIL() << "no error";
    } catch (const InputError& error) {
        EXPECT_EQ(error.fault().thing, "matrix");
        EXPECT_NE(error.fault().found.find("524288 x 524288, which needs 57174"), std::string::npos)
            << error.what();
    }
}

} // namespace
} // namespace lsrecon
