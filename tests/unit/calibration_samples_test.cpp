#include "scan/slice.hpp"

#include <gtest/gtest.h>

#include "support/findings.hpp"
#include "support/message.hpp"

namespace lsrecon {
namespace {

Frame frame(const std::string& label, std::optional<Vec3> position = {}) {
    return {nullptr, {}, label, position};
}

TEST(CalibrationSamples, AreThoseOfTheSliceThatServe) {
    Scan scan;
    scan.calibrations = {frame("slice 0, set 0"), frame("slice 1, set 0"), frame("slice 1, set 1")};
    const auto of = [&](const Frame& one) { return calibration_samples_of(scan, one); };
    EXPECT_EQ(of(frame("slice 0, set 1")), &scan.calibrations[0]);
    EXPECT_EQ(of(frame("slice 1, set 1")), &scan.calibrations[2]) << "its own counters first";
    EXPECT_EQ(of(frame("slice 1, set 2")), &scan.calibrations[1]);
    EXPECT_EQ(of(frame("slice 2, set 0")), nullptr);
    EXPECT_EQ(why_no_calibration(scan, frame("slice 2, set 0")), "") << "there is none";
}

TEST(CalibrationSamples, AreTheNearestWithinReach) {
    Scan scan;
    scan.calibrations = {frame("repetition 0", Vec3{0, 0, 0}), frame("repetition 1", Vec3{6, 0, 0}),
                         frame("repetition 2")};
    const auto at = [](double x) { return frame("repetition 7", Vec3{x, 0, 0}); };
    const auto of = [&](double x) { return calibration_samples_of(scan, at(x)); };
    EXPECT_EQ(of(30), &scan.calibrations[2]) << "whose pose is not known";
    scan.calibrations.pop_back();
    EXPECT_EQ(of(-4.5), &scan.calibrations[0]);
    EXPECT_EQ(of(2.9), &scan.calibrations[0]);
    EXPECT_EQ(of(3.1), &scan.calibrations[1]);
    EXPECT_EQ(of(-5.5), nullptr);
    EXPECT_EQ(why_no_calibration(scan, at(-5.5)), "lie elsewhere: 5.5 mm away");
    EXPECT_EQ(why_no_calibration(scan, at(1)), "");
    scan.calibrations.clear();
    scan.calibrations_unused = {{"repetition 0", "lie elsewhere: turned by 20 degrees"}};
    EXPECT_EQ(why_no_calibration(scan, at(1)), "lie elsewhere: turned by 20 degrees");
    EXPECT_EQ(why_no_calibration(scan, frame("slice 3")), "");
}

TEST(CalibrationSamples, WithoutACoilOfTheImageServeNoFrame) {
    CoilMatrix sound = CoilMatrix::Ones(3, 4);
    CoilMatrix dead = sound;
    dead.row(1).setZero();
    EXPECT_EQ(silent_in_these_alone(dead, sound), 1u);
    EXPECT_EQ(silent_in_these_alone(dead, dead), std::nullopt) << "a dead coil";
    EXPECT_EQ(silent_in_these_alone(sound, dead), std::nullopt);
    EXPECT_EQ(silent_in_these_alone(CoilMatrix::Zero(3, 4), sound), std::nullopt)
        << "is an error of its own";
    Scan scan;
    scan.calibrations = {frame("slice 0"), frame("slice 1")};
    leave_out_calibration(scan, &scan.calibrations[1], 1);
    ASSERT_EQ(scan.calibrations.size(), 1u);
    EXPECT_EQ(scan.calibrations[0].label, "slice 0");
    EXPECT_EQ(test::lacks(why_no_calibration(scan, frame("slice 1")), {"zeros", "coil 1"}), "");
    EXPECT_EQ(test::find(scan.findings, Found::calibration_silent).word("lines"),
              "Calibration lines of slice 1");
}

} // namespace
} // namespace lsrecon
