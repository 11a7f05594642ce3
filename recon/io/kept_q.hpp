#pragma once

#include <optional>
#include <string>

#include "base/report.hpp"
#include "engines/backend.hpp"
#include "io/q_file.hpp"

namespace lsrecon {

/// Where Q of a scan's samplings comes from: a file of 'lsrecon q', a folder in which runs keep
/// theirs for each other, or the backend.
///
/// In the folder Q of a sampling is KEY.h5 with its q_key, KEY-double.h5 in double precision. One
/// that is damaged is computed again and replaced, and one that cannot be kept is only used: both
/// are notes, since every Q there can be had without it.
class QSource {
public:
    /// A file or a folder is named, or neither. All must outlive it.
    QSource(const std::string& file, const std::string& folder, Backend& backend, Reporter& report);

    /// Whether the user brings Q, which the scan must then be able to use.
    bool is_file() const { return file_.has_value(); }
    /// Reads all that the scan needs of the file once (QFile::require).
    void require(const Scan& scan);
    Q of(const Sampling& sampling, const Grid& grid);
    /// What a later run must have the same.
    void add_to(Record& settings) const;

private:
    std::optional<Q> kept(const std::string& path, const Sampling& sampling, const Grid& grid);
    void keep(const Q& q, const std::string& path, const std::string& key);

    std::optional<QFile> file_;
    std::string folder_;
    Backend& backend_;
    Reporter& report_;
};

} // namespace lsrecon
