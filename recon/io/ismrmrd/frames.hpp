// Acquisitions that are sorted into frames, and the scan that these make.

#pragma once

#include <cmath>
#include <complex>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "io/formats.hpp"
#include "io/ismrmrd/choice.hpp"
#include "io/ismrmrd/file.hpp"
#include "io/ismrmrd/header.hpp"
#include "io/ismrmrd/readouts.hpp"
#include "scan/pose.hpp"

namespace lsrecon {

constexpr double allowed_overshoot = 1.05; ///< reach of samples over N/2

/// The properties of the first acquisition of the chosen frames, with which all others must agree.
struct RawKind {
    std::size_t index = 0; ///< its index in the file
    std::size_t channels = 0;
    std::size_t trajectory_dimensions = 0; ///< 0: no trajectory is stored, Cartesian
};

/// Readouts with a value that is no number: the index of each in its raw frame, and the error.
using RawBad = std::vector<std::pair<std::size_t, InputError>>;

/// Acquisitions of the same counters, in the order of the file.
struct RawFrame {
    std::vector<float> positions; ///< M x dimensions of the grid
    std::vector<std::vector<std::complex<float>>> values; ///< a row a channel
    std::vector<float> third; ///< M third coordinates of a trajectory where the grid has two
    std::vector<float> times; ///< M in s, 0 at center_sample; only if asked for
    std::vector<std::size_t> ends; ///< samples up to the end of each readout
    std::vector<std::uint16_t> segments; ///< idx.segment of each readout
    std::vector<long> shifts; ///< shifts of each readout, as of ReversedCentres; 0 of others
    std::vector<double> dwells; ///< dwell times of each readout, in s
    RawBad bad;
    Pose where; ///< pose by the first acquisitions that say it
    std::size_t first = 0; ///< acquisition's index in the file
    ISMRMRD::ISMRMRD_EncodingCounters idx{}; ///< counters of that acquisition
    std::size_t reversed = 0; ///< number of its acquisitions that run backwards
    bool partitions_differ = false; ///< kspace_encode_step_2 of others
    /// The range of the coordinate after those of the grid, where a trajectory has more.
    double least_beyond = HUGE_VAL;
    double most_beyond = -HUGE_VAL;
};

/// Acquisitions that are sorted into frames. Values are kept in the file's single precision, those
/// of frames that were not chosen are not kept.
class RawFrames {
public:
    /// `choice` has counted every acquisition of the image.
    RawFrames(RawEncoding encoding, const RawKind& kind, RawChoice choice,
              const ReadOptions& options);

    /// Adds an acquisition and returns whether its frame is wanted. InputError when the acquisition
    /// contradicts itself or the first one; where bad frames are allowed, a value that is no number
    /// makes its frame a bad one.
    bool add(std::size_t index, const IsmrmrdAcquisition& acquisition);
    /// Adds an acquisition that is for coil maps too, or for these alone. It is kept when the
    /// choice wants it and it is of the image's kind.
    void add_calibration(std::size_t index, const IsmrmrdAcquisition& acquisition);
    /// Adds a line without phase encoding, by which lines of both directions are compared. It is
    /// left out where it is not as the image's readouts are.
    void add_navigator(std::size_t index, const IsmrmrdAcquisition& acquisition);
    /// Ends after the last acquisition: reversed lines get the centre at which their samples are
    /// strong, and facts say which that is.
    void centre_reversed_lines();

    /// The factor by which the dwell time of the frames' samples is longer than the file's: only a
    /// crop of the readouts averages samples.
    double longer_dwell() const { return crop ? 1 / crop->factor() : 1; }
    bool has_trajectory() const { return kind.trajectory_dimensions > 0; }
    std::size_t dimensions() const { return static_cast<std::size_t>(encoding.grid.dimensions); }
    /// The dimensions of the stored trajectory that the grid has.
    std::size_t stored_dimensions() const {
        return std::min(kind.trajectory_dimensions, dimensions());
    }

    RawEncoding encoding;
    RawKind kind;
    RawChoice choice;
    ReadOptions options;
    std::vector<std::string> facts;
    RawImageSpace space; ///< space of the image that is to come
    std::optional<ReadoutCrop> crop;
    std::map<RawCounters, RawFrame> frames;
    /// The calibrations of one pose, of each counter: their k-spaces are of one grid.
    std::multimap<RawCounters, RawFrame> calibrations;
    std::map<RawCounters, RawFrame> navigators;
    std::size_t navigators_left_out = 0;
    /// Calibration of another kind: why it does not serve, and the counters of each acquisition.
    std::map<std::string, std::vector<RawCounters>> unlike;
    Vec3 range{0, 0, 0}; ///< largest |coordinate| of the image's samples as stored
    Vec3 least{HUGE_VAL, HUGE_VAL, HUGE_VAL}; ///< least of these coordinates
    Vec3 most{-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
    std::optional<InputError> nowhere; ///< the first coordinate that is no number
    double largest_beyond = 0; ///< largest of the coordinates for which the grid has no dimension
    std::size_t discarded = 0;
    bool moved_within_frame = false;
    ReversedCentres centres;
};

/// The scan of sorted acquisitions. InputError when a frame has no samples, when nothing was
/// chosen, or when the units of the trajectory are ambiguous.
StoredScan assemble(RawFrames raw);

/// The frames that a scan which was stopped left incomplete: with fewer readouts than most frames
/// of their contrast, phase and set, the first of these or some of them; and those of repetitions
/// that other slices have. Nothing of frames that are meant to differ, as those that have other
/// lines each.
std::optional<Finding> incomplete_frames(const RawFrames& raw);

/// Leaves out the lines beyond N/2 along y and z where some lie further than gradients overshoot,
/// and returns what the user should know of them. Where the image has a matrix of its own its
/// geometry leaves them out. InputError where their centre is wrong: where no more lines than N are
/// there, or the strongest lies elsewhere than k = 0.
Findings leave_out_lines_beyond(RawFrames& raw);

} // namespace lsrecon
