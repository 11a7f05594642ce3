#include "base/escaped.hpp"

#include <gtest/gtest.h>
#include <sstream>

#include "base/error.hpp"

namespace lsrecon {
namespace {

TEST(Escaped, PrintableTextHasNoControlCharacters) {
    EXPECT_EQ(printable("x<y & \xc3\xa9", 100), "x<y & \xc3\xa9");
    EXPECT_EQ(printable("a\n\t\x1b[31mred\x7f", 100), "a   [31mred ");
    EXPECT_EQ(printable("a\xc2\x9b"
                        "31m\xc2\xa0"
                        "b",
                        100),
              "a  31m\xc2\xa0"
              "b");
    EXPECT_EQ(printable("", 100), "");
}

TEST(Escaped, AValueOfAFileForgesNoLineOfAnError) {
    const std::string words =
        InputError({"a\nb", "x", "1\n  next:     paste this", "\x1b[2J", "stop"}).what();
    std::istringstream lines(words);
    for (const std::string expected : {"a b: x", "  found:    1   next:     paste this",
                                       "  expected:  [2J", "  next:     stop"}) {
        std::string line;
        std::getline(lines, line);
        EXPECT_EQ(line, expected);
    }
    EXPECT_EQ(lines.peek(), std::istringstream::traits_type::eof()) << words;
}

TEST(Escaped, AWordOfACommandIsOneWordForAShell) {
    EXPECT_EQ(shell_word("dataset/image_0.h5"), "dataset/image_0.h5");
    EXPECT_EQ(shell_word("a b; $(c) 'd"), R"('a b; $(c) '\''d')");
    EXPECT_EQ(shell_word(""), "''");
}

TEST(Escaped, LongTextIsCutBetweenCharacters) {
    EXPECT_EQ(printable("abcdef", 6), "abcdef");
    EXPECT_EQ(printable("abcdef", 5), "abcde... (6 bytes)");
    EXPECT_EQ(printable("ab\xe2\x82\xac"
                        "d",
                        4),
              "ab... (6 bytes)");
    EXPECT_EQ(printable("\xc3\xa9\xc3\xa9", 3), "\xc3\xa9... (4 bytes)");
}

} // namespace
} // namespace lsrecon
