// Forms of (A + s)^-1 by a run that is not finished, against those of the eigenvalues of A.

#include "solve/lanczos.hpp"

#include <gtest/gtest.h>

#include "device/host_device.hpp"
#include "support/case.hpp"

namespace lsrecon {
namespace {

constexpr std::size_t count = 40;
constexpr double least_shift = 1e-6;

/// Eigenvalues from 13 to 1e-4, and one that is 0, beside the least shift.
class Diagonal : public SelfAdjoint {
public:
    static double eigenvalue(std::size_t n) {
        return n == 0 ? 0 : 13 * std::pow(10, -5.1 * double(n) / count);
    }
    std::size_t inputs() const override { return count; }
    void apply(const Array& in, Array& out) override {
        ComplexVector values = device.download(in);
        for (std::size_t n = 0; n < count; ++n) {
            values(Eigen::Index(n)) *= eigenvalue(n) + least_shift;
        }
        ++products;
        device.upload(values, out);
    }

    Device& device;
    int products = 0;
    explicit Diagonal(Device& of) : device(of) {}
};

class Forms : public testing::Test {
protected:
    std::unique_ptr<Device> device = make_reference_device();
    Diagonal a{*device};
    ComplexVector b = test::Random(5).vector(count);

    PlainRun run() { return {*device, a, Precision::float64, Volume(b), true}; }
    /// b^H (A + s)^-power b
    double exact(double shift, int power) const {
        double sum = 0;
        for (std::size_t n = 0; n < count; ++n) {
            sum +=
                std::norm(b(Eigen::Index(n))) * std::pow(Diagonal::eigenvalue(n) + shift, -power);
        }
        return sum;
    }
};

TEST_F(Forms, ComeNearThoseOfEigenvaluesFromBelow) {
    PlainRun some = run();
    double distance = std::numeric_limits<double>::infinity();
    for (const int iterations : {4, 8, 16}) {
        some.go_on(iterations, 0);
        ASSERT_EQ(some.coefficients().alphas.size(), std::size_t(iterations));
        const ShiftedForms forms(some.coefficients(), some.squares(), least_shift);
        for (const double shift : {1e-4, 1e-2, 1.0}) {
            EXPECT_LE(forms.at(shift).b_x, exact(shift, 1) * (1 + 1e-9)) << shift;
            EXPECT_LE(forms.at(shift).x_x, exact(shift, 2) * (1 + 1e-9)) << shift;
        }
        const double now = exact(1e-2, 1) - forms.at(1e-2).b_x;
        EXPECT_LT(now, distance);
        distance = now;
    }
    EXPECT_LT(distance, 0.05 * exact(1e-2, 1));
}

TEST_F(Forms, OfARunInPartsAreThoseOfTheWhole) {
    PlainRun whole = run();
    PlainRun parts = run();
    PlainRun between = run(); // in turn with the other
    whole.go_on(12, 0);
    for (const int iterations : {1, 4, 12}) {
        parts.go_on(iterations, 0);
        between.go_on(iterations + 1, 0);
    }
    EXPECT_EQ(parts.coefficients().alphas, whole.coefficients().alphas);
    EXPECT_EQ(parts.coefficients().betas, whole.coefficients().betas);
    EXPECT_EQ(parts.image(), whole.image());
    EXPECT_EQ(a.products, 12 + 12 + 13);
}

TEST_F(Forms, ARunEndsAtItsTarget) {
    PlainRun some = run();
    some.go_on(1000, 0.01);
    const std::size_t iterations = some.coefficients().alphas.size();
    EXPECT_LT(iterations, 200U);
    some.go_on(2000, 0.01);
    EXPECT_EQ(some.coefficients().alphas.size(), iterations);
    PlainRun of_zeros(*device, a, Precision::float64, Volume(ComplexVector::Zero(count)), true);
    of_zeros.go_on(10, 0);
    EXPECT_EQ(of_zeros.image().norm(), 0);
    EXPECT_EQ(ShiftedForms(of_zeros.coefficients(), 0, least_shift).at(1).b_x, 0);
}

} // namespace
} // namespace lsrecon
