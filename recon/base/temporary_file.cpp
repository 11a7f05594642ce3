#include "base/temporary_file.hpp"

#include <cerrno>
#include <ctime>
#include <dirent.h>
#include <fcntl.h>
#include <fstream>
#include <random>
#include <sys/file.h>
#include <system_error>
#include <unistd.h>

#include "base/place.hpp"

namespace lsrecon {

namespace {

constexpr const char* temporary_end = ".part";
constexpr std::size_t kernel_digits = 8;
constexpr std::size_t random_digits = 16;
constexpr std::size_t added = 1 + kernel_digits + random_digits + 5; // .DIGITS.part
constexpr std::time_t week = 7 * 24 * 3600;

/// The first digits of the running kernel's boot number: one for each start of a machine, the same
/// in all of its containers.
std::string digits_of_kernel() {
    std::string line;
    std::getline(std::ifstream("/proc/sys/kernel/random/boot_id"), line);
    line.resize(kernel_digits, '0');
    return line;
}

std::string random_hex() {
    constexpr char digits[] = "0123456789abcdef";
    std::random_device random;
    std::string result;
    for (std::size_t i = 0; i < random_digits; ++i) {
        result += digits[random() % 16];
    }
    return result;
}

/// NAME, or as much of it as leaves room for what is added; never a part of a character in UTF-8.
std::string with_room(const std::string& folder, const std::string& name) {
    const long most = ::pathconf(folder.c_str(), _PC_NAME_MAX);
    std::size_t size = static_cast<std::size_t>(most > 0 ? most : 255) - added;
    if (name.size() <= size) {
        return name;
    }
    while (size > 0 && (static_cast<unsigned char>(name[size]) & 0xC0) == 0x80) {
        --size;
    }
    return name.substr(0, size);
}

/// The digits of NAME.DIGITS.part; "" for any other name.
std::string digits_of(const std::string& name) {
    if (name.size() <= added || name.substr(name.size() - 5) != temporary_end ||
        name[name.size() - added] != '.') {
        return "";
    }
    const std::string digits = name.substr(name.size() - added + 1, kernel_digits + random_digits);
    const bool ours = digits.find_first_not_of("0123456789abcdef") == std::string::npos;
    return ours ? digits : "";
}

/// Whether `path` is still the name of the open `file`.
bool names(const std::string& path, int file) {
    struct stat of_file {};
    struct stat of_name {};
    return ::fstat(file, &of_file) == 0 && ::lstat(path.c_str(), &of_name) == 0 &&
           of_file.st_ino == of_name.st_ino && of_file.st_dev == of_name.st_dev;
}

bool is_old(int file) {
    struct stat facts {};
    return ::fstat(file, &facts) == 0 && std::time(nullptr) - facts.st_mtime > week;
}

void remove_if_stale(const std::string& path, bool of_this_kernel) {
    // For writing, because NFS locks nothing else.
    const int file = ::open(path.c_str(), O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (file < 0) {
        return;
    }
    if ((of_this_kernel || is_old(file)) && ::flock(file, LOCK_EX | LOCK_NB) == 0 &&
        names(path, file)) {
        ::unlink(path.c_str());
    }
    ::close(file);
}

} // namespace

TemporaryFile::TemporaryFile(const std::string& folder, const std::string& name) {
    remove_stale_files(folder);
    const std::string begin = folder + "/" + with_room(folder, name) + "." + digits_of_kernel();
    do {
        path_ = begin + random_hex() + temporary_end;
        removed_on_signal_.emplace(path_);
    } while (!create());
}

/// False when another process removed the file between its creation and its lock.
bool TemporaryFile::create() {
    constexpr mode_t as_any_new_file = 0666; // less the umask
    file_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, as_any_new_file);
    if (file_ < 0) {
        throw std::system_error(errno, std::generic_category());
    }
    const bool locked = ::flock(file_, LOCK_EX | LOCK_NB) == 0;
    // Without locks on this file system no other process takes it either.
    if ((locked || errno != EWOULDBLOCK) && names(path_, file_)) {
        return true;
    }
    ::close(file_);
    return false;
}

TemporaryFile::~TemporaryFile() {
    ::unlink(path_.c_str()); // gone already when it was renamed
    ::close(file_);
}

void remove_stale_files(const std::string& folder) {
    DIR* const entries = ::opendir(folder.c_str());
    if (entries == nullptr) {
        return;
    }
    const std::string kernel = digits_of_kernel();
    while (const dirent* const entry = ::readdir(entries)) {
        const std::string digits = digits_of(entry->d_name);
        if (!digits.empty()) {
            const bool of_this_kernel = digits.compare(0, kernel_digits, kernel) == 0;
            remove_if_stale(folder + "/" + entry->d_name, of_this_kernel);
        }
    }
    ::closedir(entries);
}

} // namespace lsrecon
