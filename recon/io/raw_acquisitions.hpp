#pragma once

#include <array>
#include <complex>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "io/formats.hpp"
#include "scan/scan.hpp"

namespace lsrecon {

/// One readout as a raw data file stores it. Samples are in the order in which they were taken.
struct RawAcquisition {
    std::size_t index = 0; ///< its place in the file, from 0, for messages

    std::size_t samples = 0;
    std::size_t channels = 0;
    std::size_t trajectory_dimensions = 0; ///< 0: no trajectory is stored, Cartesian
    const float* trajectory = nullptr; ///< samples x trajectory_dimensions
    const float* values = nullptr; ///< channels x samples x {real, imaginary}

    std::size_t discard_pre = 0;
    std::size_t discard_post = 0;
    std::size_t center_sample = 0;
    bool reversed = false; ///< taken from the end of k-space to its start
    std::array<long, 2> encode_steps{0, 0};

    /// Slice, contrast, phase, repetition and set: a frame for each combination.
    std::array<std::uint16_t, 5> counters{};
    Vec3 position{0, 0, 0}; ///< mm, LPS
    std::array<Vec3, 3> directions{}; ///< read, phase, slice; LPS; zero when unknown
};

/// Where acquisitions come from and what they encode.
struct RawEncoding {
    std::string file;
    std::string dataset; ///< of the acquisitions, for messages
    Grid grid;
    std::array<long, 2> encode_centers{0, 0}; ///< the steps that lie at the centre of k-space
    /// What the header calls the trajectory when acquisitions must store it; "" otherwise.
    std::string stored_trajectory;
};

/// Sorts acquisitions into frames. Values are kept in the file's single precision until the scan
/// is made, and let go frame by frame, so that memory stays near the size of the scan.
class RawAcquisitionSorter {
public:
    RawAcquisitionSorter(RawEncoding encoding, const ReadOptions& options);

    /// An acquisition that holds no image data; counted in the remarks.
    void skip(const std::string& reason) { ++skipped_[reason]; }

    /// InputError when the acquisition contradicts itself or an earlier one.
    void add(const RawAcquisition& acquisition);

    /// InputError when nothing was kept, or when the units of the trajectory are ambiguous.
    Scan scan();

private:
    struct RawFrame {
        std::vector<float> trajectory; ///< M x dimensions of the grid
        std::vector<std::vector<std::complex<float>>> values; ///< a row a channel
        Vec3 position{0, 0, 0};
        std::array<Vec3, 3> directions{};
    };
    using Counters = std::array<std::uint16_t, 5>;

    [[noreturn]] void refuse(const RawAcquisition& acquisition, const std::string& field,
                             const std::string& found, const std::string& expected,
                             const std::string& next_step) const;
    void check_header(const RawAcquisition& acquisition);
    void check_cartesian_range(const RawAcquisition& acquisition) const;
    void check_finite(const RawAcquisition& acquisition, std::size_t sample, const Vec3& k) const;

    // Where a sample was taken, as the file says it: in its own units or in encoding steps.
    Vec3 stored_position(const RawAcquisition& acquisition, std::size_t sample) const;
    Vec3 cartesian_position(const RawAcquisition& acquisition, std::size_t sample) const;

    std::size_t dimensions() const { return static_cast<std::size_t>(encoding_.grid.dimensions); }
    std::size_t stored_dimensions() const;
    /// The units of the trajectory, given or found; "" when none is stored.
    std::string units(std::vector<std::string>& remarks) const;
    Vec3 units_factor(const std::string& units) const;
    [[noreturn]] void refuse_units() const;
    void set_geometry(Scan& scan) const;
    /// Which counters differ between frames.
    std::array<bool, 5> varying() const;
    void add_remarks(std::vector<std::string>& remarks) const;

    RawEncoding encoding_;
    ReadOptions options_;
    std::array<bool, 5> joined_{}; ///< counters that do not tell frames apart
    std::map<Counters, RawFrame> frames_;
    std::map<std::string, std::size_t> skipped_;
    std::optional<RawAcquisition> first_; ///< without its arrays
    Vec3 range_{0, 0, 0}; ///< largest |coordinate| as stored
    std::size_t discarded_ = 0;
    bool moved_within_frame_ = false;
};

} // namespace lsrecon
