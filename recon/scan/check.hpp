// The contract that every scan keeps, on values and sizes, whatever its format.

#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/coil_rows.hpp"
#include "base/error.hpp"
#include "base/finding.hpp"
#include "scan/scan.hpp"

namespace lsrecon {

/// The shape of a scan, known before any value is read.
struct ScanShape {
    std::string file;
    std::string name_of_grid; ///< name in messages, as its format has it
    Grid grid; ///< grid of the image
    std::size_t coils = 1;
    std::size_t coil_maps = 0; ///< number of coil maps in the file
};

/// InputError when the host has no room for a reconstruction of one frame without options on the
/// host, in double precision: for who reads a scan without knowing what will be done with it.
void require_room(const ScanShape& shape);

/// The strict contract on values and sizes, the same for every format: finite numbers,
/// sizes that agree, |k| <= 1.05 N/2, voxels within 10 fields of view, weights >= 0 and at least
/// one sample that is not zero. InputError with the first violation. Samples that have not been
/// read yet are left to SampleCheck. For an image of another `matrix`,
/// whose N/2 samples may exceed, |k| <= N of the larger one.
void check(const Scan& scan, const std::vector<std::size_t>& matrix = {});

/// InputError about a part of the scan, which the message calls as the scan's format does.
[[noreturn]] void refuse_part(const Scan& scan, const std::string& name, const std::string& found,
                              const std::string& expected, const std::string& next);

/// InputError that names a value that is NaN or infinite, and where it stands.
[[noreturn]] void refuse_bad_value(const Scan& scan, const std::string& name, double value,
                                   const std::string& at);

/// InputError that names the first value, by its row and column, that is NaN, infinite or near it.
void require_finite_values(
    const Scan& scan, const std::string& name, const CoilRows& values,
    const std::function<std::string(std::size_t row, std::size_t column)>& place);

/// InputError when the scan has a trajectory but no samples: enough for Q, not for an image.
void require_samples(const Scan& scan);

/// The part of the contract that holds for where samples were taken and how much
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

/// Whether all samples of a coil are 0.
bool is_silent(const CoilRows& samples, std::size_t coil);

/// Coils and frames whose samples are all exactly 0: noise never is, but samples that were not
/// written are. A scan of nothing else is refused.
class SilentCoils {
public:
    /// The samples of the next frame, C x M.
    void add(const CoilRows& samples);
    /// The next frame cannot be looked at.
    void skip() { ++next_; }

    /// Whether every sample of every frame that was looked at is 0.
    bool all() const { return empty_.size() == frames_; }
    /// Frames in which every coil is silent.
    const std::vector<std::size_t>& empty() const { return empty_; }
    /// Every coil that is silent, and frames in which every coil is.
    Findings findings() const;

private:
    std::size_t next_ = 0;
    std::size_t frames_ = 0; ///< number of frames that were looked at
    std::vector<std::vector<std::size_t>> silent_; ///< frames of each coil
    std::vector<std::size_t> empty_; ///< frames in which every coil is silent
};

/// Whether a sample reaches F^H d: neither its weight nor its phi is 0.
bool counts(const Sampling& sampling, std::size_t m);

/// The part of the contract that holds for samples, whose frames come one at a
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
