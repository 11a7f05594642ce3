#include "io/record.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"

namespace lsrecon {
namespace {

using testing::ElementsAre;

TEST(Record, NotesOfTheRunFollowTheRemarksOnReading) {
    Scan scan;
    scan.facts = {"coils prewhitened"};
    scan.remarks = {"skipped one", "units 1/m"};
    Record record = make_record(scan, {}, {{"lambda", "0.1"}});
    add_notes(record, scan, {"skipped one", "the limit ended the solve", "units 1/m"});
    const auto [notes, rest] = notes_and_rest(record);
    EXPECT_THAT(notes, ElementsAre("skipped one", "units 1/m", "the limit ended the solve"));
    EXPECT_EQ(value_in(rest, "lambda"), "0.1");
    EXPECT_EQ(value_in(rest, "fact_0"), "coils prewhitened") << "is not a note";
    EXPECT_EQ(record.back().first, "remark_2");
}

TEST(Record, VeryManyNotesAreCounted) {
    std::vector<std::string> said;
    for (int i = 0; i < 1000; ++i) {
        said.push_back(text("note ", i));
    }
    Record record;
    add_notes(record, {}, said);
    EXPECT_EQ(record.size(), 101U);
    EXPECT_EQ(record.back().second, "and 900 notes more");
}

} // namespace
} // namespace lsrecon
