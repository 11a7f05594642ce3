// Arrays of NumPy: .npy, and .npz, an archive of them.

#include <algorithm>
#include <cstring>
#include <fstream>
#include <optional>

#include "base/error.hpp"
#include "base/escaped.hpp"
#include "io/arrays/formats.hpp"

namespace lsrecon {

namespace {

const std::string numpy_magic = "\x93NUMPY";
const std::string zip_magic = "PK\x03\x04";

bool file_begins_with(const std::string& path, const std::string& magic) {
    std::ifstream stream(path, std::ios::binary);
    std::string begin(magic.size(), '\0');
    return stream.read(begin.data(), static_cast<std::streamsize>(begin.size())) && begin == magic;
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

/// "<c8": order of bytes, kind and bytes. Null where it is none that is read.
std::optional<NumberType> type_of(const std::string& word) {
    NumberType type;
    if (word.size() < 3 || word.size() > 4 ||
        std::string("<>|=").find(word[0]) == std::string::npos) {
        return std::nullopt;
    }
    type.swapped = word[0] == '>';
    type.kind = word[1];
    const std::string digits = word.substr(2);
    const std::string known = word[1] == 'f'                     ? "4 8"
                              : word[1] == 'c'                   ? "8 16"
                              : word[1] == 'i' || word[1] == 'u' ? "1 2 4 8"
                                                                 : "";
    if ((" " + known + " ").find(" " + digits + " ") == std::string::npos) {
        return std::nullopt;
    }
    type.bytes = std::stoul(digits);
    return type;
}

/// The text of the header, and where the values begin.
std::pair<std::string, std::size_t> header_of(const std::string& path, const ByteSource& source) {
    std::string begin(std::min<std::size_t>(12, source.bytes), '\0');
    source.read(begin.data(), begin.size(), 0);
    // Version 1 has two bytes for the length of its header, later ones four.
    const std::size_t at = begin.size() > 6 && begin[6] == 1 ? 10 : 12;
    constexpr std::size_t most = 1 << 20;
    std::size_t length = 0;
    for (std::size_t i = std::min(at, begin.size()); i-- > 8;) {
        length = 256 * length + static_cast<unsigned char>(begin[i]);
    }
    if (begin.compare(0, numpy_magic.size(), numpy_magic) != 0 || begin.size() < at ||
        length > std::min(most, source.bytes - at)) {
        refuse_npy(path, "file", "an incomplete header", "a whole file of numpy.save",
                   "copy it again");
    }
    std::string header(length, ' ');
    source.read(header.data(), length, at);
    return {header, at + length};
}

/// A member of an archive.
struct ZipEntry {
    std::string name;
    unsigned method = 0; ///< 0 as it is, 8 deflated
    std::size_t packed = 0;
    std::size_t bytes = 0;
    std::size_t offset = 0; ///< of its own header
};

/// A number of some bytes, little-endian.
std::size_t number_at(const std::string& bytes, std::size_t at, std::size_t count) {
    std::size_t value = 0;
    for (std::size_t i = count; i-- > 0;) {
        value =
            256 * value + (at + i < bytes.size() ? static_cast<unsigned char>(bytes[at + i]) : 0);
    }
    return value;
}

std::string bytes_in_archive(const InputFile& file, std::size_t at, std::size_t count) {
    std::string bytes(at < file.bytes() ? std::min(count, file.bytes() - at) : 0, '\0');
    return read_all(file.descriptor(), bytes.data(), bytes.size(), at) ? bytes : "";
}

[[noreturn]] void refuse_zip(const InputFile& file, const std::string& found) {
    refuse_npy(file.path(), "archive", found, "a whole file of numpy.savez", "copy it again");
}

/// The list of members, which ends the file.
std::string list_of(const InputFile& file) {
    constexpr std::size_t end_bytes = 22;
    constexpr std::size_t most = end_bytes + 65535; // with a comment
    const std::size_t from = file.bytes() - std::min(most, file.bytes());
    const std::string end = bytes_in_archive(file, from, most);
    const std::size_t at = end.rfind("PK\x05\x06");
    if (at == std::string::npos || at + end_bytes > end.size()) {
        refuse_zip(file, "no list of its members at its end");
    }
    std::size_t count = number_at(end, at + 12, 4);
    std::size_t offset = number_at(end, at + 16, 4);
    constexpr std::size_t large = 0xffffffff; // stands elsewhere
    if (offset == large || count == large) {
        const std::string locator =
            bytes_in_archive(file, from + at - std::min<std::size_t>(20, at), 20);
        const std::string wide = bytes_in_archive(file, number_at(locator, 8, 8), 56);
        count = number_at(wide, 40, 8);
        offset = number_at(wide, 48, 8);
    }
    if (count > file.bytes() || offset > file.bytes() - count) {
        refuse_zip(file, "a list of its members beyond its end");
    }
    return bytes_in_archive(file, offset, count);
}

/// Sizes that do not fit into four bytes stand behind the name.
void take_wide_sizes(const std::string& list, std::size_t at, std::size_t end, ZipEntry& entry) {
    constexpr std::size_t large = 0xffffffff;
    while (at + 4 <= end) {
        const std::size_t kind = number_at(list, at, 2);
        const std::size_t count = number_at(list, at + 2, 2);
        at += 4;
        std::size_t next = at;
        for (std::size_t* const size : {&entry.bytes, &entry.packed, &entry.offset}) {
            if (kind == 1 && *size == large && next + 8 <= at + count) {
                *size = number_at(list, next, 8);
                next += 8;
            }
        }
        at += count;
    }
}

std::vector<ZipEntry> entries_of(const InputFile& file) {
    const std::string list = list_of(file);
    constexpr std::size_t head = 46;
    std::vector<ZipEntry> entries;
    for (std::size_t at = 0; at + head <= list.size();) {
        if (list.compare(at, 4, "PK\x01\x02") != 0) {
            break;
        }
        ZipEntry entry;
        entry.method = static_cast<unsigned>(number_at(list, at + 10, 2));
        entry.packed = number_at(list, at + 20, 4);
        entry.bytes = number_at(list, at + 24, 4);
        entry.offset = number_at(list, at + 42, 4);
        const std::size_t name = number_at(list, at + 28, 2);
        const std::size_t extra = number_at(list, at + 30, 2);
        entry.name = list.substr(at + head, name);
        take_wide_sizes(list, at + head + name, std::min(at + head + name + extra, list.size()),
                        entry);
        at += head + name + extra + number_at(list, at + 32, 2);
        entries.push_back(entry);
    }
    return entries;
}

ByteSource source_of(const std::shared_ptr<InputFile>& file, const ZipEntry& entry) {
    constexpr std::size_t head = 30;
    const std::string own = bytes_in_archive(*file, entry.offset, head);
    const std::size_t begin = entry.offset + head + number_at(own, 26, 2) + number_at(own, 28, 2);
    const bool fits = own.compare(0, 4, zip_magic) == 0 && begin <= file->bytes() &&
                      entry.packed <= file->bytes() - begin;
    if (!fits || entry.bytes > most_inflated(entry.packed) ||
        (entry.method == 0 && entry.packed != entry.bytes)) {
        refuse_zip(*file, "the member " + printable(entry.name) + " beyond its end");
    }
    if (entry.method != 0 && entry.method != 8) {
        refuse_npy(
            file->path(), printable(entry.name), text("method ", entry.method, " of compression"),
            "none, or deflate as numpy.savez_compressed has it", "write it again with numpy.savez");
    }
    const ByteSource packed = bytes_of(file, begin, entry.packed);
    return entry.method == 0 ? packed : inflated(file, packed, entry.bytes, true);
}

} // namespace

StoredArray npy_array(const std::string& file, const std::string& thing, const ByteSource& source) {
    const auto [header, begin] = header_of(file, source);
    const std::string word = value_of(file, header, "descr", '\'', '\'');
    const std::optional<NumberType> type = type_of(word);
    if (!type) {
        refuse_npy(file, "type of the numbers", printable(word.substr(0, 100)),
                   "real, complex or whole numbers of 1 to 8 bytes",
                   "save a.astype('complex64'), or 'float64' for real numbers");
    }
    const std::vector<std::size_t> extents =
        extents_of(file, value_of(file, header, "shape", '(', ')'));
    const bool column_major =
        value_of(file, header, "fortran_order", ':', ',').find("True") != std::string::npos;
    const std::size_t elements = product_of(extents);
    const std::size_t bytes = source.bytes - begin;
    if (bytes / type->bytes != elements || bytes % type->bytes != 0) {
        refuse_npy(file, thing, text(bytes, " bytes of values"),
                   text(elements, " values of ", type->bytes, " bytes"), "copy it again");
    }
    StoredArray array;
    array.file = file;
    array.thing = thing;
    array.shape = shape_of(*type, word.substr(1), extents);
    array.values = [source, begin = begin, type = *type, extents, column_major,
                    elements](std::size_t rows) {
        return column_major && extents.size() > 1
                   ? in_order_of_c(read_numbers(source, begin, type, 1, elements), extents, rows)
                   : read_numbers(source, begin, type, rows, elements / rows);
    };
    return array;
}

bool recognises_npy(const std::string& path) {
    return file_begins_with(path, numpy_magic);
}

std::vector<StoredArray> open_npy(const std::string& path) {
    const auto file = std::make_shared<InputFile>(path);
    file->start_hash();
    StoredArray array = npy_array(path, "values", bytes_of(file, 0, file->bytes()));
    array.sha256 = [file] { return file->sha256(); };
    return {array};
}

bool recognises_npz(const std::string& path) {
    return file_begins_with(path, zip_magic);
}

std::vector<StoredArray> open_npz(const std::string& path) {
    const auto file = std::make_shared<InputFile>(path);
    file->start_hash();
    std::vector<StoredArray> arrays;
    for (const ZipEntry& entry : entries_of(*file)) {
        const std::string ending = ".npy";
        if (entry.name.size() <= ending.size() ||
            entry.name.compare(entry.name.size() - ending.size(), ending.size(), ending) != 0) {
            continue;
        }
        const std::string name = entry.name.substr(0, entry.name.size() - ending.size());
        arrays.push_back(npy_array(path, printable(name), source_of(file, entry)));
        arrays.back().name = name;
        arrays.back().sha256 = [file] { return file->sha256(); };
    }
    if (arrays.empty()) {
        refuse_zip(*file, "no array of NumPy");
    }
    return arrays;
}

} // namespace lsrecon
