// Where things are kept when the usual folders cannot be used, and locks.

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

#include "base/folders.hpp"
#include "support/surroundings.hpp"

namespace lsrecon {
namespace {

namespace fs = std::filesystem;
using test::ScopedEnvironment;
using test::TemporaryFolder;

class CacheFolder : public testing::Test {
protected:
    TemporaryFolder folder;
    /// No user, not even the superuser, can make a folder below it.
    std::string impossible = [this] {
        test::write_text(folder.file("file"), "");
        return folder.file("file") + "/below";
    }();
    ScopedEnvironment none{"LSRECON_CACHE", ""};
    ScopedEnvironment no_cache{"XDG_CACHE_HOME", ""};
    ScopedEnvironment no_home{"HOME", ""};
    ScopedEnvironment temporary{"TMPDIR", folder.path().string()};
    std::string last = folder.file("lsrecon-" + std::to_string(::getuid()));
};

TEST_F(CacheFolder, IsTheFirstThatIsNamed) {
    const ScopedEnvironment home("HOME", folder.file("home"));
    EXPECT_EQ(cache_folder(), folder.file("home/.cache/lsrecon"));
    const ScopedEnvironment shared("XDG_CACHE_HOME", folder.file("shared"));
    EXPECT_EQ(cache_folder(), folder.file("shared/lsrecon"));
    const ScopedEnvironment own("LSRECON_CACHE", impossible);
    EXPECT_EQ(cache_folder(), impossible) << "what the user names is not replaced";
    EXPECT_FALSE(fs::exists(last));
}

TEST_F(CacheFolder, WithoutAHomeIsForThisUserAlone) {
    EXPECT_EQ(cache_folder(), last);
    struct stat is {};
    ASSERT_EQ(::stat(last.c_str(), &is), 0);
    EXPECT_EQ(is.st_mode & 0777U, 0700U);
    const ScopedEnvironment home("HOME", impossible);
    EXPECT_EQ(cache_folder(), last);
    const ScopedEnvironment shared("XDG_CACHE_HOME", impossible);
    EXPECT_EQ(cache_folder(), last);
}

TEST_F(CacheFolder, ThatOthersMayWriteIsNotTrusted) {
    fs::create_directory(last);
    fs::permissions(last, fs::perms::all);
    EXPECT_NE(private_folder(), last);
    fs::remove(last);
    fs::create_directory_symlink(folder.path(), last);
    EXPECT_NE(private_folder(), last) << "a link";
}

TEST_F(CacheFolder, TroubleIsReportedBeforeSomethingIsKept) {
    EXPECT_EQ(trouble_with(folder.file("a/new/one"), 1 << 20), "");
    EXPECT_TRUE(fs::is_empty(folder.file("a/new/one"))) << "left something";
    EXPECT_EQ(trouble_with(impossible, 1), "Not a directory");
    EXPECT_EQ(trouble_with(folder.file("file"), 1), "Not a directory");
    EXPECT_NE(trouble_with(folder.path().string(), std::size_t(1) << 60), "") << "full";
    if (::geteuid() != 0) {
        fs::permissions(folder.file("a"), fs::perms::owner_read | fs::perms::owner_exec);
        EXPECT_EQ(trouble_with(folder.file("a"), 1), "Permission denied");
        fs::permissions(folder.file("a"), fs::perms::owner_all);
    }
}

using std::chrono::milliseconds;

TEST(FileLock, KeepsOthersOutUntilItGoes) {
    const TemporaryFolder folder;
    const std::string path = folder.file("lock");
    {
        const FileLock first(path);
        EXPECT_EQ(first.state(), FileLock::State::held);
        EXPECT_EQ(FileLock(path, milliseconds(30)).state(), FileLock::State::timed_out);
    }
    EXPECT_EQ(FileLock(path, milliseconds(0)).state(), FileLock::State::held);
}

TEST(FileLock, WaitsForItsTurn) {
    const TemporaryFolder folder;
    int count = 0;
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
        threads.emplace_back([&] {
            for (int i = 0; i < 20; ++i) {
                const FileLock lock(folder.file("lock"));
                const int before = count;
                std::this_thread::yield();
                count = before + 1;
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    EXPECT_EQ(count, 80);
}

TEST(FileLock, WithoutLocksWorkContinues) {
    EXPECT_EQ(FileLock("/no/such/folder/lock").state(), FileLock::State::unsupported);
}

} // namespace
} // namespace lsrecon
