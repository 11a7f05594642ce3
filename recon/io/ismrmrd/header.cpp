// Parses the XML header by pugixml: grid, encoding limits, gradient ramps of EPI, and the details
// that are shown to users.

#include "io/ismrmrd/header.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <pugixml.hpp>

#include "base/error.hpp"
#include "base/numbers.hpp"
#include "scan/pose.hpp"
#include "scan/units.hpp"

namespace lsrecon {

namespace {

const std::array<std::string, 3> axes{"x", "y", "z"};

/// "matrix=48,48,1": the encoded one in the nearest whole numbers, "X" for what is no number.
std::string nearest_matrix(const XmlElement& encoding) {
    std::vector<std::string> sizes{"X", "Y", "Z"};
    for (std::size_t d = 0; d < sizes.size(); ++d) {
        const double size = encoding.number("encodedSpace/matrixSize/" + axes[d]).value_or(0);
        if (size >= 0.5 && size <= longest_side) {
            sizes[d] = text(std::round(size));
        }
    }
    return "matrix=" + separated_by(",", sizes);
}

Grid read_grid(const XmlElement& encoding, const ReadOptions& options, Findings& findings) {
    const std::vector<double> matrix = options.given("matrix");
    const std::vector<double> fov_mm = options.given("fov_mm");
    Grid grid;
    for (std::size_t d = 0; d < 3; ++d) {
        grid.size[d] = d < matrix.size()
                           ? static_cast<std::size_t>(matrix[d])
                           : encoding.whole("encodedSpace/matrixSize/" + axes[d], 1,
                                            "correct the ISMRMRD header, or pass `header` " +
                                                nearest_matrix(encoding));
    }
    grid.dimensions = grid.size[2] == 1 ? 2 : 3;
    for (std::size_t d = 0; d < 3; ++d) {
        const std::string path = "encodedSpace/fieldOfView_mm/" + axes[d];
        // The third field of view is the slice thickness in two dimensions, which does not change
        // the image.
        const bool needed = static_cast<int>(d) < grid.dimensions;
        const bool stored = encoding.has(path) && encoding.number(path) != 0.0;
        if (d < fov_mm.size()) {
            grid.fov_mm[d] = fov_mm[d];
        } else if (needed || stored) {
            grid.fov_mm[d] =
                encoding.positive(path, "a length above 0, in mm; `header` fov_mm=X,Y gives one");
        }
    }
    const auto metres = fov_mm.empty() ? metres_to_mm(grid.fov_mm, grid.dimensions) : std::nullopt;
    if (metres) {
        findings.push_back(*metres);
    }
    return grid;
}

/// The space that the image is meant for; nothing when a number is missing.
std::optional<RawSpace> read_recon_space(const XmlElement& encoding, Findings& findings) {
    if (!encoding.has("reconSpace")) {
        return std::nullopt;
    }
    RawSpace space;
    for (std::size_t d = 0; d < 3; ++d) {
        const auto voxels = encoding.number("reconSpace/matrixSize/" + axes[d]);
        const auto length = encoding.number("reconSpace/fieldOfView_mm/" + axes[d]);
        if (!voxels || !length || *voxels < 1 || *voxels > longest_side || *length <= 0) {
            findings.push_back({Found::recon_space_unused});
            return std::nullopt;
        }
        space.size[d] = static_cast<std::size_t>(std::round(*voxels));
        space.fov_mm[d] = *length;
    }
    metres_to_mm(space.fov_mm, 3); // noted of the encoded space
    return space;
}

/// The name in the header of a trajectory that encoding steps do not describe; "" when they may.
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

/// The centres of both encoding steps, by default floor(N/2).
void read_encode_centers(const XmlElement& encoding, RawEncoding& result) {
    for (std::size_t i = 0; i < 2; ++i) {
        const std::string path = text("encodingLimits/kspace_encoding_step_", i + 1, "/center");
        result.center_is_stored[i] = encoding.has(path);
        result.encode_centers[i] = static_cast<long>(
            encoding.has(path) ? encoding.whole(path, 0) : result.grid.size[i + 1] / 2);
    }
}

/// A readout gradient and when it was sampled, all times in us from where the gradient starts.
struct Trapezoid {
    double ramp_up = 0;
    double flat_top = 0;
    double ramp_down = 0;

