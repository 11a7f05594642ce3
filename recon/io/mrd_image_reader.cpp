#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>

#include "base/error.hpp"
#include "base/escaped.hpp"
#include "base/numbers.hpp"
#include "io/hdf5/reader.hpp"
#include "io/mrd_image_header.hpp"
#include "io/mrd_images.hpp"
#include "scan/directions.hpp"
#include "scan/header_numbers.hpp"

namespace lsrecon {

namespace {

const char* const again = "write the images again, with libismrmrd or 'lsrecon convert'";

/// "dataset/image_0": groups of a group, with a header and values.
std::vector<std::string> series_of(const Hdf5Reader& file) {
    std::vector<std::string> series;
    for (const std::string& group : file.names()) {
        for (const std::string& name : file.names(group)) {
            const std::string path = group + "/" + name;
            if (file.is_dataset(path + "/header") && file.is_dataset(path + "/data")) {
                series.push_back(path);
            }
        }
    }
    return series;
}

std::string only_series(const Hdf5Reader& file) {
    const std::vector<std::string> series = series_of(file);
    if (series.size() != 1) {
        std::string found;
        for (const std::string& one : series) {
            found += (found.empty() ? "" : ", ") + full_name(one);
        }
        throw InputError({file.path(), "images", text(series.size(), " series: ", found), "one",
                          text("copy one of them into a file of its own: h5copy -p -i ",
                               shell_word(file.path()), " -o ONE.mrd -s ",
                               shell_word(series.front()), " -d ", shell_word(series.front()))});
    }
    return series.front();
}

std::vector<MrdImageHeader> headers_of(const Hdf5Reader& file, const std::string& dataset) {
    const std::string bytes = file.read_table(dataset, mrd_image_fields(), sizeof(MrdImageHeader));
    std::vector<MrdImageHeader> headers(bytes.size() / sizeof(MrdImageHeader));
    std::memcpy(headers.data(), bytes.data(), bytes.size());
    return headers;
}

Vec3 vector_of(const float (&from)[3]) {
    return {from[0], from[1], from[2]};
}

bool known(const Vec3& vector) {
    return vector != Vec3{0, 0, 0};
}

std::array<Vec3, 3> directions_of(const MrdImageHeader& header) {
    return {vector_of(header.read_dir), vector_of(header.phase_dir), vector_of(header.slice_dir)};
}

class Series {
public:
    Series(std::shared_ptr<const Hdf5Reader> file, const std::string& name)
        : file_(std::move(file)), name_(name), headers_(headers_of(*file_, name + "/header")) {
        const std::string data = name + "/data";
        const bool complex = file_->shape(data).kind == Hdf5Kind::complex;
        shape_ = file_->checked_shape(data, complex ? Hdf5Kind::complex : Hdf5Kind::real);
        const std::vector<std::size_t>& extents = shape_.extents;
        if (extents.size() != 5 || extents[0] != headers_.size() || extents[1] != 1) {
            refuse("data", shape_.to_string(),
                   text("[", headers_.size(), ", 1, z, y, x]: an image of one channel a header"),
                   "combine the channels of the images, and write them again");
        }
    }

    Grid grid() const {
        const MrdImageHeader& first = headers_.front();
        Grid grid;
        grid.size = {shape_.extents[4], shape_.extents[3], shape_.extents[2]};
        grid.dimensions = grid.size[2] > 1 ? 3 : 2;
        for (const MrdImageHeader& header : headers_) {
            require_same(header, first, grid);
        }
        grid.fov_mm = vector_of(first.field_of_view);
        for (std::size_t d = 0; d < 3; ++d) {
            const bool length = grid.fov_mm[d] > 0 && std::isfinite(grid.fov_mm[d]);
            if (!length && d < static_cast<std::size_t>(grid.dimensions)) {
                refuse("header", "field_of_view " + shown(grid.fov_mm[d]), "lengths above 0 mm");
            }
            grid.fov_mm[d] = length ? grid.fov_mm[d] : 1;
        }
        const std::array<Vec3, 3> directions = directions_of(first);
        if (std::any_of(directions.begin(), directions.end(), &known)) {
            if (!orthonormal(directions)) {
                refuse("header",
                       "read_dir, phase_dir and slice_dir that are no unit vectors at "
                       "right angles",
                       "unit vectors of x, y and z, or zeros where they are not known");
            }
            grid.directions = directions;
        }
        if (grid.directions || known(vector_of(first.position))) {
            grid.position = vector_of(first.position);
        }
        return grid;
    }

    ImagePart part() const {
        return shape_.kind == Hdf5Kind::complex ? ImagePart::complex : ImagePart::real;
    }

