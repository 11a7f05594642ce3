// batch: reconstructs many scans, one after the other, and prints a table of them.

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <future>
#include <map>
#include <unistd.h>

#include "app/output.hpp"
#include "app/ranks.hpp"
#include "app/recon.hpp"
#include "base/bytes_as_text.hpp"
#include "base/escaped.hpp"
#include "base/folders.hpp"
#include "base/input_file.hpp"
#include "base/machine.hpp"
#include "base/named_files.hpp"
#include "base/numbers.hpp"
#include "base/output_file.hpp"
#include "base/parallel.hpp"
#include "base/version.hpp"
#include "io/image/file.hpp"
#include "io/part_folder.hpp"

namespace lsrecon::app {

namespace {

namespace fs = std::filesystem;

/// Scans index, index + of, index + 2 of, ... of a list, from 1.
struct Share {
    std::size_t index = 1;
    std::size_t of = 1;
};

struct BatchFlags {
    std::vector<std::string> scans; ///< or lists of them
    std::string folder;
    Share share;
    ReconOptions recon; ///< options of every scan
};

struct Item : ListedScan {
    std::string image;
    std::size_t number = 0; ///< number from 1 within this share of the list
    std::exception_ptr refused = nullptr; ///< why it cannot be done; null where it may
};

Value share_value(Share& share) {
    return {"I/N",
            [&share](const std::string& word) -> std::string {
                const std::vector<std::string> numbers = split(word, '/');
                const bool is_share =
                    numbers.size() == 2 && take_number(share.index, numbers[0], whole(1)).empty() &&
                    take_number(share.of, numbers[1], whole(1)).empty() && share.index <= share.of;
                return is_share ? "" : "I/N with I from 1 to N, such as 3/8";
            },
            [&share] { return text(share.index, "/", share.of); }};
}

OptionTable options_of_batch(BatchFlags& options) {
    const OptionTable table = in(
        "Scans", {scans_option(options.scans),
                  output_option(
                      options.folder, "folder to write into",
                      "`FOLDER/images/SCAN` are images, and `FOLDER/results.tsv` is a table of all "
                      "scans. Started again, the command does what is not finished: an image is, "
                      "when it was made of the same scan with the same options by the same "
                      "version. Otherwise it is made again, and the table says what is different."),
                  {"share", share_value(options.share), "only scans I, I + N, I + 2 N, ... of all",
                   More{"Several processes divide a list so, each on a device of its own. The "
                        "table of a share is `FOLDER/results-I-of-N.tsv`."}}});
    return joined(
        {table, shared_options(options.recon), in("Output", {quiet_option(options.recon.quiet)})});
}

/// A scan below the working folder keeps its path from there. Any other has the name of its folder
/// and its own, and a hash of where it is.
std::string image_of(const std::string& folder, const std::string& scan) {
    const fs::path path = fs::absolute(scan).lexically_normal();
    fs::path name = path.lexically_relative(fs::current_path());
    if (name.empty() || *name.begin() == "..") {
        const std::string of_folder = Sha256().add(path.parent_path().string()).hex().substr(0, 8);
        name = path.parent_path().filename() / (path.stem().string() + "-" + of_folder);
        name += path.extension();
    }
    if (name.extension() != ".h5") {
        name += ".h5";
    }
    return (fs::path(folder) / "images" / name).string();
}

/// All scans. Those that cannot be done are known before any is.
std::vector<Item> items_of(const BatchFlags& options) {
    std::vector<Item> items;
    for (const ListedScan& listed : listed_scans(options.scans)) {
        items.push_back({listed, image_of(options.folder, listed.scan)});
    }
    std::map<std::string, std::size_t> listed; // images, and how often
    for (Item& item : items) {
        try {
            ReconOptions one = options_for(item, options.recon);
            settle_options(one);
            require_input(item.scan, "SCANS");
            if (++listed[item.image] > 1) {
                throw UsageError({item.scan, "SCANS", "it is listed twice", "each scan once",
                                  "remove one of them: both images would be " + item.image});
            }
        } catch (const Error&) {
            item.refused = std::current_exception();
        }
    }
    return items;
}

/// The error of a line that cannot be done.
void require_sound(const Item& item) {
    if (item.refused) {
        std::rethrow_exception(item.refused);
    }
}

/// What the table shows of an image, whichever run made it.
struct ImageSummary {
    double seconds = 0; ///< seconds of all stages
    std::string iterations; ///< a range, of several solves
    std::string residual; ///< the largest that is left
    std::string unexplained; ///< share of the samples' energy, of the worst frame
    std::string lambda;
    std::string regularisers;
    std::vector<std::string> notes;
};

double number_in(const Record& record, const std::string& name) {
    return finite_number(value_in(record, name)).value_or(0);
}

double seconds_of_stages(const Record& record) {
    double seconds = 0;
    for (const auto& [name, value] : record) {
        seconds += name.rfind("seconds_", 0) == 0 ? number_in(record, name) : 0;
    }
    return seconds;
}

ImageSummary summary_of(const std::vector<ImageFrame>& frames, const Record& all) {
    ImageSummary summary;
    std::vector<double> iterations;
    double residual = 0;
    for (const ImageFrame& frame : frames) {
        for (const std::vector<double>& residuals : frame.residuals) {
            if (!residuals.empty()) { // not of a frame that failed
                iterations.push_back(static_cast<double>(residuals.size() - 1));
                residual = std::max(residual, residuals.back());
            }
        }
    }
    if (!iterations.empty()) {
        summary.iterations = range_in_words(iterations);
        summary.residual = rounded(residual);
    }
    const auto [notes, record] = notes_and_rest(all);
    summary.seconds = seconds_of_stages(record);
    const std::string unexplained = value_in(record, "unexplained");
    summary.unexplained = unexplained.empty() ? "" : rounded(number_in(record, "unexplained"));
    summary.lambda = value_in(record, "lambda");
    summary.regularisers = value_in(record, "regularisers");
    for (const Note& note : notes) {
        summary.notes.push_back(note.words);
    }
    return summary;
}

/// The file that is already there under the name of an image.
struct Earlier {
    std::optional<ImageSummary> finished; ///< of an image that needs no more work
    std::string why_again; ///< it is made again; "" where there is no image
};

/// "--lambda was 0.1 and is 0.2"
std::string in_words(const Difference& other) {
    const auto shown = [](const std::string& value) { return value.empty() ? "not given" : value; };
    const bool is_hash = std::max(other.before.size(), other.now.size()) == Sha256::digits;
    return is_hash ? other.thing + " has changed"
                   : text(other.thing, " was ", shown(other.before), " and is ", shown(other.now));
}

/// UsageError for a file that `recon` has not made.
Earlier earlier_image(const ReconOptions& options, const Record& hashes) {
    if (!resolved_path(options.output).exists) {
        return {};
    }
    const Hdf5Reader image(options.output);
    const Record record = record_of(image);
    if (!image.has("image") || value_in(record, "scan_sha256").empty()) {
        throw UsageError({options.output, "image", "a file that 'lsrecon recon' has not made",
                          "an image of this scan, or no file",
                          "move it away, or name another --output"});
    }
    Record expected = options.reconstruct.settings;
    expected.insert(expected.end(), hashes.begin(), hashes.end());
    expected.emplace_back("program", text("lsrecon ", version));
    expected.emplace_back("scan_sha256", InputFile(options.scan).sha256());
    if (const std::optional<Difference> other =
            difference(identity_of(record), identity_of(expected))) {
        return {std::nullopt, in_words(*other)};
    }
    const std::vector<ImageFrame> frames = frames_of_image(image);
    const std::vector<std::size_t> failed = failed_among(frames);
    if (!failed.empty() && value_in(record, "solved_together") == "yes") {
        return {std::nullopt, "frames had failed"}; // others are tried again by their part
    }
    const double most = options.reconstruct.certify;
    if (most > 0 && !(number_in(record, "certified_image_upper") <= most)) {
        return {std::nullopt, "it had missed `certify`"};
    }
    ImageSummary summary = summary_of(frames, record);
    if (!failed.empty()) {
        summary.notes.insert(summary.notes.begin(), list_of_failures(failed, frames.size()));
    }
    return {std::move(summary), ""};
}

/// The outcome of a scan.
struct BatchOutcome {
    ExitCode code = ExitCode::done;
    double seconds = 0; ///< seconds of all steps
    ImageSummary summary; ///< of its image, where there is one
    std::string error;
    bool is_old = false; ///< finished by an earlier run
    std::string why_again; ///< why the image that was there was made again; "" for nothing
    std::exception_ptr bug; ///< whatever is no Error ends the batch
};

/// A scan on its way from its file to its image.
struct Job {
    explicit Job(Item of) : item(std::move(of)) {}

