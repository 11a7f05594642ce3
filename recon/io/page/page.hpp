// Pages for a browser: what they show of images and scans, and how they are made.

#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/report.hpp"
#include "io/formats.hpp"
#include "io/image/stored.hpp"

namespace lsrecon {

/// How the values of a set become colours.
enum class PageColours {
    grey, ///< magnitudes in grey, phases in cyclic colours
    scale, ///< real numbers from 0, with a colour bar
    two_sided, ///< real numbers of both signs
    decades, ///< magnitudes by their logarithm
};

/// Volumes of one grid that a page shows together: the image, the coil maps, a map of the noise.
struct PageSet {
    std::string name;
    StoredImage volumes; ///< a frame each
    PageColours colours = PageColours::grey;
    std::string unit{};
    std::vector<std::string> axes{"x", "y", "z"};

    bool has_phase() const {
        return colours == PageColours::grey && volumes.part == ImagePart::complex;
    }
};

/// What stands above the pictures: some words, and whether they are good news.
struct PageFact {
    std::string words;
    enum class Mood { neutral, good, bad } mood = Mood::neutral;
};

/// The content of a file that can be looked at.
struct PageContent {
    std::string title;
    std::vector<PageSet> sets;
    std::vector<PageFact> headline{};
    std::vector<std::string> notes{}; ///< warnings, in full
    nlohmann::json panels = nlohmann::json::object(); ///< by the names of the page's panels
    std::vector<std::pair<std::string, Record>> tables{}; ///< below it, by their titles
};

/// Everything in the file that is an image: /image, /fhd, /coil_maps [C, (Z,) Y, X], /noise_map and
/// /g_factor [(Z,) Y, X], with the record; or the image of another format. Slices that make
/// volumes are stacked, and frames that failed noted. InputError when there is none of them, or a
/// value is not finite.
PageContent page_of_image(const std::string& path, Reporter& report);
/// Coil maps of a file, which the page lays over the image. InputError as of open_maps_as_image().
void add_maps(PageContent& content, const std::string& path);

/// A scan before anything is reconstructed, of its first usable frame: trajectory, density, samples
/// of each coil in k-space, noise, coil maps and field map, and what is noted when it is read.
/// InputError as of ScanFile.
PageContent page_of_scan(const std::string& path, const ReadOptions& options, Reporter& report);

/// How much of a set a page has: the means of `step` voxels in each direction, and of `step *
/// phase_step` for phases, which have 8 bits; `volumes` of it, evenly spaced.
struct SetLayout {
    std::size_t step = 1;
    std::size_t phase_step = 1;
    std::size_t volumes = 0;
    std::size_t bits = 16; ///< or 8, of a magnitude
};
/// Layouts of all sets that fit into `megabytes` together.
std::vector<SetLayout> lay_out_page(const std::vector<PageSet>& sets, double megabytes);

/// A page of HTML with everything in it, for a browser without a network. The values take
/// `megabytes` at most; what that leaves out is noted in it and in `report`.
std::string make_page(const PageContent& content, double megabytes, Reporter& report);

/// io/page/page.html
const char* page_template();

} // namespace lsrecon
