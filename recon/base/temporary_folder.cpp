#include "base/temporary_folder.hpp"

#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.hpp"
#include "base/numbers.hpp"

extern char** environ; // NOLINT: POSIX

namespace lsrecon {

TemporaryFolder::TemporaryFolder(const std::string& use) {
    std::string name =
        (std::filesystem::temp_directory_path() / ("lsrecon-" + use + "-XXXXXX")).string();
    if (::mkdtemp(name.data()) == nullptr) {
        throw UsageError(text(name, ": cannot be made\n  next:     let TMPDIR name a folder "
                                    "that can be written"));
    }
    path_ = std::filesystem::absolute(name);
    start_guard();
}

/// Starts the process that removes the folder after a signal. Where it cannot start, a signal
/// leaves the folder.
void TemporaryFolder::start_guard() {
    // The child has a process group of its own, so that Ctrl-C and timeout(1) do not end it first.
    constexpr const char* remove = "trap '' HUP INT QUIT TERM USR1 USR2; "
                                   "read -r end; exec rm -rf -- \"$1\"";
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) {
        return;
    }
    tie_ = ends[1];
    const char* const arguments[] = {"sh", "-c", remove, "sh", path_.c_str(), nullptr};
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO);
    for (const int said : {STDOUT_FILENO, STDERR_FILENO}) {
        posix_spawn_file_actions_addopen(&actions, said, "/dev/null", O_WRONLY, 0);
    }
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    if (::posix_spawn(&guard_, "/bin/sh", &actions, &attributes,
                      const_cast<char* const*>(arguments), environ) != 0) {
        guard_ = -1;
    }
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    ::close(ends[0]);
}

TemporaryFolder::~TemporaryFolder() {
    std::error_code ignored; // a temporary folder is emptied by others
    std::filesystem::remove_all(path_, ignored);
    if (guard_ > 0) {
        ::kill(guard_, SIGKILL);
        ::waitpid(guard_, nullptr, 0);
    }
    if (tie_ >= 0) {
        ::close(tie_);
    }
}

} // namespace lsrecon
