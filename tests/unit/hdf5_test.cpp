#include <atomic>
#include <csignal>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <numeric>
#include <optional>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "base/error.hpp"
#include "io/hdf5/reader.hpp"
#include "io/hdf5/writer.hpp"
#include "support/surroundings.hpp"

namespace lsrecon {
namespace {

using test::TemporaryFolder;

struct Row {
    std::uint32_t number = 0;
    Hdf5List list;
};

std::vector<Hdf5Field> fields_of_row() {
    return {LSRECON_FIELD(Row, number, uint32, 1), LSRECON_FIELD(Row, list, list, 1)};
}

/// Row i has the number i and i floats: i, i + 1, ...
void write_rows(const std::string& path, std::size_t count) {
    Hdf5Writer file(path, "rows");
    std::vector<float> floats(2 * count);
    std::iota(floats.begin(), floats.end(), 0.0F);
    std::vector<Row> rows;
    for (std::size_t i = 0; i < count; ++i) {
        rows.push_back({static_cast<std::uint32_t>(i), {i, floats.data() + i}});
    }
    file.table("rows", fields_of_row(), count, sizeof(Row),
               [&](std::size_t first, std::size_t) { return &rows[first]; });
    file.texts("texts", {2}, {"a", "bc"});
    file.close();
}

TEST(Hdf5, RowsOfATableComeWithTheirLists) {
    const TemporaryFolder folder;
    write_rows(folder.file("f"), 600);
    const Hdf5Reader file(folder.file("f"));
    const std::vector<std::size_t> wanted{0, 1, 5, 6, 7, 599};
    Hdf5Rows rows(file, "rows", fields_of_row(), sizeof(Row), wanted);
    for (const std::size_t index : wanted) {
        Row row;
        rows.next(&row);
        const std::vector<float> list = rows.list(row.list);
        EXPECT_EQ(row.number, index);
        ASSERT_EQ(list.size(), index);
        EXPECT_TRUE(index == 0 || list.back() == static_cast<float>(2 * index - 1));
    }
}

TEST(Hdf5, AFieldThatATableLacksIsRefused) {
    const TemporaryFolder folder;
    write_rows(folder.file("f"), 2);
    const Hdf5Reader file(folder.file("f"));
    std::vector<Hdf5Field> fields = fields_of_row();
    fields[0].name = "other";
    EXPECT_THROW(file.read_table("rows", fields, sizeof(Row)), InputError);
    EXPECT_EQ(file.read_table("rows", {fields_of_row()[0]}, sizeof(Row)).size(), 2 * sizeof(Row));
}

TEST(Hdf5, ASecondAnswerComesBeforeTheEndOfTheFirst) {
    const TemporaryFolder folder;
    write_rows(folder.file("f"), 600);
    const Hdf5Reader file(folder.file("f"));
    Hdf5Rows rows(file, "rows", {fields_of_row()[0]}, sizeof(Row), {2, 3});
    Row row;
    rows.next(&row);
    EXPECT_EQ(row.number, 2u);
    EXPECT_EQ(file.read_texts("texts"), (std::vector<std::string>{"a", "bc"}));
    rows.next(&row);
    EXPECT_EQ(row.number, 3u);
    EXPECT_FALSE(file.has("rows/below"));
    EXPECT_FALSE(file.has("else"));
}

/// The running process of this name that `process` has started; 0 without one.
pid_t started_by(pid_t process, const std::string& name) {
    const std::string tasks = "/proc/" + std::to_string(process) + "/task";
    for (const auto& thread : std::filesystem::directory_iterator(tasks)) {
        std::ifstream children(thread.path() / "children");
        for (pid_t child = 0; children >> child;) {
            std::string found;
            std::getline(std::ifstream("/proc/" + std::to_string(child) + "/comm"), found);
            if (found == name) {
                return child;
            }
        }
    }
    return 0;
}

/// The one program that HDF5 reads in, and its one child.
class Hdf5Child : public testing::Test {
protected:
    void SetUp() override {
        write_rows(folder.file("f"), 2);
        program = started_by(getpid(), "lsrecon-hdf5");
        if (program > 0) {
            end_program(); // whose children of other tests may still be there
        }
        file.emplace(folder.file("f"));
        program = started_by(getpid(), "lsrecon-hdf5");
        ASSERT_GT(program, 0);
        child = started_by(program, "lsrecon-hdf5");
        ASSERT_GT(child, 0);
    }
    void end_program() const {
        ASSERT_EQ(kill(program, SIGKILL), 0);
        ASSERT_EQ(waitpid(program, nullptr, 0), program);
    }

    TemporaryFolder folder;
    std::optional<Hdf5Reader> file;
    pid_t program = 0;
    pid_t child = 0;
};

TEST_F(Hdf5Child, ItsEndIsAnErrorOfTheFile) {
    ASSERT_EQ(kill(child, SIGKILL), 0);
    try {
        file->read_texts("texts");
        FAIL() << "it has answered";
    } catch (const InputError& error) {
        EXPECT_EQ(error.fault().thing, "/texts");
    }
    EXPECT_EQ(file->read_texts("texts").size(), 2u); // by another one
}

TEST_F(Hdf5Child, TheProgramIsStartedAgain) {
    end_program();
    const Hdf5Reader other(folder.file("f"));
    EXPECT_EQ(other.read_texts("texts").size(), 2u);
}

TEST_F(Hdf5Child, EndsWithItsReader) {
    file.reset();
    for (int wait = 0; wait < 1000 && kill(child, 0) == 0; ++wait) {
        usleep(10000);
        const Hdf5Reader next(folder.file("f")); // ended children are waited for then
    }
    EXPECT_NE(kill(child, 0), 0);
}

TEST_F(Hdf5Child, HasNoDescriptorsOfThisProcess) {
    int inherited[2];
    ASSERT_EQ(pipe(inherited), 0); // not closed by exec
    end_program();
    const Hdf5Reader other(folder.file("f"));
    const std::string numbers =
        "/proc/" + std::to_string(started_by(getpid(), "lsrecon-hdf5")) + "/fd";
    for (const auto& entry : std::filesystem::directory_iterator(numbers)) {
        EXPECT_NE(std::filesystem::read_symlink(entry),
                  std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(inherited[1])));
    }
    close(inherited[0]);
    close(inherited[1]);
}

TEST_F(Hdf5Child, MayHaveSoMuchMemory) {
#ifdef __SANITIZE_ADDRESS__
    GTEST_SKIP() << "no limit under AddressSanitizer";
#endif
    std::ifstream limits("/proc/" + std::to_string(child) + "/limits");
    std::string line;
    while (std::getline(limits, line) && line.rfind("Max data size", 0) != 0) {
    }
    EXPECT_LT(std::stod(line.substr(25)), 1e9);
}

TEST(Hdf5, ThreadsReadWhileOthersWrite) {
    const TemporaryFolder folder;
    std::vector<std::thread> threads;
    std::atomic<int> read{0};
    for (int t = 0; t < 4; ++t) {
        threads.emplace_back([&, path = folder.file(std::to_string(t))] {
            for (int n = 0; n < 5; ++n) {
                write_rows(path, 50);
                const Hdf5Reader file(path);
                const std::vector<Hdf5Field> number{fields_of_row()[0]};
                read += file.read_table("rows", number, sizeof(Row)).size() == 50 * sizeof(Row);
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    EXPECT_EQ(read, 20);
}

} // namespace
} // namespace lsrecon
