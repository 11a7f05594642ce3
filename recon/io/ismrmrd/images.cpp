// Reads and writes images of ISMRMRD: a table of headers, attributes, and float or complex values
// in HDF5.

#include "io/ismrmrd/formats.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>

#include "base/error.hpp"
#include "base/escaped.hpp"
#include "base/numbers.hpp"
#include "base/output_file.hpp"
#include "base/version.hpp"
#include "io/hdf5/reader.hpp"
#include "io/hdf5/writer.hpp"
#include "io/ismrmrd/file.hpp"
#include "io/record.hpp"
#include "scan/pose.hpp"

namespace lsrecon {

namespace {

using MrdImageHeader = ISMRMRD::ISMRMRD_ImageHeader;

const std::vector<Hdf5Field>& mrd_image_fields() {
    static const std::vector<Hdf5Field> fields{
        LSRECON_FIELD(MrdImageHeader, version, uint16, 1),
        LSRECON_FIELD(MrdImageHeader, data_type, uint16, 1),
        LSRECON_FIELD(MrdImageHeader, flags, uint64, 1),
        LSRECON_FIELD(MrdImageHeader, measurement_uid, uint32, 1),
        LSRECON_FIELD(MrdImageHeader, matrix_size, uint16, 3),
        LSRECON_FIELD(MrdImageHeader, field_of_view, float32, 3),
        LSRECON_FIELD(MrdImageHeader, channels, uint16, 1),
        LSRECON_FIELD(MrdImageHeader, position, float32, 3),
        LSRECON_FIELD(MrdImageHeader, read_dir, float32, 3),
        LSRECON_FIELD(MrdImageHeader, phase_dir, float32, 3),
        LSRECON_FIELD(MrdImageHeader, slice_dir, float32, 3),
        LSRECON_FIELD(MrdImageHeader, patient_table_position, float32, 3),
        LSRECON_FIELD(MrdImageHeader, average, uint16, 1),
        LSRECON_FIELD(MrdImageHeader, slice, uint16, 1),
        LSRECON_FIELD(MrdImageHeader, contrast, uint16, 1),
        LSRECON_FIELD(MrdImageHeader, phase, uint16, 1),
        LSRECON_FIELD(MrdImageHeader, repetition, uint16, 1),
        LSRECON_FIELD(MrdImageHeader, set, uint16, 1),
        LSRECON_FIELD(MrdImageHeader, acquisition_time_stamp, uint32, 1),
        LSRECON_FIELD(MrdImageHeader, physiology_time_stamp, uint32, 3),
        LSRECON_FIELD(MrdImageHeader, image_type, uint16, 1),
        LSRECON_FIELD(MrdImageHeader, image_index, uint16, 1),
        LSRECON_FIELD(MrdImageHeader, image_series_index, uint16, 1),
        LSRECON_FIELD(MrdImageHeader, user_int, int32, 8),
        LSRECON_FIELD(MrdImageHeader, user_float, float32, 8),
        LSRECON_FIELD(MrdImageHeader, attribute_string_len, uint32, 1),
    };
    return fields;
}

/// A counter of frames, and its name in labels.
struct MrdCounter {
    const char* name;
    std::uint16_t MrdImageHeader::*member;
};

constexpr MrdCounter mrd_counters[] = {{"slice", &MrdImageHeader::slice},
                                       {"contrast", &MrdImageHeader::contrast},
                                       {"phase", &MrdImageHeader::phase},
                                       {"repetition", &MrdImageHeader::repetition},
                                       {"set", &MrdImageHeader::set}};

/// The number after the counter's name in "slice 2, repetition 3"; 0 where it is not named.
std::uint16_t counter_in(const std::string& label, const std::string& name) {
    const std::string listed = ", " + label;
    const std::size_t at = listed.find(", " + name + " ");
    if (at == std::string::npos) {
        return 0;
    }
    const std::string rest = listed.substr(at + name.size() + 3);
    const std::string digits = rest.substr(0, rest.find_first_not_of("0123456789"));
    return digits.empty() || digits.size() > 5 ? std::uint16_t{0}
                                               : static_cast<std::uint16_t>(std::stoul(digits));
}

std::string attributes_of(const ImageFrame& frame, const Record& record) {
    const auto meta = [](const std::string& name, const std::string& value) {
        return "<meta><name>" + name + "</name><value>" + escaped(value) + "</value></meta>";
    };
    const std::string unit = value_in(record, image_unit);
    return "<?xml version=\"1.0\"?>\n<ismrmrdMeta>" + meta("lsrecon_version", version) +
           (unit.empty() ? "" : meta(image_unit, unit)) +
           (frame.label.empty() ? "" : meta("frame_label", frame.label)) + "</ismrmrdMeta>\n";
}

MrdImageHeader header_of(const StoredImage& image, std::size_t index, ImagePart part) {
    const Grid& grid = image.about.grid;
    const ImageFrame& frame = image.about.frames[index];
    MrdImageHeader header{};
    header.version = 1;
    header.channels = 1;
    header.data_type =
        part == ImagePart::complex ? ISMRMRD::ISMRMRD_CXFLOAT : ISMRMRD::ISMRMRD_FLOAT;
    // ISMRMRD_IMTYPE_MAGNITUDE is 1, ..._COMPLEX 5; the enumeration has their order.
    header.image_type = static_cast<std::uint16_t>(static_cast<int>(part) + 1);
    header.image_index = static_cast<std::uint16_t>(index + 1);
    for (std::size_t d = 0; d < 3; ++d) {
        header.matrix_size[d] = static_cast<std::uint16_t>(grid.size[d]);
        header.field_of_view[d] = static_cast<float>(grid.fov_mm[d]);
    }
    set_pose(header, grid, frame.position);
    for (const MrdCounter& counter : mrd_counters) {
        header.*counter.member = counter_in(frame.label, counter.name);
    }
    header.attribute_string_len =
        static_cast<std::uint32_t>(attributes_of(frame, image.about.record).size());
    return header;
}

std::vector<float> floats_of(ImagePart part, const ImageValues& values) {
    if (part != ImagePart::complex) {
        return real_part(part, values);
    }
    const float* const begin = reinterpret_cast<const float*>(values.data());
    return {begin, begin + 2 * values.size()};
}

/// The label of a frame in the attributes that write_mrd_images gave it; "" where they have none.
std::string mrd_label_in(const std::string& attributes) {
    const std::string before = "<name>frame_label</name><value>";
    const std::size_t at = attributes.find(before);
    if (at == std::string::npos) {
        return "";
    }
    const std::string rest = attributes.substr(at + before.size());
    return unescaped(rest.substr(0, rest.find("</value>")));
}

const char* const write_images_again =
    "write the images again, with libismrmrd or 'lsrecon convert'";

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

/// Whether a header says this vector: writers leave zeros in fields that they do not fill.
bool known(const Vec3& vector) {
    return vector != Vec3{0, 0, 0};
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
        for (std::size_t d = 0; d < 3; ++d) {
            grid.fov_mm[d] = first.field_of_view[d];
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
        if (grid.directions || known(position_of(first))) {
            grid.position = position_of(first);
        }
        return grid;
    }

    ImagePart part() const {
        return shape_.kind == Hdf5Kind::complex ? ImagePart::complex : ImagePart::real;
    }

    /// Positions only where they differ.
    std::vector<ImageFrame> frames() const {
        std::vector<ImageFrame> frames(headers_.size());
        std::vector<std::string> attributes;
        if (file_->has(name_ + "/attributes")) {
            attributes = file_->read_texts(name_ + "/attributes");
        }
        const Vec3 first = position_of(headers_.front());
        const bool moved = std::any_of(headers_.begin(), headers_.end(), [&](const auto& header) {
            return !are_same_position(position_of(header), first);
        });
        for (std::size_t f = 0; f < frames.size(); ++f) {
            const std::string label = f < attributes.size() ? mrd_label_in(attributes[f]) : "";
            frames[f].label = label.empty() ? counters_of(headers_[f]) : label;
            if (moved) {
                frames[f].position = position_of(headers_[f]);
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
                             const std::string& expected,
                             const std::string& next = write_images_again) const {
        throw InputError({file_->path(), full_name(name_ + "/" + dataset), found, expected, next});
    }

    void require_same(const MrdImageHeader& header, const MrdImageHeader& first,
                      const Grid& grid) const {
        for (std::size_t d = 0; d < 3; ++d) {
            if (header.matrix_size[d] != grid.size[d]) {
                refuse("header", text("matrix_size ", by(header.matrix_size, 3)),
                       by(grid.size, 3) + ", as the values have", write_images_again);
            }
        }
        if (!is_finite(position_of(header)) || !is_finite(directions_of(header))) {
            refuse("header", "a position or directions that are not finite",
                   "where the image lies, or zeros where that is not known");
        }
        bool same_geometry = are_same_directions(directions_of(header), directions_of(first)) &&
                             header.image_type == first.image_type;
        for (std::size_t d = 0; d < 3; ++d) {
            const float fov = first.field_of_view[d]; // which may be no length
            same_geometry =
                same_geometry && (header.field_of_view[d] == fov || !std::isfinite(fov) ||
                                  are_same_length(header.field_of_view[d], fov));
        }
        if (!same_geometry) {
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

void write_mrd_images(const StoredImage& image, const ImageOutput& output, Reporter& report) {
    require_sizes(image, std::numeric_limits<std::uint16_t>::max(), "ISMRMRD");
    const Grid& grid = image.about.grid;
    if (!grid.position || !grid.directions) {
        report.add({Found::no_position_for_ismrmrd});
    }
    if (has_no_thickness(grid)) {
        report.add({Found::thickness_assumed, {}, {{"format", "ISMRMRD"}}});
    }
    std::vector<MrdImageHeader> headers;
    std::vector<std::string> attributes;
    std::uint64_t room = 1 << 20; // HDF5 itself
    for (std::size_t f = 0; f < image.frames(); ++f) {
        headers.push_back(header_of(image, f, output.part));
        attributes.push_back(attributes_of(image.about.frames[f], image.about.record));
        room += sizeof(MrdImageHeader) + 2 * attributes.back().size() + 64;
    }
    const ImagePart part = output.part;
    const std::size_t frames = image.frames();
    ReplacingFile target(output.path);
    Hdf5Writer file(target.path(), output.path, room);
    file.group("dataset");
    file.group("dataset/image_0");
    file.table("dataset/image_0/header", mrd_image_fields(), frames, sizeof(MrdImageHeader),
               [&](std::size_t first, std::size_t) { return &headers[first]; });
    file.variable_texts("dataset/image_0/attributes", attributes);
    file.later("dataset/image_0/data", {frames, 1, grid.size[2], grid.size[1], grid.size[0]},
               part == ImagePart::complex ? Hdf5Element::ismrmrd_complex64 : Hdf5Element::float32,
               frames, [&](std::size_t f, const TakeBytes& take) {
                   const std::vector<float> floats = floats_of(part, image.values(f));
                   take(floats.data(), floats.size() * sizeof(floats.front()));
               });
    file.close();
    target.commit();
}

bool holds_mrd_images(const std::string& path) {
    const Hdf5Reader file(path);
    const bool ours = file.has("image") || file.has("coil_maps") || file.has("field_map");
    return !ours && !series_of(file).empty();
}

StoredImage open_mrd_images(const std::string& path, const ImageInput& input) {
    require_own_pose(path, "ISMRMRD images", input);
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
