// Starts the children that read HDF5, from a copy of this process or from a small program that is
// embedded here.

#include "io/hdf5/child.hpp"

#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <mutex>
#include <optional>
#include <spawn.h>
#include <string>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

#include "base/error.hpp"
#include "base/output_file.hpp"
#include "base/platform.hpp"

// The program hdf5_program as bytes, so that it is there, and of the same version,
// wherever the library is linked into.
#ifdef __APPLE__
asm(".section __TEXT,__const\n"
    ".globl _lsrecon_hdf5_program, _lsrecon_hdf5_program_end\n"
    ".private_extern _lsrecon_hdf5_program, _lsrecon_hdf5_program_end\n"
    "_lsrecon_hdf5_program: .incbin \"" LSRECON_HDF5_PROGRAM "\"\n"
    "_lsrecon_hdf5_program_end: .byte 0\n"
    ".text\n");
#else
asm(".pushsection .rodata\n"
    ".global lsrecon_hdf5_program, lsrecon_hdf5_program_end\n"
    ".hidden lsrecon_hdf5_program, lsrecon_hdf5_program_end\n"
    "lsrecon_hdf5_program: .incbin \"" LSRECON_HDF5_PROGRAM "\"\n"
    "lsrecon_hdf5_program_end: .byte 0\n"
    ".popsection\n");
#endif
extern char** environ;
extern "C" const char lsrecon_hdf5_program[];
extern "C" const char lsrecon_hdf5_program_end[];

namespace lsrecon {

namespace {

void require(int error) {
    if (error != 0) {
        throw std::system_error(error, std::generic_category());
    }
}

/// A file that holds the program: without a name, or removed once it runs.
class ProgramFile {
public:
#ifdef LSRECON_ON_LINUX
    ProgramFile() : path_(platform::name_of_descriptor(kept())) {}
    ~ProgramFile() = default;
#else
    ProgramFile() : path_(std::filesystem::temp_directory_path() / "lsrecon-hdf5-XXXXXX") {
        const int file = ::mkstemp(path_.data());
        const bool is_written = file >= 0 && write_into(file) && ::fchmod(file, S_IRWXU) == 0;
        const int error = errno;
        ::close(file); // else it cannot be started
        require(is_written ? 0 : error);
    }
    ~ProgramFile() {
        ::unlink(path_.c_str());
    }
#endif
    ProgramFile(const ProgramFile&) = delete;
    ProgramFile& operator=(const ProgramFile&) = delete;

    std::string& path() {
        return path_;
    }

private:
    static bool write_into(int file) {
        const auto size = static_cast<std::size_t>(lsrecon_hdf5_program_end - lsrecon_hdf5_program);
        return write_all(file, lsrecon_hdf5_program, size, 0);
    }
#ifdef LSRECON_ON_LINUX
    static int kept() {
        static const int file = [] {
            const int low = ::memfd_create("lsrecon-hdf5", MFD_CLOEXEC);
            const int made = ::fcntl(low, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
            ::close(low); // which may be that of a closed standard stream
            require(made >= 0 && write_into(made) ? 0 : errno);
            return made;
        }();
        return file;
    }
#endif

    std::string path_;
};

/// Starts the program with `orders` as its standard input. Its process.
pid_t start_program(int orders) {
    ProgramFile program;
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, orders, STDIN_FILENO);
    char* const words[] = {program.path().data(), nullptr};
    pid_t started = 0;
    const int error =
        ::posix_spawn(&started, program.path().c_str(), &files, nullptr, words, environ);
    posix_spawn_file_actions_destroy(&files);
    require(error);
    return started;
}

/// The one copy or program of this process, ended and waited for with it. Another process that was
/// forked from this one may use it, too.
class SmallProcess {
public:
    SmallProcess(pid_t process, Connection orders)
        : process_(process), orders_(std::move(orders)) {}
    ~SmallProcess() {
        if (::getpid() != parent_) {
            return;
        }
        try {
            orders_.send("", 1);
        } catch (const ConnectionLost&) { // it has ended
        }
        ::waitpid(process_, nullptr, 0);
    }
    SmallProcess(const SmallProcess&) = delete;
    SmallProcess& operator=(const SmallProcess&) = delete;

    void start(const Connection& child, int file) const {
        orders_.send_descriptors({child.descriptor(), file});
    }

private:
    pid_t parent_ = ::getpid();
    pid_t process_;
    Connection orders_;
};

std::optional<SmallProcess>& small_process() {
    static std::optional<SmallProcess> process;
    return process;
}

} // namespace

void start_hdf5_children_from_here() {
    try {
        auto [own, other] = Connection::make();
        const pid_t copy = ::fork();
        if (copy == 0) {
            serve_hdf5_files(other.descriptor());
        }
        require(copy < 0 ? errno : 0);
        small_process().emplace(copy, std::move(own));
    } catch (const std::system_error&) { // whoever reads a file tries again, and reports it
    }
}

Connection start_hdf5_child(int file) {
    static std::mutex mutex;
    auto [own, other] = Connection::make();
    const std::lock_guard<std::mutex> lock(mutex);
    try {
        if (small_process()) {
            small_process()->start(other, file);
            return std::move(own);
        }
    } catch (const ConnectionLost&) { // somebody has ended it
    }
    auto [orders, of_program] = Connection::make();
    small_process().emplace(start_program(of_program.descriptor()), std::move(orders));
    small_process()->start(other, file);
    return std::move(own);
}

} // namespace lsrecon
