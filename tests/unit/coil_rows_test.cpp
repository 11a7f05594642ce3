#include "base/coil_rows.hpp"

#include <gtest/gtest.h>
#include <limits>
#include <memory>

#include "scan/check.hpp"
#include "scan/scan.hpp"

namespace lsrecon {
namespace {

using Float = std::numeric_limits<float>;
using Double = std::numeric_limits<double>;

CoilRows::Floats some_floats() {
    CoilRows::Floats values(2, 3);
    values << std::complex<float>(1, -2), std::complex<float>(0.1F, 0), std::complex<float>(0, 3),
        std::complex<float>(4, 0), std::complex<float>(0, -5.5F), std::complex<float>(2, 2);
    return values;
}

TEST(CoilRows, KeepsThePrecisionItIsGiven) {
    const CoilRows floats(some_floats());
    EXPECT_EQ(floats.precision(), Precision::float32);
    EXPECT_EQ(floats.rows(), 2U);
    EXPECT_EQ(floats.columns(), 3U);
    EXPECT_FALSE(floats.empty());
    const CoilRows doubles(CoilMatrix::Ones(3, 4));
    EXPECT_EQ(doubles.precision(), Precision::float64);
    EXPECT_TRUE(CoilRows().empty());
    EXPECT_TRUE(CoilRows(5, 0, Precision::float32).empty());
    EXPECT_EQ(CoilRows(5, 0, Precision::float32).rows(), 5U) << "coils are known before samples";
}

TEST(CoilRows, ValuesOfSomebodyElseAreCopiedOnlyToBeChanged) {
    const auto theirs = std::make_shared<const CoilRows::Floats>(some_floats());
    CoilRows rows = CoilRows::of(theirs->data(), 2, 3, theirs);
    EXPECT_EQ(rows, CoilRows(some_floats()));
    EXPECT_EQ(rows.precision(), Precision::float32);
    const auto first = [](const CoilRows& of) {
        return of.visit([](const auto& values) { return static_cast<const void*>(values.data()); });
    };
    const CoilRows copy = rows;
    EXPECT_EQ(first(copy), theirs->data());
    EXPECT_EQ(theirs.use_count(), 3);
    rows.visit([](auto& values) { values *= 2; });
    EXPECT_EQ(rows, CoilRows(CoilRows::Floats(2 * some_floats())));
    EXPECT_EQ(*theirs, some_floats());
    EXPECT_EQ(theirs.use_count(), 2);
}

TEST(CoilRows, FloatsBecomeTheSameDoubles) {
    const CoilRows rows(some_floats());
    EXPECT_EQ(rows.to_doubles(), some_floats().cast<Complex>().eval());
    EXPECT_EQ(rows(0, 1), Complex(static_cast<double>(0.1F), 0));
    EXPECT_EQ(rows, CoilRows(rows.to_doubles()));
    EXPECT_NE(rows, CoilRows(CoilMatrix(2 * rows.to_doubles())));
    EXPECT_NE(rows, CoilRows(CoilMatrix::Ones(3, 2)));
}

TEST(CoilRows, KnowsItsLargestPartAfterAChange) {
    CoilRows rows(some_floats());
    EXPECT_EQ(rows.largest_part(), 5.5);
    rows.know_largest_part(5.5);
    rows.visit([](auto& values) { values *= 2; });
    EXPECT_EQ(rows.largest_part(), 11);
    CoilRows doubles(CoilMatrix::Zero(2, 2));
    EXPECT_EQ(doubles.largest_part(), 0);
    doubles.doubles()(1, 0) = {0, -Double::denorm_min()};
    EXPECT_EQ(doubles.largest_part(), Double::denorm_min());
}

template <typename Number> void expect_found_everywhere(Number value) {
    for (const std::size_t size : {1U, 63U, 64U, 65U, 597U}) {
        for (std::size_t at = 0; at < size; at += size / 7 + 1) {
            std::vector<Number> numbers(size, Number(-2));
            numbers[at] = value;
            LargestPart largest;
            largest.add(numbers.data(), size);
            if (std::isfinite(value)) {
                EXPECT_EQ(largest.value(), std::abs(static_cast<double>(value)));
            } else {
                EXPECT_FALSE(std::isfinite(largest.value())) << at << " of " << size;
            }
        }
    }
}

TEST(LargestPart, IsFoundWhereverItIs) {
    expect_found_everywhere<float>(-3);
    expect_found_everywhere<double>(3);
    expect_found_everywhere(Float::max());
    expect_found_everywhere(Double::max());
    expect_found_everywhere(Float::infinity());
    expect_found_everywhere(-Double::infinity());
    expect_found_everywhere(Float::quiet_NaN());
    expect_found_everywhere(-Float::quiet_NaN());
    expect_found_everywhere(Double::quiet_NaN());
}

TEST(LargestPart, AddsUpOverPieces) {
    const std::vector<float> large{1, Float::infinity()};
    const std::vector<double> small{-4, 2};
    LargestPart largest;
    EXPECT_EQ(largest.value(), 0);
    largest.add(small.data(), 2);
    EXPECT_EQ(largest.value(), 4);
    largest.add(large.data(), 2);
    largest.add(small.data(), 2);
    EXPECT_EQ(largest.value(), Double::infinity());
}

TEST(CoilRows, ScansOfFloatsNeedNoDoubles) {
    Scan scan;
    Trajectory trajectory;
    trajectory.positions = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}};
    CoilRows::Floats values = some_floats();
    values.row(1).setZero();
    scan.frames = {{std::make_shared<const Trajectory>(trajectory), values, "", {}}};
    SampleCheck check(scan);
    check.add(scan.frames[0].samples);
    ASSERT_FALSE(check.end().empty());
    EXPECT_EQ(check.end().front().code, Found::coil_silent);
    const Frame chosen = subset(scan.frames[0], {2, 0});
    EXPECT_EQ(chosen.samples.precision(), Precision::float32);
    EXPECT_EQ(chosen.samples(0, 0), Complex(0, 3));
    EXPECT_EQ(chosen.samples(0, 1), Complex(1, -2));
    const SumOfSquares squares = sum_of_squares(some_floats());
    EXPECT_EQ(squares.largest, 5.5 * 5.5 + static_cast<double>(0.1F) * static_cast<double>(0.1F));
    EXPECT_EQ(squares.voxels, 3U);
}

} // namespace
} // namespace lsrecon
