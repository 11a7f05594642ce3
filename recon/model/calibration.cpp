// Solves for images of the centre of k-space, and finds how far from the centre samples cover it.

#include "model/calibration.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <set>

#include "base/error.hpp"
#include "base/fft.hpp"
#include "base/parallel.hpp"
#include "encoding/sample_energy.hpp"
#include "engines/piecewise.hpp"
#include "model/coarse_solve.hpp"
#include "model/resampled.hpp"
#include "operators/gram.hpp"
#include "operators/q.hpp"
#include "scan/pose.hpp"

namespace lsrecon {

namespace {

std::array<long, 3> cell_of(const Vec3& k) {
    return {std::lround(k[0]), std::lround(k[1]), std::lround(k[2])};
}

/// Within the widest gap, so that a sample there covers the centre.
bool is_near_centre(const Vec3& k) {
    return dot(k, k) <= SampledCells::widest_gap * SampledCells::widest_gap;
}

} // namespace

SampledCells::SampledCells(const Grid& grid, std::size_t most)
    : size_(grid.size), reach_(static_cast<long>(most)), all_(most + 1, 0), sampled_(most + 1, 0) {
    for (std::size_t d = 0; d < static_cast<std::size_t>(grid.dimensions); ++d) {
        half_[d] = std::min(reach_, static_cast<long>(grid.size[d] / 2));
    }
    const auto width = static_cast<std::size_t>(2 * reach_ + 1);
    filled_.assign(width * width * width, false);
    for (long z = -half_[2]; z <= half_[2]; ++z) {
        for (long y = -half_[1]; y <= half_[1]; ++y) {
            for (long x = -half_[0]; x <= half_[0]; ++x) {
                if (counts({x, y, z})) {
                    ++all_[shell_of({x, y, z})];
                }
            }
        }
    }
}

std::size_t SampledCells::shell_of(const std::array<long, 3>& cell) const {
    const auto [x, y, z] = cell;
    return static_cast<std::size_t>(
        std::ceil(std::sqrt(static_cast<double>(x * x + y * y + z * z))));
}

std::size_t SampledCells::index_of(const std::array<long, 3>& cell) const {
    const long width = 2 * reach_ + 1;
    return static_cast<std::size_t>(((cell[2] + reach_) * width + cell[1] + reach_) * width +
                                    cell[0] + reach_);
}

bool SampledCells::counts(const std::array<long, 3>& cell) const {
    for (std::size_t d = 0; d < 3; ++d) {
        // +N/2 of an even number of voxels is -N/2.
        if (std::abs(cell[d]) > half_[d] || 2 * cell[d] >= static_cast<long>(size_[d])) {
            return false;
        }
    }
    return shell_of(cell) <= static_cast<std::size_t>(reach_);
}

void SampledCells::add(const std::vector<Vec3>& positions) {
    const auto beyond = static_cast<double>(reach_ + 1); // where no cell counts
    const auto near =
        of_each_range(positions.size(), cores_for(positions.size()), [&](const Range& range) {
            std::vector<Vec3> part;
            const auto first = positions.begin() + static_cast<std::ptrdiff_t>(range.first);
            std::copy_if(first, first + static_cast<std::ptrdiff_t>(range.count),
                         std::back_inserter(part),
                         [&](const Vec3& k) { return dot(k, k) <= beyond * beyond; });
            return part;
        });
    for (const std::vector<Vec3>& part : near) {
        std::for_each(part.begin(), part.end(), [&](const Vec3& k) { add(k); });
    }
}

void SampledCells::add(const Vec3& k) {
    const std::array<long, 3> cell = cell_of(k);
    if (!counts(cell)) {
        return;
    }
    centre_is_sampled_ = centre_is_sampled_ || is_near_centre(k);
    if (!filled_[index_of(cell)]) {
        filled_[index_of(cell)] = true;
        ++sampled_[shell_of(cell)];
    }
}

bool SampledCells::would_gain(const std::vector<Vec3>& positions) const {
    return std::any_of(positions.begin(), positions.end(), [&](const Vec3& k) {
        const std::array<long, 3> cell = cell_of(k);
        return counts(cell) && (!filled_[index_of(cell)] || (has_hole() && is_near_centre(k)));
    });
}

std::size_t SampledCells::radius() const {
    double cells = 0;
    double with_sample = 0;
    std::size_t result = 0;
    for (std::size_t r = 0; r < all_.size() && !has_hole(); ++r) {
        cells += static_cast<double>(all_[r]);
        with_sample += static_cast<double>(sampled_[r]);
        result = with_sample >= share * cells ? r : result;
    }
    return result;
}

std::size_t SampledCells::dense_radius() const {
    double cells = 0;
    double with_sample = 0;
    for (std::size_t r = 0; r < all_.size(); ++r) {
        cells += static_cast<double>(all_[r]);
        with_sample += static_cast<double>(sampled_[r]);
        if (with_sample < dense_share * cells) {
            return r > 0 ? r - 1 : 0;
        }
    }
    return all_.size() - 1;
}

std::size_t sampled_radius(const std::vector<Vec3>& positions, const Grid& grid, std::size_t most) {
    SampledCells cells(grid, most);
    cells.add(positions);
    return cells.radius();
}

namespace {

/// Radii in cycles/FOV: maps are smooth, and more calibration costs more than it brings.
constexpr std::size_t most_in_2d = 16;
constexpr std::size_t most_in_3d = 12;
/// Largest radii where the phase of an object moves its k-space out of the centre.
constexpr std::size_t most_of_any_in_2d = 32;
constexpr std::size_t most_of_any_in_3d = 20;
constexpr std::size_t least_radius = 4;
/// Options of the low-resolution images: lambda keeps weakly sampled components from growing.
constexpr double lambda = 1e-3;
constexpr int iterations = 30;
constexpr double least_residual = 1e-4;

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

/// Along one dimension by 1/4, 1/2, 1/4: a Hann window over k-space, whose images have no ripples.
ComplexVector smoothed(const ComplexVector& image, const Grid& grid, std::size_t d) {
    std::size_t stride = 1;
    for (std::size_t i = 0; i < d; ++i) {
        stride *= grid.size[i];
    }
    ComplexVector result(image.size());
    for (std::size_t n = 0; n < grid.voxels(); ++n) {
        const std::size_t at = n / stride % grid.size[d];
        const auto neighbour = [&](std::size_t to) {
            return image(static_cast<Eigen::Index>(n + (to % grid.size[d]) * stride - at * stride));
        };
        result(static_cast<Eigen::Index>(n)) =
            0.5 * neighbour(at) + 0.25 * (neighbour(at + 1) + neighbour(at + grid.size[d] - 1));
    }
    return result;
}

/// The largest radius in cycles/FOV at which samples are strong, compared with those at the
/// strongest radius and above a floor that all radii have, such as noise.
std::size_t strong_radius(const std::vector<Vec3>& positions, const CoilRows& samples,
                          const Grid& grid) {
    constexpr double strong = 0.25; // of the energy
    const auto radii = static_cast<Eigen::Index>(
        *std::max_element(grid.size.begin(), grid.size.end())); // beyond the corners of N/2
    Eigen::ArrayXd energy = Eigen::ArrayXd::Zero(radii);
    Eigen::ArrayXd count = Eigen::ArrayXd::Zero(radii);
    samples.visit([&](const auto& values) {
        for (std::size_t m = 0; m < positions.size(); ++m) {
            const Eigen::Index r = std::lround(std::sqrt(dot(positions[m], positions[m])));
            if (r < radii) {
                energy(r) +=
                    values.col(static_cast<Eigen::Index>(m)).template cast<Complex>().squaredNorm();
                ++count(r);
            }
        }
    });
    const Eigen::ArrayXd mean = energy / count; // NaN without samples
    const double most = (count > 0).select(mean, 0).maxCoeff();
    const double least = (count > 0).select(mean, most).minCoeff();
    std::size_t result = 0;
    for (Eigen::Index r = 0; r < radii; ++r) {
        result = mean(r) - least >= strong * most ? static_cast<std::size_t>(r) : result;
    }
    return result;
}

} // namespace

Grid central_box(Grid grid, std::size_t side) {
    for (std::size_t d = 0; d < static_cast<std::size_t>(grid.dimensions); ++d) {
        grid.size[d] = std::min(grid.size[d], side);
    }
    return grid;
}

Grid with_room(Grid box, const Grid& grid) {
    for (std::size_t d = 0; d < static_cast<std::size_t>(grid.dimensions); ++d) {
        box.size[d] = std::min(box.size[d] * 3 / 2, grid.size[d]);
    }
    return box;
}

std::vector<std::size_t> within(const std::vector<Vec3>& positions, const Grid& box) {
    const auto is_inside = [&](const Vec3& k) {
        bool in = true;
        for (std::size_t d = 0; d < 3; ++d) {
            const double half = static_cast<double>(box.size[d]) / 2;
            in = in && (box.size[d] == 1 || (k[d] >= -half && k[d] < half));
        }
        return in;
    };
    const auto parts =
        of_each_range(positions.size(), cores_for(positions.size()), [&](const Range& range) {
            std::vector<std::size_t> part;
            for (std::size_t m = range.first; m < range.first + range.count; ++m) {
                if (is_inside(positions[m])) {
                    part.push_back(m);
                }
            }
            return part;
        });
    std::vector<std::size_t> inside;
    for (const std::vector<std::size_t>& part : parts) {
        inside.insert(inside.end(), part.begin(), part.end());
    }
    return inside;
}

std::vector<std::size_t> some_within(const std::vector<Vec3>& positions, const Grid& box,
                                     double a_cell) {
    std::vector<std::size_t> inside = within(positions, box);
    const double share =
        a_cell * static_cast<double>(box.voxels()) / static_cast<double>(inside.size());
    if (share < 1) {
        std::mt19937_64 generator(1);
        const auto is_left_out = [&, most = std::ldexp(share, 64)](std::size_t) {
            return static_cast<double>(generator()) >= most;
        };
        inside.erase(std::remove_if(inside.begin(), inside.end(), is_left_out), inside.end());
    }
    return inside;
}

std::size_t most_radius(const Grid& grid) {
    return grid.dimensions == 3 ? most_in_3d : most_in_2d;
}

bool is_enough(std::size_t radius) {
    return radius >= least_radius;
}

void require_calibration(const Scan& scan, const SampledCells& cells, std::size_t frames) {
    if (is_enough(cells.radius())) {
        return;
    }
    const std::string less =
        cells.has_hole()
            ? text("it is a hole: no sample within ", SampledCells::widest_gap, " cycles/FOV")
            : text("less than ", 100 * SampledCells::share, " % of it is sampled within ",
                   least_radius, " cycles/FOV");
    throw InputError({scan.file, "the centre of k-space, from which coil maps are estimated",
                      frames > 1 ? text(less, " by all ", frames, " frames together") : less,
                      "samples at the Nyquist rate there",
                      text(maps_of_another, "; ", without_maps)});
}

Grid calibration_grid(const Grid& grid, std::size_t radius) {
    Grid result = grid;
    for (std::size_t d = 0; d < static_cast<std::size_t>(grid.dimensions); ++d) {
        result.size[d] = std::min(2 * radius, grid.size[d]);
    }
    return result;
}

CalibrationField::CalibrationField(const Grid& image, const Grid& file)
    : grid_(with_smaller_field(image, file)) {
    for (std::size_t d = 0; d < static_cast<std::size_t>(image.dimensions); ++d) {
        share_[d] = grid_.fov_mm[d] / image.fov_mm[d];
        const double voxels = share_[d] * static_cast<double>(image.size[d]);
        grid_.size[d] = std::max<std::size_t>(1, static_cast<std::size_t>(std::lround(voxels)));
    }
}

CalibrationField::CalibrationField(
    const Grid& image, const Grid& file,
    const std::vector<std::shared_ptr<const Trajectory>>& trajectories)
    : CalibrationField(image, file) {
    if (!is_narrower()) {
        return;
    }
    SampledCells cells(image, most_radius(image));
    std::set<const Trajectory*> added;
    for (const auto& trajectory : trajectories) {
        if (added.insert(trajectory.get()).second) {
            cells.add(trajectory->positions);
        }
    }
    const double narrowest = *std::min_element(share_.begin(), share_.end());
    const std::size_t dense = cells.dense_radius();
    if (static_cast<double>(dense) * narrowest >= static_cast<double>(least_radius)) {
        grid_ = image;
        share_ = {1, 1, 1};
        dense_radius_ = dense;
    }
}

std::size_t CalibrationField::wanted_radius(const Frame& frame) const {
    const std::size_t standard = most_radius(grid_);
    const std::size_t most = grid_.dimensions == 3 ? most_of_any_in_3d : most_of_any_in_2d;
    // Half of the standard radius is around the strongest point, wherever it lies.
    const std::size_t strong = strong_radius(*positions(frame.trajectory), frame.samples, grid_);
    const std::size_t wanted = std::clamp(strong + standard / 2, standard, most);
    return std::min(wanted, dense_radius_.value_or(wanted));
}

std::shared_ptr<const std::vector<Vec3>>
CalibrationField::positions(const std::shared_ptr<const Trajectory>& trajectory) const {
    if (!is_narrower()) {
        return {trajectory, &trajectory->positions};
    }
    auto result = std::make_shared<std::vector<Vec3>>(trajectory->positions);
    for (Vec3& k : *result) {
        k = {share_[0] * k[0], share_[1] * k[1], share_[2] * k[2]};
    }
    return result;
}

Frame CalibrationField::central_part(const Frame& frame, const Grid& grid) const {
    Frame part = subset(frame, within(*positions(frame.trajectory), grid));
    if (is_narrower()) {
        auto trajectory = std::make_shared<Trajectory>(*part.trajectory);
        trajectory->positions = *positions(part.trajectory);
        part.trajectory = std::move(trajectory);
    }
    return part;
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

Eigen::ArrayXd Calibration::smooth_energy() const {
    const auto voxels = static_cast<Eigen::Index>(grid.voxels());
    Eigen::ArrayXd energy = Eigen::ArrayXd::Zero(voxels);
    for (Eigen::Index c = 0; c < images.rows(); ++c) {
        for (Eigen::Index first = 0; first < images.cols(); first += voxels) {
            ComplexVector image = images.row(c).segment(first, voxels).transpose();
            for (std::size_t d = 0; d < static_cast<std::size_t>(grid.dimensions); ++d) {
                image = smoothed(image, grid, d);
            }
            energy += image.array().abs2();
        }
    }
    return energy;
}

double seconds_of_calibration(Transforms& transforms, const std::vector<Vec3>& positions,
                              std::size_t coils, const Grid& grid) {
    // Along lines through the middle, where samples of a volume are denser than those of a plane.
    const double expected = grid.dimensions == 3 ? 60 : 25;
    const PiecewiseTransform fhd(transforms, positions, Voxels::of_grid(grid));
    const PiecewiseTransform q(transforms, positions, Voxels::half_differences(grid));
    const double product =
        Toeplitz::seconds(transforms.device(), grid, transforms.solver_precision(), coils);
    return fhd.predicted("fhd", coils).seconds + q.predicted("q", 1).seconds +
           transforms.device().machine_model().making + expected * product;
}

Calibration calibrate(Transforms& transforms, const Scan& scan, const CalibrationField& field,
                      const Frame& frame, std::size_t radius) {
    Calibration result;
    result.frames = 1;
    result.radius = radius;
    if (radius == 0) {
        SampledCells cells(field.grid(), field.wanted_radius(frame));
        cells.add(*field.positions(frame.trajectory));
        require_calibration(scan, cells, 1);
        result.radius = cells.radius();
    }
    result.grid = calibration_grid(field.grid(), result.radius);
    Frame inside = field.central_part(frame, result.grid);
    const CoilRows no_maps;
    CoarseSolve of_coils(transforms, result.grid, no_maps, nullptr, *inside.trajectory, lambda,
                         [&](const Trajectory& trajectory) {
                             return compute_q(transforms, trajectory, result.grid);
                         });
    const std::vector<Volume> fhd = of_coils.fhd(inside.samples);
    const double energy = energy_of(*inside.trajectory, inside.samples);
    inside.samples = {}; // what follows needs their memory
    double explained = 0;
    result.images = of_coils.images_of_coils(fhd, {lambda, iterations, least_residual}, explained);
    result.unexplained = energy > 0 ? 1 - explained / energy : 0;
    result.kspace = to_kspace(result.images, result.grid);
    return result;
}

} // namespace lsrecon
