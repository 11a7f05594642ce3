#include "base/temporary_folder.hpp"

#include <cstdlib>

#include "base/error.hpp"
#include "base/numbers.hpp"

namespace lsrecon {

TemporaryFolder::TemporaryFolder(const std::string& use) {
    std::string name =
        (std::filesystem::temp_directory_path() / ("lsrecon-" + use + "-XXXXXX")).string();
    if (::mkdtemp(name.data()) == nullptr) {
        throw UsageError(text(name, ": cannot be made\n  next:     let TMPDIR name a folder "
                                    "that can be written"));
    }
    path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
    std::error_code ignored; // a temporary folder is emptied by others
    std::filesystem::remove_all(path_, ignored);
}

} // namespace lsrecon
