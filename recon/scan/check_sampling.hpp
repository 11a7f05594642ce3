#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "scan/scan.hpp"

namespace lsrecon {

/// The part of the contract (scan/check.hpp) that holds for where samples were taken and how much
/// each counts.
class SamplingCheck {
public:
    /// `matrix` is the image's, empty for that of the scan. `scan` must outlive it.
    SamplingCheck(const Scan& scan, const std::vector<std::size_t>& matrix);

    /// InputError with the first violation in the sampling of a frame, which has one point or more.
    void of_frame(std::size_t frame) const;
    /// The errors of frames whose trajectory has values that are not finite; none when all frames
    /// share one trajectory. Trajectories beyond the matrix are left to of_frame: they are nearly
    /// always a wrong unit, which is the scan's. Frames without a sampling are passed over.
    std::map<std::size_t, InputError> of_some_frames() const;
    /// InputError when |k| is too large. `before` stands before the indices of the point.
    void range(const std::vector<Vec3>& trajectory, const std::string& before) const;

private:
    void points(const std::vector<Vec3>& trajectory, const std::string& before) const;
    std::string what_fits(const std::vector<Vec3>& trajectory) const;
    void phi_and_weights(const Sampling& sampling) const;

    const Scan& scan_;
    std::vector<std::size_t> matrix_;
    bool all_share_one_ = true;
};

} // namespace lsrecon
