// Fields of images of echoes that are made up, with and without noise.

#include "model/field_from_echoes.hpp"

#include <cmath>
#include <functional>
#include <gtest/gtest.h>

#include "model/bipolar_echoes.hpp"
#include <random>

namespace lsrecon {
namespace {

/// Numbers of a voxel by its indices from the centre of the grid.
using OfVoxel = std::function<double(double x, double y, double z)>;

Grid grid_of(std::size_t nx, std::size_t ny, std::size_t nz = 1) {
    Grid grid;
    grid.dimensions = nz > 1 ? 3 : 2;
    grid.size = {nx, ny, nz};
    grid.fov_mm = {static_cast<double>(nx), static_cast<double>(ny), static_cast<double>(nz)};
    return grid;
}

std::vector<double> values_of(const Grid& grid, const OfVoxel& value) {
    std::vector<double> values;
    const auto centred = [&](std::size_t i, std::size_t d) {
        return static_cast<double>(i) - static_cast<double>(grid.size[d] / 2);
    };
    for (std::size_t z = 0; z < grid.size[2]; ++z) {
        for (std::size_t y = 0; y < grid.size[1]; ++y) {
            for (std::size_t x = 0; x < grid.size[0]; ++x) {
                values.push_back(value(centred(x, 0), centred(y, 1), centred(z, 2)));
            }
        }
    }
    return values;
}

/// Echoes of coils whose phases and magnitudes differ; `noise` is that of each part.
EchoImages echoes_of(const Grid& grid, const OfVoxel& magnitude, const OfVoxel& field,
                     const std::vector<double>& times, double noise, int coils = 1) {
    std::mt19937 random(7);
    std::normal_distribution<double> normal(0, noise > 0 ? noise : 1);
    const std::vector<double> m = values_of(grid, magnitude);
    const std::vector<double> f = values_of(grid, field);
    EchoImages echoes{grid, times, {}};
    for (const double time : times) {
        CoilMatrix image(coils, static_cast<Eigen::Index>(m.size()));
        for (Eigen::Index c = 0; c < coils; ++c) {
            for (Eigen::Index i = 0; i < image.cols(); ++i) {
                const auto n = static_cast<std::size_t>(i);
                const double turn = static_cast<double>(c) + 0.01 * static_cast<double>(i);
                image(c, i) = std::polar(m[n] / std::sqrt(coils), turn - 2 * pi * f[n] * time);
                image(c, i) += noise > 0 ? Complex(normal(random), normal(random)) : Complex();
            }
        }
        echoes.images.emplace_back(std::move(image));
    }
    return echoes;
}

/// The root mean square of the error where `chosen` is above 0 and the map has a value.
double error_of(const EchoField& found, const Grid& grid, const OfVoxel& field,
                const OfVoxel& chosen) {
    const std::vector<double> truth = values_of(grid, field);
    const std::vector<double> where = values_of(grid, chosen);
    double sum = 0;
    double count = 0;
    for (std::size_t i = 0; i < truth.size(); ++i) {
        if (where[i] > 0 && found.mask[i]) {
            sum += std::pow(found.field(static_cast<Eigen::Index>(i)) - truth[i], 2);
            ++count;
        }
    }
    EXPECT_GT(count, 0);
    return std::sqrt(sum / count);
}

double disc(double x, double y, double) {
    return x * x + y * y < 20 * 20 ? 1 : 0;
}

double anywhere(double, double, double) {
    return 1;
}

TEST(FieldFromEchoes, IsExactWithoutNoiseHoweverOftenItWraps) {
    const auto ramp = [](double x, double y, double z) { return 70 * x - 40 * y + 55 * z; };
    for (const Grid& grid : {grid_of(40, 36), grid_of(16, 14, 12)}) {
        const EchoField found =
            field_from_echoes(echoes_of(grid, anywhere, ramp, {0.004, 0.009}, 0, 2));
        ASSERT_EQ(found.pieces.size(), 1U);
        EXPECT_NEAR(found.period, 200, 1e-9);
        EXPECT_LT(error_of(found, grid, ramp, anywhere), 0.05);
    }
}

TEST(FieldFromEchoes, UnwrapsARampUnderNoise) {
    const auto ramp = [](double x, double y, double z) { return 25 * x + 12 * y - 9 * z; };
    for (const Grid& grid : {grid_of(48, 48), grid_of(24, 20, 16)}) {
        for (const int coils : {1, 4}) {
            const double noise = 1 / (10 * std::sqrt(coils));
            const EchoField found =
                field_from_echoes(echoes_of(grid, anywhere, ramp, {0.004, 0.009}, noise, coils));
            EXPECT_EQ(found.pieces.size(), 1U);
            EXPECT_LT(error_of(found, grid, ramp, anywhere), found.unsmoothed / 2);
        }
    }
}

TEST(FieldFromEchoes, TellsItsNoiseAndSmoothsIt) {
    const Grid grid = grid_of(64, 64);
    const auto smooth = [](double x, double y, double) {
        return 60 * std::sin(x / 9) * std::cos(y / 11) + 20;
    };
    const double bound = std::sqrt(2.0) / (20 * 2 * pi * 0.001); // of a voxel at SNR 20
    const EchoField found =
        field_from_echoes(echoes_of(grid, &disc, smooth, {0.004, 0.005}, 1.0 / 20));
    EXPECT_NEAR(found.unsmoothed, bound, 0.1 * bound);
    const double error = error_of(found, grid, smooth, &disc);
    EXPECT_LT(error, bound / 4);
    const double told = found.unsmoothed * std::sqrt(found.gain);
    EXPECT_GT(told, error / 2);
    EXPECT_LT(told, error * 2);
    for (const std::vector<double>& times :
         {std::vector<double>{0.005, 0.004}, {0.002, 0.003, 0.0045, 0.007}}) {
        const EchoField more = field_from_echoes(echoes_of(grid, &disc, smooth, times, 1.0 / 20));
        EXPECT_LT(error_of(more, grid, smooth, &disc), bound / 4) << "in any order, any number";
    }
}

TEST(FieldFromEchoes, KeepsEdges) {
    const Grid grid = grid_of(64, 64);
    const double bound = std::sqrt(2.0) / (20 * 2 * pi * 0.001);
    const auto near = [](double x, double y, double z) {
        return std::abs(x + 0.5) <= 2 ? disc(x, y, z) : 0;
    };
    const auto steep = [](double x, double, double) { return std::clamp(40 * x, -100.0, 100.0); };
    const auto step = [](double x, double, double) { return x < 0 ? -100.0 : 100.0; };
    for (const OfVoxel& field : {OfVoxel(steep), OfVoxel(step)}) {
        const EchoField found =
            field_from_echoes(echoes_of(grid, &disc, field, {0.004, 0.005}, 1.0 / 20));
        EXPECT_LT(error_of(found, grid, field, near), bound);
        EXPECT_LT(error_of(found, grid, field, &disc), bound / 2);
    }
}

TEST(FieldFromEchoes, NamesPiecesAndLeavesNoiseOut) {
    const Grid grid = grid_of(64, 48);
    const auto two = [](double x, double y, double) {
        return std::hypot(x + 16, y) < 12 || std::hypot(x - 18, y) < 7 ? 1.0 : 0.0;
    };
    const auto field = [](double x, double, double) { return x < 0 ? 30.0 : 130.0; };
    const EchoField found =
        field_from_echoes(echoes_of(grid, two, field, {0.004, 0.009}, 1.0 / 30));
    ASSERT_EQ(found.pieces.size(), 2U);
    EXPECT_NEAR(found.pieces[0].median, 30, 3);
    // 130 Hz and -70 Hz are the same phase, and the latter is as near to 30 Hz.
    EXPECT_NEAR(std::remainder(found.pieces[1].median - 130, found.period), 0, 3);
    const std::vector<double> object = values_of(grid, two);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < object.size(); ++i) {
        wrong += found.mask[i] != (object[i] > 0) ? 1 : 0;
        EXPECT_TRUE(std::isfinite(found.field(static_cast<Eigen::Index>(i))));
    }
    EXPECT_LT(wrong, 60U) << "voxels at the rim";
}

TEST(FieldFromEchoes, HasNoPieceOfNoiseAlone) {
    const Grid grid = grid_of(48, 48);
    const auto none = [](double, double, double) { return 0.0; };
    for (const int coils : {1, 8}) {
        const EchoField found =
            field_from_echoes(echoes_of(grid, none, none, {0.004, 0.005}, 1, coils));
        EXPECT_TRUE(found.pieces.empty());
    }
}

TEST(FieldFromEchoes, TakesFewPairsOfManyEchoes) {
    const Grid grid = grid_of(48, 48);
    const auto field = [](double x, double y, double) { return 60 * std::cos(x / 12 + y / 15); };
    std::vector<double> times;
    for (int e = 0; e < 9; ++e) {
        times.push_back(0.003 + 0.002 * e);
    }
    const EchoField found = field_from_echoes(echoes_of(grid, disc, field, times, 0.05));
    // Of a voxel by all echoes: 0.05 / (2 pi sqrt(sum (t - mean)^2)).
    const double bound = 0.05 / (2 * pi * 0.002 * std::sqrt(60.0));
    EXPECT_NEAR(found.unsmoothed, bound, 0.15 * bound);
    EXPECT_LT(error_of(found, grid, field, disc), 0.7 * bound);
}

TEST(BipolarEchoes, PhaseOfBackwardEchoesIsTakenOut) {
    const Grid grid = grid_of(48, 48);
    const auto field = [](double x, double y, double) { return 60 * std::cos(x / 12 + y / 15); };
    EchoImages echoes = echoes_of(grid, disc, field, {0.002, 0.004, 0.006}, 0.05);
    const EchoImages before = echoes;
    const std::vector<bool> reversed{false, true, false};
    CoilMatrix image = echoes.images[1].to_doubles();
    for (Eigen::Index n = 0; n < image.cols(); ++n) {
        image.col(n) *= std::polar(1.0, 0.4 - 0.1 * static_cast<double>(n % 48 - 24));
    }
    echoes.images[1] = CoilRows(image);
    const auto phase = take_out_directions(echoes, reversed);
    ASSERT_TRUE(phase);
    EXPECT_NEAR(phase->offset, 0.4, 0.02);
    EXPECT_NEAR(phase->slope, -0.1, 0.002);
    EXPECT_LT(error_of(field_from_echoes(echoes), grid, field, disc), 1.5);
    EchoImages two{grid, {0.002, 0.004}, {before.images[0], before.images[1]}};
    EXPECT_FALSE(take_out_directions(two, {false, true}));
    const auto none = [](double, double, double) { return 0.0; };
    EchoImages noise = echoes_of(grid, none, none, {0.002, 0.004, 0.006}, 1);
    EXPECT_FALSE(take_out_directions(noise, reversed));
}

} // namespace
} // namespace lsrecon
