// Arrays of MATLAB's files of versions 5 to 7: elements with a tag each, some of them compressed.
// The layout is that of "MAT-File Format", MathWorks.

#include <algorithm>
#include <cstring>
#include <fstream>
#include <map>
#include <optional>

#include "base/error.hpp"
#include "base/escaped.hpp"
#include "io/arrays/formats.hpp"

namespace lsrecon {

namespace {

constexpr std::size_t head_bytes = 128;
constexpr std::size_t tag_bytes = 8;
constexpr unsigned type_matrix = 14;
constexpr unsigned type_compressed = 15;

[[noreturn]] void refuse_matlab(const std::string& path, const std::string& thing,
                                const std::string& found) {
    throw InputError({path, thing, found, "a whole file of MATLAB's save, version 5 to 7.3",
                      "copy it again, or save it again with -v7"});
}

/// The numbers of an element's type; null where it holds none.
std::optional<NumberType> numbers_of(unsigned type) {
    static const std::map<unsigned, NumberType> types{
        {1, {'i', 1}}, {2, {'u', 1}}, {3, {'i', 2}}, {4, {'u', 2}},  {5, {'i', 4}},
        {6, {'u', 4}}, {7, {'f', 4}}, {9, {'f', 8}}, {12, {'i', 8}}, {13, {'u', 8}}};
    const auto found = types.find(type);
    return found == types.end() ? std::nullopt : std::optional(found->second);
}

/// What the class of an array makes of its numbers: single precision where they fit.
bool is_class_of_numbers(unsigned kind) {
    constexpr unsigned first = 6; // double
    constexpr unsigned last = 15; // uint64
    return kind >= first && kind <= last;
}

struct MatlabElement {
    unsigned type = 0;
    std::size_t from = 0; ///< of its content
    std::size_t bytes = 0;
    std::size_t next = 0;
};

/// MatlabElements of a file, or of what one of them holds compressed.
class MatlabElements {
public:
    MatlabElements(std::string file, ByteSource source, bool swapped)
        : file_(std::move(file)), source_(std::move(source)), swapped_(swapped) {}

    std::size_t bytes() const { return source_.bytes; }
    const ByteSource& source() const { return source_; }
    bool swapped() const { return swapped_; }

    std::uint32_t word(std::size_t at) const {
        std::uint32_t value = 0;
        if (at + sizeof value > source_.bytes) {
            refuse_matlab(file_, "an element",
                          text("it begins at byte ", at, " of ", source_.bytes));
        }
        source_.read(&value, sizeof value, at);
        auto* const bytes = reinterpret_cast<char*>(&value);
        if (swapped_) {
            std::reverse(bytes, bytes + sizeof value);
        }
        return value;
    }

    MatlabElement at(std::size_t at) const {
        const std::uint32_t first = word(at);
        MatlabElement element;
        const std::size_t small = first >> 16; // up to 4 bytes stand in the tag
        element.type = small > 0 ? first & 0xffff : first;
        element.bytes = small > 0 ? small : word(at + 4);
        element.from = small > 0 ? at + 4 : at + tag_bytes;
        const bool fits = element.from <= source_.bytes &&
                          element.bytes <= source_.bytes - element.from && small <= 4;
        if (!fits) {
            refuse_matlab(
                file_, "an element",
                text(element.bytes, " bytes from byte ", element.from, " of ", source_.bytes));
        }
        const bool padded = element.type != type_compressed;
        element.next = small > 0
                           ? at + tag_bytes
                           : element.from + (padded ? (element.bytes + 7) / 8 * 8 : element.bytes);
        return element;
    }

    std::vector<double> numbers(const MatlabElement& element) const {
        NumberType type = numbers_of(element.type).value_or(NumberType{'u', 1});
        type.swapped = swapped_;
        const std::size_t count = element.bytes / type.bytes;
        const CoilRows values = read_numbers(source_, element.from, type, 1, count);
        std::vector<double> result;
        for (std::size_t i = 0; i < count; ++i) {
            result.push_back(values(0, i).real());
        }
        return result;
    }

