#include "io/shared_values.hpp"

#include <gtest/gtest.h>

#include "device/reference_device.hpp"

namespace lsrecon {
namespace {

/// Of 2 x 2 voxels, whose half of Q has so many values.
Q q_of(Device& device, double number, Precision precision) {
    Q q;
    q.grid.size = {2, 2, 1};
    const Voxels half = Voxels::half_differences(q.grid);
    Array array = device.zeros(half.count(), {true, precision});
    device.upload(ComplexVector::Constant(static_cast<Eigen::Index>(half.count()), number), array);
    q.half = Volume(device, array, 3);
    q.error = 1e-7;
    return q;
}

TEST(SharedValues, QComesBackAsItWas) {
    const auto device = make_reference_device();
    for (const Precision precision : {Precision::float32, Precision::float64}) {
        SharedValues shared(1e6);
        const Q q = q_of(*device, 1.0 / 3, precision);
        EXPECT_FALSE(shared.q("key", *device));
        shared.keep("key", q);
        const std::optional<Q> again = shared.q("key", *device);
        ASSERT_TRUE(again);
        EXPECT_EQ(again->half.values(), q.half.values());
        EXPECT_EQ(again->error, q.error);
        EXPECT_EQ(again->half.parked().of_array, precision);
        EXPECT_TRUE(again->grid.same_lattice(q.grid));
        shared.forget_qs();
        EXPECT_FALSE(shared.q("key", *device));
    }
}

TEST(SharedValues, TheOldestQGoesFirstAndATooLargeOneIsNotKept) {
    const auto device = make_reference_device();
    const Q q = q_of(*device, 1, Precision::float64);
    const auto bytes = static_cast<double>(q.half.count() * sizeof(Complex));
    SharedValues two(2.5 * bytes);
    for (const char* const key : {"a", "b", "c"}) {
        two.keep(key, q);
    }
    EXPECT_FALSE(two.q("a", *device));
    EXPECT_TRUE(two.q("b", *device));
    EXPECT_TRUE(two.q("c", *device));
    SharedValues none(0.5 * bytes);
    none.keep("a", q);
    EXPECT_FALSE(none.q("a", *device));
}

} // namespace
} // namespace lsrecon
