// Polynomials that correct the field of a slice: of second order, as a shim has them, and of a
// higher one where that explains clearly more of the samples.

#include "model/refined_field.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <utility>

#include "base/numbers.hpp"
#include "encoding/field_fit.hpp"
#include "model/calibration.hpp"
#include "model/coarse_models.hpp"
#include "model/resampled.hpp"
#include "model/scan_field.hpp"
#include "operators/gram.hpp"
#include "scan/coil_transform.hpp"

namespace lsrecon {

namespace {

using Eigen::Index;

/// The probability that noise alone would explain as much as the correction does.
constexpr double unlikely = 1e-6;
/// The correction over its deviation.
constexpr double times_deviation = 3;
constexpr double samples_a_cell = 8;
constexpr double coils_of_full_sampling = 4; ///< virtual ones, which have most of the energy

std::vector<int> orders_of(const Grid& grid) {
    return grid.dimensions == 3 ? std::vector<int>{2} : std::vector<int>{2, 4};
}

/// The centre of k-space that is fitted.
Grid box_of_fit(const Grid& grid) {
    return central_box(grid, grid.dimensions == 3 ? 24 : 64);
}

double legendre(int order, double x) {
    double before = 0;
    double value = 1;
    for (int i = 0; i < order; ++i) {
        before = std::exchange(value, ((2 * i + 1) * x * value - i * before) / (i + 1));
    }
    return value;
}

/// Products of Legendre's polynomials up to an order in all, P x N. Those of a lower order come
/// first.
Eigen::MatrixXd polynomials(const Grid& grid, int most) {
    const Voxels voxels = Voxels::of_grid(grid);
    std::vector<std::array<int, 3>> orders;
    for (int all = 0; all <= most; ++all) {
        for (int z = 0; z <= (grid.dimensions == 3 ? all : 0); ++z) {
            for (int y = 0; y + z <= all; ++y) {
                orders.push_back({all - y - z, y, z});
            }
        }
    }
    Eigen::MatrixXd basis(static_cast<Index>(orders.size()), static_cast<Index>(voxels.count()));
    for (Index n = 0; n < basis.cols(); ++n) {
        const Vec3 x = voxels.position(static_cast<std::size_t>(n));
        for (Index p = 0; p < basis.rows(); ++p) {
            basis(p, n) = 1;
            for (std::size_t d = 0; d < 3; ++d) {
                basis(p, n) *= legendre(orders[static_cast<std::size_t>(p)][d], 2 * x[d]);
            }
        }
    }
    return basis;
}

/// What is fitted: few samples, few coils and few voxels.
struct CoarseFrame {
    Grid grid;
    Frame frame;
    CoilRows maps;
    OffResonance field;
};

CoarseFrame coarse(const Scan& scan, const Model& model, const Frame& frame) {
    const Grid box = box_of_fit(scan.grid);
    CoarseFrame result{with_room(box, scan.grid),
                       subset(frame, some_within(frame.trajectory->positions, box, samples_a_cell)),
                       *model.coil_maps,
                       {}};
    const bool is_coarse = !result.grid.same_lattice(scan.grid);
    if (is_coarse && !result.maps.empty()) {
        result.maps = coarse_maps(result.maps, scan.grid, result.grid, scan.file);
    }
    const double undersampled =
        static_cast<double>(box.voxels()) / static_cast<double>(result.frame.samples.columns());
    const auto coils =
        static_cast<std::size_t>(std::ceil(coils_of_full_sampling * std::max(1.0, undersampled)));
    if (result.frame.samples.rows() > coils) {
        const CoilTransform mixing = compressed_coils({gram(result.frame.samples)}, {coils}).mixing;
        result.frame.samples = mixed(mixing, result.frame.samples);
        result.maps = result.maps.empty() ? result.maps : mixed(mixing, result.maps);
    }
    const CoilRows field = rows_of(*model.off_resonance);
    result.field = is_coarse ? off_resonance_in(resampled(field, scan.grid, result.grid,
                                                          {scan.file, "field map", ""}))
                             : *model.off_resonance;
    return result;
}

/// Takes size and deviation where the image has signal, and the correction at the image's voxels:
/// between its ends there, since polynomials grow beyond.
void describe(SliceRefinement& of, const FieldFit& fit, const Eigen::MatrixXd& coarse_basis,
              const Eigen::MatrixXd& basis) {
    constexpr double least_share = 0.2;
    const RealVector values = coarse_basis.transpose() * fit.numbers.values;
    const double least = least_share * fit.magnitude.maxCoeff();
    double squares = 0, variance = 0, lowest = 0, highest = 0;
    double count = 0;
    for (Index n = 0; n < values.size(); ++n) {
        if (fit.magnitude(n) > least) {
            const auto column = coarse_basis.col(n);
            squares += values(n) * values(n);
            variance += column.dot(fit.numbers.covariance * column);
            lowest = count > 0 ? std::min(lowest, values(n)) : values(n);
            highest = count > 0 ? std::max(highest, values(n)) : values(n);
            ++count;
        }
    }
    of.fit = fit.numbers;
    of.size = std::sqrt(squares / count);
    of.deviation = std::sqrt(variance / count);
    of.correction = (basis.transpose() * fit.numbers.values).cwiseMax(lowest).cwiseMin(highest);
}

} // namespace

bool SliceRefinement::is_clear() const {
    return fit.chance() < unlikely && size > times_deviation * deviation;
}

SliceRefinement refine_field(Transforms& transforms, const Scan& scan, const Model& model,
                             const Frame& frame) {
    ComputeOptions options = transforms.options();
    if (transforms.precision() == Precision::float32) {
        options.precision = Precision::float32; // of the solver, too
    }
    const std::unique_ptr<Transforms> quick = transforms.with(options);
    const CoarseFrame of = coarse(scan, model, frame);
    SliceRefinement found;
    RealVector start;
    FieldFitOptions fit_options;
    for (const int order : orders_of(scan.grid)) {
        const Eigen::MatrixXd basis = polynomials(of.grid, order);
        start.conservativeResizeLike(RealVector::Zero(basis.rows()));
        const auto numbers = static_cast<double>(basis.rows());
        fit_options.least = numbers + std::sqrt(2 * numbers); // seldom by noise
        const FieldFit fit =
            fit_field(*quick, of.grid, of.maps, of.frame, of.field, basis, start, fit_options);
        SliceRefinement next;
        describe(next, fit, basis, polynomials(scan.grid, order));
        if (!next.is_clear()) {
            return found.fit.values.size() > 0 ? found : next;
        }
        next.fit.left_before =
            found.fit.values.size() > 0 ? found.fit.left_before : next.fit.left_before;
        found = std::move(next);
        fit_options.share = fit.share;
        start = found.fit.values;
    }
    return found;
}

void FieldRefinements::add(const SliceRefinement& of) {
    const bool is_clear = of.is_clear();
    ++slices_;
    refined_ += is_clear ? 1 : 0;
    energy_ += of.fit.energy;
    left_before_ += of.fit.left_before;
    left_ += is_clear ? of.fit.left : of.fit.left_before;
    size_ = std::max(size_, is_clear ? of.size : 0);
}

std::vector<std::pair<std::string, double>> FieldRefinements::numbers() const {
    if (slices_ == 0) {
        return {};
    }
    return {{"field_slices_refined", static_cast<double>(refined_)},
            {"field_correction_hz", size_},
            {"field_unexplained_before", left_before_ / energy_},
            {"field_unexplained", left_ / energy_}};
}

Findings FieldRefinements::findings() const {
    if (slices_ == 0) {
        return {};
    }
    if (refined_ == 0) {
        return {{Found::field_kept}};
    }
    const auto short_of = [](double value) { return std::strtod(rounded(value).c_str(), nullptr); };
    return {{Found::field_refined,
             {{"size", short_of(size_)},
              {"less", 1 - left_ / left_before_},
              {"refined", refined_},
              {"slices", slices_}}}};
}

} // namespace lsrecon
