#include "io/hdf5/child.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

#include "base/error.hpp"
#include "base/packed.hpp"
#include "io/hdf5/types.hpp"

namespace lsrecon {

namespace {

/// Small enough to stay in a cache between here and there.
constexpr std::size_t part_bytes = 1 << 20;
/// Of chunks that several frames share.
constexpr std::size_t most_kept_bytes = 256 << 20;

/// What HDF5 says of the call that has just failed.
struct Said {
    std::string first; ///< what failed inside
    bool memory = false;
    bool writer = false;
    bool version = false; ///< of a part of the file: a later one than it knows
};

herr_t look_at(unsigned n, const H5E_error2_t* error, void* result) {
    auto& said = *static_cast<Said*>(result);
    const std::string description = error->desc == nullptr ? "" : error->desc;
    const auto says = [&](const char* words) {
        return description.find(words) != std::string::npos;
    };
    said.first = n == 0 ? description : said.first;
    said.memory |= error->maj_num == H5E_RESOURCE || error->min_num == H5E_NOSPACE;
    said.writer |= says("unable to lock file") || says("file is already open for write");
    said.version |= says("version number");
    return 0;
}

Said what_hdf5_says() {
    Said said;
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, &look_at, &said);
    return said;
}

Hdf5Refusal refusal_of_version(const Said& said) {
    unsigned major = 0;
    unsigned minor = 0;
    unsigned release = 0;
    H5get_libversion(&major, &minor, &release);
    const std::string here = text("HDF5 ", major, ".", minor, ".", release);
    const std::string bound = text("\"v", major, minor, "\"");
    return {text("a form that ", here, ", which reads it here, does not know (", said.first,
                 "): a later HDF5 wrote it, or it is damaged"),
            "a form that " + here + " reads",
            text("write it for older readers, in h5py by h5py.File(NAME, \"w\", libver=(", bound,
                 ", ", bound, "))")};
}

/// Why HDF5 failed, where it says that.
std::optional<Hdf5Refusal> cause_of(const Said& said) {
    if (said.writer) {
        return Hdf5Refusal{
            "another program is writing it, or its writer stopped before it closed the file",
            "a file that no program is writing",
            "wait for that program; after a crash run 'h5clear -s' on the file and check its "
            "values"};
    }
    if (said.memory) {
        return Hdf5Refusal{
            "HDF5 asks for more memory than the file can need or this process may have (" +
                said.first + ")",
            "a file that HDF5 can read",
            "transfer or write it again, or raise the memory limit of this process"};
    }
    return said.version ? std::optional(refusal_of_version(said)) : std::nullopt;
}

/// Throws why HDF5 failed; the refusal that is given where it is not known better.
[[noreturn]] void refuse(Hdf5Refusal otherwise) {
    const Said said = what_hdf5_says();
    otherwise.found += " (" + said.first + ")";
    throw cause_of(said).value_or(otherwise);
}

void require_hdf5(bool succeeded) {
    if (!succeeded) {
        refuse({"it cannot be read", "readable values",
                "the file is damaged: transfer or write it again"});
    }
}

/// By its descriptor: its name may be that of another file by now.
Hdf5Handle open_file(const InputFile& file) {
    const std::string name = text("/proc/self/fd/", file.descriptor());
    const std::string size = text(file.bytes(), " bytes");
    if (H5Fis_hdf5(name.c_str()) <= 0) {
        throw Hdf5Refusal{size + " without an HDF5 signature", "an HDF5 file",
                          "check that it is the scan, and that its transfer was complete"};
    }
    // Some file systems of clusters know no locks; reading needs none there.
    const Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS));
    H5Pset_file_locking(access, true, true);
    Hdf5Handle result(H5Fopen(name.c_str(), H5F_ACC_RDONLY, access));
    if (result < 0) {
        refuse({"an HDF5 file of " + size + " that is truncated or damaged", "a whole HDF5 file",
                "transfer or write the file again"});
    }
    return result;
}

