// What Linux has and other systems of POSIX lack, each with what is done without it.
// LSRECON_POSIX_ALONE takes what is done without it on Linux, too, so that it can be tested there.

#pragma once

#include <ctime>
#include <string>

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#if defined(__linux__) && !defined(LSRECON_POSIX_ALONE)
#define LSRECON_ON_LINUX
#include <csignal>
#include <sys/prctl.h>
#endif

namespace lsrecon::platform {

/// The name by which a process opens one of its descriptors.
inline std::string name_of_descriptor(int descriptor) {
#ifdef LSRECON_ON_LINUX
    return "/proc/self/fd/" + std::to_string(descriptor);
#else
    return "/dev/fd/" + std::to_string(descriptor);
#endif
}

/// What execvp() starts this program by: elsewhere by its name, which has to be in PATH.
inline const char* this_program() {
#ifdef LSRECON_ON_LINUX
    return "/proc/self/exe";
#else
    return "lsrecon";
#endif
}

/// Ends this process with its parent. Elsewhere it ends when its connection does.
inline void end_with_parent() {
#ifdef LSRECON_ON_LINUX
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
}

inline void close_when_another_program_starts(int descriptor) {
    ::fcntl(descriptor, F_SETFD, FD_CLOEXEC);
}

/// Closes this descriptor and all above it.
inline void close_from(int first) {
#ifdef LSRECON_ON_LINUX
    ::close_range(static_cast<unsigned>(first), ~0U, 0);
#else
    constexpr long most = 65536;
    const long end = ::sysconf(_SC_OPEN_MAX);
    for (int descriptor = first; descriptor < (end > 0 && end < most ? end : most); ++descriptor) {
        ::close(descriptor);
    }
#endif
}

/// When the content of a file was changed last, and its entry.
inline timespec content_changed(const struct stat& status) {
#ifdef __APPLE__
    return status.st_mtimespec;
#else
    return status.st_mtim;
#endif
}
inline timespec entry_changed(const struct stat& status) {
#ifdef __APPLE__
    return status.st_ctimespec;
#else
    return status.st_ctim;
#endif
}

/// The flags of send() by which a connection that has ended is an error and no signal.
#ifdef MSG_NOSIGNAL
constexpr int without_signal = MSG_NOSIGNAL;
#else
constexpr int without_signal = 0;
#endif
/// The same for a socket, where send() has no such flag.
inline void send_without_signal(int socket) {
#ifdef SO_NOSIGPIPE
    const int yes = 1;
    ::setsockopt(socket, SOL_SOCKET, SO_NOSIGPIPE, &yes, sizeof yes);
#else
    static_cast<void>(socket);
#endif
}

} // namespace lsrecon::platform
