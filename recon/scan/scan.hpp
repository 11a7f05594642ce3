// A scan: trajectories, frames and maps, and where its frames come from.

#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/coil_rows.hpp"
#include "base/error.hpp"
#include "base/finding.hpp"
#include "base/report.hpp"
#include "base/types.hpp"
#include "scan/grid.hpp"
#include "scan/pose.hpp"
#include "scan/voxels.hpp"

namespace lsrecon {

/// Positions, times and weights of samples; Q depends on these and the grid alone.
struct Trajectory {
    std::vector<Vec3> positions; ///< M positions in cycles per field of view
    ComplexVector phi; ///< M, or empty for 1: transform of the voxel basis function
    RealVector weights; ///< M, or empty for 1: statistical weights or density compensation
    RealVector times; ///< M in s, or empty: when each sample was taken, which off-resonance needs

    std::size_t samples() const { return positions.size(); }
    SamplePoints points() const { return {positions, times}; }

    double weight(std::size_t m) const {
        return weights.size() > 0 ? weights(static_cast<Eigen::Index>(m)) : 1;
    }
    double sum_of_weights() const;
    /// w_m |phi_m|^2, the weights of Q.
    double q_weight(std::size_t m) const {
        return weight(m) * (phi.size() > 0 ? std::norm(phi(static_cast<Eigen::Index>(m))) : 1);
    }
    RealVector q_weights() const;
};
/// These samples of a trajectory alone.
Trajectory subset(const Trajectory& trajectory, const std::vector<std::size_t>& indices);

/// How lines of k-space differ from those of the first shot that run forwards.
struct LinePhases {
    /// The phase of lines that run backwards in rad, how many samples further along k they lie, and
    /// the phase of each shot but the first in rad.
    RealVector values = RealVector::Zero(2);
    Eigen::MatrixXd covariance = Eigen::MatrixXd::Zero(2, 2);
    double left_before = 0; ///< what is left of the lines, as a share, without them
    double left = 0; ///< and with them
};

/// The readouts of a frame, in the order in which they were taken.
struct FrameReadouts {
    static constexpr std::size_t fewest = 8; ///< of which a class is compared with another

    std::vector<std::size_t> ends; ///< samples up to the end of each
    std::vector<std::uint16_t> segments; ///< shot of each, or none where it is not known
    std::optional<LinePhases> by_navigators = {}; ///< what navigator lines of the frame say
};

/// The echo that a frame is.
struct Echo {
    double time = 0; ///< s, from the excitation
    bool is_reversed = false; ///< whether its readouts run backwards
};

/// One image of a scan. Frames of one trajectory share one Trajectory, so that Q is made once.
struct Frame {
    std::shared_ptr<const Trajectory> trajectory;
    CoilRows samples; ///< C x M; C x 0 before they are read
    std::string label; ///< what the frame is: "repetition 3", "" when there is only one
    std::optional<Vec3> position; ///< centre of this frame's grid in mm (LPS), where frames differ
    /// The position of the frame in a scan of several orientations, which no image can store: then
    /// the grid has no pose, and a frame no position.
    std::optional<Pose> turned = {};
    std::optional<Echo> echo = {}; ///< where the file says which one it is
};

/// The frame with these of its samples alone.
Frame subset(const Frame& frame, const std::vector<std::size_t>& indices);

/// A scan in the program's own units, the same for every file format.
struct Scan {
    std::string file; ///< path of the file, for messages
    /// The hash of the file's bytes as they were read; "" for a scan of no file. The call waits for
    /// it: hashing takes longer than reading. RunError when the file was changed meanwhile.
    std::function<std::string()> sha256 = [] { return std::string(); };
    std::string format;
    Grid grid;
    std::vector<Frame> frames;
    std::vector<FrameReadouts> readouts; ///< of each frame; none where the format does not say
    CoilRows coil_maps; ///< C x N, or empty
    /// The field map at the image's voxels; null without. A scan with a field map has frames with
    /// times.
    std::shared_ptr<const OffResonance> off_resonance;
    CoilRows noise; ///< C x K of noise alone, taken as the samples were, or empty
    /// Samples for coil maps, on a grid like that of the frames; some of them may be the image's,
    /// too. Their values are here from the start. One a slice, contrast and set at most, labelled
    /// as frames are.
    std::vector<Frame> calibrations;
    /// Calibration that serves no frame: its label, and why ("lie elsewhere: 30 mm away").
    std::vector<std::pair<std::string, std::string>> calibrations_unused;
    std::optional<std::vector<Vec3>> voxels; ///< image positions off the grid, in fields of view
    std::string trajectory_units; ///< units of the file's trajectory; "" without one
    /// The counters of a raw data file by which the frames differ.
    std::vector<std::string> frame_counters;
    /// The counters that a user may want to join. Left out are slices, which lie apart, contrasts
    /// of several readouts, which differ on purpose, and what the user's flags keep apart.
    std::vector<std::string> joinable_counters;
    std::vector<std::string> joined_counters; ///< counters whose acquisitions are in one frame
    bool has_single_readouts = false; ///< each of several frames of raw data is one readout
    std::vector<std::string> facts; ///< how it was read and prepared; they ask nothing of a user
    Findings findings; ///< what a user should check or act upon
    /// Other facts of the measurement that the file has, by name; nothing depends on them.
    std::vector<std::pair<std::string, std::string>> details;

