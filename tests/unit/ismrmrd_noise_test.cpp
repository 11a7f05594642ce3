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
    EXPECT_TRUE(has_fact_with(scan, {"5 noise samples", "2 acquisitions", "times 2 to 4"}));
    EXPECT_EQ(scan.frames[0].samples.columns(), 8u);
}

// As converters of scans with adaptive combination write it.
TEST(IsmrmrdNoise, MayBeFlaggedAsWhatItWasMeasuredFor) {
    for (const uint64_t also : {20, 21, 23, 24, 26, 27, 28, 29, 30, 31}) {
        Acquisition flagged = noise(3, 20, 1);
        flagged.setFlag(also);
        const Scan scan = read({flagged, image(5)});
        ASSERT_EQ(scan.noise.columns(), 3u) << also;
        EXPECT_EQ(scan.noise(1, 2), Complex(2 * 13, -2)) << also; // sqrt(20 / 5)
        EXPECT_EQ(scan.frames[0].samples.columns(), 8u) << also;
        EXPECT_TRUE(scan.calibrations.empty()) << also;
        EXPECT_FALSE(has_fact(scan, "skipped")) << also;
    }
}

TEST(IsmrmrdNoise, TheReceiverMayPassLessNoise) {
    const Scan scan = read({noise(3, 16, 1), image(4)}, with_bandwidth("0.25"));
    EXPECT_EQ(scan.noise(0, 0), Complex(4, -4)); // sqrt(16 / (4 * 0.25))
    EXPECT_EQ(refusal([] {
                  read({noise(3, 16, 1), image(4)}, with_bandwidth("0"));
              }).thing,
              "/dataset/xml, acquisitionSystemInformation/relativeReceiverNoiseBandwidth");
}

TEST(IsmrmrdNoise, IsScaledToTheFramesThatAreChosen) {
    Acquisition other = image(20);
    other.idx().contrast = 1;
    const std::string path = write({noise(3, 20, 1), image(5), other, other});
    ReadOptions options;
    options.whitens = true;
    const Fault fault = refusal([&] { read_ismrmrd(path, options); });
    EXPECT_EQ(test::lacks(fault.thing, {"/dataset/data", "sample_time_us", "image"}), "");
    EXPECT_EQ(fault.found, "5, 20");
    for (const std::string contrast : {"0", "1"}) {
        options.counters[1] = IndexList(contrast);
        EXPECT_EQ(read_ismrmrd(path, options).noise(0, 0),
                  contrast == "0" ? Complex(2, -2) : Complex(1, -1)); // sqrt(20 / 5) and 1
    }
    const Scan scan = read_ismrmrd(path);
    EXPECT_TRUE(scan.noise.empty());
    const Finding unused = test::find(scan.findings, Found::noise_of_several_dwells);
    EXPECT_EQ(unused.number("count"), 1);
    EXPECT_EQ(unused.word("dwells"), "5, 20");
    options = {};
    options.whitens = true;
    EXPECT_EQ(read_ismrmrd(write({image(5), other}), options).frames.size(), 2u) << "no noise";
}

TEST(IsmrmrdNoise, IsScaledToDwellTimesThatDifferByRounding) {
    ReadOptions options;
    options.whitens = true;
    const Scan scan =
        read_ismrmrd(write({noise(3, 12.4F, 1), image(3.1F), image(3.1000002F)}), options);
    EXPECT_NEAR(scan.noise(0, 0).real(), 2, 1e-6); // sqrt(12.4 / 3.1)
    EXPECT_NO_THROW(read_ismrmrd(write({noise(3, 12.4F, 1), image(0), image(0)}), options));
    EXPECT_THROW(read_ismrmrd(write({noise(3, 12.4F, 1), image(3.1F), image(3.102F)}), options),
                 InputError);
}

TEST(IsmrmrdNoise, WithoutADwellTimeItIsNotScaled) {
    for (const auto& [of_noise, of_image] : {std::pair(0.0F, 5.0F), std::pair(20.0F, 0.0F)}) {
        const Scan scan = read({noise(3, of_noise, 1), image(of_image)});
        EXPECT_EQ(scan.noise(0, 0), Complex(1, -1));
        EXPECT_TRUE(found(scan, Found::noise_unscaled));
    }
    // One that is scaled beside one that is not would weigh wrongly.
    const Scan both = read({noise(3, 20, 1), noise(3, 0, 1), image(5)});
    EXPECT_EQ(both.noise(0, 0), both.noise(0, 3));
}

