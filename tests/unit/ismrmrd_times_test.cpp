#ifdef LSRECON_WITH_ISMRMRD

#include <gtest/gtest.h>

#include "ismrmrd_maker.hpp"

// When samples were taken, from center_sample on.

namespace lsrecon::ismrmrd_test {
namespace {

using Numbers = std::vector<double>;

constexpr float dwell_us = 1e6F; // 1 s: times are whole numbers

Acquisition timed(int samples, int dimensions, bool reversed) {
    Acquisition a = readout(samples, 1, dimensions);
    set_dwell(a, dwell_us);
    if (reversed) {
        a.setFlag(ISMRMRD::ISMRMRD_ACQ_IS_REVERSE);
    }
    return a;
}

/// center_sample of a line, from the start of k-space, where its samples are strong.
void set_center(Acquisition& a, int center) {
    const bool reversed = a.isFlagSet(ISMRMRD::ISMRMRD_ACQ_IS_REVERSE);
    a.center_sample() = static_cast<uint16_t>(center);
    a.data(static_cast<uint16_t>(reversed ? a.number_of_samples() - 1 - center : center), 0) = 100;
}

Numbers times(const Acquisition& acquisition, const std::string& xml = header({}, {})) {
    ReadOptions options;
    options.with_times = true;
    options.trajectory_units = "cycles/fov";
    const Scan scan = read_ismrmrd(write({acquisition}, xml), options);
    const Eigen::VectorXd& times = scan.frames.at(0).trajectory->times;
    return {times.data(), times.data() + times.size()};
}

TEST(IsmrmrdTimes, AReversedLineReachesTheCentreOfKSpaceAtTime0) {
    for (const bool reversed : {false, true}) {
        Acquisition a = timed(6, 0, reversed);
        set_center(a, 4); // the last but one
        a.discard_pre() = 1;
        EXPECT_EQ(times(a), reversed ? (Numbers{0, 1, 2, 3, 4}) : (Numbers{-3, -2, -1, 0, 1}));
    }
}

TEST(IsmrmrdTimes, SamplesOfAShorterLineAreThoseOfItsPositions) {
    const std::string xml = header({24, 8, 1, 720, 240, 5}, {});
    // Of a line of 24 every third position remains, from the start of k-space on; a reversed one
    // ends there.
    for (const bool reversed : {false, true}) {
        Acquisition a = timed(24, 0, reversed);
        set_center(a, 12);
        EXPECT_EQ(times(a, xml), reversed ? (Numbers{-9, -6, -3, 0, 3, 6, 9, 12})
                                          : (Numbers{-12, -9, -6, -3, 0, 3, 6, 9}));
    }
}

TEST(IsmrmrdTimes, ReverseWithAStoredTrajectoryChangesNothing) {
    for (const bool reversed : {false, true}) {
        Acquisition a = timed(6, 2, reversed);
        a.center_sample() = 1;
        EXPECT_EQ(times(a), (Numbers{-1, 0, 1, 2, 3, 4}));
    }
}

Scan timed_scan(const std::vector<Acquisition>& acquisitions, const std::string& design,
                bool with_times = true) {
    std::string xml = header({}, {});
    xml.replace(xml.find("other"), 5, design);
    ReadOptions options;
    options.with_times = with_times;
    options.trajectory_units = "cycles/fov";
    return read_ismrmrd(write(acquisitions, xml), options);
}

// Times would begin anew in each acquisition of an echo train.
TEST(IsmrmrdTimes, SegmentsOfAReadoutAreRefused) {
    std::vector<Acquisition> acquisitions(3, timed(6, 2, false));
    for (Acquisition& a : acquisitions) {
        a.idx().segment = 2;
    }
    EXPECT_EQ(timed_scan(acquisitions, "spiral").frames[0].trajectory->times.size(), 18);
    acquisitions[2].idx().segment = 3;
    const Fault fault = refusal([&] { timed_scan(acquisitions, "spiral"); });
    EXPECT_EQ(fault.thing, "/dataset/data, acquisition 2, idx.segment");
    EXPECT_EQ(fault.found, "3");
    EXPECT_EQ(test::lacks(fault.expected, {"2", "acquisition 0", "`field_map`"}), "");
    EXPECT_TRUE(has(fault.next_step, "leave `field_map` out")) << fault.next_step;
    EXPECT_EQ(timed_scan(acquisitions, "spiral", false).frames.size(), 1u);
    acquisitions[2].idx().repetition = 1; // a frame of its own
    EXPECT_EQ(timed_scan(acquisitions, "spiral").frames.size(), 2u);
}

TEST(IsmrmrdTimes, JoinedEchoesAreRefused) {
    for (const std::string joined : {"contrast", "set", "repetition"}) {
        std::vector<Acquisition> acquisitions(3, readout(8, 1, 2));
        for (Acquisition& a : acquisitions) {
            set_dwell(a, 4);
        }
        ISMRMRD::EncodingCounters& last = acquisitions[2].idx();
        (joined == "contrast" ? last.contrast : joined == "set" ? last.set : last.repetition) = 1;
        const std::string path = write(acquisitions);
        ReadOptions options;
        options.with_times = true;
        EXPECT_EQ(read_ismrmrd(path, options).frames.size(), 2u);
        options.join = {joined};
        if (joined == "repetition") {
            EXPECT_EQ(read_ismrmrd(path, options).frames.size(), 1u);
            continue;
        }
        const Fault fault = refusal([&] { read_ismrmrd(path, options); });
        EXPECT_EQ(fault.thing, "/dataset/data, acquisition 2, idx." + joined);
        EXPECT_TRUE(has(fault.next_step, "`join` " + joined)) << fault.next_step;
        options.with_times = false;
        EXPECT_EQ(read_ismrmrd(path, options).frames.size(), 1u);
    }
}

TEST(IsmrmrdTimes, EchoTrainsAreRefusedUnlessAnAcquisitionHoldsAll) {
    std::vector<Acquisition> acquisitions(2, timed(6, 2, false));
    const Fault fault = refusal([&] { timed_scan(acquisitions, "EPI"); });
    EXPECT_EQ(test::lacks(fault.thing, {"/dataset/data", "acquisition 1", "excitation"}), "");
    EXPECT_TRUE(has(fault.found, "epi")) << fault.found;
    EXPECT_EQ(timed_scan(acquisitions, "epi", false).frames.size(), 1u);
    acquisitions[1].idx().repetition = 1;
    EXPECT_EQ(timed_scan(acquisitions, "epi").frames.size(), 2u);
}

} // namespace
} // namespace lsrecon::ismrmrd_test

#endif
