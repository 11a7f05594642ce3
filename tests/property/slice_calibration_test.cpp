#include "model/slice_calibration.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/numbers.hpp"
#include "engines/transforms.hpp"
#include "io/native/scan.hpp"
#include "io/scan_file.hpp"
#include "model/prepared_scan.hpp"
#include "scan/scan.hpp"
#include "support/case.hpp"
#include "support/findings.hpp"
#include "support/simulated.hpp"
#include "support/surroundings.hpp"

namespace lsrecon {
namespace {

/// Spokes at golden angles that go on from frame to frame.
Simulation spokes(std::size_t a_frame, std::size_t frames) {
    SimulationOptions options = options_of("golden-angle", test::make_grid(36, 36));
    options.trajectory.readouts = a_frame;
    options.frames = frames;
    options.coils = 4;
    options.noise = 0.01;
    return simulated(options);
}

/// Smallest |<estimated, true>| where there is an object.
double agreement(const CoilRows& maps, const Simulation& simulation) {
    const CoilMatrix truth = simulation.scan.coil_maps.to_doubles();
    const CoilMatrix found = maps.to_doubles();
    double smallest = 1;
    for (Eigen::Index n = 0; n < truth.cols(); ++n) {
        if (std::abs(simulation.truth(n)) > 0.1 * simulation.truth.cwiseAbs().maxCoeff()) {
            smallest = std::min(smallest, std::abs(found.col(n).dot(truth.col(n))));
        }
    }
    return smallest;
}

class SliceCalibration : public testing::Test {
protected:
    test::TemporaryFolder folder;
    Reporter report;
    std::unique_ptr<Transforms> transforms = reference_transforms();

    /// Prepares a scan whose file has no maps.
    Scan prepared(Scan scan, const std::string& maps = "espirit") {
        scan.coil_maps = {};
        write_native_scan(folder.file("scan.h5"), scan);
        ReadOptions read;
        read.bad_frames = true;
        ScanFile source(folder.file("scan.h5"), read);
        PrepareOptions options;
        options.maps = maps_source(maps);
        PreparedScan result(source, options, *transforms, report);
        Scan with_maps = result.scan();
        with_maps.coil_maps = *result.maps_of_all()->values;
        return with_maps;
    }
    /// Coil maps after all steps of the table, and after one before them.
    CoilRows maps_after(const std::function<void(ScanInPreparation&)>& first, Scan scan) {
        scan.coil_maps = {};
        FramesInMemory source(std::move(scan));
        ScanInPreparation preparation(source, {}, *transforms, report);
        first(preparation);
        for (const Step& step : steps()) {
            if (step.applies(preparation)) {
                step.apply(preparation);
            }
        }
        return *preparation.maps->of_all()->values;
    }
    static std::string facts(const Scan& scan) { return separated_by("\n", scan.facts); }
};

TEST_F(SliceCalibration, OfSparseFramesIsFromAllOfThem) {
    const Simulation simulation = spokes(5, 15);
    const Scan scan = prepared(simulation.scan);
    EXPECT_GT(agreement(scan.coil_maps, simulation), 0.97);
    EXPECT_NE(facts(scan).find("from 15 frames together"), std::string::npos) << facts(scan);
    EXPECT_TRUE(prepared(simulation.scan).coil_maps == scan.coil_maps) << "of another run";
}

TEST_F(SliceCalibration, LeavesOutFramesThatAreBadOrSilent) {
    const Simulation simulation = spokes(5, 15);
    Scan scan = simulation.scan;
    scan.frames[0].samples.doubles()(1, 3) = std::nan("");
    scan.frames[7].samples.doubles().setZero();
    scan = prepared(scan);
    EXPECT_GT(agreement(scan.coil_maps, simulation), 0.97);
    EXPECT_NE(facts(scan).find("from 13 frames together"), std::string::npos) << facts(scan);
}

TEST_F(SliceCalibration, OfFramesThatFillTheCentreIsOneByOne) {
    const Simulation simulation = spokes(80, 3);
    const Scan scan = prepared(simulation.scan);
    EXPECT_GT(agreement(scan.coil_maps, simulation), 0.97);
    EXPECT_EQ(facts(scan).find("together"), std::string::npos) << facts(scan);
}

TEST_F(SliceCalibration, TakesNoFramesTogetherThatAreNotOfOneImage) {
    const auto alternating = [](Simulation simulation) {
        for (std::size_t f = 1; f < simulation.scan.frames.size(); f += 2) {
            simulation.scan.frames[f].samples.doubles() *= -1;
        }
        return simulation;
    };
    const Simulation alone = alternating(spokes(21, 6));
    const Scan scan = prepared(alone.scan);
    EXPECT_GT(agreement(scan.coil_maps, alone), 0.9);
    EXPECT_EQ(facts(scan).find("together"), std::string::npos) << facts(scan);
    try {
        prepared(alternating(spokes(5, 16)).scan);
        FAIL() << "maps of frames that cancel each other";
    } catch (const InputError& error) {
        EXPECT_NE(std::string(error.what()).find("not that of one image"), std::string::npos)
            << error.what();
    }
}

/// The scan with all trajectories times a factor.
void scale_trajectories(Scan& scan, double factor) {
    for (Frame& frame : scan.frames) {
        auto scaled = std::make_shared<Trajectory>(*frame.trajectory);
        for (Vec3& k : scaled->positions) {
            for (double& along : k) {
                along *= factor;
            }
        }
        frame.trajectory = std::move(scaled);
    }
}

TEST_F(SliceCalibration, IsByTheTrajectoryThatAStepHasMade) {
    const auto nothing = [](ScanInPreparation&) {};
    const auto scale_by_step = [](ScanInPreparation& preparation) {
        scale_trajectories(preparation.scan, 1.0 / 0.9);
        preparation.slices = slices_of(preparation.scan);
    };
    Scan wrong = spokes(80, 3).scan;
    scale_trajectories(wrong, 0.9);
    Scan right = wrong;
    scale_trajectories(right, 1.0 / 0.9);
    const CoilRows expected = maps_after(nothing, right);
    EXPECT_TRUE(maps_after(scale_by_step, wrong) == expected);
    EXPECT_FALSE(maps_after(nothing, wrong) == expected) << "whose maps are others";
}

TEST_F(SliceCalibration, OfTheSameFewSpokesInEveryFrameSaysWhatHelps) {
    Scan scan = spokes(5, 4).scan;
    for (Frame& frame : scan.frames) {
        frame = scan.frames.front();
    }
    try {
        prepared(scan);
        FAIL() << "maps of 5 spokes";
    } catch (const InputError& error) {
        const std::string message = error.what();
        EXPECT_NE(message.find("by all 4 frames together"), std::string::npos) << message;
        EXPECT_NE(message.find("'lsrecon maps'"), std::string::npos) << message;
    }
    EXPECT_TRUE(test::has(prepared(scan, "").findings, Found::no_maps));
}

} // namespace
} // namespace lsrecon
