#include "prepare/prior.hpp"

#include "base/error.hpp"
#include "io/prior_file.hpp"
#include "prepare/along_axes.hpp"
#include "prepare/resampled.hpp"
#include "scan/frame_places.hpp"

namespace lsrecon {

PriorImage prior_on_grid(const std::string& file, const Scan& scan, bool shifted) {
    require_one_place(scan, "prior image of --prior " + file, "or pass a --reg that needs none");
    const Resampled of{file, "prior image", "name an image of the same object and place", shifted};
    StoredPrior stored = read_prior(file);
    const bool plane = scan.grid.dimensions == 2 && stored.grid.size[2] == 1;
    if (stored.grid.dimensions != scan.grid.dimensions && !plane) {
        throw InputError({file, "/image",
                          text("an image of ", stored.grid.dimensions, " dimensions"),
                          text(scan.grid.dimensions, " dimensions, as ", scan.file), of.next});
    }
    turn_along_axes_of(scan.grid, stored.grid, stored.values);
    require_same_field(stored.grid, scan.grid, of);
    const CoilRows there = resampled(stored.values, stored.grid, scan.grid, of);
    if (there.largest_part() == 0) {
        throw InputError({file, "/image", "zeros alone where the image of the scan is",
                          "an image of the same place", of.next});
    }
    return {file, stored.sha256, ComplexVector(there.to_doubles().row(0).transpose())};
}

} // namespace lsrecon