herr_t follow_no_link(const char*, const char*, const char*, const char*, unsigned*, hid_t, void*) {
    return -1;
}

/// Of links and attributes.
template <typename Info> herr_t collect_name(hid_t, const char* name, const Info*, void* names) {
    static_cast<std::vector<std::string>*>(names)->emplace_back(name);
    return 0;
}

/// An open dataset with what it declares.
struct Dataset {
    Hdf5Handle handle;
    Hdf5Handle type{H5Dget_type(handle)};
    Hdf5Handle space{H5Dget_space(handle)};
    Hdf5Handle properties{H5Dget_create_plist(handle)};
    Hdf5Shape shape{};

    explicit Dataset(Hdf5Handle opened) : handle(std::move(opened)) {
        require_hdf5(type >= 0 && space >= 0 && properties >= 0);
        shape = describe(type, space);
    }

    bool chunked() const { return H5Pget_layout(properties) == H5D_CHUNKED; }

    /// 1 in every dimension when nothing is stored in chunks.
    std::vector<std::size_t> chunk() const {
        std::vector<hsize_t> sizes(shape.extents.size(), 1);
        if (chunked()) {
            require_hdf5(H5Pget_chunk(properties, static_cast<int>(sizes.size()), sizes.data()) >=
                         0);
        }
        return {sizes.begin(), sizes.end()};
    }

    /// Of all of them, or of those that one index of the first dimension goes through.
    std::size_t chunks(bool all) const {
        const std::vector<std::size_t> sizes = chunk();
        std::vector<std::size_t> counts;
        for (std::size_t d = all ? 0 : 1; d < sizes.size(); ++d) {
            counts.push_back((shape.extents[d] + sizes[d] - 1) / sizes[d]);
        }
        return product_of(counts);
    }

    std::size_t chunk_bytes() const { return product_of({product_of(chunk()), H5Tget_size(type)}); }
};

/// "lzf (32000)": a filter of its values that HDF5 lacks here; "" without one.
std::string missing_filter(const Dataset& dataset) {
    constexpr H5Z_filter_t lzf = 32000; // by its registered number, where a file has no name
    const int filters = H5Pget_nfilters(dataset.properties);
    for (int i = 0; i < filters; ++i) {
        std::array<char, 64> name{};
        unsigned flags = 0;
        std::size_t no_values = 0;
        const H5Z_filter_t filter =
            H5Pget_filter2(dataset.properties, static_cast<unsigned>(i), &flags, &no_values,
                           nullptr, name.size(), name.data(), nullptr);
        if (filter > 0 && H5Zfilter_avail(filter) <= 0) {
            return text(name[0] != '\0'             ? name.data()
                        : filter == H5Z_FILTER_SZIP ? "szip"
                        : filter == lzf             ? "lzf"
                                                    : "number",
                        " (", filter, ")");
        }
    }
    return "";
}

void require_values(bool read, const Dataset& dataset) {
    if (read) {
        return;
    }
    const Said said = what_hdf5_says(); // the next call begins anew
    const std::string filter = missing_filter(dataset);
    if (filter.empty()) {
        throw cause_of(said).value_or(Hdf5Refusal{"it cannot be read (" + said.first + ")",
                                                  "readable values",
                                                  "the file is damaged: transfer or write it "
                                                  "again"});
    }
    throw Hdf5Refusal{"values that are compressed by the filter " + filter +
                          ", which is not installed here",
                      "values without a filter, or by gzip",
                      "write them with gzip, in h5py by compression=\"gzip\", or run 'h5repack -f "
                      "GZIP=4 FILE NEW' where the filter is installed"};
}

