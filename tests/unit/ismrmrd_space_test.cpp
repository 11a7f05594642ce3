#ifdef LSRECON_WITH_ISMRMRD

#include <cmath>
#include <gtest/gtest.h>

#include "io/ismrmrd/readouts.hpp"
#include "ismrmrd_maker.hpp"

// The space that the image covers, and readouts that are sampled more densely than it needs.

namespace lsrecon::ismrmrd_test {
namespace {

constexpr double turn = 2 * pi;
/// Of values up to 3 in single precision, after transforms in double.
constexpr double rounding = 4 * 6e-8 * 3;

/// sum_p rho_p exp(-i 2 pi k p / n) of objects at whole voxels p of n along x.
std::complex<double> signal(const std::vector<std::pair<int, double>>& object, double k, int n) {
    std::complex<double> sum = 0;
    for (const auto& [p, rho] : object) {
        sum += rho * std::polar(1.0, -turn * k * p / n);
    }
    return sum;
}

const std::vector<std::pair<int, double>> inside{{-4, 1.0}, {-1, 0.5}, {2, 0.625}, {3, 0.25}};

/// And through what lies outside of the middle half.
const std::vector<std::pair<int, double>> whole{{-8, 0.5}, {-6, 0.75}, {-5, 0.125},
                                                {-4, 1.0}, {-1, 0.5},  {2, 0.625},
                                                {3, 0.25}, {4, 0.25},  {7, 0.375}};

/// A Cartesian line of 16 samples.
Acquisition line(int ky, bool reversed) {
    Acquisition a = readout(16, 1, 0);
    for (int i = 0; i < 16; ++i) {
        const auto at = static_cast<uint16_t>(reversed ? 15 - i : i);
        a.data(at, 0) = std::complex<float>(signal(whole, i - 8, 16));
    }
    if (reversed) {
        a.setFlag(ISMRMRD::ISMRMRD_ACQ_IS_REVERSE);
    }
    a.idx().kspace_encode_step_1 = static_cast<uint16_t>(ky);
    set_dwell(a, 5);
    return a;
}

const Sizes oversampled{16, 8, 1, 480, 240, 5};

TEST(IsmrmrdSpace, CartesianReadoutsLoseTheirOversampling) {
    Acquisition noise = readout(4, 1, 0);
    noise.setFlag(19);
    set_dwell(noise, 40);
    const Scan scan = read({noise, line(1, false), line(2, true)}, header(oversampled, {}));
    EXPECT_EQ(scan.grid.size, (std::array<std::size_t, 3>{8, 8, 1}));
    EXPECT_EQ(scan.grid.fov_mm, (Vec3{240, 240, 5}));
    const Frame& frame = scan.frames[0];
    ASSERT_EQ(frame.samples.columns(), 16u);
    for (std::size_t i = 0; i < 16; ++i) {
        const double k = i < 8 ? static_cast<double>(i) - 4 : 11 - static_cast<double>(i);
        EXPECT_EQ(frame.trajectory->positions[i], (Vec3{k, i < 8 ? -3.0 : -2.0, 0}));
        EXPECT_LT(std::abs(frame.samples(0, i) - signal(inside, k, 8)), rounding) << i;
    }
    EXPECT_TRUE(has_fact(scan, "readouts are oversampled 2 times"));
    EXPECT_FALSE(has_fact(scan, "reconstruction space"));
    EXPECT_EQ(scan.noise(0, 0), Complex(2, -2)); // sqrt(40 / (2 * 5))
}

// What is kept is what a shift of the image will bring into it: voxels -2 to 5, or where its mirror
// image has -4 to 3, -5 to 2.
TEST(IsmrmrdSpace, ReadoutsAreCroppedAroundTheImageThatIsAskedFor) {
    Acquisition forward = line(1, false);
    Acquisition backward = line(2, true);
    for (Acquisition* a : {&forward, &backward}) {
        set_vector(a->position(), {0, 60, 7});
        set_vector(a->read_dir(), {0, 1, 0});
        set_vector(a->phase_dir(), {1, 0, 0});
        set_vector(a->slice_dir(), {0, 0, -1});
    }
    const std::string path = write({forward, backward}, header(oversampled, {}));
    for (const bool mirrored : {false, true}) {
        for (const bool by_position : {false, true}) {
            ReadOptions options;
            options.image.shift_to_position = by_position;
            if (!by_position) {
                options.image.shift_mm = {-60, 0};
            }
            options.image.conjugate = mirrored;
            const Scan scan = read_ismrmrd(path, options);
            std::vector<std::pair<int, double>> object;
            for (const auto& [p, rho] : whole) {
                if (mirrored ? -5 <= p && p < 3 : -2 <= p && p < 6) {
                    object.emplace_back(p, rho);
                }
            }
            for (std::size_t i = 0; i < 16; ++i) {
                const double k = scan.frames[0].trajectory->positions[i][0];
                EXPECT_LT(std::abs(scan.frames[0].samples(0, i) - signal(object, k, 8)), rounding)
                    << i << ", mirrored " << mirrored << ", by position " << by_position;
            }
        }
    }
}

// Also what --fov-mm asks for beyond the reconstruction space, or nothing is cut away at all.
TEST(IsmrmrdSpace, ReadoutsAreCroppedToTheWiderFieldOfView) {
    const std::string path = write({line(1, false), line(2, true)}, header(oversampled, {}));
    for (const auto& [fov, kept] : std::vector<std::pair<double, int>>{
             {100, 8}, {240, 8}, {300, 10}, {301, 11}, {480, 16}, {700, 16}}) {
        ReadOptions options;
        options.image.fov_mm = {fov, fov};
        const Scan scan = read_ismrmrd(path, options);
        EXPECT_EQ(scan.grid.size, (std::array<std::size_t, 3>{8, 8, 1})) << fov;
        std::vector<std::pair<int, double>> object;
        for (const auto& [p, rho] : whole) {
            if (-(kept / 2) <= p && p < kept - kept / 2) {
                object.emplace_back(p, rho);
            }
        }
        const Frame& frame = scan.frames[0];
        ASSERT_EQ(frame.samples.columns(), static_cast<std::size_t>(2 * kept)) << fov;
        for (std::size_t i = 0; i < frame.samples.columns(); ++i) {
            const double k = frame.trajectory->positions[i][0]; // cycles per 240 mm
            EXPECT_LT(std::abs(frame.samples(0, i) - signal(object, k, 8)), 4 * rounding)
                << fov << " mm, sample " << i << " at " << k;
        }
    }
}

TEST(IsmrmrdSpace, NoiseIsThatOfTheWiderFieldOfView) {
    Acquisition noise = readout(4, 1, 0);
    noise.setFlag(19);
    set_dwell(noise, 20);
    const std::string path = write({noise, line(1, false)}, header(oversampled, {}));
    for (const auto& [fov, factor] :
         std::vector<std::pair<double, double>>{{240, 0.5}, {360, 0.75}, {480, 1}}) {
        ReadOptions options;
        options.image.fov_mm = {fov, fov};
        EXPECT_FLOAT_EQ(static_cast<float>(read_ismrmrd(path, options).noise(0, 0).real()),
                        static_cast<float>(2 * std::sqrt(factor)));
    }
}

// Beside kx = 0 there must be samples on both sides, an eighth of those on the other at least.
TEST(IsmrmrdSpace, LinesThatEndNearTheCentreOfKSpaceAreNotCropped) {
    const Sizes encoded{32, 8, 1, 480, 240, 5};
    const Sizes recon{16, 8, 1, 240, 240, 5};
    const auto part = [](int samples, int center, bool reversed) {
        Acquisition a = readout(samples, 1, 0);
        a.center_sample() = static_cast<uint16_t>(center);
        if (reversed) {
            a.setFlag(ISMRMRD::ISMRMRD_ACQ_IS_REVERSE);
        }
        return a;
    };
    for (const bool reversed : {false, true}) {
        EXPECT_EQ(read({part(18, 2, reversed)}, header(encoded, recon)).frames.size(), 1u);
        EXPECT_EQ(read({part(18, 16, reversed)}, header(encoded, recon)).frames.size(), 1u);
        EXPECT_EQ(read({part(6, 3, reversed)}, header(encoded, recon)).frames.size(), 1u);
        const Fault fault = refusal([&] { read({part(17, 1, reversed)}, header(encoded, recon)); });
        EXPECT_EQ(fault.thing, "/dataset/data, acquisition 0, kx");
        EXPECT_EQ(fault.found, "from -1 to 15 cycles per FOV");
        EXPECT_TRUE(has(fault.expected, "9/16 of a line")) << fault.expected;
        EXPECT_EQ(refusal([&] { read({part(17, 16, reversed)}, header(encoded, recon)); }).found,
                  "from -16 to 0 cycles per FOV");
        EXPECT_EQ(refusal([&] { read({part(8, 10, reversed)}, header(encoded, recon)); }).found,
                  "from -10 to -3 cycles per FOV");
        EXPECT_EQ(read({part(17, 1, reversed)}, header(encoded, encoded)).grid.size[0], 32u);
    }
}

/// What a line of so many samples is refused for; "" where it is read.
std::string other_reading(int samples, const Sizes& encoded, const Sizes& recon,
                          const ReadOptions& options = {}) {
    const std::string path = write({readout(samples, 1, 0)}, header(encoded, recon));
    try {
        read_ismrmrd(path, options);
    } catch (const InputError& error) {
        return error.fault().next_step;
    }
    return "";
}

TEST(IsmrmrdSpace, LinesWithoutTheOversamplingOfTheHeaderAreRefusedWithBothReadings) {
    const Sizes recon{32, 16, 1, 240, 240, 5};
    for (const double times : {1.25, 1.5, 2.0}) {
        const int x = static_cast<int>(32 * times);
        const Sizes encoded{x, 16, 1, 240 * times, 240, 5};
        EXPECT_EQ(other_reading(x, encoded, recon), "") << times;
        EXPECT_EQ(other_reading(x - 4, encoded, recon), "") << "an echo in part, " << times;
        const std::string refused = other_reading(32, encoded, recon);
        EXPECT_TRUE(has(refused, "matrix=32,16,1 and `header` fov_mm=240,240, if")) << refused;
        EXPECT_TRUE(has(refused, text("matrix=", x, ",16,1 and `header` fov_mm=", 240 * times)))
            << refused;
        const Sizes fov_alone{32, 16, 1, 240 * times, 240, 5};
        EXPECT_TRUE(has(other_reading(32, fov_alone, recon), "matrix=32,16,1 and `header` "
                                                             "fov_mm=240,240, if their"));
        const Sizes of_finer_image{64, 32, 1, 240, 240, 5};
        EXPECT_EQ(other_reading(x, encoded, of_finer_image), "") << times;
        EXPECT_NE(other_reading(32, encoded, of_finer_image), "") << times;
        for (const int given : {32, x}) {
            ReadOptions options;
            options.header["matrix"] = {double(given), 16, 1};
            options.header["fov_mm"] = {240.0 * given / 32, 240};
            EXPECT_EQ(other_reading(32, encoded, recon, options), "") << given;
        }
    }
}

TEST(IsmrmrdSpace, OversampledLinesUnderAHeaderWithoutItAreRefusedWithBothReadings) {
    const Sizes recon{32, 16, 1, 240, 240, 5};
    const std::string oversampling = "pass `header` matrix=64,16,1 and `header` fov_mm=480,240, if";
    const std::string longer = other_reading(64, recon, recon);
    EXPECT_TRUE(has(longer, oversampling + " lines are oversampled")) << longer;
    EXPECT_TRUE(has(longer, "matrix=64,16,1 and `header` fov_mm=240,240, if voxels are smaller"))
        << longer;
    const Sizes matrix_alone{64, 16, 1, 240, 240, 5};
    const std::string doubled = other_reading(64, matrix_alone, recon);
    EXPECT_TRUE(has(doubled, oversampling + " they are oversampled")) << doubled;
    EXPECT_EQ(other_reading(64, matrix_alone, {32, 8, 1, 240, 240, 5}), "") << "a coarser image";
    EXPECT_EQ(other_reading(64, matrix_alone, {64, 64, 1, 240, 240, 5}), "") << "fewer lines";
}

TEST(IsmrmrdSpace, OtherDifferencesOfACartesianScanAreReportedAndKept) {
    Sizes encoded = oversampled;
    encoded.y = 10;
    encoded.fov_y = 300;
    const Scan scan = read({line(1, false)}, header(encoded, {}));
    EXPECT_EQ(scan.grid.size, (std::array<std::size_t, 3>{8, 10, 1}));
    EXPECT_EQ(scan.grid.fov_mm, (Vec3{240, 300, 5}));
    EXPECT_TRUE(has_fact_with(scan, {"not the reconstruction space", "8 x 8 x 1",
                                     "240 x 240 x 5 mm", "`matrix`", "`fov_mm`"}));
}

TEST(IsmrmrdSpace, AStoredTrajectoryIsRescaledWhenReadoutsAloneAreOversampled) {
    const Scan scan = read({readout(16, 1, 2)}, header(oversampled, {}));
    EXPECT_EQ(scan.grid.size, (std::array<std::size_t, 3>{8, 8, 1}));
    EXPECT_EQ(scan.grid.fov_mm, (Vec3{240, 240, 5}));
    EXPECT_EQ(scan.frames[0].trajectory->positions[1], (Vec3{-3.5, 0.25, 0}));
    EXPECT_EQ(real_parts(scan.frames[0])[1], 2);
    Sizes encoded = oversampled;
    encoded.fov_y = 300;
    const Scan kept = read({readout(16, 1, 2)}, header(encoded, {}));
    EXPECT_EQ(kept.grid.size, (std::array<std::size_t, 3>{16, 8, 1}));
    EXPECT_TRUE(has_fact_with(kept, {"encoded space", "16 x 8 x 1", "480 x 300 x 5 mm"}));
    EXPECT_FALSE(has_fact(read({readout(8, 1, 2)}), "space"));
}

// Both spaces have voxels of one size.
TEST(IsmrmrdSpace, ATrajectoryThatFillsTheFieldOfViewOfTheImageAloneIsAmbiguous) {
    const Sizes recon{16, 16, 1, 240, 240, 5};
    Acquisition spoke = readout(16, 1, 2);
    for (uint16_t i = 0; i < 16; ++i) { // along the diagonal
        spoke.traj(1, i) = spoke.traj(0, i);
    }
    for (const Sizes& encoded : {Sizes{32, 32, 1, 480, 480, 5}, Sizes{32, 16, 1, 480, 240, 5},
                                 Sizes{20, 20, 1, 300, 300, 5}}) {
        const Fault fault = refusal([&] { read({spoke}, header(encoded, recon)); });
        EXPECT_TRUE(has(fault.found, "field of view of reconSpace")) << fault.found;
        EXPECT_TRUE(has(fault.next_step, "`header` matrix=16,16,1 and `header` fov_mm=240,240, if"))
            << fault.next_step;
        EXPECT_EQ(read({spoke}, header(encoded, recon), "cycles/fov").trajectory_units,
                  "cycles/fov");
        ReadOptions options;
        options.header["matrix"] = {16, 16, 1};
        options.header["fov_mm"] = {240, 240};
        EXPECT_EQ(read_ismrmrd(write({spoke}, header(encoded, recon)), options).trajectory_units,
                  "cycles/fov");
    }
    EXPECT_EQ(read({spoke}, header(recon, recon)).trajectory_units, "cycles/fov");
    EXPECT_EQ(read({spoke}, header(recon, {8, 8, 1, 120, 120, 5})).trajectory_units, "cycles/fov");
}

// A stack whose slices are oversampled, too, and readouts in all three dimensions.
TEST(IsmrmrdSpace, SlicesThatAreOversampledKeepNoReadoutsOversampled) {
    for (const int dimensions : {2, 3}) {
        std::vector<Acquisition> spokes(2, readout(16, 1, dimensions));
        for (int i = 0; i < 2; ++i) {
            spokes[i].idx().kspace_encode_step_2 = static_cast<uint16_t>(i);
            for (uint16_t at = 0; at < 16 && dimensions == 3; ++at) {
                spokes[i].traj(2, at) = static_cast<float>(i - 1);
            }
        }
        for (const int z : {12, 10}) {
            const Scan scan =
                read(spokes, header({16, 8, 12, 480, 240, 72}, {8, 8, z, 240, 240, 6.0 * z}),
                     "cycles/fov");
            EXPECT_EQ(scan.grid.size, (std::array<std::size_t, 3>{8, 8, 12})) << z;
            EXPECT_EQ(scan.grid.fov_mm, (Vec3{240, 240, 72})) << z;
            EXPECT_EQ(scan.frames[0].trajectory->positions[0][0], -4) << z;
            EXPECT_EQ(has_fact(scan, "not the reconstruction space"), z == 10);
        }
    }
}

// A grid that is smaller averages no samples.
TEST(IsmrmrdSpace, NoiseIsThatOfTheSamplesWhereReadoutsStayWhole) {
    Acquisition noise = readout(4, 1, 0);
    noise.setFlag(19);
    set_dwell(noise, 20);
    Acquisition spoke = readout(16, 1, 2);
    set_dwell(spoke, 5);
    const Scan scan = read({noise, spoke}, header(oversampled, {}));
    EXPECT_EQ(scan.grid.size[0], 8u);
    EXPECT_EQ(scan.noise(0, 0), Complex(2, -2)); // sqrt(20 / 5)
}

TEST(ReadoutCrop, KeepsAFractionOfAPixel) {
    EXPECT_EQ(ReadoutCrop(0.5).kept(16), 8u);
    EXPECT_EQ(ReadoutCrop(0.5).kept(15), 8u);
    EXPECT_EQ(ReadoutCrop(1.0 / 3).kept(48), 16u);
    EXPECT_EQ(ReadoutCrop(0.1).kept(1), 1u);
}

std::string epi(const std::string& description) {
    std::string xml = header({}, {});
    const std::string other = "<trajectory>other</trajectory>";
    return xml.replace(xml.find(other), other.size(), "<trajectory>epi</trajectory>" + description);
}

std::string trapezoid(const std::string& name, const std::string& dwell = "1.0") {
    std::string xml = "<trajectoryDescription><identifier>" + name + "</identifier>";
    for (const auto& [parameter, value] :
         std::vector<std::pair<std::string, std::string>>{{"rampUpTime", "2"},
                                                          {"flatTopTime", "4"},
                                                          {"rampDownTime", "2"},
                                                          {"acqDelayTime", "0"},
                                                          {"numSamples", "8"}}) {
        xml += "<userParameterLong><name>" + parameter + "</name><value>" + value +
               "</value></userParameterLong>";
    }
    return xml + "<userParameterDouble><name>dwellTime</name><value>" + dwell +
           "</value></userParameterDouble></trajectoryDescription>";
}

TEST(IsmrmrdEpi, SamplesLieWhereTheGradientIs) {
    Acquisition forward = readout(8, 1, 0);
    Acquisition backward = readout(8, 1, 0);
    backward.setFlag(ISMRMRD::ISMRMRD_ACQ_IS_REVERSE);
    backward.idx().kspace_encode_step_1 = 5;
    const Scan scan = read({forward, backward}, epi(trapezoid("ConventionalEPI")));
    // The gradient's area up to the middle of each sample, of 6 in all.
    const std::vector<double> area{0.0625, 0.5625, 1.5, 2.5, 3.5, 4.5, 5.4375, 5.9375};
    for (std::size_t i = 0; i < 8; ++i) {
        const double k = 8 * (area[i] - 3) / 6;
        EXPECT_NEAR(scan.frames[0].trajectory->positions[i][0], k, 4 * 6e-8);
        EXPECT_NEAR(scan.frames[0].trajectory->positions[8 + i][0], -k, 4 * 6e-8);
        EXPECT_EQ(scan.frames[0].trajectory->positions[8 + i][1], 1);
    }
    EXPECT_TRUE(found(scan, Found::epi_ghost));
}

TEST(IsmrmrdEpi, NoiseIsThatOfTheSamplesAlsoOfASmallerGrid) {
    std::string xml = header(oversampled, {});
    const std::string other = "<trajectory>other</trajectory>";
    xml.replace(xml.find(other), other.size(),
                "<trajectory>epi</trajectory>" + trapezoid("ConventionalEPI"));
    Acquisition noise = readout(4, 1, 0);
    noise.setFlag(19);
    set_dwell(noise, 20);
    Acquisition line = readout(8, 1, 0);
    set_dwell(line, 5);
    const Scan scan = read({noise, line}, xml);
    EXPECT_EQ(scan.grid.size[0], 8u);
    EXPECT_EQ(scan.noise(0, 0), Complex(2, -2)); // sqrt(20 / 5)
}

TEST(IsmrmrdEpi, WithoutTimesItIsRefused) {
    for (const std::string& xml : {epi(""), epi(trapezoid("Other"))}) {
        const Fault fault = refusal([&] { read({readout(8, 1, 0)}, xml); });
        EXPECT_EQ(fault.thing, "/dataset/data, acquisition 0, trajectory_dimensions");
        EXPECT_TRUE(has(fault.expected, "no trajectoryDescription")) << fault.expected;
    }
    EXPECT_EQ(read({readout(8, 1, 2)}, epi("")).frames.size(), 1u);
    EXPECT_EQ(refusal([] { read({readout(6, 1, 0)}, epi(trapezoid("ConventionalEPI"))); }).thing,
              "/dataset/data, acquisition 0, number_of_samples");
    for (const std::string dwell : {"0", "2", "x", "-1"}) {
        EXPECT_TRUE(has(refusal([&] {
                            read({readout(8, 1, 0)}, epi(trapezoid("ConventionalEPI", dwell)));
                        }).thing,
                        "trajectoryDescription"))
            << dwell;
    }
    std::string lacking = trapezoid("ConventionalEPI");
    lacking.replace(lacking.find("flatTopTime"), 11, "flatTopTide");
    EXPECT_EQ(refusal([&] { read({readout(8, 1, 0)}, epi(lacking)); }).found, "it is missing");
}

} // namespace
} // namespace lsrecon::ismrmrd_test

#endif
