#include "io/page_curves.hpp"

#include <nlohmann/json.hpp>

#include "base/error.hpp"

namespace lsrecon {

namespace {

constexpr std::size_t most_curves = 40;

std::string in_record(const StoredImage& image, const std::string& name) {
    for (const auto& [known, value] : image.about.record) {
        if (known == name) {
            return value;
        }
    }
    return "";
}

} // namespace

void add_residuals(nlohmann::json& data, const StoredImage& image) {
    data["residuals"] = nlohmann::json::array();
    std::size_t solves = 0;
    for (const ImageFrame& frame : image.about.frames) {
        for (const auto& curve : frame.residuals) {
            if (++solves <= most_curves) {
                data["residuals"].push_back(curve);
            }
        }
    }
    data["solves"] = solves;
}

void add_lambda_curve(nlohmann::json& data, const StoredImage& image) {
    data["lambda_rule"] = in_record(image, "lambda_rule");
    data["lambda_curve"] = nlohmann::json::array();
    const std::string chosen = in_record(image, "lambda");
    for (const RecordTable& table : image.about.tables) {
        const std::size_t columns = table.columns.size();
        for (std::size_t at = 0; at < table.values.size(); at += columns) {
            nlohmann::json point{{"chosen", text(table.values[at]) == chosen}};
            for (std::size_t c = 0; c < columns; ++c) {
                point[table.columns[c]] = table.values[at + c];
            }
            data["lambda_curve"].push_back(std::move(point));
        }
    }
}

} // namespace lsrecon
