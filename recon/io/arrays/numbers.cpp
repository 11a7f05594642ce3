// Numbers of arrays: their types, the bytes that they are read from, and their order.

#include <algorithm>
#include <array>
#include <cstring>

#include <zlib.h>

#include "base/error.hpp"
#include "io/arrays/formats.hpp"

namespace lsrecon {

namespace {

template <typename Stored> void convert(std::string& bytes, bool swapped, double* to) {
    for (std::size_t i = 0; i < bytes.size() / sizeof(Stored); ++i) {
        char* const at = bytes.data() + i * sizeof(Stored);
        if (swapped) {
            std::reverse(at, at + sizeof(Stored));
        }
        Stored value;
        std::memcpy(&value, at, sizeof value);
        to[i] = static_cast<double>(value);
    }
}

using Convert = void (*)(std::string& bytes, bool swapped, double* to);

/// The conversion of numbers of a type; null where there is none.
Convert conversion_of(char kind, std::size_t bytes) {
    struct Row {
        char kind;
        std::size_t bytes;
        Convert convert;
    };
    static const std::array<Row, 10> table{{{'f', 4, &convert<float>},
                                            {'f', 8, &convert<double>},
                                            {'i', 1, &convert<std::int8_t>},
                                            {'i', 2, &convert<std::int16_t>},
                                            {'i', 4, &convert<std::int32_t>},
                                            {'i', 8, &convert<std::int64_t>},
                                            {'u', 1, &convert<std::uint8_t>},
                                            {'u', 2, &convert<std::uint16_t>},
                                            {'u', 4, &convert<std::uint32_t>},
                                            {'u', 8, &convert<std::uint64_t>}}};
    for (const Row& row : table) {
        if (row.kind == kind && row.bytes == bytes) {
            return row.convert;
        }
    }
    return nullptr;
}

/// Whether floats hold the numbers exactly.
bool is_single(const NumberType& type) {
    return type.kind == 'f' ? type.bytes == 4 : type.kind == 'c' ? type.bytes == 8 : type.bytes < 4;
}

/// Calls take(bytes, count) with what a stream holds, a piece at a time, until that is false or
/// there is no more.
template <typename Take>
void inflate_all(const InputFile& file, const ByteSource& packed, bool raw, const Take& take) {
    constexpr std::size_t piece = 1 << 16;
    z_stream stream{};
    if (inflateInit2(&stream, raw ? -MAX_WBITS : MAX_WBITS) != Z_OK) {
        throw std::bad_alloc();
    }
    const std::shared_ptr<z_stream> closed(&stream, [](z_stream* opened) { inflateEnd(opened); });
    std::string in(piece, '\0');
    std::string out(piece, '\0');
    int state = Z_OK;
    bool wanted = true;
    for (std::size_t at = 0; wanted && state == Z_OK && at < packed.bytes;) {
        const std::size_t count = std::min(piece, packed.bytes - at);
        packed.read(in.data(), count, at);
        at += count;
        stream.next_in = reinterpret_cast<Bytef*>(in.data());
        stream.avail_in = static_cast<uInt>(count);
        do {
            stream.next_out = reinterpret_cast<Bytef*>(out.data());
            stream.avail_out = static_cast<uInt>(piece);
            state = inflate(&stream, Z_NO_FLUSH);
            wanted = take(out.data(), piece - stream.avail_out);
        } while (wanted && state == Z_OK && (stream.avail_in > 0 || stream.avail_out == 0));
        state = state == Z_BUF_ERROR ? Z_OK : state; // it waits for more
    }
    if (wanted && state != Z_STREAM_END) {
        throw InputError({file.path(), "compressed values",
                          state == Z_OK ? "an end before their own" : "damaged bytes",
                          "what zlib compressed", "copy the file again"});
    }
}

} // namespace

Hdf5Shape shape_of(const NumberType& type, const std::string& name,
                   const std::vector<std::size_t>& extents) {
    Hdf5Shape shape;
    shape.kind = type.kind == 'c' ? Hdf5Kind::complex : Hdf5Kind::real;
    shape.type_name = name;
    shape.number_bytes = is_single(type) ? sizeof(float) : sizeof(double);
    shape.extents = extents;
    return shape;
}

ByteSource bytes_of(const std::shared_ptr<InputFile>& file, std::size_t from, std::size_t count) {
    return {count, [file, from](void* to, std::size_t wanted, std::size_t at) {
                if (!read_all(file->descriptor(), to, wanted, from + at)) {
                    throw InputError({file->path(), "file", "it cannot be read to its end",
                                      "all of its values", "copy it again"});
                }
                file->require_unchanged();
            }};
}

std::size_t most_inflated(std::size_t packed) {
    constexpr std::size_t factor = 1032; // of deflate
    return factor * packed + 64;
}

ByteSource inflated(const std::shared_ptr<InputFile>& file, const ByteSource& packed,
                    std::size_t bytes, bool raw) {
    return {bytes, [file, packed, raw](void* to, std::size_t wanted, std::size_t from) {
                std::size_t passed = 0; // bytes before the piece
                std::size_t read = 0;
                inflate_all(*file, packed, raw, [&](const char* piece, std::size_t count) {
                    const std::size_t skip = std::min(count, from > passed ? from - passed : 0);
                    const std::size_t kept = std::min(count - skip, wanted - read);
                    std::copy_n(piece + skip, kept, static_cast<char*>(to) + read);
                    passed += count;
                    read += kept;
                    return read < wanted;
                });
                if (read < wanted) {
                    throw InputError({file->path(), "compressed values", text(passed, " bytes"),
                                      text(from + wanted, " bytes"), "copy the file again"});
                }
            }};
}

std::string inflated_begin(const std::shared_ptr<InputFile>& file, const ByteSource& packed,
                           std::size_t most, bool raw) {
    std::string begin;
    inflate_all(*file, packed, raw, [&](const char* piece, std::size_t count) {
        begin.append(piece, std::min(count, most - begin.size()));
        return begin.size() < most;
    });
    return begin;
}

CoilRows read_numbers(const ByteSource& source, std::size_t at, const NumberType& type,
                      std::size_t rows, std::size_t columns) {
    CoilRows values(rows, columns, is_single(type) ? Precision::float32 : Precision::float64);
    const bool is_complex = type.kind == 'c';
    const std::size_t part = is_complex ? type.bytes / 2 : type.bytes;
    values.visit([&](auto& matrix) {
        using Matrix = std::decay_t<decltype(matrix)>;
        if (is_complex && !type.swapped) {
            source.read(matrix.data(), rows * columns * type.bytes, at);
            return;
        }
        const Convert convert = conversion_of(is_complex ? 'f' : type.kind, part);
        auto* const parts = CoilRows::parts_of(matrix);
        std::string bytes(rows * columns * type.bytes, '\0');
        source.read(bytes.data(), bytes.size(), at);
        std::vector<double> numbers(bytes.size() / part);
        convert(bytes, type.swapped, numbers.data());
        for (std::size_t i = 0; i < numbers.size(); ++i) {
            using Real = typename Matrix::RealScalar;
            const auto number = static_cast<Real>(numbers[i]);
            if (is_complex) {
                parts[i] = number;
            } else {
                matrix.data()[i] = {number, 0};
            }
        }
    });
    return values;
}

StoredArray array_of_doubles(const std::string& file, const std::string& thing,
                             const std::shared_ptr<const std::vector<double>>& numbers,
                             std::size_t columns, const std::string& sha256,
                             const std::string& units) {
    StoredArray array;
    array.file = file;
    array.thing = thing;
    array.shape = shape_of({'f', 8}, "real", {numbers->size() / columns, columns});
    array.units = units;
    array.values = [numbers](std::size_t rows) {
        CoilRows values(rows, numbers->size() / rows, Precision::float64);
        std::copy(numbers->begin(), numbers->end(), values.doubles().data());
        return values;
    };
    array.sha256 = [sha256] { return sha256; };
    return array;
}

CoilRows in_order_of_c(const CoilRows& values, const std::vector<std::size_t>& extents,
                       std::size_t rows) {
    const std::size_t count = product_of(extents);
    CoilRows result(rows, count / rows, values.precision());
    std::vector<std::size_t> index(extents.size(), 0);
    std::vector<std::size_t> strides(extents.size(), 1);
    for (std::size_t d = 1; d < extents.size(); ++d) {
        strides[d] = strides[d - 1] * extents[d - 1];
    }
    result.visit([&](auto& to) {
        using Value = typename std::decay_t<decltype(to)>::Scalar;
        std::size_t from = 0;
        for (std::size_t i = 0; i < count; ++i) {
            to.data()[i] = static_cast<Value>(values(0, from));
            for (std::size_t d = extents.size(); d-- > 0;) {
                from += strides[d];
                if (++index[d] < extents[d]) {
                    break;
                }
                from -= strides[d] * extents[d];
                index[d] = 0;
            }
        }
    });
    return result;
}

} // namespace lsrecon
