#include "scan/pose.hpp"

#include <cmath>
#include <gtest/gtest.h>

namespace lsrecon {
namespace {

using Directions = std::array<Vec3, 3>;

/// Turned around z.
Directions turned(double degrees) {
    const double c = std::cos(degrees * pi / 180);
    const double s = std::sin(degrees * pi / 180);
    return {Vec3{c, s, 0}, Vec3{-s, c, 0}, Vec3{0, 0, 1}};
}

TEST(HeaderNumbers, AreTheSameToTheirPrecision) {
    EXPECT_TRUE(are_same_position({100, -50, 3}, {100.004F, -50, 3.004F}));
    EXPECT_FALSE(are_same_position({100, -50, 3}, {100, -50, 3.02}));
    EXPECT_TRUE(are_same_directions(turned(20), turned(20.05)));
    EXPECT_FALSE(are_same_directions(turned(20), turned(20.1)));
    Directions mirrored = turned(20);
    mirrored[2] = {0, 0, -1};
    EXPECT_FALSE(are_same_directions(turned(20), mirrored));
    EXPECT_TRUE(are_same_length(240, 240.2));
    EXPECT_TRUE(are_same_dwell(3.1F, std::nextafter(3.1F, 4.0F)));
    EXPECT_FALSE(are_same_dwell(3.1, 3.102));
    EXPECT_FALSE(are_same_dwell(3.1, 0));
    EXPECT_FALSE(is_finite(Vec3{0, std::nan(""), 0}) || is_finite(Vec3{HUGE_VAL, 0, 0}));
}

TEST(Pose, AreApartInPositionAndDirections) {
    const Pose reference{Vec3{3, -4, 10}, turned(13)};
    const auto to = [&](const Vec3& position, double degrees) {
        return apart(reference, {position, turned(13 + degrees)});
    };
    EXPECT_NEAR(to({3, -1, 6}, 0).mm, 5, 1e-12);
    for (const double degrees : {0.3, 20.0, -90.0, 180.0}) {
        EXPECT_NEAR(to({3, -4, 10}, degrees).degrees, std::abs(degrees), 1e-6);
    }
    EXPECT_EQ(to({33, -4, 10}, 0).in_words(), "30 mm away");
    EXPECT_EQ(to({3, -4, 10}, 20).in_words(), "turned by 20 degrees");
    EXPECT_EQ(to({3.25, -4, 10}, 120).in_words(), "0.3 mm away, turned by 120 degrees");
    EXPECT_EQ(to({3, -4, 10.001}, 0.01).in_words(), "");
}

TEST(Pose, ShareMapsWithinAFewMillimetresAndDegrees) {
    const Pose reference{Vec3{3, -4, 10}, turned(13)};
    const auto share = [&](double mm, double degrees) {
        return apart(reference, {Vec3{3, -4, 10 + mm}, turned(13 + degrees)}).share_maps();
    };
    EXPECT_TRUE(share(4.9, 2.9));
    EXPECT_FALSE(share(5.1, 0));
    EXPECT_FALSE(share(0, 3.1));
    EXPECT_TRUE(apart(reference, {}).share_maps()) << "who does not say is not elsewhere";
    EXPECT_FALSE(apart(reference, {Vec3{0, 0, 0}, {}}).share_maps());
}

} // namespace
} // namespace lsrecon
