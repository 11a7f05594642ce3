#include <algorithm>
#include <cstring>

#include "base/packed.hpp"
#include "io/hdf5_child_parts.hpp"

// The child's side: the values of a dataset.

namespace lsrecon {

namespace {

/// Small enough to stay in a cache between here and there.
constexpr std::size_t part_bytes = 1 << 20;

/// Row-major portions that cover a dataset in order, whole chunks at a time: each is then read and
/// decompressed once.
class Portions {
public:
    /// Of `extents`, from index `first` of the first dimension.
    Portions(std::vector<std::size_t> extents, std::size_t first,
             const std::vector<std::size_t>& chunk, std::size_t element_bytes)
        : extents_(std::move(extents)), start_(extents_.size(), 0), first_(first) {
        const auto row_bytes = [&] {
            std::vector<std::size_t> inner(extents_.begin() + static_cast<long>(split_) + 1,
                                           extents_.end());
            inner.push_back(element_bytes);
            return product_of(inner);
        };
        while (split_ + 1 < extents_.size() && chunk[split_] == 1 && row_bytes() > part_bytes) {
            ++split_;
        }
        if (!extents_.empty()) {
            const std::size_t rows = part_bytes / row_bytes() / chunk[split_] * chunk[split_];
            rows_ = std::min(std::max(rows, chunk[split_]), extents_[split_]);
        }
    }

    std::vector<hsize_t> start() const {
        std::vector<hsize_t> result(start_.begin(), start_.end());
        if (!result.empty()) {
            result.front() += first_;
        }
        return result;
    }

    /// Of the present portion.
    std::vector<hsize_t> count() const {
        std::vector<hsize_t> result(extents_.begin(), extents_.end());
        std::fill_n(result.begin(), split_, 1);
        if (!result.empty()) {
            result[split_] = std::min(rows_, extents_[split_] - start_[split_]);
        }
        return result;
    }

    /// Of the largest portion.
    std::size_t elements() const {
        std::vector<std::size_t> sizes(extents_.begin() + static_cast<long>(split_),
                                       extents_.end());
        if (!sizes.empty()) {
            sizes.front() = rows_;
        }
        return product_of(sizes);
    }

    bool next() {
        std::size_t step = rows_;
        for (std::size_t d = extents_.empty() ? 0 : split_ + 1; d-- > 0; step = 1) {
            start_[d] += step;
            if (start_[d] < extents_[d]) {
                return true;
            }
            start_[d] = 0;
        }
        return false;
    }

private:
    std::vector<std::size_t> extents_;
    std::vector<std::size_t> start_;
    std::size_t first_ = 0;
    std::size_t split_ = 0; ///< the dimension that is cut; those before it advance one by one
    std::size_t rows_ = 1;
};

/// 1 in every dimension when nothing is stored in chunks.
std::vector<std::size_t> chunk_of(hid_t dataset, std::size_t dimensions) {
    std::vector<hsize_t> chunk(dimensions, 1);
    const Hdf5Handle properties(H5Dget_create_plist(dataset), H5Pclose);
    if (H5Pget_layout(properties.get()) == H5D_CHUNKED) {
        H5Pget_chunk(properties.get(), static_cast<int>(dimensions), chunk.data());
    }
    return {chunk.begin(), chunk.end()};
}

} // namespace

namespace {

/// Bytes of the chunks that `rows` indices of the first dimension go through, decompressed, when
/// others lie in the same chunks; 0 otherwise.
std::size_t shared_chunk_bytes(const Hdf5Shape& shape, const std::vector<std::size_t>& chunk,
                               std::size_t rows, std::size_t element) {
    if (shape.extents.empty() || rows >= shape.extents.front() || chunk.front() <= rows) {
        return 0;
    }
    std::vector<std::size_t> factors{element, chunk.front()};
    for (std::size_t d = 1; d < chunk.size(); ++d) {
        factors.push_back((shape.extents[d] + chunk[d] - 1) / chunk[d] * chunk[d]);
    }
    return product_of(factors);
}

/// Opens it unless it is open.
void open_values(const Hdf5Served& served, const std::string& name) {
    if (served.values.name == name && served.values.handle.get() >= 0) {
        return;
    }
    served.values = {name, open_object(served, name), 0};
}

/// Where the numbers lie one after the other as this machine has them; 0 where HDF5 has to put them
/// together.
std::uint64_t place_in_file(hid_t dataset, hid_t stored, hid_t wanted) {
    const Hdf5Handle properties(H5Dget_create_plist(dataset), H5Pclose);
    if (H5Pget_layout(properties.get()) != H5D_CONTIGUOUS || H5Tequal(stored, wanted) <= 0) {
        return 0;
    }
    const haddr_t place = H5Dget_offset(dataset);
    return place == HADDR_UNDEF ? 0 : place;
}

/// Opens it again with room for the chunks that several frames share, so that each is decompressed
/// once. Larger ones are decompressed again for every frame.
void keep_chunks(const Hdf5Served& served, std::size_t bytes) {
    constexpr std::size_t most = std::size_t{256} << 20;
    if (bytes == 0 || bytes > most || served.values.cache_bytes > 0) {
        return;
    }
    const Hdf5Handle access(H5Pcreate(H5P_DATASET_ACCESS), H5Pclose);
    constexpr std::size_t slots = 12421; // a prime, as HDF5 asks for
    H5Pset_chunk_cache(access.get(), slots, bytes, 1);
    served.values.handle = Hdf5Handle();
    served.values.handle =
        Hdf5Handle(H5Dopen2(served.file, served.values.name.c_str(), access.get()), H5Dclose);
    require_hdf5(served.values.handle.get() >= 0);
    served.values.cache_bytes = static_cast<double>(bytes);
}

} // namespace

void send_values(const Hdf5Served& served, const Hdf5Request& request) {
    open_values(served, request.dataset);
    const hid_t opened = served.values.handle.get();
    const Hdf5Handle stored(H5Dget_type(opened), H5Tclose);
    const Hdf5Handle space(H5Dget_space(opened), H5Sclose);
    require_hdf5(stored.get() >= 0 && space.get() >= 0);
    const Hdf5Shape shape = describe(stored.get(), space.get());
    const bool single = holds_floats(stored.get());
    const bool complex = shape.kind == Hdf5Kind::complex;
    const hid_t number = single ? H5T_NATIVE_FLOAT : H5T_NATIVE_DOUBLE;
    const auto [real, imaginary] = names_of_parts(stored.get());
    const Hdf5Handle type =
        complex ? complex_type(number, real, imaginary) : Hdf5Handle(H5Tcopy(number), H5Tclose);
    const std::size_t element = H5Tget_size(type.get());
    std::vector<std::size_t> wanted = shape.extents;
    if (request.count > 0 && !wanted.empty()) {
        wanted.front() = std::min<std::size_t>(request.count, wanted.front() - request.first);
    }
    std::uint64_t place = place_in_file(opened, stored.get(), type.get());
    if (place > 0 && !shape.extents.empty()) {
        place += request.first * (shape.elements() / shape.extents.front()) * element;
    }
    const std::string head =
        packed(Hdf5ValuesHead{single, product_of({product_of(wanted), complex ? 2U : 1U}), place});
    send_part(served.parent, head.data(), head.size());
    if (place > 0) {
        return;
    }

    std::vector<std::size_t> chunk = chunk_of(opened, shape.extents.size());
    // A chunk is held as it is stored and after each of its filters.
    const std::size_t stored_bytes = H5Tget_size(stored.get());
    const std::size_t chunk_bytes = product_of({product_of(chunk), stored_bytes, 4});
    const std::size_t shared =
        wanted.empty() ? 0 : shared_chunk_bytes(shape, chunk, wanted.front(), stored_bytes);
    if (!wanted.empty()) {
        chunk.front() = std::min(chunk.front(), wanted.front());
    }
    Portions portions(wanted, request.first, chunk, element);
    const std::size_t portion_bytes = product_of({portions.elements(), element});
    limit_answer(served, static_cast<double>(product_of({product_of(wanted), element})),
                 static_cast<double>(portion_bytes) + static_cast<double>(chunk_bytes) +
                     static_cast<double>(shared));
    keep_chunks(served, shared);
    const hid_t dataset = served.values.handle.get();
    std::vector<char> bytes(portion_bytes);
    do {
        const std::vector<hsize_t> start = portions.start();
        const std::vector<hsize_t> count = portions.count();
        if (!start.empty()) {
            H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, start.data(), nullptr, count.data(),
                                nullptr);
        }
        const std::size_t size = product_of({count.begin(), count.end()}) * element;
        const Hdf5Handle memory = simple_space({size / element});
        require_hdf5(H5Dread(dataset, type.get(), memory.get(), space.get(), H5P_DEFAULT,
                             bytes.data()) >= 0);
        for (std::size_t at = 0; at < size; at += part_bytes) {
            send_part(served.parent, bytes.data() + at, std::min(part_bytes, size - at));
        }
    } while (portions.next());
}

