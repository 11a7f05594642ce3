// The files of a command, checked before its work.

#include "base/named_files.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "base/error.hpp"
#include "support/surroundings.hpp"

namespace lsrecon {
namespace {

namespace fs = std::filesystem;
using test::TemporaryFolder;
using test::write_text;

/// scan.h5, a hard link and a symbolic link to it, and a link to a file that does not exist yet.
class NamedFiles : public testing::Test {
protected:
    TemporaryFolder folder;

    void SetUp() override {
        write_text(folder.file("scan.h5"), "scan");
        fs::create_hard_link(folder.file("scan.h5"), folder.file("hard.h5"));
        fs::create_symlink("scan.h5", folder.file("soft.h5"));
        fs::create_symlink("image.h5", folder.file("future.h5"));
    }

    void require(const std::vector<std::string>& outputs, FileKind kind = FileKind::hdf5) const {
        std::vector<NamedOutput> files;
        for (const std::string& name : outputs) {
            files.push_back({"`output`", folder.file(name), kind});
        }
        require_files({{"SCAN", folder.file("scan.h5")}}, files);
    }
};

TEST_F(NamedFiles, NewOnesAreFineAndNothingIsLeft) {
    EXPECT_NO_THROW(require({"image.h5", "other.h5", "no_ending", "v1.2", "x.part"}));
    EXPECT_EQ(folder.entries(), 4U);
    EXPECT_NO_THROW(require_files({{"SCAN", folder.file("scan.h5")}, {"`q`", ""}},
                                  {{"`png`", "", FileKind::png}}));
}

TEST_F(NamedFiles, AnOutputMayNotBeAnInputByAnyOfItsNames) {
    for (const char* name : {"scan.h5", "hard.h5", "soft.h5", "./scan.h5"}) {
        EXPECT_THROW(require({name}), UsageError) << name;
    }
    EXPECT_EQ(test::read_text(folder.file("scan.h5")), "scan");
}

TEST_F(NamedFiles, TwoOutputsMayNotBeOneThatDoesNotExistYet) {
    EXPECT_THROW(require({"image.h5", "image.h5"}), UsageError);
    EXPECT_THROW(require({"image.h5", "./image.h5"}), UsageError);
    EXPECT_THROW(require({"image.h5", "future.h5"}), UsageError);
    fs::create_directory(folder.file("sub"));
    fs::create_directory_symlink("sub", folder.file("sub_too"));
    EXPECT_THROW(require({"sub/image.h5", "sub_too/image.h5"}), UsageError);
    EXPECT_NO_THROW(require({"image.h5", "sub/image.h5"}));
}

TEST_F(NamedFiles, AnEndingMayNotSayAnotherFormat) {
    for (const char* name : {"x.nii", "x.nii.gz", "x.PNG", "x.mat", "x.dcm", "x.json"}) {
        EXPECT_THROW(require({name}), UsageError) << name;
    }
    for (const char* name : {"x.jpg", "x.h5", "x", "x.png.txt"}) {
        EXPECT_THROW(require({name}, FileKind::png), UsageError) << name;
    }
    EXPECT_NO_THROW(require({"x.png", "y.PNG"}, FileKind::png));
    EXPECT_THROW(require({"x.h5"}, FileKind::json), UsageError);
    EXPECT_NO_THROW(require({"x.json", "table"}, FileKind::json));
}

TEST_F(NamedFiles, AnInputMustBeAFileThatCanBeRead) {
    ASSERT_EQ(::mkfifo(folder.file("pipe").c_str(), 0600), 0);
    fs::create_symlink("loop", folder.file("loop"));
    for (const std::string& path :
         {folder.file("missing"), folder.file("future.h5"), folder.file("pipe"),
          folder.file("loop"), folder.file("scan.h5/x"), folder.file(std::string(300, 'a')),
          folder.path().string(), std::string("/dev/null"), std::string()}) {
        EXPECT_THROW(require_input(path), InputError) << path;
    }
    EXPECT_NO_THROW(require_input(folder.file("soft.h5")));
    EXPECT_THROW(require_files({{"`q`", folder.file("missing")}}, {}), InputError);
}

TEST_F(NamedFiles, MessagesNameTheFlagAndTheNextStep) {
    try {
        require_files({{"`truth`", folder.file("scan.h5")}},
                      {{"`png`", folder.file("scan.h5"), FileKind::png}});
        FAIL() << "no error";
    } catch (const UsageError& error) {
        const std::string message = error.what();
        for (const char* part : {"scan.h5: `png`", "the file of `truth`", "next: "}) {
            EXPECT_NE(message.find(part), std::string::npos) << message;
        }
    }
}

TEST_F(NamedFiles, EndingsAreInSmallLettersAndMayBeDouble) {
    EXPECT_EQ(ending_of("a.b/IMAGE.H5"), "h5");
    EXPECT_EQ(ending_of("a/b.nii.GZ"), "nii.gz");
    EXPECT_EQ(ending_of("b.gz"), "gz");
    EXPECT_EQ(ending_of("a.b/c"), "");
    EXPECT_EQ(ending_of("c."), "");
}

TEST_F(NamedFiles, FoldersAreMadeAndRefusedWhereNothingCanBeWritten) {
    require_folder("`q_folder`", "");
    require_folder("`q_folder`", folder.file("new/folder"));
    require_folder("`q_folder`", folder.file("new/folder/"));
    EXPECT_TRUE(fs::is_empty(folder.file("new/folder")));
    EXPECT_THROW(require_folder("`q_folder`", folder.file("scan.h5")), UsageError);
    EXPECT_THROW(require_folder("`q_folder`", folder.file("scan.h5/in_a_file")), UsageError);
}

} // namespace
} // namespace lsrecon
