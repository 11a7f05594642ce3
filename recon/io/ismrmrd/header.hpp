// The XML header of raw data: its elements, encodings and parameters.

#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "io/formats.hpp"
#include "scan/grid.hpp"

namespace lsrecon {

/// One element of an ISMRMRD header. Those below it are named by their path, "matrixSize/x". A
/// number is read whole or refused, and every InputError names file, dataset and element.
class XmlElement {
public:
    /// The root element of the text. InputError when it does not parse or has another name.
    static XmlElement parse(const std::string& xml, const std::string& root,
                            const std::string& file, const std::string& dataset);

    bool has(const std::string& path) const;
    /// "" when it is missing. "16 and 32", which is no number, when there are two.
    std::string word(const std::string& path) const;
    std::optional<double> number(const std::string& path) const;
    std::optional<double> own_number() const; ///< that of the element itself
    /// A whole number from `lowest` to 65535; else the next step is `next`.
    std::size_t whole(const std::string& path, double lowest,
                      const std::string& next = "correct the ISMRMRD header") const;
    /// A number above 0.
    double positive(const std::string& path, const std::string& meaning) const;
    /// The elements of this name directly below.
    std::vector<XmlElement> all(const std::string& name) const;
    [[noreturn]] void refuse(const std::string& path, const std::string& expected,
                             const std::string& next = "correct the ISMRMRD header") const;

private:
    struct Node;
    explicit XmlElement(std::shared_ptr<const Node> node) : node_(std::move(node)) {}

    std::shared_ptr<const Node> node_;
};

/// The word without blanks at its ends.
std::string trimmed(const std::string& word);
std::string lower_case(std::string word);

/// A matrix and its field of view in mm, as the header says them.
struct RawSpace {
    std::array<std::size_t, 3> size{1, 1, 1};
    Vec3 fov_mm{1, 1, 1};
};

/// The source of acquisitions and the space that they encode.
struct RawEncoding {
    std::string file;
    std::string dataset; ///< dataset of the acquisitions, for messages
    Grid grid; ///< the encoded space
    std::optional<RawSpace> recon; ///< the space that the image is meant for
    std::array<long, 2> encode_centers{0, 0}; ///< the steps that lie at the centre of k-space
    std::array<bool, 2> center_is_stored{}; ///< whether the header says that
    /// The name in the header of the trajectory when acquisitions must store it; "" otherwise.
    std::string stored_trajectory;
    bool some_reversed = false; ///< acquisitions run backwards
    bool echo_train = false; ///< EPI: several acquisitions may share an excitation
    std::vector<double> echo_times; ///< s, of each contrast, as far as the header says them
    /// The position of sample i, in cycles per encoded field of view, in EPI whose gradients ramp
    /// while samples are taken, for acquisitions that store no trajectory. Backwards when reversed.
    std::vector<double> ramps;
};

/// The part of the encoded space that the field of view of `recon` has, at the encoded voxel size.
Grid encoded_within(const RawSpace& recon, const Grid& encoded);

/// The `header` options, in words, by which the encoded space becomes this grid.
std::string header_options(const Grid& grid);

/// The grid of the image, and its size relative to the encoded space.
struct RawImageSpace {
    Grid grid;
    /// Factors from cycles per encoded field of view to cycles per field of view of `grid`.
    Vec3 factor{1, 1, 1};

    bool oversampled() const { return factor[0] < 1; }
};

/// The space of the image. Only readouts (along x) are sampled more densely than the image needs,
/// and their field of view comes back to that of reconSpace, at the encoded voxel size. Readouts on
/// lines (`lines`) can be made shorter, whatever y and z are. Elsewhere the grid becomes smaller
/// only when the two spaces are the same along y: phase oversampling keeps what folds in out of the
/// image, and a larger matrix is interpolation, which --matrix asks for. Along z slices may be
/// oversampled as well.
RawImageSpace image_space(const RawEncoding& encoding, bool lines, std::vector<std::string>& facts);

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
    /// `findings` gets what the user should know of it. Of the encoded space the numbers that the
    /// user gives (ReadOptions::header) are taken.
    RawEncoding encoding(std::size_t index, Findings& findings,
                         const ReadOptions& options = {}) const;

    bool echo_train(std::size_t index) const; ///< as RawEncoding::echo_train
    /// calibrationMode of parallelImaging: "embedded", "separate" and others; "" where there is
    /// none.
    std::string calibration_mode(std::size_t index) const;

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
