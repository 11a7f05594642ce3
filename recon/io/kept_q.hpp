#pragma once

#include <optional>
#include <string>

#include "encoding/q_source.hpp"
#include "io/q_file.hpp"
#include "io/shared_values.hpp"

namespace lsrecon {

/// Q of a file of 'lsrecon q', of another scan of this process, or of a folder in which runs keep
/// theirs for each other.
///
/// In the folder Q of a sampling is KEY-ENGINE-ACCURACY.h5 with its q_key and what made it. One
/// that is damaged, or less exact than this run asks for, is computed again and replaced, and one
/// that cannot be kept is only used: both are notes, since every Q there can be had without it. Of
/// ranks and of runs that compute the same Q at once, one writes it.
class KeptQ : public QSource {
public:
    /// A file or a folder is named, or neither: then Q is computed. `shared` is null for a scan
    /// alone. All must outlive it.
    KeptQ(const std::string& file, const std::string& folder, SharedValues* shared,
          Transforms& transforms, Reporter& report);

    bool is_given() const override { return file_.has_value(); }
    /// Reads all that the scan needs of the file once (QFile::require).
    void require(const Scan& scan) override;
    Q of(const Sampling& sampling, const Grid& grid) override;

private:
    /// Out of the folder, or computed.
    Q of(const Sampling& sampling, const Grid& grid, const std::string& key, const QMaking& making);
    std::optional<Q> kept(const std::string& path, const Sampling& sampling, const Grid& grid);
    /// Unless another process did since it `was_there` or not.
    void keep(const Q& q, const std::string& path, bool was_there, const std::string& key,
              const QMaking& making);
    LargestQError largest_error() const;

    std::optional<QFile> file_;
    std::string folder_;
    SharedValues* shared_;
    Transforms& transforms_;
    Reporter& report_;
};

} // namespace lsrecon