    Item item;
    ReconOptions options;
    Reporter report;
    std::unique_ptr<Transforms> transforms;
    std::unique_ptr<FileReconstruction> steps; ///< null before the scan is read
    std::optional<ReconstructedFile> result;
    BatchOutcome outcome;
};
using JobPointer = std::unique_ptr<Job>;

/// Takes a step of a scan, unless an earlier one was the last.
template <typename Step> void attempt(BatchOutcome& outcome, const Step& step) {
    if (outcome.code != ExitCode::done || outcome.is_old || outcome.bug) {
        return;
    }
    const auto begin = std::chrono::steady_clock::now();
    try {
        step();
    } catch (const Error& error) {
        outcome.code = error.code();
        outcome.error = error.what();
    } catch (...) {
        outcome.bug = std::current_exception();
    }
    outcome.seconds += seconds_since(begin);
}

/// "3 min", or "40 s".
std::string duration(double seconds) {
    return seconds < 100 ? formatted("%.0f s", seconds) : formatted("%.0f min", seconds / 60);
}

/// Scans as they end: a row each in a file, and on the console how far the batch is.
class Table {
public:
    /// `ranks` share these scans, and each has a table of its own. UsageError where no file can be
    /// written there.
    Table(std::string path, std::size_t scans, std::size_t ranks, bool quiet)
        : path_(std::move(path)), scans_(scans), ranks_(ranks), quiet_(quiet) {
        const int flags = O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC;
        file_ = ::open(path_.c_str(), flags, 0666);
        if (file_ < 0) {
            throw UsageError({path_, "table", errno == ELOOP ? "a link" : std::strerror(errno),
                              "a file that can be written, or none",
                              "remove it, or name another --output"});
        }
        put_row({"scan", "image", "exit", "seconds", "iterations", "residual", "unexplained",
                 "lambda", "regularisers", "warnings", "message"});
    }