void send_table(const Hdf5Served& served, const Hdf5Request& request) {
    const Hdf5Handle dataset = open_object(served, request.dataset);
    const Hdf5Handle stored(H5Dget_type(dataset.get()), H5Tclose);
    const Hdf5Handle space(H5Dget_space(dataset.get()), H5Sclose);
    require_hdf5(stored.get() >= 0 && space.get() >= 0);
    const Hdf5Handle type = row_type(request.fields, request.row_bytes);
    if (!has_members(stored.get(), type.get())) {
        throw Hdf5Failure{Hdf5Failure::Why::damaged, "fields of the format are missing"};
    }
    const std::size_t rows = describe(stored.get(), space.get()).elements();
    const std::size_t size = product_of({rows, request.row_bytes});
    limit_answer(served, static_cast<double>(size), 4 * static_cast<double>(size));
    std::vector<char> bytes(size);
    require_hdf5(H5Dread(dataset.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data()) >=
                 0);
    send_part(served.parent, bytes.data(), bytes.size());
}

void send_texts(const Hdf5Served& served, const std::string& name) {
    const Hdf5Handle dataset = open_object(served, name);
    const Hdf5Handle stored(H5Dget_type(dataset.get()), H5Tclose);
    const Hdf5Handle space(H5Dget_space(dataset.get()), H5Sclose);
    require_hdf5(stored.get() >= 0 && space.get() >= 0);
    const std::size_t count = describe(stored.get(), space.get()).elements();
    const std::size_t size = H5Tget_size(stored.get());
    const std::size_t bytes = product_of({count, size});
    limit_answer(served, static_cast<double>(bytes), 4 * static_cast<double>(bytes));
    std::vector<std::string> texts(count);
    std::vector<char> values(bytes);
    require_hdf5(
        H5Dread(dataset.get(), stored.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) >= 0);
    const bool variable = H5Tis_variable_str(stored.get()) > 0;
    for (std::size_t i = 0; i < count; ++i) {
        const char* const at = values.data() + i * size;
        if (variable) {
            const char* value = nullptr;
            std::memcpy(&value, at, sizeof(value));
            texts[i] = value == nullptr ? "" : value;
        } else {
            texts[i].assign(at, std::find(at, at + size, '\0'));
        }
    }
    const std::string answer = packed(texts);
    send_part(served.parent, answer.data(), answer.size());
}

} // namespace lsrecon
