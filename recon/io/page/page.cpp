#include "io/page/page.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/base64.hpp"
#include "base/error.hpp"
#include "base/escaped.hpp"
#include "io/image/png.hpp"
#include "io/record.hpp"
#include "scan/directions.hpp"
#include "scan/failed_frames.hpp"

namespace lsrecon {

namespace {

using Json = nlohmann::json;

/// Thinner volumes lose more than a volume that is left out.
constexpr std::size_t enough_voxels = 96;

std::array<std::size_t, 3> steps_of(const Grid& grid, std::size_t step) {
    std::array<std::size_t, 3> steps{};
    for (std::size_t d = 0; d < 3; ++d) {
        steps[d] = std::min(step, grid.size[d]);
    }
    return steps;
}

std::array<std::size_t, 3> shown_size(const Grid& grid, std::size_t step) {
    std::array<std::size_t, 3> size{};
    for (std::size_t d = 0; d < 3; ++d) {
        const std::size_t by = steps_of(grid, step)[d];
        size[d] = (grid.size[d] + by - 1) / by;
    }
    return size;
}

/// The size of the pictures in base64, if they were noise.
double megabytes_of(const std::vector<PageSet>& sets, const PageLayout& layout) {
    double bytes = 0;
    for (const PageSet& set : sets) {
        const auto size = shown_size(set.volumes.about.grid, layout.step);
        bytes += static_cast<double>(size[0] * size[1] * size[2]) * (set.has_phase ? 2 : 1) *
                 static_cast<double>(std::min(set.volumes.frames(), layout.volumes));
    }
    return bytes * 4 / 3 / 1e6;
}

/// Bytes of the voxels that are shown, slice beside slice.
Picture side_by_side(const std::array<std::size_t, 3>& size,
                     const std::vector<unsigned char>& bytes) {
    const auto across =
        static_cast<std::size_t>(std::ceil(std::sqrt(static_cast<double>(size[2]))));
    Picture picture;
    picture.width = across * size[0];
    picture.height = (size[2] + across - 1) / across * size[1];
    picture.grey.assign(picture.width * picture.height, 0);
    for (std::size_t row = 0; row < size[1] * size[2]; ++row) {
        const std::size_t z = row / size[1];
        const std::size_t y = z / across * size[1] + row % size[1];
        std::copy_n(bytes.begin() + static_cast<long>(row * size[0]), size[0],
                    picture.grey.begin() +
                        static_cast<long>(y * picture.width + z % across * size[0]));
    }
    return picture;
}

std::vector<float> thinned(const Grid& grid, std::size_t step, const std::vector<float>& values) {
    const auto steps = steps_of(grid, step);
    std::vector<float> result;
    for (std::size_t z = 0; z < grid.size[2]; z += steps[2]) {
        for (std::size_t y = 0; y < grid.size[1]; y += steps[1]) {
            for (std::size_t x = 0; x < grid.size[0]; x += steps[0]) {
                result.push_back(values[(z * grid.size[1] + y) * grid.size[0] + x]);
            }
        }
    }
    return result;
}

template <typename ToUnit> std::string encoded(const Grid& grid, std::size_t step,
                                               const std::vector<float>& values, float black,
                                               float white, const ToUnit& to_unit) {
    std::vector<unsigned char> bytes;
    std::vector<float> shown = thinned(grid, step, values);
    const auto size = shown_size(grid, step);
    cross_out(shown, size[0], size[1], white, black);
    for (const float value : shown) {
        const double unit = std::clamp(to_unit(static_cast<double>(value)), 0.0, 1.0);
        bytes.push_back(static_cast<unsigned char>(std::lround(255 * unit)));
    }
    return base64(png_bytes(side_by_side(size, bytes)));
}

double largest_magnitude(const StoredImage& image) {
    float largest = 0;
    for (std::size_t f = 0; f < image.frames(); ++f) {
        for (const float magnitude : real_part(ImagePart::magnitude, image.values(f))) {
            largest = magnitude > largest ? magnitude : largest; // which NaN is not
        }
    }
    return static_cast<double>(largest);
}

std::string label_of(const StoredImage& image, std::size_t frame) {
    const ImageFrame& about = image.about.frames[frame];
    const std::string label = label_beside_index(about.label, frame);
    return text(frame, label.empty() ? "" : ": " + label, about.failed() ? " (failed)" : "");
}

/// The indices of the shown slices whose frame failed.
Json failed_slices(const Grid& grid, std::size_t step, const ImageValues& values) {
    Json failed = Json::array();
    const std::size_t slice = grid.size[0] * grid.size[1];
    const std::size_t step_z = steps_of(grid, step)[2];
    for (std::size_t z = 0; z < shown_size(grid, step)[2]; ++z) {
        if (std::isnan(values[z * step_z * slice].real())) {
            failed.push_back(z);
        }
    }
    return failed;
}

Json as_json(const PageSet& set, const PageLayout& layout) {
    const StoredImage& image = set.volumes;
    const Grid& grid = image.about.grid;
    const double largest = largest_magnitude(image);
    Json result{{"name", set.name}, {"largest", largest}, {"size", shown_size(grid, layout.step)}};
    for (std::size_t d = 0; d < 3; ++d) {
        result["steps"].push_back(steps_of(grid, layout.step)[d]);
        const double voxel = grid.fov_mm[d] / static_cast<double>(grid.size[d]);
        result["voxel_mm"].push_back(voxel * static_cast<double>(steps_of(grid, layout.step)[d]));
    }
    if (grid.directions) {
        for (const Vec3& direction : *grid.directions) {
            result["towards"].push_back(towards(direction));
        }
    }
    const std::size_t shown = std::min(layout.volumes, image.frames());
    for (std::size_t v = 0; v < shown; ++v) {
        const std::size_t frame = v * image.frames() / shown;
        const ImageValues values = image.values(frame);
        Json volume{
            {"label", label_of(image, frame)},
            {"magnitude", encoded(grid, layout.step, real_part(ImagePart::magnitude, values), 0,
                                  static_cast<float>(largest),
                                  [&](double m) { return std::sqrt(m / largest); })}};
        if (set.has_phase) {
            volume["phase"] = encoded(grid, layout.step, real_part(ImagePart::phase, values),
                                      static_cast<float>(-pi), static_cast<float>(pi),
                                      [](double phase) { return (phase + pi) / (2 * pi); });
        }
        volume["failed"] = failed_slices(grid, layout.step, values);
        result["volumes"].push_back(std::move(volume));
    }
    return result;
}

std::string table_of(const std::string& title, const Record& entries) {
    std::string rows;
    for (const auto& [name, value] : entries) {
        rows += "<tr><td>" + escaped(name) + "</td><td>" + escaped(value) + "</td></tr>\n";
    }
    return rows.empty() ? "" : "<h2>" + title + "</h2>\n<table>\n" + rows + "</table>\n";
}

std::string list_of(const std::vector<std::string>& notes) {
    std::string items;
    for (const std::string& note : notes) {
        items += "<li>" + escaped(note) + "</li>\n";
    }
    return items.empty() ? "" : "<ul id=\"notes\" class=\"note\">\n" + items + "</ul>\n";
}

std::string left_out(const std::vector<PageSet>& sets, const PageLayout& layout) {
    std::string what;
    if (layout.step > 1) {
        what = text("the page shows one of ", layout.step, " voxels in each direction");
    }
    for (const PageSet& set : sets) {
        if (set.volumes.frames() > layout.volumes) {
            what += text(what.empty() ? "the page shows " : ", and ", layout.volumes, " of ",
                         set.volumes.frames(), " frames of the ", set.name);
        }
    }
    return what;
}

/// The template with every <!--NAME--> of the list in place; texts are not looked into.
std::string filled(const std::vector<std::pair<std::string, std::string>>& texts) {
    const std::string form = page_template();
    std::string page;
    for (std::size_t at = 0; at < form.size();) {
        const std::size_t begin = std::min(form.find("<!--", at), form.size());
        page += form.substr(at, begin - at);
        at = begin;
        if (begin < form.size()) {
            const std::size_t end = form.find("-->", begin);
            const std::string name = form.substr(begin + 4, end - begin - 4);
            for (const auto& [known, content] : texts) {
                page += known == name ? content : "";
            }
            at = end + 3;
        }
    }
    return page;
}

/// JSON within a script: nothing in it may end the element.
std::string within_script(const Json& data) {
    const std::string json = data.dump(-1, ' ', true, Json::error_handler_t::replace);
    std::string result;
    for (const char c : json) {
        result += c == '<' ? "\\u003c" : std::string(1, c);
    }
    return result;
}

/// Adds the residuals of the first solves.
void add_residuals(Json& data, const StoredImage& image) {
    data["residuals"] = Json::array();
    constexpr std::size_t most_curves = 40;
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

/// The rows of a table, each with its columns by name.
Json rows_of(const RecordTable& table) {
    Json rows = Json::array();
    const std::size_t columns = table.columns.size();
    for (std::size_t at = 0; at < table.values.size(); at += columns) {
        Json row;
        for (std::size_t c = 0; c < columns; ++c) {
            row[table.columns[c]] = table.values[at + c];
        }
        rows.push_back(std::move(row));
    }
    return rows;
}

/// Adds the curves of what a rule has chosen: lambda, or the weight of a regulariser.
void add_curves(Json& data, const StoredImage& image) {
    data["lambda_rule"] = value_in(image.about.record, "lambda_rule");
    data["regularisers"] = value_in(image.about.record, "regularisers");
    data["lambda_curve"] = Json::array();
    data["weight_curves"] = Json::array();
    const std::string chosen = value_in(image.about.record, "lambda");
    const std::string of_weights = weight_curve_table("");
    for (const RecordTable& table : image.about.tables) {
        Json rows = rows_of(table);
        if (table.name == lambda_curve_table) {
            for (Json& row : rows) {
                row["chosen"] = text(row["lambda"].get<double>()) == chosen;
            }
            data["lambda_curve"] = std::move(rows);
        } else {
            data["weight_curves"].push_back(
                {{"name", table.name.substr(of_weights.size())}, {"points", std::move(rows)}});
        }
    }
}

} // namespace

PageLayout lay_out_page(const std::vector<PageSet>& sets, double megabytes) {
    PageLayout layout;
    std::size_t longest = 1;
    for (const PageSet& set : sets) {
        const auto& size = set.volumes.about.grid.size;
        longest = std::max(longest, *std::max_element(size.begin(), size.end()));
        layout.volumes = std::max(layout.volumes, set.volumes.frames());
    }
    while (megabytes_of(sets, layout) > megabytes && layout.step < longest) {
        if (longest / (layout.step + 1) >= enough_voxels || layout.volumes == 1) {
            ++layout.step;
        } else {
            layout.volumes -= (layout.volumes + 9) / 10;
        }
    }
    return layout;
}

std::string make_page(const PageContent& content, double megabytes, Reporter& report) {
    const PageLayout layout = lay_out_page(content.sets, megabytes);
    const StoredImage& first = content.sets.front().volumes;
    Json data;
    data["sets"] = Json::array();
    for (const PageSet& set : content.sets) {
        data["sets"].push_back(as_json(set, layout));
    }
    add_residuals(data, first);
    add_curves(data, first);
    std::vector<std::string> notes = content.notes;
    if (const std::string missing = left_out(content.sets, layout); !missing.empty()) {
        notes.push_back(missing);
    }
    for (const std::string& note : notes) {
        report.note(note);
    }
    const auto [remarks, rest] = notes_and_rest(first.about.record);
    notes.insert(notes.end(), remarks.begin(), remarks.end());
    return filled({{"TITLE", escaped(content.title)},
                   {"NOTES", list_of(notes)},
                   {"SOLVES", table_of("solves", content.solves)},
                   {"RECORD", table_of("record", rest)},
                   {"DATA", within_script(data)}});
}

} // namespace lsrecon
