#include <algorithm>
#include <cmath>
#include <map>

#include "base/numbers.hpp"
#include "io/native_scan_parts.hpp"
#include "scan/directions.hpp"
#include "scan/host_memory.hpp"
#include "scan/units.hpp"

// What a native scan says about itself: its format, its names and its grid.

namespace lsrecon::native {

namespace {

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
        {"r2star", {"units"}},
        {"times", {"units"}},
        {"noise", {}},
    };
    return known;
}

std::string known_datasets() {
    std::vector<std::string> names;
    for (const auto& [name, attributes] : known_attributes()) {
        if (name != "/") {
            names.push_back(name);
        }
    }
    return comma_separated(names);
}

void check_attribute_names(const Hdf5Reader& file, const std::string& object) {
    const std::vector<std::string>& known = known_attributes().at(object);
    for (const std::string& name : file.attribute_names(object)) {
        const bool label = name.rfind("DIMENSION_", 0) == 0;
        if (!label && std::find(known.begin(), known.end(), name) == known.end()) {
            refuse(file, attribute_name(object, name), "an attribute of an unknown name",
                   known.empty() ? "no attribute" : "only " + comma_separated(known),
                   "correct its name, or remove it");
        }
    }
}

/// A root attribute of `count` finite numbers.
std::vector<double> header_numbers(const Hdf5Reader& file, const std::string& name,
                                   std::size_t count, const std::string& expected) {
    std::vector<double> values = file.attribute_numbers("/", name, {expected, ""});
    if (values.size() != count) {
        refuse(file, attribute_name("/", name), counted(values.size(), "number"), expected,
               "write the attribute again");
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (!std::isfinite(values[i])) {
            refuse(file, attribute_name("/", name), text(shown(values[i]), " at [", i, "]"),
                   expected, "write the attribute again");
        }
    }
    return values;
}

void read_matrix(const Hdf5Reader& file, Grid& grid, const std::vector<double>& given) {
    const std::string thing = attribute_name("/", "matrix");
    const std::string next = "write the number of voxels in each dimension";
    const std::string expected = "[X, Y] or [X, Y, Z]";
    const std::vector<double> matrix =
        given.empty() ? file.attribute_numbers("/", "matrix", {expected, next}) : given;
    if (matrix.size() != 2 && matrix.size() != 3) {
        refuse(file, thing, counted(matrix.size(), "number"), expected, next);
    }
    grid.dimensions = static_cast<int>(matrix.size());
    for (std::size_t d = 0; d < matrix.size(); ++d) {
        const bool in_range = matrix[d] >= 1 && matrix[d] <= static_cast<double>(longest_side);
        if (!in_range || matrix[d] != std::floor(matrix[d])) {
            refuse(file, thing, text(shown(matrix[d]), " at [", d, "]"),
                   text("whole numbers from 1 to ", longest_side), next);
        }
        grid.size[d] = static_cast<std::size_t>(matrix[d]);
    }
}

/// What should be said of it.
std::string read_fov(const Hdf5Reader& file, Grid& grid, const std::vector<double>& given = {}) {
    const auto dimensions = static_cast<std::size_t>(grid.dimensions);
    const std::string expected =
        text(dimensions, " numbers, the field of view in mm in each dimension of matrix");
    if (!given.empty() && given.size() != dimensions) {
        throw UsageError({file.path(), "--header fov_mm", counted(given.size(), "number"), expected,
                          "give one a dimension"});
    }
    const std::vector<double> fov =
        given.empty() ? header_numbers(file, "fov_mm", dimensions, expected) : given;
    for (std::size_t d = 0; d < dimensions; ++d) {
        if (fov[d] <= 0) {
            refuse(file, attribute_name("/", "fov_mm"), text(fov[d], " at [", d, "]"),
                   "positive lengths in mm",
                   "write the field of view in mm, or pass --header fov_mm=X,Y");
        }
        grid.fov_mm[d] = fov[d];
    }
    return given.empty() ? metres_to_mm(grid.fov_mm, grid.dimensions) : "";
}

void read_directions(const Hdf5Reader& file, Grid& grid) {
    const std::string expected = "unit vectors of x, y and z at right angles, 9 numbers";
    const std::vector<double> v = header_numbers(file, "directions", 9, expected);
    const std::array<Vec3, 3> directions{Vec3{v[0], v[1], v[2]}, Vec3{v[3], v[4], v[5]},
                                         Vec3{v[6], v[7], v[8]}};
    const auto& [x, y, z] = directions;
    if (!orthonormal(directions)) {
        refuse(file, attribute_name("/", "directions"),
               text("lengths ", std::sqrt(dot(x, x)), ", ", std::sqrt(dot(y, y)), ", ",
                    std::sqrt(dot(z, z)), "; products x.y ", dot(x, y), ", y.z ", dot(y, z),
                    ", z.x ", dot(z, x)),
               expected, "correct the directions, or leave the attribute out");
    }
    grid.directions = directions;
}

void read_place(const Hdf5Reader& file, Grid& grid) {
    if (file.has_attribute("/", "position")) {
        const std::vector<double> p =
            header_numbers(file, "position", 3, "3 numbers, the centre of the grid in mm");
        grid.position = Vec3{p[0], p[1], p[2]};
    }
    if (file.has_attribute("/", "directions")) {
        read_directions(file, grid);
    }
}

} // namespace

