#pragma once

#include <functional>
#include <gtest/gtest.h>

#include "base/types.hpp"

namespace lsrecon::test {

/// ||computed - expected|| / ||expected||; without the division when nothing is expected.
/// Infinite when the shapes differ.
double relative_l2(const CoilMatrix& computed, const CoilMatrix& expected);
double relative_l2(const ComplexVector& computed, const ComplexVector& expected);

/// Passes when the relative L2 error is within the bound; else shows it and the worst entry.
testing::AssertionResult near(const CoilMatrix& computed, const CoilMatrix& expected, double bound);
testing::AssertionResult near(const ComplexVector& computed, const ComplexVector& expected,
                              double bound);

using Operator = std::function<ComplexVector(const ComplexVector&)>;

/// <A x, y> = <x, A^H y> for random x of `domain` and y of `range` elements, relative to
/// ||A x|| ||y||.
testing::AssertionResult adjoint_test(const Operator& forward, const Operator& adjoint,
                                      std::size_t domain, std::size_t range, double bound,
                                      std::uint64_t seed = 1);

/// Rows one after another as a vector, and back.
ComplexVector flat(const CoilMatrix& rows);
CoilMatrix unflat(const ComplexVector& values, std::size_t rows);

} // namespace lsrecon::test
