#pragma once

#include "scan/scan.hpp"
#include "scan/silent_coils.hpp"

namespace lsrecon {

/// Whether a sample reaches F^H d: neither its weight nor its phi is 0.
bool counts(const Sampling& sampling, std::size_t m);

/// The part of the contract (scan/check.hpp) that holds for samples, whose frames come one at a
/// time: finite numbers, at least one of those that count not zero.
class SampleCheck {
public:
    /// `scan` must outlive it; its frames need no samples.
    explicit SampleCheck(const Scan& scan) : scan_(scan) {}

    /// The samples of the next frame. InputError when one is not finite.
    void add(const CoilRows& samples);
    /// The next frame is left out of the check.
    void skip();
    /// Ends the check after the last frame: what is silent: coils, frames, and samples when many
    /// are. InputError when all samples that count are zero.
    Findings end() const;
    /// Frames that make no image but zeros.
    const std::vector<std::size_t>& empty() const { return empty_; }

private:
    const Scan& scan_;
    std::size_t frame_ = 0;
    SilentCoils silent_;
    std::vector<std::size_t> empty_;
    std::size_t skipped_ = 0; ///< frames
    std::size_t counted_ = 0; ///< samples that count
    std::size_t zeros_ = 0; ///< samples of these that are 0 in every coil
};

} // namespace lsrecon
