#include "io/image_file.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "base/escaped.hpp"
#include "base/replacing_file.hpp"
#include "io/formats.hpp"
#include "io/hdf5/reader.hpp"
#include "io/hdf5/writer.hpp"
#include "io/image_about.hpp"

namespace lsrecon {

namespace {

void write_volumes(const std::string& path, const std::string& name, const ImageAxes& axes,
                   const Image& about, Precision precision, const PartValues& values) {
    ReplacingFile target(path);
    Hdf5Writer file(target.path(), path, room_about(about));
    file.later(name, axes.extents,
               precision == Precision::float64 ? Hdf5Element::complex128 : Hdf5Element::complex64,
               about.frames.size(), values);
    file.attribute(name, "DIMENSION_LABELS", axes.names);
    file.attribute("/", "format", std::string("lsrecon-") + name);
    file.attribute("/", "version", 1L);
    write_about(file, name, about);
    file.close();
    target.commit();
}

struct NumberRange {
    double least; ///< below it numbers lose digits
    double most;
};

template <typename Number> constexpr NumberRange range_of_numbers() {
    using Limits = std::numeric_limits<Number>;
    return {static_cast<double>(Limits::min()), static_cast<double>(Limits::max())};
}

constexpr NumberRange range_of(Precision precision) {
    return precision == Precision::float64 ? range_of_numbers<double>() : range_of_numbers<float>();
}

[[noreturn]] void refuse_range(double largest, Precision precision) {
    const auto [least, most] = range_of(precision);
    throw ToleranceError(text(
        "the result's largest value is ", largest, ", which the file's ",
        precision == Precision::float64 ? "doubles" : "floats",
        " do not hold; nothing is written\n  expected: ", least, " to ", most,
        "\n  next:     scale the samples or the coil maps by a power of ten, or choose another "
        "--lambda"));
}

} // namespace

void require_in_range(double largest, Precision precision) {
    if (!std::isfinite(largest)) {
        throw DeviceError("the result is not finite; nothing is written\n  next:     run 'lsrecon "
                          "check' on the scan and 'lsrecon validate' on this device");
    }
    if (largest > range_of(precision).most) {
        refuse_range(largest, precision);
    }
}

void require_an_image(double largest, Precision precision) {
    require_in_range(largest, precision);
    if (largest == 0) {
        throw DeviceError("the result is zero everywhere; nothing is written\n  next:     run "
                          "'lsrecon check' on the scan and 'lsrecon validate' on this device");
    }
    if (largest < range_of(precision).least) {
        refuse_range(largest, precision);
    }
}

void write_image(const std::string& path, const Image& image, std::size_t voxels,
                 const FrameValues& values) {
    ImageAxes axes;
    axes.add(image.frames.size(), "frame");
    axes.add_space(image, voxels);
    write_volumes(path, "image", axes, image, Precision::float32,
                  [&](std::size_t frame, const TakeBytes& take) {
                      const ImageValues floats = values(frame);
                      take(floats.data(), floats.size() * sizeof(floats.front()));
                  });
}

void write_image(const std::string& path, const Image& image) {
    LargestPart largest;
    for (const ImageFrame& frame : image.frames) {
        largest.add(frame.values);
    }
    require_an_image(largest.value());
    write_image(path, image, static_cast<std::size_t>(image.frames.front().values.size()),
                values_of(image));
}

void write_fhd(const std::string& path, const Image& about, std::size_t coils, std::size_t voxels,
               Precision precision, const PartValues& values) {
    ImageAxes axes;
    if (about.frames.size() > 1) {
        axes.add(about.frames.size(), "frame");
    }
    if (coils > 1) {
        axes.add(coils, "coil");
    }
    axes.add_space(about, voxels);
    write_volumes(path, "fhd", axes, about, precision, values);
}

Hdf5Shape image_shape(const Hdf5Reader& file) {
    if (!file.has("image")) {
        const std::string scan = name_of_scan_format(file);
        throw InputError({file.path(), "/image",
                          scan.empty() ? "it is missing" : "it is missing: the file is " + scan,
                          "an image file of lsrecon",
                          scan.empty()
                              ? "name a file that 'lsrecon recon' or 'simulate --truth' wrote"
                              : "make an image of the scan: lsrecon recon " +
                                    shell_word(file.path()) + " -o IMAGE.h5"});
    }
    if (file.has("record/residuals")) {
        const Hdf5Shape shape = file.shape("record/residuals");
        if (shape.extents.size() != 3) {
            throw InputError({file.path(), "/record/residuals", shape.to_string(),
                              "real numbers [frames, problems, iterations + 1]",
                              "write the image again"});
        }
    }
    return file.checked_shape("image", Hdf5Kind::complex);
}

ImageData read_image(const std::string& path) {
    const Hdf5Reader file(path);
    const std::vector<std::size_t> extents = image_shape(file).extents;
    std::vector<double> residuals;
    if (file.has("record/residuals")) {
        residuals = file.read_real("record/residuals");
        residuals.resize(file.shape("record/residuals").extents.back()); // of the first problem
        residuals.erase(std::find_if(residuals.begin(), residuals.end(),
                                     [](double value) { return std::isnan(value); }),
                        residuals.end());
    }
    return {extents, file.read_complex("image"), residuals};
}

} // namespace lsrecon
