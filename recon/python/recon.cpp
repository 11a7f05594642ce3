// Reconstruction of a scan in memory, its prediction, and images written to files.

#include "python/scan.hpp"

#include <map>

#include "encoding/certificate.hpp"
#include "io/formats.hpp"
#include "io/image/file.hpp"
#include "io/image/formats.hpp"
#include "io/q_file.hpp"
#include "io/record.hpp"
#include "model/stack_slice.hpp"
#include "plan/plan.hpp"
#include "plan/settle.hpp"
#include "scan/failed_frames.hpp"

namespace lsrecon::python {

namespace {

/// Takes frames into an array, and what is known of the image.
template <typename Real> class ImageInMemory : public ImageSink {
public:
    explicit ImageInMemory(Record settings) : record_(std::move(settings)) {}

    void begin(const Scan& scan, const Record& settings, bool /*by_frame*/) override {
        record_.insert(record_.end(), settings.begin(), settings.end());
        voxels_ = scan.image_voxels().count();
        values.resize(scan.frames.size() * voxels_);
    }
    void put(std::size_t frame, ImageFrame made) override {
        Eigen::Map<Eigen::Matrix<std::complex<Real>, Eigen::Dynamic, 1>>(
            values.data() + frame * voxels_, made.values.size()) =
            made.values.cast<std::complex<Real>>();
    }
    void end(const Scan& scan, const Image& about, const ComputedBy& by) override {
        image = about;
        image.record = make_record(scan, by, record_);
        image.record.insert(image.record.end(), about.record.begin(), about.record.end());
    }

    Image image; ///< all but its values
    std::vector<std::complex<Real>> values;

private:
    Record record_;
    std::size_t voxels_ = 0;
};

/// The options as records name them.
Record settings_of(const option::Keywords& options) {
    Record settings;
    for (const auto& [key, word] : options) {
        settings.emplace_back(name_of_option(key), word);
    }
    return settings;
}

nb::dict dict_of(const Image& image) {
    nb::dict record;
    for (const auto& [name, value] : notes_and_rest(image.record).second) {
        record[name.c_str()] = value;
    }
    for (const auto& [name, value] : image.numbers) {
        record[name.c_str()] = value;
    }
    std::map<std::string, double> of_stages;
    for (const auto& [stage, seconds] : image.stage_seconds) {
        of_stages[stage] += seconds;
    }
    nb::dict seconds;
    for (const auto& [stage, of_stage] : of_stages) {
        seconds[stage.c_str()] = of_stage;
    }
    record["seconds"] = seconds;
    for (const RecordTable& table : image.tables) {
        nb::dict columns;
        for (std::size_t c = 0; c < table.columns.size(); ++c) {
            std::vector<double> column;
            for (std::size_t i = c; i < table.values.size(); i += table.columns.size()) {
                column.push_back(table.values[i]);
            }
            const std::size_t rows = column.size();
            columns[table.columns[c].c_str()] = numpy(std::move(column), {rows});
        }
        record[table.name.c_str()] = columns;
    }
    nb::list residuals;
    for (const ImageFrame& frame : image.frames) {
        residuals.append(frame.residuals);
    }
    record["residuals"] = residuals;
    return record;
}

nb::list list_of(const Findings& findings) {
    static const char* const severities[] = {"info", "warning", "error"};
    nb::list result;
    for (const Finding& finding : findings) {
        const FindingRow& row = row_of(finding);
        result.append(nb::make_tuple(row.code, severities[static_cast<int>(row.severity)],
                                     words_of(finding)));
    }
    return result;
}

/// From a voxel's index along x, y and z to mm in RAS, as NIfTI has it, of a grid whose position is
/// known.
std::vector<double> affine_of(const Grid& grid) {
    std::vector<double> affine(16, 0);
    const Vec3 first = centre_of_first_voxel(grid);
    for (std::size_t row = 0; row < 3; ++row) {
        const double sign = row < 2 ? -1 : 1;
        for (std::size_t d = 0; d < 3; ++d) {
            affine[4 * row + d] = sign * (*grid.directions)[d][row] * grid.fov_mm[d] /
                                  static_cast<double>(grid.size[d]);
        }
        affine[4 * row + 3] = sign * first[row];
    }
    affine[15] = 1;
    return affine;
}

/// What an image says of itself but its values: where it lies, and how it was made. Where frames
/// have positions of their own, an affine is of each.
nb::dict described(const Image& image) {
    nb::dict result;
    const Grid& grid = image.grid;
    result["affine"] = nb::none();
    result["affines"] = nb::none();
    if (grid.position && grid.directions) {
        result["affine"] = numpy(affine_of(grid), {4, 4});
    }
    const bool are_apart = std::any_of(image.frames.begin(), image.frames.end(),
                                       [](const ImageFrame& frame) { return frame.position; });
    if (are_apart && grid.directions) {
        std::vector<double> affines;
        for (const ImageFrame& frame : image.frames) {
            Grid there = grid;
            there.position = frame.position ? frame.position : grid.position;
            const std::vector<double> own = affine_of(there);
            affines.insert(affines.end(), own.begin(), own.end());
        }
        result["affines"] = numpy(std::move(affines), {image.frames.size(), 4, 4});
    }
    result["fov_mm"] =
        std::vector<double>(grid.fov_mm.begin(), grid.fov_mm.begin() + grid.dimensions);
    result["record"] = dict_of(image);
    return result;
}

/// What is known of an image beside its values, for files.
struct AboutImage {
    Image image;
};

template <typename Real> nb::dict reconstruct_as(const ScanOfArrays& scan,
                                                 const option::Keywords& options, bool check_reach,
                                                 const std::optional<Array>& prior, KeptQs* qs,
                                                 ToPython& report, const nb::object& iteration) {
    std::optional<Reconstructed> made;
    ImageInMemory<Real> sink(settings_of(options));
    {
        const nb::gil_scoped_release others_may_run;
        Request request = options_from(options);
        std::optional<KeptQ> store;
        if (qs != nullptr) {
            store.emplace("", "", qs->of(making_in_words(request.compute)), report);
            request.reconstruct.q = &*store;
        }
        request.reconstruct.on_iteration = [&](std::size_t frame, const Iteration& i) {
            report.check_signals();
            if (!iteration.is_none()) {
                const nb::gil_scoped_acquire held;
                iteration(frame, i.problem, i.done, i.residual);
            }
        };
        if (prior) {
            PrepareOptions& prepare = request.reconstruct.prepare;
            prepare.prior = "`prior`";
            prepare.stored_prior = {scan.scan.grid, rows_of(*prior, 0, 1, prior->size())};
        }
        LentTransforms transforms(request.compute, report);
        FramesInMemory source(scan.for_run(check_reach, request.reconstruct.prepare.geometry));
        made = reconstruct(source, sink, *transforms, request.reconstruct, report);
        transforms.give_back();
        if (!made->failed.empty()) {
            const FailedFrame& first = made->failed.begin()->second;
            throw Error(first.code, first.error);
        }
        if (const double most = request.reconstruct.certify;
            most > 0 && !(made->solves.certificate().image.upper <= most)) {
            throw ToleranceError(text("`certify` ", most,
                                      ": the image may be wrong by more\n  "
                                      "found:    ",
                                      made->solves.certificate_in_words(),
                                      "\n  next:     pass a smaller `accuracy`, `precision` "
                                      "double, or a larger `lambda`"));
        }
        sink.image.stage_seconds = report.stage_seconds();
    }
    const Grid& grid = sink.image.grid;
    const std::size_t frames = sink.image.frames.size();
    const std::vector<std::size_t> of_one = shape_of(grid);
    const std::vector<std::size_t> before =
        sink.image.coils > 1 && frames > sink.image.coils
            ? std::vector{frames / sink.image.coils, sink.image.coils}
        : frames > 1 ? std::vector{frames}
                     : std::vector<std::size_t>();
    const double upper = made->solves.certificate().image.upper;
    const auto map_of = [&](const RealVector& map) {
        return map.size() > 0 ? numpy_of<double>(map, of_one) : nb::none();
    };
    nb::dict result = described(sink.image);
    result["array"] = numpy(std::move(sink.values), joined(before, of_one));
    result["error"] = upper > 0 ? nb::cast(upper) : nb::none();
    result["findings"] = list_of(report.findings());
    result["noise_map"] = map_of(sink.image.noise_map);
    result["g_factor"] = map_of(sink.image.g_factor);
    add_findings(sink.image.record, scan.scan, report.findings());
    result["about"] = nb::cast(AboutImage{std::move(sink.image)});
    return result;
}

/// Images as complex64, or as complex128 where samples are, with the bits of `lsrecon recon`.
nb::dict recon(const ScanOfArrays& scan, const option::Keywords& options, bool check_reach,
               bool in_doubles, const std::optional<Array>& prior, KeptQs* qs,
               const nb::object& progress, const nb::object& iteration) {
    ToPython report(progress);
    const auto as = in_doubles ? &reconstruct_as<double> : &reconstruct_as<float>;
    return as(scan, options, check_reach, prior, qs, report, iteration);
}

nb::dict predict(const ScanOfArrays& scan, const option::Keywords& options) {
    Plan plan;
    ToPython nobody_watches;
    {
        const nb::gil_scoped_release others_may_run;
        Request request = options_from(options);
        LentTransforms transforms(request.compute, nobody_watches);
        const PrepareOptions& prepare = request.reconstruct.prepare;
        FramesInMemory source(scan.for_run(false, prepare.geometry));
        Scan known = source.take_scan();
        if (prepare.stack_slice) {
            StackSlice(*prepare.stack_slice, known);
        }
        plan = plan_of(*transforms, request.reconstruct, known,
                       prepare.geometry.grid_of_image(known.grid), known.off_resonance, 0);
        transforms.give_back();
    }
    nb::dict stages;
    for (const auto& [name, seconds] : plan.stages) {
        stages[name.c_str()] = seconds;
    }
    nb::dict result;
    result["seconds"] = plan.seconds();
    result["spread"] = plan.spread;
    result["stages"] = stages;
    result["host_bytes"] = plan.host_bytes;
    result["device_bytes"] = plan.device_bytes;
    return result;
}

/// Writes an image by the ending of the path.
void write_values(const std::string& path, const AboutImage& about, const Array& values) {
    const std::size_t voxels = about.image.grid.voxels();
    const FrameValues of_frame = [&](std::size_t frame) {
        return to_floats(
            ComplexVector(rows_of(values, frame * voxels, 1, voxels).to_doubles().row(0)));
    };
    const ImageFormat& format = format_of_output(path, "");
    if (format.name == image_file_format) {
        write_image(path, about.image, voxels, of_frame);
        return;
    }
    format.require_built();
    StoredImage image{path, "values", about.image, of_frame};
    image.about.record = record_in_words(about.image);
    Reporter nobody_watches;
    ImageOutput output{path, format.parts.front()};
    output.record = image.about.record;
    format.write(image, output, nobody_watches);
}

/// An image of a file in any format that `lsrecon convert` reads, or None of another file.
nb::object read_image_of(const std::string& path) {
    if (!name_of_scan_format(path).empty()) {
        return nb::none();
    }
    const std::vector<ImageFormat>& rows = image_formats();
    const auto row = std::find_if(rows.begin(), rows.end(), [&](const ImageFormat& one) {
        return one.recognises != nullptr && one.recognises(path);
    });
    if (row == rows.end()) {
        return nb::none();
    }
    std::optional<StoredImage> stored;
    ImageValues values;
    {
        const nb::gil_scoped_release others_may_run;
        stored = row->open(path, {});
        for (std::size_t f = 0; f < stored->frames(); ++f) {
            const ImageValues frame = stored->values(f);
            values.insert(values.end(), frame.begin(), frame.end());
        }
    }
    const std::size_t frames = stored->frames();
    nb::dict result = described(stored->about);
    result["array"] = numpy(std::move(values),
                            joined(frames > 1 ? std::vector{frames} : std::vector<std::size_t>(),
                                   shape_of(stored->about.grid)));
    result["is_real"] = stored->part == ImagePart::real;
    result["findings"] = list_of(stored->findings);
    result["about"] = nb::cast(AboutImage{std::move(stored->about)});
    return result;
}

} // namespace

void bind_recon(nb::module_& m) {
    nb::class_<AboutImage>(m, "AboutImage");
    m.def("recon", &recon, nb::arg("scan"), nb::arg("options"), nb::arg("check_reach"),
          nb::arg("in_doubles"), nb::arg("prior").none(), nb::arg("qs").none(),
          nb::arg("progress").none(), nb::arg("iteration").none());
    m.def("read_image", &read_image_of, nb::arg("path"));
    m.def("predict", &predict, nb::arg("scan"), nb::arg("options"));
    m.def("write_image", &write_values, nb::arg("path"), nb::arg("about"), nb::arg("values"));
}

} // namespace lsrecon::python
