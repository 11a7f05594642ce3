// Datasets of HDF5 as arrays, MATLAB's of version 7.3 among them.

#include <algorithm>
#include <fstream>

#include "base/error.hpp"
#include "io/arrays/formats.hpp"
#include "io/hdf5/reader.hpp"

namespace lsrecon {

namespace {

/// Adds every dataset of numbers below a group.
void add_arrays(const std::shared_ptr<const Hdf5Reader>& file, const std::string& group, int depth,
                std::vector<StoredArray>& arrays) {
    constexpr int deepest = 4; // links may lead in circles
    for (const std::string& member : file->names(group.empty() ? "/" : group)) {
        const std::string name = group.empty() ? member : group + "/" + member;
        if (name == "/" || name[0] == '#') {
            continue; // MATLAB's own
        }
        if (!file->is_dataset(name)) {
            if (depth < deepest) {
                add_arrays(file, name, depth + 1, arrays);
            }
            continue;
        }
        const Hdf5Shape shape = file->shape(name);
        const bool numbers = shape.kind == Hdf5Kind::integer || shape.kind == Hdf5Kind::real ||
                             shape.kind == Hdf5Kind::complex;
        if (numbers && !shape.null && shape.elements() > 0) {
            arrays.push_back(open_hdf5_array(file, name));
        }
    }
}

} // namespace

StoredArray open_hdf5_array(const std::shared_ptr<const Hdf5Reader>& file,
                            const std::string& dataset) {
    file->start_hash();
    StoredArray array;
    array.file = file->path();
    array.name = dataset[0] == '/' ? dataset.substr(1) : dataset;
    array.thing = "/" + array.name;
    if (!file->is_dataset(dataset)) {
        throw InputError(
            {array.file, array.thing, "no such dataset",
             "an HDF5 file with " + array.thing + ", or one of " + array_formats_in_words(),
             "name a file that has it"});
    }
    const Hdf5Kind kind = file->shape(dataset).kind;
    array.shape = file->checked_shape(dataset, kind == Hdf5Kind::complex ? Hdf5Kind::complex
                                                                         : Hdf5Kind::real);
    array.first_is_fastest = file->has_attribute(dataset, "MATLAB_class");
    if (file->has_attribute(dataset, "units")) {
        array.units = file->attribute_in_words(dataset, "units");
    }
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

bool recognises_hdf5(const std::string& path) {
    const std::string magic = "\x89HDF\r\n\x1a\n";
    std::ifstream stream(path, std::ios::binary);
    std::string found(magic.size(), '\0');
    for (const std::streamoff at : {0, 512}) { // MATLAB writes a head of its own
        stream.seekg(at);
        if (stream.read(found.data(), static_cast<std::streamsize>(found.size())) &&
            found == magic) {
            return true;
        }
        stream.clear();
    }
    return false;
}

std::vector<StoredArray> open_hdf5_arrays(const std::string& path) {
    const auto file = std::make_shared<const Hdf5Reader>(path);
    std::vector<StoredArray> arrays;
    add_arrays(file, "", 0, arrays);
    if (arrays.empty()) {
        throw InputError({path, "file", "no dataset of numbers", "at least one", "name another"});
    }
    return arrays;
}

} // namespace lsrecon
