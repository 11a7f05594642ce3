#include "app/console.hpp"
#include "app/validators.hpp"

namespace lsrecon::app {

namespace {

void add_shift_flag(CLI::App& sub, GeometryOptions& options) {
    const auto take = [&options](const std::vector<std::string>& words) {
        options.shift_to_position = words == std::vector<std::string>{"header"};
        options.shift_mm.clear();
        for (const std::string& word : words) {
            const std::optional<double> length = finite_number(word);
            if (length) {
                options.shift_mm.push_back(*length);
            } else if (!options.shift_to_position) {
                throw CLI::ValidationError("--shift-mm",
                                           refusal(word, "a number, or the word header alone"));
            }
        }
    };
    sub.add_option_function<std::vector<std::string>>(
           "--shift-mm", take,
           "moves the image this far, in mm, along x, y (and z); header: of raw data, from the "
           "isocentre to the position that its acquisitions have, where the scanner has not done "
           "so (spirals, as a rule)")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->type_name("X,Y[,Z]|header");
}

} // namespace

void add_geometry_flags(CLI::App& sub, GeometryOptions& options) {
    const auto add = [&](const std::string& flag, auto& values, const std::string& help) {
        return sub.add_option(flag, values, help)
            ->delimiter(',')
            ->allow_extra_args(false)
            ->type_name("X,Y[,Z]");
    };
    add("--matrix", options.matrix,
        "voxels of the image, in place of the file's; samples beyond N/2 of it are left out")
        ->check(whole_number("a whole number from 1", false));
    add("--fov-mm", options.fov_mm,
        "field of view of the image in mm, in place of the file's; --header corrects that")
        ->check(positive_number());
    add_shift_flag(sub, options);
    sub.add_flag("--conjugate", options.conjugate,
                 "the trajectory has the other sign, exp(+i 2 pi k.x), and the image was mirrored");
}

void add_maps_flags(CLI::App& sub, PrepareOptions& options, const std::string& others) {
    std::string methods;
    for (const MapsMethod& method : maps_methods()) {
        methods += method.name + " (" + method.summary + "), ";
    }
    sub.add_option("--maps", options.maps, "coil maps: " + methods + others)
        ->check(file_name())
        ->type_name("METHOD|FILE");
    sub.add_option("--maps-threshold", options.estimate.threshold,
                   "ESPIRiT: singular values below this share of the largest are noise")
        ->check(number_between(0.0, 1.0))
        ->capture_default_str();
    sub.add_option("--maps-crop", options.estimate.crop,
                   "ESPIRiT: maps are 0 outside of the object, where the eigenvalue is below this; "
                   "holes that the object encloses are filled")
        ->check(number_between(0.0, 0.999))
        ->capture_default_str();
    sub.add_flag("--soft-maps", options.estimate.soft,
                 "ESPIRiT: maps grow from 0 at the crop to 1, instead of a hard cut-off with holes "
                 "filled");
}

void add_prepare_flags(CLI::App& sub, PrepareOptions& options) {
    add_geometry_flags(sub, options.geometry);
    add_maps_flags(sub, options,
                   "none, or a file with /coil_maps or of BART (.cfl), of which a volume serves "
                   "slices where they lie "
                   "[the scan's own; espirit where several coils have none]");
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
               } else if (options.maps == "none") {
                   throw CLI::ValidationError("--combine maps",
                                              "--maps none leaves it none; leave one of both out");
               }
           },
           "maps: one problem for all coils; rss: one per coil, then the root of their sum of "
           "squares, the same as --maps none [maps]")
        ->check(one_of({"maps", "rss"}));
    sub.add_option("--field-map", options.field_map,
                   "none, or a file with /field_map (Hz) of any grid, and /r2star (1/s) where it "
                   "has that, or a real image in NIfTI-1 or ISMRMRD whose numbers are Hz (rad/s "
                   "divided by 2 pi), to correct off-resonance; a volume serves slices where they "
                   "lie [the scan's own]")
        ->check(file_name())
        ->type_name("FILE");
    sub.add_option("--field-scale", options.field_scale,
                   "multiply the field map by this: -1 for the other sign, 0.15915 for rad/s")
        ->check(number_between(-100, 100))
        ->capture_default_str();
    CLI::Option* const coils = sub.add_option("--coils", options.compression.coils,
                                              "compress to this many virtual coils [all coils]")
                                   ->check(whole_number("a whole number from 1", false));
    sub.add_option("--energy", options.compression.energy,
                   "compress to the fewest virtual coils that keep this share of the energy of the "
                   "samples, such as 0.99 [1: all coils]")
        ->excludes(coils)
        ->check(positive_number())
        ->check(number_between(0.0, 1.0));
    sub.add_flag("--no-whitening{false}", options.whiten,
                 "do not use the scan's noise to make the coils' noise white");
}

} // namespace lsrecon::app
