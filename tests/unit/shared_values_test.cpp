#include "io/shared_values.hpp"

#include <gtest/gtest.h>

namespace lsrecon {
namespace {

TEST(SharedValues, TheOldestQGoesFirstAndATooLargeOneIsNotKept) {
    const StoredQ q{{}, {ComplexVector::Constant(10, 1)}, 0};
    const double bytes = 10 * sizeof(Complex);
    SharedValues two(2.5 * bytes);
    for (const char* const key : {"a", "b", "c"}) {
        two.keep(key, q);
    }
    EXPECT_FALSE(two.q("a"));
    EXPECT_TRUE(two.q("b"));
    EXPECT_TRUE(two.q("c"));
    SharedValues none(0.5 * bytes);
    none.keep("a", q);
    EXPECT_FALSE(none.q("a"));
}

} // namespace
} // namespace lsrecon
