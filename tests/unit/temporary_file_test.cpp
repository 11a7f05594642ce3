// A temporary file has no name before it is whole, and a signal still says what was kept.

#include "base/output_file.hpp"

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <iterator>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

#include "base/report.hpp"
#include "support/surroundings.hpp"

namespace lsrecon {
namespace {

namespace fs = std::filesystem;
using test::TemporaryFolder;

/// Status of a process that has something to say in the folder and ends by this signal.
int end_by(int signal, const TemporaryFolder& folder) {
    const pid_t child = ::fork();
    if (child == 0) {
        ::dup2(::fileno(std::fopen(folder.file("said").c_str(), "w")), STDERR_FILENO);
        say_words_on_signals(nullptr);
        const SaidOnSignal words("some frames are kept\n");
        ::raise(signal);
        ::_exit(0);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    return status;
}

TEST(TemporaryFile, HasNoNameBeforeItIsPut) {
    const TemporaryFolder folder;
    TemporaryFile file(folder.path().string(), 0600);
    test::write_text(file.path(), "all of it");
    if (folder.entries() > 0) {
        GTEST_SKIP() << "the file system of " << folder.path() << " has named files alone";
    }
    fs::create_symlink("elsewhere", folder.file("planted"));
    file.put_at(folder.file("planted"));
    EXPECT_FALSE(fs::is_symlink(folder.file("planted")));
    EXPECT_EQ(test::read_text(folder.file("planted")), "all of it");
    EXPECT_EQ(fs::status(folder.file("planted")).permissions(),
              fs::perms::owner_read | fs::perms::owner_write);
    EXPECT_EQ(folder.entries(), 1U);
}

TEST(TemporaryFile, OfAFolderThatCannotBeWrittenIsAnError) {
    EXPECT_THROW(TemporaryFile("/proc"), std::system_error);
    EXPECT_THROW(TemporaryFile("/no/such/folder"), std::system_error);
}

/// From now on this process can make no files without a name, as on NFS. False where it cannot be
/// kept from it.
bool forbid_files_without_names() {
    sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, args[2])), // flags
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, O_TMPFILE & ~O_DIRECTORY, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EOPNOTSUPP),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    const sock_fprog program{std::size(filter), filter};
    return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

TEST(TemporaryFile, HasANameWhereAFileSystemLacksOthers) {
    const TemporaryFolder folder;
    const pid_t child = ::fork();
    if (child == 0) {
        if (!forbid_files_without_names()) {
            ::_exit(77);
        }
        bool good = true;
        {
            TemporaryFile file(folder.path().string());
            TemporaryFile not_finished(folder.path().string());
            good = folder.entries() == 2;
            test::write_text(file.path(), "all of it");
            file.put_at(folder.file("out"));
        }
        good = good && test::read_text(folder.file("out")) == "all of it" && folder.entries() == 1;
        ::_exit(good ? 0 : 1);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    if (WEXITSTATUS(status) == 77) {
        GTEST_SKIP() << "system calls cannot be filtered here";
    }
    EXPECT_EQ(status, 0);
}

TEST(TemporaryFolder, IsGoneHoweverItsProcessEnds) {
    const TemporaryFolder parent;
    const test::ScopedEnvironment where("TMPDIR", parent.file("a folder's"));
    std::filesystem::create_directory(parent.file("a folder's"));
    for (const int signal : {SIGTERM, SIGKILL}) {
        const pid_t child = ::fork();
        if (child == 0) {
            const TemporaryFolder folder;
            std::filesystem::create_directory(folder.file("more"));
            test::write_text(folder.file("more") + "/file", "words");
            ::signal(signal, SIG_DFL);
            ::raise(signal);
        }
        int status = 0;
        ::waitpid(child, &status, 0);
        EXPECT_EQ(WTERMSIG(status), signal);
        constexpr int tenths_of_a_second = 100;
        for (int i = 0; i < tenths_of_a_second; ++i) {
            if (std::filesystem::is_empty(parent.file("a folder's"))) {
                break;
            }
            ::usleep(100000);
        }
        EXPECT_TRUE(std::filesystem::is_empty(parent.file("a folder's"))) << signal;
    }
}

TEST(SaidOnSignal, IsSaidByASignalThatTheShellStillSees) {
    for (const int signal : {SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGPIPE, SIGXCPU, SIGUSR1}) {
        const TemporaryFolder folder;
        const int status = end_by(signal, folder);
        EXPECT_TRUE(WIFSIGNALED(status)) << signal;
        EXPECT_EQ(WTERMSIG(status), signal);
        EXPECT_EQ(test::read_text(folder.file("said")), "some frames are kept\n") << signal;
    }
}

TEST(SaidOnSignal, ASignalThatWasIgnoredStaysIgnored) {
    const TemporaryFolder folder;
    const auto before = std::signal(SIGHUP, SIG_IGN);
    EXPECT_EQ(end_by(SIGHUP, folder), 0);
    std::signal(SIGHUP, before);
}

} // namespace
} // namespace lsrecon
