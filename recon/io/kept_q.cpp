#include "io/kept_q.hpp"

#include <filesystem>

#include "base/error.hpp"
#include "base/file_lock.hpp"
#include "base/numbers.hpp"
#include "base/resolved_path.hpp"
#include "io/record.hpp"
#include "scan/failed_frames.hpp"

namespace lsrecon {

namespace {

const std::string stage_of_reading = "q_read";

/// A file may appear between the looks of two ranks, which compute Q together or not at all.
bool all_have(JobRanks& ranks, bool here) {
    bool all = true;
    for (std::size_t rank = 0; rank < ranks.count(); ++rank) {
        bool has = here;
        ranks.broadcast(rank, &has, sizeof has);
        all = all && has;
    }
    return all;
}

} // namespace

KeptQ::KeptQ(const std::string& file, const std::string& folder, SharedValues* shared,
             Transforms& transforms, Reporter& report)
    : folder_(folder), shared_(shared), transforms_(transforms), report_(report) {
    if (!file.empty()) {
        file_.emplace(file);
    }
}

LargestQError KeptQ::largest_error() const {
    return [this](const Sampling& sampling, const Grid& grid) {
        return largest_q_error(transforms_, sampling, grid);
    };
}

void KeptQ::require(const Scan& scan) {
    if (file_) {
        const Stage stage(report_, stage_of_reading);
        file_->require(scan, largest_error());
    }
}

Q KeptQ::of(const Sampling& sampling, const Grid& grid) {
    if (file_) {
        const Stage stage(report_, stage_of_reading);
        return file_->read(sampling, grid, largest_error()(sampling, grid));
    }
    if (folder_.empty() && shared_ == nullptr) {
        return compute_q_in_stage(transforms_, sampling, grid, report_);
    }
    const std::string key = q_key(sampling, grid);
    const QMaking making = making_of_q(transforms_, sampling, Voxels::half_differences(grid));
    if (shared_ == nullptr) {
        return of(sampling, grid, key, making);
    }
    const std::string shared_key = text(key, " ", making.engine, " ", making.accuracy);
    if (std::optional<Q> q = shared_->q(shared_key, transforms_.device())) {
        return std::move(*q);
    }
    Q q = of(sampling, grid, key, making);
    shared_->keep(shared_key, q);
    return q;
}

Q KeptQ::of(const Sampling& sampling, const Grid& grid, const std::string& key,
            const QMaking& making) {
    if (folder_.empty()) {
        return compute_q_in_stage(transforms_, sampling, grid, report_);
    }
    const std::string path =
        text(folder_, "/", key, "-", making.engine, "-", rounded(making.accuracy), ".h5");
    const bool was_there = resolved_path(path).exists;
    std::optional<Q> kept_before = kept(path, sampling, grid);
    if (all_have(transforms_.ranks(), kept_before.has_value())) {
        return std::move(*kept_before);
    }
    Q q = compute_q_in_stage(transforms_, sampling, grid, report_);
    keep(q, path, was_there, key, making);
    return q;
}

std::optional<Q> KeptQ::kept(const std::string& path, const Sampling& sampling, const Grid& grid) {
    if (!resolved_path(path).exists) {
        return std::nullopt;
    }
    const Stage stage(report_, stage_of_reading);
    try {
        return QFile(path).read(sampling, grid, largest_error()(sampling, grid));
    } catch (const InputError& error) {
        report_.note(text(path, ": ", error.finding().thing, ": ", error.finding().found,
                          "; Q is computed again and the file replaced"));
        return std::nullopt;
    }
}

void KeptQ::keep(const Q& q, const std::string& path, bool was_there, const std::string& key,
                 const QMaking& making) {
    if (!transforms_.ranks().is_first()) {
        return;
    }
    const FileLock one_at_a_time(folder_);
    try {
        if (!was_there && resolved_path(path).exists) {
            return;
        }
        if (std::filesystem::is_symlink(path)) { // another user of the folder may have put it there
            std::filesystem::remove(path);
        }
        write_q(
            path, q.grid, {key}, [&](std::size_t) { return q; }, making,
            record_of(transforms_.computed_by()));
    } catch (const std::exception& error) {
        report_.note("Q is not kept: " + on_one_line(error.what()));
    }
}

} // namespace lsrecon
