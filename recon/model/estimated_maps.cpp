// The table of methods that estimate coil maps, the method of Walsh, and the cost as predicted from
// the trajectory of a scan alone.

#include "model/estimated_maps.hpp"

#include <algorithm>

#include "base/linear_algebra.hpp"
#include "encoding/encoding.hpp"
#include "model/resampled.hpp"
#include "model/steps.hpp"
#include "scan/slice.hpp"

namespace lsrecon {

const std::vector<MapsMethod>& maps_methods() {
    static const std::vector<MapsMethod> table{
        {"espirit", "ESPIRiT from the centre of k-space", &espirit_maps, true, &cost_of_espirit,
         std::nullopt},
        {"espirit:1", "the same with one set of maps, whatever the scan shows", &espirit_maps, true,
         &cost_of_espirit, std::size_t(1)},
        {"espirit:2", "with a second set, for an object wider than its field of view",
         &espirit_maps, true, &cost_of_espirit, std::size_t(2)},
        {"walsh", "adaptive combination of low-resolution images", &walsh_maps, false,
         &cost_of_walsh, std::size_t(1)},
    };
    return table;
}

const MapsMethod& maps_method_for(const Grid& grid, const MapsOptions& options) {
    // Full scans of 4 to 8 coils: at 11, 16, 24 and 32 voxels a side an image by ESPIRiT was 0.12,
    // 0.05, 0.03 and 0.03 wrong, by walsh 0.01, 0.01, 0.006 and 0.004.
    constexpr std::size_t few = 24;
    const bool is_small = *std::max_element(grid.size.begin(), grid.size.end()) < few;
    return *maps_method_named(is_small && options.are_default() ? "walsh" : "espirit");
}

const MapsMethod* maps_method_named(const std::string& name) {
    const std::vector<MapsMethod>& table = maps_methods();
    const auto found = std::find_if(table.begin(), table.end(),
                                    [&](const MapsMethod& row) { return row.name == name; });
    return found == table.end() ? nullptr : &*found;
}

Eigen::MatrixXcf strongest_combinations(const CoilMatrix& rows, Eigen::Index count) {
    return eigen_of(rows * rows.adjoint())
        .vectors.rightCols(count)
        .rowwise()
        .reverse()
        .cast<std::complex<float>>();
}

namespace {

/// Adds the values of the two neighbours along one dimension.
void add_neighbours(Eigen::ArrayXcd& values, const Grid& grid, std::size_t d) {
    const Eigen::ArrayXcd before = values;
    Eigen::Index stride = 1;
    for (std::size_t i = 0; i < d; ++i) {
        stride *= static_cast<Eigen::Index>(grid.size[i]);
    }
    const Eigen::Index block = stride * static_cast<Eigen::Index>(grid.size[d]);
    const Eigen::Index beside = block - stride; // values with such a neighbour
    for (Eigen::Index first = 0; first < values.size(); first += block) {
        values.segment(first + stride, beside) += before.segment(first, beside);
        values.segment(first, beside) += before.segment(first + stride, beside);
    }
}

} // namespace

Cost cost_of_walsh(const MachineModel& machine, std::size_t coils, const Grid& from,
                   const Grid& to) {
    const std::size_t pairs = coils * (coils + 1) / 2;
    Cost cost = Cost::on_host(static_cast<double>((pairs * from.voxels() + coils * to.voxels()) *
                                                  sizeof(std::complex<float>)));
    cost.seconds = machine.map * static_cast<double>(coils * coils * to.voxels());
    return cost;
}

CoilRows::Floats walsh_maps(const Calibration& calibration, const Grid& grid, const MapsOptions&) {
    const CoilMatrix& images = calibration.images;
    const Eigen::Index coils = images.rows();
    HermitianField field;
    field.coils = static_cast<std::size_t>(coils);
    const auto voxels = static_cast<Eigen::Index>(calibration.grid.voxels());
    field.coefficients.resize(coils * (coils + 1) / 2, voxels);
    // Relative to the largest, because the square of a float may leave its range.
    const double scale = images.cwiseAbs().maxCoeff();
    Eigen::Index pair = 0;
    for (Eigen::Index a = 0; a < coils; ++a) {
        for (Eigen::Index b = a; b < coils; ++b) {
            const Eigen::ArrayXcd of_frames =
                (images.row(a) / scale).array() * (images.row(b) / scale).array().conjugate();
            Eigen::ArrayXcd product =
                of_frames.reshaped(voxels, static_cast<Eigen::Index>(calibration.frames))
                    .rowwise()
                    .sum();
            for (std::size_t d = 0; d < 3; ++d) {
                add_neighbours(product, calibration.grid, d);
            }
            field.coefficients.row(pair++) =
                product.cast<std::complex<float>>().matrix().transpose();
        }
    }
    for (std::size_t d = 0; d < 3; ++d) {
        field.basis[d] = linear_interpolation(grid.size[d], calibration.grid.size[d])
                             .cast<std::complex<float>>();
    }
    return dominant_eigenvectors(field, grid, strongest_combinations(images, 1)).vectors;
}

namespace {

/// The frame that maps are estimated from: calibration lines, else the first frame.
const Frame& calibrated(const Scan& scan) {
    const Frame* const own = calibration_samples_of(scan, scan.frames.front());
    return own != nullptr ? *own : scan.frames.front();
}

SampledCells cells_of_maps(const Scan& scan, const CalibrationField& field) {
    SampledCells cells(field.grid(), most_radius(field.grid()));
    cells.add(*field.positions(calibrated(scan).trajectory));
    return cells;
}

/// The radius in cycles/FOV within which the centre of k-space is sampled. Several frames are
/// joined where each has too few samples, and then it is the largest radius that is of use.
std::size_t radius_of_maps(const Scan& scan, const CalibrationField& field) {
    const std::size_t radius = cells_of_maps(scan, field).radius();
    const bool joins = scan.frames.size() > 1 && &calibrated(scan) == &scan.frames.front();
    return joins && !is_enough(radius) ? most_radius(field.grid()) : radius;
}

} // namespace

bool can_estimate_maps(const Scan& scan, const Grid& grid) {
    return is_enough(radius_of_maps(scan, CalibrationField(grid, scan.grid)));
}

bool estimates_maps(const ScanToPrepare& of) {
    const MapsSource& source = of.options.maps;
    return of.maps > 0 &&
           (is_default(source) ? of.scan.coil_maps.empty() : file_of(source).empty());
}

/// The cost of reconstructing the centre of k-space of one frame of each slice, and of their maps.
StepCost cost_of_maps(const ScanToPrepare& of) {
    if (!estimates_maps(of)) {
        return {};
    }
    const CalibrationField field(of.grid, of.scan.grid);
    const std::size_t radius = radius_of_maps(of.scan, field);
    if (!is_enough(radius)) {
        require_calibration(of.scan, cells_of_maps(of.scan, field), 1);
    }
    const Grid centre = calibration_grid(field.grid(), radius);
    const std::vector<Vec3>& positions = *field.positions(calibrated(of.scan).trajectory);
    std::vector<Vec3> inside;
    for (const std::size_t m : within(positions, centre)) {
        inside.push_back(positions[m]);
    }
    const MapsMethod* const* const requested = std::get_if<const MapsMethod*>(&of.options.maps);
    const MapsMethod& method =
        requested != nullptr ? **requested : maps_method_for(of.grid, of.options.estimate);
    Cost maps = method.cost(of.transforms.device().machine_model(), of.maps, centre, of.grid);
    if (of.options.estimate.sets.value_or(method.sets.value_or(1)) > 1) {
        // The vectors of both sets are there beside the maps.
        maps += Cost::on_host(
            static_cast<double>(3 * of.maps * of.grid.voxels() * sizeof(std::complex<float>)));
    }
    const Cost samples = Cost::on_host(static_cast<double>(
        inside.size() *
        (sizeof(Vec3) + of.maps * 2 * bytes_of(of.scan.frames.front().samples.precision()))));
    const auto slices = static_cast<double>(of.slices);
    return {{{stage_of_calibration,
              slices * seconds_of_calibration(of.transforms, inside, of.maps, centre)},
             {"maps", slices * maps.seconds}},
            in_turn(samples + cost_of_fhd(of.transforms, of.maps, inside.size(), centre.voxels()),
                    maps)};
}

} // namespace lsrecon
