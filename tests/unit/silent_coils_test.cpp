#include "scan/silent_coils.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "scan/check_samples.hpp"

namespace lsrecon {
namespace {

using Remarks = std::vector<std::string>;

Scan scan_of(std::size_t frames) {
    Scan scan;
    for (std::size_t f = 0; f < frames; ++f) {
        scan.frames.push_back({nullptr, CoilMatrix::Ones(3, 4), "", std::nullopt});
    }
    return scan;
}

Remarks remarks_on_silent_coils(const Scan& scan) {
    SilentCoils silent;
    for (const Frame& frame : scan.frames) {
        silent.add(frame.samples);
    }
    return silent.remarks();
}

TEST(SilentCoils, ASoundScanHasNone) {
    Scan scan = scan_of(2);
    scan.frames[0].samples.doubles().leftCols(3).setZero(); // one sample is enough
    EXPECT_EQ(remarks_on_silent_coils(scan), Remarks{});
    EXPECT_EQ(remarks_on_silent_coils(Scan()), Remarks{});
}

TEST(SilentCoils, ManySamplesThatAreZeroAreToldUnlessTheyHaveNoWeight) {
    Scan scan = scan_of(1);
    auto sampling = std::make_shared<Sampling>();
    sampling->trajectory.resize(4);
    scan.frames[0].sampling = sampling;
    scan.frames[0].samples.doubles().col(1).setZero();
    const auto remarks = [&] {
        SampleCheck check(scan);
        check.add(scan.frames[0].samples);
        return check.end();
    };
    EXPECT_EQ(remarks(), Remarks{"25 % of the samples are 0 in every coil, and count as measured "
                                 "zeros. Leave them out of the scan, or give them weight 0."});
    sampling->weights = RealVector::Ones(4);
    sampling->weights(1) = 0;
    EXPECT_EQ(remarks(), Remarks{});
}

TEST(SilentCoils, AreNamedWithTheirFrames) {
    Scan one = scan_of(1);
    one.frames[0].samples.doubles().row(1).setZero();
    EXPECT_EQ(remarks_on_silent_coils(one),
              Remarks{"all samples of coil 1 are 0: check how the scan was written"});
    Scan many = scan_of(3);
    many.frames[1].samples.doubles().row(0).setZero();
    for (Frame& frame : many.frames) {
        frame.samples.doubles().row(2).setZero();
    }
    EXPECT_EQ(
        remarks_on_silent_coils(many),
        (Remarks{"all samples of coil 0 are 0 in frame 1: check how the scan was written",
                 "all samples of coil 2 are 0 in all frames: check how the scan was written"}));
}

TEST(SilentCoils, AFrameOfSilentCoilsIsReportedOnce) {
    Scan scan = scan_of(4);
    scan.frames[1].samples.doubles().setZero();
    scan.frames[2].samples.doubles().setZero();
    EXPECT_EQ(remarks_on_silent_coils(scan),
              Remarks{"all samples of all coils are 0 in 2 of 4 frames, the first is frame 1: "
                      "check how the scan was written"});
}

TEST(SilentCoils, ZerosWhereSamplesCountMakeNoImage) {
    const Eigen::Index signal = 2; // in all coils, at this sample alone
    for (const bool by_phi : {false, true}) {
        auto sampling = std::make_shared<Sampling>();
        sampling->trajectory.resize(4);
        sampling->weights = RealVector::Ones(4);
        sampling->phi = ComplexVector::Ones(4);
        by_phi ? void(sampling->phi(signal) = 0) : void(sampling->weights(signal) = 0);
        Scan scan = scan_of(2);
        SampleCheck check(scan);
        for (Frame& frame : scan.frames) {
            frame.sampling = sampling;
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
