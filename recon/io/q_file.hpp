// Stores Q, the convolution kernel of F^H F, in HDF5 files, so that later runs need not compute it
// again.

#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/report.hpp"
#include "encoding/q_store.hpp"
#include "io/hdf5/reader.hpp"
#include "io/shared_values.hpp"
#include "scan/image.hpp"

namespace lsrecon {

/// Q number s of a file.
using QOfFile = std::function<StoredQ(std::size_t s)>;

/// Writes Q of every sampling of a scan as /q [S, (2Z,) 2Y, 2X] (S left out when it is 1), index i
/// standing for the difference i - N, with the q_key of each trajectory in /keys [S], the bound of
/// its relative L2 error in /errors [S], and the hash of its values in /sha256 [S]; the engine that
/// made them and the accuracy that was asked of it are attributes. Complex128: Q is computed once
/// and kept, and its rounding would go into every image made with it. Each Q is asked for when the
/// file has those before it.
void write_q(const std::string& path, const Grid& grid, const std::vector<std::string>& keys,
             const QOfFile& q_of, const QMaking& making, const Record& record);

/// Writes Q at a list of voxels as /q [N].
void write_q_at(const std::string& path, const ComplexVector& q, const QMaking& making,
                const Record& record);

/// A file that write_q wrote. Nothing in it is trusted: a Q is accepted when its key is that of
/// the wanted sampling and grid, its error is no larger than what is asked for, its values have
/// their hash, and Q(0) is the sum of w |phi|^2. Everything else is an InputError.
class QFile {
public:
    explicit QFile(const std::string& path);

    /// Reads Q of every sampling once, so that nothing is missing or wrong after hours of work.
    void require(const Scan& scan, const LargestQError& largest_error);

    StoredQ read(const WantedQ& wanted);

private:
    StoredQ read(const Trajectory& trajectory, const Grid& grid, const std::string& key,
                 double largest_error);
    std::size_t row_of(const std::string& key) const;
    void require_sum_of_weights(const StoredQ& q, const Trajectory& trajectory) const;

    Hdf5Reader file_;
    std::vector<std::string> keys_;
    std::vector<std::string> hashes_; ///< hashes of the values, one a key
    std::vector<double> errors_; ///< one a key
    std::optional<StoredQ> checked_; ///< Q that require() checked, until it is read
    const Trajectory* checked_for_ = nullptr;
};

/// Q of a file of 'lsrecon q', of another scan of this process, or of a folder in which runs keep
/// theirs for each other.
///
/// In the folder Q of a trajectory is KEY-ENGINE-ACCURACY.h5 with its q_key and what made it. One
/// that is damaged, or less exact than this run asks for, is computed again and replaced, and one
/// that cannot be kept is only used: both are findings, since every Q there can be had without it.
/// If several runs compute the same Q at once, one writes it.
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
