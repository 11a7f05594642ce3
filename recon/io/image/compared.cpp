// Compares two images and subtracts them, a frame at a time.

#include "io/image/compared.hpp"

#include <cmath>

#include "base/error.hpp"
#include "base/numbers.hpp"

namespace lsrecon {

namespace {

std::string in_words(const StoredImage& image) {
    return text(by(image.about.grid.size, 3), " voxels, ", counted(image.frames(), "frame"));
}

/// Calls `use(n, a, b)` for the voxels of a frame that both images have, in doubles.
template <typename Use> void for_each_voxel(const StoredImage& image, const StoredImage& reference,
                                            bool magnitudes, std::size_t frame, const Use& use) {
    const ImageValues of_image = image.values(frame);
    const ImageValues of_reference = reference.values(frame);
    const auto value = [magnitudes](std::complex<float> of) {
        return magnitudes ? Complex(static_cast<double>(std::abs(of))) : Complex(of);
    };
    for (std::size_t n = 0; n < of_image.size(); ++n) {
        const Complex a = value(of_image[n]);
        const Complex b = value(of_reference[n]);
        if (!std::isnan(a.real()) && !std::isnan(b.real())) { // or a frame or a slice failed
            use(n, a, b);
        }
    }
}

} // namespace

ComparedImages compared(const StoredImage& image, const StoredImage& reference, bool magnitudes) {
    if (image.about.grid.size != reference.about.grid.size ||
        image.frames() != reference.frames()) {
        throw InputError({image.file, image.thing, in_words(image),
                          in_words(reference) + ", as " + reference.file,
                          "reconstruct on the same grid with `matrix`, or take out a frame or "
                          "slices with 'lsrecon convert'"});
    }
    ComparedImages result;
    result.of_magnitudes = magnitudes || image.part != reference.part;
    double aa = 0;
    double bb = 0;
    double left = 0;
    double most = 0;
    Complex ab = 0;
    for (std::size_t f = 0; f < image.frames(); ++f) {
        for_each_voxel(image, reference, result.of_magnitudes, f,
                       [&](std::size_t, const Complex& a, const Complex& b) {
                           aa += std::norm(a);
                           bb += std::norm(b);
                           ab += std::conj(a) * b;
                           left += std::norm(a - b);
                           most = std::max(most, std::abs(b));
                       });
    }
    for (const auto& [energy, of] : {std::pair(aa, &image), std::pair(bb, &reference)}) {
        if (!(energy > 0)) {
            throw InputError({of->file, of->thing, "zeros, or no frame that did not fail",
                              "an image", "name a file with an image"});
        }
    }
    result.error = std::sqrt(left / bb);
    result.scale = ab / aa;
    double scaled_left = 0;
    for (std::size_t f = 0; f < image.frames(); ++f) {
        double own_left = 0;
        double own_bb = 0;
        for_each_voxel(image, reference, result.of_magnitudes, f,
                       [&](std::size_t n, const Complex& a, const Complex& b) {
                           const double difference = std::abs(result.scale * a - b);
                           own_left += difference * difference;
                           own_bb += std::norm(b);
                           if (difference / most > result.largest) {
                               result.largest = difference / most;
                               result.frame = f;
                               result.voxel = n;
                           }
                       });
        scaled_left += own_left;
        result.scaled_errors.push_back(own_bb > 0 ? std::sqrt(own_left / own_bb) : std::nan(""));
    }
    result.scaled_error = std::sqrt(scaled_left / bb);
    return result;
}

StoredImage difference(const StoredImage& image, const StoredImage& reference,
                       const ComparedImages& by) {
    StoredImage result = reference;
    result.part = by.of_magnitudes ? ImagePart::real : reference.part;
    for (std::size_t f = 0; f < image.frames(); ++f) {
        if (image.about.frames[f].failed()) {
            result.about.frames[f].error = image.about.frames[f].error;
        }
    }
    result.values = [&image, &reference, by](std::size_t frame) {
        ImageValues values(image.voxels(), std::complex<float>(std::nanf("")));
        for_each_voxel(image, reference, by.of_magnitudes, frame,
                       [&](std::size_t n, const Complex& a, const Complex& b) {
                           values[n] = std::complex<float>(by.scale * a - b);
                       });
        return values;
    };
    return result;
}

} // namespace lsrecon
