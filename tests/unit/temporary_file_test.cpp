// Temporary files go with their writer, however it ends, and never before.

#include "base/temporary_file.hpp"

#include <atomic>
#include <csignal>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "support/surroundings.hpp"

namespace lsrecon {
namespace {

namespace fs = std::filesystem;
using test::TemporaryFolder;

/// Status of a process that makes a temporary file in the folder and ends by this signal.
int end_by(int signal, const TemporaryFolder& folder, const char* name = "out.h5") {
    const pid_t child = ::fork();
    if (child == 0) {
        remove_files_on_signals();
        const TemporaryFile file(folder.path().string(), name);
        ::raise(signal);
        ::_exit(0);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    return status;
}

TEST(TemporaryFile, IsRemovedByASignalThatTheShellStillSees) {
    for (const int signal : {SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGPIPE, SIGXCPU, SIGUSR1}) {
        const TemporaryFolder folder;
        const int status = end_by(signal, folder);
        EXPECT_TRUE(WIFSIGNALED(status)) << signal;
        EXPECT_EQ(WTERMSIG(status), signal);
        EXPECT_EQ(folder.entries(), 0U) << signal;
    }
}

TEST(TemporaryFile, ASignalThatWasIgnoredStaysIgnored) {
    const TemporaryFolder folder;
    const auto before = std::signal(SIGHUP, SIG_IGN);
    EXPECT_EQ(end_by(SIGHUP, folder), 0);
    std::signal(SIGHUP, before);
}

TEST(TemporaryFile, AChildLeavesThoseOfItsParent) {
    const TemporaryFolder folder;
    const TemporaryFile mine(folder.path().string(), "out.h5");
    const TemporaryFolder other;
    end_by(SIGTERM, other);
    EXPECT_TRUE(fs::exists(mine.path()));
}

TEST(TemporaryFile, OfAKilledProcessGoesWithTheNextOne) {
    const TemporaryFolder folder;
    end_by(SIGKILL, folder);
    end_by(SIGKILL, folder, "another.h5");
    EXPECT_EQ(folder.entries(), 1U) << "the second did not clean up, or neither left any";
    {
        const TemporaryFile next(folder.path().string(), "third.h5");
        EXPECT_EQ(folder.entries(), 1U);
        EXPECT_TRUE(fs::exists(next.path()));
    }
    EXPECT_EQ(folder.entries(), 0U);
}

TEST(TemporaryFile, OfALiveProcessStays) {
    const TemporaryFolder folder;
    const TemporaryFile mine(folder.path().string(), "out.h5");
    const pid_t child = ::fork();
    if (child == 0) {
        remove_stale_files(folder.path().string());
        ::_exit(0);
    }
    ::waitpid(child, nullptr, 0);
    remove_stale_files(folder.path().string());
    EXPECT_TRUE(fs::exists(mine.path()));
}

void make_a_week_old(const std::string& path) {
    struct timeval times[2]{};
    ::gettimeofday(&times[0], nullptr);
    times[0].tv_sec -= 8 * 24 * 3600;
    times[1] = times[0];
    ASSERT_EQ(::utimes(path.c_str(), times), 0);
}

TEST(TemporaryFile, OfAnotherMachineMustBeAWeekOld) {
    const TemporaryFolder folder;
    const std::string other = folder.file("out.h5.0123456789abcdef01234567.part");
    test::write_text(other, "of a machine whose locks may not be seen here");
    remove_stale_files(folder.path().string());
    ASSERT_TRUE(fs::exists(other));
    make_a_week_old(other);
    remove_stale_files(folder.path().string());
    EXPECT_FALSE(fs::exists(other));
}

TEST(TemporaryFile, FilesOfOtherNamesStay) {
    const TemporaryFolder folder;
    const std::vector<std::string> names{"image.h5.part",
                                         "image.h5.0123456789abcdef0123456.part",
                                         "image.h5.0123456789abcdefg1234567.part",
                                         "image.h5.0123456789abcdef01234567",
                                         ".0123456789abcdef01234567.part",
                                         "image.h5-0123456789abcdef01234567.part"};
    for (const std::string& name : names) {
        test::write_text(folder.file(name), "somebody else's");
        make_a_week_old(folder.file(name));
    }
    fs::create_directory(folder.file("folder.0123456789abcdef01234567.part"));
    fs::create_symlink("image.h5.part", folder.file("link.0123456789abcdef01234567.part"));
    remove_stale_files(folder.path().string());
    EXPECT_EQ(folder.entries(), names.size() + 2);
}

TEST(TemporaryFile, ManyMayBeMadeAndCleanedUpAtOnce) {
    const TemporaryFolder folder;
    std::atomic<int> lost{0};
    const auto make_many = [&] {
        for (int i = 0; i < 200; ++i) {
            const TemporaryFile file(folder.path().string(), "out.h5"); // cleans up, too
            lost += fs::exists(file.path()) ? 0 : 1;
        }
    };
    std::vector<pid_t> children;
    for (int p = 0; p < 3; ++p) {
        children.push_back(::fork());
        if (children.back() == 0) {
            make_many();
            ::_exit(lost == 0 ? 0 : 1);
        }
    }
    for (const pid_t child : children) {
        int status = -1;
        ::waitpid(child, &status, 0);
        EXPECT_EQ(status, 0) << "a live file was taken";
    }
    EXPECT_EQ(folder.entries(), 0U);
}

TEST(TemporaryFile, OfAFolderThatCannotBeWrittenIsAnError) {
    EXPECT_THROW(TemporaryFile("/proc", "out.h5"), std::system_error);
    EXPECT_THROW(TemporaryFile("/no/such/folder", "out.h5"), std::system_error);
}

} // namespace
} // namespace lsrecon