Hdf5Refusal incomplete(const Dataset& dataset) {
    const int other_files = H5Pget_external_count(dataset.properties);
    require_hdf5(other_files >= 0);
    if (H5Pget_layout(dataset.properties) == H5D_VIRTUAL || other_files > 0) {
        return {"its values lie in other files",
                "values in this file: what lies elsewhere is neither checked nor recorded",
                "write the values into the file itself, when every other file is in its place"};
    }
    std::uint64_t expected = product_of({dataset.shape.elements(), H5Tget_size(dataset.type)});
    hsize_t stored = H5Dget_storage_size(dataset.handle);
    if (dataset.chunked()) {
        expected = dataset.chunks(true);
        require_hdf5(H5Dget_num_chunks(dataset.handle, dataset.space, &stored) >= 0);
    }
    if (stored >= expected) {
        return {};
    }
    return {text(expected - stored, " of ", expected, dataset.chunked() ? " chunks" : " bytes",
                 " were never written"),
            "all of its values, since HDF5 reads missing ones as 0",
            "see whether the program that wrote the file was stopped, and write it again"};
}

std::uint64_t place_in_file(const Dataset& dataset) {
    if (H5Pget_layout(dataset.properties) != H5D_CONTIGUOUS ||
        H5Tequal(dataset.type, type_as_read(dataset.type, dataset.shape)) <= 0) {
        return 0;
    }
    const haddr_t place = H5Dget_offset(dataset.handle);
    return place == HADDR_UNDEF ? 0 : place;
}

/// `count` texts that HDF5 has read; those of variable length are its own.
std::vector<std::string> texts_in(const std::vector<char>& values, hid_t type, std::size_t count) {
    const std::size_t size = H5Tget_size(type);
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < count; ++i) {
        const char* const at = values.data() + i * size;
        if (H5Tis_variable_str(type) > 0) {
            const char* value = nullptr;
            std::memcpy(&value, at, sizeof(value));
            texts.emplace_back(value == nullptr ? "" : value);
        } else {
            texts.emplace_back(at, std::find(at, at + size, '\0'));
        }
    }
    return texts;
}

Hdf5Attribute attribute_of(hid_t object, const std::string& name) {
    Hdf5Attribute result;
    result.name = name;
    const Hdf5Handle attribute(H5Aopen(object, name.c_str(), H5P_DEFAULT));
    const Hdf5Handle type(H5Aget_type(attribute));
    const Hdf5Handle space(H5Aget_space(attribute));
    if (type < 0 || space < 0) {
        result.readable = false;
        return result;
    }
    result.shape = describe(type, space);
    const std::size_t elements = result.shape.elements();
    if (result.shape.kind == Hdf5Kind::string && elements == 1) {
        std::vector<char> value(H5Tget_size(type));
        result.readable = H5Aread(attribute, type, value.data()) >= 0;
        result.text = result.readable ? texts_in(value, type, 1).front() : "";
    } else if (fits(result.shape.kind, Hdf5Kind::real) && elements > 0) {
        result.numbers.resize(elements);
        result.readable = H5Aread(attribute, H5T_NATIVE_DOUBLE, result.numbers.data()) >= 0;
    }
    return result;
}

/// HDF5 would leave a field unset that the file lacks, and the default would pass for a value.
bool has_fields(hid_t stored, const std::vector<Hdf5Field>& fields) {
    return std::all_of(fields.begin(), fields.end(), [&](const Hdf5Field& field) {
        const int member = H5Tget_class(stored) == H5T_COMPOUND
                               ? H5Tget_member_index(stored, field.name.c_str())
                               : -1;
        return member >= 0 &&
               (field.fields.empty() ||
                has_fields(Hdf5Handle(H5Tget_member_type(stored, static_cast<unsigned>(member))),
                           field.fields));
    });
}

/// Rows that HDF5 has read, each with the floats of its lists behind it. Frees the lists.
void put_with_lists(const std::vector<char>& rows, const Hdf5Request& request, bool read,
                    std::string& bytes) {
    bytes.clear();
    for (std::size_t row = 0; row < rows.size(); row += request.row_bytes) {
        bytes.append(rows.data() + row, request.row_bytes);
        for (const Hdf5Field& field : request.fields) {
            if (field.type == Hdf5Field::Type::list) {
                hvl_t list{};
                std::memcpy(&list, rows.data() + row + field.offset, sizeof(list));
                bytes.append(static_cast<const char*>(list.p), read ? list.len * sizeof(float) : 0);
                H5free_memory(list.p);
            }
        }
    }
}

