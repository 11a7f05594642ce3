#pragma once

#include <gtest/gtest.h>

#include "support/arrays.hpp"
#include "support/case.hpp"

namespace lsrecon::test {

/// Tests of one precision of one device. Skipped without: the tests of the label "device" say when
/// that is a failure (support/device_fixture.hpp).
class ArraysFixture : public testing::TestWithParam<ArrayCase> {
protected:
    void SetUp() override {
        on.open();
        if (!on.opened) {
            GTEST_SKIP() << "no device";
        }
        if (!on.device().has(on.precision)) {
            GTEST_SKIP() << "a device without this precision";
        }
    }

    ArrayCase on = GetParam();
    Random random{7};

    Array of(const ComplexVector& values) { return uploaded(on, values); }
    ComplexVector vector(std::size_t count) { return random.vector(count); }
    double bound(double roundings = 4) const { return roundings * on.epsilon(); }
};

} // namespace lsrecon::test
