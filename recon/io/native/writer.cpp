// Writes a scan in the native format, with the options that it was simulated by.

#include <algorithm>

#include "base/output_file.hpp"
#include "io/hdf5/reader.hpp"
#include "io/hdf5/writer.hpp"
#include "io/native/grid.hpp"
#include "io/native/scan.hpp"

namespace lsrecon {

namespace {

using native::Extents;
using native::image_extents;

/// The object that holds the attributes of the whole file.
const std::string root = "/";

bool shares_trajectory(const Scan& scan) {
    return std::all_of(scan.frames.begin(), scan.frames.end(), [&](const Frame& frame) {
        return frame.trajectory == scan.frames.front().trajectory;
    });
}

void append(const std::vector<Vec3>& points, int dimensions, std::vector<double>& values) {
    for (const Vec3& point : points) {
        values.insert(values.end(), point.begin(), point.begin() + dimensions);
    }
}

/// Bytes of all but what coils have.
std::uint64_t room_about(const Scan& scan) {
    constexpr std::uint64_t of_hdf5 = 1 << 20;
    const Trajectory& first = *scan.frames.front().trajectory;
    const std::size_t of_a_sample =
        (shares_trajectory(scan) ? 1 : scan.frames.size()) * sizeof(Vec3);
    const std::size_t of_all = sizeof(Complex) + 2 * sizeof(double); // phi, weights, times
    const std::size_t of_a_voxel = 2 * sizeof(double) + (scan.voxels ? sizeof(Vec3) : 0);
    const bool has_voxels = scan.voxels || scan.off_resonance;
    return of_hdf5 + (of_a_sample + of_all) * first.samples() +
           (has_voxels ? of_a_voxel * scan.image_voxels().count() : 0);
}

void write_trajectory(Hdf5Writer& file, const Scan& scan) {
    const Trajectory& first = *scan.frames.front().trajectory;
    const bool shared = shares_trajectory(scan);
    std::vector<double> positions;
    for (std::size_t f = 0; f < (shared ? 1 : scan.frames.size()); ++f) {
        append(scan.frames[f].trajectory->positions, scan.grid.dimensions, positions);
    }
    Extents extents{first.samples(), static_cast<std::size_t>(scan.grid.dimensions)};
    if (!shared) {
        extents.insert(extents.begin(), scan.frames.size());
    }
    file.real("trajectory", extents, positions.data());
    file.attribute("trajectory", "units", std::string("cycles/fov"));
    if (first.phi.size() > 0) {
        file.complex64("phi", {first.samples()}, first.phi.data());
    }
    if (first.weights.size() > 0) {
        file.real("weights", {first.samples()}, first.weights.data());
    }
    if (first.times.size() > 0) {
        file.real("times", {first.samples()}, first.times.data());
        file.attribute("times", "units", std::string("s"));
    }
}

void write_samples(Hdf5Writer& file, const Scan& scan, Precision stored) {
    const CoilRows& first = scan.frames.front().samples;
    Extents extents{first.rows(), first.columns()};
    if (scan.frames.size() > 1) {
        extents.insert(extents.begin(), scan.frames.size());
    }
    std::vector<const CoilRows*> samples;
    for (const Frame& frame : scan.frames) {
        samples.push_back(&frame.samples);
    }
    file.rows("samples", extents, samples, stored);
}

void write_echo_times(Hdf5Writer& file, const Scan& scan) {
    std::vector<double> times;
    for (const Frame& frame : scan.frames) {
        times.push_back(frame.echo ? frame.echo->time : 0);
    }
    if (scan.frames.front().echo) {
        file.real("echo_times", {times.size()}, times.data());
        file.attribute("echo_times", "units", std::string("s"));
    }
}

void write_noise(Hdf5Writer& file, const Scan& scan, Precision stored) {
    if (!scan.noise.empty()) {
        file.rows("noise", {scan.noise.rows(), scan.noise.columns()}, {&scan.noise}, stored);
    }
}

} // namespace

void write_grid(Hdf5Writer& file, const Grid& grid) {
    std::vector<long> matrix;
    for (std::size_t d = 0; d < static_cast<std::size_t>(grid.dimensions); ++d) {
        matrix.push_back(static_cast<long>(grid.size[d]));
    }
    file.attribute(root, "matrix", matrix);
    write_pose(file, root, grid);
}

void write_pose(Hdf5Writer& file, const std::string& object, const Grid& grid) {
    file.attribute(object, "fov_mm",
                   std::vector<double>(grid.fov_mm.begin(), grid.fov_mm.begin() + grid.dimensions));
    if (grid.position) {
        file.attribute(object, "position",
                       std::vector<double>(grid.position->begin(), grid.position->end()));
    }
    if (grid.directions) {
        std::vector<double> numbers;
        append({grid.directions->begin(), grid.directions->end()}, 3, numbers);
        file.attribute(object, "directions", numbers);
    }
}

void write_voxels(Hdf5Writer& file, const Grid& grid, const std::vector<Vec3>& voxels) {
    std::vector<double> positions;
    append(voxels, grid.dimensions, positions);
    file.real("voxels", {voxels.size(), static_cast<std::size_t>(grid.dimensions)},
              positions.data());
}

void write_image_side(Hdf5Writer& file, const Scan& scan, Precision stored) {
    if (!scan.coil_maps.empty()) {
        Extents extents = image_extents(scan);
        extents.insert(extents.begin(), scan.coil_maps.rows());
        file.rows("coil_maps", extents, {&scan.coil_maps}, stored);
    }
    const Extents of_image = image_extents(scan);
    const auto write_rates = [&](const std::string& name, const RealVector& values,
                                 const std::string& units) {
        file.real(name, of_image, values.data());
        file.attribute(name, "units", units);
    };
    if (scan.off_resonance) {
        write_rates("field_map", scan.off_resonance->field, "Hz");
    }
    if (scan.off_resonance && scan.off_resonance->r2star.size() > 0) {
        write_rates("r2star", scan.off_resonance->r2star, "1/s");
    }
    if (scan.voxels) {
        write_voxels(file, scan.grid, *scan.voxels);
    }
}

void write_native_scan(const std::string& path, const Scan& scan,
                       std::optional<double> simulation_error, const std::string& settings,
                       Precision stored) {
    ReplacingFile output(path);
    Hdf5Writer file(output.path(), path, room_about(scan));
    write_grid(file, scan.grid);
    file.attribute(root, "format", std::string("lsrecon-scan"));
    file.attribute(root, "version", 1L);
    if (simulation_error) {
        file.attribute(root, "simulation_error", std::vector<double>{*simulation_error});
    }
    if (!settings.empty()) {
        file.attribute(root, simulation_attribute, settings);
    }
    write_trajectory(file, scan);
    if (scan.has_samples()) {
        write_samples(file, scan, stored);
    }
    write_echo_times(file, scan);
    write_noise(file, scan, stored);
    write_image_side(file, scan, stored);
    file.close();
    output.commit();
}

} // namespace lsrecon