class Server {
public:
    Server(const Connection& parent, const InputFile& file)
        : parent_(parent), file_bytes_(static_cast<double>(file.bytes())) {
        silence_hdf5();
        limit(0, 0);
        H5Pset_elink_cb(links_, &follow_no_link, nullptr);
    }

    void open(const InputFile& file) { file_ = open_file(file); }

    void answer(const Hdf5Request& request) {
        limit(0, 0);
        switch (request.what) {
        case Hdf5Request::What::about:
            return send(packed(about(request.object)));
        case Hdf5Request::What::numbers:
            return send_numbers(request);
        case Hdf5Request::What::texts:
            return send(packed(texts(request.object)));
        case Hdf5Request::What::rows:
            return send_rows(request);
        }
    }

    void refuse(const Hdf5Refusal& refusal) { send(packed(refusal), true); }

private:
    /// Processor time for an answer, by the size of the file and of what is sent, at a rate that
    /// every machine reaches; memory for HDF5 itself and for what is held at once.
    void limit(double bytes_sent, double bytes_held) const {
        constexpr double seconds = 1;
        constexpr double bytes_a_second = 10e6;
        constexpr double hdf5_itself = 256e6;
        limit_this_process(seconds + (file_bytes_ + bytes_sent) / bytes_a_second,
                           hdf5_itself + bytes_held);
    }

    void send(const void* bytes, std::size_t size, bool refused = false) {
        const Hdf5PartHead head{size, refused ? 1U : 0U};
        parent_.send(&head, sizeof(head));
        parent_.send(bytes, size);
    }
    void send(const std::string& bytes, bool refused = false) {
        send(bytes.data(), bytes.size(), refused);
    }

    Hdf5Handle open_object(const std::string& name) const {
        return Hdf5Handle(H5Oopen(file_, name.c_str(), links_));
    }

    Hdf5Object about(const std::string& name) const {
        Hdf5Object result;
        H5L_info_t link{};
        if (name != "/" && H5Lget_info(file_, name.c_str(), &link, H5P_DEFAULT) >= 0 &&
            link.type != H5L_TYPE_HARD && link.type != H5L_TYPE_SOFT) {
            result.is = Hdf5Is::link_to_other_file;
            return result;
        }
        Hdf5Handle object = open_object(name);
        if (object < 0) {
            result.refusal = cause_of(what_hdf5_says()).value_or(Hdf5Refusal());
            return result;
        }
        std::vector<std::string> attributes;
        result.whole = H5Aiterate2(object, H5_INDEX_NAME, H5_ITER_INC, nullptr,
                                   &collect_name<H5A_info_t>, &attributes) >= 0;
        if (!result.whole) {
            result.refusal = cause_of(what_hdf5_says()).value_or(Hdf5Refusal());
        }
        for (const std::string& attribute : attributes) {
            result.attributes.push_back(attribute_of(object, attribute));
        }
        const H5I_type_t type = H5Iget_type(object);
        if (type == H5I_GROUP) {
            result.is = Hdf5Is::group;
            result.whole &= H5Literate(object, H5_INDEX_NAME, H5_ITER_INC, nullptr,
                                       &collect_name<H5L_info_t>, &result.members) >= 0;
        } else if (type == H5I_DATASET) {
            try {
                const Dataset dataset(std::move(object));
                result.shape = dataset.shape;
                if (result.whole) {
                    result.refusal = incomplete(dataset);
                }
                result.place = place_in_file(dataset);
                result.is = Hdf5Is::dataset;
            } catch (const Hdf5Refusal& refusal) { // it is unreadable
                result.refusal = refusal;
            }
        } else {
            result.is = Hdf5Is::other;
        }
        return result;
    }

