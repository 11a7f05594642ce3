// The table of scan formats, recognised by content; foreign raw data is recognised only to name the
// program that converts it.

#include "io/formats.hpp"

#include <algorithm>
#include <cstring>

#include "base/error.hpp"
#include "base/input_file.hpp"
#include "base/named_files.hpp"
#include "base/numbers.hpp"
#include "io/arrays/formats.hpp"
#include "io/hdf5/reader.hpp"
#include "io/image/formats.hpp"
#include "io/ismrmrd/formats.hpp"
#include "io/native/scan.hpp"
#include "io/pulseq.hpp"
#include "simulate/simulate.hpp"

namespace lsrecon {

std::vector<double> ReadOptions::given(const std::string& name) const {
    const auto found = header.find(name);
    return found == header.end() ? std::vector<double>() : found->second;
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

#ifdef LSRECON_WITH_ISMRMRD
constexpr bool ismrmrd_built = true;
#else
constexpr bool ismrmrd_built = false;
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

ScanHeader open_mrd_2(const InputFile& file, const ReadOptions&) {
    refuse_mrd_2(file.path());
}

const std::string a_scan = "a scan, in HDF5 or of ISMRMRD";

/// A file of another program that holds samples.
struct ForeignFile {
    std::string name;
    std::vector<std::string> endings;
    /// Whether the content is of this format; null where the content does not show it.
    bool (*recognises)(const InputFile& file);
    std::string next_step;
};

/// The bytes of a file from an offset on, fewer at its end.
std::string bytes_at(const InputFile& file, std::uint64_t offset, std::size_t count) {
    const auto size = static_cast<std::uint64_t>(file.bytes());
    std::string bytes(offset < size ? std::min<std::uint64_t>(count, size - offset) : 0, '\0');
    return read_all(file.descriptor(), bytes.data(), bytes.size(), offset) ? bytes : "";
}

bool recognises_matlab_of_any_version(const InputFile& file) {
    return bytes_at(file, 0, 7) == "MATLAB ";
}

bool recognises_numpy(const InputFile& file) {
    return bytes_at(file, 0, 6) == "\x93NUMPY" || recognises_npz(file.path());
}

/// A measurement begins with its header's length, the number of its parts and the name of the
/// first: at the file's start, or where its list of measurements says.
bool recognises_siemens(const InputFile& file) {
    constexpr std::uint64_t of_first = 16; // in the list
    std::uint64_t offset = 0;
    const std::string listed = bytes_at(file, of_first, sizeof(offset));
    std::memcpy(&offset, listed.data(), listed.size());
    return bytes_at(file, 8, 6) == "Config" || bytes_at(file, offset + 8, 6) == "Config";
}

const std::string importing = "make a scan of samples and trajectory: lsrecon import FILES -o SCAN";

/// The table of foreign files, only to say what would read them.
const std::vector<ForeignFile>& foreign_files() {
    static const std::vector<ForeignFile> table{
        {"raw data of Siemens",
         {"dat"},
         &recognises_siemens,
         "convert it with siemens_to_ismrmrd of the project ismrmrd/siemens_to_ismrmrd"},
        {"a file of MATLAB", {"mat"}, &recognises_matlab_of_any_version, importing},
        {"arrays of NumPy", {"npy", "npz"}, &recognises_numpy, importing},
        {"BART's pair .cfl and .hdr", {"cfl", "hdr"}, nullptr, importing},
        {"a sequence of Pulseq",
         {"seq"},
         [](const InputFile& file) { return recognises_sequence(file.path()); },
         "name it as the `trajectory` of raw data, or import it beside samples: lsrecon import"},
    };
    return table;
}

const ForeignFile* foreign_file_of(const InputFile& file) {
    for (const ForeignFile& foreign : foreign_files()) {
        if (foreign.recognises != nullptr && foreign.recognises(file)) {
            return &foreign;
        }
    }
    return nullptr;
}

bool is_foreign(const InputFile& file) {
    return foreign_file_of(file) != nullptr;
}

ScanHeader open_foreign(const InputFile& file, const ReadOptions&) {
    const ForeignFile& foreign = *foreign_file_of(file);
    throw InputError({file.path(), "file", foreign.name, a_scan, foreign.next_step});
}

/// Throws if the file's ending belongs to a known foreign format.
void refuse_ending(const InputFile& file) {
    const std::string ending = ending_of(file.path());
    for (const ForeignFile& foreign : foreign_files()) {
        const auto& endings = foreign.endings;
        if (std::find(endings.begin(), endings.end(), ending) != endings.end()) {
            throw InputError({file.path(), "file",
                              text("no scan; its name ends as that of ", foreign.name), a_scan,
                              "if it is that, " + foreign.next_step});
        }
    }
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
             write_native_scan(path, simulation.scan, simulation.error, simulation.settings,
                               simulation.stored);
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
        {"ismrmrd-stream", "a stream of ISMRMRD raw data", ismrmrd_built, &is_ismrmrd_stream,
         &open_ismrmrd_stream},
        {"mrd-2", "MRD version 2, only to say so", true, &recognises_mrd_2, &open_mrd_2},
        {"foreign", "other programs' files of samples, only to say what reads them", true,
         &is_foreign, &open_foreign},
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
    const bool may_be_samples = ending_of(path) == "cfl" || ending_of(path) == "hdr";
    refuse_other_formats(path, a_scan,
                         "name one; 'lsrecon info' says what this is" +
                             (may_be_samples ? "; if it is k-space, " + importing : ""));
}

const ScanFormat& format_of(const Hdf5Reader& file) {
    if (const ScanFormat* const format = known_format_of(file)) {
        return *format;
    }
    if (file.has_attribute("/", "format")) {
        return scan_formats().back(); // which says what it expects there
    }
    for (const std::string& group : file.names()) {
        if (!file.is_dataset(group) && file.has(group + "/$yardl_schema")) {
            refuse_mrd_2(file.path());
        }
    }
    refuse_images(file.path());
    refuse_ending(file.file());
    throw InputError({file.path(), "file",
                      "an HDF5 file with " + list("objects", file.names()) + " and " +
                          list("root attributes", file.attribute_names("/")),
                      "a scan: root attribute format = \"lsrecon-scan\" with /trajectory, or an "
                      "ISMRMRD group with xml and data",
                      "make a scan of its arrays with 'lsrecon import', or see docs/formats.md"});
}

std::shared_ptr<const Hdf5Reader> open_hdf5(const InputFile& file) {
    try {
        return std::make_shared<const Hdf5Reader>(file.path());
    } catch (const RunError&) {
        throw;
    } catch (const InputError&) {
        refuse_images(file.path());
        refuse_ending(file);
        throw;
    }
}

} // namespace

std::string name_of_scan_format(const Hdf5Reader& file) {
    const ScanFormat* const format = known_format_of(file);
    return format == nullptr ? "" : format->summary;
}

std::string name_of_scan_format(const std::string& path) {
    try {
        const bool is_raw_data = byte_format_of(InputFile(path)) != nullptr;
        return is_raw_data ? "raw data" : name_of_scan_format(Hdf5Reader(path));
    } catch (const RunError&) {
        throw;
    } catch (const InputError&) { // it is no HDF5
        return "";
    }
}

OpenScan open_scan(const std::string& path, const ReadOptions& options) {
    const auto bytes = std::make_shared<InputFile>(path);
    if (const ByteFormat* const format = byte_format_of(*bytes)) {
        bytes->start_hash();
        return {format->open(*bytes, options), bytes};
    }
    const auto reader = open_hdf5(*bytes);
    reader->start_hash();
    return {format_of(*reader).open(reader, options), {reader, &reader->file()}};
}

} // namespace lsrecon
