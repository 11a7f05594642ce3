#include "io/mrd_images.hpp"

#include <limits>

#include "base/error.hpp"
#include "base/escaped.hpp"
#include "base/replacing_file.hpp"
#include "base/version.hpp"
#include "io/hdf5/writer.hpp"
#include "io/ismrmrd_place.hpp"
#include "io/mrd_image_header.hpp"

namespace lsrecon {

namespace {

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

MrdImageHeader header_of(const StoredImage& image, std::size_t index, ImagePart part) {
    constexpr std::uint16_t float_type = 5;
    constexpr std::uint16_t complex_float_type = 7;
    const Grid& grid = image.about.grid;
    const ImageFrame& frame = image.about.frames[index];
    MrdImageHeader header;
    header.data_type = part == ImagePart::complex ? complex_float_type : float_type;
    // Magnitude is 1, complex 5; the enumeration has their order.
    header.image_type = static_cast<std::uint16_t>(static_cast<int>(part) + 1);
    header.image_index = static_cast<std::uint16_t>(index + 1);
    for (std::size_t d = 0; d < 3; ++d) {
        header.matrix_size[d] = static_cast<std::uint16_t>(grid.size[d]);
    }
    to_floats(grid.fov_mm, header.field_of_view);
    set_place(header, grid, frame.position);
    for (const MrdCounter& counter : mrd_counters) {
        header.*counter.member = counter_in(frame.label, counter.name);
    }
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

std::string mrd_label_in(const std::string& attributes) {
    const std::string before = "<name>frame_label</name><value>";
    const std::size_t at = attributes.find(before);
    if (at == std::string::npos) {
        return "";
    }
    const std::string rest = attributes.substr(at + before.size());
    return unescaped(rest.substr(0, rest.find("</value>")));
}

void write_mrd_images(const StoredImage& image, const ImageOutput& output, Reporter& report) {
    require_sizes(image, std::numeric_limits<std::uint16_t>::max(), "ISMRMRD");
    const Grid& grid = image.about.grid;
    if (!grid.position || !grid.directions) {
        report.note("the image does not say where it lies in the patient: what is not known is 0 "
                    "in the ISMRMRD file");
    }
    if (has_no_thickness(grid)) {
        report.note("the image has no slice thickness; the ISMRMRD file says 1 mm");
    }
    std::vector<MrdImageHeader> headers;
    std::vector<std::string> attributes;
    std::uint64_t room = 1 << 20; // HDF5 itself
    for (std::size_t f = 0; f < image.frames(); ++f) {
        headers.push_back(header_of(image, f, output.part));
        attributes.push_back(attributes_of(image.about.frames[f]));
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

} // namespace lsrecon
