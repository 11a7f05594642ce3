#include "reconstruct_file.hpp"

#include "base/error.hpp"
#include "base/said_on_signal.hpp"
#include "io/field_file.hpp"
#include "io/frame_store.hpp"
#include "io/image/file.hpp"
#include "io/image/formats.hpp"
#include "io/image/png.hpp"
#include "io/iteration_log.hpp"
#include "io/kept_q.hpp"
#include "io/maps_file.hpp"
#include "io/preview.hpp"
#include "io/prior_file.hpp"
#include "io/record.hpp"
#include "io/truth.hpp"
#include "reconstruct_cost.hpp"
#include "scan/place.hpp"

namespace lsrecon {

namespace {

/// Keeps frames in IMAGE.part as they come, and writes the image, its preview and its record.
class ImageFile : public ImageSink {
public:
    ImageFile(const std::string& path, Transforms& transforms, const FileOptions& options,
              Reporter& report)
        : path_(path), transforms_(transforms), options_(options), report_(report) {
        if (!options.resume) {
            PartFolder::require_none(path);
        }
        if (!options.truth.empty()) {
            truth_.emplace(options.truth);
        }
    }

    void expect(const Scan& scan) override {
        if (truth_) {
            truth_->require_size_of(scan);
        }
        if (!options_.preview.empty()) {
            note_preview(scan, report_);
        }
    }

    void begin(const Scan& scan, const Record& settings) override {
        settings_ = options_.settings;
        settings_.insert(settings_.end(), settings.begin(), settings.end());
        const bool together = need_all_frames(options_.solve.regularisers);
        std::optional<Record> identity; // of frames that a later run may find finished
        if (!together && scan.frames.size() > 1) {
            identity = identity_of(make_record(scan, transforms_.computed_by(), settings_));
        }
        store_.emplace(path_, scan, std::move(identity), options_.resume);
        if (store_->resumed() > 0) {
            report_.tell(text(store_->resumed(), " of ", scan.frames.size(),
                              " frames were finished before"));
        }
        if (together) {
            words_.emplace("lsrecon: stopped by a signal; frames that are solved together are "
                           "saved only when all are done\n");
        }
        if (!options_.log.empty()) {
            log_.emplace(options_.log, options_.resume);
        }
    }

    std::optional<ImageFrame> finished(std::size_t frame) override {
        return store_->has(frame) ? std::optional(store_->about(frame)) : std::nullopt;
    }

    void put(std::size_t frame, ImageFrame image) override { store_->put(frame, std::move(image)); }

    void log(std::size_t frame, const Iteration& i) {
        if (log_) {
            log_->add(frame, i.problem, i.done, i.residual);
        }
    }

    void end(const Scan& scan, const Image& about) override {
        store_->require_some();
        Image image = about;
        if (truth_) {
            truth_error_ = truth_->error_of(image.frames, store_->values());
        }
        if (truth_error_) {
            image.numbers.emplace_back("truth_error", *truth_error_);
        }
        const Record of_solve = std::move(image.record);
        image.record = make_record(scan, transforms_.computed_by(), settings_);
        image.record.insert(image.record.end(), of_solve.begin(), of_solve.end());
        add_notes(image.record, scan, report_.notes());
        image.stage_seconds = report_.stage_seconds();
        write_image(path_, image, store_->voxels(), store_->values());
        if (!options_.preview.empty()) {
            write_png(options_.preview, image, on_grid(scan.file, image, store_->values()));
        }
        store_->finish(failed_among(image.frames).empty());
    }

