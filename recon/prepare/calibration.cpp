#include "prepare/calibration.hpp"

#include <cmath>

#include "base/error.hpp"
#include "base/fft.hpp"
#include "operators/q.hpp"
#include "plan/plan.hpp"
#include "solve/conjugate_gradient.hpp"
#include "solve/normal_equations.hpp"
#include "solve/system.hpp"

namespace lsrecon {

namespace {

/// Radii in cycles/FOV: maps are smooth, and more calibration costs more than it brings.
constexpr std::size_t most_in_2d = 16;
constexpr std::size_t most_in_3d = 12;
constexpr std::size_t fewest = 4;
constexpr double share_of_cells = 0.9; ///< that must hold a sample
/// Of the low-resolution images: enough to keep what was hardly sampled from growing.
constexpr double lambda = 1e-3;
constexpr int iterations = 30;
constexpr double tolerance = 1e-4;

/// Indices of the samples within the box; the edge at +h belongs to the next period.
std::vector<std::size_t> within(const std::vector<Vec3>& trajectory, const Grid& box) {
    std::vector<std::size_t> inside;
    for (std::size_t m = 0; m < trajectory.size(); ++m) {
        bool in = true;
        for (std::size_t d = 0; d < 3; ++d) {
            const double half = static_cast<double>(box.size[d]) / 2;
            in = in && (box.size[d] == 1 || (trajectory[m][d] >= -half && trajectory[m][d] < half));
        }
        if (in) {
            inside.push_back(m);
        }
    }
    return inside;
}

/// F of the voxels at whole k, both from their middle.
CoilMatrix to_kspace(const CoilMatrix& images, const Grid& grid) {
    const Fft<double> fft(grid.size);
    CoilMatrix result(images.rows(), images.cols());
    std::vector<Complex> period(grid.voxels());
    const auto rolled = [&](std::size_t n, bool back) {
        std::size_t to = 0;
        std::size_t stride = 1;
        for (const std::size_t size : grid.size) {
            const std::size_t at = n % size;
            const std::size_t by = back ? size / 2 : size - size / 2;
            to += (at + by) % size * stride;
            stride *= size;
            n /= size;
        }
        return to;
    };
    for (Eigen::Index c = 0; c < images.rows(); ++c) {
        for (std::size_t n = 0; n < period.size(); ++n) {
            period[rolled(n, false)] = images(c, static_cast<Eigen::Index>(n));
        }
        fft.forward(period.data());
        for (std::size_t n = 0; n < period.size(); ++n) {
            result(c, static_cast<Eigen::Index>(rolled(n, true))) = period[n];
        }
    }
    return result;
}

} // namespace

std::size_t sampled_radius(const std::vector<Vec3>& trajectory, const Grid& grid,
                           std::size_t most) {
    const auto reach = static_cast<long>(most);
    std::array<long, 3> half{0, 0, 0};
    for (std::size_t d = 0; d < static_cast<std::size_t>(grid.dimensions); ++d) {
        half[d] = std::min(reach, static_cast<long>(grid.size[d] / 2));
    }
    const long width = 2 * reach + 1;
    std::vector<bool> filled(static_cast<std::size_t>(width * width * width), false);
    const auto cell = [&](long x, long y, long z) {
        return static_cast<std::size_t>(((z + reach) * width + y + reach) * width + x + reach);
    };
    for (const Vec3& k : trajectory) {
        const std::array<long, 3> at{std::lround(k[0]), std::lround(k[1]), std::lround(k[2])};
        if (std::abs(at[0]) <= half[0] && std::abs(at[1]) <= half[1] &&
            std::abs(at[2]) <= half[2]) {
            filled[cell(at[0], at[1], at[2])] = true;
        }
    }
    std::vector<std::size_t> all(most + 1, 0); // of the shell within this radius and the last
    std::vector<std::size_t> sampled(most + 1, 0);
    for (long z = -half[2]; z <= half[2]; ++z) {
        for (long y = -half[1]; y <= half[1]; ++y) {
            for (long x = -half[0]; x <= half[0]; ++x) {
                const auto r = static_cast<std::size_t>(
                    std::ceil(std::sqrt(static_cast<double>(x * x + y * y + z * z))));
                // +N/2 of an even number of voxels is -N/2.
                const bool counts = r <= most && 2 * x < static_cast<long>(grid.size[0]) &&
                                    2 * y < static_cast<long>(grid.size[1]) &&
                                    (half[2] == 0 || 2 * z < static_cast<long>(grid.size[2]));
                if (counts) {
                    ++all[r];
                    sampled[r] += filled[cell(x, y, z)] ? 1 : 0;
                }
            }
        }
    }
    double cells = 0;
    double with_sample = 0;
    std::size_t result = 0;
    for (std::size_t r = 0; r <= most; ++r) {
        cells += static_cast<double>(all[r]);
        with_sample += static_cast<double>(sampled[r]);
        result = with_sample >= share_of_cells * cells ? r : result;
    }
    return result;
}

void Calibration::join(const Calibration& other) {
    for (const auto& [all, more] :
         {std::pair(&images, &other.images), std::pair(&kspace, &other.kspace)}) {
        const Eigen::Index before = all->cols();
        all->conservativeResize(Eigen::NoChange, before + more->cols());
        all->rightCols(more->cols()) = *more;
    }
    frames += other.frames;
}

Calibration calibrate(Backend& backend, const Scan& scan, const Frame& frame, Reporter& report,
                      std::size_t radius) {
    const Stage stage(report, "calibrate");
    const std::vector<Vec3>& trajectory = frame.sampling->trajectory;
    Calibration result;
    result.frames = 1;
    result.grid = scan.grid;
    result.radius = radius > 0
                        ? radius
                        : sampled_radius(trajectory, scan.grid,
                                         scan.grid.dimensions == 3 ? most_in_3d : most_in_2d);
    if (result.radius < fewest) {
        throw InputError({scan.file, "the centre of k-space, from which coil maps are estimated",
                          text("less than ", 100 * share_of_cells, " % of it is sampled within ",
                               fewest, " cycles/FOV"),
                          "samples at the Nyquist rate there",
                          text("pass --maps FILE with maps of these coils; ", without_maps)});
    }
    for (std::size_t d = 0; d < static_cast<std::size_t>(scan.grid.dimensions); ++d) {
        result.grid.size[d] = std::min(2 * result.radius, scan.grid.size[d]);
    }
    Frame inside = subset(frame, within(trajectory, result.grid));
    const Plan plan{result.grid, Voxels::of_grid(result.grid), true, false};
    const CoilRows no_maps;
    Reporter within_calibrate;
    const auto make_q = [&](const Sampling& sampling) {
        return compute_q(backend, sampling, result.grid, within_calibrate);
    };
    FrameEquations equations({backend, plan, no_maps, lambda, make_q});
    NormalEquations& of_frame = equations.of(inside.sampling);
    const std::vector<Volume> fhd = of_frame.fhd(inside.samples, within_calibrate);
    inside.samples = {}; // what follows needs their memory
    const SolveOptions options{lambda, iterations, tolerance, true};
    const auto solve_one = [&](const Volume& b) {
        System* const on_device = of_frame.on_device();
        return (on_device != nullptr ? *on_device : of_frame.on_reference())
            .solve(b, options, [](double) {})
            .x;
    };
    result.images.resize(static_cast<Eigen::Index>(fhd.size()),
                         static_cast<Eigen::Index>(result.grid.voxels()));
    for (std::size_t c = 0; c < fhd.size(); ++c) {
        result.images.row(static_cast<Eigen::Index>(c)) = solve_one(fhd[c]).transpose();
    }
    result.kspace = to_kspace(result.images, result.grid);
    return result;
}

} // namespace lsrecon
