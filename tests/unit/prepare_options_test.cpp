#include "reconstruct_file.hpp"

#include <gtest/gtest.h>

namespace lsrecon {
namespace {

TEST(PrepareOptions, ReadingKnowsWhatTheyNeed) {
    PrepareOptions options;
    ReadOptions read_options;
    read_options.low_resolution = true;
    const ReadOptions by_default = reading_for(options, read_options);
    EXPECT_TRUE(by_default.low_resolution && by_default.whitens && !by_default.with_times);
    EXPECT_FALSE(by_default.image.any());
    options.whiten = false;
    options.field_map = NamedFile{"field.h5"};
    options.geometry.shift_mm = {12.5, 3};
    const ReadOptions read = reading_for(options, read_options);
    EXPECT_TRUE(!read.whitens && read.with_times);
    EXPECT_EQ(read.image.shift_mm, options.geometry.shift_mm);
}

TEST(PrepareOptions, WordsOfFieldsThatAreRefined) {
    for (const std::string word :
         {"", "auto", "none", "f.h5", "refine", "refine:auto", "refine:f.h5"}) {
        const FieldSource source = field_source(word);
        EXPECT_EQ(word_of(source), word);
        EXPECT_EQ(source.is_refined, word.rfind("refine", 0) == 0) << word;
    }
    EXPECT_EQ(file_of(field_source("refine:f.h5")), "f.h5");
    EXPECT_THROW(field_source("refine:none"), UsageError);
}

} // namespace
} // namespace lsrecon
