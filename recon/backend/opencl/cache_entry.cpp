#include "backend/opencl/cache_entry.hpp"

#include <filesystem>
#include <fstream>

#include "base/machine.hpp"
#include "base/replacing_file.hpp"
#include "base/sha256.hpp"
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

namespace {

std::string hash_of(const void* bytes, std::size_t size) {
    return Sha256().add(bytes, size).hex();
}

} // namespace

// An entry is the hash of its content, then the content.
std::vector<unsigned char> read_cache_entry(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::string hash(hash_of(nullptr, 0).size(), ' ');
    file.read(hash.data(), static_cast<std::streamsize>(hash.size()));
    const std::vector<unsigned char> content{std::istreambuf_iterator<char>(file),
                                             std::istreambuf_iterator<char>()};
    return hash == hash_of(content.data(), content.size()) ? content : std::vector<unsigned char>();
}

void write_cache_entry(const std::string& path, const void* bytes, std::size_t size) {
    try {
        fs::create_directories(fs::path(path).parent_path());
        ReplacingFile file(path);
        std::ofstream stream(file.path(), std::ios::binary);
        stream << hash_of(bytes, size);
        stream.write(static_cast<const char*>(bytes), static_cast<std::streamsize>(size));
        stream.close();
        if (stream) {
            file.commit();
        }
    } catch (const std::exception&) {
    }
}

} // namespace lsrecon::opencl
