#pragma once

#include <string>
#include <vector>

#include "io/hdf5/reader.hpp"

namespace lsrecon::app {

/// Prints what a file holds that is no scan: an output of the program and how it was made, or an
/// image in another format. False when it may be a scan.
bool print_no_scan(const std::string& path);

/// "500: repetition 0; repetition 1; ...; repetition 499"; the number alone without labels.
std::string frames_in_words(const std::vector<std::string>& labels);

} // namespace lsrecon::app
