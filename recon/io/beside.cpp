// Reads coil maps, field maps and prior images with their grids, and the trajectory, weights and
// times of samples, and checks each against the scan.

#include "io/beside.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/error.hpp"
#include "base/input_file.hpp"
#include "base/numbers.hpp"
#include "io/arrays.hpp"
#include "io/image/formats.hpp"
#include "io/image/stored.hpp"
#include "io/native/grid.hpp"
#include "io/trajectory_rules.hpp"
#include "scan/trajectories.hpp"
#include "scan/units.hpp"

namespace lsrecon {

namespace {

using native::Extents;

/// "[C, Z, Y, X]" or "[(Z,) Y, X]": the extents that volumes should have.
std::string extents_in_words(const VolumesBeside& row, const Grid& like) {
    return text("[", row.of_coils ? "C, " : "", like.dimensions == 3 ? "Z, " : "(Z,) ", "Y, X]");
}

[[noreturn]] void refuse_volumes(const VolumesBeside& row, const StoredArray& array,
                                 const std::string& expected) {
    throw InputError({array.file, array.thing, array.shape.to_string(), expected, row.next_step});
}

/// The extents of one volume; those of a plane of a bare array may begin with 1 slice and 1 coil.
Extents extents_of_volume(const VolumesBeside& row, const StoredArray& array, const Grid& like) {
    Extents extents = array.shape.extents;
    const auto dimensions = static_cast<std::size_t>(like.dimensions);
    const std::string expected =
        text(row.of_coils ? "complex " : "", row.name, " ", extents_in_words(row, like), " of ",
             like.dimensions, " dimensions");
    const bool is_bare = array.hdf5 == nullptr;
    if (row.of_coils) {
        if (extents.size() <= dimensions || array.shape.kind != Hdf5Kind::complex) {
            refuse_volumes(row, array, expected);
        }
        extents.erase(extents.begin());
    }
    while (is_bare && extents.size() > dimensions && extents.front() == 1) {
        extents.erase(extents.begin());
    }
    if (!native::has_dimensions_of(like, extents)) {
        refuse_volumes(row, array, expected);
    }
    if (is_bare && extents.size() > dimensions) {
        throw InputError(
            {array.file, "z", text(extents.front(), " slices"),
             "one, for a scan of two dimensions: the file holds no positions of slices",
             "write the slice of the scan alone"});
    }
    return extents;
}

void require_sound(const VolumesBeside& row, const std::string& path, const std::string& thing,
                   const CoilRows& values) {
    const auto refuse = [&](const std::string& found, const std::string& expected) {
        throw InputError({path, thing, found, expected, row.next_step});
    };
    const double largest = values.largest_part();
    if (!std::isfinite(largest)) {
        refuse("values that are not finite", "finite values");
    }
    if (largest == 0 && !row.may_be_zero) {
        refuse("only zeros", "values that are not all zero");
    }
    for (std::size_t n = 0; row.real && n < values.columns(); ++n) {
        if (const Complex value = values(0, n); value.imag() != 0) {
            refuse(text("the complex number ", value.real(), value.imag() < 0 ? " - " : " + ",
                        std::abs(value.imag()), " i at voxel ", n),
                   "real numbers");
        }
    }
}

/// Extends a masked map by an eighth of its size on each side, since it covers the object alone:
/// its outermost values hold beyond it, too.
void add_margin(Grid& grid, CoilRows& values) {
    constexpr std::size_t part = 8;
    Grid wide = grid;
    std::array<std::size_t, 3> margin{};
    for (std::size_t d = 0; d < margin.size(); ++d) {
        margin[d] = grid.size[d] / part;
        wide.size[d] += 2 * margin[d];
        wide.fov_mm[d] *= static_cast<double>(wide.size[d]) / static_cast<double>(grid.size[d]);
    }
    CoilRows::Floats result(values.rows(), wide.voxels());
    for (std::size_t n = 0, rest = 0; n < wide.voxels(); rest = ++n) {
        std::size_t from = 0;
        std::size_t stride = 1;
        for (std::size_t d = 0; d < margin.size(); rest /= wide.size[d], stride *= grid.size[d++]) {
            const std::size_t at = std::max(rest % wide.size[d], margin[d]) - margin[d];
            from += stride * std::min(at, grid.size[d] - 1);
        }
        for (Eigen::Index row = 0; row < result.rows(); ++row) {
            result(row, static_cast<Eigen::Index>(n)) =
                static_cast<std::complex<float>>(values(row, from));
        }
    }
    grid = wide;
    values = CoilRows(std::move(result));
}

std::string in_record(const Hdf5Reader& file, const std::string& name) {
    return file.has_attribute("record", name) ? file.attribute_in_words("record", name) : "";
}

StoredVolumes volumes_of_array(const VolumesBeside& row, const StoredArray& array,
                               const Grid& like) {
    const Extents extents = extents_of_volume(row, array, like);
    StoredVolumes result;
    if (array.hdf5 != nullptr) {
        result.grid = native::grid_of_volumes(*array.hdf5, row.dataset, extents, like);
        if (native::grid_extents(result.grid) != extents) {
            refuse_volumes(row, array,
                           "volumes of " + shown(native::grid_extents(result.grid)) +
                               " voxels, as the attribute matrix has them");
        }
        result.scan_sha256 = in_record(*array.hdf5, "scan_sha256");
        result.header_shift = in_record(*array.hdf5, "header_shift");
    } else {
        result.grid.dimensions = like.dimensions;
        std::reverse_copy(extents.begin(), extents.end(), result.grid.size.begin());
        result.grid.fov_mm = like.fov_mm;
    }
    const bool more = array.hdf5 != nullptr && row.of_hdf5 != nullptr;
    result.values = more ? row.of_hdf5(*array.hdf5, extents)
                         : array.values(row.of_coils ? array.shape.extents.front() : 1);
    result.without_value = row.real ? fill_missing(result.grid, result.values) : 0;
    require_sound(row, array.file, array.thing, result.values);
    result.sha256 = array.sha256();
    return result;
}

/// Frames of an image, whose slices at several positions are a volume.
StoredVolumes volumes_of_image(const VolumesBeside& row, const std::string& path) {
    const ImageFormat& format = format_of_input(path);
    HashedFiles files(format.files(path));
    const StoredImage image = with_slices_stacked(format.open(path, {}));
    const std::size_t frames = image.frames();
    if (frames != 1 && !row.of_coils) {
        throw InputError({path, image.thing, counted(frames, "frame"), "one frame",
                          "write the one that belongs to the scan: lsrecon convert `frame`"});
    }
    if (!row.real) { // Real maps may have gaps: fill_missing() fills them below.
        require_sound_values(image);
    }
    StoredVolumes result{image.about.grid, CoilRows(frames, image.voxels(), Precision::float32)};
    result.values.visit([&](auto& rows) {
        for (std::size_t f = 0; f < frames; ++f) {
            const ImageValues values = image.values(f);
            for (std::size_t n = 0; n < values.size(); ++n) {
                rows(static_cast<Eigen::Index>(f), static_cast<Eigen::Index>(n)) = values[n];
            }
        }
    });
    result.without_value = row.real ? fill_missing(result.grid, result.values) : 0;
    require_sound(row, path, image.thing, result.values);
    if (result.without_value > 0) {
        add_margin(result.grid, result.values);
    }
    result.sha256 = files.sha256();
    return result;
}

/// The field in Hz with its units, and the decay where there is one.
CoilRows field_of_hdf5(const Hdf5Reader& file, const Extents& extents) {
    return rows_of(native::read_field_map(file, extents, "the grid of the file"));
}

/// Whether the frames of an image are the volumes: of another format, or of a prior image.
bool is_image(const VolumesBeside& row, const std::string& path) {
    return other_format_of(path) != nullptr || row.dataset == "image";
}

void put_trajectory(Trajectory& trajectory, const std::vector<double>& values, const Vec3& factor) {
    const std::size_t dimensions = values.size() / trajectory.samples();
    for (std::size_t m = 0; m < trajectory.samples(); ++m) {
        for (std::size_t d = 0; d < dimensions; ++d) {
            trajectory.positions[m][d] = factor[d] * values[m * dimensions + d];
        }
    }
}

RealVector vector_of(const std::vector<double>& values) {
    return Eigen::Map<const RealVector>(values.data(), static_cast<Eigen::Index>(values.size()));
}

/// The numbers of samples in a file, either the same for all frames or those of each frame, one
/// frame after the other.
class ValuesOfSamples {
public:
    ValuesOfSamples(const SampleValuesBeside& row, const Scan& scan, const std::string& path)
        : row_(row), scan_(scan), array_(open_array(path, row.name)), values_(real_values(array_)) {
        require_units();
        if (row.by_dimension) {
            take_dimensions(static_cast<std::size_t>(scan.grid.dimensions));
        }
        const std::size_t samples = scan.frames.front().trajectory->samples();
        by_frame_ = scan.frames.size() > 1 && count() == samples * scan.frames.size();
    }

