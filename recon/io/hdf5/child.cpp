// Serves the requests of the parent in a child process: it opens one file by its descriptor, within
// limits of time and memory, and sends objects and numbers.

#include "io/hdf5/child.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <optional>
#include <set>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.hpp"
#include "base/packed.hpp"
#include "base/platform.hpp"
#include "io/hdf5/types.hpp"

namespace lsrecon {

namespace {

/// Small enough to stay in a cache between here and there.
constexpr std::size_t part_bytes = 1 << 20;
/// The bytes of chunks that several frames share and that are kept.
constexpr std::size_t most_kept_bytes = 256 << 20;

/// HDF5's message on the call that has just failed.
struct Said {
    std::string cause; ///< what failed inside, or the filter that it lacks
    std::string all; ///< all messages from the inside to the call
};

herr_t add_words(unsigned n, const H5E_error2_t* error, void* result) {
    auto& said = *static_cast<Said*>(result);
    const std::string words = error->desc == nullptr ? "" : error->desc;
    const bool memory = error->maj_num == H5E_RESOURCE || error->min_num == H5E_NOSPACE;
    said.cause = n == 0 || words.rfind("required filter", 0) == 0 ? words : said.cause;
    said.all += words + (memory ? "\nno memory\n" : "\n");
    return 0;
}

Hdf5Refusal refusal_of_version(const std::string& cause) {
    unsigned major = 0;
    unsigned minor = 0;
    unsigned release = 0;
    H5get_libversion(&major, &minor, &release);
    const std::string version = text("HDF5 ", major, ".", minor, ".", release);
    const std::string bound = text("\"v", major, minor, "\"");
    return {text("a form that ", version, ", which reads it here, does not know (", cause,
                 "): a later HDF5 wrote it, or it is damaged"),
            "a form that " + version + " reads",
            text("write it for older readers, in h5py by h5py.File(NAME, \"w\", libver=(", bound,
                 ", ", bound, "))")};
}

Hdf5Refusal no_memory(const std::string& said) {
    return {"HDF5 asks for more memory than the file can need or this process may have" + said,
            "a file that HDF5 can read",
            "transfer or write it again, or raise the memory limit of this process"};
}

Hdf5Refusal open_elsewhere() {
    return {"another program is writing it, or its writer stopped before it closed the file",
            "a file that no program is writing",
            "wait for that program; after a crash run 'h5clear -s' on the file and check its "
            "values"};
}

/// Why HDF5 failed; `otherwise` where it does not say that.
Hdf5Refusal cause_or(const Hdf5Refusal& otherwise) {
    Said said;
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, &add_words, &said);
    const auto says = [&](const char* words) { return said.all.find(words) != std::string::npos; };
    const std::string cause = said.cause.empty() ? "" : " (" + said.cause + ")";
    if (says("file is already open for write")) {
        return open_elsewhere();
    }
    if (says("no memory")) {
        return no_memory(cause);
    }
    if (says("required filter")) {
        return {"values that cannot be decompressed here" + cause,
                "values without a filter, or by gzip",
                "write them with gzip, in h5py by compression=\"gzip\", or run 'h5repack -f GZIP=4 "
                "FILE NEW' where the filter is installed"};
    }
    return says("version number")
               ? refusal_of_version(said.cause)
               : Hdf5Refusal{otherwise.found + cause, otherwise.expected, otherwise.next_step};
}

void require_hdf5(bool succeeded) {
    if (!succeeded) {
        throw cause_or({"it cannot be read", "readable values",
                        "the file is damaged: transfer or write it again"});
    }
}

/// Opens a file by its descriptor: its name may be that of another file by now.
Hdf5Handle open_file(int descriptor, double bytes) {
    const std::string name = platform::name_of_descriptor(descriptor);
    const std::string size = text(std::size_t(bytes), " bytes");
    if (H5Fis_hdf5(name.c_str()) <= 0) {
        throw Hdf5Refusal{size + " without an HDF5 signature", "an HDF5 file",
                          "check that it is the scan, and that its transfer was complete"};
    }
    // A lock of HDF5 would last until this process has ended, which is after its parent. Some file
    // systems of clusters know no locks.
    if (::flock(descriptor, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
        throw open_elsewhere();
    }
    ::flock(descriptor, LOCK_UN);
    const Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS));
    H5Pset_file_locking(access, false, true);
    Hdf5Handle result(H5Fopen(name.c_str(), H5F_ACC_RDONLY, access));
    if (result < 0) {
        throw cause_or({"an HDF5 file of " + size + " that is truncated or damaged",
                        "a whole HDF5 file", "transfer or write the file again"});
    }
    return result;
}

