#include "io/q_file.hpp"

#include <algorithm>
#include <set>

#include "base/error.hpp"
#include "base/replacing_file.hpp"
#include "base/sha256.hpp"
#include "base/tolerance.hpp"

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

/// Calls move(index with the difference 0 first) for every value, in the order of the file, which
/// has it in the middle.
template <typename Move> void for_each_centred(const Grid& grid, const Move& move) {
    const std::array<std::size_t, 3> extents = q_extents(grid);
    for (std::size_t z = 0; z < extents[2]; ++z) {
        for (std::size_t y = 0; y < extents[1]; ++y) {
            for (std::size_t x = 0; x < extents[0]; ++x) {
                const std::size_t wx = (x + extents[0] / 2) % extents[0];
                const std::size_t wy = (y + extents[1] / 2) % extents[1];
                const std::size_t wz = (z + extents[2] / 2) % extents[2];
                move((wz * extents[1] + wy) * extents[0] + wx);
            }
        }
    }
}

using Texts = std::vector<std::string>;

constexpr long format_version = 2; // 1 had no hash of the values

/// SHA-256 of complex numbers in double precision, little-endian, as the file has them.
std::string hash_of(const Complex* values, std::size_t count) {
    static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "swap the bytes first");
    return Sha256().add(values, count * sizeof(Complex)).hex();
}

void write(const std::string& path, const std::vector<std::size_t>& extents, const Texts& keys,
           const std::vector<Complex>& values, const Record& record) {
    ReplacingFile target(path);
    Hdf5Writer file(target.path(), path);
    file.complex128("q", extents, values.data());
    file.attribute("/", "format", std::string("lsrecon-q"));
    file.attribute("/", "version", format_version);
    file.group("record");
    for (const auto& [name, value] : record) {
        file.attribute("record", name, value);
    }
    if (!keys.empty()) {
        Texts hashes;
        const std::size_t each = values.size() / keys.size();
        for (std::size_t s = 0; s < keys.size(); ++s) {
            hashes.push_back(hash_of(values.data() + s * each, each));
        }
        file.texts("keys", {keys.size()}, keys);
        file.texts("sha256", {hashes.size()}, hashes);
    }
    file.close();
    target.commit();
}

/// From the values in the order of the file.
ComplexVector half_of(const std::vector<Complex>& values, const Grid& grid) {
    const std::array<std::size_t, 3> extents = q_extents(grid);
    const Voxels half = Voxels::half_differences(grid);
    ComplexVector result(static_cast<Eigen::Index>(half.count()));
    for (std::size_t n = 0; n < half.count(); ++n) {
        const Vec3 difference = half.in_voxels(n);
        std::size_t centred = 0;
        for (std::size_t d = 3; d-- > 0;) {
            const double at = static_cast<double>(extents[d] / 2) + difference[d];
            centred = centred * extents[d] + static_cast<std::size_t>(at);
        }
        result(static_cast<Eigen::Index>(n)) = values[centred];
    }
    return result;
}

[[noreturn]] void refuse(const std::string& path, const std::string& thing,
                         const std::string& found, const std::string& expected) {
    throw InputError({path, thing, found, expected,
                      "make the file again with 'lsrecon q SCAN -o FILE', or leave --q out"});
}

std::string shortened(const std::string& key) {
    return key.substr(0, 16) + "...";
}

} // namespace

void write_q(const std::string& path, const std::vector<Q>& qs, const Record& record) {
    const Grid& grid = qs.front().grid;
    std::vector<std::size_t> extents = stored_extents(grid);
    if (qs.size() > 1) {
        extents.insert(extents.begin(), qs.size());
    }
    std::vector<Complex> values;
    Texts keys;
    for (const Q& q : qs) {
        keys.push_back(q.key);
        const ComplexVector all = expanded(q);
        for_each_centred(grid, [&](std::size_t wrapped) {
            values.push_back(all(static_cast<Eigen::Index>(wrapped)));
        });
    }
    write(path, extents, keys, values, record);
}

void write_q_at(const std::string& path, const ComplexVector& q, const Record& record) {
    write(path, {static_cast<std::size_t>(q.size())}, {}, {q.data(), q.data() + q.size()}, record);
}

QFile::QFile(const std::string& path) : file_(path) {
    file_.start_hash();
    if (!file_.has("q") || !file_.has_attribute("/", "format") ||
        file_.attribute_text("/", "format") != "lsrecon-q") {
        refuse(path, "/q", "not a Q file of lsrecon", "a file that 'lsrecon q' wrote");
    }
    if (!file_.has("keys") || !file_.has("sha256")) {
        refuse(path, "/sha256", "no hash of the values of Q",
               text("a file of version ", format_version, ", which has one"));
    }
    keys_ = file_.read_texts("keys");
    hashes_ = file_.read_texts("sha256");
    if (hashes_.size() != keys_.size()) {
        refuse(path, "/sha256", text(hashes_.size(), " hashes"),
               text("one for each of ", keys_.size(), " keys"));
    }
}

std::size_t QFile::row_of(const std::string& key) const {
    const auto found = std::find(keys_.begin(), keys_.end(), key);
    if (found == keys_.end()) {
        throw InputError({file_.path(), "content hash of /q", shortened(keys_.front()),
                          shortened(key) + ", that of the scan's trajectory, phi, weights and "
                                           "matrix",
                          "make Q of this scan with 'lsrecon q SCAN -o FILE', or leave --q out"});
    }
    return static_cast<std::size_t>(found - keys_.begin());
}

/// A hash only says that the values are those that were written.
void QFile::require_sum_of_weights(const Q& q, const Sampling& sampling) const {
    const double sum = sampling.q_weights().sum();
    const double bound = tolerance::q_at_zero(sampling.samples());
    if (!std::isfinite(q.half.norm()) || !(std::abs(q.at_zero() - sum) <= bound * sum)) {
        refuse(file_.path(), "/q", text("Q(0) = ", q.at_zero()),
               text("finite values and Q(0) = ", sum, ", the sum of w |phi|^2"));
    }
}

Q QFile::read(const Sampling& sampling, const Grid& grid) {
    if (checked_for_ == &sampling) {
        checked_for_ = nullptr;
        return std::move(*checked_);
    }
    const std::string key = q_key(sampling, grid);
    const std::size_t row = row_of(key);
    std::vector<std::size_t> extents = stored_extents(grid);
    if (keys_.size() > 1) {
        extents.insert(extents.begin(), keys_.size());
    }
    if (file_.shape("q").extents != extents) {
        refuse(file_.path(), "/q", shown(file_.shape("q").extents), shown(extents));
    }
    const std::vector<Complex> values =
        keys_.size() > 1 ? file_.read_complex_row("q", row) : file_.read_complex("q");
    if (hash_of(values.data(), values.size()) != hashes_[row]) {
        refuse(file_.path(), "/q", "values of another hash than the one beside them",
               "the values that 'lsrecon q' wrote");
    }
    Q q{grid, key, Volume(half_of(values, grid))};
    require_sum_of_weights(q, sampling);
    return q;
}

void QFile::require(const Scan& scan) {
    // The first one is read last, and kept for the first frame.
    std::set<const Sampling*> done;
    for (auto frame = scan.frames.rbegin(); frame != scan.frames.rend(); ++frame) {
        const Sampling* const sampling = frame->sampling.get();
        if (done.insert(sampling).second) {
            checked_ = read(*sampling, scan.grid);
            checked_for_ = sampling;
        }
    }
}

} // namespace lsrecon
