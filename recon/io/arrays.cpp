// Opens bare arrays of HDF5, NumPy's .npy and BART's .cfl by a table of formats, and parses the
// header of .npy.

#include "io/arrays.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>

#include "base/error.hpp"
#include "base/input_file.hpp"
#include "base/named_files.hpp"
#include "io/hdf5/reader.hpp"
#include "io/image/cfl.hpp"

namespace lsrecon {

namespace {

/// What a number is in NumPy's words; of this machine's byte order.
struct NumpyType {
    std::string name;
    Hdf5Kind kind;
    std::uint64_t number_bytes;
};

const std::vector<NumpyType>& numpy_types() {
    static const std::vector<NumpyType> table{{"<f4", Hdf5Kind::real, 4},
                                              {"<f8", Hdf5Kind::real, 8},
                                              {"<c8", Hdf5Kind::complex, 4},
                                              {"<c16", Hdf5Kind::complex, 8}};
    return table;
}

const std::string numpy_magic = "\x93NUMPY";

bool recognises_npy(const std::string& path) {
    std::ifstream stream(path, std::ios::binary);
    std::string begin(numpy_magic.size(), '\0');
    return stream.read(begin.data(), static_cast<std::streamsize>(begin.size())) &&
           begin == numpy_magic;
}

[[noreturn]] void refuse_npy(const std::string& path, const std::string& thing,
                             const std::string& found, const std::string& expected,
                             const std::string& next) {
    throw InputError({path, thing, found, expected, next});
}

/// The header of NumPy's format, a dictionary of Python: the text after a key up to `end`.
std::string value_of(const std::string& path, const std::string& header, const std::string& key,
                     char begin, char end) {
    const std::size_t at = header.find("'" + key + "'");
    const std::size_t from = at == std::string::npos ? at : header.find(begin, at + key.size() + 2);
    const std::size_t to = from == std::string::npos ? from : header.find(end, from + 1);
    if (to == std::string::npos) {
        refuse_npy(path, "header", "no " + key, "the header that numpy.save writes",
                   "write the file again with numpy.save");
    }
    return header.substr(from + 1, to - from - 1);
}

std::vector<std::size_t> extents_of(const std::string& path, const std::string& shape) {
    std::vector<std::size_t> extents;
    std::size_t at = 0;
    while ((at = shape.find_first_of("0123456789", at)) != std::string::npos) {
        std::size_t end = std::min(shape.find_first_not_of("0123456789", at), shape.size());
        const bool fits = end - at < 19; // digits of the largest number
        extents.push_back(fits ? std::stoull(shape.substr(at, end - at)) : 0);
        if (extents.back() == 0) {
            refuse_npy(path, "shape", "(" + shape.substr(0, 100) + ")", "numbers above 0",
                       "write the array again");
        }
        at = end;
    }
    return extents;
}

/// The text of the header, and where the values begin.
std::pair<std::string, std::size_t> header_of(const InputFile& file) {
    std::array<unsigned char, 12> begin{};
    const std::size_t known = std::min(begin.size(), file.bytes());
    const bool is_read = read_all(file.descriptor(), begin.data(), known, 0);
    const bool is_first = begin[6] == 1; // version 1 has two bytes for the length, later ones four
    const std::size_t at = is_first ? 10 : 12;
    std::size_t length = 0;
    for (std::size_t i = at; i-- > 8;) {
        length = 256 * length + begin[i];
    }
    std::string header(std::min(length, file.bytes() - std::min(at, file.bytes())), ' ');
    if (!is_read || header.size() < length ||
        !read_all(file.descriptor(), header.data(), header.size(), at)) {
        refuse_npy(file.path(), "file", "an incomplete header", "a whole file of numpy.save",
                   "copy it again");
    }
    return {header, at + length};
}

Hdf5Shape shape_of(const std::string& path, const std::string& header) {
    const std::string type = value_of(path, header, "descr", '\'', '\'');
    const auto& types = numpy_types();
    const auto row = std::find_if(types.begin(), types.end(),
                                  [&](const NumpyType& known) { return known.name == type; });
    if (row == types.end()) {
        refuse_npy(path, "type of the numbers", type.substr(0, 100),
                   "float32, float64, complex64 or complex128 in the byte order of this machine",
                   "save a.astype('complex64'), or 'float64' for real numbers");
    }
    Hdf5Shape shape;
    shape.kind = row->kind;
    shape.type_name = row->name.substr(1);
    shape.number_bytes = row->number_bytes;
    shape.extents = extents_of(path, value_of(path, header, "shape", '(', ')'));
    const bool column_major =
        value_of(path, header, "fortran_order", ':', ',').find("True") != std::string::npos;
    if (column_major && shape.extents.size() > 1) {
        refuse_npy(path, "order", "Fortran's, the first index fastest",
                   "C's, the last index fastest", "save numpy.ascontiguousarray(a)");
    }
    return shape;
}

StoredArray open_npy(const std::string& path, const std::string&) {
    const auto file = std::make_shared<InputFile>(path);
    file->start_hash();
    const auto [header, begin] = header_of(*file);
    StoredArray array;
    array.file = path;
    array.thing = "values";
    array.shape = shape_of(path, header);
    const std::size_t elements = product_of(array.shape.extents);
    const std::size_t bytes = file->bytes() - begin;
    if (bytes / array.shape.value_bytes() != elements || bytes % array.shape.value_bytes() != 0) {
        refuse_npy(path, "file", text(bytes, " bytes of values"),
                   text(elements, " values of ", array.shape.value_bytes(), " bytes"),
                   "copy it again");
    }
    const auto read = [file, begin = begin, bytes](void* to) {
        if (!read_all(file->descriptor(), to, bytes, begin)) {
            refuse_npy(file->path(), "file", "it cannot be read to its end", "all of its values",
                       "copy it again");
        }
        file->require_unchanged();
    };
    array.values = [shape = array.shape, elements, read](std::size_t rows) {
        const bool single = shape.number_bytes == sizeof(float);
        const std::size_t columns = elements / rows;
        CoilRows values(rows, columns, single ? Precision::float32 : Precision::float64);
        values.visit([&](auto& matrix) {
            using Matrix = std::decay_t<decltype(matrix)>;
            if (shape.kind == Hdf5Kind::complex) {
                read(matrix.data());
            } else {
                Eigen::Matrix<typename Matrix::RealScalar, Eigen::Dynamic, Eigen::Dynamic,
                              Eigen::RowMajor>
                    parts(matrix.rows(), matrix.cols());
                read(parts.data());
                matrix = parts.template cast<typename Matrix::Scalar>();
            }
        });
        return values;
    };
    array.sha256 = [file] { return file->sha256(); };
    return array;
}

StoredArray open_hdf5_array(const std::string& path, const std::string& dataset) {
    const auto file = std::make_shared<const Hdf5Reader>(path);
    file->start_hash();
    StoredArray array;
    array.file = path;
    array.thing = "/" + dataset;
    if (!file->is_dataset(dataset)) {
        throw InputError({path, array.thing, "no such dataset",
                          "an HDF5 file with " + array.thing + ", NumPy's .npy, or BART's pair",
                          "name a file that has it"});
    }
    const Hdf5Kind kind = file->shape(dataset).kind;
    array.shape = file->checked_shape(dataset, kind == Hdf5Kind::complex ? Hdf5Kind::complex
                                                                         : Hdf5Kind::real);
    array.values = [file, dataset, shape = array.shape](std::size_t rows) {
        const std::size_t columns = shape.elements() / rows;
        if (shape.kind == Hdf5Kind::complex) {
            return Hdf5Values(*file, dataset).read_rows(rows, columns);
        }
        CoilRows values(rows, columns, Precision::float64);
        const std::vector<double> parts = file->read_real(dataset);
        std::copy(parts.begin(), parts.end(), values.doubles().data());
        return values;
    };
    array.sha256 = [file] { return file->sha256(); };
    array.hdf5 = file;
    return array;
}

/// One way in which an array can be stored.
struct ArrayFormat {
    std::string name;
    bool (*recognises)(const std::string& path);
    StoredArray (*open)(const std::string& path, const std::string& dataset);
};

const std::vector<ArrayFormat>& bare_formats() {
    static const std::vector<ArrayFormat> table{{"npy", &recognises_npy, &open_npy},
                                                {"cfl", &recognises_cfl, &open_cfl_array}};
    return table;
}

const ArrayFormat* bare_format_of(const std::string& path) {
    require_no_pipes(path);
    for (const ArrayFormat& format : bare_formats()) {
        if (format.recognises(path)) {
            return &format;
        }
    }
    return nullptr;
}

} // namespace

bool recognises_bare_array(const std::string& path) {
    return bare_format_of(path) != nullptr;
}

StoredArray open_array(const std::string& path, const std::string& dataset) {
    const ArrayFormat* const bare = bare_format_of(path);
    return bare != nullptr ? bare->open(path, dataset) : open_hdf5_array(path, dataset);
}

std::vector<double> real_values(const StoredArray& array) {
    const CoilRows values = array.values(1);
    std::vector<double> parts(values.columns());
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const Complex value = values(0, i);
        if (!std::isfinite(value.real()) || value.imag() != 0) {
            throw InputError({array.file, array.thing,
                              text(value.real(), " + ", value.imag(), " i at [", i, "]"),
                              "finite real numbers", "correct the value"});
        }
        parts[i] = value.real();
    }
    return parts;
}

} // namespace lsrecon
