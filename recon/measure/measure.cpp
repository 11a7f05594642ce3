// Compares a transform of random data with the exact sums at some points, and takes the median time
// of several runs.

#include "measure/measure.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "base/machine.hpp"
#include "base/numbers.hpp"
#include "base/tolerance.hpp"

namespace lsrecon {

namespace {

/// The reference computes at least this many points, and more until it has done so many pairs.
constexpr std::size_t fewest_checked = 32;
constexpr double reference_pairs = 5e7;

std::vector<Vec3> random_trajectory(const Grid& grid, std::size_t samples,
                                    std::mt19937_64& random) {
    std::uniform_real_distribution<double> uniform(-0.5, 0.5);
    std::vector<Vec3> positions(samples, Vec3{0, 0, 0});
    for (Vec3& k : positions) {
        for (std::size_t d = 0; d < static_cast<std::size_t>(grid.dimensions); ++d) {
            k[d] = uniform(random) * static_cast<double>(grid.size[d]);
        }
    }
    return positions;
}

OnHost run(Transforms& transforms, const TransformCase& what, const std::vector<Vec3>& positions,
           const Voxels& voxels, Reporter& report) {
    const Progress progress = [&](double fraction) { report.progress(fraction); };
    if (what.stage == "f") {
        return forward_on_host(transforms, positions, what.values, voxels, progress);
    }
    if (what.stage == "q") {
        const RealVector weights = what.values.row(0).real().transpose();
        return q_on_host(transforms, positions, weights, voxels, progress);
    }
    return adjoint_on_host(transforms, positions, what.values, voxels, progress);
}

} // namespace

Grid grid_of(const std::vector<std::size_t>& matrix) {
    Grid grid;
    grid.dimensions = static_cast<int>(matrix.size());
    std::copy(matrix.begin(), matrix.end(), grid.size.begin());
    return grid;
}

TransformCase make_transform_case(const std::string& stage, const std::vector<std::size_t>& matrix,
                                  std::size_t samples, unsigned seed, Reporter& report) {
    std::mt19937_64 random(seed);
    const Grid grid = grid_of(matrix);
    return make_transform_case(stage, grid, random_trajectory(grid, samples, random), 1, random,
                               report);
}

TransformCase make_transform_case(const std::string& stage, const Grid& grid,
                                  std::vector<Vec3> positions, std::size_t coils,
                                  std::mt19937_64& random, Reporter& report) {
    TransformCase what;
    what.stage = stage;
    what.grid = grid;
    what.voxels = stage == "q" ? Voxels::half_differences(grid) : Voxels::of_grid(grid);
    what.positions = std::move(positions);
    what.values.resize(static_cast<Eigen::Index>(coils), static_cast<Eigen::Index>(what.sources()));
    std::uniform_real_distribution<float> uniform(-0.5F, 0.5F); // as arrays hold it
    for (Complex& value : what.values.reshaped()) {
        value = stage == "q" ? Complex(uniform(random) + 0.5F)
                             : Complex(uniform(random), uniform(random));
    }
    const double counted = stage == "q" ? std::pow(2.0, grid.dimensions) : 1.0;
    what.pairs =
        counted * static_cast<double>(grid.voxels()) * static_cast<double>(what.positions.size());

    const std::size_t count = what.points();
    const auto affordable = static_cast<std::size_t>(
        reference_pairs / static_cast<double>(std::max<Eigen::Index>(1, what.values.size())));
    const std::size_t checked = std::min(count, std::max(fewest_checked, affordable));
    for (std::size_t i = 0; i < checked; ++i) {
        what.checked.push_back(random() % count);
    }
    const auto reference = reference_transforms();
    what.exact = run_checked(*reference, what, report).values;
    what.reference_seconds = reference->device().clock().seconds() * static_cast<double>(count) /
                             static_cast<double>(checked);
    what.reference_scaled = checked < count;
    return what;
}

OnHost run_case(Transforms& transforms, const TransformCase& what, Reporter& report) {
    return run(transforms, what, what.positions, what.voxels, report);
}

OnHost run_checked(Transforms& transforms, const TransformCase& what, Reporter& report) {
    if (what.stage != "f") {
        return run(transforms, what, what.positions, what.voxels.subset(what.checked), report);
    }
    std::vector<Vec3> positions;
    for (const std::size_t m : what.checked) {
        positions.push_back(what.positions[m]);
    }
    return run(transforms, what, positions, what.voxels, report);
}

double error_of(const CoilMatrix& computed, const TransformCase& what) {
    CoilMatrix at(what.exact.rows(), what.exact.cols());
    for (std::size_t i = 0; i < what.checked.size(); ++i) {
        at.col(static_cast<Eigen::Index>(i)) =
            computed.col(static_cast<Eigen::Index>(what.checked[i]));
    }
    return error_at_checked(at, what);
}

double error_at_checked(const CoilMatrix& computed, const TransformCase& what) {
    return (computed - what.exact).norm() / what.exact.norm();
}

Times time_case(Transforms& transforms, const TransformCase& what, Reporter& report,
                const MeasureEffort& effort) {
    std::vector<double> compute;
    std::vector<double> wall;
    const auto start = std::chrono::steady_clock::now();
    double elapsed = 0;
    do {
        run_case(transforms, what, report);
        compute.push_back(transforms.device().clock().seconds());
        wall.push_back(seconds_since(start) - elapsed);
        elapsed = seconds_since(start);
    } while (compute.back() < effort.hopeless_seconds &&
             (elapsed < effort.seconds ||
              (compute.size() < effort.runs && elapsed < 3 * effort.seconds)));
    return {median(compute), *std::min_element(compute.begin(), compute.end()), median(wall)};
}

Measurement measure(Transforms& transforms, const TransformCase& what, Reporter& report,
                    const MeasureEffort& effort) {
    Measurement result;
    const auto start = std::chrono::steady_clock::now();
    const OnHost computed = run_case(transforms, what, report);
    Times times{transforms.device().clock().seconds(), transforms.device().clock().seconds(),
                seconds_since(start)};
    result.relative_error = error_of(computed.values, what);
    result.bound = computed.error;
    if (!result.verified()) {
        return result;
    }
    if (times.compute < std::min(effort.seconds, 3 * effort.hopeless_seconds)) {
        times = time_case(transforms, what, report, effort); // the first run warmed up
    }
    result.seconds = times.compute;
    result.fastest_seconds = times.fastest;
    result.wall_seconds = times.wall;
    return result;
}

} // namespace lsrecon
