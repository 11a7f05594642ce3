// validate passes a healthy device on any scan, and finds a small error.

#include "measure/validate.hpp"

#include <gtest/gtest.h>

#include "simulate/simulate.hpp"
#include "support/case.hpp"
#include "support/device_fixture.hpp"
#include "support/wrapped_transforms.hpp"

namespace lsrecon {
namespace {

/// A transform whose F^H and Q are wrong by a part of themselves, in random directions.
class Wrong : public test::WrappedTransform {
public:
    Wrong(std::unique_ptr<Transform> right, Device& device, double of_fhd, double of_q)
        : WrappedTransform(std::move(right)), device_(device), of_fhd_(of_fhd), of_q_(of_q) {}
    void adjoint(const Array& values, Array& out, const Progress& progress) override {
        WrappedTransform::adjoint(values, out, progress);
        spoil(out, values.element().complex ? of_fhd_ : of_q_);
    }

private:
    void spoil(Array& values, double by) {
        const ComplexVector noise = test::Random(1).vector(values.count());
        Array there = device_.zeros(values.count(), values.element());
        device_.upload(noise, there);
        const double norm = std::sqrt(device_.dot(values, values));
        device_.combine(by * norm / noise.norm(), there, 1, values);
    }

    Device& device_;
    double of_fhd_;
    double of_q_;
};

/// A device whose transforms are.
std::unique_ptr<Transforms> wrong_device(double of_fhd, double of_q) {
    const auto device = std::make_shared<Device*>(nullptr);
    auto transforms = open_transforms({}, test::wrapped([=](auto right) {
                                          return std::make_unique<Wrong>(std::move(right), **device,
                                                                         of_fhd, of_q);
                                      }));
    *device = &transforms->device();
    return transforms;
}

struct Healthy {
    const char* name;
    const char* design;
    double undersampling;
    std::size_t coils;
    bool maps;
    bool three_dimensions = false;
    const char* kernel = "";
    double off_resonance_hz = 0;
    double r2star = 0;
    std::optional<Precision> precision = {};
};

void PrintTo(const Healthy& of, std::ostream* stream) {
    *stream << of.name;
}

Scan scan_of(const Healthy& of) {
    SimulationOptions options;
    options.design = of.design;
    options.trajectory.grid =
        of.three_dimensions ? test::make_grid(10, 10, 10) : test::make_grid(32, 32);
    options.trajectory.undersampling = of.undersampling;
    options.coils = of.coils;
    options.noise = 0.01;
    options.off_resonance_hz = of.off_resonance_hz;
    options.r2star = of.r2star;
    Reporter silent;
    const auto reference = reference_transforms();
    Scan scan = simulate(
                    options, [&]() -> Transforms& { return *reference; }, silent)
                    .scan;
    if (!of.maps) {
        scan.coil_maps = CoilMatrix();
    }
    return scan;
}

std::vector<ValidationRow> rows_of(const Scan& scan, Transforms& transforms) {
    Reporter silent;
    ValidateOptions options;
    options.pairs = 3e5;
    return validate(scan, transforms, options, silent);
}

bool passed(const std::vector<ValidationRow>& rows, const std::string& stage) {
    for (const ValidationRow& row : rows) {
        if (row.stage == stage) {
            return row.passed();
        }
    }
    ADD_FAILURE() << "no row " << stage;
    return false;
}

class ValidateHealthy : public test::DeviceFixture, public testing::WithParamInterface<Healthy> {};

TEST_P(ValidateHealthy, ScansPass) {
    const Healthy& of = GetParam();
    if (of.precision == Precision::float64 && !list_devices().front().double_precision) {
        GTEST_SKIP() << "a device without double precision";
    }
    ComputeOptions options;
    options.kernel = of.kernel;
    options.precision = of.precision;
    const auto transforms = open_transforms(options);
    const std::vector<ValidationRow> rows = rows_of(scan_of(of), *transforms);
    EXPECT_EQ(rows.size(), 7U);
    for (const ValidationRow& row : rows) {
        EXPECT_TRUE(row.passed()) << row.stage << ": " << row.relative_l2 << " > " << row.bound
                                  << ", " << row.remark;
        EXPECT_TRUE(row.says_something()) << row.stage << ": " << row.bound;
    }
}

using ValidateOffTheGrid = test::DeviceFixture;

TEST_F(ValidateOffTheGrid, ScansPass) {
    const test::Problem problem = test::make_problem({"list", {9, 6, 0}, 300, 2, 40});
    Scan scan;
    scan.grid = problem.grid;
    scan.frames = {problem.frame()};
    scan.voxels.emplace();
    for (std::size_t n = 0; n < problem.voxels.count(); ++n) {
        scan.voxels->push_back(problem.voxels.position(n));
    }
    for (const ValidationRow& row : rows_of(scan, *device())) {
        EXPECT_TRUE(row.passed()) << row.stage << ": " << row.relative_l2 << " > " << row.bound;
        EXPECT_TRUE(row.says_something()) << row.stage << ": " << row.bound;
    }
}

INSTANTIATE_TEST_SUITE_P(
    Scans, ValidateHealthy,
    testing::Values(Healthy{"RadialWithMaps", "radial", 3, 4, true},
                    Healthy{"RadialWithoutMaps", "radial", 3, 4, false},
                    Healthy{"GoldenAngleWithMaps", "golden-angle", 6, 8, true},
                    Healthy{"GoldenAngleWithoutMaps", "golden-angle", 6, 8, false},
                    Healthy{"SpiralWithMaps", "spiral", 2, 4, true},
                    Healthy{"SpiralWithoutMaps", "spiral", 1, 4, false},
                    Healthy{"Cartesian", "cartesian", 1, 1, false},
                    Healthy{"ByNaiveSums", "radial", 3, 2, true, false, "naive"},
                    Healthy{"Radial3D", "radial-3d", 4, 2, true, true},
                    Healthy{"SpiralOffResonance", "spiral", 1, 1, false, false, "", 200},
                    Healthy{"SpiralOffResonanceInDouble", "spiral", 1, 2, true, false, "", 200, 0,
                            Precision::float64},
                    Healthy{"SpiralThatDecays", "spiral", 2, 2, true, false, "", 150, 60},
                    Healthy{"RadialOffResonance", "radial", 2, 2, true, false, "", 200},
                    Healthy{"RadialOffResonanceInDouble", "radial", 2, 1, false, false, "", 300, 20,
                            Precision::float64}),
    [](const auto& of) { return std::string(of.param.name); });

using ValidateWrong = test::DeviceFixture;

TEST_F(ValidateWrong, AnErrorOfOneInTenThousandIsFound) {
    const Scan scan = scan_of({"", "radial", 3, 4, true});
    const auto wrong_fhd = wrong_device(1e-4, 0);
    EXPECT_FALSE(passed(rows_of(scan, *wrong_fhd), "fhd"));
    const auto wrong_q = wrong_device(0, 1e-4);
    const std::vector<ValidationRow> rows = rows_of(scan, *wrong_q);
    EXPECT_FALSE(passed(rows, "q"));
    EXPECT_FALSE(passed(rows, "operator"));
    const auto right = wrong_device(0, 0);
    EXPECT_TRUE(passed(rows_of(scan, *right), "fhd"));
}

// A wrong solution is found even if all rows before it pass.
TEST_F(ValidateWrong, TheSolutionShowsWhatAStageDidWrong) {
    const Scan scan = scan_of({"", "radial", 3, 4, true});
    const auto wrong = wrong_device(1e-2, 0);
    EXPECT_FALSE(passed(rows_of(scan, *wrong), "solution"));
}

} // namespace
} // namespace lsrecon
