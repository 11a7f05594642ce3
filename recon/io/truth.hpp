#pragma once

#include <optional>
#include <string>

#include "io/hdf5/reader.hpp"
#include "scan/image.hpp"

namespace lsrecon {

/// The image that a scan was made from, to compare with. Its frames are read when they are
/// compared.
class Truth {
public:
    /// InputError when the file holds no image, or one without a norm.
    explicit Truth(const std::string& path);

    /// InputError when the image of this scan will have another size.
    void require_size_of(const Scan& scan) const;

    /// || |image| - |truth| || / ||truth|| over the frames that did not fail; nothing where the
    /// truth of those is zero.
    std::optional<double> error_of(const std::vector<ImageFrame>& frames,
                                   const FrameValues& image) const;

private:
    Hdf5Reader file_;
    std::vector<std::size_t> extents_;
    double norm_ = 0;
};

} // namespace lsrecon
