#pragma once

#include <optional>
#include <string>

#include "base/report.hpp"
#include "encoding/q_store.hpp"
#include "io/q_file.hpp"
#include "io/shared_values.hpp"

namespace lsrecon {

/// Q of a file of 'lsrecon q', of another scan of this process, or of a folder in which runs keep
/// theirs for each other.
///
/// In the folder Q of a sampling is KEY-ENGINE-ACCURACY.h5 with its q_key and what made it. One
/// that is damaged, or less exact than this run asks for, is computed again and replaced, and one
/// that cannot be kept is only used: both are findings, since every Q there can be had without it.
/// Of runs that compute the same Q at once, one writes it.
class KeptQ : public QStore {
public:
    /// A file or a folder is named, or neither. All must outlive it.
    KeptQ(const std::string& file, const std::string& folder, SharedByScans shared,
          Reporter& report);

    bool is_given() const override { return file_.has_value(); }
    /// Reads all that the scan needs of the file once (QFile::require).
    void require(const Scan& scan, const LargestQError& largest_error) override;
    std::optional<StoredQ> find(const WantedQ& wanted) override;
    void keep(const WantedQ& wanted, const StoredQ& q, const ComputedBy& by) override;

private:
    std::string shared_key(const WantedQ& wanted) const;
    std::string path_of(const WantedQ& wanted) const;
    std::optional<StoredQ> find_in_folder(const WantedQ& wanted);
    void keep_in_folder(const WantedQ& wanted, const StoredQ& q, const ComputedBy& by);

    std::optional<QFile> file_;
    std::string folder_;
    SharedByScans shared_;
    Reporter& report_;
};

} // namespace lsrecon
