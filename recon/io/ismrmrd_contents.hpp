#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "io/ismrmrd_file.hpp"
#include "io/ismrmrd_header.hpp"
#include "io/raw_acquisitions.hpp"

namespace lsrecon {

/// Flag f of the format, by its number.
bool has_flag(const IsmrmrdHeader& header, int flag);
RawCounters counters_of(const IsmrmrdHeader& header);

/// What an acquisition is for; both for calibration and for the image when it says so.
struct IsmrmrdRole {
    const char* skipped = nullptr; ///< why it is for nothing here
    bool noise = false;
    bool image = false;
    bool calibration = false;
};
IsmrmrdRole role_of(const IsmrmrdHeader& header);

/// Which coils an acquisition is of, as far as its header says.
struct IsmrmrdCoils {
    std::size_t channels = 0;
    decltype(IsmrmrdHeader::channel_mask) mask{};

    IsmrmrdCoils() = default;
    explicit IsmrmrdCoils(const IsmrmrdHeader& header)
        : channels(header.active_channels), mask(header.channel_mask) {}
    bool named() const; ///< else the mask was never filled in
    /// False where the headers contradict that.
    bool may_be(const IsmrmrdCoils& other) const;
    std::string to_string() const; ///< "channels 0,2-4", or "4 channels"
};

/// What the headers of all acquisitions tell, before any of their values is read.
struct IsmrmrdContents {
    /// An acquisition that the others of its kind are to agree with.
    struct First {
        RawKind kind;
        IsmrmrdCoils coils;
        std::uint16_t partition = 0; ///< kspace_encode_step_2
        bool partitions_differ = false; ///< that of others of its frame
    };
    struct OfEncoding {
        RawChoice choice; ///< has counted those of the image
        std::map<RawCounters, First> firsts; ///< of each frame of the image
        std::size_t image = 0;
        std::size_t calibration = 0; ///< alone
        std::set<std::uint32_t> measurements{}; ///< measurement_uid of those of the image
        /// Of the frames that are chosen, once that has been decided.
        const First& first() const;
    };
    std::map<std::size_t, OfEncoding> encodings; ///< those that acquisitions refer to
    std::map<std::string, std::size_t> skipped; ///< by flag
    /// They count for nothing, whatever their flags: some writers leave the rest of their headers
    /// unset.
    std::size_t without_samples = 0;
    struct CoilsOf {
        std::size_t index; ///< of an acquisition
        IsmrmrdCoils coils;
    };
    std::vector<CoilsOf> noise;

    IsmrmrdContents(const IsmrmrdFile& file, const ReadOptions& options);

    /// Which encoding is read: the one that was asked for, or the first that has image data.
    /// UsageError when the header lacks it, InputError when it has no image data.
    std::size_t choose_encoding(const IsmrmrdFile& file, const MeasurementHeader& header,
                                const ReadOptions& options) const;
    /// What is not read when `chosen` is.
    void add_remarks(std::size_t chosen, std::vector<std::string>& remarks) const;

    /// For people: every encoding with its counters, dwell times, lines of noise.
    std::vector<std::pair<std::string, std::string>> details(const MeasurementHeader& header,
                                                             std::size_t chosen) const;

    /// The acquisitions of noise that may be of the coils of the chosen frames.
    std::set<std::size_t> noise_of(std::size_t chosen) const;

    /// The acquisitions that are read when `chosen` is, once its choice has been decided: noise
    /// of the image's coils, and what the chosen frames and their calibration need.
    std::vector<std::size_t> wanted(std::size_t chosen) const;

    /// Those of the chosen frames' samples, in us; of times that are the same to rounding one.
    std::set<float> dwells(std::size_t chosen) const;

    struct Acquisition {
        IsmrmrdRole role;
        std::uint16_t encoding = 0;
        RawCounters counters{};
        float dwell = 0; ///< in us
    };
    const Acquisition& acquisition(std::size_t index) const { return acquisitions_[index]; }

private:
    std::string with_image() const;

    std::vector<Acquisition> acquisitions_;
};

} // namespace lsrecon
