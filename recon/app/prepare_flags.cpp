#include "app/console.hpp"

namespace lsrecon::app {

void add_prepare_flags(CLI::App& sub, PrepareOptions& options) {
    add_geometry_flags(sub, options.geometry);
    std::string methods;
    for (const MapsMethod& method : maps_methods()) {
        methods += method.name + " (" + method.summary + "), ";
    }
    sub.add_option("--maps", options.maps,
                   "coil maps: " + methods +
                       "none, or a file with /coil_maps [the scan's own; espirit where several "
                       "coils have none]")
        ->check(file_name())
        ->type_name("METHOD|FILE");
    sub.add_option("--maps-threshold", options.estimate.threshold,
                   "ESPIRiT: singular values below this share of the largest are noise")
        ->check(CLI::Range(0.0, 1.0))
        ->capture_default_str();
    sub.add_option("--maps-crop", options.estimate.crop,
                   "ESPIRiT: maps are 0 where the eigenvalue is below this")
        ->check(CLI::Range(0.0, 0.999))
        ->capture_default_str();
    sub.add_flag("--soft-maps", options.estimate.soft,
                 "ESPIRiT: maps grow from 0 at the crop to 1, in place of a step");
    sub.add_option_function<std::string>(
           "--combine",
           [&options](const std::string& word) {
               if (word == "rss") {
                   if (!options.maps.empty() && options.maps != "none") {
                       throw CLI::ValidationError("--combine rss",
                                                  "one problem a coil has no maps; leave out "
                                                  "--maps " +
                                                      options.maps);
                   }
                   options.maps = "none";
               }
           },
           "maps: one problem of all coils; rss: one a coil, then the root of their sum of "
           "squares, "
           "the same as --maps none [maps]")
        ->check(CLI::IsMember({"maps", "rss"}));
    sub.add_option("--field-map", options.field_map,
                   "none, or a file with /field_map (Hz) of any grid, and /r2star (1/s) where it "
                   "has that, to correct off-resonance [the scan's own]")
        ->check(file_name())
        ->type_name("FILE");
    sub.add_option("--coils", options.compression.coils,
                   "compress to so many virtual coils by singular values [all coils]")
        ->check(whole_number("a whole number from 1", false));
    sub.add_option("--energy", options.compression.energy,
                   "compress to the fewest virtual coils that keep this share of the energy, such "
                   "as 0.99 [1: all coils]")
        ->check(positive_number())
        ->check(CLI::Range(0.0, 1.0));
    sub.add_flag("--no-whitening{false}", options.whiten,
                 "do not use the scan's noise to make the coils' noise white");
}

} // namespace lsrecon::app