TEST(IsmrmrdNoise, WithoutSamplesCountsForNothing) {
    ReadOptions options;
    options.whitens = true;
    Acquisition of_no_frame = readout(0, 2, 2);
    of_no_frame.idx().repetition = 5;
    Acquisition calibration = readout(0, 2, 2);
    calibration.setFlag(20);
    const Scan scan = read_ismrmrd(write({noise(0, 0, 1), noise(3, 20, 1), readout(0, 2, 0),
                                          of_no_frame, calibration, image(5)}),
                                   options);
    EXPECT_EQ(scan.noise(0, 0), Complex(2, -2)); // sqrt(20 / 5)
    EXPECT_EQ(scan.frames.size(), 1u);
    EXPECT_TRUE(has_fact(scan, "skipped 4 acquisitions"));
    EXPECT_FALSE(has_fact(scan, "calibration"));
    EXPECT_FALSE(found(scan, Found::calibration_left_out));
}

TEST(IsmrmrdNoise, WhatIsToBeDiscardedIsNoNoise) {
    Acquisition part = noise(7, 20, 1);
    part.discard_pre() = 2;
    part.discard_post() = 1;
    part.data(1, 0) = {1e6F, 0};
    part.data(6, 1) = {std::nanf(""), 0};
    Acquisition nothing = noise(3, 0, 100);
    nothing.discard_pre() = 3;
    const Scan scan = read({nothing, part, image(5), noise(1, 20, 50)});
    ASSERT_EQ(scan.noise.columns(), 5u);
    EXPECT_EQ(scan.noise(0, 0), Complex(2 * 3, -2));
    EXPECT_EQ(scan.noise(1, 3), Complex(2 * 16, -2));
    EXPECT_EQ(scan.noise(1, 4), Complex(2 * 60, -2));
    EXPECT_TRUE(has_fact_with(scan, {"5 noise samples", "2 acquisitions"}));
    const Scan none = read({nothing, nothing, image(5)});
    EXPECT_TRUE(none.noise.empty());
    EXPECT_EQ(test::find(none.findings, Found::noise_discarded).number("count"), 2);
    part.discard_post() = 6;
    const Fault fault = refusal([&] { read({part, image(5)}); });
    EXPECT_EQ(test::lacks(fault.thing, {"acquisition 0 (noise)", "discard_pre", "discard_post"}),
              "");
    EXPECT_EQ(fault.found, "2 + 6");
}

// Of a body coil, for example.
TEST(IsmrmrdNoise, OfOtherCoilsWhitensNothing) {
    Acquisition other = readout(8, 3, 0);
    other.setFlag(19);
    other.encoding_space_ref() = 1;
    other.data(1, 1) = {std::nanf(""), 0}; // nobody reads it
    ReadOptions options;
    options.whitens = true;
    const std::string alone = write({other, image(5)});
    const Fault fault = refusal([&] { read_ismrmrd(alone, options); });
    EXPECT_EQ(test::lacks(fault.thing, {"acquisition 0 (noise)", "active_channels"}), "");
    EXPECT_EQ(fault.found, "3");
    EXPECT_TRUE(has(fault.expected, "2, as in acquisition 1 of the image")) << fault.expected;
    EXPECT_TRUE(has(fault.next_step, "`no_whitening`")) << fault.next_step;
    const Scan scan = read_ismrmrd(alone);
    EXPECT_TRUE(scan.noise.empty());
    const Finding other_coils = test::find(scan.findings, Found::noise_of_other_channels);
    EXPECT_EQ(other_coils.number("channels"), 3);
    EXPECT_EQ(other_coils.number("of_image"), 2);
    // That of the image's coils is used.
    const Scan both = read_ismrmrd(write({other, noise(3, 20, 1), image(5)}), options);
    ASSERT_EQ(both.noise.columns(), 3u);
    EXPECT_EQ(both.noise(0, 0), Complex(2, -2));
    EXPECT_TRUE(found(both, Found::noise_of_other_channels));
}

