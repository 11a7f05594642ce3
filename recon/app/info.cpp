// info and check: what a file holds, and what is wrong with a scan.

#include <cstdio>

#include "app/command.hpp"
#include "app/console.hpp"
#include "base/named_files.hpp"
#include "base/numbers.hpp"
#include "io/failed_frames.hpp"
#include "io/frame_source.hpp"
#include "io/hdf5_file.hpp"
#include "io/image_reader.hpp"
#include "operators/q.hpp"

namespace lsrecon::app {

namespace {

struct Options {
    std::string scan;
    ReadOptions read;
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
        std::printf("%s           %.4g to %.4g cycles/fov, N/2 is %.4g\n", names[d], low, high,
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
    std::printf("field map    %.4g to %.4g Hz; %.4g turns during the %.4g ms of the times\n",
                field.minCoeff(), field.maxCoeff(), field.cwiseAbs().maxCoeff() * longest,
                1e3 * longest);
    if (scan.off_resonance->r2star.size() > 0) {
        std::printf("R2*          %.4g to %.4g 1/s\n", scan.off_resonance->r2star.minCoeff(),
                    scan.off_resonance->r2star.maxCoeff());
    }
}

/// How an output of the program was made.
void print_record(const Hdf5Reader& file, const std::string& dataset) {
    std::printf("file         %s\n", file.path().c_str());
    std::printf("/%-11s %s\n", dataset.c_str(), file.shape(dataset).to_string().c_str());
    for (const std::string& name : file.attribute_names("record")) {
        std::printf("%-25s %s\n", name.c_str(), file.attribute_in_words("record", name).c_str());
    }
    const std::vector<std::string> errors = frame_errors(file);
    for (std::size_t f = 0; f < errors.size(); ++f) {
        if (!errors[f].empty()) {
            std::printf("%-25s %s\n", text("failed: frame ", f).c_str(), errors[f].c_str());
        }
    }
}

ExitCode run_info(const Options& options) {
    require_input(options.scan);
    if (byte_format_of(InputFile(options.scan)) == nullptr) {
        const Hdf5Reader file(options.scan);
        for (const std::string dataset : {"image", "fhd", "q"}) {
            if (file.has("record") && file.has(dataset)) {
                print_record(file, dataset);
                return ExitCode::done;
            }
        }
    }
    ReadOptions read = options.read;
    read.bad_frames = true;
    const FrameSource source(options.scan, read);
    const Scan& scan = source.scan();
    const Frame& first = scan.frames.front();
    std::printf("file         %s\n", scan.file.c_str());
    std::printf("format       %s\n", scan.format.c_str());
    std::printf("matrix       %s voxels\n", by(scan.grid.size, scan.grid.dimensions).c_str());
    std::printf("fov          %s mm\n", by(scan.grid.fov_mm, scan.grid.dimensions).c_str());
    if (scan.voxels) {
        std::printf("voxels       %zu positions off the grid\n", scan.voxels->size());
    }
    std::printf("frames       %zu\n", scan.frames.size());
    std::printf("coils        %zu, %s\n", scan.coils(),
                !scan.coil_maps.empty() ? "with coil maps" : "without coil maps");
    if (!scan.coil_maps.empty()) {
        const SumOfSquares squares = sum_of_squares(scan.coil_maps);
        std::printf("sum |map|^2  at most %.4g, mean %.4g over the %zu voxels where it is not 0\n",
                    squares.largest, squares.mean, squares.voxels);
    }
    std::printf("samples      %zu per coil and frame\n", first.sampling->samples());
    print_trajectory(scan, *first.sampling);
    std::printf("phi          %s\n", first.sampling->phi.size() > 0 ? "given" : "not given");
    std::printf("weights      %s\n", first.sampling->weights.size() > 0 ? "given" : "not given");
    if (!scan.voxels) { // a list of voxels has no Q to share
        std::printf("q key        %s (scans with equal keys can share --q)\n", q_key(scan).c_str());
    }
    print_off_resonance(scan);
    if (!scan.noise.empty()) {
        std::printf("noise        %zu samples per coil\n", scan.noise.columns());
    }
    for (const Frame& calibration : scan.calibrations) {
        std::printf("calibration  %zu samples per coil%s\n", calibration.sampling->samples(),
                    calibration.label.empty() ? "" : (" of " + calibration.label).c_str());
    }
    for (const auto& [name, value] : scan.details) {
        std::printf("%-12s %s\n", name.c_str(), value.c_str());
    }
    for (const std::string& remark : scan.remarks) {
        std::printf("note         %s\n", remark.c_str());
    }
    for (const auto& [frame, error] : source.bad()) {
        std::printf("bad          frame %zu: %s\n", frame, on_one_line(error.what()).c_str());
    }
    return ExitCode::done;
}

ExitCode run_check(const Options& options) {
    require_input(options.scan);
    const FrameSource source(options.scan, options.read);
    const Scan& scan = source.scan();
    for (const std::string& remark : scan.remarks) {
        std::printf("note: %s\n", remark.c_str());
    }
    std::printf("%s: ok\n", scan.file.c_str());
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
    return [options] { return run_check(*options); };
}

} // namespace lsrecon::app
