#include "engines/time_terms.hpp"

#include <gtest/gtest.h>

namespace lsrecon {
namespace {

/// As many as scans have: up to 40 turns between two voxels, and a decay of some 16 powers of e.
TEST(ExpectedTimeTerms, AreAFewMoreThanThereAre) {
    const double seconds = 0.02;
    const RealVector times = RealVector::LinSpaced(397, 0.001, 0.001 + seconds);
    for (const double decay : {0.0, 20.0, 400.0}) {
        for (const double turns : {0.0, 0.1, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 40.0}) {
            OffResonance off;
            off.field = RealVector::LinSpaced(301, -turns / seconds / 3, turns / seconds * 2 / 3);
            if (decay > 0) {
                off.r2star = RealVector::LinSpaced(301, 0, decay);
            }
            const std::size_t exact = time_terms(times, off, 1e-7).times.size();
            const std::size_t expected = expected_time_terms(times, off);
            EXPECT_GE(expected, exact) << turns << " turns, decay " << decay;
            EXPECT_LE(static_cast<double>(expected), 1.3 * static_cast<double>(exact) + 2)
                << turns << " turns, decay " << decay;
        }
    }
}

} // namespace
} // namespace lsrecon
