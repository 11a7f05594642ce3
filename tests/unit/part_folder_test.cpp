#include "io/part_folder.hpp"

#include <algorithm>
#include <filesystem>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "base/error.hpp"
#include "support/surroundings.hpp"

namespace lsrecon {
namespace {

namespace fs = std::filesystem;

const Record settings{{"scan_sha256", "abc"}, {"option_lambda", "0.01"}};
constexpr std::size_t of_series = 8; // frames

FinishedFrame frame_of(std::size_t index) {
    const auto number = static_cast<double>(index);
    FinishedFrame frame;
    frame.index = index;
    frame.image.label = "repetition " + std::to_string(index);
    frame.image.position = Vec3{1, 2, static_cast<double>(index)};
    frame.image.residuals = {{1, 0.5, 0.25}, {1, 0.125}};
    frame.image.solver = "a solver";
    frame.image.stops = {Stop::tolerance, Stop::iterations};
    frame.values = {static_cast<char>(index), -1, 0, 7, 127};
    frame.largest_part = 3.5 * number;
    frame.image.resolved_lambda = 1e-7;
    frame.image.image_error = 1e-5;
    frame.image.late_change = 3e-3;
    frame.image.explained = 0.75;
    frame.image.unexplained = 1.25;
    return frame;
}

class PartFolderTest : public testing::Test {
protected:
    void write(std::initializer_list<std::size_t> frames) {
        PartFolder part(image_, of_series, settings, true);
        for (const std::size_t index : frames) {
            part.add(frame_of(index));
        }
    }
    std::vector<std::size_t> resumed(const std::vector<std::size_t>& damaged = {}) {
        const PartFolder part(image_, of_series, settings, true);
        EXPECT_EQ(part.damaged(), damaged);
        std::vector<std::size_t> result;
        for (std::size_t i = 0; i < part.frames().size(); ++i) {
            const FinishedFrame& frame = part.frames()[i];
            EXPECT_EQ(part.values(i), frame_of(frame.index).values);
            result.push_back(frame.index);
        }
        std::sort(result.begin(), result.end());
        return result;
    }
    Fault refusal(const Record& of = settings) {
        try {
            const PartFolder part(image_, of_series, of, true);
        } catch (const InputError& error) {
            return error.fault();
        }
        ADD_FAILURE() << "it was taken";
        return {};
    }

