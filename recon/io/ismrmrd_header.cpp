#include "io/ismrmrd_header.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <pugixml.hpp>

#include "base/error.hpp"

namespace lsrecon {

namespace {

constexpr double largest_whole = 65535; // xs:unsignedShort of the format

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

/// One encoding of the header; elements are named by their path below it.
class EncodingReader {
public:
    EncodingReader(pugi::xml_node encoding, std::string file, std::string dataset)
        : encoding_(encoding), file_(std::move(file)), dataset_(std::move(dataset)) {}

    bool has(const std::string& path) const {
        return !encoding_.first_element_by_path(path.c_str()).empty();
    }

    std::string word(const std::string& path) const {
        return trimmed(encoding_.first_element_by_path(path.c_str()).text().get());
    }

    std::optional<double> number(const std::string& path) const { return to_number(word(path)); }

    /// A whole number from `lowest` to 65535.
    std::size_t whole(const std::string& path, double lowest) const {
        const std::optional<double> value = number(path);
        if (!value || *value != std::floor(*value) || *value < lowest || *value > largest_whole) {
            refuse(path, text("a whole number from ", lowest, " to ", largest_whole));
        }
        return static_cast<std::size_t>(*value);
    }

    double length(const std::string& path) const {
        const std::optional<double> value = number(path);
        if (!value || !(*value > 0)) {
            refuse(path, "a length above 0, in mm");
        }
        return *value;
    }

private:
    [[noreturn]] void refuse(const std::string& path, const std::string& expected) const {
        throw InputError({file_, text(dataset_, ", encoding/", path),
                          has(path) ? "\"" + word(path).substr(0, 40) + "\"" : "it is missing",
                          expected, "correct the ISMRMRD header"});
    }

    pugi::xml_node encoding_;
    std::string file_;
    std::string dataset_;
};

const std::array<std::string, 3> axes{"x", "y", "z"};

Grid read_grid(const EncodingReader& encoding) {
    Grid grid;
    for (std::size_t d = 0; d < 3; ++d) {
        grid.size[d] = encoding.whole("encodedSpace/matrixSize/" + axes[d], 1);
    }
    grid.dimensions = grid.size[2] == 1 ? 2 : 3;
    for (std::size_t d = 0; d < 3; ++d) {
        const std::string path = "encodedSpace/fieldOfView_mm/" + axes[d];
        // In two dimensions the third is the slice thickness, which does not change the image.
        const bool needed = static_cast<int>(d) < grid.dimensions;
        const bool given = encoding.has(path) && encoding.number(path) != 0.0;
        grid.fov_mm[d] = needed || given ? encoding.length(path) : 1;
    }
    return grid;
}

/// Matrix and field of view as the header says them; nothing when a number is missing.
std::optional<std::string> described(const EncodingReader& encoding, const std::string& space) {
    std::array<double, 3> matrix{};
    std::array<double, 3> fov{};
    for (std::size_t d = 0; d < 3; ++d) {
        const auto voxels = encoding.number(space + "/matrixSize/" + axes[d]);
        const auto length = encoding.number(space + "/fieldOfView_mm/" + axes[d]);
        if (!voxels || !length) {
            return std::nullopt;
        }
        matrix[d] = *voxels;
        fov[d] = *length;
    }
    return text("matrix ", matrix[0], " x ", matrix[1], " x ", matrix[2], ", FOV ", fov[0], " x ",
                fov[1], " x ", fov[2], " mm");
}

void compare_spaces(const EncodingReader& encoding, std::vector<std::string>& remarks) {
    if (!encoding.has("reconSpace")) {
        return;
    }
    const auto encoded = described(encoding, "encodedSpace");
    const auto wanted = described(encoding, "reconSpace");
    if (!wanted) {
        remarks.push_back("reconSpace of the header is not used: it lacks a number");
    } else if (encoded && encoded != wanted) {
        remarks.push_back("the image covers the encoded space (" + *encoded +
                          "), not the reconstruction space (" + *wanted + ")");
    }
}

/// What the header calls a trajectory that encoding steps do not describe; "" when they may.
std::string stored_trajectory(const EncodingReader& encoding) {
    const std::string name = encoding.word("trajectory");
    const std::array<std::string, 3> lines{"cartesian", "epi", "other"};
    const bool of_lines = std::find(lines.begin(), lines.end(), lower_case(name)) != lines.end();
    return of_lines ? "" : name.empty() ? "unknown" : name;
}

long encode_center(const EncodingReader& encoding, const std::string& step, std::size_t size) {
    const std::string path = "encodingLimits/" + step + "/center";
    return static_cast<long>(encoding.has(path) ? encoding.whole(path, 0) : size / 2);
}

void tell_acceleration(const EncodingReader& encoding, std::vector<std::string>& remarks) {
    const std::string factors = "parallelImaging/accelerationFactor/kspace_encoding_step_";
    const auto first = encoding.number(factors + "1").value_or(1);
    const auto second = encoding.number(factors + "2").value_or(1);
    if (first > 1 || second > 1) {
        remarks.push_back(text("the header calls the scan accelerated by ", first, " x ", second,
                               " (parallelImaging)"));
    }
}

} // namespace

RawEncoding read_ismrmrd_header(const std::string& xml, const std::string& file,
                                const std::string& dataset, std::vector<std::string>& remarks) {
    const auto refuse = [&](const std::string& thing, const std::string& found,
                            const std::string& expected) {
        throw InputError(
            {file, thing, found, expected,
             "write the header again; ismrmrd.xsd of the ISMRMRD project describes it"});
    };
    pugi::xml_document document;
    const pugi::xml_parse_result parsed = document.load_buffer(xml.data(), xml.size());
    if (!parsed) {
        refuse(dataset,
               text("it does not parse: ", parsed.description(), " at character ", parsed.offset,
                    " of ", xml.size()),
               "an ISMRMRD header in XML");
    }
    const pugi::xml_node root = document.child("ismrmrdHeader");
    if (!root) {
        refuse(dataset, text("its root element is \"", document.document_element().name(), '"'),
               "ismrmrdHeader");
    }
    if (!root.child("encoding")) {
        refuse(dataset + ", encoding", "it is missing", "at least one encoding");
    }
    const EncodingReader encoding(root.child("encoding"), file, dataset);
    RawEncoding result;
    result.file = file;
    result.grid = read_grid(encoding);
    result.stored_trajectory = stored_trajectory(encoding);
    result.encode_centers = {
        encode_center(encoding, "kspace_encoding_step_1", result.grid.size[1]),
        encode_center(encoding, "kspace_encoding_step_2", result.grid.size[2])};
    compare_spaces(encoding, remarks);
    tell_acceleration(encoding, remarks);
    return result;
}

} // namespace lsrecon
