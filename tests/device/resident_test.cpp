// The normal equations on the device, by both FFTs, whatever the device would choose.

#include "backend/opencl/resident.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/fft.hpp"
#include "base/tolerance.hpp"
#include "plan/embedding.hpp"
#include "solve/resident_cg.hpp"
#include "solve/solve.hpp"
#include "support/case.hpp"
#include "support/device_fixture.hpp"
#include "support/numbers.hpp"

namespace lsrecon {
namespace {

using opencl::FftEngine;
using test::near;

std::vector<FftEngine> engines() {
#ifdef LSRECON_WITH_VKFFT
    return {FftEngine::fftw, FftEngine::vkfft};
#else
    return {FftEngine::fftw};
#endif
}

std::string name_of(FftEngine engine) {
    return engine == FftEngine::fftw ? "FFTW" : "VkFFT";
}

class DeviceFfts : public test::DeviceFixture {};

TEST_F(DeviceFfts, AreDoublePrecisionRoundedAtAwkwardSizes) {
    opencl::Queue queue("");
    for (const auto& extents : {std::array<std::size_t, 3>{1, 1, 1}, {30, 94, 1}, {1, 12, 35}}) {
        const Fft<double> exact(extents);
        const ComplexVector values = test::Random(1).vector(exact.count());
        ComplexVector forward = values;
        exact.forward(forward.data());
        ComplexVector backward = values;
        exact.backward(backward.data());
        const Eigen::VectorXcf start = values.cast<std::complex<float>>();
        const std::size_t bytes = exact.count() * sizeof(std::complex<float>);
        for (const FftEngine engine : engines()) {
            const auto fft = opencl::make_device_fft(queue, extents, engine);
            const cl::Buffer buffer = fft->allocate(queue, exact.count());
            const auto transformed = [&](bool is_forward) -> ComplexVector {
                queue.commands().enqueueWriteBuffer(buffer, CL_TRUE, 0, bytes, start.data());
                is_forward ? fft->forward(buffer) : fft->backward(buffer);
                Eigen::VectorXcf result(start.size());
                queue.commands().enqueueReadBuffer(buffer, CL_TRUE, 0, bytes, result.data());
                return result.cast<Complex>();
            };
            EXPECT_TRUE(near(transformed(true), forward, tolerance::fft(exact.count())))
                << fft->name() << " " << extents[0] << " " << extents[1] << " " << extents[2];
            EXPECT_TRUE(near(transformed(false), backward, tolerance::fft(exact.count())))
                << fft->name() << " " << extents[0] << " " << extents[1] << " " << extents[2];
        }
    }
}

/// The double operator and the device's, of one Q.
struct Systems {
    Systems(const test::Case& of, double shift) : problem(test::make_problem(of)), lambda(shift) {}

    test::Problem problem;
    double lambda;
    Reporter report;
    opencl::Queue queue{""};
    Q q = compute_q(*make_backend({"reference", "", ""}), *problem.sampling, problem.grid, report);
    std::unique_ptr<Gram> gram = make_q_gram(q);

