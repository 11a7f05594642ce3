#include "io/formats.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/file_bytes.hpp"
#include "base/named_files.hpp"
#include "base/numbers.hpp"
#include "io/hdf5/reader.hpp"
#include "io/image/formats.hpp"
#include "io/ismrmrd/stream.hpp"
#include "io/ismrmrd/writer.hpp"
#include "io/native/scan.hpp"
#include "io/native/writer.hpp"
#include "scan/simulate.hpp"
#ifdef LSRECON_WITH_ISMRMRD
#include "io/ismrmrd/scan.hpp"
#endif

namespace lsrecon {

std::vector<double> ReadOptions::given(const std::string& name) const {
    const auto found = header.find(name);
    return found == header.end() ? std::vector<double>() : found->second;
}

Grid ReadOptions::grid_of_image(const Grid& of_file) const {
    Grid grid = of_file;
    const auto dimensions = static_cast<std::size_t>(of_file.dimensions);
    const auto may_be = [](std::size_t size) { return size >= 1 && size <= longest_side; };
    if (matrix.size() == dimensions && std::all_of(matrix.begin(), matrix.end(), may_be)) {
        std::copy(matrix.begin(), matrix.end(), grid.size.begin());
    }
    return grid;
}

namespace {

/// Some top-level group holds `xml` and `data`. Known even where the reader is not built in, so
/// that the message says that, and not "unknown".
bool recognises_ismrmrd(const Hdf5Reader& file) {
    for (const std::string& group : file.names()) {
        if (!file.is_dataset(group) && file.has(group + "/xml") && file.has(group + "/data")) {
            return true;
        }
    }
    return false;
}

#ifndef LSRECON_WITH_ISMRMRD
[[noreturn]] void refuse_ismrmrd(const std::string& path) {
    throw NotBuiltError(path + ": ISMRMRD raw data, and its reader is not built in\n  next:     "
                               "configure with -DLSRECON_WITH_ISMRMRD=ON");
}

StoredScan open_ismrmrd(const std::shared_ptr<const Hdf5Reader>& file, const ReadOptions&) {
    refuse_ismrmrd(file->path());
}

StoredScan open_ismrmrd_stream(const InputFile& file, const ReadOptions&) {
    refuse_ismrmrd(file.path());
}
constexpr bool ismrmrd_built = false;
#else
constexpr bool ismrmrd_built = true;
#endif

[[noreturn]] void refuse_mrd_2(const std::string& path) {
    throw InputError({path, "file", "MRD version 2, which is not read",
                      "ISMRMRD raw data (MRD version 1), in HDF5 or as a stream",
                      "convert it with mrd_to_ismrmrd of the project ismrmrd/mrd"});
}

/// Serialised by yardl, which begins with its name.
bool recognises_mrd_2(const InputFile& file) {
    const std::string magic = "yardl";
    std::string begin(magic.size(), '\0');
    return read_all(file.descriptor(), begin.data(), begin.size(), 0) && begin == magic;
}

StoredScan open_mrd_2(const InputFile& file, const ReadOptions&) {
    refuse_mrd_2(file.path());
}

/// "datasets a, b", "no datasets".
std::string list(const std::string& kind, const std::vector<std::string>& names) {
    return names.empty() ? "no " + kind : kind + " " + comma_separated(names);
}

} // namespace

const std::vector<std::string>& frame_counters() {
    static const std::vector<std::string> names{"slice", "contrast", "phase", "repetition", "set"};
    return names;
}

const std::vector<ScanFormat>& scan_formats() {
    static const std::vector<ScanFormat> table{
        {"ismrmrd",
         "ISMRMRD raw data",
         ismrmrd_built,
         &recognises_ismrmrd,
         &open_ismrmrd,
         {"mrd"},
         &require_ismrmrd_holds,
         &write_ismrmrd_scan},
        {"lsrecon-scan",
         "the native scan file",
         true,
         &recognises_native,
         &open_native,
         {"h5", "hdf5", "hdf"},
         [](const std::string&, const Simulation&) {},
         [](const std::string& path, const Simulation& simulation, Reporter&) {
             write_native_scan(path, simulation.scan, simulation.error);
         }},
    };
    return table;
}

const ScanFormat& scan_format_of_output(const std::string& path, const std::string& name) {
    const ScanFormat* const format = row_of_output(scan_formats(), path, name);
    return format != nullptr ? *format : scan_formats().back();
}

const std::vector<ByteFormat>& byte_formats() {
    static const std::vector<ByteFormat> table{
        {"ismrmrd-stream", "a stream of ISMRMRD raw data", ismrmrd_built,
         &IsmrmrdStream::recognises, &open_ismrmrd_stream},
        {"mrd-2", "MRD version 2, only to say so", true, &recognises_mrd_2, &open_mrd_2},
    };
    return table;
}

const ByteFormat* byte_format_of(const InputFile& file) {
    for (const ByteFormat& format : byte_formats()) {
        if (format.recognises(file)) {
            return &format;
        }
    }
    return nullptr;
}

namespace {

const ScanFormat* known_format_of(const Hdf5Reader& file) {
    for (const ScanFormat& format : scan_formats()) {
        if (format.recognises(file)) {
            return &format;
        }
    }
    return nullptr;
}

void refuse_images(const std::string& path) {
    refuse_other_formats(path, "a scan",
                         "name a scan, in HDF5 or of ISMRMRD; 'lsrecon info' says what this is");
}

const ScanFormat& format_of(const Hdf5Reader& file) {
    if (const ScanFormat* const format = known_format_of(file)) {
        return *format;
    }
    for (const std::string& group : file.names()) {
        if (!file.is_dataset(group) && file.has(group + "/$yardl_schema")) {
            refuse_mrd_2(file.path());
        }
    }
    refuse_images(file.path());
    throw InputError({file.path(), "file",
                      "an HDF5 file with " + list("objects", file.names()) + " and " +
                          list("root attributes", file.attribute_names("/")),
                      "a scan: root attribute format = \"lsrecon-scan\" with /trajectory, or an "
                      "ISMRMRD group with xml and data",
                      "see docs/formats.md for how to write a scan file"});
}

std::shared_ptr<const Hdf5Reader> open_hdf5(const std::string& path) {
    try {
        return std::make_shared<const Hdf5Reader>(path);
    } catch (const InputError&) {
        refuse_images(path);
        throw;
    }
}

void remark_header(const ReadOptions& options, Scan& scan) {
    for (const auto& [name, numbers] : options.header) {
        scan.facts.push_back(text("`header` replaces ", name, " of the file by ",
                                  by(numbers, static_cast<int>(numbers.size()))));
    }
}

} // namespace

std::string name_of_scan_format(const Hdf5Reader& file) {
    const ScanFormat* const format = known_format_of(file);
    return format == nullptr ? "" : format->summary;
}

OpenScan open_scan(const std::string& path, const ReadOptions& options) {
    auto bytes = std::make_shared<InputFile>(path);
    if (const ByteFormat* const format = byte_format_of(*bytes)) {
        bytes->start_hash();
        StoredScan stored = format->open(*bytes, options);
        remark_header(options, stored.scan);
        return {std::move(bytes), std::move(stored)};
    }
    const auto reader = open_hdf5(path);
    reader->start_hash();
    StoredScan stored = format_of(*reader).open(reader, options);
    remark_header(options, stored.scan);
    return {{reader, &reader->file()}, std::move(stored)};
}

} // namespace lsrecon
