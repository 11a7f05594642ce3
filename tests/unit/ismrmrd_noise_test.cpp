#ifdef LSRECON_WITH_ISMRMRD

#include <cmath>
#include <gtest/gtest.h>

#include "base/tolerance.hpp"
#include "ismrmrd_maker.hpp"

// Acquisitions of noise alone, and those for coil maps.

namespace lsrecon::ismrmrd_test {
namespace {

Acquisition image(float dwell) {
    Acquisition a = readout(8, 2, 2);
    set_dwell(a, dwell);
    return a;
}

Acquisition noise(int samples, float dwell, float base) {
    Acquisition a = readout(samples, 2, 0, base);
    a.setFlag(19);
    set_dwell(a, dwell);
    return a;
}

std::string with_bandwidth(const std::string& value) {
    std::string xml = header({}, {});
    const std::string system = "<acquisitionSystemInformation><relativeReceiverNoiseBandwidth>" +
                               value +
                               "</relativeReceiverNoiseBandwidth></acquisitionSystemInformation>";
    return xml.insert(xml.find("<experimentalConditions>"), system);
}

TEST(IsmrmrdNoise, IsScaledToTheBandwidthOfTheImage) {
    const Scan scan = read({noise(3, 20, 1), image(5), noise(2, 80, 5)});
    ASSERT_EQ(scan.noise.rows(), 2u);
    ASSERT_EQ(scan.noise.columns(), 5u);
    EXPECT_EQ(scan.noise.precision(), Precision::float32);
    EXPECT_EQ(scan.noise(1, 2), Complex(2 * 13, -2)); // sqrt(20 / 5)
    EXPECT_EQ(scan.noise(0, 4), Complex(4 * 6, -4)); // sqrt(80 / 5)
    EXPECT_TRUE(noted(scan, "kept 5 noise samples a coil from 2 acquisitions, times 2 to 4"));
    EXPECT_EQ(scan.frames[0].samples.columns(), 8u);
}

TEST(IsmrmrdNoise, TheReceiverMayPassLessNoise) {
    const Scan scan = read({noise(3, 16, 1), image(4)}, with_bandwidth("0.25"));
    EXPECT_EQ(scan.noise(0, 0), Complex(4, -4)); // sqrt(16 / (4 * 0.25))
    EXPECT_EQ(refusal([] {
                  read({noise(3, 16, 1), image(4)}, with_bandwidth("0"));
              }).thing,
              "/dataset/xml, acquisitionSystemInformation/relativeReceiverNoiseBandwidth");
}

TEST(IsmrmrdNoise, WithoutADwellTimeItIsNotScaled) {
    for (const auto& [of_noise, of_image] : {std::pair(0.0F, 5.0F), std::pair(20.0F, 0.0F)}) {
        const Scan scan = read({noise(3, of_noise, 1), image(of_image)});
        EXPECT_EQ(scan.noise(0, 0), Complex(1, -1));
        EXPECT_TRUE(noted(scan, "not scaled, because a dwell time (sample_time_us) is 0"));
    }
    // One that is scaled beside one that is not would weigh wrongly.
    const Scan both = read({noise(3, 20, 1), noise(3, 0, 1), image(5)});
    EXPECT_EQ(both.noise(0, 0), both.noise(0, 3));
}

TEST(IsmrmrdNoise, OtherChannelsAndDamageAreRefused) {
    Acquisition other = readout(8, 3, 0);
    other.setFlag(19);
    Finding finding = refusal([&] { read({other, image(5)}); });
    EXPECT_EQ(finding.thing, "/dataset/data, acquisition 0 (noise), active_channels");
    Acquisition damaged = noise(3, 20, 1);
    damaged.data(2, 1) = {1, std::nanf("")};
    finding = refusal([&] { read({damaged, image(5)}); });
    EXPECT_EQ(finding.thing, "/dataset/data, acquisition 0 (noise), data");
    EXPECT_EQ(finding.found, "NaN at [1, 2]");
}

Acquisition line(int flag, int slice, int repetition, float base) {
    Acquisition a = readout(8, 1, 2, base);
    if (flag > 0) {
        a.setFlag(static_cast<uint64_t>(flag));
    }
    a.idx().slice = static_cast<uint16_t>(slice);
    a.idx().repetition = static_cast<uint16_t>(repetition);
    return a;
}

TEST(IsmrmrdCalibration, IsThatOfTheFirstFramesSlice) {
    const Scan scan = read({line(20, 1, 0, 100), line(20, 0, 0, 200), line(21, 0, 0, 300),
                            line(21, 0, 1, 400), line(0, 0, 0, 500), line(0, 1, 0, 600)});
    ASSERT_EQ(scan.frames.size(), 3u);
    // Lines of the image stay there; those for calibration alone do not come in.
    EXPECT_EQ(scan.frames[0].samples.columns(), 16u);
    EXPECT_EQ(scan.frames[0].samples(0, 0).real(), 300);
    ASSERT_TRUE(scan.calibration);
    ASSERT_EQ(scan.calibration->samples.columns(), 16u);
    EXPECT_EQ(scan.calibration->sampling->samples(), 16u);
    EXPECT_EQ(scan.calibration->samples(0, 0).real(), 200);
    EXPECT_EQ(scan.calibration->samples(0, 8).real(), 300);
    EXPECT_EQ(scan.calibration->sampling->trajectory[1], (Vec3{-3, 0.25, 0}));
    EXPECT_TRUE(noted(scan, "kept 2 acquisitions flagged parallel calibration of slice 0"));
    EXPECT_FALSE(read({line(0, 0, 0, 1)}).calibration);
}

TEST(IsmrmrdCalibration, OfAnotherSliceIsNotUsed) {
    const Scan none = read({line(20, 1, 0, 100), line(0, 0, 0, 1)});
    EXPECT_FALSE(none.calibration);
    EXPECT_TRUE(
        noted(none, "left out 1 acquisition flagged parallel calibration: of other slices"));
    ReadOptions options;
    options.counters[0] = IndexList("1");
    const std::string path = write({line(21, 0, 0, 1), line(21, 1, 0, 100)});
    const Scan scan = read_ismrmrd(path, options);
    EXPECT_EQ(scan.calibration->samples(0, 0).real(), 100);
}

TEST(IsmrmrdCalibration, OfAnotherKindIsLeftOutAndDamageRefused) {
    Acquisition lines = readout(8, 1, 0);
    lines.setFlag(20);
    const Scan scan = read({lines, readout(8, 1, 2)});
    EXPECT_FALSE(scan.calibration);
    EXPECT_TRUE(noted(scan, "left out 1 acquisition flagged parallel calibration"));
    Acquisition damaged = line(20, 0, 0, 1);
    damaged.data(3, 0) = {HUGE_VALF, 0};
    EXPECT_EQ(refusal([&] {
                  read({damaged, readout(8, 1, 2)});
              }).thing,
              "/dataset/data, acquisition 0, data");
}

} // namespace
} // namespace lsrecon::ismrmrd_test

#endif
