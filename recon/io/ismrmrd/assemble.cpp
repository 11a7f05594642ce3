// Assembles the scan from sorted acquisitions: cuts frames, decides units and dimensions, and
// checks kz.

#include "io/ismrmrd/frames.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "base/coil_rows.hpp"
#include "base/numbers.hpp"
#include "io/pulseq.hpp"
#include "scan/navigators.hpp"
#include "scan/pose.hpp"
#include "scan/trajectories.hpp"
#include "scan/units.hpp"

namespace lsrecon {

namespace {

/// Consecutive readouts of one raw frame: the first, and the one after the last.
struct RawPart {
    std::size_t first = 0;
    std::size_t end = 0;
};

/// The samples of raw frames, once, and which of them each frame of the scan has.
class RawSamples {
public:
    /// C x M of the next raw frame.
    void add_raw(CoilRows samples, RawBad bad) {
        raw_.push_back({std::move(samples), std::move(bad)});
    }
    /// A frame of the scan: these readouts of the raw frame that is added next, and their samples.
    void add_frame(const RawPart& readouts, std::size_t first_sample, std::size_t count) {
        frames_.push_back({raw_.size(), readouts, first_sample, count});
    }

    /// The samples of a frame of the scan. The samples of a single frame can be taken once.
    /// InputError when the frame has a bad readout.
    CoilRows take(std::size_t frame) {
        const Slice& slice = frames_[frame];
        Raw& raw = raw_[slice.raw];
        for (const auto& [readout, error] : raw.bad) {
            if (readout >= slice.readouts.first && readout < slice.readouts.end) {
                throw InputError(error);
            }
        }
        if (slice.count == raw.samples.columns()) {
            return frames_.size() == 1 ? std::move(raw.samples) : raw.samples;
        }
        return raw.samples.visit([&](const auto& values) {
            return CoilRows(values.middleCols(static_cast<Eigen::Index>(slice.first),
                                              static_cast<Eigen::Index>(slice.count)));
        });
    }

private:
    struct Slice {
        std::size_t raw;
        RawPart readouts;
        std::size_t first;
        std::size_t count;
    };
    struct Raw {
        CoilRows samples;
        RawBad bad;
    };
    std::vector<Raw> raw_;
    std::vector<Slice> frames_;
};

/// Samples `first` to `end` of M x dimensions coordinates.
std::vector<Vec3> to_positions(const std::vector<float>& stored, std::size_t first, std::size_t end,
                               std::size_t dimensions, const Vec3& factor) {
    std::vector<Vec3> positions(end - first, Vec3{0, 0, 0});
    for (std::size_t m = first; m < end; ++m) {
        for (std::size_t d = 0; d < dimensions; ++d) {
            positions[m - first][d] = factor[d] * static_cast<double>(stored[m * dimensions + d]);
        }
    }
    return positions;
}

CoilRows to_samples(const std::vector<std::vector<std::complex<float>>>& values) {
    CoilRows::Floats samples(static_cast<Eigen::Index>(values.size()),
                             static_cast<Eigen::Index>(values.front().size()));
    for (std::size_t c = 0; c < values.size(); ++c) {
        std::copy(values[c].begin(), values[c].end(),
                  samples.row(static_cast<Eigen::Index>(c)).data());
    }
    return samples;
}

std::string name_of(const RawFrames& raw, const RawCounters& counters) {
    return label(counters, raw.choice.varying());
}

[[noreturn]] void refuse(const RawFrames& raw, const std::string& thing, const std::string& found,
                         const std::string& expected, const std::string& next_step) {
    throw InputError(
        {raw.encoding.file, raw.encoding.dataset + ", " + thing, found, expected, next_step});
}

/// The fraction of kx and ky below which a third coordinate is 0 but for rounding.
constexpr double like_zero = 1e-6;

void require_samples(const RawFrames& raw) {
    for (const auto& [counters, frame] : raw.frames) {
        if (frame.positions.empty()) {
            refuse(raw, "frame " + name_of(raw, counters), "no samples", "at least one",
                   "check discard_pre, discard_post and the encoding steps");
        }
    }
}

/// The error in kz as the third coordinate of M x 3; "" where there is none. Writers put 0, density
/// weights or times there: all partitions would be summed, or lie elsewhere. The kz of partitions
/// has both signs where there are three or more.
std::string wrong_kz(const RawFrames& raw, const RawFrame& frame) {
    const auto at = [&](std::size_t m) { return static_cast<double>(frame.positions[3 * m + 2]); };
    double least = at(0);
    double most = at(0);
    for (std::size_t m = 0; m < frame.positions.size() / 3; ++m) {
        if (!std::isfinite(at(m))) {
            return ""; // that frame is a bad one
        }
        least = std::min(least, at(m));
        most = std::max(most, at(m));
    }
    // Rounding: partitions of 2000 are 10 times as far apart.
    const double tolerance = 1e-4 * std::max(std::abs(least), std::abs(most));
    bool same = frame.partitions_differ;
    std::size_t begin = 0;
    std::size_t first = 0; // samples of the first readout that has any
    for (const std::size_t end : frame.ends) {
        first = first == 0 ? end : first;
        for (std::size_t i = 0; same && i < std::min(first, end - begin); ++i) {
            same = std::abs(at(begin + i) - at(i)) <= tolerance;
        }
        begin = end;
    }
    if (same) {
        return "the same in every acquisition, although kspace_encode_step_2 differs";
    }
    if (raw.encoding.grid.size[2] > 2 && least >= 0 && most > 0) {
        return "never below 0, like density weights or times";
    }
    return raw.choice.varying()[0] && most - least <= tolerance
               ? "one number in all samples of a slice"
               : "";
}

/// The third coordinate, relative to the first two, that gradients leave of a plane.
constexpr double small_beyond = 0.01;

/// Three coordinates of a sample of a trajectory that has as many.
Vec3 stored_at(const RawFrame& frame, std::size_t dimensions, std::size_t sample) {
    const float* const stored = frame.positions.data() + dimensions * sample;
    return {stored[0], stored[1], dimensions == 3 ? stored[2] : frame.third[sample]};
}

/// How far trajectories reach out of planes: the largest distance of a sample of a readout from
/// the plane through its first sample, relative to the largest |k|. In two dimensions all planes
/// are that through 0.
struct OutOfPlanes {
    double by_third = 0; ///< of planes perpendicular to the third coordinate
    double by_slice = 0; ///< perpendicular to slice_dir
    double by_line = 0; ///< of parallel lines, which lie in planes of every kind
};

/// Null where not every frame has three coordinates and directions.
std::optional<OutOfPlanes> out_of_planes(const std::vector<RawFrame*>& frames,
                                         std::size_t dimensions) {
    OutOfPlanes out;
    double largest = 0;
    Vec3 line{0, 0, 0}; // the direction of the first step
    for (const RawFrame* const frame : frames) {
        const auto& directions = frame->where.directions;
        if ((dimensions == 2 && frame->third.empty()) || !directions || !orthonormal(*directions)) {
            return std::nullopt;
        }
        std::size_t m = 0;
        for (const std::size_t end : frame->ends) {
            const Vec3 first = dimensions == 3 && m < end ? stored_at(*frame, 3, m) : Vec3{0, 0, 0};
            for (; m < end; ++m) {
                const Vec3 k = stored_at(*frame, dimensions, m);
                const Vec3 apart = minus(k, first);
                largest = std::max(largest, std::sqrt(dot(k, k)));
                out.by_third = std::max(out.by_third, std::abs(apart[2]));
                out.by_slice = std::max(out.by_slice, std::abs(dot(apart, (*directions)[2])));
                const double square = dot(apart, apart);
                if (dot(line, line) == 0 && square > 0) {
                    const double norm = std::sqrt(square);
                    line = {apart[0] / norm, apart[1] / norm, apart[2] / norm};
                }
                const double along = dot(line, apart);
                out.by_line = std::max(out.by_line, std::sqrt(std::abs(square - along * along)));
            }
        }
    }
    out.by_third /= largest;
    out.by_slice /= largest;
    out.by_line /= largest;
    return out;
}

/// Trajectories along the gradient axes, rotated into the slice or the volume. Returns whether they
/// were: readouts of a slice or a stack lie in planes perpendicular to one of the two.
bool rotate_by_directions(RawFrames& raw) {
    std::vector<RawFrame*> frames;
    for (auto& [counters, frame] : raw.frames) {
        frames.push_back(&frame);
    }
    const std::size_t of_image = frames.size();
    for (auto& [counters, frame] : raw.calibrations) {
        frames.push_back(&frame);
    }
    if (raw.kind.trajectory_dimensions != 3) {
        return false;
    }
    constexpr double rounding = 1e-3;
    const std::size_t dimensions = raw.dimensions();
    const auto out = out_of_planes(frames, dimensions);
    if (!out || !(out->by_third > small_beyond) || out->by_slice > rounding ||
        (dimensions == 3 && out->by_line < small_beyond)) {
        return false;
    }
    raw.range = {0, 0, 0};
    raw.least = {HUGE_VAL, HUGE_VAL, HUGE_VAL};
    raw.most = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
    raw.largest_beyond = 0;
    for (std::size_t f = 0; f < frames.size(); ++f) {
        RawFrame& frame = *frames[f];
        frame.least_beyond = frame.most_beyond = 0;
        for (std::size_t m = 0; m < frame.positions.size() / dimensions; ++m) {
            const Vec3 k = stored_at(frame, dimensions, m);
            for (std::size_t d = 0; d < dimensions; ++d) {
                const double along = dot(k, (*frame.where.directions)[d]);
                frame.positions[dimensions * m + d] = static_cast<float>(along);
                if (f < of_image) {
                    raw.range[d] = std::max(raw.range[d], std::abs(along));
                    raw.least[d] = std::min(raw.least[d], along);
                    raw.most[d] = std::max(raw.most[d], along);
                }
            }
        }
    }
    return true;
}

/// A header of one partition beside a kz of three dimensions: all of a volume would be summed. What
/// else writers put into a third coordinate has one sign, as density weights have, or is small.
void require_no_kz(const RawFrames& raw) {
    const bool z_is_given = raw.options.given("matrix").size() > 2;
    if (raw.dimensions() != 2 || raw.kind.trajectory_dimensions < 3 || z_is_given) {
        return;
    }
    const double least = small_beyond * std::max(raw.range[0], raw.range[1]);
    for (const auto& [counters, frame] : raw.frames) {
        if (frame.least_beyond < -least && frame.most_beyond - frame.least_beyond > least) {
            const auto& [x, y, z] = raw.encoding.grid.size;
            const Vec3& fov = raw.encoding.grid.fov_mm;
            const std::string name = name_of(raw, counters);
            refuse(raw, (name.empty() ? "" : "frame " + name + ", ") + "third trajectory dimension",
                   text("from ", frame.least_beyond, " to ", frame.most_beyond,
                        ", like kz; largest |k| of the first two ", by(raw.range, 2)),
                   "no kz, since encodedSpace/matrixSize/z is 1",
                   text("pass `header` matrix=", x, ",", y, ",Z and `header` fov_mm=", fov[0], ",",
                        fov[1], ",Z, if it is a volume; or `header` matrix=", x, ",", y,
                        ",1, if it is a slice"));
        }
    }
}

void require_kz(const RawFrames& raw) {
    for (const auto& [counters, frame] : raw.frames) {
        const bool of_slices = raw.choice.varying()[0];
        if (raw.stored_dimensions() < 3 || !(frame.partitions_differ || of_slices)) {
            continue;
        }
        if (const std::string wrong = wrong_kz(raw, frame); !wrong.empty()) {
            const std::string name = name_of(raw, counters);
            refuse(raw,
                   (name.empty() ? "" : "frame " + name + ", ") + "kz (third trajectory "
                                                                  "dimension)",
                   wrong,
                   text("kz of each sample, since encodedSpace/matrixSize/z is ",
                        raw.encoding.grid.size[2]),
                   frame.partitions_differ
                       ? "write kz, or a 2D trajectory to take kz from kspace_encode_step_2"
                       : "write kz, or matrixSize/z 1 where slices are two-dimensional");
        }
    }
    const double in_plane = std::max(raw.range[0], raw.range[1]);
    if (raw.stored_dimensions() == 3 && in_plane > 0 && raw.range[2] <= like_zero * in_plane) {
        const auto& [x, y, z] = raw.encoding.grid.size;
        refuse(raw, "kz (third trajectory dimension)", "0 in every sample",
               text("kz of each sample, since encodedSpace/matrixSize/z is ", z),
               text("pass `header` matrix=", x, ",", y, ",1, if it is a slice; or write kz"));
    }
}

/// Whether k, which reaches so many cells along x, reaches those of a matrix.
bool reaches(double cells, std::size_t matrix) {
    constexpr double off = 0.05;
    const auto voxels = static_cast<double>(matrix);
    return std::abs(cells - voxels) <= std::max(1.0, off * voxels);
}

/// What speaks against the encoded space in the length of lines, and the space that they would
/// have instead.
struct OtherReading {
    std::string found;
    std::string meaning;
    Grid grid;
};

/// Converters remove the oversampling of lines without changing the header, and double one of
/// matrix and field of view alone. The voxels of the encoded space are then longer along x than
/// those of reconSpace, by the oversampling, or shorter, and those along y are not.
std::optional<OtherReading> other_reading(const RawFrames& raw) {
    constexpr double least_oversampling = 1.2;
    const Grid& encoded = raw.encoding.grid;
    const RawSpace& recon = *raw.encoding.recon;
    const Grid shorter = encoded_within(recon, encoded);
    const double cells = 2 * raw.range[0];
    const double oversampling = encoded.fov_mm[0] / recon.fov_mm[0];
    Grid other = encoded;
    if (oversampling >= least_oversampling && reaches(cells, shorter.size[0])) {
        other.size[0] = shorter.size[0];
        other.fov_mm[0] = recon.fov_mm[0];
        return OtherReading{text("they fill ", cells, " cells along x, 1/", oversampling,
                                 " of encodedSpace/matrixSize/x, ", encoded.size[0]),
                            "their oversampling has been removed", other};
    }
    const bool same_in_plane =
        encoded.size[1] >= recon.size[1] && are_same_length(encoded.fov_mm[1], recon.fov_mm[1]);
    if (oversampling >= least_oversampling && same_in_plane && encoded.size[0] == recon.size[0] &&
        reaches(cells, encoded.size[0])) {
        other.fov_mm[0] = recon.fov_mm[0];
        return OtherReading{text("they fill ", cells, " cells along x, as many as ",
                                 "reconSpace/matrixSize/x, on ", oversampling,
                                 " times its field of view"),
                            "their oversampling has been removed", other};
    }
    const double finer = static_cast<double>(encoded.size[0]) / static_cast<double>(recon.size[0]);
    if (are_same_length(encoded.fov_mm[0], recon.fov_mm[0]) && finer >= least_oversampling &&
        encoded.size[1] <= recon.size[1] && reaches(cells, encoded.size[0])) {
        other.fov_mm[0] *= finer;
        return OtherReading{text("they fill ", cells, " cells along x, ", finer,
                                 " times reconSpace/matrixSize/x, ", recon.size[0],
                                 ", on its field of view"),
                            "they are oversampled", other};
    }
    return std::nullopt;
}

/// The header's numbers, which nobody gave, and the length of lines leave one reading.
void require_one_reading(const RawFrames& raw) {
    const ReadOptions& options = raw.options;
    const bool of_file = options.given("matrix").empty() && options.given("fov_mm").empty();
    if (!of_file || !raw.encoding.recon || raw.has_trajectory() || !raw.encoding.ramps.empty()) {
        return;
    }
    if (const std::optional<OtherReading> other = other_reading(raw)) {
        refuse(
            raw, "lines and the header", other->found,
            "lines that fill encodedSpace/matrixSize/x, with voxels as reconSpace has them along "
            "x and y",
            "pass " + header_options(other->grid) + ", if " + other->meaning + "; or " +
                header_options(raw.encoding.grid) + ", if the header is right");
    }
}

/// The grid with the dimensions of the stored trajectory: a third that comes from encoding steps
/// has no units.
Grid stored_grid(const RawFrames& raw) {
    Grid grid = raw.encoding.grid;
    grid.dimensions = static_cast<int>(raw.stored_dimensions());
    return grid;
}

[[noreturn]] void refuse_units(const RawFrames& raw) {
    const Grid grid = stored_grid(raw);
    const ForeignUnit* const foreign = foreign_unit_that_fills({raw.range}, grid);
    const std::optional<UnitsHint> hint =
        foreign ? UnitsHint{"in " + foreign->name + ", which is not read, it would be filled",
                            text("write the trajectory in 1/m (", foreign->per_m, " times ",
                                 foreign->name, ")")}
                : hint_on_units(raw.least, raw.most, grid, "");
    refuse(raw, "units of the trajectory",
           text("largest |k| as stored: ", by(raw.range, grid.dimensions), "; matrix ",
                by(grid.size, 3), ", FOV ", by(grid.fov_mm, 3), " mm"),
           "one unit that fills 0.5 to 1.05 of N/2; largest |k| / (N/2) would be " +
               reach_in_each_unit(raw.range, grid) + (hint ? "; " + hint->seems : ""),
           hint ? hint->next_step + "; or pass `traj_units` UNIT, if it is in one of these"
                : "pass `traj_units` UNIT, and `matrix` where k reaches beyond N/2");
}

/// Some write cycles per field of view of the image beside an encoded one that is larger: k fills
/// the encoded voxels of the one, and only a part of those of the other.
void require_one_field(const RawFrames& raw) {
    const ReadOptions& options = raw.options;
    const bool of_file = options.given("matrix").empty() && options.given("fov_mm").empty();
    if (!of_file || !raw.encoding.recon) {
        return;
    }
    const Grid encoded = stored_grid(raw);
    const Grid recon = encoded_within(*raw.encoding.recon, encoded);
    const auto share = [&](const Grid& grid) {
        Vec3 of_half{};
        for (std::size_t d = 0; d < 3; ++d) {
            of_half[d] = 2 * raw.range[d] / static_cast<double>(grid.size[d]);
        }
        return by(of_half, grid.dimensions);
    };
    if (fill_every_dimension(raw.range, encoded) || !fill_every_dimension(raw.range, recon)) {
        return;
    }
    Grid header = recon;
    header.dimensions = raw.encoding.grid.dimensions;
    refuse(raw, "units of the trajectory",
           text("largest |k| as stored: ", by(raw.range, encoded.dimensions), ", ", share(encoded),
                " of N/2 in cycles per field of view of encodedSpace (",
                by(encoded.fov_mm, encoded.dimensions), " mm), ", share(recon),
                " in cycles per field of view of reconSpace (", by(recon.fov_mm, recon.dimensions),
                " mm)"),
           "one field of view that k is relative to",
           "pass " + header_options(header) +
               ", if k is in cycles per field of view of reconSpace; or `traj_units` cycles/fov, "
               "if it is in those of encodedSpace");
}

/// The units of the trajectory, given or found; "" when none is stored.
std::string units_of(const RawFrames& raw, Scan& scan) {
    const std::string& given = raw.options.trajectory_units;
    const Grid stored = stored_grid(raw);
    if (stored.dimensions == 0 && !given.empty()) {
        scan.findings.push_back({Found::units_unused, {}, {{"units", given}}});
    }
    if (stored.dimensions == 0 || !given.empty()) {
        return stored.dimensions == 0 ? "" : given;
    }
    require_one_field(raw);
    Vec3 range = raw.range;
    std::string found = guess_trajectory_units({range}, stored);
    const bool new_matrix = found.empty() && !raw.options.image.matrix.empty();
    if (new_matrix) { // samples beyond N/2 of the file's may be within that of the image
        const Grid image = raw.options.image.grid_of_image(raw.encoding.grid);
        for (std::size_t d = 0; d < raw.stored_dimensions(); ++d) {
            range[d] *= static_cast<double>(stored.size[d]) / static_cast<double>(image.size[d]);
        }
        found = guess_trajectory_units({range}, stored);
    }
    if (found.empty() && raw.nowhere) {
        throw InputError(*raw.nowhere);
    }
    if (found.empty()) {
        refuse_units(raw);
    }
    Vec3 reach = to_cycles_per_fov(found, stored);
    for (std::size_t d = 0; d < raw.stored_dimensions(); ++d) {
        reach[d] *= range[d] / (0.5 * static_cast<double>(stored.size[d]));
        reach[d] = std::round(1000 * reach[d]) / 1000;
    }
    scan.facts.push_back(text("trajectory units ", found, ", found from its range (",
                              by(reach, stored.dimensions), " of N/2) and ",
                              new_matrix ? "`matrix`" : "the matrix"));
    if (const ForeignUnit* const foreign = foreign_unit_that_fits({range}, stored)) {
        scan.findings.push_back(
            {Found::units_ambiguous, {{"per_m", foreign->per_m}}, {{"unit", foreign->name}}});
    }
    return found;
}

std::vector<RawPart> parts_of(const RawFrames& raw, const RawCounters& counters) {
    const std::size_t length = raw.options.spokes_per_frame;
    const std::size_t readouts = raw.frames.at(counters).ends.size();
    if (length == 0) {
        return {{0, readouts}};
    }
    if (length > readouts) {
        const std::string name = name_of(raw, counters);
        throw UsageError(text(raw.encoding.file, ": `spokes_per_frame` ", length, ", but ",
                              name.empty() ? "the frame" : "frame " + name, " has ",
                              counted(readouts, "readout"),
                              "\n  next:     ask for fewer, or join the frames of one image, for "
                              "example by `join` repetition"));
    }
    const std::size_t stride =
        std::min(raw.options.stride == 0 ? length : raw.options.stride, readouts);
    std::vector<RawPart> parts;
    for (std::size_t first = 0; first + length <= readouts; first += stride) {
        parts.push_back({first, first + length});
    }
    return parts;
}

/// The first of the frames to be cut that holds a chosen one.
const RawFrame& first_chosen(const RawFrames& raw) {
    std::size_t index = 0;
    for (const auto& [counters, frame] : raw.frames) {
        const std::size_t parts = parts_of(raw, counters).size();
        for (std::size_t part = 0; part < parts; ++part) {
            if (raw.options.spokes_per_frame == 0 || raw.options.frames.admits(index++)) {
                return frame;
            }
        }
    }
    return raw.frames.begin()->second;
}

/// Frames of a slice share their coil maps.
void require_one_orientation_a_slice(const RawFrames& raw) {
    std::map<std::uint16_t, decltype(raw.frames.begin())> of_slices;
    for (auto one = raw.frames.begin(); one != raw.frames.end(); ++one) {
        const auto first = of_slices.emplace(one->first.front(), one).first->second;
        const PoseDifference from_first = apart(one->second.where, first->second.where);
        if (from_first.degrees > same_degrees && !from_first.share_maps()) {
            refuse(raw, text("orientations of the frames of slice ", one->first.front()),
                   text("several: ", name_of(raw, one->first), " is ", from_first.in_words(),
                        " from ", name_of(raw, first->first)),
                   "one a slice, since coil maps are made for each",
                   "choose frames of one orientation, with `set` or `frames` for example");
        }
    }
}

/// The geometry that frames have of their own.
enum class OwnPoses { none, positions, orientations };

OwnPoses set_geometry(const RawFrames& raw, Scan& scan) {
    const Pose& first = first_chosen(raw).where;
    std::size_t with_position = 0;
    std::size_t with_directions = 0;
    bool known = false; // headers that were never filled in are zero: no position at the isocentre
    bool moved = false;
    bool turned = false;
    for (const auto& [counters, frame] : raw.frames) {
        const auto& [position, directions] = frame.where;
        with_position += position ? 1 : 0;
        with_directions += directions ? 1 : 0;
        known = known || directions || position.value_or(Vec3{0, 0, 0}) != Vec3{0, 0, 0};
        moved =
            moved || (position && first.position && !are_same_position(*position, *first.position));
        turned = turned || (directions && first.directions &&
                            !are_same_directions(*directions, *first.directions));
    }
    if (!known) {
        return OwnPoses::none;
    }
    if (turned && raw.options.image.shift_to_position) {
        refuse(raw, "orientations of the frames", "several", "one, for `shift_mm` header",
               "choose frames of one orientation, with `slice` for example");
    }
    if (turned) {
        require_one_orientation_a_slice(raw);
        scan.findings.push_back({Found::orientations_differ});
        return OwnPoses::orientations;
    }
    const auto of_some = [&](std::size_t count) {
        return count != 0 && count != raw.frames.size();
    };
    if (of_some(with_position) || of_some(with_directions)) {
        scan.findings.push_back({Found::positions_unknown});
        return OwnPoses::none;
    }
    if (with_directions > 0 && orthonormal(*first.directions)) {
        scan.grid.directions = first.directions;
    } else if (with_directions > 0) {
        scan.findings.push_back({Found::directions_not_orthonormal});
    }
    scan.grid.position = first.position;
    return moved ? OwnPoses::positions : OwnPoses::none;
}

/// The distance of calibration from the nearest frame of its slice.
PoseDifference apart_from_slice(const RawFrames& raw, const RawFrame& calibration,
                                std::uint16_t slice) {
    std::optional<PoseDifference> nearest;
    for (const auto& [counters, frame] : raw.frames) {
        if (counters.front() == slice) {
            const PoseDifference one = apart(filled_in(calibration.where), filled_in(frame.where));
            const auto rank = [](const PoseDifference& of) {
                return std::pair(!of.share_maps(), of.mm);
            };
            nearest = nearest && rank(*nearest) < rank(one) ? nearest : one;
        }
    }
    return nearest.value_or(PoseDifference());
}

void set_calibrations(RawFrames& raw, const Vec3& factor, bool moved, Scan& scan) {
    std::size_t acquisitions = 0;
    std::size_t elsewhere = 0;
    std::string where; // the first of those
    for (auto& [counters, frame] : raw.calibrations) {
        if (frame.positions.empty()) {
            continue;
        }
        const std::string name = name_of(raw, counters);
        const PoseDifference from_frames = apart_from_slice(raw, frame, counters.front());
        if (!from_frames.share_maps()) {
            scan.calibrations_unused.emplace_back(name, "lie elsewhere: " + from_frames.in_words());
            if (elsewhere == 0) {
                where = (name.empty() ? "" : name + " is ") + from_frames.in_words();
            }
            elsewhere += frame.ends.size();
            continue;
        }
        auto trajectory = std::make_shared<Trajectory>();
        trajectory->positions =
            to_positions(frame.positions, 0, frame.values[0].size(), raw.dimensions(), factor);
        const std::optional<Vec3> position = moved ? filled_in(frame.where).position : std::nullopt;
        scan.calibrations.push_back(
            {std::move(trajectory), to_samples(frame.values), name, position});
        acquisitions += frame.ends.size();
        frame = {};
    }
    if (acquisitions > 0) {
        const std::string& of = scan.calibrations.front().label;
        scan.facts.push_back(
            text("kept ", counted(acquisitions, "acquisition"), " flagged parallel calibration",
                 scan.calibrations.size() > 1 ? text(" of ", scan.calibrations.size(), " frames")
                 : of.empty()                 ? ""
                                              : " of " + of,
                 " for coil maps"));
    }
    const auto left_out = [&](std::size_t count, const std::string& why) {
        scan.findings.push_back({Found::calibration_left_out, {{"count", count}}, {{"why", why}}});
    };
    if (elsewhere > 0) {
        left_out(elsewhere, "lie elsewhere than the frames of their slice: " + where);
    }
    for (const auto& [why, counters] : raw.unlike) {
        left_out(counters.size(), why);
        for (const RawCounters& one : std::set(counters.begin(), counters.end())) {
            scan.calibrations_unused.emplace_back(name_of(raw, one), why);
        }
    }
}

Trajectory trajectory_of(const RawFrames& raw, const RawFrame& frame, std::size_t first,
                         std::size_t end, const Vec3& factor) {
    Trajectory trajectory;
    trajectory.positions = to_positions(frame.positions, first, end, raw.dimensions(), factor);
    if (!frame.times.empty()) {
        trajectory.times = Eigen::Map<const Eigen::VectorXf>(frame.times.data() + first,
                                                             static_cast<Eigen::Index>(end - first))
                               .cast<double>();
    }
    return trajectory;
}

void set_own_pose(const Pose& where, OwnPoses own, Frame& frame) {
    if (own == OwnPoses::positions) {
        frame.position = where.position;
    } else if (own == OwnPoses::orientations) {
        frame.turned = filled_in(where);
        if (where.directions && !orthonormal(*where.directions)) {
            frame.turned->directions.reset();
        }
    }
}

FrameReadouts readouts_of(const RawFrame& frame, const RawPart& part) {
    const auto begin = static_cast<std::ptrdiff_t>(part.first);
    const auto end = static_cast<std::ptrdiff_t>(part.end);
    FrameReadouts readouts{{frame.ends.begin() + begin, frame.ends.begin() + end},
                           {frame.segments.begin() + begin, frame.segments.begin() + end}};
    const std::size_t before = part.first == 0 ? 0 : frame.ends[part.first - 1];
    for (std::size_t& sample : readouts.ends) {
        sample -= before;
    }
    return readouts;
}

/// What the navigators of a frame say, or those of another frame of its slice.
std::optional<LinePhases> by_navigators(const RawFrames& raw, const RawCounters& counters,
                                        const FrameReadouts& readouts, const Vec3& factor) {
    auto found = raw.navigators.find(counters);
    for (auto of = raw.navigators.begin(); found == raw.navigators.end() && of != found; ++of) {
        found = of->first.front() == counters.front() ? of : found;
    }
    if (found == raw.navigators.end() || found->second.positions.empty()) {
        return std::nullopt;
    }
    const RawFrame& navigators = found->second;
    std::vector<std::uint16_t> segments;
    for (const std::uint16_t segment : readouts.segments) {
        if (std::find(segments.begin(), segments.end(), segment) == segments.end()) {
            segments.push_back(segment);
        }
    }
    return phases_of_navigators(
        to_positions(navigators.positions, 0, navigators.ends.back(), raw.dimensions(), factor),
        to_samples(navigators.values), {navigators.ends, navigators.segments}, segments);
}

/// The echo of a frame, where the header has a time for its contrast.
std::optional<Echo> echo_of(const RawFrames& raw, const RawFrame& frame) {
    const std::vector<double>& times = raw.encoding.echo_times;
    const std::size_t contrast = frame.idx.contrast;
    if (contrast >= times.size() || !(times[contrast] > 0)) {
        return std::nullopt;
    }
    return Echo{times[contrast], 2 * frame.reversed > frame.ends.size()};
}

void add_frames(RawFrames& raw, const Vec3& factor, OwnPoses own, StoredScan& stored,
                RawSamples& samples) {
    Scan& scan = stored.scan;
    const ReadOptions& options = raw.options;
    const bool cut_up = options.spokes_per_frame > 0;
    TrajectoryPool pool;
    std::size_t unused = 0;
    std::size_t index = 0;
    for (auto& [counters, frame] : raw.frames) {
        const std::string name = name_of(raw, counters);
        const std::size_t before = scan.frames.size();
        std::size_t used = 0; // readouts up to the end of the last part
        unused += frame.ends.size();
        for (const RawPart& part : parts_of(raw, counters)) {
            unused -= part.end - std::max(part.first, used);
            used = part.end;
            if (cut_up && !options.frames.admits(index++)) {
                continue;
            }
            const std::size_t first = part.first == 0 ? 0 : frame.ends[part.first - 1];
            const std::size_t end = frame.ends[part.end - 1];
            Frame made;
            made.label = name;
            if (cut_up) {
                made.label +=
                    text(name.empty() ? "" : ", ", "readouts ", part.first, "-", part.end - 1);
            }
            made.trajectory = pool.share(trajectory_of(raw, frame, first, end, factor));
            made.samples = CoilRows(frame.values.size(), 0, Precision::float32);
            set_own_pose(frame.where, own, made);
            made.echo = echo_of(raw, frame);
            scan.frames.push_back(std::move(made));
            FrameReadouts readouts = readouts_of(frame, part);
            readouts.by_navigators = by_navigators(raw, counters, readouts, factor);
            scan.readouts.push_back(std::move(readouts));
            samples.add_frame(part, first, end - first);
        }
        if (scan.frames.size() > before) {
            samples.add_raw(to_samples(frame.values), std::move(frame.bad));
        }
        frame.positions = {};
        frame.values = {};
    }
    if (unused > 0) {
        scan.facts.push_back(text("left out ", counted(unused, "readout"),
                                  ", which `spokes_per_frame` and `stride` put into no frame"));
    }
    if (cut_up) {
        require_frames(options.frames, index, raw.encoding.file,
                       raw.encoding.dataset + ", chosen frames");
        scan.facts.push_back(text(
            "cut into ", counted(index, "frame"), " of ", options.spokes_per_frame, " readouts, ",
            options.stride == 0 ? options.spokes_per_frame : options.stride, " readouts apart",
            options.frames.empty() ? "" : "; chosen: `frames` " + options.frames.to_string()));
    }
}

void add_findings(const RawFrames& raw, std::vector<std::string>& facts, Findings& findings) {
    facts = raw.facts;
    raw.choice.add_facts(facts);
    if (raw.moved_within_frame) {
        findings.push_back({Found::positions_differ});
    }
    if (raw.discarded > 0) {
        facts.push_back(
            text("left out ", raw.discarded, " samples by discard_pre and discard_post"));
    }
    std::size_t navigators = 0;
    for (const auto& [counters, frame] : raw.navigators) {
        navigators += frame.ends.size();
    }
    if (raw.navigators_left_out > 0) {
        facts.push_back(text("left out ", counted(raw.navigators_left_out, "acquisition"),
                             " flagged phase correction, not as those of the image"));
    }
    if (navigators > 0) {
        facts.push_back(
            text("kept ", counted(navigators, "acquisition"), " flagged phase correction"));
    }
    if (!raw.encoding.ramps.empty() && !raw.has_trajectory()) {
        findings.push_back({Found::epi_ghost});
    }
    const std::size_t stored = raw.kind.trajectory_dimensions;
    if (raw.largest_beyond > like_zero * std::max(raw.range[0], raw.range[1])) {
        double least = HUGE_VAL;
        double most = -HUGE_VAL;
        for (const auto& [counters, frame] : raw.frames) {
            least = std::min(least, frame.least_beyond);
            most = std::max(most, frame.most_beyond);
        }
        findings.push_back(
            {Found::dimensions_unused,
             {{"used", raw.dimensions()}, {"stored", stored}, {"least", least}, {"most", most}}});
    }
    if (raw.has_trajectory() && stored < raw.dimensions()) {
        facts.push_back("the trajectory has 2 dimensions and the matrix 3: kz is "
                        "kspace_encode_step_2 less its center");
    }
}

/// The counters by which frames differ, and those of them that may be joined.
void set_counters(const RawFrames& raw, Scan& scan) {
    const ReadOptions& options = raw.options;
    scan.joined_counters = options.join;
    scan.has_single_readouts =
        raw.frames.size() > 1 &&
        std::all_of(raw.frames.begin(), raw.frames.end(),
                    [](const auto& frame) { return frame.second.ends.size() == 1; });
    for (std::size_t i = 0; i < frame_counters().size(); ++i) {
        const bool differs =
            std::any_of(raw.frames.begin(), raw.frames.end(), [&](const auto& frame) {
                return frame.first[i] != raw.frames.begin()->first[i];
            });
        if (!differs) {
            continue;
        }
        const std::string& name = frame_counters()[i];
        scan.frame_counters.push_back(name);
        const bool chosen_by_options =
            options.spokes_per_frame > 0 || !options.frames.empty() || !options.counters[i].empty();
        const bool apart = name == "slice" || (name == "contrast" && !scan.has_single_readouts);
        if (!apart && !chosen_by_options) {
            scan.joinable_counters.push_back(name);
        }
    }
}

} // namespace

StoredScan assemble(RawFrames raw) {
    raw.centre_reversed_lines();
    const Findings lines = leave_out_lines_beyond(raw);
    const bool rotated = rotate_by_directions(raw);
    StoredScan stored;
    Scan& scan = stored.scan;
    scan.file = raw.encoding.file;
    scan.grid = raw.space.grid;
    add_findings(raw, scan.facts, scan.findings);
    scan.findings.insert(scan.findings.end(), lines.begin(), lines.end());
    if (rotated) {
        scan.findings.push_back({Found::gradient_axes});
    } else if (raw.stored_dimensions() == 3 && recognises_sequence(raw.options.beside.trajectory)) {
        scan.facts.push_back("the sequence's x, y and z are taken along read_dir, phase_dir and "
                             "slice_dir");
    }
    if (const auto incomplete = incomplete_frames(raw)) {
        scan.findings.push_back(*incomplete);
    }
    require_samples(raw);
    require_no_kz(raw);
    require_kz(raw);
    require_one_reading(raw);
    set_counters(raw, scan);
    const OwnPoses own = set_geometry(raw, scan);
    scan.trajectory_units = units_of(raw, scan);
    Vec3 factor{1, 1, 1};
    if (!scan.trajectory_units.empty()) {
        factor = to_cycles_per_fov(scan.trajectory_units, stored_grid(raw));
    }
    for (std::size_t d = 0; d < factor.size(); ++d) {
        factor[d] *= raw.space.factor[d];
    }
    set_calibrations(raw, factor, own == OwnPoses::positions, scan);
    const auto samples = std::make_shared<RawSamples>();
    add_frames(raw, factor, own, stored, *samples);
    stored.samples = [samples](std::size_t frame) { return samples->take(frame); };
    return stored;
}

} // namespace lsrecon
