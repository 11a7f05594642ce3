// Fits the volumes of a page into a size in megabytes, encodes them in base64, and fills the HTML
// template.

#include "io/page/page.hpp"

#include <algorithm>
#include <cmath>

#include "base/bytes_as_text.hpp"
#include "base/error.hpp"
#include "base/escaped.hpp"
#include "scan/failed_frames.hpp"
#include "scan/pose.hpp"

namespace lsrecon {

namespace {

using Json = nlohmann::json;
using Size = std::array<std::size_t, 3>;

/// Thinner volumes lose more than a volume that is left out.
constexpr std::size_t enough_voxels = 96;

Size steps_of(const Grid& grid, std::size_t step) {
    Size steps{};
    for (std::size_t d = 0; d < 3; ++d) {
        steps[d] = std::min(step, grid.size[d]);
    }
    return steps;
}

Size shown_size(const Grid& grid, std::size_t step) {
    Size size{};
    for (std::size_t d = 0; d < 3; ++d) {
        const std::size_t by = steps_of(grid, step)[d];
        size[d] = (grid.size[d] + by - 1) / by;
    }
    return size;
}

std::size_t count_of(const Size& size) {
    return size[0] * size[1] * size[2];
}

std::size_t longest_of(const PageSet& set) {
    const auto& size = set.volumes.about.grid.size;
    return *std::max_element(size.begin(), size.end());
}

/// The size of a set in base64.
double megabytes_of(const PageSet& set, const SetLayout& layout) {
    const Grid& grid = set.volumes.about.grid;
    const std::size_t of_phase =
        set.has_phase() ? count_of(shown_size(grid, layout.step * layout.phase_step)) : 0;
    const std::size_t bytes = count_of(shown_size(grid, layout.step)) * layout.bits / 8 + of_phase;
    return static_cast<double>(bytes * layout.volumes) * 4 / 3 / 1e6;
}

/// Makes a set smaller by what is missed least; false where nothing is left to take.
bool lessen(const PageSet& set, SetLayout& layout) {
    if (layout.bits > 8) {
        layout.bits = 8;
    } else if (set.has_phase() && layout.phase_step == 1) {
        layout.phase_step = 2;
    } else if (layout.step < longest_of(set) &&
               (longest_of(set) / (layout.step + 1) >= enough_voxels || layout.volumes == 1 ||
                set.volumes.of_coils)) {
        ++layout.step;
    } else if (layout.volumes > 1) {
        layout.volumes -= (layout.volumes + 9) / 10;
    } else {
        return false;
    }
    return true;
}

/// The means of blocks of voxels of value_of(n), x fastest.
template <typename T, typename ValueOf>
std::vector<T> means(const Grid& grid, std::size_t step, const ValueOf& value_of) {
    const Size steps = steps_of(grid, step);
    const Size size = shown_size(grid, step);
    std::vector<T> sums(count_of(size));
    std::size_t n = 0;
    for (std::size_t z = 0; z < grid.size[2]; ++z) {
        for (std::size_t y = 0; y < grid.size[1]; ++y) {
            T* const row = &sums[(z / steps[2] * size[1] + y / steps[1]) * size[0]];
            for (std::size_t x = 0; x < grid.size[0]; ++x) {
                row[x / steps[0]] += value_of(n++);
            }
        }
    }
    if (step > 1) {
        const auto within = [&](std::size_t d, std::size_t i) {
            return std::min(steps[d], grid.size[d] - i * steps[d]);
        };
        for (std::size_t i = 0; i < sums.size(); ++i) {
            sums[i] /=
                static_cast<float>(within(0, i % size[0]) * within(1, i / size[0] % size[1]) *
                                   within(2, i / (size[0] * size[1])));
        }
    }
    return sums;
}

/// Whole numbers of one or two bytes, the low one first, of values from 0 to 1.
class Codes {
public:
    explicit Codes(std::size_t bits) : most_((std::size_t(1) << bits) - 1), counts_(most_ + 1) {}

