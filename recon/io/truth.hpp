#pragma once

#include <string>

#include "io/image_file.hpp"
#include "scan/image.hpp"

namespace lsrecon {

/// The image that a scan was made from, to compare with.
class Truth {
public:
    /// InputError when the file holds no image, or one without a norm.
    explicit Truth(const std::string& path);

    /// InputError when the image of this scan will have another size.
    void require_size_of(const Scan& scan) const;

    /// || |image| - |truth| || / ||truth||
    double error_of(const Image& image) const;

private:
    std::string path_;
    ImageData data_;
    double norm_ = 0;
};

} // namespace lsrecon
