#include "io/native_scan.hpp"

#include <algorithm>
#include <cmath>

#include "base/numbers.hpp"
#include "io/native_off_resonance.hpp"
#include "io/native_scan_parts.hpp"

namespace lsrecon {

namespace native {

namespace {

Extents declared(const Hdf5Reader& file, const std::string& dataset) {
    return file.has(dataset) && file.is_dataset(dataset) ? file.shape(dataset).extents : Extents{};
}

/// How many the file declares, before anything about them is checked.
std::size_t coil_maps_in(const Hdf5Reader& file) {
    const Extents extents = declared(file, "coil_maps");
    return extents.empty() ? 0 : extents.front();
}

std::size_t coils_in(const Hdf5Reader& file) {
    const Extents extents = declared(file, "samples");
    return extents.size() < 2 ? 1 : extents[extents.size() - 2];
}

/// After the voxels and the samples, which say what shape the maps must have.
CoilRows read_coil_maps(const Hdf5Reader& file, const Scan& scan) {
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
    return Hdf5Values(file, "coil_maps").read_rows(coils, shape.elements() / coils);
}

CoilRows read_noise(const Hdf5Reader& file, const Scan& scan) {
    const Hdf5Shape shape = file.checked_shape("noise", Hdf5Kind::complex);
    if (shape.extents.size() != 2 || (scan.has_samples() && shape.extents[0] != scan.coils())) {
        refuse(file, "/noise", shape.to_string(),
               scan.has_samples() ? text("[", scan.coils(), ", K]") : "[C, K]",
               "write one row a coil of /samples");
    }
    CoilRows noise = Hdf5Values(file, "noise").read_rows(shape.extents[0], shape.extents[1]);
    for (std::size_t i = 0; !std::isfinite(noise.largest_part()) && i < shape.elements(); ++i) {
        const Complex value = noise(i / noise.columns(), i % noise.columns());
        require_finite(file, "noise", i, value.real());
        require_finite(file, "noise", i, value.imag());
    }
    return noise;
}

void refuse_options_of_raw_data(const Hdf5Reader& file, const ReadOptions& options) {
    std::string flag = !options.join.empty()          ? "--join"
                       : !options.group.empty()       ? "--group"
                       : options.encoding             ? "--encoding"
                       : options.spokes_per_frame > 0 ? "--spokes-per-frame"
                                                      : "";
    for (std::size_t i = 0; i < options.counters.size() && flag.empty(); ++i) {
        flag = options.counters[i].empty() ? "" : "--" + frame_counters()[i];
    }
    if (!flag.empty()) {
        throw UsageError(file.path() + ": " + flag +
                         " is for raw data, and the frames of a native scan have no counters, "
                         "readouts or encodings\n  next:     leave " +
                         flag + " out; --frames chooses frames by their index");
    }
    if (options.one_place) {
        throw UsageError(file.path() +
                         ": --shift-mm header is for raw data; the samples of a native scan are "
                         "those of its grid, wherever its position is\n  next:     leave it out; "
                         "--shift-mm X,Y moves the image");
    }
}

/// Leaves the frames that were chosen. Their indices in the file.
std::vector<std::size_t> choose_frames(Scan& scan, const ReadOptions& options) {
    const std::size_t count = scan.frames.size();
    std::vector<Frame> chosen;
    std::vector<std::size_t> indices;
    for (std::size_t f = 0; f < count; ++f) {
        if (options.frames.admits(f)) {
            chosen.push_back(std::move(scan.frames[f]));
            indices.push_back(f);
        }
    }
    require_frames(options.frames, count, scan.file, "chosen frames");
    if (indices.size() < count) {
        scan.remarks.push_back(text("left out ", counted(count - indices.size(), "frame"),
                                    "; chosen: --frames ", options.frames.to_string()));
    }
    scan.frames = std::move(chosen);
    return indices;
}

} // namespace

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

} // namespace native

bool recognises_native(const Hdf5Reader& file) {
    return file.has_attribute("/", "format") || file.has("trajectory");
}

StoredScan open_native(const std::shared_ptr<const Hdf5Reader>& opened,
                       const ReadOptions& options) {
    const Hdf5Reader& file = *opened;
    native::refuse_options_of_raw_data(file, options);
    native::check_format(file);
    native::check_names(file);
    native::require_times(file, options);
    Scan scan;
    scan.file = file.path();
    scan.format = "lsrecon-scan";
    scan.grid = native::read_grid(file, options, scan.remarks);
    native::require_memory(file, scan.grid, options);
    if (!file.has("voxels")) {
        options.before_values(
            {options.grid_of_image(scan.grid), native::coils_in(file), native::coil_maps_in(file)});
    }
    const native::Samplings samplings = native::read_samplings(file, scan.grid, options);
    scan.trajectory_units = native::trajectory_units(file, options);
    scan.frames = native::read_frames(file, samplings);
    const std::vector<std::size_t> indices = native::choose_frames(scan, options);
    if (file.has("voxels")) {
        scan.voxels = native::read_voxels(file, scan.grid);
    }
    if (file.has("coil_maps")) {
        scan.coil_maps = native::read_coil_maps(file, scan);
    }
    if (file.has("noise")) {
        scan.noise = native::read_noise(file, scan);
    }
    if (file.has("field_map")) {
        scan.off_resonance = std::make_shared<const OffResonance>(native::read_field_map(
            file,
            scan.voxels ? native::Extents{scan.voxels->size()} : native::grid_extents(scan.grid),
            scan.voxels ? "the positions of /voxels" : "the grid of the image"));
    }
    std::map<std::size_t, InputError> lost;
    for (std::size_t f = 0; f < indices.size(); ++f) {
        if (!scan.frames[f].sampling) {
            lost.emplace(f, samplings.lost.at(indices[f]));
        }
    }
    return {std::move(scan),
            [opened, indices](std::size_t frame) {
                return native::read_samples(*opened, indices[frame]);
            },
            std::move(lost)};
}

} // namespace lsrecon
