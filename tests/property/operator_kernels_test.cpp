// Kernels of operators, on every device and as loops and kernels of a CPU: beside their formulas,
// on grids of one to three dimensions, single lines, filters longer than the grid, and as many
// voxels as all cores share.

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "device/host_device.hpp"
#include "operators/differences.hpp"
#include "operators/preconditioner.hpp"
#include "operators/wavelet.hpp"
#include "support/arrays_fixture.hpp"
#include "support/case.hpp"
#include "support/numbers.hpp"
#include "support/surroundings.hpp"

namespace lsrecon {
namespace {

using test::make_grid;
using test::near;

std::vector<Grid> grids() {
    return {make_grid(1, 1),    make_grid(2, 1),      make_grid(1, 3),      make_grid(5, 4),
            make_grid(3, 4, 5), make_grid(1, 9, 2),   make_grid(67, 2, 3),  make_grid(13, 16),
            make_grid(6, 1, 7), make_grid(2, 2, 131), make_grid(65, 64, 66)};
}

std::string described(const Grid& grid) {
    return text(grid.size[0], " x ", grid.size[1], " x ", grid.size[2]);
}

class OperatorKernels : public test::ArraysFixture {
protected:
    ComplexVector applied(Operator& k, const ComplexVector& in) {
        Array out = on.device().zeros(k.outputs(), {true, on.precision});
        k.apply(of(in), out);
        return on.device().download(out);
    }
    ComplexVector adjoint(Operator& k, const ComplexVector& in) {
        Array out = on.device().zeros(k.inputs(), {true, on.precision});
        k.adjoint(of(in), out);
        return on.device().download(out);
    }

    /// Whether work(there, in, out) gives the same numbers here and on the reference device.
    template <typename Work> testing::AssertionResult
    as_loops(const ComplexVector& in, std::size_t outputs, double roundings, const Work& work) {
        const auto worked = [&](const Slice& there) {
            Array from =
                there.device.zeros(static_cast<std::size_t>(in.size()), {true, there.precision});
            Array to = there.device.zeros(outputs, {true, there.precision});
            there.device.upload(in, from);
            work(there, from, to);
            return there.device.download(to);
        };
        return near(worked({on.device(), on.precision}), worked({*reference, Precision::float64}),
                    bound(roundings));
    }

private:
    struct Slice {
        Device& device;
        Precision precision;
    };

