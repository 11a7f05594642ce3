#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "base/error.hpp"
#include "io/ismrmrd_rows.hpp"
#include "io/ismrmrd_writer.hpp"

namespace lsrecon {

namespace {

/// An element with its content on one line.
template <typename Content> std::string element(const std::string& name, const Content& content) {
    return text("<", name, ">", content, "</", name, ">\n");
}

/// The shortest digits that come back as the same number.
std::string exact(double value) {
    std::array<char, 32> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
    return {digits.data(), end};
}

std::string space(const std::string& name, const Grid& grid) {
    const auto& n = grid.size;
    const Vec3& fov = grid.fov_mm;
    return element(
        name,
        "\n" + element("matrixSize", element("x", n[0]) + element("y", n[1]) + element("z", n[2])) +
            element("fieldOfView_mm", element("x", exact(fov[0])) + element("y", exact(fov[1])) +
                                          element("z", exact(fov[2]))));
}

std::string limits(const std::string& name, std::size_t count, std::size_t center) {
    return element(name, element("minimum", 0) + element("maximum", count - 1) +
                             element("center", center));
}

/// The format's word for a trajectory; "other" where it has none.
std::string word_for(const Simulation& simulation) {
    const std::string& trajectory = simulation.trajectory;
    if (trajectory == "cartesian" &&
        simulation.readout_ends.front() != simulation.scan.grid.size[0]) {
        return "other"; // as dense as its trajectory says
    }
    static const std::vector<std::pair<std::string, std::string>> words{
        {"radial", "radial"},
        {"golden-angle", "goldenangle"},
        {"spiral", "spiral"},
        {"cartesian", "cartesian"},
    };
    for (const auto& [name, word] : words) {
        if (name == trajectory) {
            return word;
        }
    }
    return "other";
}

std::string encoding_limits(const Simulation& simulation) {
    const Grid& grid = simulation.scan.grid;
    const bool lines = simulation.trajectory == "cartesian";
    const std::size_t steps = simulation.readout_ends.size();
    constexpr std::size_t most = 65536;
    return limits("kspace_encoding_step_1", lines ? grid.size[1] : std::min(steps, most),
                  lines ? grid.size[1] / 2 : 0) +
           limits("kspace_encoding_step_2", lines ? grid.size[2] : 1 + (steps - 1) / most,
                  lines ? grid.size[2] / 2 : 0) +
           limits("repetition", simulation.scan.frames.size(), 0);
}

} // namespace

std::string ismrmrd_header_of(const Simulation& simulation) {
    const Grid& grid = simulation.scan.grid;
    // The schema demands a frequency. A simulation has none; this is that of hydrogen at 1.5 T.
    constexpr long at_1_5_tesla = 63866218;
    const std::string units =
        element("userParameterString",
                element("name", "trajectory_units") + element("value", IsmrmrdRows::units));
    return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
           "<ismrmrdHeader xmlns=\"http://www.ismrm.org/ISMRMRD\">\n" +
           element("acquisitionSystemInformation",
                   element("systemVendor", "lsrecon simulate") +
                       element("receiverChannels", simulation.scan.coils())) +
           element("experimentalConditions", element("H1resonanceFrequency_Hz", at_1_5_tesla)) +
           element("encoding", "\n" + space("encodedSpace", grid) + space("reconSpace", grid) +
                                   element("encodingLimits", encoding_limits(simulation)) +
                                   element("trajectory", word_for(simulation))) +
           element("userParameters", units) + "</ismrmrdHeader>\n";
}

} // namespace lsrecon