    ~Table() { ::close(file_); }
    Table(const Table&) = delete;
    Table& operator=(const Table&) = delete;

    void add(const Item& item, const BatchOutcome& outcome) {
        const ImageSummary& summary = outcome.summary;
        const bool failed = outcome.code != ExitCode::done;
        std::vector<std::string> message;
        if (failed) {
            message.push_back(on_one_line(outcome.error));
        }
        if (!outcome.why_again.empty()) {
            message.push_back("made again: " + outcome.why_again);
        }
        message.insert(message.end(), summary.notes.begin(), summary.notes.end());
        const double seconds = failed ? outcome.seconds : summary.seconds;
        put_row({item.scan, item.image, text(static_cast<int>(outcome.code)),
                 formatted("%.2f", seconds), summary.iterations, summary.residual,
                 summary.unexplained, summary.lambda, summary.regularisers,
                 text(summary.notes.size()), with_flags(separated_by("; ", message))});
        made_ += outcome.is_old ? 0 : 1;
        if (failed) {
            if (!item.refused) { // else it was said before
                put_error(outcome.error);
            }
            ++failed_;
            code_ = failed_ == 1 ? outcome.code : std::min(code_, outcome.code);
        }
        if (!quiet_) {
            const std::size_t notes = outcome.is_old ? 0 : summary.notes.size();
            put(stderr, text("scan ", item.number, " of ", scans_, ": ", item.scan, ", ",
                             outcome.is_old ? "finished before"
                             : failed       ? text("exit code ", static_cast<int>(outcome.code))
                                            : "done in " + duration(outcome.seconds),
                             notes == 0 ? "" : ", " + counted(notes, "note"), ", about ",
                             duration(seconds_left(item)), " left"));
        }
    }

    /// Takes what failed elsewhere to the table of the first rank.
    void join(JobRanks& ranks) {
        for (std::size_t rank = 1; rank < ranks.count(); ++rank) {
            std::array<std::size_t, 2> found{failed_, static_cast<std::size_t>(code_)};
            ranks.bring_to_first(rank, found.data(), sizeof(found));
            if (ranks.is_first() && found[0] > 0) {
                const auto code = static_cast<ExitCode>(found[1]);
                code_ = failed_ == 0 ? code : std::min(code_, code);
                failed_ += found[0];
            }
        }
    }