void send_part(const Connection& parent, const void* bytes, std::size_t size,
               bool refused = false) {
    const Hdf5PartHead head{size, refused ? 1U : 0U};
    parent.send(&head, sizeof(head));
    parent.send(bytes, size);
}
void send_part(const Connection& parent, const std::string& bytes, bool refused = false) {
    send_part(parent, bytes.data(), bytes.size(), refused);
}

herr_t follow_no_link(const char*, const char*, const char*, const char*, unsigned*, hid_t, void*) {
    return -1;
}

/// Collects the names of links and attributes.
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

    std::size_t chunks() const {
        std::vector<std::size_t> counts = chunk();
        for (std::size_t d = 0; d < counts.size(); ++d) {
            counts[d] = (shape.extents[d] + counts[d] - 1) / counts[d];
        }
        return product_of(counts);
    }

    std::size_t chunk_bytes() const { return product_of({product_of(chunk()), H5Tget_size(type)}); }
};

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
        expected = dataset.chunks();
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

/// The offset of numbers that can be read from the file without HDF5; 0 where they cannot.
std::uint64_t offset_in_file(const Dataset& dataset) {
    if (H5Pget_layout(dataset.properties) != H5D_CONTIGUOUS ||
        H5Tequal(dataset.type, type_as_read(dataset.type, dataset.shape)) <= 0) {
        return 0;
    }
    const haddr_t offset = H5Dget_offset(dataset.handle);
    return offset == HADDR_UNDEF ? 0 : offset;
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

/// Processor time and private memory that this process may have from now on. Memory has no limit
/// under AddressSanitizer, whose own is larger than any.
void limit(double processor_seconds, [[maybe_unused]] double bytes) {
    itimerval timer{};
    timer.it_value.tv_sec = static_cast<time_t>(processor_seconds) + 1;
    ::setitimer(ITIMER_PROF, &timer, nullptr); // SIGPROF ends the process
#ifndef __SANITIZE_ADDRESS__
    rlimit memory{};
    ::getrlimit(RLIMIT_DATA, &memory);
    memory.rlim_cur = std::min(static_cast<rlim_t>(std::min(bytes, 1e18)), memory.rlim_max);
    ::setrlimit(RLIMIT_DATA, &memory);
#endif
}

class Server {
public:
    Server(const Connection& parent, int file, double file_bytes)
        : parent_(parent), file_bytes_(file_bytes) {
        silence_hdf5();
        limit(0, 0);
        H5Pset_elink_cb(links_, &follow_no_link, nullptr);
        file_ = open_file(file, file_bytes);
    }

    void answer(const Hdf5Request& request) {
        limit(0, 0);
        switch (request.what) {
        case Hdf5Request::What::about:
            return send_part(parent_, packed(about(request.object)));
        case Hdf5Request::What::numbers:
            return send_numbers(request);
        case Hdf5Request::What::texts:
            return send_part(parent_, packed(texts(request.object)));
        case Hdf5Request::What::rows:
            return send_rows(request);
        }
    }

private:
    /// Processor time for an answer, by the size of the file and of what is sent, at a rate that
    /// every machine reaches; memory for HDF5 itself, for chunks and for what is held at once.
    void limit(double bytes_sent, double bytes_held) const {
        constexpr double seconds = 1;
        constexpr double bytes_a_second = 10e6;
        constexpr double hdf5_itself = 256e6;
        lsrecon::limit(seconds + (file_bytes_ + bytes_sent) / bytes_a_second,
                       hdf5_itself + most_kept_bytes + bytes_held);
    }

    Hdf5Handle open_object(const std::string& name) const {
        return Hdf5Handle(H5Oopen(file_, name.c_str(), links_));
    }

    Hdf5Object about(const std::string& name) const {
        Hdf5Object result;
        H5L_info_t link{};
        if (name != "/" && H5Lget_info(file_, name.c_str(), &link, H5P_DEFAULT) >= 0 &&
            link.type != H5L_TYPE_HARD && link.type != H5L_TYPE_SOFT) {
            result.refusal = {"a link to another file",
                              "a dataset of this file: what lies elsewhere is neither checked nor "
                              "recorded",
                              "copy the dataset into the file, with h5copy for example"};
            return result;
        }
        Hdf5Handle object = open_object(name);
        if (object < 0) {
            result.refusal = cause_or({"no dataset: a damaged one, or a link to nothing",
                                       "a dataset", "transfer or write the file again"});
            return result;
        }
        const H5I_type_t type = H5Iget_type(object);
        std::vector<std::string> attributes;
        result.whole = H5Aiterate2(object, H5_INDEX_NAME, H5_ITER_INC, nullptr,
                                   &collect_name<H5A_info_t>, &attributes) >= 0;
        if (result.whole && type == H5I_GROUP) {
            result.whole = H5Literate(object, H5_INDEX_NAME, H5_ITER_INC, nullptr,
                                      &collect_name<H5L_info_t>, &result.members) >= 0;
        }
        if (!result.whole) {
            result.refusal = cause_or({"the list of what it holds cannot be read",
                                       "names of datasets, groups and attributes",
                                       "the file is damaged: transfer or write it again"});
        }
        for (const std::string& attribute : attributes) {
            result.attributes.push_back(attribute_of(object, attribute));
        }
        result.is = Hdf5Is::other;
        if (type == H5I_DATASET) {
            add_dataset(std::move(object), result);
        }
        return result;
    }

    static void add_dataset(Hdf5Handle object, Hdf5Object& result) {
        try {
            const Dataset dataset(std::move(object));
            result.shape = dataset.shape;
            result.offset = offset_in_file(dataset);
            result.refusal = result.whole ? incomplete(dataset) : result.refusal;
            result.is = Hdf5Is::dataset;
        } catch (const Hdf5Refusal& refusal) {
            result.is = Hdf5Is::unreadable;
            result.refusal = refusal;
        }
    }

    std::vector<std::string> texts(const std::string& name) const {
        const Dataset dataset(open_object(name));
        const std::size_t count = dataset.shape.elements();
        const std::size_t bytes = product_of({count, H5Tget_size(dataset.type)});
        limit(static_cast<double>(bytes), 4 * static_cast<double>(bytes));
        std::vector<char> values(bytes);
        require_hdf5(H5Dread(dataset.handle, dataset.type, H5S_ALL, H5S_ALL, H5P_DEFAULT,
                             values.data()) >= 0);
        return texts_in(values, dataset.type, count);
    }

    /// Opens a dataset with a cache of chunks where one chunk holds values of several requests, so
    /// that it is decompressed once.
    const Dataset& open_numbers(const std::string& name, std::uint64_t indices) {
        if (numbers_ && name_of_numbers_ == name) {
            return *numbers_;
        }
        numbers_.emplace(open_object(name));
        name_of_numbers_ = name;
        if (numbers_->chunked() && indices < numbers_->chunk().front()) {
            const Hdf5Handle access(H5Pcreate(H5P_DATASET_ACCESS));
            constexpr std::size_t slots = 12421; // a prime, as HDF5 asks for
            H5Pset_chunk_cache(access, slots, most_kept_bytes, 1);
            numbers_.reset(); // HDF5 sets its size when it opens a dataset that is not open
            numbers_.emplace(Hdf5Handle(H5Dopen2(file_, name.c_str(), access)));
        }
        return *numbers_;
    }

    /// Sends the numbers in portions of whole chunks, so that each is decompressed once, along the
    /// first dimension that has several indices.
    void send_numbers(const Hdf5Request& request) {
        const hsize_t indices = request.stretches[1] - request.stretches[0];
        const Dataset& dataset = open_numbers(request.object, indices);
        const Hdf5Handle type = type_as_read(dataset.type, dataset.shape);
        const bool single = dataset.shape.extents.empty();
        std::vector<hsize_t> start(dataset.shape.extents.size(), 0);
        std::vector<std::size_t> count = dataset.shape.extents;
        if (!single) {
            start[0] = request.stretches[0];
            count[0] = indices;
        }
        std::size_t along = 0;
        while (along + 1 < count.size() && count[along] == 1) {
            ++along;
        }
        const std::size_t all = product_of({product_of(count), H5Tget_size(type)});
        const hsize_t end = single ? 1 : start[along] + count[along];
        const std::size_t row = single ? all : all / count[along];
        const hsize_t chunk = single ? 1 : dataset.chunk()[along];
        const hsize_t step = std::max<hsize_t>(part_bytes / row / chunk, 1) * chunk;
        std::vector<char> values(std::min(all, product_of({row, step})));
        // A chunk is held as it is stored and after each of its filters.
        limit(static_cast<double>(all),
              static_cast<double>(values.size()) + 4 * static_cast<double>(dataset.chunk_bytes()));
        for (hsize_t first = single ? 0 : start[along]; first < end; first += step) {
            const hsize_t now = std::min(step, end - first);
            if (!single) {
                start[along] = first;
                count[along] = now;
                H5Sselect_hyperslab(dataset.space, H5S_SELECT_SET, start.data(), nullptr,
                                    std::vector<hsize_t>(count.begin(), count.end()).data(),
                                    nullptr);
            }
            // The memory has the same shape as the file: HDF5 takes much longer to match selections
            // of different shapes.
            const Hdf5Handle memory = simple_space(count);
            require_hdf5(H5Dread(dataset.handle, type, memory, dataset.space, H5P_DEFAULT,
                                 values.data()) >= 0);
            send_part(parent_, values.data(), now * row);
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
                require_hdf5(read || count > 1);
                put_with_lists(rows, request, read, bytes);
                if (!read) {
                    at_once = 1; // up to the one that cannot be read
                    continue;
                }
                send_part(parent_, bytes);
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

/// Answers requests on a file until the parent goes away.
void serve_file(const Connection& parent, int file) {
    struct stat about {};
    ::fstat(file, &about);
    std::optional<Server> server;
    for (;;) {
        const Hdf5Request request = receive_request(parent);
        try {
            if (!server) {
                server.emplace(parent, file, static_cast<double>(about.st_size));
            }
            server->answer(request);
        } catch (const Hdf5Refusal& refusal) {
            send_part(parent, packed(refusal), true);
        } catch (const std::bad_alloc&) {
            send_part(parent, packed(no_memory("")), true);
        }
    }
}

/// Keeps nothing of the parent but its orders, and runs none of its handlers. Signals that end the
/// parent end this process by that, so that it does not seem to have crashed before.
void leave_the_parent_alone(int orders) {
#ifdef LSRECON_ON_LINUX
    ::prctl(PR_SET_NAME, "lsrecon-hdf5");
#endif
    ::dup2(orders, STDIN_FILENO);
    const int nothing = ::open("/dev/null", O_RDWR);
    ::dup2(nothing, STDOUT_FILENO);
#ifndef __SANITIZE_ADDRESS__ // whose reports matter
    ::dup2(nothing, STDERR_FILENO);
#endif
    platform::close_from(STDERR_FILENO + 1);
    const rlimit no_core{0, 0};
    ::setrlimit(RLIMIT_CORE, &no_core);
    for (int signal = 1; signal < NSIG; ++signal) {
        std::signal(signal, SIG_DFL);
    }
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) {
        std::signal(signal, SIG_IGN);
    }
    sigset_t none;
    sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

[[noreturn]] void be_child(pid_t forked_by, const Connection& parent, int file) {
    platform::end_with_parent();
    try {
        if (::getppid() == forked_by) { // else that has ended before the line above
            serve_file(parent, file);
        }
    } catch (const std::exception&) { // the parent goes away, or sees an end without an answer
    }
    ::_exit(0);
}

} // namespace

void serve_hdf5_files(int orders) {
    leave_the_parent_alone(orders);
    std::set<pid_t> children;
    try {
        const Connection parent(STDIN_FILENO);
        for (;;) {
            const auto [connection, file] = parent.receive_descriptors();
            const Connection to(connection);
            H5open(); // once: children have the library as it is here, which no file has touched
            const pid_t own = ::getpid();
            const pid_t child = ::fork();
            if (child == 0) {
                ::close(parent.descriptor());
                be_child(own, to, file);
            }
            ::close(file);
            if (child > 0) {
                children.insert(child);
            }
            for (pid_t ended = 0; (ended = ::waitpid(-1, nullptr, WNOHANG)) > 0;) {
                children.erase(ended);
            }
        }
    } catch (const std::exception&) { // the other end is closed
    }
    for (const pid_t child : children) {
        ::kill(child, SIGKILL);
    }
    while (::wait(nullptr) > 0) {
    }
    ::_exit(0);
}

} // namespace lsrecon

#ifdef LSRECON_HDF5_PROGRAM_ITSELF // the program that reads HDF5 for a process that has threads
int main() {
    lsrecon::serve_hdf5_files(STDIN_FILENO);
}
#endif
