#include <gtest/gtest.h>

#include "base/error.hpp"
#include "device/opencl/drivers.hpp"
#include "device/opencl/program.hpp"
#include "engines/on_host.hpp"
#include "engines/opencl/engines.hpp"
#include "support/case.hpp"
#include "support/device_fixture.hpp"
#include "support/surroundings.hpp"

namespace lsrecon {
namespace {

using test::ScopedEnvironment;
using test::TemporaryFolder;

const test::Problem& small_problem() {
    static const test::Problem problem = test::make_problem({"small", {4, 4, 0}, 5});
    return problem;
}

CoilMatrix fhd(Transforms& transforms) {
    const test::Problem& problem = small_problem();
    return adjoint_on_host(transforms, problem.positions(), problem.samples, problem.voxels,
                           test::silent)
        .values;
}

/// Exact variants with a file of their name: an engine may also be made of others, and the NUFFT
/// computes on the host where arrays are there.
std::vector<std::string> kernels_of_a_file() {
    std::vector<std::string> names;
    for (const std::string& name : kernel_names()) {
        if (engine_of(name).exact && opencl::embedded_sources().count(name + ".cl") > 0) {
            names.push_back(name);
        }
    }
    return names;
}

void write_kernels(const TemporaryFolder& folder) {
    for (const auto& [name, source] : opencl::embedded_sources()) {
        test::write_text(folder.file(name), source);
    }
}

class Kernels : public test::DeviceFixture {
protected:
    cl::Device first_device =
        opencl::device_handles().empty() ? cl::Device() : opencl::device_handles().front();
};

TEST_F(Kernels, EveryFileCompilesAloneWithItsDefaults) {
    const cl::Context context(first_device);
    std::size_t files = 0;
    for (const auto& [name, source] : opencl::embedded_sources()) {
        if (name.size() > 3 && name.substr(name.size() - 3) == ".cl") {
            EXPECT_NO_THROW(opencl::build_program(context, first_device, name,
                                                  opencl::kernel_source(name), "-cl-std=CL1.2"))
                << name;
            ++files;
        }
    }
    EXPECT_EQ(files, kernels_of_a_file().size() + 16)
        << "one a variant, arrays, convolution, four of operators, direct, limits, two of nufft, "
           "and six more of separable";
}

TEST_F(Kernels, AVariantWithALayoutHasAFile) {
    for (const Engine& engine : engines()) {
        for (const Variant& row : engine.variants) {
            if (row.layout != SourceLayout::none) {
                EXPECT_EQ(opencl::embedded_sources().count(row.name + ".cl"), 1U) << row.name;
            }
        }
    }
    EXPECT_THROW(device("fastest"), UsageError);
    EXPECT_THROW(opencl::kernel_source("missing.cl"), DeviceError);
}

double bound(const std::string& variant, std::size_t sources, const Parameters& parameters = {}) {
    const tolerance::Rounding rounding = variant_named(variant).arithmetic_by(parameters).rounding;
    return tolerance::direct_transform(rounding, sources);
}

TEST(Variants, RoundAsTheirRowsSay) {
    EXPECT_GT(bound("naive", 1000000), 50 * bound("naive", 100));
    for (const char* const name : {"register", "constant", "struct", "native", "separable"}) {
        EXPECT_EQ(bound(name, 1000000), bound(name, 2000)) << name;
        EXPECT_LT(bound(name, 4096), 32 * tolerance::eps) << name;
    }
    EXPECT_LT(bound("separable", 1000, {{"FORM", 2}}), bound("separable", 1000) / 10);
    EXPECT_EQ(bound("separable", 1000, {{"FORM", 1}}), bound("separable", 1000));
}

// A sine and a cosine of the tuned kernel serve x and -x.
TEST(Variants, CostAsTheirRowsSay) {
    const auto cost = [](const std::string& name, const Parameters& parameters = {}) {
        return variant_named(name).arithmetic_by(parameters).cost;
    };
    EXPECT_EQ(cost("struct").trigonometry.rate, &DeviceRates::library_pairs);
    EXPECT_EQ(cost("native").trigonometry.rate, &DeviceRates::native_pairs);
    EXPECT_EQ(cost("tuned").fhd_pairs, 2);
    EXPECT_EQ(cost("tuned").f_pairs, 1);
    EXPECT_EQ(cost("tuned", {{"TRIGONOMETRY", 0}}).trigonometry.rate, &DeviceRates::native_pairs);
    EXPECT_EQ(cost("tuned", {{"TRIGONOMETRY", 1}}).trigonometry.rate, nullptr);
    EXPECT_EQ(cost("separable", {{"FORM", 1}}).multiply_adds.rate, &DeviceRates::multiply_adds);
    EXPECT_EQ(cost("separable", {{"FORM", 2}}).multiply_adds.rate,
              &DeviceRates::matrix_multiply_adds);
}

TEST_F(Kernels, EveryVariantOfAFileHasABoundAndACost) {
    for (const std::string& name : kernels_of_a_file()) {
        EXPECT_GT(bound(name, 1), 0) << name;
        for (const char* const stage : {"fhd", "q", "f"}) {
            EXPECT_GT(device(name)->cost_of_pair(stage).fhd_multiply_adds, 0) << name;
        }
    }
}

TEST_F(Kernels, EveryVariantHasAnEngineThatServesGridsOrAll) {
    const Voxels grid = Voxels::of_grid(test::make_grid(4, 4));
    const Voxels list = Voxels::at(test::make_grid(4, 4), {{0, 0, 0}});
    const std::vector<Vec3> points(1, Vec3{0, 0, 0});
    for (const std::string& name : kernel_names()) {
        if (engine_of(name).exact) {
            EXPECT_EQ(engine_of(name).refusal(points, grid), "") << name;
        }
    }
    EXPECT_EQ(engine_of("tuned").refusal(points, list), "");
    EXPECT_EQ(engine_of("separable").refusal(points, list), "the voxels are not on a grid");
    EXPECT_EQ(engine_of("nufft").refusal(points, grid), "");
    EXPECT_EQ(&engine_of("naive"), &engine_of("tuned"));
    EXPECT_THROW(engine_of("fastest"), UsageError);
}

TEST_F(Kernels, AFolderOfKernelsIsUsedInPlaceOfTheBuiltInOnes) {
    const CoilMatrix built_in = fhd(*device("register"));
    const TemporaryFolder folder;
    write_kernels(folder);
    const ScopedEnvironment kernels("LSRECON_KERNELS", folder.path().string());
    const auto same = device("register");
    EXPECT_EQ(fhd(*same), built_in);
    const std::string hash = same->computed_by().kernel_sha256;

    // What every variant takes, and an answer that only this one gives.
    test::write_text(folder.file("register.cl"),
                     "__kernel void transform(__global const float *sources, const int n,\n"
                     "                        __global const float *points, const int stride,\n"
                     "                        const int first, const int count,\n"
                     "                        __global float4 *out)\n"
                     "{\n"
                     "    const int p = (int)get_global_id(0);\n"
                     "    if (p < count) {\n"
                     "        out[p] = (float4)(7.0f, -3.0f, 0.0f, 0.0f);\n"
                     "    }\n"
                     "}\n");
    const auto changed = device("register");
    EXPECT_NE(changed->computed_by().kernel_sha256, hash);
    EXPECT_EQ(fhd(*changed), CoilMatrix::Constant(1, built_in.cols(), Complex(7, -3)));
}

TEST_F(Kernels, ASyntaxErrorShowsTheBuildLog) {
    const TemporaryFolder folder;
    write_kernels(folder);
    for (const std::string& kernel : kernels_of_a_file()) {
        for (const std::string& name : opencl::files_of_kernel(kernel)) {
            const auto file = folder.file(name);
            test::write_text(file, test::read_text(file) + "no_such_type broken;\n");
        }
    }
    const ScopedEnvironment kernels("LSRECON_KERNELS", folder.path().string());
    for (const std::string& kernel : kernels_of_a_file()) {
        try {
            fhd(*device(kernel));
            ADD_FAILURE() << kernel << ": no error";
        } catch (const DeviceError& error) {
            const std::string message = error.what();
            for (const std::string& part : {std::string("no_such_type"), "building " + kernel,
                                            std::string("LSRECON_KERNELS")}) {
                EXPECT_NE(message.find(part), std::string::npos) << "no " << part << " in\n"
                                                                 << message;
            }
        }
    }
}

TEST_F(Kernels, AFolderWithoutKernelsIsRefused) {
    const TemporaryFolder folder;
    const ScopedEnvironment kernels("LSRECON_KERNELS", folder.path().string());
    EXPECT_THROW(fhd(*device("struct")), DeviceError);
}

TEST(KernelNames, OfTheDirectEngineBeginWithTheFirstRung) {
    const std::vector<Variant>& rungs = engine_of("naive").variants;
    ASSERT_GE(rungs.size(), 5U);
    EXPECT_EQ(rungs.front().name, "naive");
}

} // namespace
} // namespace lsrecon
