#pragma once

#include <string>
#include <utility>
#include <vector>

#include "io/formats.hpp"
#include "io/ismrmrd_xml.hpp"
#include "io/raw_encoding.hpp"

namespace lsrecon {

/// The XML header of an ISMRMRD file: what this program uses of it, element by element, so that a
/// message names the element at fault, a number is read whole or refused, and what is not needed
/// may be missing or odd. InputError with the first thing that is wrong.
///
/// libismrmrd's own deserialize (1.8) is not used: it reads 65552 as 16 and 24O as 24, it refuses a
/// header for elements that nothing here needs without naming them, and it prints.
class MeasurementHeader {
public:
    MeasurementHeader(const std::string& xml, const std::string& file, const std::string& dataset);

    std::size_t encodings() const { return encodings_.size(); }
    /// `remarks` gets what the user should know of it. Of the encoded space the numbers that the
    /// user gives (ReadOptions::header) are taken.
    RawEncoding encoding(std::size_t index, std::vector<std::string>& remarks,
                         const ReadOptions& options = {}) const;

    /// "radial, matrix 128 x 128 x 1, FOV 240 x 240 x 5 mm": what is written, right or wrong.
    std::string summary(std::size_t index) const;

    /// Bandwidth of noise over that of a sample, relativeReceiverNoiseBandwidth; 1 when absent.
    double noise_bandwidth() const;

    /// User parameters and what is said of waveforms, by name.
    std::vector<std::pair<std::string, std::string>> details() const;

private:
    XmlElement root_;
    std::string file_;
    std::vector<XmlElement> encodings_;
};

} // namespace lsrecon