    std::string text_of(const MatlabElement& element) const {
        std::string name(element.bytes, '\0');
        source_.read(name.data(), name.size(), element.from);
        return name;
    }

private:
    std::string file_;
    ByteSource source_;
    bool swapped_;
};

CoilRows values_of_parts(const MatlabElements& elements, std::size_t at, bool is_complex,
                         bool is_single, std::size_t count, std::size_t rows) {
    const auto part = [&](std::size_t from, std::size_t& next) {
        const MatlabElement element = elements.at(from);
        NumberType type = *numbers_of(element.type);
        type.swapped = elements.swapped();
        next = element.next;
        return read_numbers(elements.source(), element.from, type, rows, count / rows);
    };
    std::size_t next = 0;
    const CoilRows real = part(at, next);
    const CoilRows imaginary = is_complex ? part(next, next) : CoilRows();
    CoilRows values(rows, count / rows, is_single ? Precision::float32 : Precision::float64);
    values.visit([&](auto& matrix) {
        using Value = typename std::decay_t<decltype(matrix)>::Scalar;
        for (Eigen::Index r = 0; r < matrix.rows(); ++r) {
            for (Eigen::Index i = 0; i < matrix.cols(); ++i) {
                matrix(r, i) = static_cast<Value>(
                    Complex(real(r, i).real(), is_complex ? imaginary(r, i).real() : 0));
            }
        }
    });
    return values;
}

/// The array of a matrix whose content begins at `from`; null for what is none of numbers.
std::optional<StoredArray> array_of(const std::string& file, const MatlabElements& elements,
                                    std::size_t from) {
    const MatlabElement flags = elements.at(from);
    const std::uint32_t word = elements.word(flags.from);
    const unsigned kind = word & 0xff;
    const bool is_complex = (word & 0x800) != 0;
    const MatlabElement sizes = elements.at(flags.next);
    const MatlabElement named = elements.at(sizes.next);
    constexpr std::size_t longest = 4096;
    if (!is_class_of_numbers(kind)) {
        return std::nullopt;
    }
    StoredArray array;
    array.file = file;
    array.name = elements.text_of({named.type, named.from, std::min(named.bytes, longest), 0});
    array.thing = printable(array.name);
    array.first_is_fastest = true;
    std::vector<std::size_t> extents;
    for (const double size : elements.numbers(sizes)) {
        extents.insert(extents.begin(),
                       size > 0 && size < 1e15 ? static_cast<std::size_t>(size) : 0);
    }
    const std::size_t count = product_of(extents);
    if (count == 0) {
        return std::nullopt;
    }
    const bool is_single = kind >= 7 && kind <= 11; // single, and whole numbers of 16 bits at most
    array.shape =
        shape_of({is_complex ? 'c' : 'f', std::size_t(is_complex ? 16 : 8) / (is_single ? 2 : 1)},
                 is_complex ? "complex" : "real", extents);
    array.values = [file, name = array.thing, elements, at = named.next, is_complex, is_single,
                    count](std::size_t rows) {
        std::size_t next = at;
        for (int part = 0; part < (is_complex ? 2 : 1); ++part) {
            const MatlabElement element = elements.at(next);
            const auto type = numbers_of(element.type);
            if (!type || element.bytes / type->bytes != count) {
                refuse_matlab(file, name,
                              text(element.bytes, " bytes of numbers of type ", element.type,
                                   " for ", count, " values"));
            }
            next = element.next;
        }
        return values_of_parts(elements, at, is_complex, is_single, count, rows);
    };
    return array;
}

/// What an element holds compressed: the head is kept, and the rest inflated when it is asked for.
MatlabElements inflated_element(const std::shared_ptr<InputFile>& file,
                                const MatlabElement& element, bool swapped) {
    const ByteSource packed = bytes_of(file, element.from, element.bytes);
    const ByteSource tag = inflated(file, packed, tag_bytes, false);
    const std::size_t bytes = tag_bytes + MatlabElements(file->path(), tag, swapped).word(4);
    if (bytes > most_inflated(element.bytes)) {
        refuse_matlab(file->path(), "a compressed element",
                      text(element.bytes, " bytes for an array of ", bytes));
    }
    constexpr std::size_t head = 8192;
    const auto begin = std::make_shared<const std::string>(
        inflated_begin(file, packed, std::min(bytes, head), false));
    const ByteSource all = inflated(file, packed, bytes, false);
    const auto read = [begin, all](void* to, std::size_t count, std::size_t from) {
        if (from + count <= begin->size()) {
            std::memcpy(to, begin->data() + from, count);
        } else {
            all.read(to, count, from);
        }
    };
    return {file->path(), {bytes, read}, swapped};
}

} // namespace

bool recognises_matlab(const std::string& path) {
    std::ifstream stream(path, std::ios::binary);
    std::string head(head_bytes, '\0');
    return stream.read(head.data(), head_bytes) && head.compare(0, 7, "MATLAB ") == 0 &&
           (head[124] == 1 || head[125] == 1); // version 1 of the layout; HDF5 has 2
}

std::vector<StoredArray> open_matlab(const std::string& path) {
    const auto file = std::make_shared<InputFile>(path);
    file->start_hash();
    const ByteSource whole = bytes_of(file, 0, file->bytes());
    std::string order(2, '\0');
    whole.read(order.data(), 2, head_bytes - 2);
    const bool swapped = order == "MI";
    const MatlabElements elements(path, whole, swapped);
    std::vector<StoredArray> arrays;
    for (std::size_t at = head_bytes; at + tag_bytes <= whole.bytes;) {
        const MatlabElement element = elements.at(at);
        at = element.next;
        std::optional<StoredArray> array;
        if (element.type == type_matrix) {
            array = array_of(path, elements, element.from);
        } else if (element.type == type_compressed) {
            array = array_of(path, inflated_element(file, element, swapped), tag_bytes);
        }
        if (array) {
            array->sha256 = [file] { return file->sha256(); };
            arrays.push_back(*array);
        }
    }
    if (arrays.empty()) {
        refuse_matlab(path, "file", "no array of numbers");
    }
    return arrays;
}

} // namespace lsrecon
