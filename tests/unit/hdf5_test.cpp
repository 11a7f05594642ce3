#include <cstddef>
#include <gtest/gtest.h>
#include <numeric>

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

} // namespace
} // namespace lsrecon