    std::vector<double> of_frame(std::size_t frame) const {
        const std::size_t samples = scan_.frames[frame].trajectory->samples();
        if (count() != (by_frame_ ? scan_.frames.size() : 1) * samples) {
            throw InputError({array_.file, array_.thing, array_.shape.to_string(),
                              text(counted(samples, "sample"), " of frame ", frame, " of ",
                                   scan_.file, row_.by_dimension ? ", one row each" : "",
                                   scan_.frames.size() > 1 ? ", or of each frame" : ""),
                              "name the `" + row_.name + "` of this scan"});
        }
        const auto from =
            values_.begin() + static_cast<long>(by_frame_ ? frame * samples * numbers_ : 0);
        return {from, from + static_cast<long>(samples * numbers_)};
    }

    const std::string& units() const { return array_.units; } ///< as the file says
    bool by_frame() const { return by_frame_; }
    std::string sha256() const { return array_.sha256(); }

private:
    std::size_t count() const { return values_.size() / numbers_; }

    void require_units() const {
        if (const std::string found = units();
            !row_.units.empty() && !found.empty() && found != row_.units) {
            throw InputError({array_.file, attribute_name(row_.name, "units"), found, row_.units,
                              "convert the values and write the attribute"});
        }
    }

    /// One column a dimension; a third one of zeros may stand beside the two of a plane.
    void take_dimensions(std::size_t dimensions) {
        const std::size_t columns = array_.shape.extents.empty() ? 1 : array_.shape.extents.back();
        numbers_ = dimensions;
        if (columns == dimensions + 1 && dimensions == 2) {
            constexpr double rounding = 1e-3;
            double largest = 0;
            for (const double value : values_) {
                largest = std::max(largest, std::abs(value));
            }
            std::vector<double> kept;
            for (std::size_t i = 0; i + 2 < values_.size(); i += columns) {
                if (std::abs(values_[i + 2]) > rounding * largest) {
                    throw InputError({array_.file, array_.thing,
                                      text(values_[i + 2], " along z at sample ", i / columns),
                                      "0, since the matrix of the scan has two dimensions",
                                      "name the trajectory of this scan"});
                }
                kept.insert(kept.end(), {values_[i], values_[i + 1]});
            }
            values_ = std::move(kept);
        } else if (columns != dimensions) {
            throw InputError({array_.file, array_.thing, array_.shape.to_string(),
                              text("[M, ", dimensions, "] or [F, M, ", dimensions,
                                   "], since the matrix of the scan has ", dimensions, " entries"),
                              "write one column a dimension, x first"});
        }
    }

