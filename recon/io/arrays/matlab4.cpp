// Arrays of MATLAB's files of version 4, as save -v4 writes them: a head of 20 bytes, a name and
// columns of numbers, one matrix after the other. The layout is that of "MAT-File Format",
// MathWorks.

#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>
#include <optional>

#include "base/error.hpp"
#include "base/escaped.hpp"
#include "io/arrays/formats.hpp"

namespace lsrecon {

namespace {

/// The numbers that a matrix may have, by the third digit of its type.
constexpr std::array<NumberType, 6> numbers_of_version_4{
    {{'f', 8}, {'f', 4}, {'i', 4}, {'i', 2}, {'u', 2}, {'u', 1}}};

struct OldMatrix {
    std::string name;
    NumberType type;
    std::size_t rows = 0, columns = 0;
    bool is_complex = false;
    bool is_full = false; ///< neither text nor sparse
    std::size_t from = 0; ///< of its numbers
    std::size_t next = 0;

    std::size_t part() const { return rows * columns * type.bytes; }
};

/// The matrix that begins there; null where none does.
std::optional<OldMatrix> old_matrix_at(const ByteSource& source, std::size_t at) {
    constexpr std::size_t head_bytes = 20;
    constexpr std::uint32_t longest_name = 64;
    constexpr std::uint32_t longest_side = 1U << 31;
    std::array<std::uint32_t, head_bytes / 4> head{};
    if (at + head_bytes > source.bytes) {
        return std::nullopt;
    }
    source.read(head.data(), head_bytes, at);
    const bool swapped = head[0] > 9999; // its four digits, in the other order of bytes
    for (std::uint32_t& word : head) {
        auto* const bytes = reinterpret_cast<char*>(&word);
        std::reverse(bytes, bytes + (swapped ? sizeof word : 0));
    }
    const auto [type, rows, columns, has_imaginary, name_bytes] = head;
    const std::uint32_t numbers = type / 10 % 10;
    const std::uint32_t kind = type % 10; // full, text, sparse
    const bool is_known = type / 1000 == (swapped ? 1 : 0) && type / 100 % 10 == 0 &&
                          numbers < numbers_of_version_4.size() && kind <= 2 &&
                          rows < longest_side && columns < longest_side && has_imaginary <= 1 &&
                          name_bytes >= 2 && name_bytes <= longest_name;
    if (!is_known || at + head_bytes + name_bytes > source.bytes) {
        return std::nullopt;
    }
    OldMatrix matrix;
    matrix.name.resize(name_bytes);
    source.read(matrix.name.data(), name_bytes, at + head_bytes);
    matrix.name.resize(std::strlen(matrix.name.c_str()));
    matrix.type = numbers_of_version_4[numbers];
    matrix.type.swapped = swapped;
    matrix.rows = rows;
    matrix.columns = columns;
    matrix.is_complex = has_imaginary == 1;
    matrix.is_full = kind == 0;
    matrix.from = at + head_bytes + name_bytes;
    const bool is_name = !matrix.name.empty() && matrix.name.size() + 1 == name_bytes &&
                         printable(matrix.name) == matrix.name;
    const std::size_t room = (source.bytes - matrix.from) / (matrix.is_complex ? 2 : 1);
    if (!is_name || (columns > 0 && rows > room / matrix.type.bytes / columns)) {
        return std::nullopt;
    }
    matrix.next = matrix.from + matrix.part() * (matrix.is_complex ? 2 : 1);
    return matrix;
}

StoredArray array_of(const std::string& file, const ByteSource& source, const OldMatrix& matrix) {
    StoredArray array;
    array.file = file;
    array.name = matrix.name;
    array.thing = matrix.name;
    array.first_is_fastest = true;
    const bool is_single = matrix.type.bytes < 8 && matrix.type.kind != 'i';
    array.shape =
        shape_of({matrix.is_complex ? 'c' : 'f',
                  (is_single ? sizeof(float) : sizeof(double)) * (matrix.is_complex ? 2 : 1)},
                 matrix.is_complex ? "complex" : "real", {matrix.columns, matrix.rows});
    array.values = [source, matrix](std::size_t rows) {
        const std::size_t columns = matrix.rows * matrix.columns / rows;
        CoilRows real = read_numbers(source, matrix.from, matrix.type, rows, columns);
        if (!matrix.is_complex) {
            return real;
        }
        const CoilMatrix imaginary =
            read_numbers(source, matrix.from + matrix.part(), matrix.type, rows, columns)
                .to_doubles();
        real.visit([&](auto& values) {
            using Value = typename std::decay_t<decltype(values)>::Scalar;
            values += (Complex(0, 1) * imaginary).template cast<Value>();
        });
        return real;
    };
    return array;
}

} // namespace

bool recognises_matlab_4(const std::string& path) {
    std::ifstream stream(path, std::ios::binary | std::ios::ate);
    const std::streamoff bytes = stream ? std::streamoff(stream.tellg()) : 0;
    const auto read = [&](void* to, std::size_t count, std::size_t at) {
        stream.seekg(static_cast<std::streamoff>(at));
        stream.read(static_cast<char*>(to), static_cast<std::streamsize>(count));
    };
    return bytes > 0 && old_matrix_at({static_cast<std::size_t>(bytes), read}, 0).has_value();
}

std::vector<StoredArray> open_matlab_4(const std::string& path) {
    const auto file = std::make_shared<InputFile>(path);
    file->start_hash();
    const ByteSource source = bytes_of(file, 0, file->bytes());
    std::vector<StoredArray> arrays;
    for (std::size_t at = 0; at < source.bytes;) {
        const std::optional<OldMatrix> matrix = old_matrix_at(source, at);
        if (!matrix || (matrix->next == at)) {
            throw InputError({path, text("byte ", at), "no matrix of MATLAB's version 4",
                              "one matrix after the other, whole",
                              "copy the file again, or save it again with -v7"});
        }
        at = matrix->next;
        if (matrix->is_full && matrix->part() > 0) {
            arrays.push_back(array_of(path, source, *matrix));
            arrays.back().sha256 = [file] { return file->sha256(); };
        }
    }
    if (arrays.empty()) {
        throw InputError({path, "file", "no full matrix of numbers", "one, at least",
                          "save it with the arrays of the scan"});
    }
    return arrays;
}

} // namespace lsrecon
