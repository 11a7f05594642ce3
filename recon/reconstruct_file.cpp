// Reads a scan with what is named beside it, reconstructs it, and writes image, record, preview and
// log.

#include "reconstruct_file.hpp"

#include <cstdint>
#include <set>

#include "base/error.hpp"
#include "base/named_files.hpp"
#include "base/packed.hpp"
#include "base/report.hpp"
#include "encoding/methods.hpp"
#include "io/beside.hpp"
#include "io/field_file.hpp"
#include "io/image/file.hpp"
#include "io/image/formats.hpp"
#include "io/maps_file.hpp"
#include "io/observers.hpp"
#include "io/part_folder.hpp"
#include "io/preview.hpp"
#include "io/q_file.hpp"
#include "io/record.hpp"
#include "model/scan_field.hpp"
#include "plan/cost.hpp"
#include "plan/plan.hpp"
#include "plan/settle.hpp"
#include "reconstruct_echoes.hpp"
#include "scan/slice.hpp"

namespace lsrecon {

/// Keeps frames in IMAGE.part as they come; writes the image with its record, and its preview.
class ImageFile : public ImageSink {
public:
    ImageFile(const std::string& path, Transforms& transforms, const FileOptions& options,
              Reporter& report)
        : path_(path), transforms_(transforms), options_(options), report_(report) {
        if (!options.resume) {
            PartFolder::require_none(path);
        }
        if (!options.truth.empty()) {
            if (options.snr_units) {
                throw UsageError("`truth` with `snr_units`: a truth is not in units of the noise\n"
                                 "  next:     leave one of the two out");
            }
            truth_.emplace(options.truth);
        }
    }

    void check(const Scan& scan) override {
        if (truth_) {
            truth_->require_size_of(scan);
        }
        if (!options_.preview.empty()) {
            note_preview(scan, report_);
        }
        const std::string part = PartFolder::path_for(path_);
        const bool has_part = resolved_path(part).exists; // `resume` was given
        words_.emplace(text("lsrecon: stopped by a signal; ",
                            has_part ? "frames stay in " + part + " for `resume`"
                                     : "nothing of " + path_ + " is kept",
                            "\n"));
    }

    std::string chosen(const Scan& scan) override {
        settings_ = options_.settings;
        if (scan.frames.size() > 1) { // which a later run may find finished
            add_hashes();
            identity_ = identity_of(make_record(scan, transforms_.computed_by(), settings_));
        }
        return identity_ && options_.resume ? PartFolder::chosen_in(path_, *identity_) : "";
    }

    void keep_chosen(std::string bytes) override { chosen_ = std::move(bytes); }

