#include "scan/check.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"

namespace lsrecon {
namespace {

Scan scan_of(std::size_t frames) {
    Scan scan;
    auto trajectory = std::make_shared<Trajectory>();
    trajectory->positions.resize(4);
    for (std::size_t f = 0; f < frames; ++f) {
        scan.frames.push_back({trajectory, CoilMatrix::Ones(3, 4), "", std::nullopt});
    }
    return scan;
}

Findings silent_in(const Scan& scan) {
    SampleCheck check(scan);
    for (const Frame& frame : scan.frames) {
        check.add(frame.samples);
    }
    Findings silent;
    for (const Finding& finding : check.end()) {
        if (finding.code == Found::coil_silent || finding.code == Found::coils_silent) {
            silent.push_back(finding);
        }
    }
    return silent;
}

void expect_silent(const Finding& finding, std::size_t coil, std::size_t silent, std::size_t frames,
                   std::size_t first) {
    EXPECT_EQ(finding.code, Found::coil_silent);
    EXPECT_EQ(finding.number("coil"), coil);
    EXPECT_EQ(finding.number("silent"), silent);
    EXPECT_EQ(finding.number("frames"), frames);
    EXPECT_EQ(finding.number("first"), first);
}

TEST(SampleCheck, ASoundScanHasNone) {
    Scan scan = scan_of(2);
    scan.frames[0].samples.doubles().leftCols(3).setZero(); // one sample is enough
    EXPECT_TRUE(silent_in(scan).empty());
}

TEST(SampleCheck, ManySamplesThatAreZeroAreReportedUnlessTheyHaveNoWeight) {
    Scan scan = scan_of(1);
    auto trajectory = std::make_shared<Trajectory>();
    trajectory->positions.resize(4);
    scan.frames[0].trajectory = trajectory;
    scan.frames[0].samples.doubles().col(1).setZero();
    const auto found = [&] {
        SampleCheck check(scan);
        check.add(scan.frames[0].samples);
        return check.end();
    };
    ASSERT_EQ(found().size(), 1U);
    EXPECT_EQ(found()[0].code, Found::samples_zero);
    EXPECT_EQ(found()[0].number("share"), 0.25);
    trajectory->weights = RealVector::Ones(4);
    trajectory->weights(1) = 0;
    EXPECT_TRUE(found().empty());
}

TEST(SampleCheck, AreNamedWithTheirFrames) {
    Scan one = scan_of(1);
    one.frames[0].samples.doubles().row(1).setZero();
    ASSERT_EQ(silent_in(one).size(), 1U);
    expect_silent(silent_in(one)[0], 1, 1, 1, 0);
    Scan many = scan_of(3);
    many.frames[1].samples.doubles().row(0).setZero();
    for (Frame& frame : many.frames) {
        frame.samples.doubles().row(2).setZero();
    }
    ASSERT_EQ(silent_in(many).size(), 2U);
    expect_silent(silent_in(many)[0], 0, 1, 3, 1);
    expect_silent(silent_in(many)[1], 2, 3, 3, 0);
}

TEST(SampleCheck, AFrameOfSilentCoilsIsReportedOnce) {
    Scan scan = scan_of(4);
    scan.frames[1].samples.doubles().setZero();
    scan.frames[2].samples.doubles().setZero();
    ASSERT_EQ(silent_in(scan).size(), 1U);
    const Finding silent = silent_in(scan)[0];
    EXPECT_EQ(silent.code, Found::coils_silent);
    EXPECT_EQ(silent.number("silent"), 2);
    EXPECT_EQ(silent.number("frames"), 4);
    EXPECT_EQ(silent.number("first"), 1);
}

TEST(SampleCheck, ZerosWhereSamplesCountMakeNoImage) {
    const Eigen::Index signal = 2; // in all coils, at this sample alone
    for (const bool by_phi : {false, true}) {
        auto trajectory = std::make_shared<Trajectory>();
        trajectory->positions.resize(4);
        trajectory->weights = RealVector::Ones(4);
        trajectory->phi = ComplexVector::Ones(4);
        by_phi ? void(trajectory->phi(signal) = 0) : void(trajectory->weights(signal) = 0);
        Scan scan = scan_of(2);
        SampleCheck check(scan);
        for (Frame& frame : scan.frames) {
            frame.trajectory = trajectory;
            frame.samples.doubles().setZero();
            frame.samples.doubles().col(signal).setOnes();
            check.add(frame.samples);
        }
        EXPECT_EQ(check.empty(), (std::vector<std::size_t>{0, 1}));
        EXPECT_THROW(check.end(), InputError);
    }
}

} // namespace
} // namespace lsrecon
