// The headers of all acquisitions, from which uses, encodings, dwell times and noise are known
// before samples are read.

#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "io/formats.hpp"
#include "io/ismrmrd/file.hpp"
#include "io/ismrmrd/frames.hpp"
#include "io/ismrmrd/header.hpp"

namespace lsrecon {

/// The use of an acquisition; both calibration and image when it says so.
struct IsmrmrdRole {
    const char* skipped = nullptr; ///< why it is for nothing here
    bool noise = false;
    bool image = false;
    bool calibration = false;
    bool navigator = false; ///< for the phases of lines
};
IsmrmrdRole role_of(const IsmrmrdHeader& header);

/// The frame that an acquisition belongs to.
using FrameOf = std::function<RawCounters(const RawCounters& counters)>;

/// A line that is flagged as parallel calibration and not as imaging.
struct CalibrationLine {
    std::size_t index; ///< its index in the file
    IsmrmrdHeader header;
    bool is_image = false; ///< whether it is in the image, too
    std::string why; ///< why it is, or is not
};

/// The lines for calibration alone of encodings that have image lines, in the order of the file.
/// Some sequences measure them between the image's lines, by the same readout: the centre of
/// k-space is then complete, and the image gains them.
std::vector<CalibrationLine> calibration_lines(const IsmrmrdFile& file,
                                               const MeasurementHeader& header,
                                               const ReadOptions& options, const FrameOf& frame_of);

/// The facts that the headers of all acquisitions have, before any of their values is read.
struct IsmrmrdContents {
    /// An acquisition that the others of its kind are to agree with.
    struct First {
        RawKind kind;
        std::uint16_t partition = 0; ///< kspace_encode_step_2
        bool partitions_differ = false; ///< whether others of its frame have another partition
    };
    struct OfEncoding {
        RawChoice choice; ///< has counted those of the image
        std::map<RawCounters, First> firsts; ///< first acquisition of each frame of the image
        std::size_t image = 0;
        std::size_t calibration = 0; ///< alone
        std::set<std::uint32_t> measurements{}; ///< measurement_uid of those of the image
        /// The first acquisition of the chosen frames, once they have been decided.
        const First& first() const;
    };
    std::map<std::size_t, OfEncoding> encodings; ///< encodings that acquisitions refer to
    std::map<std::string, std::size_t> skipped; ///< numbers of skipped acquisitions by flag
    /// Acquisitions without samples. They count for nothing, whatever their flags: some writers
    /// leave the rest of their headers unset.
    std::size_t without_samples = 0;
    bool some_reversed = false; ///< run backwards
    struct Noise {
        std::size_t index; ///< index of an acquisition
        std::size_t channels;
    };
    std::vector<Noise> noise;

    IsmrmrdContents(const IsmrmrdFile& file, const MeasurementHeader& measurement,
                    const ReadOptions& options);

    /// The encoding that is read: the one that was asked for, or the first that has image data.
    /// UsageError when the header lacks it, InputError when it has no image data.
    std::size_t choose_encoding(const IsmrmrdFile& file, const MeasurementHeader& header,
                                const ReadOptions& options) const;
    /// Adds findings on the acquisitions that are not read when `chosen` is.
    void add_findings(std::size_t chosen, std::vector<std::string>& facts,
                      Findings& findings) const;

    /// The details for people: every encoding with its counters, dwell times, lines of noise.
    std::vector<std::pair<std::string, std::string>> details(const MeasurementHeader& header,
                                                             std::size_t chosen) const;

    /// The acquisitions of noise of as many coils as the chosen frames have.
    std::set<std::size_t> noise_of(std::size_t chosen) const;

    /// The acquisitions that are read when `chosen` is, once its choice has been decided: noise
    /// of the image's coils, and what the chosen frames and their calibration need.
    std::vector<std::size_t> wanted(std::size_t chosen) const;

    /// The encoding of a reference scan: where the chosen one has no calibration, the only other
    /// that has calibration alone.
    std::optional<std::size_t> reference_for(std::size_t chosen) const;
    /// The slices that calibration of an encoding and wanted frames of the chosen one have.
    std::set<std::size_t> slices_of_both(std::size_t encoding, std::size_t chosen) const;

    /// The dwell times of the chosen frames' samples, in us; times that are the same to rounding
    /// count once.
    std::set<float> dwells(std::size_t chosen) const;

    struct Acquisition {
        IsmrmrdRole role;
        std::uint16_t encoding = 0;
        RawCounters counters{};
        float dwell = 0; ///< dwell time in us
    };
    const Acquisition& acquisition(std::size_t index) const { return acquisitions_[index]; }

private:
    void count_image(std::size_t index, const IsmrmrdHeader& header);
    void join_calibration_lines();
    void add_facts_on_calibration(std::size_t chosen, std::vector<std::string>& facts) const;
    std::string with_image() const;

    std::vector<Acquisition> acquisitions_;
    std::vector<CalibrationLine> calibration_lines_; ///< of encodings with images
};

/// The options by which the reference scan for the chosen encoding is read; none without one.
std::optional<ReadOptions> options_of_reference(const IsmrmrdContents& contents, std::size_t chosen,
                                                const ReadOptions& options);

/// Adds the first frame of each slice of a reference scan, which was read by `options`, to the
/// calibrations of a scan, in cycles per the scan's field of view. Returns whether any serves: it
/// has the scan's coils, lies with frames of its slice, covers their field of view and reaches as
/// far as maps need.
bool add_reference(const StoredScan& reference, const ReadOptions& options, Scan& scan);

} // namespace lsrecon
