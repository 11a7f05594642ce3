#include "base/input_file.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "base/bytes_as_text.hpp"
#include "base/error.hpp"
#include "base/machine.hpp"
#include "base/packed.hpp"
#include "support/surroundings.hpp"

namespace lsrecon {
namespace {

using test::TemporaryFolder;
using test::write_text;

std::string found(const std::string& path) {
    try {
        const InputFile file(path);
    } catch (const InputError& error) {
        return error.fault().found;
    }
    return "";
}

TEST(InputFile, HashIsThatOfItsBytes) {
    const TemporaryFolder folder;
    const std::string longer_than_the_buffer((1 << 20) + 3, 'x');
    write_text(folder.path() / "f", longer_than_the_buffer);
    InputFile file(folder.file("f"));
    EXPECT_EQ(file.bytes(), longer_than_the_buffer.size());
    file.start_hash();
    EXPECT_EQ(file.sha256(), Sha256().add(longer_than_the_buffer).hex());
}

TEST(InputFile, StaysTheFileThatWasOpened) {
    const TemporaryFolder folder;
    write_text(folder.path() / "f", "first");
    write_text(folder.path() / "g", "second");
    InputFile file(folder.file("f"));
    std::filesystem::rename(folder.path() / "g", folder.path() / "f");
    EXPECT_EQ(file.sha256(), Sha256().add("first").hex());
}

TEST(InputFile, AChangeWhileItIsReadIsRefused) {
    const TemporaryFolder folder;
    write_text(folder.path() / "f", "first");
    InputFile file(folder.file("f"));
    write_text(folder.path() / "f", "longer than before");
    try {
        file.sha256();
        FAIL();
    } catch (const InputError& error) {
        EXPECT_EQ(error.fault().file, folder.file("f"));
        EXPECT_EQ(error.fault().found, "it was changed while it was read");
    }
}

TEST(InputFile, AllButRegularFilesAreRefused) {
    const TemporaryFolder folder;
    EXPECT_EQ(found(folder.file("f")), "no such file");
    EXPECT_EQ(found(folder.path().string()), "it is a folder");
    EXPECT_EQ(found(folder.file(std::string(300, 'x'))), "File name too long");
    ASSERT_EQ(mkfifo(folder.file("pipe").c_str(), 0600), 0);
    EXPECT_EQ(found(folder.file("pipe")), "it is not a regular file");
    std::filesystem::create_symlink(folder.path() / "loop", folder.path() / "loop");
    EXPECT_EQ(found(folder.file("loop")), "Too many levels of symbolic links");
}

void write_file(const TemporaryFolder& root, const std::string& name, const std::string& text) {
    const std::filesystem::path path = root.path() / name;
    std::filesystem::create_directories(path.parent_path());
    write_text(path, text);
}

TEST(MemoryLimit, IsTheLeastOfAllGroupsAbove) {
    const TemporaryFolder root;
    const auto limit = [&] { return memory_limit(root.path().string()); };
    EXPECT_EQ(limit().whose, "this machine");
    write_file(root, "proc/self/cgroup", "1:cpu:/\n0::/batch/job\n");
    write_file(root, "sys/fs/cgroup/batch/job/memory.max", "max\n");
    EXPECT_EQ(limit().whose, "this machine");
    write_file(root, "sys/fs/cgroup/batch/memory.max", "3000000\n");
    EXPECT_EQ(limit().bytes, 3e6);
    EXPECT_NE(limit().whose.find("cgroup"), std::string::npos);
    write_file(root, "proc/self/cgroup", "9:cpu,memory:/one\n");
    write_file(root, "sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
    write_file(root, "sys/fs/cgroup/memory/one/memory.limit_in_bytes", "2000000\n");
    EXPECT_EQ(limit().bytes, 2e6);
}

struct Inner {
    std::string name;
    std::vector<double> values;
    template <typename Archive> void each(Archive& archive) { archive(name, values); }
};

struct Outer {
    bool flag = false;
    std::vector<Inner> inner;
    template <typename Archive> void each(Archive& archive) { archive(flag, inner); }
};

TEST(Packed, ComesBackAsItWas) {
    const std::string odd("a\0\xff", 3);
    const Outer back = unpacked<Outer>(packed(Outer{true, {{odd, {}}, {"", {1, -0.5}}}}));
    EXPECT_TRUE(back.flag);
    ASSERT_EQ(back.inner.size(), 2u);
    EXPECT_EQ(back.inner[0].name, odd);
    EXPECT_EQ(back.inner[1].values, (std::vector<double>{1, -0.5}));
}

TEST(Packed, AnythingShorterIsRefused) {
    const std::string whole = packed(Outer{true, {{"name", {1, 2}}}});
    for (std::size_t size = 0; size < whole.size(); ++size) {
        EXPECT_THROW(unpacked<Outer>(whole.substr(0, size)), std::length_error) << size;
    }
    EXPECT_THROW(unpacked<std::string>(std::string(8, '\xff')), std::length_error);
}

} // namespace
} // namespace lsrecon
