#include "engines/tuning.hpp"

namespace lsrecon {

std::string ChosenParameters::text() const {
    return values.empty() ? "" : to_text(values) + " (" + origin + ")";
}

std::string ChosenParameters::defines() const {
    std::string result;
    for (const auto& [name, value] : values) {
        result += " -D" + name + "=" + std::to_string(value);
    }
    return result;
}

} // namespace lsrecon
