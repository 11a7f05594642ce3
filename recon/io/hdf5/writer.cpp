// Writes datasets, attributes and tables by HDF5 to a temporary file, one thread at a time, and the
// values of frames as they come.

#include "io/hdf5/writer.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/error.hpp"
#include "base/output_file.hpp"
#include "io/hdf5/types.hpp"
#include "io/image/file.hpp"

namespace lsrecon {

namespace {

template <typename Number> void round_to(char* to, const ComplexVector& values) {
    for (const Complex& value : values) {
        const std::complex<Number> rounded(value);
        std::memcpy(to, &rounded, sizeof(rounded));
        to += sizeof(rounded);
    }
}

[[noreturn]] void fail(const std::string& name, const std::string& what) {
    throw InputError({name, what, "HDF5 refuses to hold it", "enough memory for the whole file",
                      "use a machine with more memory"});
}

Hdf5Handle file_in_memory() {
    constexpr std::size_t growth = 1 << 20;
    Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS));
    H5Pset_fapl_core(access, growth, 0);
    return access;
}

/// Opens the file by stdio: HDF5's usual driver asks for the name of a file, which a temporary one
/// lacks. Without HDF5's lock, because no other process knows the file.
Hdf5Handle file_on_disk() {
    Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS));
    H5Pset_fapl_stdio(access);
    H5Pset_file_locking(access, false, true);
    return access;
}

/// Throws where the file system refuses. Some refuse only when it is all sent.
class OutputFile {
public:
    OutputFile(const std::string& path, const std::string& name)
        : name_(name), file_(::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666)) {
        require(file_ >= 0);
    }
    ~OutputFile() { ::close(file_); }
    OutputFile(const OutputFile&) = delete;
    OutputFile& operator=(const OutputFile&) = delete;

    void write(const void* bytes, std::size_t size, std::uint64_t at) {
        require(write_all(file_, bytes, size, at));
    }

    /// Checks that this many bytes can be written now.
    void probe(std::uint64_t bytes) {
        const std::vector<char> zeros(1 << 16);
        for (std::uint64_t at = 0; at < bytes; at += zeros.size()) {
            write(zeros.data(), zeros.size(), at);
        }
        sync();
    }

    void sync() { require(::fsync(file_) == 0); }

private:
    void require(bool succeeded) const {
        if (!succeeded) {
            fail_to_write(name_, errno);
        }
    }

    std::string name_;
    int file_;
};

void require(herr_t result, const std::string& file, const std::string& what) {
    if (result < 0) {
        fail(file, what);
    }
}

Hdf5Handle made_dataset(hid_t file, const std::string& name, const std::string& dataset, hid_t type,
                        const std::vector<std::size_t>& extents, hid_t properties = H5P_DEFAULT) {
    Hdf5Handle handle(H5Dcreate2(file, dataset.c_str(), type, simple_space(extents), H5P_DEFAULT,
                                 properties, H5P_DEFAULT));
    if (handle < 0) {
        fail(name, full_name(dataset));
    }
    return handle;
}

void write_dataset(hid_t file, const std::string& name, const std::string& dataset,
                   const std::vector<std::size_t>& extents, hid_t stored, hid_t in_memory,
                   const void* values) {
    const Hdf5Handle handle = made_dataset(file, name, dataset, stored, extents);
    require(H5Dwrite(handle, in_memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, values), name,
            full_name(dataset));
}

void write_attribute(hid_t file, const std::string& file_name, const std::string& object,
                     const std::string& name, const std::vector<std::size_t>& extents, hid_t type,
                     const void* values) {
    const Hdf5Handle handle(H5Acreate_by_name(file, object.c_str(), name.c_str(), type,
                                              simple_space(extents), H5P_DEFAULT, H5P_DEFAULT,
                                              H5P_DEFAULT));
    if (handle < 0) {
        fail(file_name, attribute_name(object, name));
    }
    require(H5Awrite(handle, type, values), file_name, attribute_name(object, name));
}

Hdf5Handle element_type(Hdf5Element element) {
    switch (element) {
    case Hdf5Element::complex64:
        return complex_type(H5T_IEEE_F32LE);
    case Hdf5Element::complex128:
        return complex_type(H5T_IEEE_F64LE);
    case Hdf5Element::ismrmrd_complex64:
        return complex_type(H5T_IEEE_F32LE, "real", "imag");
    case Hdf5Element::sha256:
        return text_type(64); // hexadecimal digits
    case Hdf5Element::float64:
        return Hdf5Handle(H5Tcopy(H5T_IEEE_F64LE));
    case Hdf5Element::float32:
        break;
    }
    return Hdf5Handle(H5Tcopy(H5T_IEEE_F32LE));
}

