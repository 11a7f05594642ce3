#include "io/kept_q.hpp"

#include <filesystem>

#include "base/error.hpp"
#include "base/folders.hpp"
#include "base/named_files.hpp"
#include "base/numbers.hpp"
#include "io/record.hpp"
#include "scan/failed_frames.hpp"

namespace lsrecon {

namespace {

const std::string stage_of_reading = "q_read";

/// Whether a file has the wanted Q.
bool has(const std::string& path, const WantedQ& wanted) {
    try {
        QFile(path).read(wanted);
        return true;
    } catch (const InputError&) {
        return false;
    }
}

} // namespace

KeptQ::KeptQ(const std::string& file, const std::string& folder, SharedByScans shared,
             Reporter& report)
    : folder_(folder), shared_(std::move(shared)), report_(report) {
    if (!file.empty()) {
        file_.emplace(file);
    }
}

void KeptQ::require(const Scan& scan, const LargestQError& largest_error) {
    if (file_) {
        const Stage stage(report_, stage_of_reading);
        file_->require(scan, largest_error);
    }
}

std::optional<StoredQ> KeptQ::find(const WantedQ& wanted) {
    if (file_) {
        const Stage stage(report_, stage_of_reading);
        return file_->read(wanted);
    }
    SharedValues* const shared = shared_.values;
    std::optional<StoredQ> q = shared != nullptr ? shared->q(shared_key(wanted)) : std::nullopt;
    if (q || folder_.empty()) {
        return q;
    }
    q = find_in_folder(wanted);
    if (q && shared != nullptr) {
        shared->keep(shared_key(wanted), *q);
    }
    return q;
}

void KeptQ::keep(const WantedQ& wanted, const StoredQ& q, const ComputedBy& by) {
    if (!folder_.empty()) {
        keep_in_folder(wanted, q, by);
    }
    if (shared_.values != nullptr) {
        shared_.values->keep(shared_key(wanted), q);
    }
}

std::string KeptQ::shared_key(const WantedQ& wanted) const {
    return text(wanted.key, " ", wanted.making.engine, " ", wanted.making.accuracy, " ",
                shared_.options);
}

std::string KeptQ::path_of(const WantedQ& wanted) const {
    return text(folder_, "/", wanted.key, "-", wanted.making.engine, "-",
                rounded(wanted.making.accuracy), ".h5");
}

std::optional<StoredQ> KeptQ::find_in_folder(const WantedQ& wanted) {
    const std::string path = path_of(wanted);
    if (!resolved_path(path).exists) {
        return std::nullopt;
    }
    const Stage stage(report_, stage_of_reading);
    try {
        return QFile(path).read(wanted);
    } catch (const InputError& error) {
        report_.add({Found::q_unreadable,
                     {},
                     {{"file", path}, {"why", error.fault().thing + ": " + error.fault().found}}});
        return std::nullopt;
    }
}

void KeptQ::keep_in_folder(const WantedQ& wanted, const StoredQ& q, const ComputedBy& by) {
    const FileLock one_at_a_time(folder_);
    const std::string path = path_of(wanted);
    try {
        if (resolved_path(path).exists && has(path, wanted)) {
            return; // another process was faster
        }
        if (std::filesystem::is_symlink(path)) { // another user of the folder may have put it there
            std::filesystem::remove(path);
        }
        write_q(
            path, q.grid, {wanted.key}, [&](std::size_t) { return q; }, wanted.making,
            record_of(by));
    } catch (const std::exception& error) {
        report_.add({Found::q_not_kept, {}, {{"why", on_one_line(error.what())}}});
    }
}

} // namespace lsrecon
