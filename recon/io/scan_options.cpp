// The rows of options that choose what is read of a scan, and what replaces its header.

#include "io/scan_options.hpp"

#include "base/numbers.hpp"
#include "io/arrays.hpp"
#include "io/trajectory_rules.hpp"
#include "scan/units.hpp"

namespace lsrecon::option {

namespace {

const std::string raw = "raw data: ";

/// "fov_mm=220,220" of `header`
Value header_value(ReadOptions& read) {
    const auto take = [&read](const std::string& word) -> std::string {
        const std::string name = word.substr(0, word.find('='));
        const std::string numbers = word.substr(std::min(name.size() + 1, word.size()));
        const bool voxels = name == "matrix";
        std::vector<double> values;
        const std::string refused =
            number(values, voxels ? whole(1, longest_side) : positive(), "").take(numbers);
        if (!refused.empty() || !(voxels || name == "fov_mm") || values.size() < 2 ||
            values.size() > 3) {
            return "fov_mm=X,Y[,Z] in mm or matrix=X,Y[,Z] in voxels, above 0";
        }
        read.header[name] = values;
        return "";
    };
    const auto shown = [&read] {
        std::vector<std::string> words;
        for (const auto& [name, numbers] : read.header) {
            words.push_back(name + "=" + in_one_word(numbers));
        }
        return separated_by(" ", words);
    };
    return {"NAME=NUMBERS", take, shown};
}

} // namespace

OptionTable scan_options(std::string& scan, ReadOptions& read) {
    OptionTable rows{
        // The record has the hash of the scan.
        {"SCAN", input(scan), "scan file, recognised by its content", Is::required,
         Is::about_output,
         More{"A native HDF5 scan or ISMRMRD raw data: see [formats.md](formats.md)."}},
        {"traj_units", choice(read.trajectory_units, trajectory_unit_names()),
         "unit of the trajectory", Is::expert, Default{"as the file says"},
         More{"One of " + comma_separated(trajectory_unit_names()) + "."}},
        {"trajectory", trajectory_value(read.beside.trajectory),
         "positions of the samples: a file or a rule", Is::expert, Default{"the scan's own"},
         More{"Arrays, or a sequence of Pulseq: see [formats.md](formats.md#beside-a-scan). Rules, "
              "for readouts:" +
              listed(trajectory_rules())}},
        {"weights", array_input(read.beside.weights), "weights of the samples in another file",
         Is::expert, Default{"the scan's own"}},
        {"times", array_input(read.beside.times), "times of the samples in another file",
         Is::expert, Unit{"s"}, Default{"the scan's own"}},
        {"low_resolution", toggle(read.low_resolution),
         "accept a trajectory with all |k| below N/4", Is::expert,
         More{"A trajectory that stays there nearly always has a wrong unit, and is refused."}},
        {"header", header_value(read),
         "correct the scan's header: fov_mm=X,Y[,Z] or matrix=X,Y[,Z]", Is::expert, Is::repeated,
         More{"The field of view is in mm, the matrix in voxels. Repeat the option to correct "
              "both."}},
        {"join", choices(read.join, frame_counters(), "COUNTERS"),
         raw + "counters that do not separate frames", Is::expert,
         More{"Acquisitions that differ only in these counters form one frame. Counters: " +
              comma_separated(frame_counters()) + "."}},
        {"group", name(read.group, "NAME"), raw + "top-level group of the file", Is::expert,
         Default{"the first with image data"}},
        {"encoding", number(read.encoding, whole(0), "N"), raw + "encoding to read", Is::expert,
         Default{"the first with image data"}},
        {"calibration_lines", choice(read.calibration_lines, {"auto", "image", "maps"}),
         raw + "use of lines flagged as calibration alone", Is::expert,
         More{"auto: those that the image's readout measured between its lines are in the image, "
              "too. image: all of the image's frames and coils are. maps: they make coil maps "
              "alone."}}};
    for (std::size_t i = 0; i < frame_counters().size(); ++i) {
        rows.push_back({frame_counters()[i], indices(read.counters[i]),
                        raw + "values of this counter, such as 0,2,5-9", Is::expert,
                        Default{"all"}});
    }
    rows.push_back({"frames", indices(read.frames),
                    "frames to read, counted from 0 after the other choices", Default{"all"}});
    rows.push_back({"spokes_per_frame", number(read.spokes_per_frame, whole(1), "N"),
                    raw + "cut frames to N consecutive readouts each", Default{"not cut"}});
    rows.push_back({"stride", number(read.stride, whole(1), "N"),
                    "readouts from one such frame to the next", Is::expert,
                    Default{"`spokes_per_frame`"}, Needs{"spokes_per_frame"},
                    More{"Counted from start to start. A stride below `spokes_per_frame` makes a "
                         "sliding window."}});
    return in("Reading", rows);
}

} // namespace lsrecon::option
