#include "support/numbers.hpp"

#include <limits>

#include "support/case.hpp"

namespace lsrecon::test {

double relative_l2(const CoilMatrix& computed, const CoilMatrix& expected) {
    if (computed.rows() != expected.rows() || computed.cols() != expected.cols()) {
        return std::numeric_limits<double>::infinity();
    }
    const double norm = expected.norm();
    return (computed - expected).norm() / (norm > 0 ? norm : 1);
}

double relative_l2(const ComplexVector& computed, const ComplexVector& expected) {
    return relative_l2(CoilMatrix(computed.transpose()), CoilMatrix(expected.transpose()));
}

testing::AssertionResult near(const CoilMatrix& computed, const CoilMatrix& expected,
                              double bound) {
    const double error = relative_l2(computed, expected);
    if (error <= bound) {
        return testing::AssertionSuccess() << "relative L2 error " << error << " <= " << bound;
    }
    testing::AssertionResult failure = testing::AssertionFailure();
    failure << "relative L2 error " << error << ", bound " << bound;
    if (computed.rows() != expected.rows() || computed.cols() != expected.cols()) {
        return failure << "\nshape " << computed.rows() << " x " << computed.cols() << ", expected "
                       << expected.rows() << " x " << expected.cols();
    }
    Eigen::Index row = 0;
    Eigen::Index column = 0;
    (computed - expected).cwiseAbs().maxCoeff(&row, &column);
    return failure << "\nworst at [" << row << ", " << column << "]: " << computed(row, column)
                   << ", expected " << expected(row, column) << "\nnorms " << computed.norm()
                   << " and " << expected.norm();
}

testing::AssertionResult near(const ComplexVector& computed, const ComplexVector& expected,
                              double bound) {
    return near(CoilMatrix(computed.transpose()), CoilMatrix(expected.transpose()), bound);
}

testing::AssertionResult adjoint_test(const Operator& forward, const Operator& adjoint,
                                      std::size_t domain, std::size_t range, double bound,
                                      std::uint64_t seed) {
    Random random(seed);
    const ComplexVector x = random.vector(domain);
    const ComplexVector y = random.vector(range);
    const ComplexVector image = forward(x);
    const ComplexVector back = adjoint(y);
    if (image.size() != y.size() || back.size() != x.size()) {
        return testing::AssertionFailure()
               << "A x has " << image.size() << " elements, expected " << y.size() << "; A^H y has "
               << back.size() << ", expected " << x.size();
    }
    const Complex left = y.dot(image);
    const Complex right = back.dot(x);
    const double difference = std::abs(left - right);
    const double scale = image.norm() * y.norm();
    testing::AssertionResult result =
        difference <= bound * scale ? testing::AssertionSuccess() : testing::AssertionFailure();
    return result << "<A x, y> = " << left << ", <x, A^H y> = " << right << ", difference "
                  << difference / scale << " of ||A x|| ||y|| = " << scale << ", bound " << bound;
}

ComplexVector flat(const CoilMatrix& rows) {
    return Eigen::Map<const ComplexVector>(rows.data(), rows.size());
}

CoilMatrix unflat(const ComplexVector& values, std::size_t rows) {
    const auto count = static_cast<Eigen::Index>(rows);
    return Eigen::Map<const CoilMatrix>(values.data(), count, values.size() / count);
}

} // namespace lsrecon::test
