#include "io/native_scan.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/error.hpp"
#include "io/hdf5_file.hpp"
#include "scan/units.hpp"

namespace lsrecon {

namespace {

using Extents = std::vector<std::size_t>;

/// What the format knows; HDF5's own dimension labels are welcome anywhere.
const std::map<std::string, std::vector<std::string>>& known_attributes() {
    static const std::map<std::string, std::vector<std::string>> known{
        {"/", {"format", "version", "matrix", "fov_mm", "position", "directions"}},
        {"trajectory", {"units"}},
        {"samples", {}},
        {"phi", {}},
        {"weights", {}},
        {"coil_maps", {}},
        {"voxels", {}},
        {"field_map", {"units"}},
        {"times", {"units"}},
        {"noise", {}},
    };
    return known;
}

std::string joined(const std::vector<std::string>& words) {
    std::string result;
    for (const std::string& word : words) {
        result += (result.empty() ? "" : ", ") + word;
    }
    return result.empty() ? "none" : result;
}

std::string shown(const Extents& extents) {
    std::string result;
    for (const std::size_t extent : extents) {
        result += (result.empty() ? "[" : ", ") + std::to_string(extent);
    }
    return result + "]";
}

/// Reads one file; every method checks the part that it reads.
class NativeReader {
public:
    NativeReader(const std::string& path, const ReadOptions& options)
        : file_(path), options_(options) {}

    Scan read() {
        scan_.file = file_.path();
        scan_.format = "lsrecon-scan";
        check_names();
        read_header();
        read_sampling();
        read_samples();
        read_coil_maps();
        read_voxels();
        read_unused();
        return std::move(scan_);
    }

private:
    [[noreturn]] void refuse(const std::string& thing, const std::string& found,
                             const std::string& expected, const std::string& next) const {
        throw InputError({file_.path(), thing, found, expected, next});
    }

    void check_names() const {
        std::vector<std::string> objects{"/"};
        std::vector<std::string> datasets;
        for (const auto& [name, attributes] : known_attributes()) {
            if (name != "/") {
                datasets.push_back(name);
            }
        }
        for (const std::string& name : file_.names()) {
            if (known_attributes().count(name) == 0) {
                refuse("/" + name, "a dataset or group of an unknown name",
                       "only " + joined(datasets),
                       "correct its name, or remove it: the scan format holds nothing else");
            }
            objects.push_back(name);
        }
        for (const std::string& object : objects) {
            const std::vector<std::string>& known = known_attributes().at(object);
            for (const std::string& name : file_.attribute_names(object)) {
                const bool labels = name.rfind("DIMENSION_", 0) == 0;
                if (!labels && std::find(known.begin(), known.end(), name) == known.end()) {
                    refuse(text("attribute \"", name, "\" of ", object == "/" ? "" : "/", object),
                           "an attribute of an unknown name", "only " + joined(known),
                           "correct its name, or remove it");
                }
            }
        }
    }

    std::vector<double> header_numbers(const std::string& name, std::size_t count) const {
        const std::vector<double> values = file_.attribute_numbers("/", name);
        if (values.size() != count) {
            refuse(text("attribute \"", name, "\" of /"), text(values.size(), " numbers"),
                   text(count, " numbers"), "write one number per entry");
        }
        for (std::size_t i = 0; i < values.size(); ++i) {
            if (!std::isfinite(values[i])) {
                refuse(text("attribute \"", name, "\" of /"), text(values[i], " at [", i, "]"),
                       "finite numbers", "write the attribute again");
            }
        }
        return values;
    }