    /// What is kept where the run ends by an error.
    std::string kept() const { return store_ ? store_->kept() : ""; }
    std::optional<double> truth_error() const { return truth_error_; }

private:
    std::string path_;
    Transforms& transforms_;
    const FileOptions& options_;
    Reporter& report_;
    std::optional<Truth> truth_;
    std::optional<double> truth_error_;
    Record settings_;
    std::optional<FrameStore> store_;
    std::optional<SaidOnSignal> words_;
    std::optional<IterationLog> log_;
};

/// With what PlacedVolumes keep while slices take theirs from files, whose sizes these say. The
/// field map is as its file has it.
void require_room(Transforms& transforms, const ReconstructOptions& options, const Scan& scan,
                  const Grid& grid) {
    const PrepareOptions& prepare = options.prepare;
    std::shared_ptr<const OffResonance> field = scan.off_resonance;
    if (prepare.field_map_of_file()) {
        field = std::make_shared<const OffResonance>(
            read_field(prepare.field_map, scan.grid).off_resonance);
    }
    HostMemory memory(transforms.device().in_host_memory());
    const auto add = [&](const std::string& file, const std::string& what, double bytes) {
        memory.add(file, what, Cost::on_host(bytes));
    };
    const bool slices = places_of(scan).size() > 1;
    if (slices && prepare.field_map_of_file()) {
        add(prepare.field_map, "the field map of all slices",
            static_cast<double>(field->field.size() + field->r2star.size()) * sizeof(Complex));
    }
    if (slices && !prepare.prior.empty()) {
        const StoredImage prior = format_of_input(prepare.prior).open(prepare.prior, {});
        add(prepare.prior, "the prior image of all slices",
            static_cast<double>(prior.voxels() * prior.frames()) * sizeof(std::complex<float>));
    }
    if (slices && prepare.maps_of_file()) {
        add(prepare.maps, "coil maps of all slices", bytes_of_maps(prepare.maps));
    }
    lsrecon::require_room(transforms, options, scan, grid,
                          prepare.field_map == "none" ? nullptr : field.get(), memory);
}

} // namespace

void tell(const PrepareOptions& prepare, ReadOptions& read) {
    const GeometryOptions& geometry = prepare.geometry;
    read.with_times = prepare.field_map_of_file();
    read.maps_file = prepare.maps_of_file() ? prepare.maps : "";
    read.field_map_file = prepare.field_map_of_file() ? prepare.field_map : "";
    read.whitens = prepare.whiten;
    read.one_place = geometry.shift_to_position;
    read.middle_x_mm = geometry.shift_mm.empty() ? 0 : -geometry.shift_mm[0];
    read.fov_x_mm = geometry.fov_mm.empty() ? 0 : geometry.fov_mm[0];
    read.matrix = geometry.matrix;
    read.other_grid = geometry.other_grid();
    read.regularised = geometry.regularised;
    read.mirrored = geometry.conjugate;
}

void read_values(PrepareOptions& prepare, const Scan& scan) {
    if (scan.voxels) {
        return; // what has no use there is refused
    }
    if (prepare.maps_of_file()) {
        prepare.stored_maps = read_maps(prepare.maps, scan.grid);
    }
    if (prepare.field_map_of_file()) {
        prepare.stored_field = read_field(prepare.field_map, scan.grid);
    }
    if (!prepare.prior.empty()) {
        prepare.stored_prior = read_prior(prepare.prior);
    }
}

ReconstructedFile reconstruct_file(const std::string& scan_file, const std::string& image_file,
                                   Transforms& transforms, const FileOptions& options,
                                   Reporter& report) {
    std::optional<ImageFile> image;
    FramesToCaller nowhere([](std::size_t, const ImageFrame&) {});
    if (transforms.ranks().is_first()) {
        image.emplace(image_file, transforms, options, report);
    }
    KeptQ q(options.q_file, options.q_folder, transforms, report);
    ReconstructOptions how = options;
    how.q = &q;
    how.prepare.geometry.regularised = !options.solve.regularisers.empty();
    how.on_iteration = [&](std::size_t frame, const Iteration& i) {
        if (image) {
            image->log(frame, i);
        }
    };
    ReadOptions read = options.read;
    tell(how.prepare, read);
    read.bad_frames = true;
    read.before_values = [&](const ScanShape& shape) { require_room(transforms, options, shape); };
    read.before_samples = [&](const Scan& scan) {
        if (!scan.voxels && scan.has_samples()) {
            require_room(transforms, how, scan, read.grid_of_image(scan.grid));
        }
        if (!options.preview.empty() && scan.voxels) {
            places_on_grid(scan.file, scan.grid, *scan.voxels);
        }
        transforms.device().open_ahead();
    };
    ScanFile source(scan_file, read, report);
    source.report_bad(report);
    read_values(how.prepare, source.scan());
    try {
        ImageSink& sink = image ? static_cast<ImageSink&>(*image) : nowhere;
        Reconstructed result = reconstruct(source, sink, transforms, std::move(how), report);
        return {std::move(result), image ? image->truth_error() : std::nullopt};
    } catch (const Error&) {
        if (image && !image->kept().empty()) {
            report.note(image->kept());
        }
        throw;
    }
}

} // namespace lsrecon
