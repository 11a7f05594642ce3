#include "io/q_file.hpp"

#include "base/error.hpp"
#include "base/replacing_file.hpp"
#include "io/hdf5_file.hpp"

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

void write(const std::string& path, const std::vector<std::size_t>& extents,
           const std::vector<std::string>& keys, const Complex* values, const Record& record) {
    ReplacingFile target(path);
    Hdf5Writer file(target.path());
    file.complex128("q", extents, values);
    file.attribute("/", "format", std::string("lsrecon-q"));
    file.attribute("/", "version", 1L);
    file.group("record");
    for (const auto& [name, value] : record) {
        file.attribute("record", name, value);
    }
    for (std::size_t s = 0; s < keys.size(); ++s) {
        file.attribute("q", "key_" + std::to_string(s), keys[s]);
    }
    file.close();
    target.commit();
}

} // namespace

void write_q(const std::string& path, const std::vector<Q>& qs, const Record& record) {
    const Grid& grid = qs.front().grid;
    std::vector<std::size_t> extents = stored_extents(grid);
    if (qs.size() > 1) {
        extents.insert(extents.begin(), qs.size());
    }
    std::vector<Complex> values;
    std::vector<std::string> keys;
    for (const Q& q : qs) {
        keys.push_back(q.key);
        const ComplexVector all = expanded(q);
        for_each_centred(grid, [&](std::size_t wrapped) {
            values.push_back(all(static_cast<Eigen::Index>(wrapped)));
        });
    }
    write(path, extents, keys, values.data(), record);
}

void write_q_at(const std::string& path, const ComplexVector& q, const Record& record) {
    write(path, {static_cast<std::size_t>(q.size())}, {}, q.data(), record);
}

Q read_q(const std::string& path, const Sampling& sampling, const Grid& grid) {
    const Hdf5Reader file(path);
    if (!file.has("q") || !file.has_attribute("/", "format") ||
        file.attribute_text("/", "format") != "lsrecon-q") {
        throw InputError({path, "/q", "no Q of lsrecon", "a file that 'lsrecon q' wrote",
                          "make it with 'lsrecon q SCAN -o FILE', or leave --q out"});
    }
    const std::string wanted = q_key(sampling, grid);
    std::size_t s = 0;
    std::string first_key = "none";
    for (;; ++s) {
        const std::string name = "key_" + std::to_string(s);
        if (!file.has_attribute("q", name)) {
            throw InputError({path, "content hash of /q", first_key.substr(0, 16) + "...",
                              wanted.substr(0, 16) + "..., that of the scan's trajectory, phi, "
                                                     "weights and matrix",
                              "make Q of this scan with 'lsrecon q SCAN -o FILE', or leave --q "
                              "out"});
        }
        const std::string key = file.attribute_text("q", name);
        first_key = s == 0 ? key : first_key;
        if (key == wanted) {
            break;
        }
    }
    const std::vector<Complex> values = file.read_complex("q");
    const std::array<std::size_t, 3> extents = q_extents(grid);
    const std::size_t each = extents[0] * extents[1] * extents[2];
    if (values.size() < (s + 1) * each) {
        throw InputError({path, "/q", text(values.size(), " values"), text((s + 1) * each),
                          "make the file again with 'lsrecon q'"});
    }
    const Voxels half = Voxels::half_differences(grid);
    Q q{grid, wanted, ComplexVector(static_cast<Eigen::Index>(half.count()))};
    for (std::size_t n = 0; n < half.count(); ++n) {
        const Vec3 difference = half.in_voxels(n);
        std::size_t centred = 0;
        for (std::size_t d = 3; d-- > 0;) {
            const double at = static_cast<double>(extents[d] / 2) + difference[d];
            centred = centred * extents[d] + static_cast<std::size_t>(at);
        }
        q.half(static_cast<Eigen::Index>(n)) = values[s * each + centred];
    }
    if (!q.half.allFinite()) {
        throw InputError({path, "/q", "values that are not finite", "finite numbers",
                          "make the file again with 'lsrecon q'"});
    }
    return q;
}

} // namespace lsrecon
