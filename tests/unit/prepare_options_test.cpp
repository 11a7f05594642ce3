#include "reconstruct_file.hpp"

#include <gtest/gtest.h>

namespace lsrecon {
namespace {

TEST(PrepareOptions, ReadingKnowsWhereTheImageWillBe) {
    ReadOptions read;
    PrepareOptions options;
    describe_preparation(options, read);
    EXPECT_FALSE(read.one_place || read.mirrored);
    EXPECT_EQ(read.middle_x_mm, 0);
    options.geometry.shift_mm = {12.5, 3}; // to the right: what was left of the middle comes there
    options.geometry.conjugate = true;
    describe_preparation(options, read);
    EXPECT_TRUE(!read.one_place && read.mirrored);
    EXPECT_EQ(read.middle_x_mm, -12.5);
    options.geometry.shift_mm.clear();
    options.geometry.shift_to_position = true;
    describe_preparation(options, read);
    EXPECT_TRUE(read.one_place);
    EXPECT_EQ(read.middle_x_mm, 0);
}

TEST(PrepareOptions, ReadingKnowsOfAnotherGrid) {
    ReadOptions read;
    PrepareOptions options;
    describe_preparation(options, read);
    EXPECT_TRUE(!read.other_grid && read.fov_x_mm == 0);
    options.geometry.matrix = {8, 6};
    describe_preparation(options, read);
    EXPECT_TRUE(read.other_grid && read.fov_x_mm == 0);
    options.geometry.matrix.clear();
    options.geometry.fov_mm = {330, 200};
    describe_preparation(options, read);
    EXPECT_TRUE(read.other_grid && read.fov_x_mm == 330);
}

TEST(PrepareOptions, ReadingKnowsWhatIsUsed) {
    ReadOptions read;
    PrepareOptions options;
    describe_preparation(options, read);
    EXPECT_TRUE(read.whitens && !read.with_times);
    options.whiten = false;
    options.field_map = NamedFile{"field.h5"};
    describe_preparation(options, read);
    EXPECT_TRUE(!read.whitens && read.with_times);
}

} // namespace
} // namespace lsrecon