    const SampleValuesBeside& row_;
    const Scan& scan_;
    StoredArray array_;
    std::vector<double> values_;
    std::size_t numbers_ = 1; ///< numbers of a sample
    bool by_frame_ = false;
};

} // namespace

const VolumesBeside coil_maps_beside{
    "coil maps", "coil_maps",
    true,        false,
    false,       "name a file that 'lsrecon maps' or 'bart ecalib -m 1' wrote, or leave `maps` out",
    nullptr};
const VolumesBeside field_map_beside{
    "field map",   "field_map",
    false,         true,
    true,          "name a field map in Hz of this scan's object, or leave `field_map` out",
    &field_of_hdf5};
const VolumesBeside prior_image_beside{
    "prior image", "image",
    false,         false,
    false,         "name an image of the same object and pose, or leave `prior` and its `reg` out",
    nullptr};

StoredVolumes read_volumes(const VolumesBeside& row, const std::string& path, const Grid& like) {
    return !recognises_bare_array(path) && is_image(row, path)
               ? volumes_of_image(row, path)
               : volumes_of_array(row, open_array(path, row.dataset), like);
}

double bytes_of_volumes(const VolumesBeside& row, const std::string& path) {
    if (!recognises_bare_array(path) && is_image(row, path)) {
        const StoredImage image = format_of_input(path).open(path, {});
        return static_cast<double>(image.voxels() * image.frames() * sizeof(std::complex<float>));
    }
    const Hdf5Shape shape = open_array(path, row.dataset).shape;
    return static_cast<double>(shape.elements()) *
           (shape.kind == Hdf5Kind::complex ? 2 * static_cast<double>(shape.number_bytes)
                                            : sizeof(Complex));
}

const std::vector<SampleValuesBeside>& sample_values_beside() {
    static const std::vector<SampleValuesBeside> table{
        {"trajectory", "", &SamplesBeside::trajectory, true, &put_trajectory},
        {"weights", "", &SamplesBeside::weights, false,
         [](Trajectory& trajectory, const std::vector<double>& values, const Vec3&) {
             trajectory.weights = vector_of(values);
         }},
        {"times", "s", &SamplesBeside::times, false,
         [](Trajectory& trajectory, const std::vector<double>& values, const Vec3&) {
             trajectory.times = vector_of(values);
         }},
    };
    return table;
}

void put_sample_values(StoredScan& stored, const ReadOptions& options) {
    Scan& scan = stored.scan;
    if (!options.beside.times.empty() && !options.with_times && !scan.off_resonance) {
        throw UsageError("`times` " + options.beside.times +
                         ": the scan has no field map\n  next:     leave it out, or name a map "
                         "with `field_map`");
    }
    for (const SampleValuesBeside& row : sample_values_beside()) {
        const std::string& path = options.beside.*row.file;
        if (path.empty() || (row.by_dimension && stored.has_trajectory_beside)) {
            continue;
        }
        if (const auto rule = row.by_dimension ? trajectory_rule_of(path) : std::nullopt) {
            put_rule(scan, *rule, options);
            continue;
        }
        const ValuesOfSamples values(row, scan, path);
        Vec3 factor{1, 1, 1};
        if (row.by_dimension) {
            const std::string& given = options.trajectory_units;
            const std::string units = given.empty() ? values.units() : given;
            scan.trajectory_units = units.empty() ? "cycles/fov" : units;
            factor = to_cycles_per_fov(scan.trajectory_units, scan.grid);
        }
        TrajectoryPool pool;
        std::map<const Trajectory*, std::shared_ptr<const Trajectory>> changed;
        for (std::size_t f = 0; f < scan.frames.size(); ++f) {
            const std::shared_ptr<const Trajectory> before = scan.frames[f].trajectory;
            std::shared_ptr<const Trajectory>& after = changed[before.get()];
            if (after == nullptr || values.by_frame()) {
                Trajectory trajectory = *before;
                row.put(trajectory, values.of_frame(f), factor);
                after = pool.share(std::move(trajectory));
            }
            scan.frames[f].trajectory = after;
        }
        scan.facts.push_back(row.name + " of " + path + ", SHA-256 " + values.sha256());
    }
}

} // namespace lsrecon
