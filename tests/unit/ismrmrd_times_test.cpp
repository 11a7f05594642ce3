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

Numbers times(const Acquisition& acquisition, const std::string& xml = header({}, {})) {
    ReadOptions options;
    options.with_times = true;
    options.trajectory_units = "cycles/fov";
    const Scan scan = read_ismrmrd(write({acquisition}, xml), options);
    const Eigen::VectorXd& times = scan.frames.at(0).sampling->times;
    return {times.data(), times.data() + times.size()};
}

TEST(IsmrmrdTimes, AReversedLineReachesTheCentreOfKSpaceAtTime0) {
    for (const bool reversed : {false, true}) {
        Acquisition a = timed(6, 0, reversed);
        a.center_sample() = 4; // of k-space: the last but one
        a.discard_pre() = 1;
        EXPECT_EQ(times(a), reversed ? (Numbers{0, 1, 2, 3, 4}) : (Numbers{-3, -2, -1, 0, 1}));
    }
}

TEST(IsmrmrdTimes, SamplesOfAShorterLineAreThoseOfItsPositions) {
    const std::string xml = header({24, 8, 1, 720, 240, 5}, {});
    // Of a line of 24 every third position remains, from the start of k-space on; a reversed one
    // ends there.
    EXPECT_EQ(times(timed(24, 0, false), xml), (Numbers{-12, -9, -6, -3, 0, 3, 6, 9}));
    EXPECT_EQ(times(timed(24, 0, true), xml), (Numbers{-9, -6, -3, 0, 3, 6, 9, 12}));
}

TEST(IsmrmrdTimes, ReverseWithAStoredTrajectoryChangesNothing) {
    for (const bool reversed : {false, true}) {
        Acquisition a = timed(6, 2, reversed);
        a.center_sample() = 1;
        EXPECT_EQ(times(a), (Numbers{-1, 0, 1, 2, 3, 4}));
    }
}

} // namespace
} // namespace lsrecon::ismrmrd_test

#endif
