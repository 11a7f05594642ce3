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

RealVector noise(Eigen::Index count, double deviation, unsigned seed = 1) {
    std::mt19937 random(seed);
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
        EXPECT_TRUE(require_fit(prior, grid, image, false, report).is_judged);
    } catch (const InputError& error) {
        return error.what();
    }
    return "";
}

/// By the sensitivity of coils on one side, or around it; 1 in the middle.
RealVector shaded(const RealVector& image, const Grid& grid, double along_x, double along_y,
                  double outwards = 0) {
    RealVector result = image;
    for (std::size_t n = 0; n < grid.voxels(); ++n) {
        const auto [nx, ny, nz] = grid.size;
        const double x = static_cast<double>(n % nx) / static_cast<double>(nx) - 0.5;
        const double y = static_cast<double>(n / nx % ny) / static_cast<double>(ny) - 0.5;
        result(static_cast<Eigen::Index>(n)) *=
            std::exp(along_x * x + along_y * y + outwards * (x * x + y * y));
    }
    return result;
}

TEST(PriorFit, AcceptsAnotherContrastInSilence) {
    for (const auto& [grid, phantom] : cases()) {
        Reporter report;
        EXPECT_TRUE(require_fit(in_other_contrast(phantom, grid), grid, scanned(phantom, grid),
                                true, report)
                        .is_judged);
        EXPECT_TRUE(report.notes().empty()) << report.notes().front();
    }
}

/// A disc, and a bottle that goes on beyond the field of view along z. What the coils see of it is
/// brightest in the middle, or on a side.
TEST(PriorFit, AcceptsAUniformObjectUnderShading) {
    for (const Grid& grid : {make_grid(100, 90), make_grid(50, 40, 37)}) {
        const Phantom bottle(grid.dimensions, {{1, {0.36, 0.36, 5}, {0, 0, 0}, 0}});
        const RealVector even = scanned(bottle, grid);
        PriorImage prior{"prior.h5", "", bottle.voxel_means(grid)};
        prior.values += noise(even.size(), 0.03).cast<Complex>();
        for (const RealVector& image : {even, shaded(even, grid, 0, 0, -6),
                                        shaded(even, grid, 2, 1), shaded(even, grid, 2, -3, 4)}) {
            EXPECT_EQ(refusal(prior, grid, image), "");
        }
    }
}

TEST(PriorFit, AcceptsCoilsOnOppositeSides) {
    for (const auto& [grid, phantom] : cases()) {
        PriorImage prior = in_other_contrast(phantom, grid);
        prior.values = shaded(prior.values.cwiseAbs(), grid, 0, 2.5).cast<Complex>();
        EXPECT_EQ(refusal(prior, grid, shaded(scanned(phantom, grid), grid, 0, -2.5)), "");
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
    EXPECT_TRUE(require_fit(in_other_contrast(in_size(phantom, 1.12), grid), grid,
                            scanned(phantom, grid), true, report)
                    .is_judged);
    ASSERT_EQ(report.notes().size(), 1U);
    EXPECT_THAT(report.notes().front(), HasSubstr("times its size"));
}

/// Which may be one under other coils.
TEST(PriorFit, NotesAMirroredImage) {
    const Phantom phantom(
        3, {{1, {0.25, 0.3, 0.35}, {0.1, 0.06, 0.05}, 0}, {-0.6, {0.1, 0.1, 0.1}, {0.2, 0, 0}, 0}});
    const Grid grid = make_grid(40, 40, 40);
    const PriorImage prior = in_other_contrast(in_size(phantom, 1, {-1, 1, 1}), grid);
    Reporter report;
    EXPECT_TRUE(require_fit(prior, grid, scanned(phantom, grid), true, report).is_judged);
    ASSERT_EQ(report.notes().size(), 1U);
    EXPECT_THAT(report.notes().front(), HasSubstr("mirrored along x"));
}

TEST(PriorFit, EndsTheRunWhereThePriorServesAllFrames) {
    const auto [grid, phantom] = cases().front();
    const PriorImage prior = in_other_contrast(in_size(phantom, 0.5), grid);
    const RealVector image = scanned(phantom, grid);
    Reporter report;
    EXPECT_THROW(require_fit(prior, grid, image, true, report), RunError);
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
    const Grid small = make_grid(16, 16);
    Reporter report;
    for (const RealVector& image :
         {RealVector(noise(9000, 1).cwiseAbs()), RealVector(RealVector::Zero(9000))}) {
        const PriorFit fit = require_fit(in_other_contrast(half, grid), grid, image, true, report);
        EXPECT_FALSE(fit.is_judged);
        EXPECT_TRUE(fit.is_unlike());
    }
    EXPECT_FALSE(require_fit(in_other_contrast(half, small), small,
                             scanned(Phantom::shepp_logan(2), small), true, report)
                     .information);
    EXPECT_TRUE(report.notes().empty());
}

/// In half its size it fills the middle, as the object does, and so may have a note of its own.
TEST(PriorFit, FindsNoLikenessInNoise) {
    for (const auto& [grid, phantom] : cases()) {
        const auto voxels = static_cast<Eigen::Index>(grid.voxels());
        const PriorImage prior{"noise.h5", "", noise(voxels, 1, 2).cast<Complex>()};
        Reporter report;
        EXPECT_TRUE(require_fit(prior, grid, scanned(phantom, grid), true, report).is_unlike());
        EXPECT_FALSE(require_fit(in_other_contrast(phantom, grid), grid, scanned(phantom, grid),
                                 true, report)
                         .is_unlike());
    }
}

} // namespace
} // namespace lsrecon