    /// The largest number of samples of one coil that a frame has.
    std::size_t most_samples() const;
    std::size_t coils() const { return frames.empty() ? 0 : frames.front().samples.rows(); }
    bool has_samples() const { return coils() > 0; }

    /// The name of a part of the scan in messages: "/samples" of a native file, "samples"
    /// elsewhere.
    std::string name_of(const std::string& part) const {
        return format == "lsrecon-scan" ? "/" + part : part;
    }

    /// The voxels where the image is reconstructed: the grid, or the list of positions.
    Voxels image_voxels() const {
        return (voxels ? Voxels::at(grid, *voxels) : Voxels::of_grid(grid)).in_field(off_resonance);
    }
};

/// The field of 1 x N values, or of 2 x N with R2*.
CoilRows rows_of(const OffResonance& field);

/// sum_c |S_cn|^2 of coil maps, C x N, at each voxel.
RealVector squares_of(const CoilRows& coil_maps);
/// The largest and the mean sum |S|^2 over voxels where it is not zero: the diagonal of sum_c S_c^H
/// T S_c in units of Q(0), to which lambda is added (docs/maths.md).
struct SumOfSquares {
    double largest = 0;
    double mean = 0;
    std::size_t voxels = 0;
};
SumOfSquares sum_of_squares(const CoilRows& coil_maps);
/// 1 at voxels where a map is not zero, 0 at the others: N.
RealVector seen_by(const CoilRows& coil_maps);

/// A scan whose frames come one at a time: from a file (io/scan_file.hpp) or from memory.
/// Everything but samples is known from the start.
class FrameSource {
public:
    virtual ~FrameSource() = default;

    /// The scan without values: its frames have C x 0 samples, or none where nothing was sampled.
    virtual const Scan& scan() const = 0;
    /// Gives the scan itself away to a caller that changes it: maps may take most of the memory.
    /// Only the frames stay here.
    virtual Scan take_scan() = 0;

    /// A frame with its samples. The only frame of a scan can be taken once. InputError when it is
    /// a bad one; RunError when no frame can be read any more.
    virtual Frame frame(std::size_t index) = 0;

    /// The error of each bad frame.
    const std::map<std::size_t, InputError>& bad() const { return bad_; }
    /// The first frame whose samples can be used and are not all 0.
    std::size_t first_good() const { return first_good_; }

protected:
    std::map<std::size_t, InputError> bad_;
    std::size_t first_good_ = 0;
};

/// A scan in memory, whose frames have their samples.
class FramesInMemory : public FrameSource {
public:
    /// InputError as of check() (scan/check.hpp): the first thing that is wrong with the scan.
    explicit FramesInMemory(Scan scan);

    const Scan& scan() const override { return scan_; }
    Scan take_scan() override;
    Frame frame(std::size_t index) override;

private:
    Scan scan_;
    std::vector<CoilRows> samples_; ///< samples of each frame
};

} // namespace lsrecon
