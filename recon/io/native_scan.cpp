#include "io/native_scan.hpp"

#include <algorithm>
#include <cmath>

#include "base/numbers.hpp"
#include "io/native_scan_parts.hpp"

namespace lsrecon {

namespace native {

namespace {

Extents grid_extents(const Grid& grid) {
    Extents extents(grid.size.begin(), grid.size.begin() + grid.dimensions);
    std::reverse(extents.begin(), extents.end());
    return extents;
}

std::vector<Vec3> read_voxels(const Hdf5Reader& file, const Grid& grid) {
    const auto dimensions = static_cast<std::size_t>(grid.dimensions);
    const Hdf5Shape shape = file.checked_shape("voxels", Hdf5Kind::real);
    if (shape.extents.size() != 2 || shape.extents[1] != dimensions) {
        refuse(file, "/voxels", shape.to_string(), text("[N, ", dimensions, "]"),
               "write one coordinate a dimension, in units of the field of view");
    }
    const std::vector<double> x = file.read_real("voxels");
    std::vector<Vec3> positions(shape.extents[0], Vec3{0, 0, 0});
    for (std::size_t n = 0; n < positions.size(); ++n) {
        std::copy_n(x.begin() + static_cast<long>(n * dimensions), dimensions,
                    positions[n].begin());
    }
    return positions;
}

/// After the voxels and the samples, which say what shape the maps must have.
CoilMatrix read_coil_maps(const Hdf5Reader& file, const Scan& scan) {
    const Hdf5Shape shape = file.checked_shape("coil_maps", Hdf5Kind::complex);
    const Extents one_map = scan.voxels ? Extents{scan.voxels->size()} : grid_extents(scan.grid);
    Extents any_coils = shape.extents;
    if (!any_coils.empty()) {
        any_coils.erase(any_coils.begin());
    }
    const std::size_t coils = shape.extents.empty() ? 0 : shape.extents.front();
    const bool right_coils = scan.has_samples() ? coils == scan.coils() : coils > 0;
    if (!right_coils || any_coils != one_map) {
        const std::string expected = (scan.has_samples() ? text("[", scan.coils(), ", ") : "[C, ") +
                                     shown(one_map).substr(1) +
                                     ", one map a coil of /samples on the " +
                                     (scan.voxels ? "positions of /voxels" : "grid of the image");
        refuse(file, "/coil_maps", shape.to_string(), expected,
               scan.voxels ? "make the maps at the positions of /voxels"
                           : "make the maps on the grid of the attribute matrix, slowest "
                             "dimension first");
    }
    CoilMatrix maps(static_cast<Eigen::Index>(coils),
                    static_cast<Eigen::Index>(shape.elements() / coils));
    Hdf5Values(file, "coil_maps").read(maps.data(), shape.elements());
    return maps;
}

/// "[2, 3]": where element `flat` of an array lies.
std::string place(std::size_t flat, const Extents& extents) {
    Extents indices(extents.size());
    for (std::size_t d = extents.size(); d-- > 0;) {
        indices[d] = flat % extents[d];
        flat /= extents[d];
    }
    return shown(indices);
}

void require_finite(const Hdf5Reader& file, const std::string& name, std::size_t element,
                    double value) {
    if (!std::isfinite(value)) {
        refuse(file, full_name(name),
               shown(value) + " at " + place(element, file.shape(name).extents), "finite numbers",
               "remove or repair the value and write the scan again");
    }
}

/// A real dataset whose shape and units are known, and whose values are finite.
void check_real(const Hdf5Reader& file, const std::string& name, const Extents& expected,
                const std::string& meaning, const std::string& units) {
    const Hdf5Shape found = file.checked_shape(name, Hdf5Kind::real);
    if (found.extents != expected) {
        refuse(file, full_name(name), found.to_string(), shown(expected) + ", " + meaning,
               "make the sizes of the datasets agree");
    }
    const std::string quoted = "\"" + units + "\"";
    const std::string next = "convert the values and write the attribute";
    const std::string stored = file.attribute_text(name, "units", {quoted, next});
    if (stored != units) {
        refuse(file, attribute_name(name, "units"), "\"" + stored + "\"", quoted, next);
    }
    const std::vector<double> values = file.read_real(name);
    for (std::size_t i = 0; i < values.size(); ++i) {
        require_finite(file, name, i, values[i]);
    }
}

void check_noise(const Hdf5Reader& file, const Scan& scan) {
    const Hdf5Shape shape = file.checked_shape("noise", Hdf5Kind::complex);
    if (shape.extents.size() != 2 || (scan.has_samples() && shape.extents[0] != scan.coils())) {
        refuse(file, "/noise", shape.to_string(),
               scan.has_samples() ? text("[", scan.coils(), ", K]") : "[C, K]",
               "write one row a coil of /samples");
    }
    const std::vector<Complex> values = file.read_complex("noise");
    for (std::size_t i = 0; i < values.size(); ++i) {
        require_finite(file, "noise", i, values[i].real());
        require_finite(file, "noise", i, values[i].imag());
    }
}

/// Parts of the format that are checked but change nothing in the image yet, and are told.
void check_unused(const Hdf5Reader& file, Scan& scan) {
    if (file.has("field_map") != file.has("times")) {
        refuse(file, file.has("times") ? "/field_map" : "/times", "it is missing",
               "/field_map together with /times", "write both or neither");
    }
    if (file.has("field_map")) {
        check_real(file, "field_map", grid_extents(scan.grid), "the grid of the image", "Hz");
        check_real(file, "times", {scan.frames.front().sampling->samples()},
                   "one value a trajectory point", "s");
        scan.remarks.push_back("/field_map and /times are not used: the image is reconstructed "
                               "without correction of off-resonance");
    }
    if (file.has("noise")) {
        check_noise(file, scan);
        scan.remarks.push_back("/noise is not used: the coils are not prewhitened");
    }
}

} // namespace

} // namespace native

bool recognises_native(const Hdf5Reader& file) {
    return file.has_attribute("/", "format") || file.has("trajectory");
}

Scan read_native(const Hdf5Reader& file, const ReadOptions& options) {
    if (!options.join.empty()) {
        throw UsageError(file.path() + ": --join is for raw data, and the frames of a native scan "
                                       "have no counters\n  next:     leave --join out");
    }
    native::check_format(file);
    native::check_names(file);
    file.require_memory();
    Scan scan;
    scan.file = file.path();
    scan.format = "lsrecon-scan";
    scan.grid = native::read_grid(file);
    const native::Samplings samplings = native::read_samplings(file, scan.grid, options);
    scan.trajectory_units = native::trajectory_units(file, options);
    scan.frames = native::read_frames(file, samplings);
    if (file.has("voxels")) {
        scan.voxels = native::read_voxels(file, scan.grid);
    }
    if (file.has("coil_maps")) {
        scan.coil_maps = native::read_coil_maps(file, scan);
    }
    native::check_unused(file, scan);
    return scan;
}

} // namespace lsrecon