    void read_header() {
        const std::string format = file_.attribute_text("/", "format");
        if (format != "lsrecon-scan") {
            refuse("attribute \"format\" of /", "\"" + format + "\"", "\"lsrecon-scan\"",
                   "write the attribute, or convert the file");
        }
        const double file_version = header_numbers("version", 1).front();
        if (file_version != 1) {
            refuse("attribute \"version\" of /", text(file_version), "1",
                   "write the scan in version 1 of the format, or use a newer lsrecon");
        }
        Grid& grid = scan_.grid;
        const std::vector<double> matrix = file_.attribute_numbers("/", "matrix");
        if (matrix.size() != 2 && matrix.size() != 3) {
            refuse("attribute \"matrix\" of /", text(matrix.size(), " numbers"),
                   "[X, Y] or [X, Y, Z]", "write the number of voxels in each dimension");
        }
        grid.dimensions = static_cast<int>(matrix.size());
        for (std::size_t d = 0; d < matrix.size(); ++d) {
            if (!(matrix[d] >= 1 && matrix[d] <= 1e6) || matrix[d] != std::floor(matrix[d])) {
                refuse("attribute \"matrix\" of /", text(matrix[d], " at [", d, "]"),
                       "whole numbers from 1 to 1000000",
                       "write the number of voxels in each dimension");
            }
            grid.size[d] = static_cast<std::size_t>(matrix[d]);
        }
        const std::vector<double> fov = header_numbers("fov_mm", matrix.size());
        for (std::size_t d = 0; d < fov.size(); ++d) {
            if (fov[d] <= 0) {
                refuse("attribute \"fov_mm\" of /", text(fov[d], " at [", d, "]"),
                       "positive lengths in mm", "write the field of view in mm");
            }
            grid.fov_mm[d] = fov[d];
        }
        read_geometry();
    }

    void read_geometry() {
        if (file_.has_attribute("/", "position")) {
            const std::vector<double> p = header_numbers("position", 3);
            scan_.grid.position = Vec3{p[0], p[1], p[2]};
        }
        if (file_.has_attribute("/", "directions")) {
            const std::vector<double> v = header_numbers("directions", 9);
            scan_.grid.directions = {Vec3{v[0], v[1], v[2]}, Vec3{v[3], v[4], v[5]},
                                     Vec3{v[6], v[7], v[8]}};
        }
    }

    std::string trajectory_units() const {
        if (!options_.trajectory_units.empty()) {
            return options_.trajectory_units;
        }
        const std::string units = file_.attribute_text("trajectory", "units");
        const std::vector<std::string>& known = trajectory_unit_names();
        if (std::find(known.begin(), known.end(), units) == known.end()) {
            refuse("attribute \"units\" of /trajectory", "\"" + units + "\"",
                   "one of " + joined(known), "write the attribute, or pass --traj-units");
        }
        return units;
    }

    /// One Sampling per frame of the trajectory: a single one when it has no frame dimension.
    void read_sampling() {
        const Extents extents = file_.checked_shape("trajectory", Hdf5Kind::real).extents;
        const std::size_t dimensions = static_cast<std::size_t>(scan_.grid.dimensions);
        if ((extents.size() != 2 && extents.size() != 3) || extents.back() != dimensions) {
            refuse("/trajectory", shown(extents),
                   text("[M, ", dimensions, "] or [F, M, ", dimensions, "], since matrix has ",
                        dimensions, " entries"),
                   "write one coordinate a dimension, or correct the matrix");
        }
        const std::size_t frames = extents.size() == 3 ? extents[0] : 1;
        samples_ = extents[extents.size() - 2];
        const Vec3 factor = to_cycles_per_fov(trajectory_units(), scan_.grid);
        const std::vector<double> k = file_.read_real("trajectory");
        const ComplexVector phi = per_sample_complex("phi");
        const RealVector weights = per_sample_real("weights");
        for (std::size_t f = 0; f < frames; ++f) {
            auto sampling = std::make_shared<Sampling>();
            sampling->phi = phi;
            sampling->weights = weights;
            sampling->trajectory.resize(samples_);
            for (std::size_t m = 0; m < samples_; ++m) {
                Vec3& at = sampling->trajectory[m];
                at = {0, 0, 0};
                for (std::size_t d = 0; d < dimensions; ++d) {
                    at[d] = k[(f * samples_ + m) * dimensions + d] * factor[d];
                }
            }
            samplings_.push_back(sampling);
        }
    }

