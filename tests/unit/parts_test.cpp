// Readouts and coils that stand out of others by what an image leaves of them.

#include "scan/parts.hpp"

#include <gtest/gtest.h>
#include <random>

using namespace lsrecon;

namespace {

using Numbers = std::vector<std::size_t>;

/// Parts whose energies fall from 1000 to `least`, with noise of energy 1 each, and this share of
/// model error, within a factor of two.
EnergyOfParts parts(std::size_t count, double share, double least = 1) {
    std::mt19937_64 generator(5);
    std::uniform_real_distribution<double> factor(0.7, 1.4);
    EnergyOfParts result;
    for (std::size_t i = 0; i < count; ++i) {
        const double energy =
            1000 * std::pow(least / 1000, static_cast<double>(i) / static_cast<double>(count - 1));
        result.energy.push_back(energy + 1);
        result.left.push_back(share * factor(generator) * energy + factor(generator));
    }
    return result;
}

TEST(Parts, NoneOfAHealthyScanStandsOut) {
    for (const double share : {0.0, 0.01, 0.3}) {
        EXPECT_EQ(readouts_that_stand_out(parts(100, share)), Numbers()) << share;
        EXPECT_EQ(coils_that_stand_out(parts(8, share, 100)), Numbers()) << share;
    }
}

TEST(Parts, AReadoutStandsOutOfThoseOfLikeEnergy) {
    EnergyOfParts readouts = parts(100, 0.01);
    readouts.left[3] = 0.5 * readouts.energy[3];
    readouts.left[40] = 0.8 * readouts.energy[40];
    EXPECT_EQ(readouts_that_stand_out(readouts), (Numbers{3, 40}));
    for (std::size_t i = 0; i < 60; ++i) { // too many to be exceptions
        readouts.left[i] = (i % 2 == 0 ? 0.9 : 0.01) * readouts.energy[i];
    }
    EXPECT_EQ(readouts_that_stand_out(readouts), Numbers());
}

TEST(Parts, ACoilStandsOutBeyondTheNoise) {
    EnergyOfParts coils = parts(8, 0.01, 100);
    coils.left[1] = 0.6 * coils.energy[1];
    EXPECT_EQ(coils_that_stand_out(coils), Numbers{1});
}

TEST(Parts, FewHaveNoOthersToCompareWith) {
    EXPECT_EQ(readouts_that_stand_out({{1, 1, 1}, {0, 0, 1}}), Numbers());
    EXPECT_EQ(coils_that_stand_out({{1, 1}, {0, 1}}), Numbers());
    EXPECT_EQ(readouts_that_stand_out({}), Numbers());
}

} // namespace