    /// An error where a scan failed, or the file could not be written.
    void require_all_done() const {
        require_written();
        if (failed_ > 0) {
            throw Error(code_,
                        text(failed_, " of ", counted(scans_, "scan"), " failed\n  next:     see ",
                             path_, ranks_ > 1 ? " and those of other ranks" : "",
                             ", fix them, and run again"));
        }
    }
    void require_written() const {
        if (!is_written_) {
            throw InputError({path_, "file", "it could not be written", "room on its disk",
                              "make room, and run again: finished images are kept"});
        }
    }

private:
    /// A reader finds a whole row, or none.
    void put_row(const std::vector<std::string>& fields) {
        std::string row;
        for (const std::string& field : fields) {
            row += (row.empty() ? "" : "\t") + in_one_field(field);
        }
        row += "\n";
        is_written_ = write_all(file_, row.data(), row.size(), bytes_) && is_written_;
        bytes_ += row.size();
    }

    /// The seconds left, from the scans that were made: finding the others takes hardly any time.
    double seconds_left(const Item& last) const {
        const auto made = static_cast<double>(ranks_ * std::max<std::size_t>(1, made_));
        return seconds_since(begin_) / made * static_cast<double>(scans_ - last.number);
    }

    std::string path_;
    int file_ = -1;
    std::size_t bytes_ = 0; ///< written
    bool is_written_ = true;
    std::size_t scans_;
    std::size_t ranks_;
    bool quiet_;
    std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
    std::size_t made_ = 0; ///< scans made by this rank, in this run
    std::size_t failed_ = 0;
    ExitCode code_ = ExitCode::done; ///< the lowest of those that failed
};

/// A thread, and the jobs that pass between it and the one that computes.
struct Neighbour {
    ~Neighbour() { jobs.close(); } // before the thread is waited for

    template <typename Work> void start(const Work& work) {
        thread = std::async(std::launch::async, [this, work, cores = all_cores()] {
            limit_cores(cores);
            try {
                work();
            } catch (...) {
                jobs.close();
                throw;
            }
        });
    }
    /// Throws what the thread threw.
    void end() {
        jobs.close();
        thread.get();
    }

    Handover<JobPointer> jobs;
    std::future<void> thread;
};

/// A thread reads scans, this one computes, and another writes images: while a scan is computed,
/// the next is read and the image of the one before is written.
class Batch {
public:
    Batch(const BatchFlags& options, Table& table)
        : options_(options), table_(table), console_(options.recon.quiet) {}

    /// Runs these scans; each rank takes the next whenever it is free.
    void run(const std::vector<Item>& items, JobRanks& ranks) {
        Neighbour reader;
        Neighbour writer;
        reader.start([&] {
            bool goes_on = true;
            for (std::size_t i = ranks.next(); i < items.size() && goes_on; i = ranks.next()) {
                goes_on = reader.jobs.put(begun(items[i]));
            }
            // Waits for the end: processes that read HDF5 end with the thread that started them.
            reader.jobs.put(nullptr);
        });
        writer.start([&] {
            while (const std::optional<JobPointer> job = writer.jobs.take()) {
                end(**job);
            }
        });
        while (std::optional<JobPointer> job = reader.jobs.take()) {
            if (!*job) {
                break;
            }
            compute(**job);
            if (!writer.jobs.put(std::move(*job))) {
                break;
            }
        }
        reader.end();
        writer.end();
    }

private:
    // --- the thread that reads ---

    JobPointer begun(const Item& item) {
        JobPointer job = std::make_unique<Job>(item);
        attempt(job->outcome, [&] {
            require_sound(item);
            ReconOptions& one = job->options;
            one = options_for(item, options_.recon);
            one.output = item.image;
            require_folder("--output", fs::path(one.output).parent_path().string());
            settle_and_check_files(one);
            const Record hashes = hashes_of_files(one)(hashes_);
            Earlier earlier = earlier_image(one, hashes);
            if (earlier.finished && !resolved_path(PartFolder::path_for(one.output)).exists) {
                job->outcome.is_old = true;
                job->outcome.summary = std::move(*earlier.finished);
                return;
            }
            job->outcome.why_again = earlier.why_again;
            one.reconstruct.settings.insert(one.reconstruct.settings.end(), hashes.begin(),
                                            hashes.end());
            // Frames of an earlier run are kept, unless the options are others.
            one.reconstruct.resume = resolved_path(PartFolder::path_for(one.output)).exists &&
                                     !need_all_frames(one.reconstruct.solve.regularisers);
            if (device_failed_.exchange(false)) {
                devices_.forget(); // the next one may find it mended
            }
            job->transforms = devices_.open(one.compute, item.words, console_, job->report);
            const auto bytes = static_cast<double>(InputFile(one.scan).bytes());
            if (bytes < share_of_scan_ahead * memory_limit().bytes) {
                read(*job);
            }
        });
        return job;
    }