    void require_shape(const std::string& name, Hdf5Kind kind, const Extents& expected,
                       const std::string& meaning) const {
        const Hdf5Shape found = file_.checked_shape(name, kind);
        if (found.extents != expected) {
            refuse("/" + name, found.to_string(), shown(expected) + ", " + meaning,
                   "make the sizes of the datasets agree");
        }
    }

    ComplexVector per_sample_complex(const std::string& name) const {
        if (!file_.has(name)) {
            return {};
        }
        require_shape(name, Hdf5Kind::complex, {samples_}, "one value a trajectory point");
        const std::vector<Complex> values = file_.read_complex(name);
        return Eigen::Map<const ComplexVector>(values.data(),
                                               static_cast<Eigen::Index>(values.size()));
    }

    RealVector per_sample_real(const std::string& name) const {
        if (!file_.has(name)) {
            return {};
        }
        require_shape(name, Hdf5Kind::real, {samples_}, "one value a trajectory point");
        const std::vector<double> values = file_.read_real(name);
        return Eigen::Map<const RealVector>(values.data(),
                                            static_cast<Eigen::Index>(values.size()));
    }

    /// A scan without samples is enough for Q: its frames are then empty.
    void read_samples() {
        if (!file_.has("samples")) {
            for (const auto& sampling : samplings_) {
                scan_.frames.push_back({sampling, CoilMatrix(), "", std::nullopt});
            }
            return;
        }
        const Hdf5Shape shape = file_.checked_shape("samples", Hdf5Kind::complex);
        const Extents& extents = shape.extents;
        if ((extents.size() != 2 && extents.size() != 3) || extents.back() != samples_) {
            refuse("/samples", shape.to_string(),
                   text("[C, ", samples_, "] or [F, C, ", samples_, "], since the trajectory has ",
                        samples_, " points"),
                   "make /samples and /trajectory agree");
        }
        const std::size_t frames = extents.size() == 3 ? extents[0] : 1;
        if (samplings_.size() != 1 && samplings_.size() != frames) {
            refuse("/samples", shape.to_string(),
                   text(samplings_.size(), " frames, as many as /trajectory has"),
                   "make /samples and /trajectory agree");
        }
        const std::size_t coils = extents[extents.size() - 2];
        const std::vector<Complex> values = file_.read_complex("samples");
        for (std::size_t f = 0; f < frames; ++f) {
            Frame frame;
            frame.sampling = samplings_[samplings_.size() == 1 ? 0 : f];
            frame.samples = Eigen::Map<const CoilMatrix>(values.data() + f * coils * samples_,
                                                         static_cast<Eigen::Index>(coils),
                                                         static_cast<Eigen::Index>(samples_));
            frame.label = frames > 1 ? text("frame ", f) : "";
            scan_.frames.push_back(std::move(frame));
        }
    }

    Extents grid_extents() const {
        Extents extents;
        for (int d = scan_.grid.dimensions - 1; d >= 0; --d) {
            extents.push_back(scan_.grid.size[static_cast<std::size_t>(d)]);
        }
        return extents;
    }

