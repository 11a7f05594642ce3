// The NUFFT is as exact as it is asked to be, whatever it transforms, and gives the same bits.

#include <gtest/gtest.h>
#include <sched.h>

#include "base/error.hpp"
#include "engines/on_host.hpp"
#ifdef LSRECON_WITH_OPENCL
#include "engines/opencl/engines.hpp"
#endif
#include "support/arrays.hpp"
#include "support/case.hpp"
#include "support/numbers.hpp"
#include "support/surroundings.hpp"
#include "support/transforms.hpp"

namespace lsrecon {
namespace {

using test::Case;
using test::Problem;

/// Its row, by the host's cores where arrays are in the host's memory, or by kernels in any case.
std::vector<Engine> table_of([[maybe_unused]] bool by_kernels) {
    std::vector<Engine> table = engines();
#ifdef LSRECON_WITH_OPENCL
    if (by_kernels) {
        table.back().predict = &opencl::predict_nufft;
        table.back().make = &opencl::make_nufft;
    }
#endif
    return table;
}

/// Null where no device has this precision.
std::unique_ptr<Transforms> nufft(Precision precision, double accuracy, bool by_kernels) {
    ComputeOptions options;
    options.kernel = "nufft";
    options.precision = precision;
    options.accuracy = accuracy;
    try {
        return open_transforms(options, table_of(by_kernels));
    } catch (const Error&) {
        return nullptr;
    }
}

Problem problem_of(const std::string& design, const std::array<std::size_t, 3>& size,
                   std::size_t samples) {
    Case of{design, size, samples};
    const bool is_known = design == "radial" || design == "spiral";
    of.design = is_known ? design : "uniform";
    Problem problem = test::make_problem(of);
    auto trajectory = std::make_shared<Trajectory>(*problem.trajectory);
    for (std::size_t m = 0; m < trajectory->samples(); ++m) {
        for (std::size_t d = 0; d < static_cast<std::size_t>(problem.grid.dimensions); ++d) {
            const double half = static_cast<double>(problem.grid.size[d]) / 2;
            double& k = trajectory->positions[m][d];
            k = design == "one point" ? 0.3 * half : design == "edges" ? (k < 0 ? -half : half) : k;
        }
    }
    problem.trajectory = trajectory;
    return problem;
}

class Nufft : public testing::TestWithParam<std::tuple<const char*, bool>> {};

TEST_P(Nufft, IsAsExactAsRequested) {
    const auto& [name, by_kernels] = GetParam();
    for (const auto& [precision, accuracies] :
         {std::pair<Precision, std::vector<double>>{Precision::float32,
                                                    {1e-1, 1e-2, 1e-4, 5e-6, 3e-7}},
          {Precision::float64, {1e-2, 1e-5, 1e-8, 1e-12}}}) {
        for (const double accuracy : accuracies) {
            if (by_kernels && accuracy != accuracies.front() && accuracy != accuracies.back()) {
                continue; // each is compiled
            }
            const auto transforms = nufft(precision, accuracy, by_kernels);
            if (!transforms) {
                GTEST_SKIP() << "no device has this precision";
            }
            std::vector<std::array<std::size_t, 3>> sizes{{1, 1, 0}, {40, 36, 0}, {9, 11, 7}};
            if (!by_kernels || test::slow_cases()) {
                sizes.insert(sizes.end(), {{2, 3, 0}, {7, 13, 0}, {1, 2, 3}});
            }
            for (const std::array<std::size_t, 3>& size : sizes) {
                const bool is_volume = size[2] > 0;
                const std::string design = name;
                if (is_volume && (design == "spiral" || design == "radial")) { // of planes
                    continue;
                }
                const Problem problem = problem_of(design, size, 301);
                const Voxels differences = test::differences_of_problem(problem);
                const auto expect = [&](const OnHost& found, const OnHost& exact,
                                        const char* what) {
                    EXPECT_LE(found.error, accuracy);
                    EXPECT_TRUE(test::near(found.values, exact.values, accuracy))
                        << what << " " << size[0] << " " << size[1] << " " << size[2] << " at "
                        << accuracy;
                };
                expect(test::adjoint_of(*transforms, problem), test::exact_adjoint_of(problem),
                       "adjoint");
                expect(test::forward_of(*transforms, problem), test::exact_forward_of(problem),
                       "forward");
                expect(test::q_of(*transforms, problem, differences),
                       test::exact_q_of(problem, differences), "Q");
            }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Trajectories, Nufft,
                         testing::Combine(testing::Values("uniform", "radial", "spiral",
                                                          "one point", "edges"),
                                          testing::Values(false)));
INSTANTIATE_TEST_SUITE_P(ByKernels, Nufft,
                         testing::Combine(testing::Values("uniform", "one point", "edges"),
                                          testing::Values(true)));

/// Many samples in a tile come in chunks; coils come in batches.
TEST(NufftByKernels, IsAsExactOfManySamplesAndCoils) {
    for (const std::array<std::size_t, 3>& size :
         {std::array<std::size_t, 3>{24, 20, 0}, {11, 9, 13}}) {
        Case of{"many", size, 6001};
        of.design = "uniform";
        of.coils = 6;
        const Problem problem = test::make_problem(of);
        const OnHost adjoint = test::exact_adjoint_of(problem);
        const OnHost forward = test::exact_forward_of(problem);
        for (const double accuracy : {1e-3, 5e-6}) {
            const auto transforms = nufft(Precision::float32, accuracy, true);
            if (!transforms) {
                GTEST_SKIP() << "no device";
            }
            const CoilMatrix found = test::adjoint_of(*transforms, problem).values;
            EXPECT_TRUE(test::near(found, adjoint.values, accuracy));
            EXPECT_EQ(test::adjoint_of(*transforms, problem).values, found);
            EXPECT_TRUE(test::near(test::forward_of(*transforms, problem).values, forward.values,
                                   accuracy));
        }
    }
}

/// The host places about a million samples at a time.
TEST(NufftByKernels, IsAsExactOfMoreThanAMillionSamples) {
    constexpr double accuracy = 1e-4;
    const auto transforms = nufft(Precision::float32, accuracy, true);
    if (!transforms) {
        GTEST_SKIP() << "no device";
    }
    const Problem problem = problem_of("uniform", {3, 2, 0}, 1100001);
    EXPECT_TRUE(test::near(test::adjoint_of(*transforms, problem).values,
                           test::exact_adjoint_of(problem).values, accuracy));
    EXPECT_TRUE(test::near(test::forward_of(*transforms, problem).values,
                           test::exact_forward_of(problem).values, accuracy));
}

// Coils side by side are what each is, in any number of them.
TEST(NufftCoils, AreAsExactTogether) {
    const auto transforms = nufft(Precision::float32, 1e-5, false);
    if (!transforms) {
        GTEST_SKIP() << "no device in the host's memory";
    }
    for (const std::size_t coils : {2U, 5U, 9U, 17U}) {
        for (const std::array<std::size_t, 3>& size :
             {std::array<std::size_t, 3>{21, 18, 0}, {9, 11, 7}}) {
            Case of{"uniform", size, 301};
            of.coils = coils;
            const Problem problem = test::make_problem(of);
            EXPECT_TRUE(test::near(test::adjoint_of(*transforms, problem).values,
                                   test::exact_adjoint_of(problem).values, 1e-5))
                << coils << " " << size[2];
            EXPECT_TRUE(test::near(test::forward_of(*transforms, problem).values,
                                   test::exact_forward_of(problem).values, 1e-5))
                << coils << " " << size[2];
        }
    }
}

TEST(NufftBits, AreTheSameOnAnyNumberOfCores) {
    const auto transforms = nufft(Precision::float32, 1e-4, false);
    if (!transforms) {
        GTEST_SKIP() << "no device";
    }
    const Problem problem = problem_of("uniform", {100, 90, 0}, 20000);
    const CoilMatrix all = test::adjoint_of(*transforms, problem).values;
    cpu_set_t before;
    ASSERT_EQ(sched_getaffinity(0, sizeof(before), &before), 0);
    cpu_set_t one;
    CPU_ZERO(&one);
    for (int core = 0; core < CPU_SETSIZE; ++core) {
        if (CPU_ISSET(core, &before)) {
            CPU_SET(core, &one);
            break;
        }
    }
    ASSERT_EQ(sched_setaffinity(0, sizeof(one), &one), 0);
    const CoilMatrix by_one = test::adjoint_of(*transforms, problem).values;
    ASSERT_EQ(sched_setaffinity(0, sizeof(before), &before), 0);
    EXPECT_EQ(by_one, all);
}

} // namespace
} // namespace lsrecon
