#include "device/opencl/cache_entry.hpp"

#include <filesystem>
#include <fstream>
#include <unistd.h>

#include "base/bytes_as_text.hpp"
#include "base/folders.hpp"
#include "base/output_file.hpp"
#include "base/version.hpp"

namespace lsrecon::opencl {

namespace fs = std::filesystem;

std::string cache_entry_path(const std::string& folder, const cl::Device& device,
                             const std::vector<std::string>& parts) {
    std::vector<std::string> all{
        version, device.getInfo<CL_DEVICE_NAME>(), device.getInfo<CL_DEVICE_VERSION>(),
        device.getInfo<CL_DRIVER_VERSION>(),
        cl::Platform(device.getInfo<CL_DEVICE_PLATFORM>()).getInfo<CL_PLATFORM_VERSION>()};
    all.insert(all.end(), parts.begin(), parts.end());
    Sha256 hash;
    for (const std::string& part : all) {
        hash.add(std::to_string(part.size())).add(part);
    }
    return cache_folder() + "/" + folder + "/" + hash.hex() + ".bin";
}

std::string key_of_entry(const std::string& path) {
    return fs::path(path).stem().string();
}

namespace {
constexpr std::size_t hash_length = 64;
} // namespace

// An entry is the hash of all that follows, the hash that is its name, and the content: an entry
// under the wrong name counts as broken.
std::vector<unsigned char> read_cache_entry(const std::string& path) {
    std::error_code ignored;
    if (!fs::is_regular_file(path, ignored)) { // a folder can be opened, and throws when it is read
        return {};
    }
    std::ifstream file(path, std::ios::binary);
    const std::string all{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    const std::string key = key_of_entry(path);
    const std::size_t start = hash_length + key.size();
    if (all.size() < start || all.compare(hash_length, key.size(), key) != 0 ||
        all.compare(0, hash_length,
                    Sha256().add(all.data() + hash_length, all.size() - hash_length).hex()) != 0) {
        return {};
    }
    return {all.begin() + static_cast<std::ptrdiff_t>(start), all.end()};
}

bool can_keep_cache_entry(const std::string& path) {
    const fs::path folder = fs::path(path).parent_path();
    std::error_code failure;
    fs::create_directories(folder, failure);
    return ::access(folder.c_str(), W_OK) == 0;
}

void write_cache_entry(const std::string& path, const void* bytes, std::size_t size) {
    try {
        ReplacingFile file(path);
        std::ofstream stream(file.path(), std::ios::binary);
        const std::string key = key_of_entry(path);
        stream << Sha256().add(key).add(bytes, size).hex() << key;
        stream.write(static_cast<const char*>(bytes), static_cast<std::streamsize>(size));
        stream.close();
        if (stream) {
            file.commit();
        }
    } catch (const std::exception&) {
    }
}

} // namespace lsrecon::opencl
