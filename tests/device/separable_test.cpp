// All forms of the separable product, not only the one that the device would choose.

#include <gtest/gtest.h>

#include "base/tolerance.hpp"
#include "device/opencl/queue.hpp"
#include "engines/opencl/resources.hpp"
#include "engines/tuning.hpp"
#include "support/by_part.hpp"
#include "support/device_fixture.hpp"
#include "support/findings.hpp"
#include "support/numbers.hpp"
#include "support/separable_transforms.hpp"
#include "support/transforms.hpp"

namespace lsrecon {
namespace {

struct Lattice {
    std::array<std::size_t, 3> size; ///< Z = 0: two dimensions
    std::size_t samples;
    std::size_t coils;
    bool differences = false; ///< half of those of the grid, in place of the grid
    /// The tiles of others follow the shape, and each takes a compiler for CPUs many seconds.
    bool in_private_memory_alone = false;
};

void PrintTo(const Lattice& of, std::ostream* stream) {
    *stream << of.size[0] << " x " << of.size[1] << " x " << of.size[2] << ", " << of.samples
            << " samples, " << of.coils << " coils";
}

/// In private memory; in local memory with tall and wide tiles, in floats and, where the device has
/// them, in doubles.
std::vector<Parameters> forms(const DeviceInfo& device) {
    const auto local = [](int group_x, int group_y, int columns, int rows, int step) {
        return Parameters{{"FORM", 1},          {"GROUP_X", group_x},
                          {"GROUP_Y", group_y}, {"ITEM_COLUMNS", columns},
                          {"ITEM_ROWS", rows},  {"STEP", step},
                          {"UNROLL", 4}};
    };
    std::vector<Parameters> all{
        {{"FORM", 0}, {"CHUNK", 512}, {"RUN", 16}}, local(16, 8, 4, 8, 16), local(8, 8, 8, 4, 8)};
    if (device.double_precision) {
        all.push_back({{"FORM", 2},
                       {"WARPS_X", 2},
                       {"WARPS_Y", 2},
                       {"WARP_COLUMNS", 32},
                       {"WARP_ROWS", 16},
                       {"STEP", 8}});
    }
    return all;
}

/// In single precision.
double separable_bound(const Parameters& form, std::size_t terms) {
    return tolerance::direct_transform(variant_named("separable").arithmetic_by(form).rounding,
                                       terms);
}

class SeparableForms : public test::DeviceFixture,
                       public testing::WithParamInterface<std::tuple<Lattice, Precision>> {};

TEST_P(SeparableForms, AgreeWithTheReference) {
    const auto& [lattice, precision] = GetParam();
    const DeviceInfo device = opencl::Queue("").info();
    if (precision == Precision::float64 && !device.double_precision) {
        GTEST_SKIP() << "a device without double precision";
    }
    test::Problem problem =
        test::make_problem({"lattice", lattice.size, lattice.samples, lattice.coils});
    const auto within = [&](const OnHost& computed, const OnHost& exact, double bound,
                            std::size_t sources) {
        EXPECT_LE(computed.error, precision == Precision::float64 ? 1e-12 : bound);
        return test::near(computed.values, exact.values,
                          computed.error + tolerance::reference(problem.largest_turns(), sources));
    };
    if (lattice.differences) {
        problem.voxels = Voxels::half_differences(problem.grid);
        problem.rho = test::Random(2).matrix(lattice.coils, problem.voxels.count());
    }
    const OnHost exact = test::exact_adjoint_of(problem);
    const OnHost exact_q = test::exact_q_of(problem, problem.voxels);
    const OnHost exact_samples = test::exact_forward_of(problem);
    for (const Parameters& form : forms(device)) {
        if (form.at("FORM") != 0 && lattice.in_private_memory_alone) {
            continue;
        }
        const auto transforms = test::separable_with(form, precision);
        EXPECT_TRUE(within(test::adjoint_of(*transforms, problem), exact,
                           separable_bound(form, lattice.samples), lattice.samples))
            << to_text(form);
        EXPECT_TRUE(within(test::forward_of(*transforms, problem), exact_samples,
                           separable_bound(form, problem.voxels.count()), problem.voxels.count()))
            << "F, " << to_text(form);
        if (lattice.coils == 1) { // Q of others would be one more shape to compile for
            EXPECT_TRUE(within(test::q_of(*transforms, problem, problem.voxels), exact_q,
                               separable_bound(form, lattice.samples), lattice.samples))
                << "Q, " << to_text(form);
        }
    }
}

// Beyond one work-group's 64 rows and 64 columns, one sample, partial and short chunks. Every shape
// takes PoCL's compiler seconds.
constexpr Lattice volume{{8, 11, 9}, 2500, 1};
INSTANTIATE_TEST_SUITE_P(Awkward, SeparableForms,
                         testing::Combine(testing::Values(Lattice{{1, 1, 0}, 1, 1, false, true},
                                                          Lattice{{7, 9, 0}, 33, 3, false, true},
                                                          Lattice{{7, 8, 0}, 33, 3, true},
                                                          Lattice{{150, 5, 0}, 597, 1}, volume),
                                          testing::Values(Precision::float32)));
INSTANTIATE_TEST_SUITE_P(InDoubles, SeparableForms,
                         testing::Combine(testing::Values(volume),
                                          testing::Values(Precision::float64)));

using SeparableParts = test::DeviceFixture;

// Ranks compute a part each: strips and chunks of samples are those of the whole.
TEST_F(SeparableParts, HaveTheBitsOfTheWhole) {
    const test::Problem problem = test::make_problem({"parts", volume.size, volume.samples, 2});
    for (const Parameters& form : forms(opencl::Queue("").info())) {
        SCOPED_TRACE(to_text(form));
        const auto transforms = test::separable_with(form, Precision::float32);
        test::expect_same_bits_by_part(problem.voxels, [&](const Voxels& at) {
            return adjoint_on_host(*transforms, problem.points(), problem.samples, at, test::silent)
                .values;
        });
    }
}

using SeparableBlocks = test::DeviceFixture;

// Its sums take a quarter of the memory, 64 KiB, and those of this volume three times as much.
TEST_F(SeparableBlocks, SumsLargerThanTheirRoomComeInBlocks) {
    const test::Problem problem = test::make_problem({"large", {33, 20, 18}, 40});
    const OnHost exact = test::exact_adjoint_of(problem);
    for (const Parameters& form : forms(opencl::Queue("").info())) {
        const auto opened = test::separable_with(form, Precision::float32, 256 * 1024);
        Transforms& small = *opened;
        const auto transform = small.make(problem.positions(), problem.voxels);
        const Element complex{true, Precision::float32};
        Array values = small.device().zeros(40, complex);
        small.device().upload(ComplexVector(problem.samples.row(0).transpose()), values);
        Array out = small.device().zeros(problem.voxels.count(), complex);
        transform->adjoint(values, out, test::silent);
        const CoilMatrix computed = small.device().download(out).transpose();
        EXPECT_TRUE(test::near(computed, exact.values, transform->adjoint_error()))
            << to_text(form);
    }
}

TEST_F(SeparableBlocks, AFailedAllocationMakesThemSmaller) {
    std::vector<std::size_t> tried;
    Findings found;
    const auto add = [&](const Finding& finding) { found.push_back(finding); };
    const auto room_for = [&](std::size_t room) {
        return [&tried, room](std::size_t bytes) {
            tried.push_back(bytes);
            if (bytes > room) {
                throw cl::Error(CL_MEM_OBJECT_ALLOCATION_FAILURE, "clCreateBuffer");
            }
        };
    };
    opencl::with_smaller_blocks(1U << 20, add, room_for(300000));
    EXPECT_EQ(tried, (std::vector<std::size_t>{1U << 20, 1U << 19, 1U << 18}));
    EXPECT_EQ(test::find(found, Found::device_memory).number("mib"), 1);
    EXPECT_THROW(opencl::with_smaller_blocks(1U << 20, add, room_for(10)), opencl::NoRoomError);
    tried.clear();
    const auto broken = [&](std::size_t bytes) {
        tried.push_back(bytes);
        throw cl::Error(CL_INVALID_KERNEL, "x");
    };
    EXPECT_THROW(opencl::with_smaller_blocks(1U << 20, add, broken), DeviceError);
    EXPECT_EQ(tried.size(), 1U) << "less room does not mend it";
}

} // namespace
} // namespace lsrecon
