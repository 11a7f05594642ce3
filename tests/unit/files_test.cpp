#include <gtest/gtest.h>
#include <sys/stat.h>

#include "base/bytes_as_text.hpp"
#include "base/error.hpp"
#include "base/output_file.hpp"
#include "support/surroundings.hpp"

namespace lsrecon {
namespace {

namespace fs = std::filesystem;
using test::read_text;
using test::TemporaryFolder;
using test::write_text;

TEST(ReplacingFile, AppearsOnlyOnCommit) {
    const TemporaryFolder folder;
    const std::string path = folder.file("out.txt");
    write_text(path, "before");
    {
        ReplacingFile out(path);
        write_text(out.path(), "after");
        EXPECT_EQ(read_text(path), "before");
        out.commit();
        EXPECT_EQ(read_text(path), "after");
    }
    EXPECT_EQ(folder.entries(), 1U);
}

TEST(ReplacingFile, LeavesNothingWithoutCommit) {
    const TemporaryFolder folder;
    {
        const ReplacingFile out(folder.file("out.txt"));
        write_text(out.path(), "half of it");
    }
    EXPECT_EQ(folder.entries(), 0U);
}

TEST(ReplacingFile, OfTwoWritersTheLastStays) {
    const TemporaryFolder folder;
    ReplacingFile one(folder.file("out.txt"));
    ReplacingFile two(folder.file("out.txt"));
    write_text(one.path(), "of one");
    write_text(two.path(), "of two");
    two.commit();
    EXPECT_EQ(read_text(two.target()), "of two");
    one.commit();
    EXPECT_EQ(read_text(one.target()), "of one");
    EXPECT_EQ(folder.entries(), 1U);
}

TEST(ReplacingFile, RefusesAFolderThatIsMissingOrInTheWay) {
    const TemporaryFolder folder;
    EXPECT_THROW(ReplacingFile(folder.file("missing/out.txt")), UsageError);
    fs::create_directory(folder.file("taken"));
    EXPECT_THROW(ReplacingFile(folder.file("taken")), UsageError);
}

TEST(ReplacingFile, RefusesAllButRegularFiles) {
    const TemporaryFolder folder;
    ASSERT_EQ(::mkfifo(folder.file("pipe").c_str(), 0600), 0);
    EXPECT_THROW(ReplacingFile(folder.file("pipe")), UsageError);
    EXPECT_THROW(ReplacingFile("/dev/null"), UsageError);
    EXPECT_THROW(ReplacingFile(""), UsageError);
    EXPECT_THROW(ReplacingFile(folder.file(std::string(300, 'a'))), UsageError);
    fs::create_symlink("loop", folder.file("loop"));
    EXPECT_THROW(ReplacingFile(folder.file("loop")), UsageError);
    test::write_text(folder.file("file"), "");
    EXPECT_THROW(ReplacingFile(folder.file("file/out.txt")), UsageError);
    EXPECT_EQ(folder.entries(), 3U);
}

TEST(ReplacingFile, FollowsALinkAndLeavesIt) {
    const TemporaryFolder folder;
    fs::create_directory(folder.file("other"));
    write_text(folder.file("other/out.txt"), "before");
    fs::create_symlink("other/out.txt", folder.file("link"));
    fs::create_symlink(folder.file("link"), folder.file("link_of_link"));
    ReplacingFile out(folder.file("link_of_link"));
    write_text(out.path(), "after");
    out.commit();
    EXPECT_TRUE(fs::is_symlink(folder.file("link_of_link")));
    EXPECT_TRUE(fs::is_symlink(folder.file("link")));
    EXPECT_EQ(read_text(folder.file("other/out.txt")), "after");
}

TEST(ReplacingFile, MakesTheFileBehindALinkThatLeadsNowhere) {
    const TemporaryFolder folder;
    fs::create_symlink("out.txt", folder.file("link"));
    ReplacingFile out(folder.file("link"));
    write_text(out.path(), "new");
    out.commit();
    EXPECT_TRUE(fs::is_symlink(folder.file("link")));
    EXPECT_EQ(read_text(folder.file("out.txt")), "new");
    fs::create_symlink("missing/out.txt", folder.file("nowhere"));
    EXPECT_THROW(ReplacingFile(folder.file("nowhere")), UsageError);
}

TEST(ReplacingFile, KeepsTheModeOfWhatItReplaces) {
    const TemporaryFolder folder;
    const std::string path = folder.file("out.txt");
    struct stat status {};
    for (const mode_t mode : {0600U, 0440U, 0666U}) {
        write_text(path, "before");
        ::chmod(path.c_str(), mode);
        ReplacingFile out(path);
        write_text(out.path(), "after");
        ::stat(out.path().c_str(), &status);
        EXPECT_EQ(status.st_mode & 0777U & ~(mode | 0600U), 0U) << "others may read more";
        out.commit();
        ::stat(path.c_str(), &status);
        EXPECT_EQ(status.st_mode & 0777U, mode);
        fs::remove(path);
    }
}

TEST(ReplacingFile, TakesNamesAsLongAsTheFileSystemDoes) {
    const TemporaryFolder folder;
    const std::string longest = folder.file(std::string(250, 'a') + "\xC3\xA9.h5"); // an e acute
    ReplacingFile out(longest);
    write_text(out.path(), "new");
    out.commit();
    EXPECT_EQ(read_text(longest), "new");
    EXPECT_EQ(folder.entries(), 1U);
}

// FIPS 180-4 examples of NIST.
TEST(Sha256, KnownAnswers) {
    EXPECT_EQ(Sha256().hex(), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    EXPECT_EQ(Sha256().add("abc").hex(),
              "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    EXPECT_EQ(Sha256().add("a").add("bc").hex(), Sha256().add("abc").hex());
}

} // namespace
} // namespace lsrecon
