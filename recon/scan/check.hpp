// The contract that every scan keeps, on values and sizes, whatever its format.

#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/coil_rows.hpp"
#include "base/error.hpp"
#include "base/finding.hpp"
#include "scan/scan.hpp"

namespace lsrecon {

struct Spikes {
    std::size_t count = 0;
    std::size_t first = 0; ///< sample
    double times = 0; ///< amplitude of the strongest, in units of what k-space has there
};

/// Samples whose amplitude is 5 times that of the twelfth strongest sample as far out in k-space or
/// farther; the signal of an object is as strong at its neighbours. Up to 11 of a frame are found.
/// The strongest sample of 100 simulated scans was 1.0 to 2.5 times it.
Spikes spikes_of(const CoilRows& samples, const Trajectory& trajectory);

/// The shape of a scan, known before any value is read.
struct ScanShape {
    std::string file;
    std::string name_of_grid; ///< name in messages, as its format has it
    Grid grid; ///< grid of the image
    std::size_t coils = 1;
    std::size_t coil_maps = 0; ///< number of coil maps in the file
};

/// InputError when the host has no memory for a reconstruction of one frame without options on the
/// host, in double precision. Readers ask it that do not know what will be done with the scan.
void require_room(const ScanShape& shape);

/// The strict contract on values and sizes, the same for every format: finite numbers,
/// sizes that agree, |k| <= 1.05 N/2, voxels within 10 fields of view, weights >= 0 and at least
/// one sample that is not zero. InputError with the first violation. Samples that have not been
/// read yet are left to SampleCheck. For an image of another `matrix`,
/// whose N/2 samples may exceed, |k| <= N of the larger one.
void check(const Scan& scan, const std::vector<std::size_t>& matrix = {});

/// InputError when the scan has a trajectory but no samples: enough for Q, not for an image.
void require_samples(const Scan& scan);

/// The errors of frames whose trajectory has values that are not finite; none when all frames share
/// one trajectory. A trajectory beyond the matrix is left to check(): it is nearly always a wrong
/// unit, which is the scan's. Frames without a trajectory are passed over.
std::map<std::size_t, InputError> bad_trajectories(const Scan& scan);

/// Whether all samples of a coil are 0.
bool is_silent(const CoilRows& samples, std::size_t coil);

/// Whether a sample reaches F^H d: neither its weight nor its phi is 0.
bool counts(const Trajectory& trajectory, std::size_t m);

/// The part of the contract that holds for samples, whose frames come one at a time: finite
/// numbers, and at least one that counts is not zero. Noise is never exactly 0, but samples that
/// were not written are: coils and frames of zeros are findings.
class SampleCheck {
public:
    /// `scan` must outlive it; its frames need no samples.
    explicit SampleCheck(const Scan& scan) : scan_(scan) {}

    /// The samples of the next frame, C x M. InputError when one is not finite.
    void add(const CoilRows& samples);
    /// The next frame is left out of the check.
    void skip();
    /// Ends the check after the last frame: every coil that is silent, frames in which every coil
    /// is, frames without a sample that counts, zeros when many samples are, samples that a
    /// receiver clipped, and spikes. InputError when all samples that count are zero.
    Findings end() const;
    /// Frames that make no image but zeros.
    const std::vector<std::size_t>& empty() const { return empty_; }

private:
    const Scan& scan_;
    std::size_t frame_ = 0;
    std::size_t skipped_ = 0; ///< frames
    std::vector<std::vector<std::size_t>> silent_coils_; ///< of each coil, frames in which it is
    std::vector<std::size_t> silent_; ///< frames in which every coil is silent
    std::vector<std::size_t> empty_;
    std::size_t clipped_ = 0; ///< samples that share the largest value of their coil
    std::set<std::size_t> clipped_coils_;
    std::size_t counted_ = 0; ///< samples that count
    Spikes spikes_; ///< of all frames; the first is of the first frame that has one
    std::size_t frame_of_spikes_ = 0;
    std::size_t zeros_ = 0; ///< samples of these that are 0 in every coil
};

} // namespace lsrecon
