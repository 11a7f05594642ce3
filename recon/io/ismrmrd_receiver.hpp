#pragma once

#include <optional>
#include <string>
#include <vector>

#include "io/ismrmrd_contents.hpp"
#include "io/ismrmrd_file.hpp"
#include "io/raw_acquisitions.hpp"
#include "io/raw_noise.hpp"

namespace lsrecon {

/// Where the acquisitions of a scan go: to its frames, its coil maps or its noise. One that cannot
/// be read, or has other sizes than its header, is an error of its frame where `bad_frames` allows,
/// and of the file where it is of noise or calibration, which all frames need.
class IsmrmrdReceiver final : public IsmrmrdFile::Receiver {
public:
    /// All must outlive it.
    IsmrmrdReceiver(const IsmrmrdFile& file, const IsmrmrdContents& contents,
                    RawAcquisitionSorter& sorter, bool bad_frames)
        : file_(file), contents_(contents), sorter_(sorter), bad_frames_(bad_frames) {}

    void take(std::size_t index, const IsmrmrdAcquisition& acquisition) override;
    void lose(std::size_t index, const InputError& error) override;
    bool still_wanted(std::size_t index) const override;

    /// After the last. HDF5 (1.10) gives zeros for some damaged arrays: those of a file in which
    /// others were lost count as lost, and are noted elsewhere.
    void end(std::vector<std::string>& remarks);

    const RawNoise& noise() const { return noise_; }
    /// Acquisitions of calibration alone that it took, whether they serve or not.
    std::size_t calibrations() const { return calibrations_; }

private:
    std::string name_of(std::size_t index) const;
    /// InputError for other coils than those of what was used before, where headers say which.
    void require_same_coils(std::size_t index, const IsmrmrdHeader& header);

    struct Zeros {
        std::size_t index;
        RawPlace place;
    };
    const IsmrmrdFile& file_;
    const IsmrmrdContents& contents_;
    RawAcquisitionSorter& sorter_;
    bool bad_frames_;
    RawNoise noise_;
    /// The first acquisition that says which coils it is of.
    std::optional<IsmrmrdContents::CoilsOf> coils_;
    std::size_t calibrations_ = 0;
    std::size_t lost_ = 0;
    std::vector<Zeros> zeros_;
};

} // namespace lsrecon