    std::unique_ptr<Device> reference = make_reference_device();
};

/// visit(voxel, its neighbour, number of the difference) for every pair of neighbours.
template <typename Visit> void for_each_difference(const Grid& grid, const Visit& visit) {
    const auto voxels = static_cast<Eigen::Index>(grid.voxels());
    Eigen::Index stride = 1;
    for (Eigen::Index d = 0; d < grid.dimensions; ++d) {
        const auto extent = static_cast<Eigen::Index>(grid.size[static_cast<std::size_t>(d)]);
        for (Eigen::Index n = 0; n < voxels; ++n) {
            if (n / stride % extent + 1 < extent) {
                visit(n, n + stride, d * voxels + n);
            }
        }
        stride *= extent;
    }
}

TEST_P(OperatorKernels, DifferencesOfNeighboursAndTheirAdjoint) {
    for (const Grid& grid : grids()) {
        Differences plain(on.device(), grid);
        const auto ones = RealVector::Ones(static_cast<Eigen::Index>(plain.outputs()));
        const RealVector some = vector(plain.outputs()).real();
        Differences weighted(on.device(), grid, on.precision, some);
        for (const auto& [k, f] : {std::pair<Differences*, RealVector>(&plain, ones),
                                   std::pair<Differences*, RealVector>(&weighted, some)}) {
            const ComplexVector x = vector(k->inputs());
            const ComplexVector y = vector(k->outputs());
            ComplexVector differences = ComplexVector::Zero(y.size());
            ComplexVector back = ComplexVector::Zero(x.size());
            const RealVector& factors = f;
            for_each_difference(grid, [&](Eigen::Index n, Eigen::Index next, Eigen::Index i) {
                differences(i) = factors(i) * (x(next) - x(n));
                back(next) += factors(i) * y(i);
                back(n) -= factors(i) * y(i);
            });
            EXPECT_TRUE(near(applied(*k, x), differences, bound(3))) << described(grid);
            EXPECT_TRUE(near(adjoint(*k, y), back, bound(4))) << described(grid);
        }
    }
}

// The loops themselves: wavelet_test.cpp.
TEST_P(OperatorKernels, FiltersAndTheirAdjointAreThoseOfLoopsInDoubles) {
    for (const Grid& grid : grids()) {
        const std::size_t numbers = wavelet_components(grid) * grid.voxels();
        EXPECT_TRUE(as_loops(vector(grid.voxels()), numbers, 16,
                             [&](auto& there, auto& in, auto& out) {
                                 Wavelet(there.device, grid, there.precision).apply(in, out);
                             }))
            << described(grid);
        EXPECT_TRUE(as_loops(vector(numbers), grid.voxels(), 16,
                             [&](auto& there, auto& in, auto& out) {
                                 Wavelet(there.device, grid, there.precision).adjoint(in, out);
                             }))
            << described(grid);
    }
}

// The loops themselves: preconditioner_test.cpp.
TEST_P(OperatorKernels, DiagonalMatricesInCosinesAreThoseOfLoopsInDoubles) {
    const bool few = on.backend == "kernels" && !test::slow_cases(); // each is compiled
    for (const Grid& grid :
         few ? std::vector<Grid>{make_grid(1, 3), make_grid(13, 16), make_grid(3, 4, 5)}
             : grids()) {
        const std::size_t n = grid.voxels();
        const RealVector eigenvalues = vector(n).real();
        EXPECT_TRUE(as_loops(vector(n), n, 30, [&](auto& there, auto& in, auto& out) {
            Array f = there.device.zeros(n, {false, there.precision});
            there.device.upload(eigenvalues, {0, n}, 0, f);
            make_cosine_basis(there.device, grid, there.precision)->multiply(f, in, out);
        })) << described(grid);
    }
}

class Shrunk : public OperatorKernels {
protected:
    ComplexVector shrunk(const ComplexVector& y, const Penalised& vectors, double length) {
        std::vector<Array> arrays{of(y)};
        SoftThreshold({vectors}).apply(on.device(), {length, 1, 1}, arrays);
        return on.device().download(arrays[0]);
    }
};

// Among them vectors of zeros, which no length shortens.
TEST_P(Shrunk, VectorsAreShorterAndKeepTheirDirection) {
    for (const Eigen::Index count : {1, 5, 65, 1023, 1025, 140001}) {
        for (const Eigen::Index parts : {1, 2, 3}) {
            constexpr Eigen::Index first = 3;
            ComplexVector values = vector(static_cast<std::size_t>(first + parts * count));
            Eigen::Map<Eigen::MatrixXcd> vectors(values.data() + first, count, parts);
            vectors.row(count / 2).setZero();
            for (const double length : {0.0, 0.4, 100.0}) {
                ComplexVector expected = values;
                Eigen::Map<Eigen::MatrixXcd> shorter(expected.data() + first, count, parts);
                for (Eigen::Index n = 0; n < count; ++n) {
                    const double norm = vectors.row(n).norm();
                    shorter.row(n) *= norm > length ? 1 - length / norm : 0;
                }
                const Penalised all{first, static_cast<std::size_t>(count),
                                    static_cast<std::size_t>(parts)};
                EXPECT_TRUE(near(shrunk(values, all, length), expected, bound(30)));
            }
        }
    }
}

TEST_P(Shrunk, VectorsOfAnySizeComeOutTheSameWhereverTheyStand) {
    for (const double size : {1.0, 0x1p40}) {
        const ComplexVector values = size * vector(300001);
        const auto shorter = [&](const ComplexVector& some) {
            return shrunk(some, {0, static_cast<std::size_t>(some.size())}, 0.4 * size);
        };
        const ComplexVector all = shorter(values);
        EXPECT_EQ(all.segment(7, 20000), shorter(values.segment(7, 20000)));
    }
}

INSTANTIATE_TEST_SUITE_P(Devices, OperatorKernels, testing::ValuesIn(test::verb_cases()));
INSTANTIATE_TEST_SUITE_P(Devices, Shrunk, testing::ValuesIn(test::verb_cases()));

} // namespace
} // namespace lsrecon