    std::vector<std::string> texts(const std::string& name) const {
        const Dataset dataset(open_object(name));
        const std::size_t count = dataset.shape.elements();
        const std::size_t bytes = product_of({count, H5Tget_size(dataset.type)});
        limit(static_cast<double>(bytes), 4 * static_cast<double>(bytes));
        std::vector<char> values(bytes);
        require_values(H5Dread(dataset.handle, dataset.type, H5S_ALL, H5S_ALL, H5P_DEFAULT,
                               values.data()) >= 0,
                       dataset);
        return texts_in(values, dataset.type, count);
    }

    /// Where a chunk holds values of several frames, with room for the chunks that a frame goes
    /// through, so that each is decompressed once. Larger ones are decompressed again for every
    /// frame.
    const Dataset& open_numbers(const Hdf5Request& request) {
        if (numbers_ && name_of_numbers_ == request.object) {
            return *numbers_;
        }
        numbers_.emplace(open_object(request.object));
        name_of_numbers_ = request.object;
        const std::uint64_t rows = request.stretches[1] - request.stretches[0];
        const std::size_t shared = product_of({numbers_->chunks(false), numbers_->chunk_bytes()});
        const Hdf5Shape& shape = numbers_->shape;
        if (!shape.extents.empty() && rows < shape.extents.front() &&
            rows < numbers_->chunk().front() && shared <= most_kept_bytes) {
            const Hdf5Handle access(H5Pcreate(H5P_DATASET_ACCESS));
            constexpr std::size_t slots = 12421; // a prime, as HDF5 asks for
            H5Pset_chunk_cache(access, slots, shared, 1);
            numbers_.reset(); // HDF5 sets the room when it opens a dataset that is not open
            numbers_.emplace(Hdf5Handle(H5Dopen2(file_, request.object.c_str(), access)));
        }
        return *numbers_;
    }

    void send_numbers(const Hdf5Request& request) {
        const Dataset& dataset = open_numbers(request);
        const Hdf5Handle type = type_as_read(dataset.type, dataset.shape);
        std::vector<hsize_t> start(dataset.shape.extents.size(), 0);
        std::vector<hsize_t> count(dataset.shape.extents.begin(), dataset.shape.extents.end());
        if (!start.empty()) {
            start.front() = request.stretches[0];
            count.front() = request.stretches[1] - request.stretches[0];
        }
        const auto bytes = static_cast<double>(
            product_of({product_of({count.begin(), count.end()}), H5Tget_size(type)}));
        // A chunk is held as it is stored and after each of its filters.
        limit(bytes, bytes + 4 * static_cast<double>(dataset.chunk_bytes()) + most_kept_bytes);
        send_box(dataset, type, 0, start, count);
    }

    /// In portions of whole chunks, so that each is decompressed once. The dimensions before this
    /// one have one index.
    void send_box(const Dataset& dataset, hid_t type, std::size_t dimension,
                  std::vector<hsize_t> start, std::vector<hsize_t> count) {
        const std::size_t bytes =
            product_of({product_of({count.begin(), count.end()}), H5Tget_size(type)});
        if (dimension < count.size() && bytes > part_bytes) {
            const hsize_t end = start[dimension] + count[dimension];
            const hsize_t chunk = std::min<hsize_t>(dataset.chunk()[dimension], count[dimension]);
            const hsize_t in_a_part = part_bytes / (bytes / count[dimension]);
            const hsize_t step = std::max(in_a_part / chunk * chunk, chunk);
            for (; start[dimension] < end; start[dimension] += step) {
                count[dimension] = std::min<hsize_t>(step, end - start[dimension]);
                send_box(dataset, type, step == 1 ? dimension + 1 : count.size(), start, count);
            }
            return;
        }
        if (!start.empty()) {
            H5Sselect_hyperslab(dataset.space, H5S_SELECT_SET, start.data(), nullptr, count.data(),
                                nullptr);
        }
        std::vector<char> values(bytes);
        // Of the same shape: HDF5 takes much longer to match selections of different ones.
        const Hdf5Handle memory = simple_space({count.begin(), count.end()});
        require_values(
            H5Dread(dataset.handle, type, memory, dataset.space, H5P_DEFAULT, values.data()) >= 0,
            dataset);
        for (std::size_t at = 0; at < bytes; at += part_bytes) {
            send(values.data() + at, std::min(part_bytes, bytes - at));
        }
    }

