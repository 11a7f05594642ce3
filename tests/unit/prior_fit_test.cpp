#include "prepare/prior_fit.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>

#include "base/error.hpp"
#include "scan/phantom.hpp"
#include "support/case.hpp"

namespace lsrecon {
namespace {

using test::make_grid;
using testing::HasSubstr;

Phantom in_size(const Phantom& phantom, double size, const Vec3& towards = {1, 1, 1}) {
    std::vector<Ellipsoid> parts = phantom.parts();
    for (Ellipsoid& part : parts) {
        for (std::size_t d = 0; d < 3; ++d) {
            part.semi_axes[d] *= size;
            part.centre[d] *= size * towards[d];
        }
        part.angle *= towards[0] * towards[1];
    }
    return {phantom.dimensions(), parts};
}

RealVector noise(Eigen::Index count, double deviation) {
    std::mt19937 random(1);
    std::normal_distribution<double> normal(0, deviation);
    return RealVector::NullaryExpr(count, [&] { return normal(random); });
}

/// Of a scan at an SNR of 5 or so.
RealVector scanned(const Phantom& phantom, const Grid& grid) {
    const RealVector object = phantom.voxel_means(grid).real();
    return (object + noise(object.size(), 0.06)).cwiseAbs();
}

/// Dark where the scan is bright, as another nucleus may be.
PriorImage in_other_contrast(const Phantom& phantom, const Grid& grid) {
    const RealVector object = phantom.voxel_means(grid).real();
    const RealVector contrast = (object.array() > 0.01).select(1.2 - object.array(), 0.0);
    return {"prior.h5", "", (contrast + noise(object.size(), 0.01)).cast<Complex>()};
}

struct Case {
    Grid grid;
    Phantom phantom;
};
std::vector<Case> cases() {
    return {{make_grid(100, 90), Phantom::shepp_logan(2)},
            {make_grid(192, 201), Phantom::shepp_logan(2)},
            {make_grid(50, 40, 37), Phantom::shepp_logan(3)}};
}

std::string refusal(const PriorImage& prior, const Grid& grid, const RealVector& image) {
    Reporter report;
    try {
        require_fit(prior, grid, image, report);
    } catch (const InputError& error) {
        return error.what();
    }
    return "";
}

TEST(PriorFit, AcceptsAnotherContrastInSilence) {
    for (const auto& [grid, phantom] : cases()) {
        Reporter report;
        require_fit(in_other_contrast(phantom, grid), grid, scanned(phantom, grid), report);
        EXPECT_TRUE(report.notes().empty()) << report.notes().front();
    }
}

TEST(PriorFit, RefusesAnotherSize) {
    for (const auto& [grid, phantom] : cases()) {
        for (const double size : {0.5, 0.75, 1.3, 2.0}) {
            const PriorImage prior = in_other_contrast(in_size(phantom, size), grid);
            EXPECT_THAT(refusal(prior, grid, scanned(phantom, grid)),
                        AllOf(HasSubstr("prior.h5"), HasSubstr("times its size")))
                << size << " of " << grid.size[0] << " voxels";
        }
    }
}

TEST(PriorFit, NotesASizeThatIsSlightlyOther) {
    const auto [grid, phantom] = cases().back();
    Reporter report;
    require_fit(in_other_contrast(in_size(phantom, 1.12), grid), grid, scanned(phantom, grid),
                report);
    ASSERT_EQ(report.notes().size(), 1U);
    EXPECT_THAT(report.notes().front(), HasSubstr("times its size"));
}

TEST(PriorFit, RefusesAMirroredImage) {
    const Phantom phantom(
        3, {{1, {0.25, 0.3, 0.35}, {0.1, 0.06, 0.05}, 0}, {-0.6, {0.1, 0.1, 0.1}, {0.2, 0, 0}, 0}});
    const Grid grid = make_grid(40, 40, 40);
    const PriorImage prior = in_other_contrast(in_size(phantom, 1, {-1, 1, 1}), grid);
    EXPECT_THAT(refusal(prior, grid, scanned(phantom, grid)), HasSubstr("mirrored along x"));
}

/// Sodium of a brain beside protons that show the scalp, too.
TEST(PriorFit, AcceptsAnImageOfMoreThanTheScanSees) {
    for (const auto& [grid, phantom] : cases()) {
        std::vector<Ellipsoid> inner = phantom.parts();
        inner[0].semi_axes = inner[1].semi_axes;
        EXPECT_EQ(refusal(in_other_contrast(phantom, grid), grid,
                          scanned(Phantom(grid.dimensions, inner), grid)),
                  "");
    }
}

TEST(PriorFit, DoesNotJudgeByNoiseOrFewVoxels) {
    const Grid grid = make_grid(100, 90);
    const Phantom half = in_size(Phantom::shepp_logan(2), 0.5);
    Reporter report;
    require_fit(in_other_contrast(half, grid), grid, noise(9000, 1).cwiseAbs(), report);
    require_fit(in_other_contrast(half, grid), grid, RealVector::Zero(9000), report);
    const Grid small = make_grid(16, 16);
    require_fit(in_other_contrast(half, small), small, scanned(Phantom::shepp_logan(2), small),
                report);
    EXPECT_TRUE(report.notes().empty());
}

} // namespace
} // namespace lsrecon