    void add(double unit) {
        const double within = unit > 0 ? std::min(unit, 1.0) : 0; // which NaN is not
        const auto code =
            static_cast<std::size_t>(std::lround(static_cast<double>(most_) * within));
        ++counts_[code];
        bytes_.push_back(static_cast<char>(code & 255));
        if (most_ > 255) {
            bytes_.push_back(static_cast<char>(code >> 8));
        }
    }
    std::string take_base64() { return base64(std::exchange(bytes_, "")); }
    /// The value from 0 to 1 that this share of all that were added exceeds.
    double exceeded_by(double share) const {
        std::size_t all = 0;
        for (const std::size_t count : counts_) {
            all += count;
        }
        double left = share * static_cast<double>(all);
        std::size_t code = most_;
        while (code > 1 && (left -= static_cast<double>(counts_[code])) > 0) {
            --code;
        }
        return static_cast<double>(code) / static_cast<double>(most_);
    }

private:
    std::size_t most_;
    std::vector<std::size_t> counts_;
    std::string bytes_;
};

double largest_magnitude(const StoredImage& image) {
    float largest = 0; // which NaN does not exceed
    for (std::size_t f = 0; f < image.frames(); ++f) {
        for (const std::complex<float> value : image.values(f)) {
            const float magnitude = std::abs(value);
            largest = magnitude > largest ? magnitude : largest;
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

std::string element(const char* part, std::size_t set, std::size_t volume,
                    const std::string& base64) {
    return text("<script type=\"text/plain\" id=\"", part, "_", set, "_", volume, "\">", base64,
                "</script>\n");
}

std::string phases_of(const Grid& grid, const SetLayout& layout, const ImageValues& values) {
    Codes phases(8);
    for (const std::complex<float> value : means<std::complex<float>>(
             grid, layout.step * layout.phase_step, [&](std::size_t n) { return values[n]; })) {
        phases.add((static_cast<double>(std::arg(value)) + pi) / (2 * pi));
    }
    return phases.take_base64();
}

/// The facts of a set that do not depend on its values.
Json about(const PageSet& set, const SetLayout& layout) {
    static const std::vector<std::string> colours{"grey", "scale", "two_sided", "decades"};
    const Grid& grid = set.volumes.about.grid;
    const std::size_t phase_step = layout.step * layout.phase_step;
    Json result{{"name", set.name},
                {"colours", colours[static_cast<std::size_t>(set.colours)]},
                {"unit", set.unit},
                {"axes", set.axes},
                {"coils", set.volumes.of_coils},
                {"bits", layout.bits},
                {"size", shown_size(grid, layout.step)},
                {"steps", steps_of(grid, layout.step)},
                {"fov_mm", grid.fov_mm},
                {"volumes", Json::array()}};
    for (std::size_t d = 0; d < 3; ++d) {
        const double voxel = grid.fov_mm[d] / static_cast<double>(grid.size[d]);
        result["voxel_mm"].push_back(voxel * static_cast<double>(steps_of(grid, layout.step)[d]));
    }
    if (set.has_phase()) {
        result["phase_size"] = shown_size(grid, phase_step);
        result["phase_steps"] = steps_of(grid, phase_step);
    }
    if (grid.directions) {
        for (const Vec3& direction : *grid.directions) {
            result["towards"].push_back(towards(direction));
        }
    }
    return result;
}

/// Adds the values of a set to `elements`.
Json with_values(const PageSet& set, std::size_t index, const SetLayout& layout,
                 std::string& elements) {
    constexpr double brightest = 0.005; // of the voxels: they are white at first
    const StoredImage& image = set.volumes;
    const Grid& grid = image.about.grid;
    const double largest = largest_magnitude(image);
    const double scale = largest > 0 ? 1 / largest : 0;
    Json result = about(set, layout);
    Codes codes(layout.bits);
    for (std::size_t v = 0; v < layout.volumes; ++v) {
        const std::size_t frame = v * image.frames() / layout.volumes;
        const ImageValues values = image.values(frame);
        if (set.colours == PageColours::two_sided) {
            for (const float value :
                 means<float>(grid, layout.step, [&](auto n) { return values[n].real(); })) {
                codes.add((static_cast<double>(value) * scale + 1) / 2);
            }
        } else { // by the root, which leaves more steps to the dark
            for (const float value :
                 means<float>(grid, layout.step, [&](auto n) { return std::abs(values[n]); })) {
                codes.add(std::sqrt(static_cast<double>(value) * scale));
            }
        }
        elements += element("magnitude", index, v, codes.take_base64());
        if (set.has_phase()) {
            elements += element("phase", index, v, phases_of(grid, layout, values));
        }
        result["volumes"].push_back({{"label", label_of(image, frame)},
                                     {"failed", failed_slices(grid, layout.step, values)}});
    }
    result["largest"] = largest;
    result["usual"] = std::pow(codes.exceeded_by(brightest), 2); // of the largest
    return result;
}

/// Foreign text, such as the name of a file, in UTF-8 and without markup.
std::string in_html(const std::string& text) {
    const std::string json = Json(text).dump(-1, ' ', true, Json::error_handler_t::replace);
    return escaped(Json::parse(json).get<std::string>());
}

std::string table_of(const std::string& title, const Record& entries) {
    std::string rows;
    for (const auto& [name, value] : entries) {
        if (!value.empty()) {
            rows += "<tr><td>" + in_html(name) + "</td><td>" + in_html(value) + "</td></tr>\n";
        }
    }
    return rows.empty() ? ""
                        : "<details><summary>" + in_html(title) + "</summary>\n<table>\n" + rows +
                              "</table></details>\n";
}

std::string headline_of(const std::vector<PageFact>& facts) {
    static const std::vector<std::string> moods{"", " class=\"good\"", " class=\"bad\""};
    std::string words;
    for (const PageFact& fact : facts) {
        words += "<span" + moods[static_cast<std::size_t>(fact.mood)] + ">" + in_html(fact.words) +
                 "</span>\n";
    }
    return words.empty() ? "" : "<p id=\"headline\">\n" + words + "</p>\n";
}

std::string list_of(const std::vector<std::string>& notes) {
    std::string items;
    for (const std::string& note : notes) {
        items += "<li>" + in_html(note) + "</li>\n";
    }
    return items.empty() ? "" : "<ul id=\"notes\">\n" + items + "</ul>\n";
}

Findings left_out(const PageSet& set, const SetLayout& layout) {
    Findings findings;
    if (layout.step > 1) {
        findings.push_back({Found::page_of_means, {{"step", layout.step}}, {{"set", set.name}}});
    }
    if (set.volumes.frames() > layout.volumes) {
        findings.push_back({Found::page_of_some_frames,
                            {{"shown", layout.volumes}, {"frames", set.volumes.frames()}},
                            {{"set", set.name}}});
    }
    return findings;
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

} // namespace

std::vector<SetLayout> lay_out_page(const std::vector<PageSet>& sets, double megabytes) {
    constexpr double more = 4; // may be lost of what stands beside the first set
    std::vector<SetLayout> layouts(sets.size());
    std::vector<bool> done(sets.size());
    for (std::size_t s = 0; s < sets.size(); ++s) {
        layouts[s].volumes = sets[s].volumes.frames();
    }
    while (true) {
        double all = 0;
        double most = 0;
        std::size_t largest = sets.size();
        for (std::size_t s = 0; s < sets.size(); ++s) {
            const double now = megabytes_of(sets[s], layouts[s]);
            all += now;
            if (!done[s] && now * (s == 0 ? 1 : more) > most) {
                most = now * (s == 0 ? 1 : more);
                largest = s;
            }
        }
        if (all <= megabytes || largest == sets.size()) {
            return layouts;
        }
        done[largest] = !lessen(sets[largest], layouts[largest]);
    }
}

std::string make_page(const PageContent& content, double megabytes, Reporter& report) {
    const std::vector<SetLayout> layouts = lay_out_page(content.sets, megabytes);
    Json data{{"sets", Json::array()}, {"panels", content.panels}};
    std::string elements;
    std::vector<std::string> notes;
    for (std::size_t s = 0; s < content.sets.size(); ++s) {
        data["sets"].push_back(with_values(content.sets[s], s, layouts[s], elements));
        for (const Finding& finding : left_out(content.sets[s], layouts[s])) {
            report.add(finding);
            notes.push_back(words_of(finding));
        }
    }
    notes.insert(notes.begin(), content.notes.begin(), content.notes.end());
    std::string tables;
    for (const auto& [title, entries] : content.tables) {
        tables += table_of(title, entries);
    }
    return filled({{"TITLE", in_html(content.title)},
                   {"HEADLINE", headline_of(content.headline)},
                   {"NOTES", list_of(notes)},
                   {"TABLES", tables},
                   {"VALUES", elements},
                   {"DATA", within_script(data)}});
}

} // namespace lsrecon
