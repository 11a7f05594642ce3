#pragma once

#include "base/input_file.hpp"
#include "io/ismrmrd/file.hpp"

namespace lsrecon {

/// ISMRMRD raw data as the stream that libismrmrd (1.12 and later) writes and that reconstruction
/// servers are sent: messages one after the other, each a number of 16 bits and its content,
/// little-endian (mrd_messages.md and serialization.cpp of the ISMRMRD project). Debian 12 and 13
/// and Ubuntu 24.04 have libismrmrd 1.8, which cannot read it; its reader (1.15) makes room for
/// whatever a damaged header claims. Here nothing is taken that the file does not hold.
class IsmrmrdStream final : public IsmrmrdFile {
public:
    /// Whether the first messages lead to a header in XML.
    static bool recognises(const InputFile& file);

    /// Reads every header. InputError when a message is unknown or cut off, when there are two
    /// headers in XML or no end, or for anything behind the end. The file must outlive it.
    explicit IsmrmrdStream(const InputFile& file);

    const std::string& path() const override { return file_.path(); }
    std::string data_name() const override { return "stream"; }
    std::string xml_name() const override { return "header of the stream"; }
    std::string xml() const override { return xml_; }
    void read_headers(const std::function<void(const IsmrmrdHeader&)>& take) const override;
    void add_waveforms(std::vector<std::pair<std::string, std::string>>& details) const override;
    void read(const std::vector<std::size_t>& wanted, const Take& take) const override;

private:
    struct Stored {
        IsmrmrdHeader header;
        std::uint64_t place; ///< place of its arrays in the file
    };
    const InputFile& file_;
    std::string xml_;
    std::vector<Stored> stored_;
    std::size_t waveforms_ = 0;
};

} // namespace lsrecon
