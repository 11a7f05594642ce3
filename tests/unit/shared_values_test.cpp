#include "io/shared_values.hpp"

#include <gtest/gtest.h>

#include "device/reference_device.hpp"

namespace lsrecon {
namespace {

TEST(SharedValues, TheOldestQGoesFirstAndATooLargeOneIsNotKept) {
    const auto device = make_reference_device();
    const Q q{{}, Volume(ComplexVector::Constant(10, 1)), 0};
    const auto bytes = static_cast<double>(q.half.count() * sizeof(Complex));
    SharedValues two(2.5 * bytes);
    for (const char* const key : {"a", "b", "c"}) {
        two.keep(key, q);
    }
    EXPECT_FALSE(two.q("a", *device));
    EXPECT_TRUE(two.q("b", *device));
    EXPECT_TRUE(two.q("c", *device));
    two.forget_qs();
    EXPECT_FALSE(two.q("c", *device));
    SharedValues none(0.5 * bytes);
    none.keep("a", q);
    EXPECT_FALSE(none.q("a", *device));
}

} // namespace
} // namespace lsrecon
