// Reads matrix, field of view, position and directions from attributes, and field maps and voxel
// positions from datasets.

#include "io/native/grid.hpp"

#include <algorithm>
#include <cmath>

#include "base/numbers.hpp"
#include "scan/pose.hpp"
#include "scan/units.hpp"

namespace lsrecon::native {

namespace {

/// "[2, 3]": where element `flat` of an array lies.
std::string element_in_words(std::size_t flat, const Extents& extents) {
    Extents indices(extents.size());
    for (std::size_t d = extents.size(); d-- > 0;) {
        indices[d] = flat % extents[d];
        flat /= extents[d];
    }
    return shown(indices);
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

} // namespace

std::vector<double> header_numbers(const Hdf5Reader& file, const std::string& object,
                                   const std::string& name, std::size_t count,
                                   const std::string& expected) {
    const std::string next = "write the attribute again";
    std::vector<double> values = file.attribute_numbers(object, name, {expected, ""});
    if (values.size() != count) {
        refuse(file, attribute_name(object, name), counted(values.size(), "number"), expected,
               next);
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (!std::isfinite(values[i])) {
            refuse(file, attribute_name(object, name), text(shown(values[i]), " at [", i, "]"),
                   expected, next);
        }
    }
    return values;
}

void read_fov(const Hdf5Reader& file, const std::string& object, Grid& grid) {
    const std::vector<double> fov = header_numbers(
        file, object, "fov_mm", static_cast<std::size_t>(grid.dimensions),
        text(grid.dimensions, " numbers, the field of view in mm in each dimension of matrix"));
    for (std::size_t d = 0; d < fov.size(); ++d) {
        if (fov[d] <= 0) {
            refuse(file, attribute_name(object, "fov_mm"), text(fov[d], " at [", d, "]"),
                   "positive lengths in mm",
                   "write the field of view in mm; of a scan, `header` fov_mm=X,Y gives it");
        }
        grid.fov_mm[d] = fov[d];
    }
}

void read_pose(const Hdf5Reader& file, const std::string& object, Grid& grid) {
    if (file.has_attribute(object, "position")) {
        const std::vector<double> p =
            header_numbers(file, object, "position", 3, "3 numbers, the centre of the grid in mm");
        grid.position = Vec3{p[0], p[1], p[2]};
    }
    if (file.has_attribute(object, "directions")) {
        const std::string expected = "unit vectors of x, y and z at right angles, 9 numbers";
        const std::vector<double> v = header_numbers(file, object, "directions", 9, expected);
        grid.directions = {Vec3{v[0], v[1], v[2]}, Vec3{v[3], v[4], v[5]}, Vec3{v[6], v[7], v[8]}};
        const auto& [x, y, z] = *grid.directions;
        if (!orthonormal(*grid.directions)) {
            refuse(file, attribute_name(object, "directions"),
                   text("lengths ", std::sqrt(dot(x, x)), ", ", std::sqrt(dot(y, y)), ", ",
                        std::sqrt(dot(z, z)), "; products x.y ", dot(x, y), ", y.z ", dot(y, z),
                        ", z.x ", dot(z, x)),
                   expected, "correct the directions, or leave the attribute out");
        }
    }
}

Grid read_grid(const Hdf5Reader& file, const ReadOptions& options, Findings& findings) {
    Grid grid;
    read_matrix(file, grid, options.given("matrix"));
    const std::vector<double> fov = options.given("fov_mm");
    const auto dimensions = static_cast<std::size_t>(grid.dimensions);
    if (fov.empty()) {
        read_fov(file, "/", grid);
        if (const auto metres = metres_to_mm(grid.fov_mm, grid.dimensions)) {
            findings.push_back(*metres);
        }
    } else if (fov.size() != dimensions) {
        throw UsageError({file.path(), "`header` fov_mm", counted(fov.size(), "number"),
                          counted(dimensions, "number") + ", one a dimension of matrix",
                          "give one a dimension"});
    }
    std::copy(fov.begin(), fov.end(), grid.fov_mm.begin());
    read_pose(file, "/", grid);
    return grid;
}

Extents grid_extents(const Grid& grid) {
    Extents extents(grid.size.begin(), grid.size.begin() + grid.dimensions);
    std::reverse(extents.begin(), extents.end());
    return extents;
}

Extents image_extents(const Scan& scan) {
    return scan.voxels ? Extents{scan.voxels->size()} : grid_extents(scan.grid);
}

bool has_dimensions_of(const Grid& like, const Extents& extents) {
    return extents.size() == static_cast<std::size_t>(like.dimensions) ||
           (like.dimensions == 2 && extents.size() == 3);
}

Grid grid_of_volumes(const Hdf5Reader& file, const std::string& dataset, const Extents& extents,
                     const Grid& like) {
    if (file.has_attribute("/", "matrix") && file.has_attribute("/", "fov_mm")) {
        Findings findings; // are made of the scan
        return read_grid(file, {}, findings);
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
        read_fov(file, "/", grid);
        metres_to_mm(grid.fov_mm, grid.dimensions);
    } else if (grid.dimensions > like.dimensions && grid.size[2] > 1) {
        refuse(file, attribute_name("/", "fov_mm"), "it is missing",
               "the field of view of a volume from which slices are taken, in mm",
               "write [X, Y, Z], and position and directions");
    }
    read_pose(file, "/", grid);
    return grid;
}

RealVector read_with_units(const Hdf5Reader& file, const std::string& name, const Extents& expected,
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
    return Eigen::Map<const RealVector>(values.data(), static_cast<Eigen::Index>(values.size()));
}

OffResonance read_field_map(const Hdf5Reader& file, const Extents& expected,
                            const std::string& where) {
    OffResonance result;
    result.field = read_with_units(file, "field_map", expected, where, "Hz");
    if (!file.has("r2star")) {
        return result;
    }
    result.r2star = read_with_units(file, "r2star", expected, where, "1/s");
    for (Eigen::Index n = 0; n < result.r2star.size(); ++n) {
        if (result.r2star(n) < 0) {
            refuse(file, "/r2star",
                   shown(result.r2star(n)) + " at " +
                       element_in_words(static_cast<std::size_t>(n), expected),
                   "numbers >= 0", "a signal decays; correct the values");
        }
    }
    return result;
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

void require_finite(const Hdf5Reader& file, const std::string& name, std::size_t element,
                    double value) {
    if (!std::isfinite(value)) {
        refuse(file, full_name(name),
               shown(value) + " at " + element_in_words(element, file.shape(name).extents),
               "finite numbers", "remove or repair the value and write the scan again");
    }
}

} // namespace lsrecon::native
