#include "base/temporary_file.hpp"

#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <random>
#include <sstream>
#include <system_error>
#include <unistd.h>

namespace lsrecon {

namespace {

std::string name_in(const std::string& folder) {
    std::random_device random;
    std::ostringstream name;
    name << folder << "/lsrecon-" << std::hex << random() << random() << ".part";
    return name.str();
}

void require(bool succeeded) {
    if (!succeeded) {
        throw std::system_error(errno, std::generic_category());
    }
}

} // namespace

TemporaryFile::TemporaryFile(const std::string& folder, mode_t mode)
    : name_(name_in(folder)), file_(::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, mode)),
      is_named_(file_ < 0) {
    if (is_named_) {
        file_ = ::open(name_.c_str(), O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, mode);
        require(file_ >= 0);
    }
    path_ = is_named_ ? name_ : "/proc/self/fd/" + std::to_string(file_);
}

TemporaryFile::~TemporaryFile() {
    if (is_named_) {
        ::unlink(name_.c_str()); // gone already when it was put in its place
    }
    ::close(file_);
}

void TemporaryFile::put_at(const std::string& target) {
    require(::fsync(file_) == 0);
    if (!is_named_) {
        const auto link_to = [&](const std::string& name) {
            return ::linkat(AT_FDCWD, path_.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) ==
                   0;
        };
        if (link_to(target)) { // never under another name, which a signal would leave
            return;
        }
        require(errno == EEXIST && link_to(name_)); // a link replaces nothing: a rename does
        is_named_ = true;
    }
    require(std::rename(name_.c_str(), target.c_str()) == 0);
}

} // namespace lsrecon
