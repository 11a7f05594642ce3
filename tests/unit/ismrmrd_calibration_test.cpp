#ifdef LSRECON_WITH_ISMRMRD

#include <gtest/gtest.h>

#include "io/formats.hpp"
#include "ismrmrd_maker.hpp"

// Which lines for calibration alone are the image's, too, and reference scans of another encoding.

namespace lsrecon::ismrmrd_test {
namespace {

constexpr int calibration_alone = 20;

/// A line of 8 samples at this step along ky, whose first value is the step.
Acquisition line(int step, bool is_calibration = false) {
    Acquisition a = readout(8, 1, 0, static_cast<float>(step));
    a.idx().kspace_encode_step_1 = static_cast<uint16_t>(step);
    set_vector(a.read_dir(), {1, 0, 0});
    set_vector(a.phase_dir(), {0, 1, 0});
    set_vector(a.slice_dir(), {0, 0, 1});
    if (is_calibration) {
        a.setFlag(calibration_alone);
    }
    return a;
}

/// Every other line, and two between them for calibration.
std::vector<Acquisition> embedded() {
    return {line(0), line(2), line(3, true), line(4), line(5, true), line(6)};
}

std::string with_mode(const std::string& mode) {
    std::string xml = header({}, {});
    return xml.insert(xml.find("</encoding>"), "<parallelImaging><accelerationFactor>"
                                               "<kspace_encoding_step_1>2</kspace_encoding_step_1>"
                                               "<kspace_encoding_step_2>1</kspace_encoding_step_2>"
                                               "</accelerationFactor><calibrationMode>" +
                                                   mode + "</calibrationMode></parallelImaging>");
}

std::size_t lines_of_image(const std::vector<Acquisition>& acquisitions,
                           const std::string& use = "auto",
                           const std::string& xml = header({}, {})) {
    ReadOptions options;
    options.calibration_lines = use;
    return read_ismrmrd(write(acquisitions, xml), options).frames.front().samples.columns() / 8;
}

TEST(IsmrmrdCalibrationLines, AreTheImagesWhereItsReadoutMeasuredThem) {
    const Scan scan = read(embedded());
    const Frame& frame = scan.frames.front();
    ASSERT_EQ(frame.samples.columns(), 48u);
    EXPECT_EQ(frame.samples(0, 16).real(), 3) << "in the order of the file";
    EXPECT_EQ(frame.trajectory->positions[16], (Vec3{-4, -1, 0}));
    ASSERT_EQ(scan.calibrations.size(), 1u);
    EXPECT_EQ(scan.calibrations.front().samples.columns(), 16u);
    EXPECT_TRUE(has_fact_with(scan, {"2 of 2 acquisitions", "in the image, too"}));
    for (const std::string mode : {"embedded", "interleaved"}) {
        EXPECT_EQ(lines_of_image(embedded(), "auto", with_mode(mode)), 6u) << mode;
    }
    EXPECT_EQ(lines_of_image(embedded(), "maps"), 4u);
}

TEST(IsmrmrdCalibrationLines, OfAnotherReadoutMakeMapsAloneUnlessAskedFor) {
    using Change = std::function<void(std::vector<Acquisition>&)>;
    const std::vector<std::pair<const char*, Change>> changes{
        {"centre", [](auto& all) { all[2].center_sample() = 3; }},
        {"discarded", [](auto& all) { all[2].discard_post() = 1; }},
        {"dwell", [](auto& all) { set_dwell(all[2], 3); }},
        {"reversed", [](auto& all) { all[2].setFlag(22); }},
        {"elsewhere",
         [](auto& all) {
             set_vector(all[2].position(), {0, 0, 1});
         }},
        {"turned",
         [](auto& all) {
             set_vector(all[2].slice_dir(), {0, 0, -1});
         }},
        {"measured by the image", [](auto& all) { all[2].idx().kspace_encode_step_1 = 2; }},
        {"beyond", [](auto& all) { all[2].idx().kspace_encode_step_1 = 7; }},
        {"before", [](auto& all) { std::rotate(all.begin(), all.begin() + 2, all.begin() + 3); }},
        {"after", [](auto& all) { std::rotate(all.begin() + 2, all.begin() + 3, all.end()); }}};
    for (const auto& [what, change] : changes) {
        std::vector<Acquisition> lines = embedded();
        change(lines);
        const std::size_t discarded = std::string(what) == "discarded" ? 1 : 0;
        EXPECT_EQ(lines_of_image(lines), 5u) << what;
        ReadOptions options;
        options.calibration_lines = "image";
        EXPECT_EQ(read_ismrmrd(write(lines), options).frames.front().samples.columns(),
                  48 - discarded)
            << what;
    }
    for (const std::string mode : {"separate", "external", "other"}) {
        EXPECT_EQ(lines_of_image(embedded(), "auto", with_mode(mode)), 4u) << mode;
        EXPECT_EQ(lines_of_image(embedded(), "image", with_mode(mode)), 6u) << mode;
    }
}

TEST(IsmrmrdCalibrationLines, OfOtherCountersOrCoilsMakeNoFrame) {
    std::vector<Acquisition> lines = embedded();
    lines[2].idx().contrast = 1;
    lines[4] = readout(8, 2, 0, 5);
    lines[4].setFlag(calibration_alone);
    for (const std::string use : {"auto", "image"}) {
        EXPECT_EQ(lines_of_image(lines, use), 4u) << use;
    }
    ReadOptions options;
    options.join = {"contrast"};
    EXPECT_EQ(read_ismrmrd(write(lines), options).frames.front().samples.columns(), 40u);
}

TEST(IsmrmrdCalibrationLines, AreComparedWithThoseOfTheirFrame) {
    std::vector<Acquisition> lines;
    for (const int slice : {0, 1}) {
        for (Acquisition one : embedded()) {
            one.idx().slice = static_cast<uint16_t>(slice);
            set_vector(one.position(), {0, 0, 10.0F * static_cast<float>(slice)});
            lines.push_back(one);
        }
    }
    std::swap(lines[2], lines[8]); // each was measured between the lines of the other slice
    const Scan scan = read(lines);
    ASSERT_EQ(scan.frames.size(), 2u);
    for (const Frame& frame : scan.frames) {
        EXPECT_EQ(frame.samples.columns(), 40u);
    }
}

/// The header with a second encoding of another space.
std::string with_reference(const Sizes& of_reference) {
    std::string xml = header({}, {});
    return xml.insert(xml.find("</ismrmrdHeader>"),
                      "<encoding>" + space("encodedSpace", of_reference) +
                          space("reconSpace", of_reference) +
                          "<encodingLimits/><trajectory>other</trajectory></encoding>");
}

/// All lines of a slice in the second encoding, of a square matrix.
std::vector<Acquisition> reference_lines(int matrix, int slice = 0, int channels = 1) {
    std::vector<Acquisition> lines;
    for (int step = 0; step < matrix; ++step) {
        Acquisition a = readout(matrix, channels, 0, 100);
        a.encoding_space_ref() = 1;
        a.setFlag(calibration_alone);
        a.idx().kspace_encode_step_1 = static_cast<uint16_t>(step);
        a.idx().slice = static_cast<uint16_t>(slice);
        set_vector(a.position(), {0, 0, 10.0F * static_cast<float>(slice)});
        set_vector(a.read_dir(), {1, 0, 0});
        set_vector(a.phase_dir(), {0, 1, 0});
        set_vector(a.slice_dir(), {0, 0, 1});
        lines.push_back(a);
    }
    return lines;
}

std::vector<Acquisition> lines_of(int slice) {
    std::vector<Acquisition> lines{line(0), line(2), line(4), line(6)};
    for (Acquisition& one : lines) {
        one.idx().slice = static_cast<uint16_t>(slice);
        set_vector(one.position(), {0, 0, 10.0F * static_cast<float>(slice)});
    }
    return lines;
}

std::vector<Acquisition> joined(const std::vector<std::vector<Acquisition>>& parts) {
    std::vector<Acquisition> all;
    for (const auto& part : parts) {
        all.insert(all.end(), part.begin(), part.end());
    }
    return all;
}

TEST(IsmrmrdReference, IsRelatedToTheFieldOfTheImage) {
    const Scan whole =
        read(joined({reference_lines(16), lines_of(0)}), with_reference({16, 16, 1, 480, 360, 5}));
    ASSERT_EQ(whole.calibrations.size(), 1u);
    const std::vector<Vec3>& k = whole.calibrations.front().trajectory->positions;
    EXPECT_EQ(k.front(), (Vec3{-4, -4, 0})) << "lines beyond N/2 of the image are left out";
    EXPECT_EQ(k[1], (Vec3{-3.5, -4, 0}));
    EXPECT_FALSE(found(whole, Found::encoding_left_out));
    EXPECT_EQ(whole.frames.front().samples.columns(), 32u);
    EXPECT_TRUE(has_fact_with(whole, {"kept 16 acquisitions", "encoding 1"}));
}

TEST(IsmrmrdReference, ServesTheSlicesThatAreRead) {
    const std::string xml = with_reference({8, 8, 1, 240, 240, 5});
    const std::vector<Acquisition> lines =
        joined({reference_lines(8, 2), reference_lines(8, 1), lines_of(0), lines_of(1)});
    const Scan scan = read(lines, xml);
    ASSERT_EQ(scan.calibrations.size(), 1u);
    EXPECT_EQ(scan.calibrations.front().label, "slice 1");
    EXPECT_EQ(scan.calibrations.front().position, (Vec3{0, 0, 10}));
    ReadOptions options;
    options.counters[0] = IndexList("0");
    const Scan other = read_ismrmrd(write(lines, xml), options);
    EXPECT_TRUE(other.calibrations.empty());
    EXPECT_TRUE(found(other, Found::encoding_left_out));
}

TEST(IsmrmrdReference, StaysWithACommandWhereItCannotServe) {
    const Sizes same{8, 8, 1, 240, 240, 5};
    const auto is_left_out = [](const std::vector<Acquisition>& lines, const std::string& xml) {
        const Scan scan = read(lines, xml);
        const bool left_out = found(scan, Found::encoding_left_out);
        EXPECT_EQ(scan.calibrations.empty(), left_out);
        return left_out;
    };
    const std::vector<Acquisition> image = lines_of(0);
    EXPECT_FALSE(is_left_out(joined({reference_lines(8), image}), with_reference(same)));
    EXPECT_TRUE(
        is_left_out(joined({reference_lines(8), image}), with_reference({8, 8, 1, 240, 200, 5})))
        << "a smaller field of view";
    std::vector<Acquisition> volume = reference_lines(8);
    for (std::size_t i = 0; i < volume.size(); ++i) {
        volume[i].idx().kspace_encode_step_2 = static_cast<uint16_t>(i);
    }
    EXPECT_TRUE(is_left_out(joined({volume, image}), with_reference({8, 8, 8, 240, 240, 40})))
        << "a volume";
    EXPECT_TRUE(
        is_left_out(joined({reference_lines(6), image}), with_reference({6, 6, 1, 240, 240, 5})))
        << "ends at 3 cycles";
    EXPECT_TRUE(is_left_out(joined({reference_lines(8, 0, 2), image}), with_reference(same)))
        << "other coils";
    std::vector<Acquisition> elsewhere = image;
    for (Acquisition& one : elsewhere) {
        set_vector(one.position(), {0, 0, 6});
    }
    EXPECT_TRUE(is_left_out(joined({reference_lines(8), elsewhere}), with_reference(same)));
    std::vector<Acquisition> own = image;
    own[1].setFlag(21);
    EXPECT_TRUE(found(read(joined({reference_lines(8), own}), with_reference(same)),
                      Found::encoding_left_out))
        << "calibration of its own";
    std::vector<Acquisition> damaged = reference_lines(8);
    damaged[0].data(0, 0) = {NAN, 0};
    EXPECT_TRUE(is_left_out(joined({damaged, image}), with_reference(same)));
}

} // namespace
} // namespace lsrecon::ismrmrd_test

#endif