    void begin(const Scan& scan, const Record& settings, bool by_frame) override {
        settings_.insert(settings_.end(), settings.begin(), settings.end());
        store_.emplace(path_, scan, by_frame ? identity_ : std::nullopt, options_.resume, report_,
                       chosen_);
        if (store_->resumed() > 0) {
            report_.info(text(store_->resumed(), " of ", scan.frames.size(),
                              " frames were finished before"));
        }
        if (!by_frame) {
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

    void end(const Scan& scan, const Image& about, const ComputedBy& by) override {
        store_->require_some();
        image_ = about;
        if (truth_) {
            truth_error_ = truth_->error_of(image_.frames, store_->values());
        }
        if (truth_error_) {
            image_.numbers.emplace_back("truth_error", *truth_error_);
        }
        const Record of_solve = std::move(image_.record);
        if (!identity_) { // computed until now
            add_hashes();
        }
        image_.record = make_record(scan, by, settings_);
        image_.record.insert(image_.record.end(), of_solve.begin(), of_solve.end());
        add_findings(image_.record, scan, report_.findings());
        image_.stage_seconds = report_.stage_seconds();
        scan_file_ = scan.file;
    }

    /// After end(), when there may be no scan any more.
    void write() {
        write_image(path_, image_, store_->voxels(), store_->values());
        words_.reset();
        if (!options_.preview.empty()) {
            write_png(options_.preview, image_, on_grid(scan_file_, image_, store_->values()));
        }
        store_->finish(failed_among(image_.frames).empty());
    }

    /// What is kept where the run ends by an error.
    std::optional<Finding> kept() const { return store_ ? store_->kept() : std::nullopt; }
    std::optional<double> truth_error() const { return truth_error_; }
    const Image& image() const { return image_; }

private:
    void add_hashes() {
        const Record hashes = options_.hashes ? options_.hashes() : Record();
        settings_.insert(settings_.end(), hashes.begin(), hashes.end());
    }

    std::string path_;
    Transforms& transforms_;
    const FileOptions& options_;
    Reporter& report_;
    std::optional<Truth> truth_;
    std::optional<double> truth_error_;
    Record settings_;
    std::optional<Record> identity_; ///< of frames, each for itself
    std::string chosen_;
    std::optional<FrameStore> store_;
    Image image_; ///< all but its values, and
    std::string scan_file_; ///< where it comes from, at the end
    std::optional<SaidOnSignal> words_;
    std::optional<IterationLog> log_;
};

namespace {

/// Volumes that options name, and where their values go.
struct NamedVolumes {
    const VolumesBeside& kind;
    std::string file; ///< "" where none is named
    std::optional<StoredVolumes> PrepareOptions::*values;
};

std::vector<NamedVolumes> named_volumes(const PrepareOptions& prepare) {
    return {{coil_maps_beside, file_of(prepare.maps), &PrepareOptions::stored_maps},
            {field_map_beside, file_of(prepare.field_map), &PrepareOptions::stored_field},
            {prior_image_beside, prepare.prior, &PrepareOptions::stored_prior}};
}

/// Counts also what SliceVolumes keep while slices take theirs from files.
void require_room(Transforms& transforms, const ReconstructOptions& options, const Scan& scan,
                  const Grid& grid, const OffResonance* field) {
    HostMemory memory(transforms.device().in_host_memory());
    for (const NamedVolumes& named : named_volumes(options.prepare)) {
        if (!named.file.empty() && slices_of(scan).size() > 1) {
            memory.add(named.file, "the " + named.kind.name + " of all slices",
                       Cost::on_host(bytes_of_volumes(named.kind, named.file)));
        }
    }
    lsrecon::require_room(transforms, options, scan, grid, field, memory);
}

/// Reports to who watches how long all of it will take.
void expect_duration(Transforms& transforms, const ReconstructOptions& options, const Scan& scan,
                     const Grid& grid, const std::shared_ptr<const OffResonance>& field,
                     Reporter& report) {
    const Plan all = plan_of(transforms, options, scan, grid, field, 0);
    report.expect_stages({all.stages.begin(), all.stages.end()});
}

/// Readouts and coils that images explain clearly worse than the others, by their numbers in the
/// file.
struct Misfits {
    using Numbers = std::vector<std::uint64_t>;
    std::vector<std::pair<std::uint64_t, Numbers>> readouts; ///< by their frames
    Numbers coils;

    Misfits() = default;
    Misfits(const std::vector<ImageFrame>& frames, const LeaveOut& left_out) {
        std::set<std::uint64_t> all;
        for (std::size_t f = 0; f < frames.size(); ++f) {
            Numbers of_frame;
            const std::vector<std::size_t> numbers =
                left_out.readouts_in_file(f, frames[f].readouts.energy.size());
            for (const std::size_t readout : readouts_that_stand_out(frames[f].readouts)) {
                of_frame.push_back(numbers[readout]);
            }
            if (!of_frame.empty()) {
                readouts.emplace_back(f, std::move(of_frame));
            }
            const std::vector<std::size_t> numbers_of_coils =
                left_out.coils_in_file(frames[f].coils.energy.size());
            for (const std::size_t coil : coils_that_stand_out(frames[f].coils)) {
                all.insert(numbers_of_coils[coil]);
            }
        }
        coils.assign(all.begin(), all.end());
    }
    void add_to(LeaveOut& leave_out) const {
        for (const auto& [frame, numbers] : readouts) {
            leave_out.readouts_of_frames[frame] =
                IndexList(std::set<std::size_t>(numbers.begin(), numbers.end()));
        }
        if (!coils.empty()) {
            const IndexList found(std::set<std::size_t>(coils.begin(), coils.end()));
            const std::string listed = leave_out.coils.to_string();
            leave_out.coils = IndexList(found.to_string() + (listed.empty() ? "" : "," + listed));
        }
    }
    template <typename Archive> void each(Archive& archive) { archive(readouts, coils); }
};

} // namespace

std::shared_ptr<const OffResonance> field_of(PrepareOptions& prepare, const Scan& scan) {
    if (const std::string file = file_of(prepare.field_map); !file.empty()) {
        prepare.stored_field = read_volumes(field_map_beside, file, scan.grid);
        return std::make_shared<const OffResonance>(off_resonance_in(prepare.stored_field->values));
    }
    return is_default(prepare.field_map) ? scan.off_resonance : nullptr;
}

ReadOptions reading_for(const PrepareOptions& prepare, ReadOptions read_options) {
    read_options.image = prepare.geometry;
    read_options.with_times =
        !file_of(prepare.field_map).empty() || is_of_echoes(prepare.field_map);
    read_options.whitens = prepare.whiten;
    return read_options;
}

void read_values(PrepareOptions& prepare, const Scan& scan, SharedValues* shared) {
    if (scan.voxels) {
        return; // what has no use there is refused
    }
    for (const NamedVolumes& named : named_volumes(prepare)) {
        if (!named.file.empty() && !(prepare.*named.values)) {
            prepare.*named.values = shared != nullptr
                                        ? shared->volumes(named.kind, named.file, scan.grid)
                                        : read_volumes(named.kind, named.file, scan.grid);
        }
    }
}

FileReconstruction::FileReconstruction(std::string scan_file, std::string image_file,
                                       Transforms& transforms, const FileOptions& options,
                                       Reporter& report, SharedByScans shared)
    : scan_file_(std::move(scan_file)), image_file_(std::move(image_file)), transforms_(transforms),
      options_(options), report_(report), shared_(std::move(shared)) {}

FileReconstruction::~FileReconstruction() = default;

template <typename Step> auto FileReconstruction::noting_what_is_kept(const Step& step) {
    try {
        return step();
    } catch (const Error&) {
        if (const auto kept = image_ ? image_->kept() : std::nullopt) {
            report_.add(*kept);
        }
        throw;
    }
}

/// Checks and reports what can be known before samples are read: what is wrong then costs no time.
void FileReconstruction::check_before_samples(const Scan& scan) {
    if (!scan.voxels && scan.has_samples()) {
        const Grid grid = request_.prepare.geometry.grid_of_image(scan.grid);
        const std::shared_ptr<const OffResonance> field = field_of(request_.prepare, scan);
        require_room(transforms_, request_, scan, grid, field.get());
        if (report_.wants_expected()) {
            expect_duration(transforms_, request_, scan, grid, field, report_);
        }
    }
    if (!options_.preview.empty() && scan.voxels) {
        indices_on_grid(scan.file, scan.grid, *scan.voxels);
    }
    transforms_.device().open_ahead();
}

void FileReconstruction::read() {
    if (transforms_.ranks().is_first()) {
        image_ = std::make_unique<ImageFile>(image_file_, transforms_, options_, report_);
    }
    if (!options_.q_file.empty() || !options_.q_folder.empty() || shared_.values != nullptr) {
        q_ = std::make_unique<KeptQ>(options_.q_file, options_.q_folder, shared_, report_);
    }
    request_ = options_;
    request_.q = q_.get();
    request_.on_iteration = [this](std::size_t frame, const Iteration& i) {
        if (image_) {
            image_->log(frame, i);
        }
    };
    read_ = reading_for(request_.prepare, options_.read);
    read_.bad_frames = true;
    open();
    consider_method(source_->findings(), options_);
    source_->report_scan_facts(report_);
    source_->report_bad(report_);
    const std::size_t ranks = transforms_.ranks().count();
    if (ranks > 1 && !is_shared()) {
        report_.info(text(ranks, " ranks have nothing to share of a single frame by the NUFFT: the "
                                 "first computes alone"));
        alone_ = transforms_.alone();
    }
}

/// Whether ranks share frames, or the sums of a single one.
bool FileReconstruction::is_shared() const {
    const Scan& scan = source_->scan();
    return scan.frames.size() > 1 ||
           transforms_.engine_for(scan.frames.front().trajectory->points(), scan.image_voxels())
               .exact;
}

void FileReconstruction::open() {
    const Stage stage(report_, "read");
    OpenScan opened = open_scan(scan_file_, read_);
    const bool is_whole = !request_.prepare.stack_slice;
    if (opened.shape && is_whole) {
        require_room(transforms_, options_, *opened.shape);
    }
    LoadedScan loaded = load_scan(std::move(opened), read_);
    if (is_whole) {
        check_before_samples(loaded.stored.scan);
    }
    read_values(request_.prepare, loaded.stored.scan, shared_.values);
    source_ = std::make_unique<ScanFile>(std::move(loaded), read_);
}

/// An image of each frame, by little regularisation and few iterations, shows what it does not
/// explain. The scan is opened again for the image that was asked for.
void FileReconstruction::find_what_does_not_fit() {
    LeaveOut& leave_out = request_.prepare.leave_out;
    leave_out.automatic = false;
    ReconstructOptions quick;
    quick.prepare = request_.prepare;
    quick.prepare.keep_coils = false;
    quick.solve.lambda = 1e-3;
    quick.lambda_rule = RuleChoice();
    quick.effort.iterations = 20;
    FramesToCaller nowhere([](std::size_t, const ImageFrame&) {});
    Reporter nobody_watches;
    const Stage stage(report_, "leave_out");
    const Reconstructed made =
        reconstruct(*source_, nowhere, transforms(), std::move(quick), nobody_watches);
    std::string found = packed(Misfits(made.about.frames, leave_out));
    transforms().ranks().broadcast(0, found); // which has the frames of all
    unpacked<Misfits>(found).add_to(leave_out);
    source_.reset();
    open();
}

/// The field map of all echoes that the file has, whichever are reconstructed. A field is smooth,
/// and its images need few voxels.
StoredVolumes FileReconstruction::field_of_echoes() {
    constexpr std::size_t most_voxels[] = {96, 96, 64};
    if (transforms().ranks().count() > 1) {
        throw UsageError(
            "`field_map` auto: several ranks cannot make it together\n  next:     make "
            "it with 'lsrecon fieldmap', and pass it as `field_map` FILE");
    }
    ReadOptions read = reading_for(request_.prepare, options_.read);
    read.counters[1] = {}; // contrasts
    read.frames = {};
    read.with_times = true;
    ScanFile source(scan_file_, read);
    ReconstructOptions options;
    options.is_checked = false; // as the images that follow are
    options.prepare = request_.prepare;
    options.prepare.keep_coils = false;
    options.prepare.stack_slice.reset();
    options.prepare.geometry = {};
    options.prepare.leave_out.readouts_of_frames = {}; // of frames by other numbers
    options.prepare.geometry.conjugate = options_.prepare.geometry.conjugate;
    const Grid& grid = source.scan().grid;
    const auto dimensions = static_cast<std::size_t>(grid.dimensions);
    for (std::size_t d = 0; d < dimensions; ++d) {
        options.prepare.geometry.matrix.push_back(
            std::min(grid.size[d], most_voxels[dimensions - 1]));
    }
    return stacked(
        field_map_of({&source}, {}, transforms(), std::move(options), &stacked, report_));
}

ReconstructedFile FileReconstruction::compute() {
    if (alone_ && !transforms_.ranks().is_first()) {
        return {{SolveSummary(request_.solve), {}}, std::nullopt};
    }
    return noting_what_is_kept([&]() -> ReconstructedFile {
        if (request_.prepare.leave_out.automatic) {
            find_what_does_not_fit();
        }
        FramesToCaller nowhere([](std::size_t, const ImageFrame&) {});
        ImageSink& sink = image_ ? static_cast<ImageSink&>(*image_) : nowhere;
        if (is_of_echoes(request_.prepare.field_map)) {
            request_.prepare.stored_field = field_of_echoes();
        }
        Reconstructed result =
            reconstruct(*source_, sink, transforms(), std::move(request_), report_);
        source_.reset();
        return {std::move(result), image_ ? image_->truth_error() : std::nullopt};
    });
}

void FileReconstruction::write() {
    if (image_) {
        noting_what_is_kept([&] { image_->write(); });
    }
}

const Image& FileReconstruction::image() const {
    return image_->image();
}

ReconstructedFile reconstruct_file(const std::string& scan_file, const std::string& image_file,
                                   Transforms& transforms, const FileOptions& options,
                                   Reporter& report) {
    FileReconstruction steps(scan_file, image_file, transforms, options, report);
    steps.read();
    ReconstructedFile result = steps.compute();
    steps.write();
    return result;
}

} // namespace lsrecon