    using Indices = std::vector<std::size_t>;
    test::TemporaryFolder folder_;
    std::string image_ = folder_.file("image.h5");
    std::string path_ = folder_.file("image.h5.part");
};

TEST_F(PartFolderTest, WhatWasChosenIsKeptForTheSameRunFromTheFirstFrameOn) {
    PartFolder part(image_, of_series, settings, false, "lambda 0.02");
    EXPECT_EQ(PartFolder::chosen_in(image_, settings), "");
    part.add(frame_of(0));
    EXPECT_EQ(PartFolder::chosen_in(image_, settings), "lambda 0.02");
    Record other = settings;
    other.back().second += "0";
    EXPECT_EQ(PartFolder::chosen_in(image_, other), "");
    const std::string whole = test::read_text(path_ + "/chosen");
    std::string damaged = whole;
    damaged[damaged.rfind("0.02")] = '9';
    for (const std::string& bytes : {damaged, whole.substr(0, whole.size() - 9)}) {
        test::write_text(path_ + "/chosen", bytes);
        EXPECT_EQ(PartFolder::chosen_in(image_, settings), "");
    }
    part.remove();
    EXPECT_EQ(PartFolder::chosen_in(image_, settings), "");
}

TEST_F(PartFolderTest, EverythingOfAFrameComesBack) {
    write({4, 0});
    write({2});
    EXPECT_EQ(resumed(), (Indices{0, 2, 4}));
    const PartFolder part(image_, of_series, settings, true);
    const auto two = std::find_if(part.frames().begin(), part.frames().end(),
                                  [](const FinishedFrame& frame) { return frame.index == 2; });
    ASSERT_NE(two, part.frames().end());
    const FinishedFrame& found = *two;
    const FinishedFrame expected = frame_of(2);
    EXPECT_EQ(found.image.label, expected.image.label);
    EXPECT_EQ(found.image.position, expected.image.position);
    EXPECT_EQ(found.image.residuals, expected.image.residuals);
    EXPECT_EQ(found.image.solver, expected.image.solver);
    EXPECT_EQ(found.image.stops, expected.image.stops);
    EXPECT_EQ(found.largest_part, expected.largest_part);
    EXPECT_EQ(found.image.resolved_lambda, expected.image.resolved_lambda);
    EXPECT_EQ(found.image.image_error, expected.image.image_error);
    EXPECT_EQ(found.image.late_change, expected.image.late_change);
    EXPECT_EQ(found.image.explained, expected.image.explained);
    EXPECT_EQ(found.image.unexplained, expected.image.unexplained);
    EXPECT_TRUE(found.values.empty());
}

TEST_F(PartFolderTest, DoesNotExistBeforeTheFirstFrameAndAfterTheLast) {
    {
        PartFolder part(image_, of_series, settings, true);
        EXPECT_EQ(folder_.entries(), 0U);
        EXPECT_NO_THROW(PartFolder::require_none(image_));
        part.add(frame_of(0));
        EXPECT_TRUE(fs::exists(path_));
        EXPECT_THROW(PartFolder::require_none(image_), UsageError);
        part.remove();
    }
    EXPECT_EQ(folder_.entries(), 0U);
}

TEST_F(PartFolderTest, IsReadByThoseWhoMayReadTheImage) {
    test::write_text(image_, "of an earlier run");
    for (const mode_t mode : {0600U, 0640U}) {
        ::chmod(image_.c_str(), mode);
        PartFolder part(image_, of_series, settings, true);
        part.add(frame_of(0));
        struct stat status {};
        ::stat(path_.c_str(), &status);
        EXPECT_EQ(status.st_mode & 0777U, mode == 0600U ? 0700U : 0750U);
        part.remove();
    }
}

TEST_F(PartFolderTest, AFrameThatWasNotFinishedDoesNotCount) {
    write({1});
    // As a file system without O_TMPFILE leaves it.
    test::write_text(path_ + "/lsrecon-0123456789abcdef.part", "lsrecon-part 5");
    EXPECT_EQ(resumed(), Indices{1});
    fs::remove(path_ + "/1"); // killed before the first
    EXPECT_EQ(resumed(), Indices{});
    write({0});
    EXPECT_EQ(resumed(), Indices{0});
}

TEST_F(PartFolderTest, ADamagedFrameIsNoFrame) {
    const auto damage = [&](const std::string& bytes) {
        test::write_text(path_ + "/1", bytes);
        EXPECT_EQ(resumed({1}), Indices{0});
    };
    write({0, 1});
    const std::string whole = test::read_text(path_ + "/1");
    std::string flipped = whole;
    flipped[whole.size() - 2] = '\x40';
    damage(flipped);
    flipped = whole;
    flipped[whole.find("a solver")] = 'A';
    damage(flipped);
    damage(whole.substr(0, whole.size() - 1));
    damage(whole.substr(0, 70));
    damage(whole + '\0');
    damage(test::read_text(path_ + "/0")); // a copy of another
    damage(whole.substr(0, 80) + std::string(8, '\xff')); // as many bytes of text
    write({1});
    EXPECT_EQ(resumed(), (Indices{0, 1})) << "it was solved again";
}

TEST_F(PartFolderTest, AFrameThatIsDamagedLaterIsRefusedByName) {
    PartFolder part(image_, of_series, settings, true);
    part.add(frame_of(3));
    std::string bytes = test::read_text(path_ + "/3");
    test::write_text(path_ + "/3", bytes + "more");
    try {
        part.values(0);
        ADD_FAILURE() << "it was taken";
    } catch (const InputError& error) {
        EXPECT_EQ(error.fault().thing, "frame 3");
    }
}

TEST_F(PartFolderTest, FilesWithOtherNamesAreIgnored) {
    write({2});
    for (const std::string name : {"02", "+2", "8", "999", "99999999999999999999999", "letter"}) {
        fs::copy(path_ + "/2", path_ + "/" + name);
    }
    EXPECT_EQ(resumed(), Indices{2});
}

TEST_F(PartFolderTest, APipeIsNotWaitedFor) {
    write({2});
    ASSERT_EQ(::mkfifo((path_ + "/chosen").c_str(), 0600), 0);
    EXPECT_EQ(PartFolder::chosen_in(image_, settings), "");
    EXPECT_EQ(resumed(), Indices{2});
    ASSERT_EQ(::mkfifo((path_ + "/5").c_str(), 0600), 0);
    EXPECT_EQ(refusal().file, path_ + "/5");
}

TEST_F(PartFolderTest, OfAnotherScanOrOtherOptionsIsRefusedByName) {
    write({0});
    Record other = settings;
    other[1].second = "0.1";
    const Fault fault = refusal(other);
    EXPECT_EQ(fault.file, path_);
    EXPECT_NE(fault.thing.find("`lambda`"), std::string::npos);
    EXPECT_EQ(fault.found, "\"0.01\"");
    EXPECT_NE(fault.expected.find("0.1"), std::string::npos);
    other = settings;
    other.emplace_back("option_maps_sha256", "1");
    EXPECT_NE(refusal(other).thing.find("the file of `maps`"), std::string::npos);
    EXPECT_EQ(refusal(other).found, "nothing");
    other = {settings[0]};
    EXPECT_EQ(refusal(other).found, "\"0.01\"");
    EXPECT_NE(refusal(other).expected.find("nothing"), std::string::npos);
    EXPECT_EQ(resumed(), Indices{0}) << "nothing was lost";
}

TEST_F(PartFolderTest, WhatIsNotAPartIsLeftAlone) {
    test::write_text(path_, "a letter to the editor");
    EXPECT_EQ(refusal().found, "Not a directory");
    EXPECT_EQ(test::read_text(path_), "a letter to the editor");
    fs::remove(path_);
    fs::create_directory(path_);
    for (const std::string content : {"a letter", "lsrecon-part 1\n\0", ""}) {
        test::write_text(path_ + "/7", content + std::string(content.empty() ? 0 : 200, ' '));
        EXPECT_EQ(refusal().file, path_ + "/7");
    }
    EXPECT_THROW(PartFolder::require_none(image_), UsageError);
}

TEST_F(PartFolderTest, TwoProcessesDoNotShareOne) {
    PartFolder part(image_, of_series, settings, true);
    part.add(frame_of(0));
    EXPECT_THROW(PartFolder(image_, of_series, settings, true), UsageError);
}

} // namespace
} // namespace lsrecon
