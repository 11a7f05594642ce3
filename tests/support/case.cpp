#include "support/case.hpp"

#include <cmath>
#include <numeric>
#include <ostream>

#include "base/types.hpp"
#include "simulate/trajectories.hpp"

namespace lsrecon::test {

double Random::uniform(double from, double to) {
    return from + (to - from) * uniform_number(generator_);
}

Complex Random::complex() {
    const double real = uniform(-1, 1);
    return {real, uniform(-1, 1)};
}

CoilMatrix Random::matrix(std::size_t rows, std::size_t columns) {
    return CoilMatrix::NullaryExpr(static_cast<Eigen::Index>(rows),
                                   static_cast<Eigen::Index>(columns), [&] { return complex(); });
}

ComplexVector Random::vector(std::size_t size) {
    return matrix(1, size).row(0).transpose();
}

std::vector<std::size_t> Random::permutation(std::size_t size) {
    std::vector<std::size_t> order(size);
    std::iota(order.begin(), order.end(), std::size_t(0));
    for (std::size_t i = size; i > 1; --i) {
        std::swap(order[i - 1], order[generator_() % i]);
    }
    return order;
}

Grid make_grid(std::size_t x, std::size_t y, std::size_t z) {
    Grid grid;
    grid.dimensions = z == 0 ? 2 : 3;
    grid.size = {x, y, z == 0 ? 1 : z};
    grid.fov_mm = {240, 220, 200};
    return grid;
}

namespace {

std::vector<Vec3> random_points(Random& random, const Grid& grid, std::size_t count,
                                const Vec3& reach) {
    std::vector<Vec3> points(count, {0, 0, 0});
    for (Vec3& point : points) {
        for (std::size_t d = 0; d < static_cast<std::size_t>(grid.dimensions); ++d) {
            point[d] = random.uniform(-reach[d], reach[d]);
        }
    }
    return points;
}

std::vector<Vec3> positions_of(const Case& of, const Grid& grid, Random& random) {
    if (of.design != "uniform") {
        TrajectoryOptions options;
        options.grid = grid;
        options.seed = of.seed;
        return make_trajectory(of.design, options);
    }
    const Vec3 half{0.5 * static_cast<double>(grid.size[0]),
                    0.5 * static_cast<double>(grid.size[1]),
                    0.5 * static_cast<double>(grid.size[2])};
    return random_points(random, grid, of.samples, half);
}

std::shared_ptr<const OffResonance> field_of(const Case& of, std::size_t voxels, Random& random) {
    const auto count = static_cast<Eigen::Index>(voxels);
    OffResonance off{
        RealVector::NullaryExpr(count, [&] { return random.uniform(-of.field_hz, of.field_hz); }),
        RealVector::NullaryExpr(of.r2star > 0 ? count : 0,
                                [&] { return random.uniform(0, of.r2star); })};
    return std::make_shared<const OffResonance>(std::move(off));
}

} // namespace

Problem make_problem(const Case& of) {
    Random random(of.seed);
    Problem problem;
    problem.grid = make_grid(of.size[0], of.size[1], of.size[2]);
    Trajectory trajectory;
    trajectory.positions = positions_of(of, problem.grid, random);
    const std::size_t samples = trajectory.samples();
    if (of.phi) {
        trajectory.phi = random.vector(samples);
    }
    if (of.weights) {
        trajectory.weights = RealVector::NullaryExpr(static_cast<Eigen::Index>(samples),
                                                     [&] { return random.uniform(0, 2); });
    }
    if (of.field_hz != 0) {
        trajectory.times = RealVector::NullaryExpr(static_cast<Eigen::Index>(samples),
                                                   [&] { return random.uniform(-0.002, 0.02); });
    }
    problem.trajectory = std::make_shared<const Trajectory>(std::move(trajectory));
    problem.voxels =
        of.listed_voxels == 0
            ? Voxels::of_grid(problem.grid)
            : Voxels::at(problem.grid, random_points(random, problem.grid, of.listed_voxels,
                                                     {of.reach, of.reach, of.reach}));
    if (of.field_hz != 0) {
        problem.voxels = problem.voxels.in_field(field_of(of, problem.voxels.count(), random));
    }
    problem.samples = random.matrix(of.coils, samples);
    problem.rho = random.matrix(of.coils, problem.voxels.count());
    if (of.coil_maps) {
        problem.coil_maps = random.matrix(of.coils, problem.voxels.count());
    }
    return problem;
}

double Problem::largest_turns() const {
    Vec3 k{0, 0, 0};
    for (const Vec3& point : positions()) {
        for (std::size_t d = 0; d < 3; ++d) {
            k[d] = std::max(k[d], std::abs(point[d]));
        }
    }
    double turns = 0;
    for (std::size_t n = 0; n < voxels.count(); ++n) {
        const Vec3 x = voxels.position(n);
        turns =
            std::max(turns, k[0] * std::abs(x[0]) + k[1] * std::abs(x[1]) + k[2] * std::abs(x[2]));
    }
    if (voxels.off_resonance() && trajectory->times.size() > 0) {
        turns += trajectory->times.cwiseAbs().maxCoeff() *
                 voxels.off_resonance()->field.cwiseAbs().maxCoeff();
    }
    return turns;
}

void PrintTo(const Case& of, std::ostream* stream) {
    *stream << of.name << ": grid " << of.size[0] << " x " << of.size[1] << " x " << of.size[2]
            << ", " << of.design << ", " << of.samples << " samples, " << of.coils << " coils, "
            << of.listed_voxels << " listed voxels within " << of.reach << ", seed " << of.seed;
}

} // namespace lsrecon::test
