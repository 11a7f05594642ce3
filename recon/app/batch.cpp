#include <algorithm>
#include <array>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <future>
#include <map>

#include "app/output.hpp"
#include "app/ranks.hpp"
#include "app/recon.hpp"
#include "app/scan_list.hpp"
#include "base/file_lock.hpp"
#include "base/handover.hpp"
#include "base/input_file.hpp"
#include "base/machine.hpp"
#include "base/named_files.hpp"
#include "base/numbers.hpp"
#include "base/timer.hpp"
#include "base/version.hpp"
#include "io/image/reader.hpp"
#include "io/part_folder.hpp"

namespace lsrecon::app {

namespace {

namespace fs = std::filesystem;

/// Scans index, index + of, index + 2 of, ... of a list, from 1.
struct Share {
    std::size_t index = 1;
    std::size_t of = 1;
};

struct Options {
    std::vector<std::string> scans; ///< or lists of them
    std::string folder;
    Share share;
    ReconOptions recon; ///< of every scan
};

struct Item : ListedScan {
    std::string image;
    std::size_t number = 0; ///< from 1, of this share of the list
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

OptionTable options_of(Options& options) {
    const OptionTable table = in(
        "Scans",
        {scans_option(options.scans),
         output_option(
             options.folder, "folder to write into",
             "`FOLDER/images/SCAN` are images, and `FOLDER/results.tsv` is a table of all "
             "scans. Started again, the command does what is not finished: an image is, "
             "when it was made of the same scan with the same options by the same "
             "version."),
         {"share", share_value(options.share), "only scans I, I + N, I + 2 N, ... of all", "",
          "Several processes divide a list so, each on a device of its own. The table of a share "
          "is "
          "`FOLDER/results-I-of-N.tsv`."}});
    return joined(
        {table, shared_options(options.recon), in("Output", {quiet_option(options.recon.quiet)})});
}

/// A scan below the working folder keeps its path from there, any other its whole path.
std::string image_of(const std::string& folder, const std::string& scan) {
    const fs::path path = fs::absolute(scan).lexically_normal();
    fs::path name = path.lexically_relative(fs::current_path());
    if (name.empty() || *name.begin() == "..") {
        name = path.relative_path();
    }
    if (name.extension() != ".h5") {
        name += ".h5";
    }
    return (fs::path(folder) / "images" / name).string();
}

std::vector<Item> items_of(const Options& options) {
    std::vector<Item> items;
    std::map<std::string, std::string> scan_of; // by image
    for (const ListedScan& listed : listed_scans(options.scans)) {
        Item item{listed, image_of(options.folder, listed.scan)};
        if (!scan_of.emplace(item.image, item.scan).second) {
            throw UsageError(text(item.scan, ": it is listed twice, and both images would be ",
                                  item.image, "\n  next:     remove one of them"));
        }
        items.push_back(std::move(item));
    }
    return items;
}

/// What the table says of the solves of an image.
struct Solves {
    std::string iterations; ///< a range, of several
    std::string residual; ///< the largest that is left
};

Solves solves_of(const std::vector<ImageFrame>& frames) {
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
    return iterations.empty() ? Solves() : Solves{range_in_words(iterations), rounded(residual)};
}

/// Those of an image that is of this scan, with these options, by this program, and whole.
std::optional<Solves> finished_before(const ReconOptions& options) {
    if (!fs::exists(options.output) || fs::exists(PartFolder::path_for(options.output))) {
        return std::nullopt;
    }
    try {
        const Hdf5Reader image(options.output);
        const Record record = record_of(image);
        Record expected = options.reconstruct.settings;
        expected.emplace_back("program", text("lsrecon ", version));
        const bool is_same = std::all_of(expected.begin(), expected.end(), [&](const auto& fact) {
            return fact.first == "command" || value_in(record, fact.first) == fact.second;
        });
        if (is_same && value_in(record, "scan_sha256") == InputFile(options.scan).sha256()) {
            return solves_of(frames_of_image(image));
        }
    } catch (const Error&) { // it is made again
    }
    return std::nullopt;
}

/// What became of a scan.
struct Outcome {
    ExitCode code = ExitCode::done;
    double seconds = 0; ///< of all steps
    Solves solves;
    std::string error;
    bool is_old = false; ///< finished by an earlier run
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
    Outcome outcome;
};
using JobPointer = std::unique_ptr<Job>;

/// Takes a step of a scan, unless an earlier one was the last.
template <typename Step> void attempt(Outcome& outcome, const Step& step) {
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

/// One line without tabs.
std::string in_one_field(std::string words) {
    for (std::size_t at = 0; (at = words.find_first_of("\n\t", at)) != std::string::npos;) {
        words.replace(at, words.find_first_not_of("\n\t ", at) - at, "; ");
    }
    return words;
}

/// "3 min", or "40 s".
std::string duration(double seconds) {
    return seconds < 100 ? formatted("%.0f s", seconds) : formatted("%.0f min", seconds / 60);
}

/// Scans as they end: a row each in a file, and on the console how far the batch is.
class Table {
public:
    /// `ranks` share these scans, and each has a table of its own.
    Table(std::string path, std::size_t scans, std::size_t ranks, bool quiet)
        : path_(std::move(path)), file_(path_), scans_(scans), ranks_(ranks), quiet_(quiet) {
        file_ << "scan\timage\texit\tseconds\titerations\tresidual\tmessage" << std::endl;
    }

    void add(const Item& item, const Outcome& outcome, const std::vector<std::string>& notes) {
        const bool failed = outcome.code != ExitCode::done;
        const std::string message = outcome.is_old ? "finished before"
                                    : failed       ? outcome.error
                                                   : separated_by("; ", notes);
        file_ << item.scan << "\t" << item.image << "\t" << static_cast<int>(outcome.code) << "\t"
              << formatted("%.2f", outcome.seconds) << "\t" << outcome.solves.iterations << "\t"
              << outcome.solves.residual << "\t" << in_one_field(with_flags(message)) << std::endl;
        made_ += outcome.is_old ? 0 : 1;
        if (failed) {
            put_error(outcome.error);
            ++failed_;
            code_ = failed_ == 1 ? outcome.code : std::min(code_, outcome.code);
        }
        if (!quiet_) {
            put(stderr, text("scan ", item.number, " of ", scans_, ": ", item.scan, ", ",
                             outcome.is_old ? "finished before"
                             : failed       ? text("exit code ", static_cast<int>(outcome.code))
                                            : "done in " + duration(outcome.seconds),
                             notes.empty() ? "" : ", " + counted(notes.size(), "note"), ", about ",
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
                             ", mend them, and run again"));
        }
    }
    void require_written() const {
        if (!file_) {
            throw InputError({path_, "file", "it could not be written", "room on its disk",
                              "make room, and run again: finished images are kept"});
        }
    }

private:
    /// By those that were made: to find others takes hardly any time.
    double seconds_left(const Item& last) const {
        const auto made = static_cast<double>(ranks_ * std::max<std::size_t>(1, made_));
        return seconds_since(begin_) / made * static_cast<double>(scans_ - last.number);
    }

    std::string path_;
    std::ofstream file_;
    std::size_t scans_;
    std::size_t ranks_;
    bool quiet_;
    std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
    std::size_t made_ = 0; ///< by this rank, in this run
    std::size_t failed_ = 0;
    ExitCode code_ = ExitCode::done; ///< the lowest of those that failed
};

/// A thread, and the jobs that pass between it and the one that computes.
struct Neighbour {
    ~Neighbour() { jobs.close(); } // before the thread is waited for

    template <typename Work> void start(const Work& work) {
        thread = std::async(std::launch::async, [this, work] {
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
    Batch(const Options& options, Table& table)
        : options_(options), table_(table), console_(options.recon.quiet) {}

    /// Of these scans each rank takes the next whenever it is free.
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
            ReconOptions& one = job->options;
            one = options_for(item, options_.recon);
            one.output = item.image;
            require_folder("--output", fs::path(one.output).parent_path().string());
            settle(one);
            if (const std::optional<Solves> before = finished_before(one)) {
                job->outcome.is_old = true;
                job->outcome.solves = *before;
                return;
            }
            // Frames of an earlier run are kept, unless the options are others.
            one.reconstruct.resume = fs::exists(PartFolder::path_for(one.output)) &&
                                     !need_all_frames(one.reconstruct.solve.regularisers);
            if (device_failed_.exchange(false)) {
                devices_.forget(); // the next one may find it mended
            }
            job->transforms = devices_.open(one.compute, console_, job->report);
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
                                                         one.reconstruct, job.report, &shared_);
        job.steps->read();
    }

    // --- the thread that computes ---

    void compute(Job& job) {
        attempt(job.outcome, [&] {
            if (job.item.words != words_) {
                shared_.forget_qs();
                words_ = job.item.words;
            }
            if (!job.steps) { // too large to be read ahead
                read(job);
            }
            job.result = computed(job);
            job.outcome.solves = solves_of(job.result->about.frames);
        });
        if (job.outcome.code == ExitCode::device) {
            device_failed_ = true;
        }
    }

    ReconstructedFile computed(Job& job) {
        FileOptions& how = job.options.reconstruct;
        const std::string part = PartFolder::path_for(job.options.output);
        try {
            return job.steps->compute();
        } catch (const InputError& error) {
            if (!how.resume || error.finding().file != part) {
                throw;
            }
        }
        job.steps.reset();
        std::error_code ignored; // what is left is refused again
        fs::remove_all(part, ignored);
        how.resume = false;
        read(job);
        return job.steps->compute();
    }

    // --- the thread that writes ---

    void end(Job& job) {
        attempt(job.outcome, [&] {
            job.steps->write();
            require_as_asked(job.options, *job.result);
        });
        if (job.outcome.bug) {
            std::rethrow_exception(job.outcome.bug);
        }
        table_.add(job.item, job.outcome, job.report.notes());
    }

    // Of the memory that there is. A scan takes about as much as its file.
    static constexpr double share_of_scan_ahead = 1.0 / 8;
    static constexpr double share_of_qs = 1.0 / 16;

    const Options& options_;
    Table& table_; ///< of the thread that writes
    Console console_; ///< of devices, which outlive a scan
    OpenDevices devices_; ///< to who reads
    std::atomic<bool> device_failed_{false};
    SharedValues shared_{share_of_qs * memory_limit().bytes};
    std::string words_; ///< options of the scan that was computed last
};

std::vector<Item> share_of(const std::vector<Item>& items, const Share& share) {
    std::vector<Item> some;
    for (std::size_t i = share.index - 1; i < items.size(); i += share.of) {
        some.push_back(items[i]);
        some.back().number = some.size();
    }
    return some;
}

std::string path_of_table(const std::string& folder, const Share& share, const JobRanks& ranks) {
    const std::string of_share = text("-", share.index, "-of-", share.of);
    const std::string of_rank = text("-rank-", ranks.here());
    return folder + "/results" + (share.of > 1 ? of_share : "") +
           (ranks.count() > 1 ? of_rank : "") + ".tsv";
}

ExitCode run(Options& options) {
    const std::vector<Item> items = share_of(items_of(options), options.share);
    require_folder("--output", options.folder);
    const std::string path = path_of_table(options.folder, options.share, ranks());
    const FileLock lock(path + ".lock", std::chrono::seconds(1));
    if (lock.state() == FileLock::State::timed_out) {
        throw UsageError(text(path, ": another batch writes it\n  next:     wait for its end, or "
                                    "name another folder"));
    }
    Table table(path, items.size(), ranks().count(), options.recon.quiet);
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
    return bound(&options_of, &run);
}

} // namespace lsrecon::app
