#include "io/record.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"

namespace lsrecon {
namespace {

using testing::ElementsAre;
using testing::Pair;

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

TEST(Record, IdentityIsOfOptionsFilesScanAndVersion) {
    Record record{{"program", "lsrecon 1"}, {"made", "today"},       {"device", "a GPU"},
                  {"scan", "a.h5"},         {"scan_sha256", "12"},   {"lambda", "0.1"},
                  {"option_reg", "tv:0.1"}, {"option_maps", "m.h5"}, {"option_maps_sha256", "34"},
                  {"fact_0", "whitened"},   {"option_device", "gpu"}};
    EXPECT_THAT(identity_of(record),
                ElementsAre(Pair("program", "lsrecon 1"), Pair("scan_sha256", "12"),
                            Pair("option_reg", "tv:0.1"), Pair("option_maps_sha256", "34"),
                            Pair("option_device", "gpu")));
}

TEST(Record, DifferencesAreNamed) {
    const Record before{{"program", "1"}, {"option_reg", "tv:0.1"}, {"option_maps_sha256", "34"}};
    EXPECT_FALSE(difference(before, before));
    const auto other = [&](std::size_t entry) {
        Record now = before;
        now.erase(now.begin() + static_cast<long>(entry));
        return difference(before, now)->thing + difference(now, before)->thing;
    };
    EXPECT_EQ(other(0), "the programthe program");
    EXPECT_EQ(other(1), "`reg``reg`");
    EXPECT_EQ(other(2), "the file of `maps`the file of `maps`");
    Record now = before;
    now[1].second = "tv:0.2";
    EXPECT_EQ(difference(before, now)->before, "tv:0.1");
    EXPECT_EQ(difference(before, now)->now, "tv:0.2");
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
