// Arrays of other programs: numbers of NumPy in every layout, text, and axes found by their sizes.

#include "io/arrays.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "io/import_axes.hpp"
#include "io/trajectory_rules.hpp"
#include "support/surroundings.hpp"

namespace lsrecon {
namespace {

using test::TemporaryFolder;
using test::write_text;

/// A file of numpy.save with this version of the format.
std::string npy(char version, const std::string& type, const std::string& order,
                const std::string& shape, const std::string& values) {
    const std::string header =
        "{'descr': '" + type + "', 'fortran_order': " + order + ", 'shape': (" + shape + "), }\n";
    std::string length(version == 1 ? 2 : 4, '\0');
    length[0] = static_cast<char>(header.size());
    return std::string("\x93NUMPY") + version + '\0' + length + header + values;
}

class StoredArrays : public testing::Test {
protected:
    StoredArray open(const std::string& content, const std::string& name = "a.npy") const {
        write_text(folder_.path() / name, content);
        return open_array(folder_.path() / name, "any");
    }

    TemporaryFolder folder_;
};

TEST_F(StoredArrays, NumpyHasThreeVersionsTwoOrdersOfBytesAndOfIndices) {
    const std::string little("\1\0\2\0\3\0\4\0\5\0\6\0", 12);
    const std::string big("\0\1\0\2\0\3\0\4\0\5\0\6", 12);
    for (const char version : {1, 2, 3}) {
        EXPECT_EQ(real_values(open(npy(version, "<i2", "False", "2, 3", little))),
                  (std::vector<double>{1, 2, 3, 4, 5, 6}));
    }
    EXPECT_EQ(real_values(open(npy(1, ">u2", "False", "2, 3", big))),
              (std::vector<double>{1, 2, 3, 4, 5, 6}));
    const StoredArray columns = open(npy(1, "<i2", "True", "2, 3", little));
    EXPECT_EQ(columns.shape.extents, (std::vector<std::size_t>{2, 3}));
    EXPECT_EQ(real_values(columns), (std::vector<double>{1, 3, 5, 2, 4, 6}));
}

TEST_F(StoredArrays, ComplexNumbersOfTheOtherOrderOfBytes) {
    const std::string one_and_two("\x3f\x80\0\0\x40\0\0\0", 8); // 1 + 2i of floats, big-endian
    const StoredArray array = open(npy(1, ">c8", "False", "1,", one_and_two));
    EXPECT_EQ(array.values(1)(0, 0), Complex(1, 2));
    EXPECT_EQ(array.values(1).precision(), Precision::float32);
}

TEST_F(StoredArrays, RefusesWhatDoesNotMatchItsBytes) {
    const std::string eight(8, '\0');
    for (const std::string& wrong :
         {npy(1, "<f8", "False", "2,", eight), npy(1, "<f2", "False", "4,", eight),
          npy(1, "|O", "False", "1,", eight), npy(1, "<f8", "False", "0, 3", eight),
          npy(1, "<f8", "False", "99999999999, 99999999999", eight),
          npy(1, "<f8", "False", "1,", eight).substr(0, 20)}) {
        EXPECT_THROW(open(wrong), InputError) << wrong.substr(10, 60);
    }
}

TEST_F(StoredArrays, TextIsLinesOfNumbersUnderNames) {
    const StoredArray array = open("# k\nkx, ky\n1, 2\n3;4\n\n5 6\n", "k.csv");
    EXPECT_EQ(array.shape.extents, (std::vector<std::size_t>{3, 2}));
    EXPECT_EQ(real_values(array), (std::vector<double>{1, 2, 3, 4, 5, 6}));
    EXPECT_THROW(open("1 2\n3\n", "k.csv"), InputError);
    EXPECT_THROW(open("no numbers\nat all\n", "k.csv"), InputError);
}

/// Axes of an array in the order of C.
ArrayAxes axes(const std::vector<std::size_t>& sizes) {
    StoredArray array;
    array.shape.extents = sizes;
    return axes_of(array);
}

TEST(ImportAxes, PointsAreFoundWhereverTheyAre) {
    const auto found = [](const std::vector<std::size_t>& samples,
                          const std::vector<std::size_t>& points) {
        const auto result = find_points(axes(samples), points);
        return result ? std::vector{sizes_of(result->frames), sizes_of(result->coils),
                                    sizes_of(result->points)}
                      : std::vector<std::vector<std::size_t>>();
    };
    using Sizes = std::vector<std::vector<std::size_t>>;
    EXPECT_EQ(found({8, 100}, {100}), (Sizes{{}, {8}, {100}}));
    EXPECT_EQ(found({100, 8}, {100}), (Sizes{{}, {8}, {100}}));
    EXPECT_EQ(found({5, 8, 100}, {100}), (Sizes{{5}, {8}, {100}}));
    EXPECT_EQ(found({100, 8, 5}, {100}), (Sizes{{5}, {8}, {100}}));
    EXPECT_EQ(found({8, 10, 20}, {10, 20}), (Sizes{{}, {8}, {10, 20}}));
    EXPECT_EQ(found({10, 8, 20}, {10, 20}), (Sizes{{}, {8}, {10, 20}}));
    EXPECT_EQ(found({8, 20, 10}, {10, 20}), (Sizes{{}, {8}, {10, 20}}));
    EXPECT_EQ(found({8, 200}, {10, 20}), (Sizes{{}, {8}, {200}}));
    EXPECT_EQ(found({8, 10, 20}, {200}), (Sizes{{}, {8}, {10, 20}}));
    EXPECT_EQ(found({10, 20}, {10, 20}), (Sizes{{}, {}, {10, 20}}));
    EXPECT_TRUE(found({5, 100, 8}, {100}).empty()); // either may be the coils
    EXPECT_TRUE(found({8, 99}, {100}).empty());
}

TEST(TrajectoryRules, WordsAreRulesOrFiles) {
    EXPECT_FALSE(trajectory_rule_of("k.npy"));
    EXPECT_EQ(trajectory_rule_of("golden-angle:23.6")->degrees, 23.6);
    EXPECT_EQ(trajectory_rule_of("stack-of-stars")->kind->range, 180);
    EXPECT_TRUE(trajectory_rule_of("stack-of-stars:golden-angle")->kind->goes_on);
    EXPECT_EQ(trajectory_rule_of("interleaves-of:a.npz:k")->file, "a.npz:k");
    for (const char* const wrong : {"radial:3", "golden-angle:0", "interleaves-of",
                                    "golden-angle:x", "stack-of-stars:interleaves-of:k.npy"}) {
        EXPECT_FALSE(trajectory_rule_of(wrong)) << wrong;
    }
}

} // namespace
} // namespace lsrecon
