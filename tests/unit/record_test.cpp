#include "io/record.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"

namespace lsrecon {
namespace {

using testing::ElementsAre;
using testing::Pair;

TEST(Record, FindingsOfTheRunFollowThoseOnReading) {
    const Finding on_reading{Found::epi_ghost};
    const Finding of_both{Found::voxels_far, {{"largest", 9.6}}};
    const Finding of_run{Found::noise_map_relative};
    Scan scan;
    scan.facts = {"coils prewhitened"};
    scan.findings = {on_reading, of_both};
    Record record = make_record(scan, {}, {{"lambda", "0.1"}});
    add_findings(record, scan, {on_reading, of_run, of_both});
    const auto [notes, rest] = notes_and_rest(record);
    ASSERT_EQ(notes.size(), 3U);
    EXPECT_EQ(notes[0].code, "epi_ghost");
    EXPECT_EQ(notes[1].code, "voxels_far");
    EXPECT_EQ(notes[2].code, "noise_map_relative");
    EXPECT_EQ(value_in(record, "remark_1"), words_of(of_both));
    EXPECT_EQ(value_in(record, "remark_2"), words_of(of_run));
    EXPECT_EQ(value_in(rest, "lambda"), "0.1");
    EXPECT_EQ(value_in(rest, "fact_0"), "coils prewhitened") << "is not a note";
    for (const auto& [name, value] : rest) {
        EXPECT_EQ(name.find("remark"), std::string::npos) << name;
    }
}

TEST(Record, ANoteOfAnotherProgramHasNoCode) {
    const auto [notes, rest] = notes_and_rest({{"remark_0", "a remark"}});
    ASSERT_EQ(notes.size(), 1U);
    EXPECT_EQ(notes[0].code, "other");
    EXPECT_EQ(notes[0].words, "a remark");
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
    Findings found;
    for (int i = 0; i < 1000; ++i) {
        found.push_back({Found::maps_by_walsh, {{"frame", i}}});
    }
    Record record;
    add_findings(record, {}, found);
    EXPECT_EQ(notes_and_rest(record).first.size(), 101U);
    EXPECT_EQ(value_in(record, "remark_100"), "and 900 notes more");
}

} // namespace
} // namespace lsrecon
