#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/input_file.hpp"
#include "base/sha256.hpp"

namespace lsrecon {

/// The files that are one input, such as a pair, hashed while they are read.
class HashedFiles {
public:
    /// InputError when one cannot be read.
    explicit HashedFiles(const std::vector<std::string>& paths) {
        for (const std::string& path : paths) {
            files_.push_back(std::make_unique<InputFile>(path));
            files_.back()->start_hash();
        }
    }

    /// SHA-256 of the file; of several, of their hashes.
    std::string sha256() {
        if (files_.size() == 1) {
            return files_.front()->sha256();
        }
        Sha256 all;
        for (const auto& file : files_) {
            all.add(file->sha256());
        }
        return all.hex();
    }

private:
    std::vector<std::unique_ptr<InputFile>> files_;
};

} // namespace lsrecon
