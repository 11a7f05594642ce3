#include "io/hdf5/child.hpp"

#include <cerrno>
#include <fcntl.h>
#include <mutex>
#include <optional>
#include <spawn.h>
#include <string>
#include <sys/mman.h>
#include <system_error>
#include <unistd.h>

#include "base/error.hpp"
#include "base/file_bytes.hpp"

// The program io/hdf5/program/main.cpp as bytes, so that it is there, and of the same version,
// wherever the library is linked into.
asm(".pushsection .rodata\n"
    ".global lsrecon_hdf5_program, lsrecon_hdf5_program_end\n"
    ".hidden lsrecon_hdf5_program, lsrecon_hdf5_program_end\n"
    "lsrecon_hdf5_program: .incbin \"" LSRECON_HDF5_PROGRAM "\"\n"
    "lsrecon_hdf5_program_end: .byte 0\n"
    ".popsection\n");
extern "C" const char lsrecon_hdf5_program[];
extern "C" const char lsrecon_hdf5_program_end[];

namespace lsrecon {

namespace {

void require(int error) {
    if (error != 0) {
        throw std::system_error(error, std::generic_category());
    }
}

/// A file without a name that holds the program.
int program() {
    static const int file = [] {
        const auto size = static_cast<std::size_t>(lsrecon_hdf5_program_end - lsrecon_hdf5_program);
        const int low = ::memfd_create("lsrecon-hdf5", MFD_CLOEXEC);
        const int made = ::fcntl(low, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
        ::close(low); // which may be that of a closed standard stream
        require(made >= 0 && write_all(made, lsrecon_hdf5_program, size, 0) ? 0 : errno);
        return made;
    }();
    return file;
}

/// Starts the program with `orders` as its standard input.
void start_program(int orders) {
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, orders, STDIN_FILENO);
    std::string path = text("/proc/self/fd/", program());
    char* const words[] = {path.data(), nullptr};
    pid_t started = 0;
    const int error = ::posix_spawn(&started, path.c_str(), &files, nullptr, words, environ);
    posix_spawn_file_actions_destroy(&files);
    require(error);
}

/// Over which the one copy or program of this process gets its orders.
std::optional<Connection>& orders() {
    static std::optional<Connection> connection;
    return connection;
}

} // namespace

void start_hdf5_children_from_here() {
    try {
        auto [here, there] = Connection::make();
        const pid_t copy = ::fork();
        if (copy == 0) {
            serve_hdf5_files(there.descriptor());
        }
        require(copy < 0 ? errno : 0);
        orders() = std::move(here);
    } catch (const std::system_error&) { // whoever reads a file tries again, and tells
    }
}

Connection start_hdf5_child(int file) {
    static std::mutex mutex;
    auto [here, there] = Connection::make();
    const std::lock_guard<std::mutex> lock(mutex);
    try {
        if (orders()) {
            orders()->send_descriptors({there.descriptor(), file});
            return std::move(here);
        }
    } catch (const ConnectionLost&) { // somebody has ended it
    }
    auto [to_program, of_program] = Connection::make();
    start_program(of_program.descriptor());
    to_program.send_descriptors({there.descriptor(), file});
    orders() = std::move(to_program);
    return std::move(here);
}

} // namespace lsrecon
