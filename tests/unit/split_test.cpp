#include "engines/split.hpp"

#include <cmath>
#include <gtest/gtest.h>

#include "support/case.hpp"

namespace lsrecon {
namespace {

constexpr double largest_k = 0.525; // cycles a voxel, recon/scan/check.hpp

const std::vector<double>& extents() {
    static const std::vector<double> all{0, 1, 2, 8, 63, 64, 100, 333, 1024, 2047, 4096};
    return all;
}

TEST(Split, PartsAddUpToTheValue) {
    test::Random random(7);
    for (const double extent : extents()) {
        const SplitScale scale(extent);
        const double unit = std::ldexp(1.0, -scale.bits());
        for (int n = 0; n < 200; ++n) {
            const double k = random.uniform(-largest_k, largest_k);
            const SplitScale::Parts parts = scale.positions(k);
            const double high = static_cast<double>(parts.high);
            const double low = static_cast<double>(parts.low);
            EXPECT_EQ(std::fmod(high, unit), 0) << "k " << k << ", extent " << extent;
            EXPECT_LE(std::abs(low), unit / 2) << "k " << k << ", extent " << extent;
            EXPECT_LE(std::abs(high + low - k), std::ldexp(unit, -25))
                << "k " << k << ", extent " << extent;
        }
    }
}

TEST(Split, VoxelsAreWholePlusAtMostAHalf) {
    test::Random random(8);
    for (int n = 0; n < 200; ++n) {
        const double u = random.uniform(-4096, 4096);
        const SplitScale::Parts parts = SplitScale::voxel(u);
        const double high = static_cast<double>(parts.high);
        const double low = static_cast<double>(parts.low);
        EXPECT_EQ(high, std::rint(u));
        EXPECT_LE(std::abs(low), 0.5);
        EXPECT_LE(std::abs(high + low - u), std::ldexp(1.0, -25)) << u;
    }
    EXPECT_EQ(SplitScale::voxel(-17).low, 0.0F);
}

struct Triple {
    std::array<float, 3> k;
    std::array<float, 3> u;

    double exact() const {
        double sum = 0;
        for (std::size_t d = 0; d < 3; ++d) {
            sum += static_cast<double>(k[d]) * static_cast<double>(u[d]);
        }
        return sum;
    }
    float plain(std::size_t a, std::size_t b, std::size_t c) const {
        return (k[a] * u[a] + k[b] * u[b]) + k[c] * u[c];
    }
    float fused(std::size_t a, std::size_t b, std::size_t c) const {
        return std::fma(k[a], u[a], std::fma(k[b], u[b], k[c] * u[c]));
    }
};

void expect_exact(const Triple& triple, double extent) {
    for (const std::array<std::size_t, 3>& order :
         {std::array<std::size_t, 3>{0, 1, 2}, {0, 2, 1}, {1, 2, 0}}) {
        EXPECT_EQ(static_cast<double>(triple.plain(order[0], order[1], order[2])), triple.exact())
            << "extent " << extent << ", k " << triple.k[0] << " " << triple.k[1] << " "
            << triple.k[2] << ", u " << triple.u[0] << " " << triple.u[1] << " " << triple.u[2];
        EXPECT_EQ(static_cast<double>(triple.fused(order[0], order[1], order[2])), triple.exact())
            << "extent " << extent;
    }
}

TEST(Split, HighPartsMultiplyAndAddWithoutRounding) {
    test::Random random(9);
    for (const double extent : extents()) {
        const SplitScale scale(extent);
        for (int n = 0; n < 200; ++n) {
            Triple triple{};
            for (std::size_t d = 0; d < 3; ++d) {
                triple.k[d] = scale.positions(random.uniform(-largest_k, largest_k)).high;
                triple.u[d] = SplitScale::voxel(random.uniform(-extent, extent)).high;
            }
            expect_exact(triple, extent);
        }
    }
}

TEST(Split, TheCornerOfEverythingIsStillExact) {
    for (const double extent : extents()) {
        const float k = SplitScale(extent).positions(largest_k).high;
        const float u = static_cast<float>(extent);
        expect_exact({{k, k, k}, {u, u, u}}, extent);
        expect_exact({{k, -k, k}, {u, u, -u}}, extent);
    }
}

// What is left is not exact: it is rounded by 2^-24 of itself, and grows with the square of the
// extent, past 2048 voxels to 4 turns at 4096.
TEST(Split, WhatIsLeftIsBelowTwoTurnsUpTo2048Voxels) {
    for (const double extent : extents()) {
        const double low = std::ldexp(0.5, -SplitScale(extent).bits());
        const double left = 3 * (low * extent + largest_k * 0.5 + low * 0.5);
        EXPECT_LT(left, extent <= 2048 ? 2 : 4) << extent;
    }
}

} // namespace
} // namespace lsrecon
