// Opens a scan of any format, checks all its values, and sets frames aside that are damaged.

#include "io/scan_file.hpp"

#include <algorithm>

#include "base/numbers.hpp"
#include "io/beside.hpp"
#include "scan/check.hpp"
#include "scan/failed_frames.hpp"
#include "scan/findings.hpp"
#include "scan/line_phases.hpp"
#include "scan/readouts.hpp"
#include "scan/slice.hpp"

namespace lsrecon {

namespace {

void add(Findings& findings, const Findings& more) {
    findings.insert(findings.end(), more.begin(), more.end());
}

/// A frame whose trajectory is not known gets that of another, at which nobody looks.
void set_bad_trajectories_aside(LoadedScan& loaded) {
    Scan& scan = loaded.stored.scan;
    const auto& bad = loaded.bad = bad_trajectories(scan);
    if (bad.empty()) {
        return;
    }
    std::size_t sound = 0;
    while (bad.count(sound) > 0) {
        ++sound;
    }
    if (sound == scan.frames.size()) {
        throw InputError(bad.begin()->second);
    }
    std::vector<std::size_t> indices;
    for (const auto& [f, error] : bad) {
        scan.frames[f].trajectory = scan.frames[sound].trajectory;
        indices.push_back(f);
    }
    const Fault& first = bad.begin()->second.fault();
    scan.findings.push_back(
        {Found::trajectories_unusable,
         {},
         {{"frames", (bad.size() == 1 ? "frame " : "frames ") + list_of_frames(indices)},
          {"why", first.thing + ", " + first.found}}});
}

LoadedScan load_with_room(const std::string& path, const ReadOptions& options) {
    OpenScan opened = open_scan(path, options);
    if (opened.shape) {
        require_room(*opened.shape);
    }
    return load_scan(std::move(opened), options);
}

} // namespace

LoadedScan load_scan(OpenScan opened, const ReadOptions& options) {
    LoadedScan loaded{std::move(opened.file), opened.load(), {}};
    put_sample_values(loaded.stored, options);
    for (const auto& [name, numbers] : options.header) {
        loaded.stored.scan.facts.push_back(text("`header` replaces ", name, " of the file by ",
                                                by(numbers, static_cast<int>(numbers.size()))));
    }
    if (options.bad_frames) {
        set_bad_trajectories_aside(loaded);
    }
    check(loaded.stored.scan, options.image.matrix);
    return loaded;
}

ScanFile::ScanFile(const std::string& path, const ReadOptions& options)
    : ScanFile(load_with_room(path, options), options) {}

ScanFile::ScanFile(LoadedScan loaded, const ReadOptions& options)
    : file_(std::move(loaded.file)), stored_(std::move(loaded.stored)) {
    bad_ = std::move(loaded.bad);
    Scan& scan = stored_.scan;
    const Findings of_samples = check_samples(options);
    file_->require_unchanged();
    scan.sha256 = [file = file_] { return file->sha256(); };
    if (options.low_resolution) {
        scan.facts.push_back("`low_resolution`: the reach of the trajectory was not checked");
    } else {
        require_reach(scan);
        add(scan.findings, findings_on_reach(scan));
    }
    add(scan.findings, findings_on(scan));
    if (!options.image.other_grid()) {
        add(scan.findings, findings_on_aliasing(scan));
    }
    add(scan.findings, of_samples);
}

void ScanFile::check_readouts(std::size_t frame, const CoilRows& samples, Findings& found) const {
    constexpr std::size_t most = 8; // frames of a series share their faults
    if (frame % (1 + (scan().frames.size() - 1) / most) != 0) {
        return;
    }
    const Trajectory& trajectory = *scan().frames[frame].trajectory;
    const FrameReadouts readouts =
        scan().readouts.empty() ? readouts_of(trajectory) : scan().readouts[frame];
    for (const Finding& one : findings_on_readouts(scan().grid, trajectory, samples, readouts)) {
        if (std::none_of(found.begin(), found.end(),
                         [&](const Finding& other) { return other.code == one.code; })) {
            found.push_back(one);
        }
    }
}

Findings ScanFile::check_samples(const ReadOptions& options) {
    const std::size_t frames = scan().frames.size();
    if (!scan().has_samples()) {
        return {};
    }
    SampleCheck check(scan());
    Findings of_readouts;
    for (std::size_t f = 0; f < frames; ++f) {
        if (bad_.count(f) > 0) {
            check.skip();
            continue;
        }
        try {
            CoilRows values = stored_.samples(f);
            check.add(values);
            check_readouts(f, values, of_readouts);
            const Frame& frame = scan().frames[f];
            if (const Frame* const own = calibration_samples_of(scan(), frame)) {
                if (const auto coil = silent_in_these_alone(own->samples, values)) {
                    leave_out_calibration(stored_.scan, own, *coil);
                }
            }
            if (frames == 1) {
                single_ = std::move(values);
            }
        } catch (const RunError&) {
            throw;
        } catch (const InputError& error) {
            if (!options.bad_frames || frames == 1) {
                throw;
            }
            bad_.emplace(f, error);
            check.skip();
        }
    }
    if (bad_.size() == frames) {
        throw InputError(bad_.begin()->second);
    }
    Findings findings;
    try {
        findings = check.end();
    } catch (const InputError&) { // all others are zeros
        if (!bad_.empty()) {
            throw InputError(bad_.begin()->second);
        }
        throw;
    }
    const std::vector<std::size_t>& empty = check.empty();
    while (bad_.count(first_good_) > 0 ||
           std::binary_search(empty.begin(), empty.end(), first_good_)) {
        ++first_good_;
    }
    for (const Finding& one : of_readouts) {
        if (one.code != Found::object_at_edge || !options.image.shifts()) {
            findings.push_back(one);
        }
    }
    return findings;
}

ScanFile::ScanFile(const std::string& path, const ReadOptions& options, Reporter& report)
    : ScanFile([&] {
          const Stage stage(report, "read");
          ScanFile source(path, options);
          source.report_scan_facts(report);
          return source;
      }()) {}

void ScanFile::report_scan_facts(Reporter& report) const {
    for (const std::string& fact : scan().facts) {
        report.info(fact);
    }
    for (const Finding& finding : scan().findings) {
        if (!is_about_line_phases(finding)) {
            report.add(finding);
        }
    }
}

Scan ScanFile::take_scan() {
    Scan scan = std::move(stored_.scan);
    stored_.scan = {};
    stored_.scan.frames = scan.frames;
    return scan;
}

void ScanFile::report_bad(Reporter& report) const {
    constexpr std::size_t most = 20;
    std::size_t reported = 0;
    for (const auto& [index, error] : bad_) {
        if (++reported > most) {
            report.add({Found::more_frames_failed, {{"count", bad_.size() - most}}});
            return;
        }
        report.add(failure_of(scan().frames[index], index, error.what()));
    }
}

Frame ScanFile::frame(std::size_t index) {
    if (const auto bad = bad_.find(index); bad != bad_.end()) {
        throw InputError(bad->second);
    }
    Frame frame = scan().frames[index];
    if (single_) {
        frame.samples = std::move(*single_);
        single_.reset();
    } else if (scan().has_samples()) {
        frame.samples = stored_.samples(index);
        file_->require_unchanged();
    }
    return frame;
}

Scan read_scan(const std::string& path, const ReadOptions& options) {
    ScanFile source(path, options);
    Scan scan = source.scan();
    for (std::size_t f = 0; f < scan.frames.size(); ++f) {
        scan.frames[f] = source.frame(f);
    }
    return scan;
}

} // namespace lsrecon
