// Sequences of Pulseq: k by hand for every kind of event, in all layouts of the format.

#include "io/pulseq.hpp"

#include <cmath>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "support/surroundings.hpp"

namespace lsrecon {
namespace {

class PulseqTest : public testing::Test {
protected:
    Sequence read(const std::string& content) const {
        const auto path = folder_.path() / "s.seq";
        test::write_text(path, content);
        return read_sequence(path);
    }
    std::vector<Vec3> positions(const std::string& content) const {
        return read(content).readouts.front().positions;
    }

private:
    test::TemporaryFolder folder_;
};

const std::string version_15 = "[VERSION]\nmajor 1\nminor 5\nrevision 0\n"
                               "[DEFINITIONS]\nGradientRasterTime 1e-05\nFOV 0.2 0.2 0.003\n";
/// A block pulse of 100 us and 90 degrees, whose centre is at 50 us.
const std::string pulses_15 = "[RF]\n1 2500 1 0 0 50 0 0 0 0 0 e\n2 2500 1 0 0 50 0 0 0 0 0 r\n";
const std::string shape_of_ones = "[SHAPES]\nshape_id 1\nnum_samples 100\n1\n0\n0\n97\n";

TEST_F(PulseqTest, IntegratesTrapezoidsFromTheExcitation) {
    // 1000 Hz/m on a plateau of 100 us from 10 us on; samples in the middle of their dwell times.
    const auto k =
        positions(version_15 + "[BLOCKS]\n1 10 1 0 0 0 0 0\n2 12 0 1 0 0 1 0\n" + pulses_15 +
                  "[TRAP]\n1 1000 10 100 10 0\n"
                  "[ADC]\n1 2 50000 10 0 0 0 0 0\n" +
                  shape_of_ones);
    ASSERT_EQ(k.size(), 2U);
    EXPECT_NEAR(k[0][0], 1000 * (5e-6 + 25e-6), 1e-12);
    EXPECT_NEAR(k[1][0], 1000 * (5e-6 + 75e-6), 1e-12);
    EXPECT_EQ(k[0][1], 0);
}

TEST_F(PulseqTest, RefocusingInvertsKAndExcitationBeginsAnew) {
    const std::string blocks = "[BLOCKS]\n1 10 1 0 0 0 0 0\n2 12 0 0 1 0 0 0\n3 10 2 0 0 0 0 0\n"
                               "4 12 0 0 1 0 1 0\n5 10 1 0 0 0 0 0\n6 12 0 0 1 0 1 0\n";
    const Sequence sequence =
        read(version_15 + blocks + pulses_15 +
             "[TRAP]\n1 1000 10 100 10 0\n[ADC]\n1 1 2000 120 0 0 0 0 0\n" + shape_of_ones);
    ASSERT_EQ(sequence.readouts.size(), 2U);
    EXPECT_NEAR(sequence.readouts[0].positions[0][1], 0, 1e-12); // -0.11 + 0.11
    EXPECT_NEAR(sequence.readouts[1].positions[0][1], 0.11, 1e-12);
    // from the second excitation's centre: 50 us, then 120 us of delay and half a dwell time
    EXPECT_NEAR(sequence.readouts[1].time(0), 50e-6 + 121e-6, 1e-12);
}

TEST_F(PulseqTest, FlipAnglesDecideBeforeVersion15) {
    const std::string head = "[VERSION]\nmajor 1\nminor 4\nrevision 1\n";
    const std::string rest = "[BLOCKS]\n1 10 1 0 0 0 0 0\n2 12 0 0 1 0 0 0\n3 10 2 0 0 0 0 0\n"
                             "4 12 0 0 1 0 1 0\n[RF]\n1 2500 1 0 0 0 0 0\n2 5000 1 0 0 0 0 0\n"
                             "[TRAP]\n1 1000 10 100 10 0\n[ADC]\n1 1 2000 120 0 0\n" +
                             shape_of_ones;
    EXPECT_NEAR(positions(head + rest)[0][1], 0, 1e-12);
}

TEST_F(PulseqTest, ShapesLieInTheMiddleOfTheRasterButOfJemris) {
    // Shape 2 is 0, 1, 1, 1: linear from 0 at the begin to the points at 5, 15, 25 and 35 us.
    const std::string old = "[VERSION]\nmajor 1\nminor 2\nrevision 0\n";
    const std::string blocks = "[BLOCKS]\n1 0 0 1 0 0 1\n[GRADIENTS]\n1 1000 2 0\n"
                               "[ADC]\n1 1 40000 0 0 0\n"
                               "[SHAPES]\nshape_id 2\nnum_samples 4\n0\n1\n0\n0\n0\n";
    // at 20 us: ramp from 5 to 15 us, then 5 us of the plateau; JEMRIS: from 0 to 10, then 10 us
    EXPECT_NEAR(positions(old + blocks)[0][0], 1000 * (5e-6 + 5e-6), 1e-12);
    EXPECT_NEAR(positions("# Created by JEMRIS 2.8.4\n" + old + blocks)[0][0],
                1000 * (5e-6 + 10e-6), 1e-12);
}

TEST_F(PulseqTest, GradientsOf15HaveEndsAndTimes) {
    const std::string rest =
        "[BLOCKS]\n1 4 0 1 2 0 1 0\n"
        "[GRADIENTS]\n1 1000 1000 1000 3 0 0\n2 500 0 0 4 5 0\n"
        "[ADC]\n1 1 80000 0 0 0 0 0 0\n"
        "[SHAPES]\nshape_id 3\nnum_samples 4\n1\n1\n1\n1\n"
        "shape_id 4\nnum_samples 3\n0\n1\n0\nshape_id 5\nnum_samples 3\n0\n2\n4\n";
    const auto k = positions(version_15 + rest);
    EXPECT_NEAR(k[0][0], 1000 * 40e-6, 1e-12); // at 40 us
    EXPECT_NEAR(k[0][1], 500 * 20e-6, 1e-12); // a triangle of 40 us
}

TEST_F(PulseqTest, RotationsApplyToTheGradientsOfTheirBlock) {
    // 90 degrees about z takes x to y.
    const std::string rest = "[BLOCKS]\n1 12 0 1 0 0 1 1\n[TRAP]\n1 1000 10 100 10 0\n"
                             "[ADC]\n1 1 2000 120 0 0 0 0 0\n[EXTENSIONS]\n1 2 1 2\n2 1 1 0\n"
                             "extension LABELSET 2\n1 0 LIN\nextension ROTATIONS 1\n"
                             "1 0.70710678118654752 0 0 0.70710678118654752\n";
    const auto k = positions(version_15 + rest);
    EXPECT_NEAR(k[0][0], 0, 1e-12);
    EXPECT_NEAR(k[0][1], 0.11, 1e-12);
}

/// Spokes of a stack in planes whose normal is tilted by an angle from z towards x.
Sequence stack_tilted_by(double angle, std::size_t partitions, std::size_t spokes) {
    Sequence sequence;
    const Vec3 x{std::cos(angle), 0, -std::sin(angle)};
    const Vec3 normal{std::sin(angle), 0, std::cos(angle)};
    for (std::size_t i = 0; i < partitions * spokes; ++i) {
        const double turned = pi * static_cast<double>(i % spokes) / static_cast<double>(spokes);
        const double height = static_cast<double>(i / spokes);
        SequenceReadout readout;
        readout.is_encoded = true;
        for (double r = -8; r < 8; ++r) {
            const double along = r * std::cos(turned);
            readout.positions.push_back({along * x[0] + height * normal[0], r * std::sin(turned),
                                         along * x[2] + height * normal[2]});
        }
        sequence.readouts.push_back(readout);
    }
    return sequence;
}

TEST_F(PulseqTest, TiltedPlanesAreTurnedToTheNearestAxis) {
    for (const std::size_t partitions : {1U, 4U}) {
        Sequence sequence = stack_tilted_by(0.5, partitions, 6);
        const Sequence flat = stack_tilted_by(0, partitions, 6);
        const auto axes = sequence.along_planes();
        ASSERT_TRUE(axes);
        EXPECT_NEAR((*axes)[2][0], std::sin(0.5), 1e-12);
        for (std::size_t r = 0; r < flat.readouts.size(); ++r) {
            for (std::size_t i = 0; i < 16; ++i) {
                for (std::size_t d = 0; d < 3; ++d) {
                    EXPECT_NEAR(sequence.readouts[r].positions[i][d],
                                flat.readouts[r].positions[i][d], 1e-12);
                }
            }
        }
    }
    EXPECT_FALSE(stack_tilted_by(0, 4, 6).along_planes());
    EXPECT_FALSE(stack_tilted_by(pi / 2, 4, 6).along_planes()) << "planes along other gradients";
    EXPECT_FALSE(stack_tilted_by(0.5, 4, 1).along_planes()) << "all in the plane of x and z";
}

TEST_F(PulseqTest, ReadoutsThatNothingEncodesAreMarked) {
    const Sequence sequence =
        read(version_15 + "[BLOCKS]\n1 12 0 0 0 0 1 0\n2 12 0 1 0 0 1 0\n"
                          "[TRAP]\n1 1000 10 100 10 0\n[ADC]\n1 4 10000 0 0 0 0 0 0\n");
    ASSERT_EQ(sequence.readouts.size(), 2U);
    EXPECT_FALSE(sequence.readouts[0].is_encoded);
    EXPECT_TRUE(sequence.readouts[1].is_encoded);
    EXPECT_EQ(sequence.fov.size(), 3U);
}

TEST_F(PulseqTest, RefusesWhatIsNotWhole) {
    const std::string blocks = "[BLOCKS]\n1 12 0 1 0 0 1 0\n[ADC]\n1 4 10000 0 0 0 0 0 0\n";
    for (const std::string& wrong :
         {version_15 + blocks, std::string("[BLOCKS]\n1 1 0 0 0 0 0\n"),
          std::string("[VERSION]\nmajor 2\nminor 0\n"), version_15 + "[BLOCKS]\n1 12 x 0 0 0 0 0\n",
          version_15 + "[BLOCKS]\n1 12 0 0 0 0 0 0\n", version_15 + "[BLOCKS]\n1 12 0\n",
          version_15 + blocks + "[SHAPES]\nshape_id 1\nnum_samples 5\n1\n1\n90\n",
          version_15 + blocks + "[TRAP]\n1 1000 10 100\n"}) {
        EXPECT_THROW(read(wrong), InputError) << wrong;
    }
}

} // namespace
} // namespace lsrecon