/// The lock that lets one thread use HDF5, which may not be built for threads. Recursive, since
/// that thread may have several writers.
std::recursive_mutex& one_writer() {
    static std::recursive_mutex mutex;
    return mutex;
}

std::vector<const char*> pointers_to(const std::vector<std::string>& values) {
    std::vector<const char*> pointers;
    for (const std::string& value : values) {
        pointers.push_back(value.c_str());
    }
    return pointers;
}

} // namespace

void FileValues::put(std::size_t first, const ComplexVector& values) {
    largest_.add(values);
    require_in_range(largest_.value(), precision_);
    const std::size_t each = 2 * bytes_of(precision_);
    bytes_.resize(count_ * each);
    char* const to = bytes_.data() + first * each;
    precision_ == Precision::float64 ? round_to<double>(to, values) : round_to<float>(to, values);
}

Hdf5Writer::Hdf5Writer(const std::string& path, const std::string& name, std::uint64_t room)
    : alone_(one_writer()), path_(path), name_(name), room_(room) {
    silence_hdf5();
    if (room_ > 0) {
        OutputFile(path_, name_).probe(room_);
    }
    const Hdf5Handle access = room_ > 0 ? file_on_disk() : file_in_memory();
    file_ =
        std::make_unique<Hdf5Handle>(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access));
    if (*file_ < 0) {
        fail(name_, "file");
    }
}

Hdf5Writer::~Hdf5Writer() = default;

