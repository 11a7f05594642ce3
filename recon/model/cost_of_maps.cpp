// The cost of estimating the coil maps of a scan, predicted from its trajectory alone.

#include "encoding/fhd.hpp"
#include "model/calibration.hpp"
#include "model/steps.hpp"
#include "scan/slice.hpp"

namespace lsrecon {

namespace {

/// The frame that maps are estimated from: calibration lines, else the first frame.
const Frame& calibrated(const Scan& scan) {
    const Frame* const own = calibration_samples_of(scan, scan.frames.front());
    return own != nullptr ? *own : scan.frames.front();
}

SampledCells cells_of_maps(const Scan& scan, const CalibrationField& field) {
    SampledCells cells(field.grid(), most_radius(field.grid()));
    cells.add(*field.positions(calibrated(scan).sampling));
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
    const std::vector<Vec3>& trajectory = *field.positions(calibrated(of.scan).sampling);
    std::vector<Vec3> inside;
    for (const std::size_t m : within(trajectory, centre)) {
        inside.push_back(trajectory[m]);
    }
    const MapsMethod* const* const asked = std::get_if<const MapsMethod*>(&of.options.maps);
    const MapsMethod& method = asked != nullptr ? **asked : maps_methods().front();
    const Cost maps = method.cost(of.transforms.device().pace(), of.maps, centre, of.grid);
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
