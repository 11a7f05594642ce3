#include "io/part_file.hpp"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "support/surroundings.hpp"

namespace lsrecon {
namespace {

namespace fs = std::filesystem;

const Identity identity{{"scan_sha256", "abc"}, {"lambda", "0.01"}};

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

class PartFileTest : public testing::Test {
protected:
    void write(std::initializer_list<std::size_t> frames) {
        PartFile part(image_, identity, true);
        for (const std::size_t index : frames) {
            part.add(frame_of(index));
        }
    }
    std::vector<std::size_t> resumed(const Identity& of = identity) {
        const PartFile part(image_, of, true);
        std::vector<std::size_t> result;
        for (std::size_t i = 0; i < part.frames().size(); ++i) {
            const FinishedFrame& frame = part.frames()[i];
            EXPECT_EQ(part.values(i), frame_of(frame.index).values);
            result.push_back(frame.index);
        }
        return result;
    }
    Finding refusal(const Identity& of = identity) {
        try {
            const PartFile part(image_, of, true);
        } catch (const InputError& error) {
            return error.finding();
        }
        ADD_FAILURE() << "it was taken";
        return {};
    }

    using Indices = std::vector<std::size_t>;
    test::TemporaryFolder folder_;
    std::string image_ = folder_.file("image.h5");
    std::string path_ = folder_.file("image.h5.part");
};

TEST_F(PartFileTest, EverythingOfAFrameComesBack) {
    write({4, 0});
    write({2});
    const PartFile part(image_, identity, true);
    ASSERT_EQ(part.frames().size(), 3U);
    const FinishedFrame& found = part.frames()[2];
    const FinishedFrame expected = frame_of(2);
    EXPECT_EQ(found.index, 2U);
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
    EXPECT_EQ(part.values(2), expected.values);
    EXPECT_EQ(part.values(0), frame_of(4).values);
}

TEST_F(PartFileTest, DoesNotExistBeforeTheFirstFrameAndAfterTheLast) {
    {
        PartFile part(image_, identity, true);
        EXPECT_EQ(folder_.entries(), 0U);
        EXPECT_NO_THROW(PartFile::require_none(image_));
        part.add(frame_of(0));
        EXPECT_TRUE(fs::exists(path_));
        EXPECT_THROW(PartFile::require_none(image_), UsageError);
        part.remove();
    }
    EXPECT_EQ(folder_.entries(), 0U);
}

TEST_F(PartFileTest, ARecordThatWasCutOffDoesNotCount) {
    write({0, 1});
    const std::uintmax_t two = fs::file_size(path_);
    write({2});
    const std::uintmax_t three = fs::file_size(path_);
    const std::string whole = test::read_text(path_);
    for (std::uintmax_t size = two; size < three; ++size) {
        test::write_text(path_, whole.substr(0, size));
        EXPECT_EQ(resumed(), (Indices{0, 1})) << size;
    }
    for (std::uintmax_t size = 0; size < two; size += 7) {
        test::write_text(path_, whole.substr(0, size));
        EXPECT_LE(resumed().size(), 1U) << size;
    }
    test::write_text(path_, whole.substr(0, three - 1));
    write({2, 3}); // in its place
    EXPECT_EQ(resumed(), (Indices{0, 1, 2, 3}));
    EXPECT_EQ(test::read_text(path_).substr(0, three), whole);
}

TEST_F(PartFileTest, ARecordThatWasChangedEndsTheFile) {
    write({0, 1, 2});
    const std::string whole = test::read_text(path_);
    for (std::size_t at = whole.size() / 2; at < whole.size(); ++at) {
        std::string damaged = whole;
        damaged[at] = static_cast<char>(damaged[at] ^ 1);
        test::write_text(path_, damaged);
        EXPECT_LE(resumed().size(), 2U) << at;
    }
    // Lengths of what is not there, as after a power cut.
    test::write_text(path_, whole + std::string(1000, '\xff'));
    EXPECT_EQ(resumed(), (Indices{0, 1, 2}));
    test::write_text(path_, whole + std::string(1000, '\0'));
    EXPECT_EQ(resumed(), (Indices{0, 1, 2}));
}

TEST_F(PartFileTest, OfAnotherScanOrOtherOptionsIsRefusedByName) {
    write({0});
    Identity other = identity;
    other[1].second = "0.1";
    const Finding finding = refusal(other);
    EXPECT_EQ(finding.file, path_);
    EXPECT_NE(finding.thing.find("lambda"), std::string::npos);
    EXPECT_EQ(finding.found, "\"0.01\"");
    EXPECT_NE(finding.expected.find("0.1"), std::string::npos);
    other = identity;
    other.emplace_back("q_sha256", "1");
    EXPECT_EQ(refusal(other).found, "no such entry");
    EXPECT_NE(refusal(other).expected.find("\"q_sha256 = 1\""), std::string::npos);
    other = {identity[0]};
    EXPECT_EQ(refusal(other).found, "\"lambda = 0.01\"");
    EXPECT_NE(refusal(other).expected.find("no such entry"), std::string::npos);
    other = identity;
    other.emplace_back("the trajectory has the other sign (--conjugate)", "");
    EXPECT_NE(refusal(other).expected.find("\"the trajectory has the other sign (--conjugate)\""),
              std::string::npos);
    EXPECT_EQ(resumed(), Indices{0}) << "nothing was lost";
}

TEST_F(PartFileTest, AFileThatIsNotAPartIsLeftAlone) {
    for (const std::string content :
         {"a letter to the editor, of some length", "lsrecon-part 1\n\0"}) {
        const std::string padded = content + std::string(200, ' ');
        test::write_text(path_, padded);
        EXPECT_NE(refusal().found.find("not a part"), std::string::npos);
        EXPECT_EQ(test::read_text(path_), padded);
    }
}

TEST_F(PartFileTest, TwoProcessesDoNotShareOne) {
    PartFile part(image_, identity, true);
    part.add(frame_of(0));
    EXPECT_THROW(PartFile(image_, identity, true), UsageError);
}

} // namespace
} // namespace lsrecon
