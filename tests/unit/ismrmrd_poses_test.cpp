#ifdef LSRECON_WITH_ISMRMRD

#include <cmath>
#include <gtest/gtest.h>

#include "ismrmrd_maker.hpp"

// Where frames lie by the headers of their acquisitions.

namespace lsrecon::ismrmrd_test {
namespace {

/// Turned around z.
std::array<float, 3> read_dir_at(double degrees) {
    return {static_cast<float>(std::cos(degrees * pi / 180)),
            static_cast<float>(std::sin(degrees * pi / 180)), 0};
}

Acquisition at(const std::array<float, 3>& position, double degrees = 0) {
    Acquisition a = readout(8, 1, 2);
    const auto [c, s, zero] = read_dir_at(degrees);
    set_vector(a.position(), position);
    set_vector(a.read_dir(), {c, s, zero});
    set_vector(a.phase_dir(), {-s, c, zero});
    set_vector(a.slice_dir(), {0, 0, 1});
    return a;
}

/// Each one a repetition.
std::vector<Acquisition> twice(std::vector<Acquisition> acquisitions) {
    for (std::size_t i = 0; i < acquisitions.size(); ++i) {
        acquisitions[i].idx().repetition = static_cast<uint16_t>(i);
    }
    return acquisitions;
}

constexpr float nan = std::numeric_limits<float>::quiet_NaN();

TEST(IsmrmrdPoses, MayDifferByRounding) {
    const auto next = [](float value) { return std::nextafter(value, 1e9F); };
    Acquisition rounded = at({next(10), next(-20), next(30)}, 17);
    const auto read_dir = read_dir_at(17);
    set_vector(rounded.read_dir(), {next(read_dir[0]), next(read_dir[1]), 0});
    const std::vector<Acquisition> both{at({10, -20, 30}, 17), rounded};
    for (const bool shifts_to_it : {false, true}) {
        ReadOptions options;
        options.image.shift_to_position = shifts_to_it;
        const Scan joined = read_ismrmrd(write(both), options);
        EXPECT_FALSE(found(joined, Found::positions_differ));
        const Scan apart = read_ismrmrd(write(twice(both)), options);
        EXPECT_TRUE(apart.grid.directions);
        EXPECT_EQ(apart.grid.position, (Vec3{10, -20, 30}));
        EXPECT_FALSE(apart.frames[1].position) << "that of the first";
    }
    const Scan moved = read(twice({at({10, -20, 30}), at({10, -20, 30.02F})}));
    EXPECT_TRUE(moved.frames[1].position);
}

// Prospective correction of motion: frames of a slice that share its coil maps.
TEST(IsmrmrdPoses, ASmallTurnOfRepetitionsCostsTheOrientation) {
    const Scan turned = read(twice({at({0, 0, 0}), at({0, 1, 0}, 0.3)}));
    EXPECT_FALSE(turned.grid.directions || turned.grid.position);
    EXPECT_TRUE(found(turned, Found::orientations_differ));
    const Frame& second = turned.frames[1];
    EXPECT_FALSE(second.position);
    ASSERT_TRUE(second.turned && second.turned->position && second.turned->directions);
    EXPECT_EQ(*second.turned->position, (Vec3{0, 1, 0})) << "slices are taken from volumes there";
    EXPECT_FALSE(read(twice({at({0, 0, 0}), at({0, 1, 0})})).frames[1].turned);
    const Fault far = refusal([] { read(twice({at({0, 0, 0}), at({0, 30, 0}, 0.3)})); });
    EXPECT_EQ(
        test::lacks(far.found, {"several", "repetition 1", "30 mm", "0.3 degrees", "repetition 0"}),
        "");
    ReadOptions options;
    options.image.shift_to_position = true;
    EXPECT_THROW(read_ismrmrd(write(twice({at({0, 0, 0}), at({0, 0, 0}, 0.3)})), options),
                 InputError);
}

TEST(IsmrmrdPoses, WhatIsNotFiniteSaysNothing) {
    const Acquisition good = at({1, 2, 3}, 20);
    Acquisition nowhere = good;
    set_vector(nowhere.position(), {1, nan, 3});
    Acquisition undirected = good;
    set_vector(undirected.phase_dir(), {0, std::numeric_limits<float>::infinity(), 0});
    const Scan within = read({nowhere, good, good, undirected});
    EXPECT_EQ(within.grid.position, (Vec3{1, 2, 3}));
    EXPECT_TRUE(within.grid.directions);
    EXPECT_FALSE(found(within, Found::positions_differ));
    const Scan no_position = read({nowhere, nowhere});
    EXPECT_FALSE(no_position.grid.position);
    EXPECT_TRUE(no_position.grid.directions);
    const Scan no_directions = read(twice({undirected, undirected}));
    EXPECT_TRUE(no_directions.grid.position);
    EXPECT_FALSE(no_directions.grid.directions);
    EXPECT_FALSE(found(no_directions, Found::orientations_differ));
    for (const Acquisition& unknown : {nowhere, undirected}) {
        const Scan some = read(twice({good, unknown}));
        EXPECT_FALSE(some.grid.position || some.grid.directions);
        EXPECT_TRUE(found(some, Found::positions_unknown));
    }
}

TEST(IsmrmrdPoses, WhatIsNotFiniteCannotBeShiftedTo) {
    ReadOptions options;
    options.image.shift_to_position = true;
    for (const bool position : {true, false}) {
        Acquisition a = at({1, 2, 3});
        set_vector(position ? a.position() : a.slice_dir(), {0, 0, nan});
        const Fault fault = refusal([&] { read_ismrmrd(write({at({1, 2, 3}), a}), options); });
        EXPECT_EQ(fault.thing, text("/dataset/data, acquisition 1, ",
                                    position ? "position" : "read_dir, phase_dir and slice_dir"));
        EXPECT_EQ(fault.found, "not finite");
        EXPECT_TRUE(has(fault.next_step, "`shift_mm` X,Y"));
    }
}

} // namespace
} // namespace lsrecon::ismrmrd_test

#endif