    void read_coil_maps() {
        if (!file_.has("coil_maps")) {
            return;
        }
        const Hdf5Shape shape = file_.checked_shape("coil_maps", Hdf5Kind::complex);
        Extents expected{scan_.coils() > 0 ? scan_.coils() : shape.extents.front()};
        if (file_.has("voxels")) {
            expected.push_back(file_.checked_shape("voxels", Hdf5Kind::real).extents.front());
        } else {
            const Extents grid = grid_extents();
            expected.insert(expected.end(), grid.begin(), grid.end());
        }
        if (shape.extents != expected) {
            refuse("/coil_maps", shape.to_string(),
                   shown(expected) + ", one map a coil of /samples on the grid of the image",
                   "make the maps on the grid of the attribute matrix, slowest dimension first");
        }
        const std::vector<Complex> values = file_.read_complex("coil_maps");
        const Eigen::Index coils = static_cast<Eigen::Index>(expected.front());
        scan_.coil_maps = Eigen::Map<const CoilMatrix>(
            values.data(), coils, static_cast<Eigen::Index>(values.size()) / coils);
    }

    void read_voxels() {
        if (!file_.has("voxels")) {
            return;
        }
        const std::size_t dimensions = static_cast<std::size_t>(scan_.grid.dimensions);
        const Hdf5Shape shape = file_.checked_shape("voxels", Hdf5Kind::real);
        if (shape.extents.size() != 2 || shape.extents[1] != dimensions) {
            refuse("/voxels", shape.to_string(), text("[N, ", dimensions, "]"),
                   "write one coordinate a dimension, in units of the field of view");
        }
        const std::vector<double> x = file_.read_real("voxels");
        std::vector<Vec3> positions(shape.extents[0], Vec3{0, 0, 0});
        for (std::size_t n = 0; n < positions.size(); ++n) {
            std::copy_n(x.begin() + static_cast<long>(n * dimensions), dimensions,
                        positions[n].begin());
        }
        scan_.voxels = std::move(positions);
    }

    void require_units(const std::string& dataset, const std::string& expected) const {
        const std::string units = file_.attribute_text(dataset, "units");
        if (units != expected) {
            refuse(text("attribute \"units\" of /", dataset), "\"" + units + "\"",
                   "\"" + expected + "\"", "convert the values and write the attribute");
        }
    }

    /// Parts of the format that are checked but change nothing in the image yet, and are told.
    void read_unused() {
        if (file_.has("field_map") != file_.has("times")) {
            refuse(file_.has("times") ? "/field_map" : "/times", "it is missing",
                   "/field_map together with /times", "write both or neither");
        }
        if (file_.has("field_map")) {
            require_shape("field_map", Hdf5Kind::real, grid_extents(), "the grid of the image");
            require_units("field_map", "Hz");
            require_shape("times", Hdf5Kind::real, {samples_}, "one value a trajectory point");
            require_units("times", "s");
            require_finite("field_map");
            require_finite("times");
            scan_.remarks.push_back("/field_map and /times are not used: the image is "
                                    "reconstructed without correction of off-resonance");
        }
        if (file_.has("noise")) {
            const Hdf5Shape shape = file_.checked_shape("noise", Hdf5Kind::complex);
            if (shape.extents.size() != 2 ||
                (scan_.coils() > 0 && shape.extents[0] != scan_.coils())) {
                refuse("/noise", shape.to_string(), text("[", scan_.coils(), ", K]"),
                       "write one row a coil of /samples");
            }
            scan_.remarks.push_back("/noise is not used: the coils are not prewhitened");
        }
    }

    void require_finite(const std::string& name) const {
        const std::vector<double> values = file_.read_real(name);
        for (std::size_t i = 0; i < values.size(); ++i) {
            if (!std::isfinite(values[i])) {
                refuse("/" + name, text(values[i], " at element ", i), "finite numbers",
                       "remove or repair the value");
            }
        }
    }

    Hdf5Reader file_;
    const ReadOptions& options_;
    Scan scan_;
    std::size_t samples_ = 0;
    std::vector<std::shared_ptr<const Sampling>> samplings_;
};

} // namespace

bool recognises_native(const std::string& path) {
    const Hdf5Reader file(path);
    return file.has_attribute("/", "format") || file.has("trajectory");
}

Scan read_native(const std::string& path, const ReadOptions& options) {
    return NativeReader(path, options).read();
}

} // namespace lsrecon
