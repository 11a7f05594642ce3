#include "io/scan_file.hpp"

#include <algorithm>

#include "scan/calibration_samples.hpp"
#include "scan/check.hpp"
#include "scan/check_samples.hpp"
#include "scan/check_sampling.hpp"
#include "scan/failed_frames.hpp"
#include "scan/reach.hpp"
#include "scan/remarks.hpp"

namespace lsrecon {

namespace {

void add(std::vector<std::string>& remarks, const std::vector<std::string>& more) {
    remarks.insert(remarks.end(), more.begin(), more.end());
}

} // namespace

ScanFile::ScanFile(const std::string& path, const ReadOptions& options)
    : ScanFile(open_scan(path, options), options) {}

ScanFile::ScanFile(OpenScan opened, const ReadOptions& options)
    : file_(std::move(opened.file)), stored_(std::move(opened.stored)) {
    Scan& scan = stored_.scan;
    set_bad_trajectories_aside(options);
    check(scan, options.matrix);
    options.before_samples(scan);
    const std::vector<std::string> silent = check_samples(options.bad_frames);
    file_->require_unchanged();
    scan.sha256 = [file = file_] { return file->sha256(); };
    if (options.low_resolution) {
        scan.facts.push_back("`low_resolution`: the reach of the trajectory was not checked");
    } else {
        require_reach(scan);
    }
    add(scan.remarks, remarks_on(scan));
    if (!options.other_grid && !options.regularised) {
        add(scan.remarks, remarks_on_aliasing(scan, scan.grid, options.solves));
    }
    add(scan.remarks, silent);
}

/// A frame whose trajectory is not known gets that of another, at which nobody looks.
void ScanFile::set_bad_trajectories_aside(const ReadOptions& options) {
    std::vector<Frame>& frames = stored_.scan.frames;
    if (options.bad_frames) {
        bad_ = SamplingCheck(scan(), options.matrix).of_some_frames();
    }
    if (bad_.empty()) {
        return;
    }
    std::size_t sound = 0;
    while (bad_.count(sound) > 0) {
        ++sound;
    }
    if (sound == frames.size()) {
        throw InputError(bad_.begin()->second);
    }
    std::vector<std::size_t> indices;
    for (const auto& [f, error] : bad_) {
        frames[f].sampling = frames[sound].sampling;
        indices.push_back(f);
    }
    const Finding& first = bad_.begin()->second.finding();
    stored_.scan.remarks.push_back(
        text("the trajectory of ", bad_.size() == 1 ? "frame " : "frames ", list_of_frames(indices),
             " cannot be used: ", first.thing, ", ", first.found));
}

/// Remarks on coils that are silent.
std::vector<std::string> ScanFile::check_samples(bool bad_frames) {
    const std::size_t frames = scan().frames.size();
    if (!scan().has_samples()) {
        return {};
    }
    SampleCheck check(scan());
    for (std::size_t f = 0; f < frames; ++f) {
        if (bad_.count(f) > 0) {
            check.skip();
            continue;
        }
        try {
            CoilRows values = stored_.samples(f);
            check.add(values);
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
            if (!bad_frames || frames == 1) {
                throw;
            }
            bad_.emplace(f, error);
            check.skip();
        }
    }
    if (bad_.size() == frames) {
        throw InputError(bad_.begin()->second);
    }
    std::vector<std::string> remarks;
    try {
        remarks = check.end();
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
    return remarks;
}

ScanFile::ScanFile(const std::string& path, const ReadOptions& options, Reporter& report)
    : ScanFile([&] {
          const Stage stage(report, "read");
          ScanFile source(path, options);
          for (const std::string& fact : source.scan().facts) {
              report.tell(fact);
          }
          for (const std::string& remark : source.scan().remarks) {
              report.note(remark);
          }
          return source;
      }()) {}

Scan ScanFile::take_scan() {
    Scan scan = std::move(stored_.scan);
    stored_.scan = {};
    stored_.scan.frames = scan.frames;
    return scan;
}

void ScanFile::report_bad(Reporter& report) const {
    constexpr std::size_t most = 20;
    std::size_t told = 0;
    for (const auto& [index, error] : bad_) {
        if (++told > most) {
            report.fail(text(bad_.size() - most, " more frames failed before they were solved; "
                                                 "/record/frame_errors of the output says why"));
            return;
        }
        report.fail(about_failure(scan().frames[index], index, error.what()));
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