    void send_rows(const Hdf5Request& request) {
        const Dataset dataset(open_object(request.object));
        const Hdf5Handle type = row_type(request.fields, request.row_bytes);
        if (dataset.shape.extents.size() != 1 || !has_fields(dataset.type, request.fields)) {
            std::string names;
            for (const Hdf5Field& field : request.fields) {
                names += (names.empty() ? "" : ", ") + field.name;
            }
            throw Hdf5Refusal{dataset.shape.to_string(), "rows with all fields of " + names,
                              "write the file again, with a program that follows the format"};
        }
        // Lists lie in the file as they are: all together need no more than it has, in floats twice
        // that where it holds halves.
        const std::size_t size = product_of({dataset.shape.elements(), request.row_bytes});
        limit(file_bytes_ + static_cast<double>(size), 3 * file_bytes_ + part_bytes);
        std::uint64_t at_once = 1;
        std::vector<char> rows;
        std::string bytes; // used again: memory that is new for each part takes longer
        for (std::size_t stretch = 0; stretch + 1 < request.stretches.size(); stretch += 2) {
            hsize_t first = request.stretches[stretch];
            const hsize_t end = request.stretches[stretch + 1];
            while (first < end) {
                const hsize_t count = std::min<hsize_t>(at_once, end - first);
                const Hdf5Handle memory = simple_space({count});
                H5Sselect_hyperslab(dataset.space, H5S_SELECT_SET, &first, nullptr, &count,
                                    nullptr);
                rows.assign(count * request.row_bytes, 0);
                const bool read = H5Dread(dataset.handle, type, memory, dataset.space, H5P_DEFAULT,
                                          rows.data()) >= 0;
                require_values(read || count > 1, dataset);
                put_with_lists(rows, request, read, bytes);
                if (!read) {
                    at_once = 1; // up to the one that cannot be read
                    continue;
                }
                send(bytes);
                first += count;
                at_once =
                    std::clamp<std::uint64_t>(part_bytes / (bytes.size() / count), 1, 2 * at_once);
            }
        }
    }

    const Connection& parent_;
    double file_bytes_;
    Hdf5Handle file_;
    Hdf5Handle links_{H5Pcreate(H5P_LINK_ACCESS)}; ///< follow none into another file
    /// The dataset whose numbers were asked for last stays open, with the chunks that HDF5 keeps of
    /// it: frames are asked for one after the other, and a chunk may hold some of each.
    std::string name_of_numbers_;
    std::optional<Dataset> numbers_;
};

Hdf5Request receive_request(const Connection& parent) {
    std::uint64_t size = 0;
    parent.receive(&size, sizeof(size));
    std::string bytes(size, '\0');
    parent.receive(bytes.data(), bytes.size());
    return unpacked<Hdf5Request>(bytes);
}

} // namespace

void serve_hdf5(const Connection& parent, int descriptor) {
    const InputFile file(text("/proc/self/fd/", descriptor));
    Server server(parent, file);
    try {
        server.open(file);
    } catch (const Hdf5Refusal& refusal) {
        return server.refuse(refusal);
    }
    for (;;) {
        const Hdf5Request request = receive_request(parent);
        try {
            server.answer(request);
        } catch (const Hdf5Refusal& refusal) {
            server.refuse(refusal);
        }
    }
}

} // namespace lsrecon