    /// Positions only where they differ.
    std::vector<ImageFrame> frames() const {
        std::vector<ImageFrame> frames(headers_.size());
        const std::vector<std::string> attributes = file_->has(name_ + "/attributes")
                                                        ? file_->read_texts(name_ + "/attributes")
                                                        : std::vector<std::string>(headers_.size());
        if (attributes.size() != headers_.size()) {
            refuse("attributes", counted(attributes.size(), "text"),
                   text(headers_.size(), ", one an image"));
        }
        const Vec3 first = vector_of(headers_.front().position);
        const bool moved = std::any_of(headers_.begin(), headers_.end(), [&](const auto& header) {
            return !are_same_position(vector_of(header.position), first);
        });
        for (std::size_t f = 0; f < frames.size(); ++f) {
            const std::string label = mrd_label_in(attributes[f]);
            frames[f].label = label.empty() ? counters_of(headers_[f]) : label;
            if (moved) {
                frames[f].position = vector_of(headers_[f].position);
            }
        }
        return frames;
    }

    ImageValues values(std::size_t frame) const {
        const std::size_t voxels = shape_.row_elements();
        Hdf5Values stored(*file_, name_ + "/data", frame);
        ImageValues result(voxels);
        if (shape_.kind == Hdf5Kind::complex) {
            std::vector<Complex> numbers(voxels);
            stored.read(numbers.data(), voxels);
            std::copy(numbers.begin(), numbers.end(), result.begin());
        } else {
            std::vector<double> numbers(voxels);
            stored.read(numbers.data(), voxels);
            std::transform(numbers.begin(), numbers.end(), result.begin(),
                           [](double number) { return static_cast<float>(number); });
        }
        file_->require_unchanged();
        return result;
    }

private:
    [[noreturn]] void refuse(const std::string& dataset, const std::string& found,
                             const std::string& expected, const std::string& next = again) const {
        throw InputError({file_->path(), full_name(name_ + "/" + dataset), found, expected, next});
    }

    void require_same(const MrdImageHeader& header, const MrdImageHeader& first,
                      const Grid& grid) const {
        for (std::size_t d = 0; d < 3; ++d) {
            if (header.matrix_size[d] != grid.size[d]) {
                refuse("header", text("matrix_size ", by(header.matrix_size, 3)),
                       by(grid.size, 3) + ", as the values have", again);
            }
        }
        if (!is_finite(vector_of(header.position)) || !is_finite(directions_of(header))) {
            refuse("header", "a position or directions that are not finite",
                   "where the image lies, or zeros where that is not known");
        }
        bool alike = are_same_directions(directions_of(header), directions_of(first)) &&
                     header.image_type == first.image_type;
        for (std::size_t d = 0; d < 3; ++d) {
            const float fov = first.field_of_view[d]; // which may be no length
            alike = alike && (header.field_of_view[d] == fov || !std::isfinite(fov) ||
                              are_same_length(header.field_of_view[d], fov));
        }
        if (!alike) {
            refuse("header", "images of several types, fields of view or orientations",
                   "images that differ in position, time and counters alone",
                   "write each kind into a file of its own");
        }
    }

    /// "slice 2, repetition 1": those that vary among the images.
    std::string counters_of(const MrdImageHeader& header) const {
        std::string label;
        for (const MrdCounter& counter : mrd_counters) {
            const auto differs = [&](const MrdImageHeader& other) {
                return other.*counter.member != header.*counter.member;
            };
            if (std::any_of(headers_.begin(), headers_.end(), differs)) {
                label += text(label.empty() ? "" : ", ", counter.name, " ", header.*counter.member);
            }
        }
        return label;
    }

    std::shared_ptr<const Hdf5Reader> file_;
    std::string name_;
    std::vector<MrdImageHeader> headers_;
    Hdf5Shape shape_;
};

} // namespace

bool holds_mrd_images(const std::string& path) {
    const Hdf5Reader file(path);
    const bool ours = file.has("image") || file.has("coil_maps") || file.has("field_map");
    return !ours && !series_of(file).empty();
}

StoredImage open_mrd_images(const std::string& path, const ImageInput& input) {
    require_own_place(path, "ISMRMRD images", input);
    const auto file = std::make_shared<const Hdf5Reader>(path);
    const std::string name = only_series(*file);
    const auto series = std::make_shared<const Series>(file, name);
    StoredImage image;
    image.file = path;
    image.thing = full_name(name + "/data");
    image.about.grid = series->grid();
    image.about.frames = series->frames();
    image.part = series->part();
    image.values = [series](std::size_t frame) { return series->values(frame); };
    return image;
}

} // namespace lsrecon
