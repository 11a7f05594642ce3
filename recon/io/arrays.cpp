// The table of array formats: HDF5, NumPy, MATLAB, BART and text.

#include "io/arrays.hpp"

#include <algorithm>
#include <cmath>
#include <sys/stat.h>

#include "base/error.hpp"
#include "base/named_files.hpp"
#include "base/numbers.hpp"
#include "io/arrays/formats.hpp"
#include "io/hdf5/reader.hpp"
#include "io/image/cfl.hpp"
#include "io/pulseq.hpp"

namespace lsrecon {

namespace {

/// What an array is in a scan, and the names that programs give it, in small letters.
struct ArrayRole {
    std::string name;
    std::vector<std::string> words;
};

const std::vector<ArrayRole>& role_table() {
    static const std::vector<ArrayRole> table{
        {"samples",
         {"samples", "kspace", "ksp", "kdata", "rawdata", "raw", "data", "signal", "sig", "y"}},
        {"trajectory",
         {"trajectory", "traj", "ktraj", "coord", "coords", "coordinates", "k", "kloc", "kspaceloc",
          "locs", "om", "omega"}},
        {"coil_maps",
         {"coilmaps", "maps", "sens", "smaps", "smap", "csm", "sensitivities", "sensitivity", "mps",
          "sensmaps", "b1"}},
        {"field_map", {"fieldmap", "b0", "b0map", "df", "offresonance"}},
        {"weights", {"weights", "dcf", "dcomp", "density", "w"}},
        {"times", {"times", "readouttimes", "t"}},
        {"echo_times", {"echotimes", "te"}},
        {"noise", {"noise", "noisesamples", "noisescan"}},
    };
    return table;
}

/// One way in which arrays can be stored.
struct ArrayFormat {
    std::string name;
    std::string summary;
    bool (*recognises)(const std::string& path);
    std::vector<StoredArray> (*open)(const std::string& path);
};

/// The samples of the readouts that gradients encode, along planes where these are tilted.
StoredArray array_of(Sequence sequence, const std::string& path) {
    sequence.along_planes();
    const auto points = std::make_shared<std::vector<double>>();
    for (const SequenceReadout& readout : sequence.readouts) {
        for (std::size_t i = 0; readout.is_encoded && i < readout.positions.size(); ++i) {
            points->insert(points->end(), readout.positions[i].begin(), readout.positions[i].end());
        }
    }
    return array_of_doubles(path, "trajectory", points, 3, sequence.sha256, "1/m");
}

const std::vector<ArrayFormat>& array_formats() {
    static const std::vector<ArrayFormat> table{
        {"npy", "NumPy's .npy", &recognises_npy, &open_npy},
        {"npz", ".npz", &recognises_npz, &open_npz},
        {"mat", "MATLAB's .mat", &recognises_matlab, &open_matlab},
        {"cfl", "BART's pair .cfl and .hdr", &recognises_cfl,
         [](const std::string& path) { return std::vector{open_cfl_array(path)}; }},
        {"hdf5", "HDF5", &recognises_hdf5, &open_hdf5_arrays},
        {"pulseq", "a sequence of Pulseq", &recognises_sequence,
         [](const std::string& path) { return std::vector{array_of(read_sequence(path), path)}; }},
        {"mat4", "", &recognises_matlab_4, &open_matlab_4},
        {"text", "lines of numbers", &recognises_numbers_in_text, &open_numbers_in_text}};
    return table;
}

const ArrayFormat* format_of(const std::string& path) {
    require_no_pipes(path);
    for (const ArrayFormat& format : array_formats()) {
        if (format.recognises(path)) {
            return &format;
        }
    }
    return nullptr;
}

bool is_file(const std::string& path) {
    struct stat status {};
    return stat(path.c_str(), &status) == 0;
}

/// The first array that is wanted; null when there is none.
template <typename Wanted>
const StoredArray* find(const std::vector<StoredArray>& arrays, const Wanted& wanted) {
    const auto found = std::find_if(arrays.begin(), arrays.end(), wanted);
    return found != arrays.end() ? &*found : nullptr;
}

std::string names_of_arrays(const std::vector<StoredArray>& arrays) {
    std::vector<std::string> names;
    for (const StoredArray& array : arrays) {
        names.push_back(array.thing);
    }
    return comma_separated(names);
}

} // namespace

std::vector<std::string> array_roles() {
    std::vector<std::string> names;
    for (const ArrayRole& role : role_table()) {
        names.push_back(role.name);
    }
    return names;
}

std::string array_role_of(const std::string& name) {
    std::string letters;
    for (const char c : name.substr(name.rfind('/') + 1)) {
        if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
            letters += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        }
    }
    for (const ArrayRole& role : role_table()) {
        if (std::find(role.words.begin(), role.words.end(), letters) != role.words.end()) {
            return role.name;
        }
    }
    return "";
}

std::string array_formats_in_words() {
    std::vector<std::string> words;
    for (const ArrayFormat& format : array_formats()) {
        if (!format.summary.empty()) { // of a format that has a row before
            words.push_back(format.summary);
        }
    }
    return comma_separated(words);
}

ArrayName array_name_of(const std::string& word) {
    const std::size_t at = word.rfind(':');
    const bool has_name =
        at != std::string::npos && at > 0 && !is_file(word) && recognises_cfl(word) == false;
    if (!has_name) {
        return {word, ""};
    }
    const std::size_t begin = word[at + 1] == '/' ? at + 2 : at + 1; // "FILE.h5:/name"
    return {word.substr(0, at), word.substr(begin)};
}

option::Value array_input(std::string& member) {
    option::Value value = option::name(member, "FILE[:NAME]");
    value.file = [&member] { return array_name_of(member).file; };
    return value;
}

bool recognises_bare_array(const std::string& word) {
    const ArrayFormat* const format = format_of(array_name_of(word).file);
    return format != nullptr && format->name != "hdf5";
}

bool recognises_arrays(const std::string& path) {
    return format_of(path) != nullptr;
}

std::vector<StoredArray> open_arrays(const std::string& path) {
    const ArrayFormat* const format = format_of(path);
    if (format == nullptr) {
        require_input(path);
        throw InputError({path, "file", "no format of arrays that is known",
                          array_formats_in_words(), "write the arrays in one of these"});
    }
    return format->open(path);
}

StoredArray open_array(const std::string& word, const std::string& dataset) {
    const auto [path, name] = array_name_of(word);
    const ArrayFormat* const format = format_of(path);
    const std::string wanted = name.empty() ? dataset : name;
    if (format == nullptr || format->name == "hdf5") {
        return open_hdf5_array(std::make_shared<const Hdf5Reader>(path), wanted);
    }
    const std::vector<StoredArray> arrays = format->open(path);
    const StoredArray* found =
        find(arrays, [&](const StoredArray& one) { return one.name == wanted; });
    if (found == nullptr && name.empty()) {
        found = arrays.size() == 1 ? &arrays.front() : find(arrays, [&](const StoredArray& one) {
            return array_role_of(one.name) == wanted;
        });
    }
    if (found == nullptr) {
        throw InputError({path, "arrays", names_of_arrays(arrays), wanted,
                          "name it " + wanted + ", or write it alone"});
    }
    return *found;
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