void Hdf5Writer::group(const std::string& name) {
    const Hdf5Handle handle(
        H5Gcreate2(*file_, name.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    require(handle < 0 ? -1 : 0, name_, full_name(name));
}

void Hdf5Writer::complex64(const std::string& dataset, const std::vector<std::size_t>& extents,
                           const Complex* values) {
    write_dataset(*file_, name_, dataset, extents, complex_type(H5T_IEEE_F32LE),
                  complex_type(H5T_NATIVE_DOUBLE), values);
}

void Hdf5Writer::rows(const std::string& dataset, const std::vector<std::size_t>& extents,
                      const std::vector<const CoilRows*>& parts, Precision stored) {
    const bool doubles = stored == Precision::float64;
    const auto give = [](const auto& values, const TakeBytes& take) {
        take(values.data(), sizeof values(0, 0) * static_cast<std::size_t>(values.size()));
    };
    const PartValues values = [parts, doubles, give](std::size_t part, const TakeBytes& take) {
        parts[part]->visit([&](const auto& of_part) {
            for (const auto& row : of_part.rowwise()) {
                doubles ? give(CoilMatrix(row.template cast<Complex>()), take)
                        : give(CoilRows::Floats(row.template cast<std::complex<float>>()), take);
            }
        });
    };
    if (room_ > 0) {
        const Hdf5Element element = doubles ? Hdf5Element::complex128 : Hdf5Element::complex64;
        return later(dataset, extents, element, parts.size(), values);
    }
    FileBytes all;
    for (std::size_t part = 0; part < parts.size(); ++part) {
        values(part, [&](const void* bytes, std::size_t size) {
            all.insert(all.end(), static_cast<const char*>(bytes),
                       static_cast<const char*>(bytes) + size);
        });
    }
    const auto in_file = complex_type(doubles ? H5T_IEEE_F64LE : H5T_IEEE_F32LE);
    const auto in_memory = complex_type(doubles ? H5T_NATIVE_DOUBLE : H5T_NATIVE_FLOAT);
    write_dataset(*file_, name_, dataset, extents, in_file, in_memory, all.data());
}

void Hdf5Writer::real(const std::string& dataset, const std::vector<std::size_t>& extents,
                      const double* values, Precision stored) {
    write_dataset(*file_, name_, dataset, extents,
                  stored == Precision::float32 ? H5T_IEEE_F32LE : H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE,
                  values);
}

// Texts of fixed length: those of variable length would be all over the file.
void Hdf5Writer::texts(const std::string& dataset, const std::vector<std::size_t>& extents,
                       const std::vector<std::string>& values) {
    std::size_t longest = 1;
    for (const std::string& value : values) {
        longest = std::max(longest, value.size());
    }
    std::string padded;
    for (const std::string& value : values) {
        padded += value + std::string(longest - value.size(), '\0');
    }
    const Hdf5Handle type = text_type(longest);
    write_dataset(*file_, name_, dataset, extents, type, type, padded.data());
}

void Hdf5Writer::attribute(const std::string& object, const std::string& name,
                           const std::string& value) {
    const char* const pointer = value.c_str();
    write_attribute(*file_, name_, object, name, {}, text_type(), &pointer);
}

void Hdf5Writer::attribute(const std::string& object, const std::string& name,
                           const std::vector<std::string>& values) {
    const std::vector<const char*> pointers = pointers_to(values);
    write_attribute(*file_, name_, object, name, {values.size()}, text_type(), pointers.data());
}

void Hdf5Writer::attribute(const std::string& object, const std::string& name,
                           const std::vector<double>& values) {
    write_attribute(*file_, name_, object, name, {values.size()}, H5T_NATIVE_DOUBLE, values.data());
}

void Hdf5Writer::attribute(const std::string& object, const std::string& name,
                           const std::vector<long>& values) {
    write_attribute(*file_, name_, object, name, {values.size()}, H5T_NATIVE_LONG, values.data());
}

void Hdf5Writer::attribute(const std::string& object, const std::string& name, long value) {
    write_attribute(*file_, name_, object, name, {}, H5T_NATIVE_LONG, &value);
}

void Hdf5Writer::later(const std::string& dataset, const std::vector<std::size_t>& extents,
                       Hdf5Element element, std::size_t parts, const PartValues& values) {
    const Hdf5Handle stored = element_type(element);
    const std::size_t bytes = product_of(extents) * H5Tget_size(stored);
    std::uint64_t size = room_ + bytes;
    for (const Later& before : later_) {
        size += before.bytes;
    }
    rlimit limit{};
    if (::getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur < size) {
        fail_to_write(name_, EFBIG); // HDF5 must not meet it
    }
    const Hdf5Handle layout(H5Pcreate(H5P_DATASET_CREATE));
    H5Pset_alloc_time(layout, H5D_ALLOC_TIME_EARLY);
    H5Pset_fill_time(layout, H5D_FILL_TIME_NEVER);
    const Hdf5Handle handle = made_dataset(*file_, name_, dataset, stored, extents, layout);
    const haddr_t at = H5Dget_offset(handle);
    require(at == HADDR_UNDEF ? -1 : 0, name_, full_name(dataset));
    later_.push_back({at, bytes, parts, values});
}

void Hdf5Writer::variable_texts(const std::string& dataset,
                                const std::vector<std::string>& values) {
    const Hdf5Handle type = text_type();
    H5Tset_cset(type, H5T_CSET_ASCII); // libismrmrd reads no other
    write_dataset(*file_, name_, dataset, {values.size()}, type, type, pointers_to(values).data());
}

// The file has the fields one after the other, without the padding of ours: some readers take the
// bytes as they are.
void Hdf5Writer::table(const std::string& dataset, const std::vector<Hdf5Field>& fields,
                       std::size_t rows, std::size_t row_bytes, const RowsFrom& rows_from) {
    constexpr std::size_t at_once = 256; // beside the file they are in memory, too
    const Hdf5Handle type = row_type(fields, row_bytes);
    const Hdf5Handle stored(H5Tcopy(type));
    H5Tpack(stored);
    const Hdf5Handle handle = made_dataset(*file_, name_, dataset, stored, {rows});
    const Hdf5Handle space = simple_space({rows});
    for (hsize_t first = 0; first < rows; first += at_once) {
        const hsize_t count = std::min<hsize_t>(at_once, rows - first);
        H5Sselect_hyperslab(space, H5S_SELECT_SET, &first, nullptr, &count, nullptr);
        require(H5Dwrite(handle, type, simple_space({count}), space, H5P_DEFAULT,
                         rows_from(first, count)),
                name_, full_name(dataset));
    }
}

void Hdf5Writer::close() {
    require(H5Fflush(*file_, H5F_SCOPE_GLOBAL), name_, "file");
    if (room_ > 0) {
        file_.reset();
        alone_.unlock();
        return write_later_values();
    }
    // The handle is the address of the bytes; the memory itself grows in steps.
    void* handle = nullptr;
    require(H5Fget_vfd_handle(*file_, H5P_DEFAULT, &handle), name_, "file");
    const ssize_t size = H5Fget_file_image(*file_, nullptr, 0);
    require(size > 0 ? 0 : -1, name_, "file");
    OutputFile output(path_, name_);
    output.write(*static_cast<void**>(handle), static_cast<std::size_t>(size), 0);
}

void Hdf5Writer::write_later_values() {
    OutputFile output(path_, name_);
    for (const Later& later : later_) {
        std::uint64_t at = later.at;
        for (std::size_t part = 0; part < later.parts; ++part) {
            later.values(part, [&](const void* bytes, std::size_t size) {
                output.write(bytes, size, at);
                at += size;
            });
        }
        const std::uint64_t end = later.at + later.bytes;
        if (at != end) {
            throw Error(ExitCode::bug, text(name_, ": values that end at ", at, ", not at ", end));
        }
    }
}

} // namespace lsrecon
