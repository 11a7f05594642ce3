// What the errors of the transforms do to an image is held against images by exact transforms.

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "encoding/certificate.hpp"
#include "encoding/summary.hpp"
#include "support/case.hpp"
#include "support/equations.hpp"
#include "support/numbers.hpp"
#include "support/simulated.hpp"

namespace lsrecon {
namespace {

std::unique_ptr<Transforms> nufft(double accuracy) {
    ComputeOptions options;
    options.kernel = "nufft";
    options.precision = Precision::float64;
    options.accuracy = accuracy;
    try {
        auto transforms = open_transforms(options);
        return transforms->device().in_host_memory() ? std::move(transforms) : nullptr;
    } catch (const Error&) {
        return nullptr;
    }
}

ImageFrame image_by(Transforms& transforms, const Scan& scan, const SolveOptions& options) {
    Reporter report;
    const Formulation formulation = formulate(scan);
    const Frame& frame = scan.frames[0];
    const test::Equations by(transforms, formulation, scan.coil_maps, *frame.trajectory);
    SolveOptions looking_ahead = options;
    looking_ahead.looks_ahead = !by.encoding.is_exact();
    const std::vector<Volume> fhd = by.encoding.adjoint(frame.samples).volumes;
    Solved solved = by.solve(fhd, looking_ahead, report);
    ImageFrame image = to_image(frame, solved);
    if (by.encoding.is_exact()) {
        estimate_by_certificate(image, solved, {}, options.lambda, by.encoding.voxels());
        return image;
    }
    const DrawnVoxels drawn = draw_voxels(scan.coil_maps, by.encoding.voxels());
    const Certifier certifier(by.encoding, by.n, drawn);
    estimate_by_certificate(image, solved, certifier.of(certifier.exact(frame.samples).get(), fhd),
                            options.lambda, certifier.unknowns());
    return image;
}

struct Kind {
    const char* positions;
    std::array<std::size_t, 3> size;
    std::size_t coils;
};

class Certified : public testing::TestWithParam<Kind> {};

TEST_P(Certified, ImagesAreWithinTheirBound) {
    const Kind kind = GetParam();
    SimulationOptions simulation =
        options_of(kind.positions, test::make_grid(kind.size[0], kind.size[1], kind.size[2]));
    simulation.coils = kind.coils;
    simulation.noise = 0.02;
    const Scan scan = simulated(simulation).scan;
    const auto exact = reference_transforms();
    int beyond = 0;
    for (const auto& [lambda, iterations] :
         {std::pair<double, int>{0, 5}, {0, 10}, {0, 15}, {0.01, 300}}) {
        SolveOptions options{lambda, iterations, 1e-9};
        options.precondition = lambda > 0;
        const ImageFrame expected = image_by(*exact, scan, options);
        EXPECT_EQ(expected.certificate.voxels, 0) << "of an exact engine";
        for (const double accuracy : {1e-3, 1e-5, 1e-8}) {
            const auto fast = nufft(accuracy);
            if (!fast) {
                GTEST_SKIP() << "no device in the host's memory";
            }
            const ImageFrame image = image_by(*fast, scan, options);
            const double moved = test::relative_l2(image.values, expected.values);
            const ErrorEstimate error = image.certificate.image;
            const auto said =
                text(" lambda ", lambda, ", ", iterations, " iterations, accuracy ", accuracy,
                     ": moved by ", moved, ", estimated ", error.estimate, ", bound ", error.upper);
            beyond += moved > error.upper ? 1 : 0;
            EXPECT_LE(moved, 2 * error.upper) << said;
            EXPECT_LE(error.estimate, 40 * moved) << said; // measured: 25
            EXPECT_LE(error.upper, (lambda > 0 ? 600 : 200) * moved) << said; // measured: 112
        }
    }
    EXPECT_LE(beyond, 1) << "of 12 bounds, whose confidence is 95 %";
}

INSTANTIATE_TEST_SUITE_P(Scans, Certified,
                         testing::Values(Kind{"radial", {32, 32, 0}, 4},
                                         Kind{"spiral", {32, 32, 0}, 1},
                                         Kind{"random", {24, 24, 0}, 1},
                                         Kind{"radial-3d", {12, 12, 12}, 1}));

} // namespace
} // namespace lsrecon
