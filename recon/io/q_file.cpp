// Writes Q in HDF5 with a key, an error and a hash for each trajectory, and checks all of them when
// Q is read or shared in a folder.

#include "io/q_file.hpp"

#include <algorithm>
#include <filesystem>
#include <set>

#include "base/bytes_as_text.hpp"
#include "base/error.hpp"
#include "base/folders.hpp"
#include "base/linear_algebra.hpp"
#include "base/named_files.hpp"
#include "base/numbers.hpp"
#include "base/output_file.hpp"
#include "base/tolerance.hpp"
#include "io/hdf5/writer.hpp"
#include "io/record.hpp"
#include "scan/failed_frames.hpp"
#include "scan/voxels.hpp"

namespace lsrecon {

namespace {

std::vector<std::size_t> stored_extents(const Grid& grid) {
    const std::array<std::size_t, 3> extents = q_extents(grid);
    std::vector<std::size_t> result;
    for (std::size_t d = static_cast<std::size_t>(grid.dimensions); d-- > 0;) {
        result.push_back(extents[d]);
    }
    return result;
}

using Texts = std::vector<std::string>;

constexpr long format_version = 3; // 1 had no hash of the values, 2 no error

/// Hashes complex numbers in double precision, little-endian, as the file has them.
void add_row(Sha256& hash, const std::vector<Complex>& row) {
    static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "swap the bytes first");
    hash.add(row.data(), row.size() * sizeof(Complex));
}

/// Calls use(y, z) for every row of Q in the order of the file, by the differences that it has.
template <typename Use> void for_each_row(const Grid& grid, const Use& use) {
    const std::array<std::size_t, 3> extents = q_extents(grid);
    for (std::size_t z = 0; z < extents[2]; ++z) {
        for (std::size_t y = 0; y < extents[1]; ++y) {
            use(static_cast<long>(y) - static_cast<long>(extents[1] / 2),
                static_cast<long>(z) - static_cast<long>(extents[2] / 2));
        }
    }
}

/// The hash and the error of each Q, known once its values are in the file.
struct OfEach {
    Texts hashes;
    std::vector<double> errors;
};

/// Writes a file with /q of several parts, and the hash and the error of each part where the parts
/// have keys.
void write(const std::string& path, const std::vector<std::size_t>& extents, std::size_t parts,
           const PartValues& values, const Texts& keys, const OfEach& known, const QMaking& making,
           const Record& record) {
    constexpr std::uint64_t of_the_rest = 1 << 20; // record, HDF5 itself
    constexpr std::uint64_t of_each = 256;
    ReplacingFile target(path);
    Hdf5Writer file(target.path(), path, of_the_rest + of_each * keys.size());
    file.later("q", extents, Hdf5Element::complex128, parts, values);
    file.attribute("/", "format", std::string("lsrecon-q"));
    file.attribute("/", "version", format_version);
    file.attribute("/", "engine", making.engine);
    file.attribute("/", "accuracy", std::vector<double>{making.accuracy});
    write_record(file, record);
    if (!keys.empty()) {
        file.texts("keys", {keys.size()}, keys);
        file.later("sha256", {keys.size()}, Hdf5Element::sha256, keys.size(),
                   [&](std::size_t s, const TakeBytes& take) {
                       take(known.hashes[s].data(), known.hashes[s].size());
                   });
        file.later(
            "errors", {keys.size()}, Hdf5Element::float64, keys.size(),
            [&](std::size_t s, const TakeBytes& take) { take(&known.errors[s], sizeof(double)); });
    }
    file.close();
    target.commit();
}

[[noreturn]] void refuse_q(const std::string& path, const std::string& thing,
                           const std::string& found, const std::string& expected,
                           const std::string& with = "") {
    throw InputError({path, thing, found, expected,
                      "make the file again with 'lsrecon q SCAN -o FILE' and the same `precision`" +
                          with + ", or leave `q` out"});
}

std::string shortened(const std::string& key) {
    return key.substr(0, 16) + "...";
}

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

void write_q(const std::string& path, const Grid& grid, const Texts& keys, const QOfFile& q_of,
             const QMaking& making, const Record& record) {
    std::vector<std::size_t> extents = stored_extents(grid);
    if (keys.size() > 1) {
        extents.insert(extents.begin(), keys.size());
    }
    OfEach known;
    const PartValues values = [&](std::size_t s, const TakeBytes& take) {
        const StoredQ made = q_of(s);
        const QValues q(grid, made.half.scaled());
        Sha256 hash;
        std::vector<Complex> row(extents.back());
        for_each_row(grid, [&](long y, long z) {
            for (std::size_t x = 0; x < row.size(); ++x) {
                row[x] = q.at(static_cast<long>(x) - static_cast<long>(row.size() / 2), y, z);
            }
            add_row(hash, row);
            take(row.data(), row.size() * sizeof(Complex));
        });
        known.hashes.push_back(hash.hex());
        known.errors.push_back(made.error);
    };
    write(path, extents, keys.size(), values, keys, known, making, record);
}

void write_q_at(const std::string& path, const ComplexVector& q, const QMaking& making,
                const Record& record) {
    const auto count = static_cast<std::size_t>(q.size());
    const PartValues values = [&](std::size_t, const TakeBytes& take) {
        take(q.data(), count * sizeof(Complex));
    };
    write(path, {count}, 1, values, {}, {}, making, record);
}

QFile::QFile(const std::string& path) : file_(path) {
    if (!file_.has("q") || !file_.has_attribute("/", "format") ||
        file_.attribute_text("/", "format") != "lsrecon-q") {
        refuse_q(path, "/q", "not a Q file of lsrecon", "a file that 'lsrecon q' wrote");
    }
    if (!file_.has("keys") || !file_.has("sha256") || !file_.has("errors")) {
        refuse_q(path, "/errors", "no hash or no error of the values of Q",
                 text("a file of version ", format_version, ", which has both"));
    }
    keys_ = file_.read_texts("keys");
    hashes_ = file_.read_texts("sha256");
    errors_ = file_.read_real("errors");
    if (hashes_.size() != keys_.size() || errors_.size() != keys_.size()) {
        refuse_q(path, "/sha256", text(hashes_.size(), " hashes and ", errors_.size(), " errors"),
                 text("one for each of ", keys_.size(), " keys"));
    }
}

std::size_t QFile::row_of(const std::string& key) const {
    const auto found = std::find(keys_.begin(), keys_.end(), key);
    if (found == keys_.end()) {
        throw InputError({file_.path(), "content hash of /q", shortened(keys_.front()),
                          shortened(key) + ", that of the scan's trajectory, phi, weights and "
                                           "matrix",
                          "make Q of this scan with 'lsrecon q SCAN -o FILE', or leave `q` out"});
    }
    return static_cast<std::size_t>(found - keys_.begin());
}

/// A hash only says that the values are those that were written.
void QFile::require_sum_of_weights(const StoredQ& q, const Trajectory& trajectory) const {
    const double sum = trajectory.q_weights().sum();
    const double bound = tolerance::q_at_zero(trajectory.samples()) + q.error;
    const auto origin = static_cast<Eigen::Index>(Voxels::half_differences(q.grid).origin());
    const double at_zero = q.half.values(origin).real();
    if (!std::isfinite(norm_of(q.half.values)) || !(std::abs(at_zero - sum) <= bound * sum)) {
        refuse_q(file_.path(), "/q", text("Q(0) = ", at_zero),
                 text("finite values and Q(0) = ", sum, ", the sum of w |phi|^2"));
    }
}

StoredQ QFile::read(const WantedQ& wanted) {
    if (checked_for_ == &wanted.trajectory) {
        checked_for_ = nullptr;
        return std::move(*checked_);
    }
    return read(wanted.trajectory, wanted.grid, wanted.key, wanted.largest_error);
}

StoredQ QFile::read(const Trajectory& trajectory, const Grid& grid, const std::string& key,
                    double largest_error) {
    const std::size_t row = row_of(key);
    if (!(errors_[row] <= largest_error)) {
        refuse_q(file_.path(), "/errors",
                 text("a Q with a relative error up to ", rounded(errors_[row])),
                 text("at most ", rounded(largest_error), " for what this run computes with"),
                 text(", `accuracy` ", largest_error));
    }
    std::vector<std::size_t> extents = stored_extents(grid);
    if (keys_.size() > 1) {
        extents.insert(extents.begin(), keys_.size());
    }
    if (file_.shape("q").extents != extents) {
        refuse_q(file_.path(), "/q", shown(file_.shape("q").extents), shown(extents));
    }
    file_.checked_shape("q", Hdf5Kind::complex);
    Hdf5Values values = keys_.size() > 1 ? Hdf5Values(file_, "q", row) : Hdf5Values(file_, "q");
    const Voxels differences = Voxels::half_differences(grid);
    const std::array<std::size_t, 3>& size = differences.lattice_size();
    const std::array<long, 3>& first = differences.lattice_first();
    ComplexVector half(static_cast<Eigen::Index>(differences.count()));
    Complex* next = half.data();
    Sha256 hash;
    std::vector<Complex> all(extents.back());
    for_each_row(grid, [&](long y, long z) {
        values.read(all.data(), all.size());
        add_row(hash, all);
        if (y >= first[1] && z >= first[2]) {
            next = std::copy_n(all.begin() + 1, size[0], next); // without -N
        }
    });
    if (hash.hex() != hashes_[row]) {
        refuse_q(file_.path(), "/q", "values of another hash than the one beside them",
                 "the values that 'lsrecon q' wrote");
    }
    StoredQ q{grid, {std::move(half)}, errors_[row]};
    require_sum_of_weights(q, trajectory);
    return q;
}

void QFile::require(const Scan& scan, const LargestQError& largest_error) {
    // The first one is read last, and kept for the first frame.
    std::set<const Trajectory*> done;
    for (auto frame = scan.frames.rbegin(); frame != scan.frames.rend(); ++frame) {
        const Trajectory* const trajectory = frame->trajectory.get();
        if (done.insert(trajectory).second) {
            checked_ = read(*trajectory, scan.grid, q_key(*trajectory, scan.grid),
                            largest_error(*trajectory, scan.grid));
            checked_for_ = trajectory;
        }
    }
}

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
