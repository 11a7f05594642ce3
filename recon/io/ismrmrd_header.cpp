#include "io/ismrmrd_header.hpp"

#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "io/epi_ramps.hpp"
#include "scan/units.hpp"

namespace lsrecon {

namespace {

const std::array<std::string, 3> axes{"x", "y", "z"};

Grid read_grid(const XmlElement& encoding, const ReadOptions& options,
               std::vector<std::string>& remarks) {
    const std::vector<double> matrix = options.given("matrix");
    const std::vector<double> fov_mm = options.given("fov_mm");
    Grid grid;
    for (std::size_t d = 0; d < 3; ++d) {
        grid.size[d] = d < matrix.size() ? static_cast<std::size_t>(matrix[d])
                                         : encoding.whole("encodedSpace/matrixSize/" + axes[d], 1);
    }
    grid.dimensions = grid.size[2] == 1 ? 2 : 3;
    for (std::size_t d = 0; d < 3; ++d) {
        const std::string path = "encodedSpace/fieldOfView_mm/" + axes[d];
        // In two dimensions the third is the slice thickness, which does not change the image.
        const bool needed = static_cast<int>(d) < grid.dimensions;
        const bool stored = encoding.has(path) && encoding.number(path) != 0.0;
        if (d < fov_mm.size()) {
            grid.fov_mm[d] = fov_mm[d];
        } else if (needed || stored) {
            grid.fov_mm[d] =
                encoding.positive(path, "a length above 0, in mm; --header fov_mm=X,Y gives one");
        }
    }
    const std::string note = fov_mm.empty() ? metres_to_mm(grid.fov_mm, grid.dimensions) : "";
    if (!note.empty()) {
        remarks.push_back(note);
    }
    return grid;
}

/// Where the image is meant to be; nothing when a number is missing.
std::optional<RawSpace> read_recon_space(const XmlElement& encoding,
                                         std::vector<std::string>& remarks) {
    if (!encoding.has("reconSpace")) {
        return std::nullopt;
    }
    RawSpace space;
    for (std::size_t d = 0; d < 3; ++d) {
        const auto voxels = encoding.number("reconSpace/matrixSize/" + axes[d]);
        const auto length = encoding.number("reconSpace/fieldOfView_mm/" + axes[d]);
        if (!voxels || !length || *voxels < 1 || *voxels > longest_side || *length <= 0) {
            remarks.push_back("reconSpace of the header is not used: it lacks a number");
            return std::nullopt;
        }
        space.size[d] = static_cast<std::size_t>(*voxels);
        space.fov_mm[d] = *length;
    }
    metres_to_mm(space.fov_mm, 3); // noted of the encoded space
    return space;
}

/// What the header calls a trajectory that encoding steps do not describe; "" when they may.
std::string stored_trajectory(const XmlElement& encoding, bool ramps_known) {
    const std::string name = encoding.word("trajectory");
    const std::string kind = lower_case(name);
    if (kind == "epi") {
        return ramps_known ? ""
                           : name + ", and there is no trajectoryDescription ConventionalEPI that "
                                    "says how its gradients ramp while samples are taken";
    }
    return kind == "cartesian" || kind == "other" ? "" : name.empty() ? "unknown" : name;
}

long encode_center(const XmlElement& encoding, const std::string& step, std::size_t size) {
    const std::string path = "encodingLimits/" + step + "/center";
    return static_cast<long>(encoding.has(path) ? encoding.whole(path, 0) : size / 2);
}

void note_acceleration(const XmlElement& encoding, std::vector<std::string>& remarks) {
    const std::string factors = "parallelImaging/accelerationFactor/kspace_encoding_step_";
    const auto first = encoding.number(factors + "1").value_or(1);
    const auto second = encoding.number(factors + "2").value_or(1);
    if (first > 1 || second > 1) {
        remarks.push_back(text("the header calls the scan accelerated by ", first, " x ", second,
                               " (parallelImaging)"));
    }
}

} // namespace

MeasurementHeader::MeasurementHeader(const std::string& xml, const std::string& file,
                                     const std::string& dataset)
    : root_(XmlElement::parse(xml, "ismrmrdHeader", file, dataset)), file_(file),
      encodings_(root_.all("encoding")) {
    if (encodings_.empty()) {
        throw InputError({file, dataset + ", encoding", "it is missing", "at least one encoding",
                          "write the header again; ismrmrd.xsd of the ISMRMRD project describes "
                          "it"});
    }
}

RawEncoding MeasurementHeader::encoding(std::size_t index, std::vector<std::string>& remarks,
                                        const ReadOptions& options) const {
    const XmlElement& encoding = encodings_.at(index);
    RawEncoding result;
    result.file = file_;
    result.grid = read_grid(encoding, options, remarks);
    result.echo_train = lower_case(encoding.word("trajectory")) == "epi";
    if (result.echo_train) {
        if (const auto trapezoid = read_trapezoid(encoding)) {
            result.ramps = positions_along(*trapezoid, result.grid.size[0]);
        }
    }
    result.stored_trajectory = stored_trajectory(encoding, result.ramps.has_value());
    result.encode_centers = {
        encode_center(encoding, "kspace_encoding_step_1", result.grid.size[1]),
        encode_center(encoding, "kspace_encoding_step_2", result.grid.size[2])};
    result.recon = read_recon_space(encoding, remarks);
    note_acceleration(encoding, remarks);
    return result;
}

std::string MeasurementHeader::summary(std::size_t index) const {
    const XmlElement& encoding = encodings_.at(index);
    const auto space = [&](const std::string& name) {
        const auto of = [&](const std::string& what) {
            std::string result;
            for (const std::string& axis : axes) {
                const std::string word = encoding.word(name + "/" + what + "/" + axis);
                result += (result.empty() ? "" : " x ") + (word.empty() ? "?" : word);
            }
            return result;
        };
        return "matrix " + of("matrixSize") + ", FOV " + of("fieldOfView_mm") + " mm";
    };
    const std::string trajectory = encoding.word("trajectory");
    std::string result =
        (trajectory.empty() ? "no trajectory named" : trajectory) + ", " + space("encodedSpace");
    if (encoding.has("reconSpace") && space("reconSpace") != space("encodedSpace")) {
        result += "; for images of " + space("reconSpace");
    }
    return result;
}

double MeasurementHeader::noise_bandwidth() const {
    const std::string path = "acquisitionSystemInformation/relativeReceiverNoiseBandwidth";
    return root_.has(path) ? root_.positive(path, "a number above 0") : 1;
}

std::vector<std::pair<std::string, std::string>> MeasurementHeader::details() const {
    std::vector<std::pair<std::string, std::string>> result;
    for (const XmlElement& parameters : root_.all("userParameters")) {
        for (const std::string kind :
             {"userParameterLong", "userParameterDouble", "userParameterString"}) {
            for (const XmlElement& parameter : parameters.all(kind)) {
                result.emplace_back("parameter",
                                    parameter.word("name") + " = " + parameter.word("value"));
            }
        }
        for (const XmlElement& parameter : parameters.all("userParameterBase64")) {
            result.emplace_back("parameter",
                                text(parameter.word("name"), " = ", parameter.word("value").size(),
                                     " characters of base64"));
        }
    }
    for (const XmlElement& waveform : root_.all("waveformInformation")) {
        result.emplace_back("waveform",
                            waveform.word("waveformName") + ", " + waveform.word("waveformType"));
    }
    return result;
}

} // namespace lsrecon