void check_format(const Hdf5Reader& file) {
    const std::string wanted = "\"lsrecon-scan\"";
    const std::string next = "write the attribute, or convert the file";
    const std::string format = file.attribute_text("/", "format", {wanted, next});
    if ("\"" + format + "\"" != wanted) {
        const bool of_lsrecon = format.rfind("lsrecon-", 0) == 0;
        refuse(file, attribute_name("/", "format"), "\"" + format + "\"", wanted,
               of_lsrecon ? "name a scan: this is an output, and 'lsrecon info' says of what"
                          : next);
    }
    const double version = header_numbers(file, "version", 1, "1, a single number").front();
    if (version != 1) {
        refuse(file, attribute_name("/", "version"), text(version), "1",
               "write the scan in version 1 of the format, or use a newer lsrecon");
    }
}

void check_names(const Hdf5Reader& file) {
    check_attribute_names(file, "/");
    for (const std::string& name : file.names()) {
        if (name == "/" || known_attributes().count(name) == 0) {
            refuse(file, full_name(name), "a dataset or group of an unknown name",
                   "only " + known_datasets(),
                   "correct its name, or remove it: the scan format holds nothing else");
        }
        check_attribute_names(file, name);
    }
}

Grid read_grid(const Hdf5Reader& file, const ReadOptions& options,
               std::vector<std::string>& remarks) {
    Grid grid;
    read_matrix(file, grid, options.given("matrix"));
    const std::string note = read_fov(file, grid, options.given("fov_mm"));
    if (!note.empty()) {
        remarks.push_back(note);
    }
    read_place(file, grid);
    return grid;
}

void require_memory(const Hdf5Reader& file, const Grid& grid, const ReadOptions& options) {
    HostMemory memory;
    const auto add = [&](const std::string& name, const Hdf5Shape& shape, double numbers,
                         double bytes_each) {
        memory.add(full_name(name), shape.to_string(), numbers * bytes_each);
    };
    std::size_t coils = 1;
    for (const std::string& name : file.names()) {
        if (!file.is_dataset(name)) {
            continue;
        }
        const Hdf5Shape shape = file.shape(name);
        const double all = static_cast<double>(shape.elements());
        if (name == "samples") {
            const bool frames = shape.extents.size() == 3;
            coils = shape.extents.size() < 2 ? 1 : shape.extents[shape.extents.size() - 2];
            add(name, shape, frames ? static_cast<double>(shape.row_elements()) : all,
                2 * static_cast<double>(shape.number_bytes));
        } else if (name == "coil_maps" || name == "noise") {
            add(name, shape, all, 2 * static_cast<double>(shape.number_bytes));
        } else if (name == "trajectory" || name == "voxels") { // three doubles a point
            double points = all / grid.dimensions;
            if (name == "trajectory" && shape.extents.size() == 3) {
                const std::size_t frames = shape.extents[0];
                points *= static_cast<double>(options.frames.most_admitted(frames)) /
                          static_cast<double>(frames);
            }
            add(name, shape, points, sizeof(Vec3));
        } else {
            add(name, shape, all, shape.kind == Hdf5Kind::complex ? sizeof(Complex) : 8);
        }
    }
    if (!file.has("voxels")) {
        memory.add_volumes(options.matrix.empty() ? attribute_name("/", "matrix") : "--matrix",
                           options.grid_of_image(grid), file.has("coil_maps") ? 1 : coils,
                           options.use);
    }
    memory.require(file.path());
}

Extents grid_extents(const Grid& grid) {
    Extents extents(grid.size.begin(), grid.size.begin() + grid.dimensions);
    std::reverse(extents.begin(), extents.end());
    return extents;
}

bool has_dimensions_of(const Grid& like, const Extents& extents) {
    return extents.size() == static_cast<std::size_t>(like.dimensions) ||
           (like.dimensions == 2 && extents.size() == 3);
}

Grid grid_of_volumes(const Hdf5Reader& file, const std::string& dataset, const Extents& extents,
                     const Grid& like) {
    if (file.has_attribute("/", "matrix") && file.has_attribute("/", "fov_mm")) {
        std::vector<std::string> remarks; // are made of the scan
        return read_grid(file, {}, remarks);
    }
    Grid grid;
    grid.dimensions = static_cast<int>(extents.size());
    std::reverse_copy(extents.begin(), extents.end(), grid.size.begin());
    grid.fov_mm = like.fov_mm;
    if (file.has_attribute(dataset, "fov_mm")) {
        refuse(file, attribute_name(dataset, "fov_mm"), "an attribute of the dataset",
               "fov_mm as an attribute of the file, /", "write it there");
    }
    if (file.has_attribute("/", "fov_mm")) {
        read_fov(file, grid);
    } else if (grid.dimensions > like.dimensions && grid.size[2] > 1) {
        refuse(file, attribute_name("/", "fov_mm"), "it is missing",
               "the field of view of a volume from which slices are taken, in mm",
               "write [X, Y, Z], and position and directions");
    }
    read_place(file, grid);
    return grid;
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

} // namespace lsrecon::native