TEST(IsmrmrdNoise, DamageIsRefused) {
    Acquisition damaged = noise(3, 20, 1);
    damaged.data(2, 1) = {1, std::nanf("")};
    const Fault fault = refusal([&] { read({damaged, image(5)}); });
    EXPECT_EQ(test::lacks(fault.thing, {"/dataset/data", "acquisition 0 (noise), data"}), "");
    EXPECT_EQ(fault.found, "NaN at [1, 2]");
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

TEST(IsmrmrdCalibration, IsThatOfTheImagesSlice) {
    const Scan scan = read({line(20, 2, 0, 100), line(20, 0, 0, 200), line(21, 0, 0, 300),
                            line(21, 0, 1, 400), line(0, 0, 0, 500), line(0, 1, 0, 600)});
    ASSERT_EQ(scan.frames.size(), 3u);
    // Lines of the image stay there; those for calibration alone do not come in.
    EXPECT_EQ(scan.frames[0].samples.columns(), 16u);
    EXPECT_EQ(scan.frames[0].samples(0, 0).real(), 300);
    ASSERT_EQ(scan.calibrations.size(), 1u);
    ASSERT_EQ(scan.calibrations[0].samples.columns(), 16u);
    EXPECT_EQ(scan.calibrations[0].trajectory->samples(), 16u);
    EXPECT_EQ(scan.calibrations[0].samples(0, 0).real(), 200);
    EXPECT_EQ(scan.calibrations[0].samples(0, 8).real(), 300);
    EXPECT_EQ(scan.calibrations[0].trajectory->positions[1], (Vec3{-3, 0.25, 0}));
    EXPECT_TRUE(has_fact_with(scan, {"kept 2 acquisitions", "parallel calibration", "slice 0"}));
    EXPECT_TRUE(read({line(0, 0, 0, 1)}).calibrations.empty());
}

TEST(IsmrmrdCalibration, EverySliceThatIsReadHasItsOwn) {
    const std::vector<Acquisition> lines{line(20, 1, 0, 100), line(20, 0, 0, 200),
                                         line(21, 1, 0, 300), line(20, 1, 1, 400),
                                         line(0, 0, 0, 500)};
    const Scan scan = read(lines);
    ASSERT_EQ(scan.calibrations.size(), 2u);
    EXPECT_EQ(scan.calibrations[0].label, "slice 0");
    EXPECT_EQ(scan.calibrations[0].samples(0, 0).real(), 200);
    EXPECT_EQ(scan.calibrations[1].label, "slice 1");
    EXPECT_EQ(scan.calibrations[1].samples.columns(), 16u) << "another repetition came in";
    EXPECT_EQ(scan.calibrations[1].samples(0, 0).real(), 100);
    EXPECT_TRUE(has_fact_with(scan, {"kept 3 acquisitions", "parallel calibration", "2 frames"}));
    ReadOptions options;
    options.counters[0] = IndexList("1");
    const Scan one = read_ismrmrd(write(lines), options);
    ASSERT_EQ(one.calibrations.size(), 1u);
    EXPECT_EQ(one.calibrations[0].samples(0, 0).real(), 100);
}

TEST(IsmrmrdCalibration, EverySetThatIsReadHasItsOwn) {
    std::vector<Acquisition> lines{line(21, 0, 0, 100), line(21, 0, 0, 200), line(20, 0, 0, 300)};
    lines[1].idx().set = lines[2].idx().set = 1;
    const Scan scan = read(lines);
    ASSERT_EQ(scan.calibrations.size(), 2u);
    EXPECT_EQ(scan.calibrations[1].label, "set 1");
    EXPECT_EQ(scan.calibrations[1].samples.columns(), 16u);
    EXPECT_EQ(scan.calibrations[1].samples(0, 0).real(), 200);
    ReadOptions options;
    options.counters[4] = IndexList("1");
    const Scan one = read_ismrmrd(write(lines), options);
    ASSERT_EQ(one.calibrations.size(), 1u);
    EXPECT_EQ(one.calibrations[0].samples(0, 0).real(), 200);
    // What has none takes that of another set.
    lines[1] = line(0, 0, 0, 200);
    lines[1].idx().set = 1;
    lines.pop_back();
    EXPECT_EQ(read_ismrmrd(write(lines), options).calibrations.at(0).samples(0, 0).real(), 100);
}

TEST(IsmrmrdCalibration, OfAnotherSliceIsNotUsed) {
    const Scan none = read({line(20, 1, 0, 100), line(0, 0, 0, 1)});
    EXPECT_TRUE(none.calibrations.empty());
    EXPECT_TRUE(
        has_fact_with(none, {"left out 1 acquisition", "parallel calibration", "other slices"}));
    ReadOptions options;
    options.counters[0] = IndexList("1");
    const std::string path = write({line(21, 0, 0, 1), line(21, 1, 0, 100)});
    const Scan scan = read_ismrmrd(path, options);
    EXPECT_EQ(scan.calibrations[0].samples(0, 0).real(), 100);
}

TEST(IsmrmrdCalibration, OfAnotherKindIsLeftOutAndDamageRefused) {
    Acquisition lines = readout(8, 1, 0);
    lines.setFlag(20);
    const Scan scan = read({lines, readout(8, 1, 2)});
    EXPECT_TRUE(scan.calibrations.empty());
    const Finding unlike = test::find(scan.findings, Found::calibration_left_out);
    EXPECT_EQ(unlike.number("count"), 1);
    EXPECT_EQ(test::lacks(unlike.word("why"), {"trajectory_dimensions 0", "2"}), "");
    Acquisition few = readout(8, 2, 2);
    few.setFlag(20);
    const Scan of_coils = read({few, few, readout(8, 3, 2)});
    EXPECT_TRUE(of_coils.calibrations.empty());
    const Finding of_few = test::find(of_coils.findings, Found::calibration_left_out);
    EXPECT_EQ(of_few.number("count"), 2);
    EXPECT_EQ(test::lacks(of_few.word("why"), {"2 channels", "3"}), "");
    EXPECT_FALSE(has_fact(of_coils, "of other slices"));
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
