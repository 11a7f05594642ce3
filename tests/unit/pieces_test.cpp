#include "engines/pieces.hpp"

#include <gtest/gtest.h>

#include "base/ranges.hpp"

namespace lsrecon {
namespace {

constexpr double gib = 1024.0 * 1024 * 1024;

std::vector<TransformShape> shapes() {
    std::vector<TransformShape> all;
    for (const std::size_t coils : {1, 3, 32}) {
        for (const std::size_t sources : {1, 597, 65537}) {
            for (const auto& [points, together] : {std::pair<std::size_t, std::size_t>{1, 1},
                                                   {63 * 65, 65},
                                                   {128 * 128 * 7, 16384}}) {
                all.push_back({coils, sources, points, together});
            }
        }
    }
    return all;
}

/// Of values alone, in and out.
double bytes(const PieceSizes& pieces, Precision precision) {
    return 2.0 * static_cast<double>(bytes_of(precision)) * static_cast<double>(pieces.coils) *
           static_cast<double>(pieces.sources + pieces.points);
}

TEST(FitPieces, IsTheWholeWhereThatFits) {
    for (const TransformShape& shape : shapes()) {
        for (const Precision precision : {Precision::float32, Precision::float64}) {
            const PieceSizes whole = fit_pieces(shape, 80 * gib, 20 * gib, precision);
            EXPECT_EQ(whole.coils, shape.coils);
            EXPECT_EQ(whole.sources, shape.sources);
            EXPECT_EQ(whole.points, shape.points);
        }
    }
}

TEST(FitPieces, StaysWithinHalfTheRoomAndOneArray) {
    for (const TransformShape& shape : shapes()) {
        for (const Precision precision : {Precision::float32, Precision::float64}) {
            for (double room = 1000; room < gib; room *= 3) {
                for (const double largest : {room, room / 4}) {
                    const PieceSizes some = fit_pieces(shape, room, largest, precision);
                    ASSERT_GE(some.coils, 1U);
                    ASSERT_GE(some.sources, 1U);
                    ASSERT_GE(some.points, 1U);
                    EXPECT_LE(some.coils, shape.coils);
                    EXPECT_LE(some.sources, shape.sources);
                    EXPECT_LE(some.points, shape.points);
                    EXPECT_TRUE(some.points == shape.points ||
                                some.points % shape.points_together == 0);
                    const bool least = some.coils == 1 && some.sources == 1 &&
                                       some.points <= shape.points_together;
                    if (least || some.points == shape.points_together) {
                        continue; // less cannot be had
                    }
                    EXPECT_LE(bytes(some, precision), room / 2);
                    const double of_number = 2.0 * static_cast<double>(bytes_of(precision));
                    EXPECT_LE(of_number * static_cast<double>(some.coils * some.points), largest);
                    EXPECT_LE(of_number * static_cast<double>(some.coils * some.sources), largest);
                }
            }
        }
    }
}

TEST(FitPieces, DividesTheCoilsFirstAndEqually) {
    const TransformShape shape{9, 10000, 10000, 100};
    // Positions of 1 MB, and 320 kB of values a coil: half the room is for these and four coils.
    const PieceSizes some = fit_pieces(shape, 2 * (1.04e6 + 4.5 * 320e3), gib, Precision::float32);
    EXPECT_EQ(some.coils, 3U) << "of at most 4, three equal groups";
    EXPECT_EQ(some.sources, shape.sources);
    EXPECT_EQ(some.points, shape.points);
}

TEST(FitPieces, MoreRoomNeverMakesThemSmaller) {
    const TransformShape shape{5, 20011, 129 * 131, 129};
    PieceSizes before{0, 0, 0};
    for (double room = 100; room < gib; room *= 1.1) {
        const PieceSizes now = fit_pieces(shape, room, room, Precision::float64);
        EXPECT_GE(now.sources, before.sources) << room;
        EXPECT_GE(now.points, before.points) << room;
        EXPECT_GE(now.coils, before.coils) << room;
        before = now;
    }
    EXPECT_EQ(before.coils, 5U);
}

} // namespace
} // namespace lsrecon
