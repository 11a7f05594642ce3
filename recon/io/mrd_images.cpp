#include "io/mrd_images.hpp"

#include <cstddef>
#include <limits>

#include "base/error.hpp"
#include "base/escaped.hpp"
#include "base/replacing_file.hpp"
#include "base/version.hpp"
#include "io/hdf5_file.hpp"
#include "io/ismrmrd_place.hpp"

namespace lsrecon {

namespace {

/// Version 1 of the format, under its names and in its order.
struct Header {
    std::uint16_t version = 1;
    std::uint16_t data_type = 0;
    std::uint64_t flags = 0;
    std::uint32_t measurement_uid = 0;
    std::uint16_t matrix_size[3] = {};
    float field_of_view[3] = {};
    std::uint16_t channels = 1;
    float position[3] = {};
    float read_dir[3] = {};
    float phase_dir[3] = {};
    float slice_dir[3] = {};
    float patient_table_position[3] = {};
    std::uint16_t average = 0;
    std::uint16_t slice = 0;
    std::uint16_t contrast = 0;
    std::uint16_t phase = 0;
    std::uint16_t repetition = 0;
    std::uint16_t set = 0;
    std::uint32_t acquisition_time_stamp = 0;
    std::uint32_t physiology_time_stamp[3] = {};
    std::uint16_t image_type = 0;
    std::uint16_t image_index = 0;
    std::uint16_t image_series_index = 0;
    std::int32_t user_int[8] = {};
    float user_float[8] = {};
    std::uint32_t attribute_string_len = 0;
};

const std::vector<Hdf5Field>& header_fields() {
    static const std::vector<Hdf5Field> fields{
        LSRECON_FIELD(Header, version, uint16, 1),
        LSRECON_FIELD(Header, data_type, uint16, 1),
        LSRECON_FIELD(Header, flags, uint64, 1),
        LSRECON_FIELD(Header, measurement_uid, uint32, 1),
        LSRECON_FIELD(Header, matrix_size, uint16, 3),
        LSRECON_FIELD(Header, field_of_view, float32, 3),
        LSRECON_FIELD(Header, channels, uint16, 1),
        LSRECON_FIELD(Header, position, float32, 3),
        LSRECON_FIELD(Header, read_dir, float32, 3),
        LSRECON_FIELD(Header, phase_dir, float32, 3),
        LSRECON_FIELD(Header, slice_dir, float32, 3),
        LSRECON_FIELD(Header, patient_table_position, float32, 3),
        LSRECON_FIELD(Header, average, uint16, 1),
        LSRECON_FIELD(Header, slice, uint16, 1),
        LSRECON_FIELD(Header, contrast, uint16, 1),
        LSRECON_FIELD(Header, phase, uint16, 1),
        LSRECON_FIELD(Header, repetition, uint16, 1),
        LSRECON_FIELD(Header, set, uint16, 1),
        LSRECON_FIELD(Header, acquisition_time_stamp, uint32, 1),
        LSRECON_FIELD(Header, physiology_time_stamp, uint32, 3),
        LSRECON_FIELD(Header, image_type, uint16, 1),
        LSRECON_FIELD(Header, image_index, uint16, 1),
        LSRECON_FIELD(Header, image_series_index, uint16, 1),
        LSRECON_FIELD(Header, user_int, int32, 8),
        LSRECON_FIELD(Header, user_float, float32, 8),
        LSRECON_FIELD(Header, attribute_string_len, uint32, 1),
    };
    return fields;
}

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

std::string attributes_of(const ImageFrame& frame) {
    const auto meta = [](const std::string& name, const std::string& value) {
        return "<meta><name>" + name + "</name><value>" + escaped(value) + "</value></meta>";
    };
    return "<?xml version=\"1.0\"?>\n<ismrmrdMeta>" + meta("lsrecon_version", version) +
           (frame.label.empty() ? "" : meta("frame_label", frame.label)) + "</ismrmrdMeta>\n";
}

Header header_of(const StoredImage& image, std::size_t index, ImagePart part) {
    constexpr std::uint16_t float_type = 5;
    constexpr std::uint16_t complex_float_type = 7;
    const Grid& grid = image.about.grid;
    const ImageFrame& frame = image.about.frames[index];
    Header header;
    header.data_type = part == ImagePart::complex ? complex_float_type : float_type;
    // Magnitude is 1, complex 5; the enumeration has their order.
    header.image_type = static_cast<std::uint16_t>(static_cast<int>(part) + 1);
    header.image_index = static_cast<std::uint16_t>(index + 1);
    for (std::size_t d = 0; d < 3; ++d) {
        header.matrix_size[d] = static_cast<std::uint16_t>(grid.size[d]);
    }
    to_floats(grid.fov_mm, header.field_of_view);
    set_place(header, grid, frame.position);
    header.slice = counter_in(frame.label, "slice");
    header.contrast = counter_in(frame.label, "contrast");
    header.phase = counter_in(frame.label, "phase");
    header.repetition = counter_in(frame.label, "repetition");
    header.set = counter_in(frame.label, "set");
    header.attribute_string_len = static_cast<std::uint32_t>(attributes_of(frame).size());
    return header;
}
std::vector<float> floats_of(ImagePart part, const ImageValues& values) {
    if (part != ImagePart::complex) {
        return real_part(part, values);
    }
    const float* const begin = reinterpret_cast<const float*>(values.data());
    return {begin, begin + 2 * values.size()};
}

} // namespace

void write_mrd_images(const StoredImage& image, const ImageOutput& output, Reporter& report) {
    require_sizes(image, std::numeric_limits<std::uint16_t>::max(), "ISMRMRD");
    const Grid& grid = image.about.grid;
    if (!grid.position || !grid.directions) {
        report.note("the image does not say where it lies in the patient: what is not known is 0 "
                    "in the ISMRMRD file");
    }
    if (grid.dimensions == 2) {
        report.note("the image has no slice thickness; the ISMRMRD file says 1 mm");
    }
    std::vector<Header> headers;
    std::vector<std::string> attributes;
    std::uint64_t room = 1 << 20; // HDF5 itself
    for (std::size_t f = 0; f < image.frames(); ++f) {
        headers.push_back(header_of(image, f, output.part));
        attributes.push_back(attributes_of(image.about.frames[f]));
        room += sizeof(Header) + 2 * attributes.back().size() + 64;
    }
    const ImagePart part = output.part;
    const std::size_t frames = image.frames();
    ReplacingFile target(output.path);
    Hdf5Writer file(target.path(), output.path, room);
    file.group("dataset");
    file.group("dataset/image_0");
    file.table("dataset/image_0/header", header_fields(), frames, sizeof(Header), headers.data());
    file.variable_texts("dataset/image_0/attributes", attributes);
    file.floats("dataset/image_0/data", {frames, 1, grid.size[2], grid.size[1], grid.size[0]},
                part == ImagePart::complex ? Hdf5Floats::real_imag : Hdf5Floats::single, frames,
                [&](std::size_t f) { return floats_of(part, image.values(f)); });
    file.close();
    target.commit();
}

} // namespace lsrecon
