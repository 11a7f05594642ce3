// info and check: what a file holds, and what is wrong with a scan.

#include <algorithm>
#include <set>

#include "app/command.hpp"
#include "app/console.hpp"
#include "app/info_parts.hpp"
#include "app/output.hpp"
#include "base/escaped.hpp"
#include "base/named_files.hpp"
#include "base/numbers.hpp"
#include "io/failed_frames.hpp"
#include "io/frame_source.hpp"
#include "io/hdf5/reader.hpp"
#include "prepare/model_check.hpp"
#include "prepare/prepared_scan.hpp"
#include "scan/check.hpp"
#include "scan/directions.hpp"
#include "scan/header_numbers.hpp"

namespace lsrecon::app {

namespace {

struct Options {
    std::string scan;
    ReadOptions read;
    bool model = false; ///< of check
    BackendOptions backend; ///< of that
};

void print_trajectory(const Scan& scan, const Sampling& sampling) {
    const char* const names[] = {"kx", "ky", "kz"};
    for (std::size_t d = 0; d < static_cast<std::size_t>(scan.grid.dimensions); ++d) {
        double low = sampling.trajectory.front()[d];
        double high = low;
        for (const Vec3& k : sampling.trajectory) {
            low = std::min(low, k[d]);
            high = std::max(high, k[d]);
        }
        print_line("%s           %.4g to %.4g cycles/fov, N/2 is %.4g", names[d], low, high,
                   static_cast<double>(scan.grid.size[d]) / 2);
    }
}

void print_off_resonance(const Scan& scan) {
    const RealVector& times = scan.frames.front().sampling->times;
    if (!scan.off_resonance || times.size() == 0) {
        return;
    }
    const RealVector& field = scan.off_resonance->field;
    const double longest = times.maxCoeff() - times.minCoeff();
    print_line("field map    %.4g to %.4g Hz; %.4g turns during the %.4g ms of the times",
               field.minCoeff(), field.maxCoeff(), field.cwiseAbs().maxCoeff() * longest,
               1e3 * longest);
    if (scan.off_resonance->r2star.size() > 0) {
        print_line("R2*          %.4g to %.4g 1/s", scan.off_resonance->r2star.minCoeff(),
                   scan.off_resonance->r2star.maxCoeff());
    }
}

std::string in_words(const Vec3& v) {
    return text("(", v[0] + 0.0, ", ", v[1] + 0.0, ", ", v[2] + 0.0, ")"); // no -0
}

/// How many they are: those of repetitions may differ by rounding.
std::size_t count_positions(const std::vector<Vec3>& positions) {
    std::vector<Vec3> different;
    for (const Vec3& position : positions) {
        const bool known = std::any_of(different.begin(), different.end(), [&](const Vec3& one) {
            return are_same_position(one, position);
        });
        if (!known) {
            different.push_back(position);
        }
    }
    return different.size();
}

/// Where the grid lies in the patient, in LPS.
void print_place(const Scan& scan) {
    std::vector<Vec3> of_frames;
    for (const Frame& frame : scan.frames) {
        if (frame.position) {
            of_frames.push_back(*frame.position);
        }
    }
    const std::size_t different = count_positions(of_frames);
    if (different > 1) {
        print_line("positions    %zu, of the first frame %s mm, of the last %s mm", different,
                   in_words(of_frames.front()).c_str(), in_words(of_frames.back()).c_str());
    } else if (scan.grid.position) {
        print_line("position     %s mm", in_words(*scan.grid.position).c_str());
    }
    if (scan.grid.directions) {
        std::string words;
        for (std::size_t d = 0; d < 3; ++d) {
            const Vec3& direction = (*scan.grid.directions)[d];
            words += text(d == 0 ? "" : ", ", "xyz"[d], " to ", towards(direction), " ",
                          in_words(direction));
        }
        print_line("directions   %s", words.c_str());
    }
}

void print_frames(const Scan& scan) {
    std::vector<std::string> labels;
    std::size_t least = scan.frames.front().sampling->samples();
    std::size_t most = least;
    for (const Frame& frame : scan.frames) {
        labels.push_back(label_beside_index(frame.label, labels.size()));
        least = std::min(least, frame.sampling->samples());
        most = std::max(most, frame.sampling->samples());
    }
    print_line("frames       %s", frames_in_words(labels).c_str());
    print_line("samples      %s per coil and frame",
               least == most ? text(most).c_str() : text(least, " to ", most).c_str());
}

void print_calibrations(const Scan& scan) {
    constexpr std::size_t most = 4; // of many slices
    for (std::size_t i = 0; i < std::min(most, scan.calibrations.size()); ++i) {
        const Frame& calibration = scan.calibrations[i];
        print_line("calibration  %zu samples per coil%s", calibration.sampling->samples(),
                   calibration.label.empty() ? "" : (" of " + calibration.label).c_str());
    }
    if (scan.calibrations.size() > most) {
        print_line("calibration  and of %zu more", scan.calibrations.size() - most);
    }
}

void print_bad(const FrameSource& source) {
    constexpr std::size_t most = 20;
    std::size_t count = 0;
    for (const auto& [frame, error] : source.bad()) {
        if (++count <= most) {
            print_line("bad          frame %zu: %s", frame, on_one_line(error.what()).c_str());
        }
    }
    if (count > most) {
        print_line("bad          %zu more frames", count - most);
    }
}

ExitCode run_info(const Options& options) {
    require_input(options.scan);
    if (byte_format_of(InputFile(options.scan)) == nullptr && print_no_scan(options.scan)) {
        return ExitCode::done;
    }
    ReadOptions read = options.read;
    read.bad_frames = true;
    const FrameSource source(options.scan, read);
    const Scan& scan = source.scan();
    const Frame& first = scan.frames.front();
    print_line("file         %s", scan.file.c_str());
    print_line("format       %s", scan.format.c_str());
    print_line("SHA-256      %s", scan.sha256().c_str());
    print_line("matrix       %s voxels", by(scan.grid.size, scan.grid.dimensions).c_str());
    print_line("fov          %s mm", by(scan.grid.fov_mm, scan.grid.dimensions).c_str());
    if (scan.voxels) {
        print_line("voxels       %zu positions off the grid", scan.voxels->size());
    }
    print_place(scan);
    print_frames(scan);
    print_line("coils        %zu, %s", scan.coils(),
               !scan.coil_maps.empty() ? "with coil maps" : "without coil maps");
    if (!scan.coil_maps.empty()) {
        const SumOfSquares squares = sum_of_squares(scan.coil_maps);
        print_line("sum |map|^2  at most %.4g, mean %.4g over the %zu voxels where it is not 0",
                   squares.largest, squares.mean, squares.voxels);
    }
    print_trajectory(scan, *first.sampling);
    print_line("phi          %s", first.sampling->phi.size() > 0 ? "given" : "not given");
    print_line("weights      %s", first.sampling->weights.size() > 0 ? "given" : "not given");
    print_off_resonance(scan);
    if (!scan.noise.empty()) {
        print_line("noise        %zu samples per coil", scan.noise.columns());
    }
    print_calibrations(scan);
    constexpr std::size_t longest = 400; // some headers hold whole protocols
    for (const auto& [name, value] : scan.details) {
        print_line("%-12s %s", name.c_str(), printable(value, longest).c_str());
    }
    for (const std::string& remark : scan.remarks) {
        print_line("note         %s", remark.c_str());
    }
    print_bad(source);
    return ExitCode::done;
}

/// By the first frame of each place that can be used.
void print_model(FrameSource& source, const BackendOptions& options) {
    Console console(true);
    const auto backend = open_backend(options, console);
    PrepareOptions prepare;
    prepare.maps_of_places = true;
    PreparedScan prepared(source, prepare, *backend, console);
    ModelCheck model(*backend, prepared.maps_are_stored());
    std::set<std::size_t> compared;
    for (const std::size_t f : prepared.order(true)) {
        if (!prepared.is_bad(f) && compared.insert(prepared.place_of(f)).second) {
            prepared.move_to(f);
            model.compare(prepared.scan(), prepared.frame(f), console);
        }
    }
    const std::string advice = model.advice();
    const bool compares = !model.numbers().empty();
    print_line("model: %s", !advice.empty() ? advice.c_str()
                            : compares
                                ? "no other coil maps, field map or sign of the trajectory explain "
                                  "the scan better"
                                : "the scan has neither coil maps nor a field map to compare with");
}

ExitCode run_check(const Options& options) {
    require_input(options.scan);
    FrameSource source(options.scan, options.read);
    for (const std::string& remark : source.scan().remarks) {
        print_line("note: %s", remark.c_str());
    }
    print_line("%s: ok, SHA-256 %s", source.scan().file.c_str(), source.scan().sha256().c_str());
    if (options.model) {
        require_samples(source.scan());
        print_model(source, options.backend);
    }
    return ExitCode::done;
}

std::shared_ptr<Options> bind(CLI::App& sub) {
    auto options = std::make_shared<Options>();
    add_scan_flags(sub, options->scan, options->read);
    return options;
}

} // namespace

std::function<ExitCode()> bind_info(CLI::App& sub) {
    const auto options = bind(sub);
    return [options] { return run_info(*options); };
}

std::function<ExitCode()> bind_check(CLI::App& sub) {
    const auto options = bind(sub);
    sub.add_flag("--model", options->model,
                 "compare the scan's coil maps, field map and sign of the trajectory with others, "
                 "at low resolution");
    add_backend_flags(sub, options->backend);
    return [options] { return run_check(*options); };
}

} // namespace lsrecon::app