    NormalOperator in_double() const { return {*gram, problem.coil_maps, lambda}; }
    std::unique_ptr<ResidentSystem> resident(FftEngine engine) {
        return opencl::make_resident_system(queue, engine, problem.grid, q.half, problem.coil_maps,
                                            lambda);
    }
    Solution eigen(const ComplexVector& b, const SolveOptions& options) const {
        const NormalOperator normal = in_double();
        return conjugate_gradient([&](const ComplexVector& x) { return normal.apply(x); }, b,
                                  options, test::silent);
    }
};

test::Case awkward(const std::array<std::size_t, 3>& size, std::size_t maps) {
    test::Case of{"resident", size, 3 * size[0] * size[1] * std::max<std::size_t>(size[2], 1), 1};
    of.coils = std::max<std::size_t>(maps, 1);
    of.coil_maps = maps > 0;
    of.weights = true;
    return of;
}

class Resident : public test::DeviceFixture {
protected:
    /// 2D, odd, prime, unequal, one voxel, a flat volume; with and without coil maps.
    static std::vector<test::Case> cases() {
        return {awkward({15, 15, 0}, 0), awkward({47, 3, 0}, 0), awkward({8, 5, 0}, 3),
                awkward({1, 1, 0}, 0),   awkward({5, 4, 7}, 2),  awkward({6, 7, 1}, 0),
                awkward({1, 9, 2}, 0)};
    }
};

TEST_F(Resident, ProductIsThatOfDoublePrecision) {
    for (const test::Case& of : cases()) {
        Systems systems(of, 0.03);
        const ComplexVector x = systems.problem.rho.row(0).transpose();
        const ComplexVector exact = systems.in_double().apply(x);
        for (const FftEngine engine : engines()) {
            EXPECT_TRUE(near(systems.resident(engine)->apply(x), exact,
                             tolerance::resident_product(systems.problem.voxels.count())))
                << name_of(engine) << " " << testing::PrintToString(of);
        }
    }
}

TEST_F(Resident, SolvesAsEigenDoes) {
    const SolveOptions options{0.1, 200, single_precision_reach};
    for (const test::Case& of : cases()) {
        Systems systems(of, options.lambda);
        const ComplexVector b = systems.in_double().apply(systems.problem.rho.row(0).transpose());
        const Solution exact = systems.eigen(b, {options.lambda, 1000, 1e-13});
        const std::size_t like_this = systems.eigen(b, options).residuals.size();
        for (const FftEngine engine : engines()) {
            const auto system = systems.resident(engine);
            const Solution solution =
                resident_conjugate_gradient(*system, b, options, test::silent);
            EXPECT_TRUE(near(solution.x, exact.x,
                             tolerance::resident_solution(systems.problem.voxels.count(),
                                                          options.tolerance, options.lambda)))
                << name_of(engine) << " " << testing::PrintToString(of);
            EXPECT_EQ(solution.residuals.front(), 1);
            EXPECT_LE(solution.residuals.back(), options.tolerance);
            EXPECT_LE(solution.residuals.size(), like_this + 1);
        }
    }
}

TEST_F(Resident, TheIterationLimitEndsIt) {
    Systems systems(awkward({15, 15, 0}, 0), 0.001);
    const ComplexVector b = systems.problem.rho.row(0).transpose();
    for (const int iterations : {1, 3}) {
        const Solution solution =
            resident_conjugate_gradient(*systems.resident(FftEngine::fftw), b,
                                        {0.001, iterations, single_precision_reach}, test::silent);
        ASSERT_EQ(solution.residuals.size(), static_cast<std::size_t>(iterations) + 1);
        const double truth = (b - systems.in_double().apply(solution.x)).norm() / b.norm();
        EXPECT_NEAR(solution.residuals.back(), truth,
                    tolerance::resident_product(225) * truth + 10 * tolerance::eps);
    }
}

TEST_F(Resident, TwoRunsAreEqualToTheLastBit) {
    const SolveOptions options{0.01, 20, single_precision_reach};
    for (const FftEngine engine : engines()) {
        // Several groups in a dot product; plans of VkFFT take the CPU's compiler seconds.
        const bool small = engine == FftEngine::vkfft;
        Systems systems(small ? awkward({15, 15, 0}, 0) : awkward({40, 33, 0}, 2), 0.01);
        const ComplexVector b = systems.problem.rho.row(0).transpose();
        const auto system = systems.resident(engine);
        const Solution one = resident_conjugate_gradient(*system, b, options, test::silent);
        // What the system did before must not matter, nor which system it is.
        resident_conjugate_gradient(*system, 3 * b.reverse(), options, test::silent);
        const auto fresh = systems.resident(engine);
        for (ResidentSystem* const again : {system.get(), fresh.get()}) {
            const Solution two = resident_conjugate_gradient(*again, b, options, test::silent);
            EXPECT_EQ(one.x, two.x) << name_of(engine);
            EXPECT_EQ(one.residuals, two.residuals) << name_of(engine);
        }
    }
}

// Squares of these leave the range of floats; neither unit is the solver's.
TEST_F(Resident, UnitsDoNotMatter) {
    Systems systems(awkward({8, 5, 0}, 3), 0.1);
    const ComplexVector b = systems.problem.rho.row(0).transpose();
    const SolveOptions options{0.1, 30, single_precision_reach};
    const Solution plain =
        resident_conjugate_gradient(*systems.resident(FftEngine::fftw), b, options, test::silent);
    systems.q.half *= 1e25;
    const Solution scaled = resident_conjugate_gradient(*systems.resident(FftEngine::fftw),
                                                        1e-30 * b, options, test::silent);
    EXPECT_TRUE(near(ComplexVector(1e55 * scaled.x), plain.x, 100 * tolerance::eps));
}

TEST_F(Resident, NothingToSolveGivesZero) {
    Systems systems(awkward({8, 5, 0}, 0), 0);
    const Solution solution = resident_conjugate_gradient(
        *systems.resident(FftEngine::fftw), ComplexVector::Zero(40), {}, test::silent);
    EXPECT_EQ(solution.x, ComplexVector::Zero(40));
    EXPECT_EQ(solution.residuals, std::vector<double>{0});
}

TEST_F(Resident, ANegativeOperatorIsRefused) {
    Systems systems(awkward({8, 5, 0}, 0), -100);
    const ComplexVector b = systems.problem.rho.row(0).transpose();
    EXPECT_THROW(
        resident_conjugate_gradient(*systems.resident(FftEngine::fftw), b, {}, test::silent),
        ToleranceError);
}

TEST_F(Resident, ARightHandSideThatIsNotFiniteIsRefused) {
    Systems systems(awkward({8, 5, 0}, 0), 0.1);
    for (const double bad :
         {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
        ComplexVector b = systems.problem.rho.row(0).transpose();
        b(3) = bad;
        EXPECT_THROW(
            resident_conjugate_gradient(*systems.resident(FftEngine::fftw), b, {}, test::silent),
            ToleranceError);
    }
}

// Every work-item meets its large value first, then ones that a float of its size would lose, then
// the large value taken back: only the ones are left.
TEST_F(Resident, DotProductsLoseNothingToTheSizesOfTheirTerms) {
    constexpr std::size_t items = 128;
    constexpr std::size_t rounds = 50;
    std::vector<std::complex<float>> a(items * rounds, {1, -1});
    std::fill(a.begin(), a.begin() + items, std::complex<float>(0x1p30F, 0x1p29F));
    std::fill(a.end() - items, a.end(), std::complex<float>(-0x1p30F, -0x1p29F));
    const std::vector<std::complex<float>> b(a.size(), {1, 0.5F});
    opencl::Queue queue("");
    const cl::Buffer a_buffer = queue.upload(a);
    const cl::Buffer b_buffer = queue.upload(b);
    const cl::Buffer parts = queue.buffer(sizeof(cl_float2));
    const cl::Buffer scalars = queue.buffer(sizeof(cl_float2));
    cl::Kernel dot = queue.kernel("solve.cl", "dot_parts", "-DGROUP=128");
    dot.setArg(0, a_buffer);
    dot.setArg(1, b_buffer);
    dot.setArg(2, static_cast<cl_ulong>(a.size()));
    dot.setArg(3, parts);
    queue.launch(dot, cl::NDRange(items), cl::NDRange(items));
    cl::Kernel total = queue.kernel("solve.cl", "dot_total", "-DGROUP=128");
    total.setArg(0, parts);
    total.setArg(1, cl_int(1));
    total.setArg(2, cl_int(0));
    total.setArg(3, scalars);
    queue.launch(total, cl::NDRange(items), cl::NDRange(items));
    cl_float2 sum{};
    queue.commands().enqueueReadBuffer(scalars, CL_TRUE, 0, sizeof(sum), &sum);
    EXPECT_EQ(sum.s[0], 0.5F * items * (rounds - 2));
    EXPECT_EQ(sum.s[1], 0);
}

} // namespace
} // namespace lsrecon