    void read(Job& job) {
        const ReconOptions& one = job.options;
        job.steps = std::make_unique<FileReconstruction>(one.scan, one.output, *job.transforms,
                                                         one.reconstruct, job.report,
                                                         SharedByScans{&shared_, job.item.words});
        job.steps->read();
    }

    // --- the thread that computes ---

    void compute(Job& job) {
        attempt(job.outcome, [&] {
            if (!job.steps) { // too large to be read ahead
                read(job);
            }
            job.result = computed(job);
        });
        if (job.outcome.code == ExitCode::device) {
            device_failed_ = true;
        }
    }

    ReconstructedFile computed(Job& job) {
        FileOptions& options = job.options.reconstruct;
        const std::string part = PartFolder::path_for(job.options.output);
        try {
            return job.steps->compute();
        } catch (const InputError& error) {
            const bool is_of_part = error.fault().file.rfind(part, 0) == 0; // or a file in it
            if (!options.resume || !is_of_part) {
                throw;
            }
        }
        job.steps.reset();
        std::error_code ignored; // what is left is refused again
        fs::remove_all(part, ignored);
        options.resume = false;
        read(job);
        return job.steps->compute();
    }

    // --- the thread that writes ---

    void end(Job& job) {
        attempt(job.outcome, [&] {
            job.steps->write();
            const Image& image = job.steps->image();
            job.outcome.summary = summary_of(image.frames, record_in_words(image));
            require_as_requested(job.options, *job.result);
        });
        if (job.outcome.bug) {
            std::rethrow_exception(job.outcome.bug);
        }
        table_.add(job.item, job.outcome);
    }

    // Shares of the memory that there is. A scan takes about as much as its file.
    static constexpr double share_of_scan_ahead = 1.0 / 8;
    static constexpr double share_of_qs = 1.0 / 16;

    const BatchFlags& options_;
    Table& table_; ///< table of the thread that writes
    Console console_; ///< messages of devices, which outlive a scan
    OpenDevices devices_; ///< devices for the thread that reads
    FileHashes hashes_; ///< hashes for the thread that reads
    std::atomic<bool> device_failed_{false};
    SharedValues shared_{share_of_qs * memory_limit().bytes};
};

std::vector<Item> share_of(const std::vector<Item>& items, const Share& share) {
    std::vector<Item> some;
    for (std::size_t i = share.index - 1; i < items.size(); i += share.of) {
        some.push_back(items[i]);
        some.back().number = some.size();
    }
    return some;
}

/// Prints which scans cannot be done, before the work.
void print_refused(const std::vector<Item>& items) {
    for (const Item& item : items) {
        BatchOutcome outcome;
        attempt(outcome, [&] { require_sound(item); });
        if (outcome.code != ExitCode::done) {
            put_error(outcome.error);
        }
    }
}

std::string path_of_table(const std::string& folder, const Share& share, const JobRanks& ranks) {
    const std::string of_share = text("-", share.index, "-of-", share.of);
    const std::string of_rank = text("-rank-", ranks.rank());
    return folder + "/results" + (share.of > 1 ? of_share : "") +
           (ranks.count() > 1 ? of_rank : "") + ".tsv";
}

ExitCode run_batch(BatchFlags& options) {
    const std::vector<Item> items = share_of(items_of(options), options.share);
    require_folder("--output", options.folder);
    const std::string path = path_of_table(options.folder, options.share, ranks());
    const FileLock lock(path + ".lock", std::chrono::seconds(1));
    if (lock.state() == FileLock::State::timed_out) {
        throw UsageError(text(path, ": another batch writes it\n  next:     wait for its end, or "
                                    "name another folder"));
    }
    Table table(path, items.size(), ranks().count(), options.recon.quiet);
    if (ranks().is_first()) {
        print_refused(items);
    }
    Batch(options, table).run(items, ranks());
    table.require_written();
    table.join(ranks());
    if (ranks().is_first()) {
        table.require_all_done();
    }
    return ExitCode::done;
}

} // namespace

Bound bind_batch() {
    return bound(&options_of_batch, &run_batch);
}

} // namespace lsrecon::app
