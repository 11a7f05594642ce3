// Reads and writes BART's pair of files: a text header of 16 dimensions, and complex64 with x
// fastest.

#include "io/image/cfl.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <fstream>
#include <limits>
#include <memory>
#include <sstream>

#include "base/error.hpp"
#include "base/input_file.hpp"
#include "base/numbers.hpp"
#include "base/output_file.hpp"

// The file and this machine are little-endian, as is every machine that BART and this program are
// built on.

namespace lsrecon {

namespace {

constexpr std::size_t dimensions = 16;
constexpr std::size_t coil_dimension = 3;
constexpr std::size_t time_dimension = 10;
const char* const first_line = "# Dimensions";
const std::array<const char*, dimensions> names{
    "x",         "y",     "z",    "coil",   "map",   "echo",  "coefficient", "coefficient 2",
    "iteration", "shift", "time", "time 2", "level", "slice", "average",     "batch"};

std::string base_of(const std::string& path) {
    const std::string ending = ending_of(path);
    return ending == "cfl" || ending == "hdr" ? path.substr(0, path.size() - 4) : path;
}

std::string header_of(const std::string& path) {
    return base_of(path) + ".hdr";
}

[[noreturn]] void refuse_dimensions(const std::string& file, const std::string& found) {
    throw InputError({file, "the line after \"# Dimensions\"", found,
                      text("up to ", dimensions, " whole numbers from 1"),
                      "write the pair of files again, with BART or 'lsrecon convert'"});
}

std::array<std::size_t, dimensions> dimensions_of(const std::string& path) {
    const std::string file = header_of(path);
    std::ifstream stream(file);
    std::string line;
    std::getline(stream, line);
    std::getline(stream, line);
    std::istringstream words(line);
    std::array<std::size_t, dimensions> sizes{};
    sizes.fill(1);
    std::string word;
    std::size_t d = 0;
    for (; words >> word; ++d) {
        const bool digits =
            word.size() < 10 && word.find_first_not_of("0123456789") == std::string::npos;
        const std::size_t size = digits ? std::stoul(word) : 0;
        if (d == dimensions || size == 0) {
            refuse_dimensions(file, "\"" + line.substr(0, 200) + "\"");
        }
        sizes[d] = size;
    }
    if (d == 0) {
        refuse_dimensions(file, "nothing");
    }
    return sizes;
}

/// "coil 1, time 3" of frame `index`.
std::string label_of(const std::array<std::size_t, dimensions>& sizes, std::size_t index) {
    std::string label;
    for (std::size_t d = 3; d < dimensions; ++d) {
        if (sizes[d] > 1) {
            label += text(label.empty() ? "" : ", ", names[d], " ", index % sizes[d]);
        }
        index /= sizes[d];
    }
    return label;
}

Grid grid_of(const std::string& file, const std::array<std::size_t, dimensions>& sizes,
             const ImageInput& input) {
    Grid grid;
    grid.dimensions = sizes[2] > 1 ? 3 : 2;
    const auto used = static_cast<std::size_t>(grid.dimensions);
    if (!input.fov_mm.empty() && input.fov_mm.size() != used) {
        throw UsageError({file, "`fov_mm`", counted(input.fov_mm.size(), "length"),
                          text(used, " lengths, one a dimension"), "name them all"});
    }
    for (std::size_t d = 0; d < used; ++d) {
        grid.size[d] = sizes[d];
        grid.fov_mm[d] = input.fov_mm.empty() ? static_cast<double>(sizes[d]) : input.fov_mm[d];
        if (sizes[d] > longest_side) {
            throw InputError({file, names[d], text(sizes[d], " voxels"),
                              text("at most ", longest_side), "see whether the file is damaged"});
        }
    }
    return grid;
}

constexpr std::size_t bytes_each = sizeof(std::complex<float>);

/// The sizes that the header declares, and the file of as many values.
std::pair<std::array<std::size_t, dimensions>, std::shared_ptr<const InputFile>>
values_of(const std::string& path) {
    const std::array<std::size_t, dimensions> sizes = dimensions_of(path);
    const auto data = std::make_shared<const InputFile>(cfl_files(path)[0]);
    const std::size_t values = product_of({sizes.begin(), sizes.end()});
    if (data->bytes() % bytes_each != 0 || data->bytes() / bytes_each != values) {
        throw InputError({data->path(), "file", text(data->bytes(), " bytes"),
                          text(values, " values of ", bytes_each, " bytes, which ", header_of(path),
                               " declares"),
                          "copy both files again: they do not match"});
    }
    return {sizes, data};
}

void read_into(void* to, const InputFile& data, std::size_t first, std::size_t count) {
    if (!read_all(data.descriptor(), to, count * bytes_each, first * bytes_each)) {
        throw InputError({data.path(), "file", "it cannot be read to its end",
                          "the values that its header declares", "copy it again"});
    }
    data.require_unchanged();
}

ImageValues read_at(const InputFile& data, std::size_t first, std::size_t count) {
    ImageValues result(count);
    read_into(result.data(), data, first, count);
    return result;
}

} // namespace

std::vector<std::string> cfl_files(const std::string& path) {
    return {base_of(path) + ".cfl", header_of(path)};
}

bool recognises_cfl(const std::string& path) {
    std::ifstream stream(header_of(path));
    std::string line;
    return std::getline(stream, line) &&
           line.compare(0, std::string(first_line).size(), first_line) == 0;
}

StoredImage open_cfl(const std::string& path, const ImageInput& input) {
    if (input.dataset != "image") {
        throw UsageError({path, "`map`", "BART's pair of files", "an image file of lsrecon",
                          "leave the flag out"});
    }
    const auto [sizes, data] = values_of(path);
    const std::size_t values = product_of({sizes.begin(), sizes.end()});
    StoredImage image;
    image.file = data->path();
    image.thing = "values";
    image.about.grid = grid_of(image.file, sizes, input);
    const std::size_t voxels = image.voxels();
    image.about.frames.resize(values / voxels);
    for (std::size_t f = 0; f < image.frames(); ++f) {
        image.about.frames[f].label = label_of(sizes, f);
    }
    if (input.fov_mm.empty()) {
        image.findings.push_back({Found::fov_of_voxels});
    }
    image.values = [data = data, voxels](std::size_t frame) {
        return read_at(*data, frame * voxels, voxels);
    };
    return image;
}

StoredArray open_cfl_array(const std::string& path) {
    const auto files = std::make_shared<HashedFiles>(cfl_files(path));
    const auto [sizes, data] = values_of(path);
    StoredArray array;
    array.file = data->path();
    array.thing = "values";
    array.first_is_fastest = true;
    array.shape.kind = Hdf5Kind::complex;
    array.shape.type_name = "complex64";
    array.shape.number_bytes = sizeof(float);
    std::vector<std::size_t>& extents = array.shape.extents;
    extents.assign(sizes.rbegin(), sizes.rend());
    while (extents.size() > coil_dimension + 1 && extents.front() == 1) {
        extents.erase(extents.begin());
    }
    const std::size_t elements = product_of(extents);
    array.values = [data = data, elements](std::size_t rows) {
        CoilRows values(rows, elements / rows, Precision::float32);
        values.visit([&](auto& matrix) { read_into(matrix.data(), *data, 0, elements); });
        return values;
    };
    array.sha256 = [files] { return files->sha256(); };
    return array;
}

void write_cfl(const StoredImage& image, const ImageOutput& output, Reporter& report) {
    if (image.about.grid.position || image.about.grid.directions) {
        report.add({Found::no_position_in_cfl});
    }
    const std::vector<std::string> files = cfl_files(output.path);
    std::array<std::size_t, dimensions> sizes{};
    sizes.fill(1);
    for (std::size_t d = 0; d < 3; ++d) {
        sizes[d] = image.about.grid.size[d];
    }
    const std::size_t coils = image.of_coils ? image.frames() : image.about.coils;
    sizes[coil_dimension] = coils;
    sizes[time_dimension] = image.frames() / coils;
    ReplacingFile data(files[0]);
    ReplacingFile header(files[1]);
    const auto close = [](std::ofstream& stream, const std::string& file) {
        stream.close();
        if (!stream) {
            fail_to_write(file, errno);
        }
    };
    errno = 0;
    std::ofstream text_stream(header.path());
    text_stream << first_line << '\n';
    for (const std::size_t size : sizes) {
        text_stream << size << ' ';
    }
    text_stream << '\n';
    close(text_stream, files[1]);
    std::ofstream stream(data.path(), std::ios::binary);
    for (std::size_t f = 0; f < image.frames() && stream; ++f) {
        const ImageValues values = image.values(f);
        stream.write(reinterpret_cast<const char*>(values.data()),
                     static_cast<std::streamsize>(values.size() * sizeof values.front()));
    }
    close(stream, files[0]);
    commit_together(data, header);
}

} // namespace lsrecon
