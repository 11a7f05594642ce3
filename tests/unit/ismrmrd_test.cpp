#ifdef LSRECON_WITH_ISMRMRD

#include "io/ismrmrd/formats.hpp"

#include <cmath>
#include <gtest/gtest.h>

#include "ismrmrd_maker.hpp"

namespace lsrecon::ismrmrd_test {
namespace {

using Numbers = std::vector<double>;

TEST(Ismrmrd, IsRecognisedByContent) {
    EXPECT_EQ(name_of_scan_format(Hdf5Reader(write({readout(8, 1, 2)}))), "ISMRMRD raw data");
}

TEST(Ismrmrd, ReadsCoilsSamplesAndTrajectory) {
    const Scan scan = read({readout(8, 2, 2, 1), readout(8, 2, 2, 100)});
    EXPECT_EQ(scan.format, "ismrmrd");
    EXPECT_EQ(scan.grid.dimensions, 2);
    EXPECT_EQ(scan.grid.size, (std::array<std::size_t, 3>{8, 8, 1}));
    EXPECT_EQ(scan.grid.fov_mm, (Vec3{240, 240, 5}));
    ASSERT_EQ(scan.frames.size(), 1u);
    EXPECT_EQ(scan.frames[0].label, "");
    EXPECT_EQ(scan.coils(), 2u);
    EXPECT_EQ(real_parts(scan.frames[0], 1),
              (Numbers{11, 12, 13, 14, 15, 16, 17, 18, 110, 111, 112, 113, 114, 115, 116, 117}));
    EXPECT_EQ(scan.frames[0].samples(1, 15), Complex(117, -1));
    EXPECT_EQ(scan.frames[0].trajectory->positions[1], (Vec3{-3, 0.25, 0}));
    EXPECT_FALSE(scan.grid.position);
    EXPECT_FALSE(scan.grid.directions);
}

struct FlagCase {
    int flag;
    const char* name;
};

TEST(Ismrmrd, SkipsAndReportsEveryFlagWithoutImageData) {
    for (const FlagCase& flag :
         {FlagCase{23, "navigation"}, FlagCase{26, "HP feedback"}, FlagCase{27, "dummy scan"},
          FlagCase{28, "RT feedback"}, FlagCase{29, "surface coil correction"},
          FlagCase{30, "phase stabilization reference"}, FlagCase{31, "phase stabilization"}}) {
        // It differs in every size from what is kept, as real ones do.
        Acquisition other = readout(3, 1, 0, 500);
        other.setFlag(static_cast<uint64_t>(flag.flag));
        const Scan scan = read({other, readout(8, 2, 2), other});
        EXPECT_EQ(scan.frames.size(), 1u);
        EXPECT_EQ(real_parts(scan.frames[0]), (Numbers{1, 2, 3, 4, 5, 6, 7, 8})) << flag.name;
        EXPECT_TRUE(has_fact(scan, text("skipped 2 acquisitions flagged ", flag.name)))
            << flag.name;
    }
}

TEST(Ismrmrd, KeepsNavigatorsThatAreAsTheImage) {
    Acquisition navigator = readout(8, 2, 2);
    navigator.setFlag(24);
    Acquisition other = readout(3, 1, 0, 500);
    other.setFlag(24);
    const Scan scan = read({navigator, readout(8, 2, 2), other});
    EXPECT_EQ(scan.frames[0].samples.columns(), 8u);
    EXPECT_TRUE(has_fact(scan, "kept 1 acquisition flagged phase correction"));
    EXPECT_TRUE(has_fact(scan, "left out 1 acquisition flagged phase correction"));
}

TEST(Ismrmrd, KeepsEveryOtherFlag) {
    for (int flag = 1; flag <= 64; ++flag) {
        if ((flag >= 19 && flag <= 31) && flag != 21 && flag != 25) {
            continue;
        }
        Acquisition other = readout(8, 1, 2, 500);
        other.setFlag(static_cast<uint64_t>(flag));
        EXPECT_EQ(read({readout(8, 1, 2), other}).frames[0].samples.columns(), 16) << flag;
    }
}

TEST(Ismrmrd, CalibrationThatIsAlsoImagingIsKept) {
    Acquisition both = readout(8, 1, 2);
    both.setFlag(20);
    both.setFlag(21);
    EXPECT_EQ(read({both}).frames[0].samples.columns(), 8);
}

TEST(Ismrmrd, DiscardDropsAtTheEndsOfTheArrays) {
    Acquisition a = readout(8, 2, 2);
    a.discard_pre() = 2;
    a.discard_post() = 1;
    for (const bool reversed : {false, true}) {
        if (reversed) {
            a.setFlag(ISMRMRD::ISMRMRD_ACQ_IS_REVERSE);
        }
        const Scan scan = read({a}, header({}, {}), "cycles/fov");
        EXPECT_EQ(real_parts(scan.frames[0], 1), (Numbers{13, 14, 15, 16, 17}));
        EXPECT_EQ(first_coordinates(scan.frames[0]), (Numbers{-2, -1, 0, 1, 2}));
        EXPECT_TRUE(has_fact(scan, "left out 3 samples"));
    }
}

TEST(Ismrmrd, ReverseWithAStoredTrajectoryChangesNothing) {
    Acquisition a = readout(8, 1, 2);
    const Scan forward = read({a});
    a.setFlag(ISMRMRD::ISMRMRD_ACQ_IS_REVERSE);
    const Scan reversed = read({a});
    EXPECT_EQ(reversed.frames[0].trajectory->positions, forward.frames[0].trajectory->positions);
    EXPECT_EQ(real_parts(reversed.frames[0]), real_parts(forward.frames[0]));
}

TEST(Ismrmrd, CartesianPositionsCountFromCenterSample) {
    Acquisition a = readout(6, 1, 0); // a partial echo: 6 of 8
    a.center_sample() = 2;
    a.idx().kspace_encode_step_1 = 7;
    const Scan scan = read({a});
    EXPECT_EQ(first_coordinates(scan.frames[0]), (Numbers{-2, -1, 0, 1, 2, 3}));
    EXPECT_EQ(scan.frames[0].trajectory->positions[0], (Vec3{-2, 3, 0}));
}

TEST(Ismrmrd, CartesianReverseFlipsTheOrder) {
    Acquisition a = readout(8, 1, 0);
    a.setFlag(ISMRMRD::ISMRMRD_ACQ_IS_REVERSE);
    a.discard_pre() = 1;
    a.data(3, 0) = 100; // the centre
    const Scan scan = read({a});
    EXPECT_EQ(first_coordinates(scan.frames[0]), (Numbers{2, 1, 0, -1, -2, -3, -4}));
    EXPECT_EQ(real_parts(scan.frames[0]), (Numbers{2, 3, 100, 5, 6, 7, 8}));
}

/// A line of a point at voxel 2 of 16: exp(-i 2 pi k 2 / 16) at each k, and more of it at k = 0.
Acquisition line_of(int first, int last, bool reversed, int center) {
    const int count = last - first + 1;
    Acquisition a = readout(count, 1, 0);
    for (int k = first; k <= last; ++k) {
        const auto at = static_cast<uint16_t>(reversed ? last - k : k - first);
        a.data(at, 0) = std::complex<float>(std::polar(k == 0 ? 2.0 : 1.0, -pi * k / 4));
    }
    a.center_sample() = static_cast<uint16_t>(center);
    if (reversed) {
        a.setFlag(ISMRMRD::ISMRMRD_ACQ_IS_REVERSE);
    }
    set_dwell(a, 1000);
    return a;
}

// Whole lines, of which the readings differ by a sample, and partial echoes.
TEST(Ismrmrd, CentersOfReversedLinesAreWhereTheirSamplesAreStrong) {
    const Sizes sizes{16, 8, 1};
    ReadOptions options;
    options.with_times = true;
    for (const auto& [first, last] :
         std::vector<std::pair<int, int>>{{-8, 7}, {-3, 7}, {-8, 2}, {-7, 7}, {-4, 4}}) {
        for (const int center : {-first, last}) { // from the start of k-space, in the array
            Acquisition forward = line_of(first, last, false, -first);
            const Acquisition backward = line_of(first, last, true, center);
            for (const bool both : {false, true}) {
                forward.idx().repetition = 1;
                const Scan scan =
                    read_ismrmrd(write(both ? std::vector<Acquisition>{backward, forward}
                                            : std::vector<Acquisition>{backward},
                                       header(sizes, sizes)),
                                 options);
                const Frame& frame = scan.frames[0];
                for (std::size_t i = 0; i < frame.samples.columns(); ++i) {
                    const double k = frame.trajectory->positions[i][0];
                    EXPECT_EQ(k, last - static_cast<int>(i)) << first << ", " << center;
                    EXPECT_NEAR(frame.trajectory->times(static_cast<Eigen::Index>(i)), -1e-3 * k,
                                1e-8);
                }
                EXPECT_EQ(has_fact(scan, "counts from the start of k-space"),
                          center == -first && -first != last);
                EXPECT_EQ(has_fact(scan, "counts in the stored array"),
                          center == last && -first != last);
            }
        }
    }
}

TEST(Ismrmrd, CartesianCentersComeFromTheEncodingLimits) {
    Sizes sizes;
    sizes.z = 4;
    sizes.fov_z = 40;
    const std::string limits =
        "<kspace_encoding_step_1><minimum>0</minimum><maximum>5</maximum><center>3</center>"
        "</kspace_encoding_step_1>";
    Acquisition a = readout(8, 1, 0);
    a.idx().kspace_encode_step_1 = 5;
    a.idx().kspace_encode_step_2 = 3;
    const Scan scan = read({a, readout(8, 1, 0)}, header(sizes, sizes, limits));
    EXPECT_EQ(scan.grid.dimensions, 3);
    EXPECT_EQ(scan.frames[0].trajectory->positions[0], (Vec3{-4, 2, 1}));
}

TEST(Ismrmrd, FurtherTrajectoryDimensionsAreIgnoredAndNoted) {
    for (const int dimensions : {3, 4}) {
        const Scan scan = read({readout(8, 1, dimensions)});
        EXPECT_EQ(scan.frames[0].trajectory->positions[1], (Vec3{-3, 0.25, 0}));
        const Finding unused = test::find(scan.findings, Found::dimensions_unused);
        EXPECT_EQ(unused.number("used"), 2);
        EXPECT_EQ(unused.number("stored"), dimensions);
    }
}

TEST(Ismrmrd, ThreeDimensionsUseThree) {
    Sizes sizes;
    sizes.z = 8;
    for (const int dimensions : {3, 4}) {
        const Scan scan = read({readout(8, 1, dimensions)}, header(sizes, sizes));
        EXPECT_EQ(scan.grid.dimensions, 3);
        EXPECT_EQ(scan.frames[0].trajectory->positions[1], (Vec3{-3, 0.25, 0.5}));
        EXPECT_EQ(found(scan, Found::dimensions_unused), dimensions == 4);
    }
}

TEST(Ismrmrd, AStackTakesKzFromThePartition) {
    Sizes sizes;
    sizes.z = 6;
    Acquisition a = readout(8, 1, 2);
    for (int i = 0; i < 8; ++i) {
        a.traj(0, static_cast<uint16_t>(i)) /= 8;
        a.traj(1, static_cast<uint16_t>(i)) /= 8;
    }
    a.idx().kspace_encode_step_2 = 1;
    Acquisition next = a;
    next.idx().kspace_encode_step_2 = 2;
    const Scan scan = read({a, next}, header(sizes, sizes));
    EXPECT_EQ(scan.frames[0].trajectory->positions[1], (Vec3{-3, 0.25, -2}));
    EXPECT_TRUE(has_fact(scan, "kz is kspace_encode_step_2"));
}

TEST(Ismrmrd, FourUnitsAreFound) {
    Sizes sizes{64, 64, 1, 240, 240, 5};
    for (const auto& [units, factor] :
         std::vector<std::pair<std::string, double>>{{"cycles/fov", 1},
                                                     {"cycles/voxel", 64},
                                                     {"rad/voxel", 64 / (2 * pi)},
                                                     {"1/m", 0.24}}) {
        Acquisition a = readout(64, 1, 2);
        for (float* value = a.traj_begin(); value != a.traj_end(); ++value) {
            *value = static_cast<float>(*value / factor);
        }
        for (const std::string& given : {std::string(), units}) {
            const Scan scan = read({a}, header(sizes, sizes), given);
            const Vec3 k = scan.frames[0].trajectory->positions[0];
            // One rounding to float on the way into the file.
            EXPECT_NEAR(k[0], -32, 32 * 6e-8) << units;
            EXPECT_NEAR(k[1], 0.25, 0.25 * 6e-8) << units;
            EXPECT_EQ(has_fact(scan, "trajectory units " + units + ", found"), given.empty());
        }
    }
}

TEST(Ismrmrd, GivenUnitsWin) {
    const Scan scan = read({readout(8, 1, 2)}, header({}, {}), "cycles/voxel");
    EXPECT_EQ(scan.frames[0].trajectory->positions[0], (Vec3{-32, 2, 0}));
    EXPECT_THROW(read({readout(8, 1, 2)}, header({}, {}), "furlong"), UsageError);
}

TEST(Ismrmrd, ImpossibleDirectionsAreNoted) {
    Acquisition a = readout(8, 1, 2);
    set_vector(a.read_dir(), {2, 0, 0});
    const Scan scan = read({a});
    EXPECT_FALSE(scan.grid.directions);
    EXPECT_TRUE(found(scan, Found::directions_not_orthonormal));
}

// Python's writers of XML give every element one, such as ns1:ismrmrdHeader.
TEST(Ismrmrd, PrefixesOfANamespaceAreLeftOut) {
    const Sizes sizes{8, 6, 1};
    const std::string plain = header(sizes, sizes);
    std::string prefixed;
    for (std::size_t i = 0; i < plain.size(); ++i) {
        prefixed += plain[i];
        const bool opens = plain[i] == '<' && plain[i + 1] != '/' && plain[i + 1] != '?';
        if (opens || (plain[i] == '/' && plain[i - 1] == '<')) {
            prefixed += "ns1:";
        }
    }
    const std::string unnamed = "xmlns=";
    prefixed.replace(prefixed.find(unnamed), unnamed.size(), "xmlns:ns1=");
    const Scan expected = read({readout(8, 1, 2)}, plain);
    const Scan scan = read({readout(8, 1, 2)}, prefixed);
    EXPECT_EQ(scan.grid.size, expected.grid.size);
    EXPECT_EQ(scan.grid.fov_mm, expected.grid.fov_mm);
    EXPECT_EQ(first_coordinates(scan.frames[0]), first_coordinates(expected.frames[0]));
}

// Without directions, and the first of them at the isocentre.
TEST(Ismrmrd, PositionsOfSlicesAreKeptWithoutDirections) {
    std::vector<Acquisition> slices(3, readout(8, 1, 2));
    for (std::size_t i = 0; i < 3; ++i) {
        slices[i].idx().slice = static_cast<uint16_t>(i);
        set_vector(slices[i].read_dir(), {0, 0, 0});
        set_vector(slices[i].phase_dir(), {0, 0, 0});
        set_vector(slices[i].slice_dir(), {0, 0, 0});
        set_vector(slices[i].position(), {0, 0, 6 * static_cast<float>(i)});
    }
    const Scan scan = read(slices);
    EXPECT_FALSE(scan.grid.directions);
    ASSERT_TRUE(scan.grid.position);
    EXPECT_EQ(*scan.grid.position, (Vec3{0, 0, 0}));
    for (std::size_t f = 0; f < 3; ++f) {
        ASSERT_TRUE(scan.frames[f].position);
        EXPECT_EQ(*scan.frames[f].position, (Vec3{0, 0, 6 * static_cast<double>(f)}));
    }
    for (Acquisition& slice : slices) {
        set_vector(slice.position(), {0, 0, 0});
    }
    EXPECT_FALSE(read(slices).grid.position);
}

} // namespace
} // namespace lsrecon::ismrmrd_test

#endif
