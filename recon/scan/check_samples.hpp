#pragma once

#include "scan/scan.hpp"
#include "scan/silent_coils.hpp"

namespace lsrecon {

/// The part of the contract (scan/check.hpp) that holds for samples, whose frames come one at a
/// time: finite numbers, at least one of them not zero.
class SampleCheck {
public:
    /// `scan` must outlive it; its frames need no samples.
    explicit SampleCheck(const Scan& scan) : scan_(scan) {}

    /// The samples of the next frame. InputError when one is not finite.
    void add(const CoilRows& samples);
    /// The next frame is left out of the check.
    void skip();
    /// After the last frame: remarks on coils that are silent, and on many samples that are.
    /// InputError when all are.
    std::vector<std::string> end() const;
    /// Frames of only zeros.
    const std::vector<std::size_t>& empty() const { return silent_.empty(); }

private:
    const Scan& scan_;
    std::size_t frame_ = 0;
    SilentCoils silent_;
    std::size_t counted_ = 0; ///< samples with a weight
    std::size_t zeros_ = 0; ///< of these, 0 in every coil
};

} // namespace lsrecon
