#include <algorithm>

#include "base/machine.hpp"
#include "base/numbers.hpp"
#include "base/ranges.hpp"
#include "io/native_off_resonance.hpp"
#include "io/native_scan_parts.hpp"
#include "scan/sampling_pool.hpp"
#include "scan/units.hpp"

// What a native scan measured, and where.

namespace lsrecon::native {

namespace {

Extents trajectory_extents(const Hdf5Reader& file, const Grid& grid) {
    const int dimensions = grid.dimensions;
    const std::string expected = text("[M, ", dimensions, "] or [F, M, ", dimensions,
                                      "], since matrix has ", dimensions, " entries");
    if (!file.has("trajectory")) {
        refuse(file, "/trajectory", "it is missing", "real numbers " + expected,
               "write where the samples were taken");
    }
    const Hdf5Shape shape = file.checked_shape("trajectory", Hdf5Kind::real);
    const Extents& extents = shape.extents;
    if ((extents.size() != 2 && extents.size() != 3) ||
        extents.back() != static_cast<std::size_t>(dimensions)) {
        refuse(file, "/trajectory", shape.to_string(), expected,
               "write one coordinate per dimension, spokes and readouts flattened: M = spokes * "
               "samples per readout; or correct the matrix");
    }
    return extents;
}

/// Whether the dataset is there; InputError when it does not hold one value a sample.
bool has_per_sample(const Hdf5Reader& file, const std::string& name, Hdf5Kind kind,
                    std::size_t samples) {
    if (!file.has(name)) {
        return false;
    }
    const Hdf5Shape shape = file.checked_shape(name, kind);
    if (shape.extents != Extents{samples}) {
        refuse(file, full_name(name), shape.to_string(),
               shown(Extents{samples}) + ", one value a trajectory point",
               "make the sizes of the datasets agree");
    }
    return true;
}

template <typename Vector, typename Value> Vector to_vector(const std::vector<Value>& values) {
    return Eigen::Map<const Vector>(values.data(), static_cast<Eigen::Index>(values.size()));
}

/// The next points of a trajectory, in cycles per field of view by the factor of each dimension.
std::vector<Vec3> read_points(Hdf5Values& stored, std::size_t count, std::size_t dimensions,
                              const Vec3& factor) {
    std::vector<Vec3> points;
    points.reserve(count);
    ask_for_large_pages(points.data(), count * sizeof(Vec3));
    constexpr std::size_t points_at_a_time = 8192; // which caches hold
    std::vector<double> k;
    for (const Range& range : split_into_ranges(count, points_at_a_time)) {
        k.resize(range.count * dimensions);
        stored.read(k.data(), k.size());
        for (auto at = k.begin(); at != k.end(); at += static_cast<long>(dimensions)) {
            points.push_back(
                {at[0] * factor[0], at[1] * factor[1], dimensions == 3 ? at[2] * factor[2] : 0});
        }
    }
    return points;
}

/// C and F; InputError when they or M do not agree with the trajectory.
Extents samples_extents(const Hdf5Reader& file, std::size_t samples, std::size_t samplings) {
    const Hdf5Shape shape = file.checked_shape("samples", Hdf5Kind::complex);
    const Extents& extents = shape.extents;
    const std::string next = "make /samples and /trajectory agree; spokes and readouts are "
                             "flattened: M = spokes * samples per readout";
    if ((extents.size() != 2 && extents.size() != 3) || extents.back() != samples) {
        refuse(file, "/samples", shape.to_string(),
               text("[C, ", samples, "] or [F, C, ", samples, "], since the trajectory has ",
                    counted(samples, "point")),
               next);
    }
    const std::size_t frames = extents.size() == 3 ? extents[0] : 1;
    if (samplings != 1 && samplings != frames) {
        refuse(file, "/samples", shape.to_string(),
               text(counted(samplings, "frame"), ", as many as /trajectory has"), next);
    }
    return {extents[extents.size() - 2], frames};
}

} // namespace

std::string trajectory_units(const Hdf5Reader& file, const ReadOptions& options) {
    if (!options.trajectory_units.empty()) {
        return options.trajectory_units;
    }
    const std::vector<std::string>& known = trajectory_unit_names();
    const std::string expected = "one of " + comma_separated(known);
    const std::string next = "write the attribute, or pass --traj-units";
    const std::string units = file.attribute_text("trajectory", "units", {expected, next});
    if (std::find(known.begin(), known.end(), units) == known.end()) {
        refuse(file, attribute_name("trajectory", "units"), "\"" + units + "\"", expected, next);
    }
    return units;
}

Samplings read_samplings(const Hdf5Reader& file, const Grid& grid, const ReadOptions& options) {
    const Extents extents = trajectory_extents(file, grid);
    const std::size_t frames = extents.size() == 3 ? extents[0] : 1;
    const std::size_t samples = extents[extents.size() - 2];
    const std::size_t dimensions = extents.back();
    const Vec3 factor = to_cycles_per_fov(trajectory_units(file, options), grid);
    Sampling common;
    if (has_per_sample(file, "phi", Hdf5Kind::complex, samples)) {
        common.phi = to_vector<ComplexVector>(file.read_complex("phi"));
    }
    if (has_per_sample(file, "weights", Hdf5Kind::real, samples)) {
        common.weights = to_vector<RealVector>(file.read_real("weights"));
    }
    if (file.has("times")) {
        common.times = read_times(file, samples);
    }
    const auto trajectory_of = [&](std::size_t frame) {
        Hdf5Values stored = extents.size() == 3 ? Hdf5Values(file, "trajectory", frame)
                                                : Hdf5Values(file, "trajectory");
        return read_points(stored, samples, dimensions, factor);
    };
    SamplingPool pool;
    Samplings samplings;
    for (std::size_t f = 0; f < frames; ++f) {
        samplings.of_frames.push_back(nullptr);
        if (frames > 1 && !options.frames.admits(f)) {
            continue;
        }
        try {
            Sampling sampling = common;
            sampling.trajectory = trajectory_of(f);
            samplings.of_frames[f] = pool.share(std::move(sampling));
        } catch (const InputError& error) {
            if (!options.bad_frames || frames == 1) {
                throw;
            }
            samplings.lost.emplace(f, error);
        }
    }
    return samplings;
}

std::vector<Frame> read_frames(const Hdf5Reader& file, const Samplings& samplings) {
    std::vector<Frame> result;
    if (!file.has("samples")) {
        for (const auto& sampling : samplings.of_frames) {
            result.push_back({sampling, {}, "", std::nullopt});
        }
        return result;
    }
    const Extents points = file.shape("trajectory").extents;
    const std::size_t samples = points[points.size() - 2];
    const Extents extents = samples_extents(file, samples, samplings.of_frames.size());
    const std::size_t coils = extents[0];
    const std::size_t frames = extents[1];
    const bool in_doubles = file.shape("samples").number_bytes == sizeof(double);
    for (std::size_t f = 0; f < frames; ++f) {
        Frame frame;
        frame.sampling = samplings.of_frames[samplings.of_frames.size() == 1 ? 0 : f];
        frame.samples = CoilRows(coils, 0, in_doubles ? Precision::float64 : Precision::float32);
        frame.label = frames > 1 ? text("frame ", f) : "";
        result.push_back(std::move(frame));
    }
    return result;
}

CoilRows read_samples(const Hdf5Reader& file, std::size_t frame) {
    const Extents extents = file.shape("samples").extents;
    const std::size_t coils = extents[extents.size() - 2];
    return extents.size() == 3 ? Hdf5Values(file, "samples", frame).read_rows(coils, extents.back())
                               : Hdf5Values(file, "samples").read_rows(coils, extents.back());
}

} // namespace lsrecon::native
