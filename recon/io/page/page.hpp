#pragma once

#include <string>
#include <vector>

#include "base/report.hpp"
#include "io/image/stored.hpp"

namespace lsrecon {

/// Volumes of one grid that a page shows together: the image, the coil maps, a map of the noise.
struct PageSet {
    std::string name;
    StoredImage volumes; ///< a frame each
    bool has_phase = true;
};

/// The content of a file that can be looked at.
struct PageContent {
    std::string title;
    std::vector<PageSet> sets; ///< at least one
    std::vector<std::string> notes{}; ///< on frames that failed
    Record solves{}; ///< how they ended, in words
};

/// Everything in the file that is an image: /image, /coil_maps [C, (Z,) Y, X], /noise_map and
/// /g_factor [(Z,) Y, X], with the record; or the image of a file of BART's. Slices that make
/// volumes are stacked. InputError when there is none of them, or a value is not finite.
PageContent content_for_page(const std::string& path);

/// The thinning of the voxels and volumes of all sets to a size that fits: every step-th voxel of
/// each dimension, `volumes` of each set, evenly spaced.
struct PageLayout {
    std::size_t step = 1;
    std::size_t volumes = 0;
};
PageLayout lay_out_page(const std::vector<PageSet>& sets, double megabytes);

/// A page of HTML with everything in it: pictures of 8 bits, no network. At most about `megabytes`
/// large; what that leaves out is noted in it and in `report`.
std::string make_page(const PageContent& content, double megabytes, Reporter& report);

/// io/page/page.html
const char* page_template();

} // namespace lsrecon
