// Gathers what a page shows of a scan that is not yet reconstructed: trajectories, k-space, density
// of samples, noise and maps.

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <memory>

#include "base/bytes_as_text.hpp"
#include "base/numbers.hpp"
#include "io/page/page.hpp"
#include "io/scan_file.hpp"
#include "scan/coil_transform.hpp"
#include "scan/delays.hpp"
#include "scan/pose.hpp"

namespace lsrecon {

namespace {

using Json = nlohmann::json;
using Mood = PageFact::Mood;
using Source = std::shared_ptr<ScanFile>;

double half_of(const Grid& grid, std::size_t d) {
    return static_cast<double>(grid.size[d]) / 2;
}

/// Cells of k-space of whole cycles per field of view, as voxels of a picture: cell n holds the
/// frequencies next to (n - floor(N/2)) `width`.
class Cells {
public:
    Cells(const Grid& grid, std::size_t width) : width_(width) {
        grid_.dimensions = grid.dimensions;
        for (std::size_t d = 0; d < static_cast<std::size_t>(grid.dimensions); ++d) {
            grid_.size[d] = (grid.size[d] + width - 1) / width;
            grid_.fov_mm[d] = static_cast<double>(grid_.size[d]);
        }
    }

    const Grid& grid() const { return grid_; }
    /// Samples at the last half of a cell belong to the outermost one, and so do those beyond.
    std::size_t of(const Vec3& k) const {
        std::size_t cell = 0;
        for (std::size_t d = 3; d-- > 0;) {
            const auto size = static_cast<double>(grid_.size[d]);
            const double at = std::round(k[d] / static_cast<double>(width_)) +
                              static_cast<double>(grid_.size[d] / 2);
            cell = cell * grid_.size[d] + static_cast<std::size_t>(std::clamp(at, 0.0, size - 1));
        }
        return cell;
    }
    std::vector<std::size_t> of_all(const std::vector<Vec3>& positions) const {
        std::vector<std::size_t> cells;
        cells.reserve(positions.size());
        for (const Vec3& k : positions) {
            cells.push_back(of(k));
        }
        return cells;
    }
    std::vector<float> counts(const std::vector<std::size_t>& cells) const {
        std::vector<float> counts(grid_.voxels());
        for (const std::size_t cell : cells) {
            ++counts[cell];
        }
        return counts;
    }

private:
    Grid grid_;
    std::size_t width_;
};

PageSet set_of(const std::string& name, const Grid& grid, const std::vector<std::string>& labels,
               FrameValues values, PageColours colours) {
    PageSet set{name, {}, colours};
    set.volumes.thing = name;
    set.volumes.about.grid = grid;
    set.volumes.about.frames.resize(labels.size());
    for (std::size_t f = 0; f < labels.size(); ++f) {
        set.volumes.about.frames[f].label = labels[f];
    }
    set.volumes.part = ImagePart::real;
    set.volumes.values = std::move(values);
    return set;
}

std::vector<std::string> labels_of_coils(std::size_t coils) {
    std::vector<std::string> labels;
    for (std::size_t c = 0; c < coils; ++c) {
        labels.push_back(text("coil ", c));
    }
    return labels;
}

template <typename Values> ImageValues to_image(const Values& values) {
    return ImageValues(values.begin(), values.end());
}

/// The part of a trajectory that a picture of lines can hold: the first samples, as whole numbers
/// of 16 bits in units of the larger of N/2 and the largest |k|.
Json positions_of(const Scan& scan, const Trajectory& trajectory) {
    constexpr std::size_t most = 60000; // samples
    const auto dimensions = static_cast<std::size_t>(scan.grid.dimensions);
    const std::size_t shown = std::min(most, trajectory.samples());
    Json result{{"samples", trajectory.samples()}, {"shown", shown}};
    for (std::size_t d = 0; d < dimensions; ++d) {
        double reach = half_of(scan.grid, d);
        for (const Vec3& k : trajectory.positions) {
            reach = std::max(reach, std::abs(k[d]));
        }
        std::string bytes;
        for (std::size_t m = 0; m < shown; ++m) {
            const auto code =
                static_cast<std::uint16_t>(std::lround(trajectory.positions[m][d] / reach * 32767));
            bytes.push_back(static_cast<char>(code & 255));
            bytes.push_back(static_cast<char>(code >> 8));
        }
        result["reach"].push_back(reach);
        result["half"].push_back(half_of(scan.grid, d));
        result["values"].push_back(base64(bytes));
    }
    return result;
}

double brief(double value) {
    return std::strtod(text(value).c_str(), nullptr); // six digits
}

/// The first samples as they come: |k| over N/2, and |d| of the first coils.
Json first_samples(const Scan& scan, const Frame& frame) {
    constexpr std::size_t most = 1024; // samples
    constexpr std::size_t most_coils = 8;
    const Trajectory& trajectory = *frame.trajectory;
    Json result{{"radius", Json::array()}, {"coils", Json::array()}};
    const std::size_t shown = std::min(most, trajectory.samples());
    for (std::size_t m = 0; m < shown; ++m) {
        double square = 0;
        for (std::size_t d = 0; d < static_cast<std::size_t>(scan.grid.dimensions); ++d) {
            const double share = trajectory.positions[m][d] / half_of(scan.grid, d);
            square += share * share;
        }
        result["radius"].push_back(brief(std::sqrt(square)));
    }
    for (std::size_t c = 0; c < std::min(most_coils, frame.samples.rows()); ++c) {
        Json values = Json::array();
        for (std::size_t m = 0; m < shown; ++m) {
            values.push_back(brief(std::abs(frame.samples(c, m))));
        }
        result["coils"].push_back(std::move(values));
    }
    return result;
}

/// The centre of the first spoke and of that whose direction is nearest to the opposite: positions
/// along the first, cycles/FOV, and the root of the energy of all coils. Null without spokes.
Json opposed_spokes(const Scan& scan, const Frame& frame) {
    const ReadoutCourse course(*frame.trajectory);
    if (!course.is_radial || frame.samples.rows() == 0) {
        return nullptr;
    }
    const std::vector<Vec3>& directions = course.directions;
    const auto cosine = [&](std::size_t spoke) { return dot(directions[0], directions[spoke]); };
    std::size_t opposed = 0;
    for (std::size_t spoke = 1; spoke < directions.size(); ++spoke) {
        opposed = cosine(spoke) < cosine(opposed) ? spoke : opposed;
    }
    const double reach = std::min(half_of(scan.grid, 0), 16.0);
    Json spokes = Json::array();
    for (const std::size_t spoke : {std::size_t(0), opposed}) {
        Json points = Json::array();
        for (std::size_t m = course.first(spoke); m < course.ends[spoke]; ++m) {
            const double at = dot(directions[0], frame.trajectory->positions[m]);
            if (std::abs(at) <= reach) {
                double energy = 0;
                for (std::size_t c = 0; c < frame.samples.rows(); ++c) {
                    energy += std::norm(frame.samples(c, m));
                }
                points.push_back({brief(at), brief(std::sqrt(energy))});
            }
        }
        spokes.push_back(std::move(points));
    }
    const double degrees = std::acos(std::clamp(cosine(opposed), -1.0, 1.0)) * 180 / pi;
    return {{"degrees", brief(degrees)}, {"spokes", std::move(spokes)}};
}

/// Samples a cell and the share of cells with a sample, by shells of |k| / (N/2).
Json density_of(const Cells& cells, const std::vector<float>& counts) {
    constexpr std::size_t shells = 40;
    const Grid& grid = cells.grid();
    std::vector<double> all(shells);
    std::vector<double> sampled(shells);
    std::vector<double> samples(shells);
    double within = 0;
    double filled = 0;
    for (std::size_t n = 0; n < counts.size(); ++n) {
        double square = 0;
        std::size_t rest = n;
        for (std::size_t d = 0; d < 3; ++d) {
            const auto at =
                static_cast<double>(rest % grid.size[d]) - static_cast<double>(grid.size[d] / 2);
            rest /= grid.size[d];
            square += std::pow(at / std::max(1.0, half_of(grid, d)), 2);
        }
        const auto shell = static_cast<std::size_t>(std::sqrt(square) * shells);
        if (shell < shells) {
            ++within;
            filled += counts[n] > 0 ? 1 : 0;
            ++all[shell];
            sampled[shell] += counts[n] > 0 ? 1 : 0;
            samples[shell] += static_cast<double>(counts[n]);
        }
    }
    Json result{{"filled", filled / within}, {"points", Json::array()}};
    for (std::size_t s = 0; s < shells; ++s) {
        if (all[s] > 0) {
            result["points"].push_back({{"radius", (static_cast<double>(s) + 0.5) / shells},
                                        {"samples", brief(samples[s] / all[s])},
                                        {"filled", brief(sampled[s] / all[s])}});
        }
    }
    return result;
}

/// The deviation of each coil's noise, and the correlations of all.
Json noise_of(const CoilRows& noise) {
    const Eigen::MatrixXcd covariance = covariance_of(noise);
    Json result{{"samples", noise.columns()}};
    for (Eigen::Index c = 0; c < covariance.rows(); ++c) {
        result["deviations"].push_back(brief(std::sqrt(covariance(c, c).real())));
        Json row = Json::array();
        for (Eigen::Index other = 0; other < covariance.cols(); ++other) {
            const double of_both =
                std::sqrt(covariance(c, c).real() * covariance(other, other).real());
            row.push_back(of_both > 0 ? brief(std::abs(covariance(c, other)) / of_both) : 0);
        }
        result["correlations"].push_back(std::move(row));
    }
    return result;
}

/// The root of the mean energy of a coil's samples in each cell.
FrameValues kspace_of(const Cells& cells, std::shared_ptr<const Frame> frame) {
    return [cells, frame = std::move(frame)](std::size_t coil) {
        const std::vector<std::size_t> cells_of_samples =
            cells.of_all(frame->trajectory->positions);
        std::vector<double> energy(cells.grid().voxels());
        const std::vector<float> counts = cells.counts(cells_of_samples);
        for (std::size_t m = 0; m < cells_of_samples.size(); ++m) {
            energy[cells_of_samples[m]] += std::norm(frame->samples(coil, m));
        }
        ImageValues values(energy.size());
        for (std::size_t n = 0; n < values.size(); ++n) {
            values[n] =
                counts[n] > 0 ? static_cast<float>(std::sqrt(energy[n] / double(counts[n]))) : 0;
        }
        return values;
    };
}

void add_kspace(PageContent& content, const Scan& scan, const std::shared_ptr<const Frame>& frame) {
    const std::vector<std::string> axes{"kx", "ky", "kz"};
    const Cells cells(scan.grid, 1);
    const std::vector<float> counts = cells.counts(cells.of_all(frame->trajectory->positions));
    content.panels["density"] = density_of(cells, counts);
    if (frame->samples.rows() > 0) {
        const std::size_t side = scan.grid.dimensions == 2 ? 512 : 64; // cells of a picture
        const std::size_t longest = *std::max_element(scan.grid.size.begin(), scan.grid.size.end());
        const Cells wider(scan.grid, (longest + side - 1) / side);
        content.sets.push_back(set_of("k-space", wider.grid(),
                                      labels_of_coils(frame->samples.rows()),
                                      kspace_of(wider, frame), PageColours::decades));
        content.sets.back().volumes.of_coils = true;
        content.sets.back().axes = axes;
    }
    content.sets.push_back(set_of(
        "samples per cell", cells.grid(), {""}, [counts](std::size_t) { return to_image(counts); },
        PageColours::scale));
    content.sets.back().axes = axes;
}

/// Coil maps and field map where they are of the grid's voxels.
void add_stored_maps(PageContent& content, const Source& source) {
    const Scan& scan = source->scan();
    if (scan.voxels) {
        return;
    }
    if (!scan.coil_maps.empty()) {
        const auto maps = [source](std::size_t coil) {
            const CoilRows& rows = source->scan().coil_maps;
            ImageValues values(rows.columns());
            for (std::size_t n = 0; n < values.size(); ++n) {
                values[n] = std::complex<float>(rows(coil, n));
            }
            return values;
        };
        content.sets.push_back(set_of("coil maps", scan.grid,
                                      labels_of_coils(scan.coil_maps.rows()), maps,
                                      PageColours::grey));
        content.sets.back().volumes.part = ImagePart::complex;
        content.sets.back().volumes.of_coils = true;
    }
    const auto field = scan.off_resonance;
    if (field && field->field.size() > 0) {
        const auto values = [field](std::size_t) { return to_image(field->field); };
        content.sets.push_back(
            set_of("field map", scan.grid, {""}, values, PageColours::two_sided));
        content.sets.back().unit = "Hz";
    }
    if (field && field->r2star.size() > 0) {
        const auto values = [field](std::size_t) { return to_image(field->r2star); };
        content.sets.push_back(set_of("R2*", scan.grid, {""}, values, PageColours::scale));
        content.sets.back().unit = "1/s";
    }
}

std::vector<PageFact> headline(const ScanFile& source, std::size_t shown, std::size_t coils) {
    const Scan& scan = source.scan();
    const std::size_t notes = scan.findings.size() + source.bad().size();
    return {notes == 0 ? PageFact{"check: ok", Mood::good}
                       : PageFact{"check: " + counted(notes, "warning") + " below", Mood::bad},
            {scan.format},
            {text("matrix ", by(scan.grid.size, scan.grid.dimensions), ", ",
                  by(scan.grid.fov_mm, scan.grid.dimensions), " mm")},
            {(coils == 0 ? "no samples" : counted(coils, "coil")) +
             (scan.coil_maps.empty() ? ", no maps" : " with maps")},
            {scan.frames.size() == 1 ? "1 frame"
                                     : text(scan.frames.size(), " frames, this is ", shown)},
            {scan.noise.empty() ? "no noise scan" : "noise scan"}};
}

} // namespace

PageContent page_of_scan(const std::string& path, const ReadOptions& options, Reporter& report) {
    ReadOptions read = options;
    read.bad_frames = true;
    const auto source = std::make_shared<ScanFile>(path, read);
    const Scan& scan = source->scan();
    const std::size_t shown = scan.has_samples() ? source->first_good() : 0;
    const auto frame = std::make_shared<const Frame>(scan.has_samples() ? source->frame(shown)
                                                                        : scan.frames[shown]);
    PageContent content{path, {}};
    content.headline = headline(*source, shown, frame->samples.rows());
    Findings findings = scan.findings;
    for (const auto& [index, error] : source->bad()) {
        findings.push_back({Found::frame_unusable, {{"frame", index}}, {{"error", error.what()}}});
    }
    report.add(findings);
    for (const Finding& finding : findings) {
        content.notes.push_back(words_of(finding));
    }
    content.panels["trajectory"] = positions_of(scan, *frame->trajectory);
    content.panels["first"] = first_samples(scan, *frame);
    if (Json spokes = opposed_spokes(scan, *frame); !spokes.is_null()) {
        content.panels["opposed"] = std::move(spokes);
    }
    if (!scan.noise.empty()) {
        content.panels["noise"] = noise_of(scan.noise);
    }
    add_kspace(content, scan, frame);
    add_stored_maps(content, source);
    Record facts;
    for (const std::string& fact : scan.facts) {
        facts.emplace_back("fact", fact);
    }
    facts.insert(facts.end(), scan.details.begin(), scan.details.end());
    content.tables = {{"what the file says", facts}};
    return content;
}

} // namespace lsrecon