    /// The gradient's area from its start to time t, for an amplitude of 1.
    double area(double t) const {
        const double up = std::clamp(t, 0.0, ramp_up);
        const double flat = std::clamp(t - ramp_up, 0.0, flat_top);
        const double down = std::clamp(t - ramp_up - flat_top, 0.0, ramp_down);
        const double rise = ramp_up > 0 ? up * up / (2 * ramp_up) : 0;
        const double fall = ramp_down > 0 ? down - down * down / (2 * ramp_down) : 0;
        return rise + flat + fall;
    }
};

double number_of(const XmlElement& description, const std::string& name) {
    for (const std::string kind : {"userParameterLong", "userParameterDouble"}) {
        for (const XmlElement& parameter : description.all(kind)) {
            if (parameter.word("name") == name) {
                const auto number = parameter.number("value");
                if (!number || *number < 0) {
                    parameter.refuse("value", "a number from 0 for " + name);
                }
                return *number;
            }
        }
    }
    description.refuse("userParameterLong " + name,
                       "one of rampUpTime, flatTopTime, rampDownTime, acqDelayTime, dwellTime (us) "
                       "and numSamples, which say where samples lie");
}

/// RawEncoding::ramps, from trajectoryDescription ConventionalEPI; none without it. A sample is
/// taken in the middle of its dwell time, k is 0 halfway through the time of all samples, and that
/// time covers `matrix` cycles. InputError when a time is missing or odd.
std::vector<double> read_ramps(const XmlElement& encoding, std::size_t matrix) {
    const std::vector<XmlElement> descriptions = encoding.all("trajectoryDescription");
    if (descriptions.empty() || descriptions.front().word("identifier") != "ConventionalEPI") {
        return {};
    }
    const XmlElement& description = descriptions.front();
    const Trapezoid gradient{number_of(description, "rampUpTime"),
                             number_of(description, "flatTopTime"),
                             number_of(description, "rampDownTime")};
    const double delay = number_of(description, "acqDelayTime");
    const double dwell = number_of(description, "dwellTime");
    const double samples = number_of(description, "numSamples");
    const double end = gradient.ramp_up + gradient.flat_top + gradient.ramp_down;
    constexpr double most_samples = 65535; // of an acquisition
    constexpr double rounding = 1; // us: times of a header may be whole ones
    const double last = delay + samples * dwell;
    const double covered = gradient.area(last) - gradient.area(delay);
    const bool whole = samples == std::floor(samples) && samples >= 1 && samples <= most_samples;
    if (!whole || !(covered > 0) || last > end + rounding) {
        description.refuse("identifier",
                           text("samples within the gradient's ", end, " us; ", samples, " of ",
                                dwell, " us begin at ", delay, " us"));
    }
    const double center = gradient.area(delay + samples * dwell / 2);
    std::vector<double> k;
    for (double i = 0; i < samples; ++i) {
        const double area = gradient.area(delay + dwell * (i + 0.5));
        k.push_back(static_cast<double>(matrix) * (area - center) / covered);
    }
    return k;
}

bool same_in(std::size_t d, const Grid& grid, const RawSpace& space, int dimensions) {
    return static_cast<int>(d) >= dimensions ||
           (grid.size[d] == space.size[d] && are_same_length(grid.fov_mm[d], space.fov_mm[d]));
}

template <typename Space> std::string described(const Space& space) {
    return text("matrix ", by(space.size, 3), ", FOV ", by(space.fov_mm, 3), " mm");
}

} // namespace

struct XmlElement::Node {
    std::shared_ptr<const pugi::xml_document> document;
    pugi::xml_node node;
    std::string file;
    std::string dataset;
    std::string path_of_element; ///< what messages call the element: "encoding/"; "" for the root
};

namespace {

constexpr double largest_whole = 65535; // xs:unsignedShort of the format

/// The finite number that the whole of a word says.
std::optional<double> to_number(const std::string& word) {
    // strtod would also take hexadecimal digits and names.
    if (word.empty() || word.find_first_not_of("+-.0123456789eE") != std::string::npos) {
        return std::nullopt;
    }
    char* end = nullptr;
    const double value = std::strtod(word.c_str(), &end);
    return *end == '\0' && std::isfinite(value) ? std::optional<double>(value) : std::nullopt;
}

/// Leaves out the prefix of the root element's namespace: of ns0:ismrmrdHeader, ns0:encoding is
/// encoding.
struct PrefixRemover : pugi::xml_tree_walker {
    explicit PrefixRemover(const std::string& root)
        : prefix(root.substr(0, root.find(':') + 1)) {} // none without a colon
    bool for_each(pugi::xml_node& node) override {
        const std::string name = node.name();
        if (!prefix.empty() && name.compare(0, prefix.size(), prefix) == 0) {
            node.set_name(name.substr(prefix.size()).c_str());
        }
        return true;
    }
    std::string prefix;
};

} // namespace

std::string trimmed(const std::string& word) {
    const char* const blanks = " \t\r\n";
    const std::size_t first = word.find_first_not_of(blanks);
    return first == std::string::npos
               ? ""
               : word.substr(first, word.find_last_not_of(blanks) - first + 1);
}

std::string lower_case(std::string word) {
    std::transform(word.begin(), word.end(), word.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return word;
}

XmlElement XmlElement::parse(const std::string& xml, const std::string& root,
                             const std::string& file, const std::string& dataset) {
    const auto refuse = [&](const std::string& found, const std::string& expected) {
        throw InputError(
            {file, dataset, found, expected,
             "write the header again; ismrmrd.xsd of the ISMRMRD project describes it"});
    };
    const auto document = std::make_shared<pugi::xml_document>();
    const pugi::xml_parse_result parsed = document->load_buffer(xml.data(), xml.size());
    if (!parsed) {
        refuse(text("it does not parse: ", parsed.description(), " at character ", parsed.offset,
                    " of ", xml.size()),
               "an ISMRMRD header in XML");
    }
    PrefixRemover prefix_remover(document->document_element().name());
    document->traverse(prefix_remover);
    const pugi::xml_node node = document->child(root.c_str());
    if (!node) {
        refuse(text("its root element is \"", document->document_element().name(), '"'), root);
    }
    return XmlElement(std::make_shared<const Node>(Node{document, node, file, dataset, ""}));
}

bool XmlElement::has(const std::string& path) const {
    return !node_->node.first_element_by_path(path.c_str()).empty();
}

std::string XmlElement::word(const std::string& path) const {
    std::string all;
    const pugi::xml_node first = node_->node.first_element_by_path(path.c_str());
    for (pugi::xml_node one = first; one; one = one.next_sibling(first.name())) {
        std::string words;
        for (const pugi::xml_node& part : one.children()) { // a comment lies between two
            words += part.type() == pugi::node_element ? text("<", part.name(), ">") : part.value();
        }
        all += (all.empty() ? "" : " and ") + trimmed(words);
    }
    return all;
}

std::optional<double> XmlElement::number(const std::string& path) const {
    return to_number(word(path));
}

std::optional<double> XmlElement::own_number() const {
    return to_number(trimmed(node_->node.child_value()));
}

std::size_t XmlElement::whole(const std::string& path, double lowest,
                              const std::string& next) const {
    const std::optional<double> value = number(path);
    if (!value || *value != std::floor(*value) || *value < lowest || *value > largest_whole) {
        refuse(path, text("a whole number from ", lowest, " to ", largest_whole), next);
    }
    return static_cast<std::size_t>(*value);
}

double XmlElement::positive(const std::string& path, const std::string& meaning) const {
    const std::optional<double> value = number(path);
    if (!value || !(*value > 0)) {
        refuse(path, meaning);
    }
    return *value;
}

std::vector<XmlElement> XmlElement::all(const std::string& name) const {
    std::vector<XmlElement> result;
    for (const pugi::xml_node& child : node_->node.children(name.c_str())) {
        const std::string number = result.empty() ? "" : text(" ", result.size());
        Node node{node_->document, child, node_->file, node_->dataset, ""};
        node.path_of_element = node_->path_of_element + name + number + "/";
        result.push_back(XmlElement(std::make_shared<const Node>(std::move(node))));
    }
    return result;
}

void XmlElement::refuse(const std::string& path, const std::string& expected,
                        const std::string& next) const {
    throw InputError({node_->file, text(node_->dataset, ", ", node_->path_of_element, path),
                      has(path) ? "\"" + word(path).substr(0, 40) + "\"" : "it is missing",
                      expected, next});
}

Grid encoded_within(const RawSpace& recon, const Grid& encoded) {
    Grid grid = encoded;
    for (std::size_t d = 0; d < static_cast<std::size_t>(encoded.dimensions); ++d) {
        const double share = recon.fov_mm[d] / encoded.fov_mm[d];
        const double voxels = share * static_cast<double>(encoded.size[d]);
        grid.size[d] = static_cast<std::size_t>(std::max(1.0, std::round(voxels)));
        grid.fov_mm[d] = recon.fov_mm[d];
    }
    return grid;
}

std::string header_options(const Grid& grid) {
    const std::vector<double> fov_mm(grid.fov_mm.begin(), grid.fov_mm.begin() + grid.dimensions);
    return text("`header` matrix=", grid.size[0], ",", grid.size[1], ",", grid.size[2],
                " and `header` fov_mm=", separated_by(",", fov_mm));
}

RawImageSpace image_space(const RawEncoding& encoding, bool lines,
                          std::vector<std::string>& facts) {
    RawImageSpace image{encoding.grid};
    if (!encoding.recon) {
        return image;
    }
    const RawSpace& recon = *encoding.recon;
    const int dimensions = encoding.grid.dimensions;
    const auto same = [&](std::size_t d) { return same_in(d, image.grid, recon, dimensions); };
    const double encoded = static_cast<double>(encoding.grid.size[0]);
    const double shorter = std::round(encoded * recon.fov_mm[0] / encoding.grid.fov_mm[0]);
    const bool same_voxels = shorter == static_cast<double>(recon.size[0]) && same(1);
    if (shorter >= 1 && shorter < encoded && (lines || same_voxels)) {
        image.factor[0] = shorter / encoded;
        image.grid.size[0] = static_cast<std::size_t>(shorter);
        const double fov = encoding.grid.fov_mm[0] * image.factor[0];
        image.grid.fov_mm[0] = are_same_length(fov, recon.fov_mm[0]) ? recon.fov_mm[0] : fov;
        image.factor[0] = image.grid.fov_mm[0] / encoding.grid.fov_mm[0];
        facts.push_back(text("readouts are oversampled ", encoded / shorter, " times (encoded ",
                             described(encoding.grid), "): the image covers ",
                             described(image.grid)));
    }
    if (!(same(0) && same(1) && same(2))) {
        facts.push_back("the image covers " +
                        std::string(image.oversampled() ? "the readouts without oversampling"
                                                        : "the encoded space") +
                        " (" + described(image.grid) + "), not the reconstruction space (" +
                        described(recon) + "); `matrix` and `fov_mm` change that");
    }
    return image;
}

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

RawEncoding MeasurementHeader::encoding(std::size_t index, Findings& findings,
                                        const ReadOptions& options) const {
    const XmlElement& encoding = encodings_.at(index);
    RawEncoding result;
    result.file = file_;
    result.grid = read_grid(encoding, options, findings);
    result.echo_train = echo_train(index);
    if (result.echo_train) {
        result.ramps = read_ramps(encoding, result.grid.size[0]);
    }
    result.stored_trajectory = stored_trajectory(encoding, !result.ramps.empty());
    for (const XmlElement& sequence : root_.all("sequenceParameters")) {
        for (const XmlElement& echo : sequence.all("TE")) {
            result.echo_times.push_back(echo.own_number().value_or(NAN) / 1000);
        }
    }
    read_encode_centers(encoding, result);
    result.recon = read_recon_space(encoding, findings);
    return result;
}

bool MeasurementHeader::echo_train(std::size_t index) const {
    return lower_case(encodings_.at(index).word("trajectory")) == "epi";
}

std::string MeasurementHeader::calibration_mode(std::size_t index) const {
    return lower_case(encodings_.at(index).word("parallelImaging/calibrationMode"));
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
    const std::string design = encoding.word("trajectory");
    std::string result =
        (design.empty() ? "no trajectory named" : design) + ", " + space("encodedSpace");
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
