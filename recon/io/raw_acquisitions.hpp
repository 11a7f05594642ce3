#pragma once

#include <array>
#include <complex>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "io/formats.hpp"
#include "io/raw_acquisition.hpp"
#include "io/raw_choice.hpp"
#include "io/raw_cut.hpp"
#include "io/raw_encoding.hpp"
#include "io/raw_readout.hpp"
#include "io/raw_space.hpp"
#include "scan/scan.hpp"
#include "scan/whereabouts.hpp"

namespace lsrecon {

/// What the first acquisition of the chosen frames is like, for all others to agree with.
struct RawKind {
    std::size_t index = 0; ///< its place in the file
    std::size_t channels = 0;
    std::size_t trajectory_dimensions = 0;
};

/// Where an acquisition went: its raw frame, and its index among the readouts of that.
struct RawPlace {
    RawCounters frame{};
    std::size_t readout = 0;
};

/// Sorts acquisitions into frames. Values are kept in the file's single precision, those of frames
/// that were not chosen are not kept.
class RawAcquisitionSorter {
public:
    /// `choice` has counted every acquisition of the image.
    RawAcquisitionSorter(RawEncoding encoding, const RawKind& kind, RawChoice choice,
                         const ReadOptions& options);

    /// Nothing for a frame that is not wanted. InputError when the acquisition contradicts itself
    /// or the first one.
    std::optional<RawPlace> add(const RawAcquisition& acquisition);
    /// What was added cannot be used after all.
    void fail(const RawPlace& place, const InputError& error);
    /// Of the image, and its arrays cannot be read: its frame fails (with spokes_per_frame, the
    /// frames that have it), unless no frame is whole.
    void add_lost(const RawAcquisition& acquisition, const InputError& error);
    bool has_lost(const RawCounters& counters) const;
    /// Also for coil maps, or for these alone. Kept is what the choice wants, when it is of the
    /// image's kind. Whether it was kept.
    bool add_calibration(const RawAcquisition& acquisition);

    /// How much longer than that of the file the dwell time of the frames' samples is: only a crop
    /// of the readouts averages any.
    double longer_dwell() const { return crop_ ? 1 / crop_->factor() : 1; }
    /// For the image that is to come.
    const Grid& grid() const { return space_.grid; }

    /// Can be called once. InputError when no chosen frame is whole, when a frame has no samples,
    /// when nothing was chosen, or when the units of the trajectory are ambiguous.
    StoredScan stored_scan();

private:
    struct RawFrame {
        std::vector<float> trajectory; ///< M x dimensions of the grid
        std::vector<std::vector<std::complex<float>>> values; ///< a row a channel
        std::vector<float> times; ///< M in s, 0 at center_sample; only if asked for
        std::vector<std::size_t> ends; ///< samples up to the end of each readout
        RawBad bad; ///< readouts with a value that is no number, or lost ones
        std::vector<std::size_t> lost; ///< readouts without samples or trajectory
        Whereabouts where; ///< by the first acquisitions that say it
        std::size_t first = 0; ///< acquisition's place in the file
        long partition = 0; ///< kspace_encode_step_2 of that
        bool partitions_differ = false; ///< that of others
        long segment = 0; ///< idx.segment of the first
        RawCounters counters{}; ///< of the first, joined or not
    };

    [[noreturn]] void refuse(const RawAcquisition& acquisition, const std::string& field,
                             const std::string& found, const std::string& expected,
                             const std::string& next_step) const;
    void check_header(const RawAcquisition& acquisition) const;
    void check_kind(const RawAcquisition& acquisition) const;
    void check_partition(const RawAcquisition& acquisition, const RawFrame& frame) const;
    void check_excitation(const RawAcquisition& acquisition, const RawFrame& frame) const;
    void check_line(const RawAcquisition& acquisition) const;
    /// `first` and `last` are kx of a line that is to be cropped.
    void check_crop(const RawAcquisition& acquisition, double first, double last) const;
    /// `k` begins at sample discard_pre.
    void check_positions(const RawAcquisition& acquisition, const std::vector<Vec3>& k) const;
    void check_kz(const RawAcquisition& acquisition, double kz) const;
    void check_values(const RawAcquisition& acquisition, std::size_t sample) const;
    void check_place(const RawAcquisition& acquisition, RawFrame& frame);
    /// Why calibration cannot serve the image: "have 4 channels, not the image's 6"; "" where it
    /// can.
    std::string unlike_image(const RawAcquisition& acquisition) const;

    // Where a sample was taken, as the file says it: in its own units or in encoding steps.
    Vec3 stored_position(const RawAcquisition& acquisition, std::size_t sample) const;
    Vec3 line_position(const RawAcquisition& acquisition, std::size_t sample) const;
    bool has_trajectory() const { return kind_.trajectory_dimensions > 0; }

    double middle_along_x(const RawAcquisition& acquisition) const;
    void append(const RawAcquisition& acquisition, RawFrame& frame);
    static void begin(const RawAcquisition& acquisition, RawFrame& frame);
    /// The readout that comes next cannot be used.
    static void lose(RawFrame& frame, const InputError& error);
    static void place(const RawAcquisition& acquisition, Whereabouts& where);
    void append_times(const RawAcquisition& acquisition, std::size_t kept, RawFrame& frame) const;

    std::size_t dimensions() const { return static_cast<std::size_t>(encoding_.grid.dimensions); }
    std::size_t stored_dimensions() const;
    /// The units of the trajectory, given or found; "" when none is stored.
    std::string units(std::vector<std::string>& remarks) const;
    Vec3 units_factor(const std::string& units) const;
    [[noreturn]] void refuse_units() const;
    void require_samples() const;
    void require_whole_frame() const;
    void require_kz() const;
    const RawFrame& first_chosen() const;
    void require_one_orientation_a_slice() const;
    /// What frames have of their own.
    enum class OwnPlaces { none, positions, orientations };
    OwnPlaces set_geometry(Scan& scan) const;
    void add_remarks_on_places(std::vector<std::string>& remarks) const;
    std::vector<RawPart> parts_of(const RawFrame& raw, const std::string& name) const;
    Sampling sampling_of(const RawFrame& raw, std::size_t first, std::size_t end,
                         const Vec3& factor) const;
    void add_frames(Scan& scan, RawSamples& samples, const Vec3& factor, OwnPlaces own);
    RawFrame& calibration_at_place_of(const RawAcquisition& acquisition,
                                      const RawCounters& counters);
    Apart apart_from_slice(const RawFrame& calibration, std::uint16_t slice) const;
    void set_calibrations(Scan& scan, const Vec3& factor, bool moved);
    void add_remarks(std::vector<std::string>& remarks) const;

    RawEncoding encoding_;
    RawKind kind_;
    RawChoice choice_;
    ReadOptions options_;
    std::vector<std::string> remarks_;
    ImageSpace space_;
    std::optional<ReadoutCrop> crop_;
    std::map<RawCounters, RawFrame> frames_;
    /// Those of one place, of each counters: their k-spaces are of one grid.
    std::multimap<RawCounters, RawFrame> calibrations_;
    /// Calibration of another kind: why it does not serve, and the counters of each acquisition.
    std::map<std::string, std::vector<RawCounters>> unlike_;
    Vec3 range_{0, 0, 0}; ///< largest |coordinate| of the image's samples as stored
    std::size_t discarded_ = 0;
    bool moved_within_frame_ = false;
    std::size_t nowhere_ = 0; ///< acquisitions whose position is not finite
    std::size_t undirected_ = 0; ///< and whose directions are not
};

} // namespace lsrecon
