#pragma once

#include <string>
#include <vector>

#include "io/hdf5_file.hpp"

namespace lsrecon::app {

/// Prints what an output of the program holds and how it was made; false when it is none.
bool print_output(const Hdf5Reader& file);

/// "500: repetition 0; repetition 1; ...; repetition 499"; the number alone without labels.
std::string frames_in_words(const std::vector<std::string>& labels);

} // namespace lsrecon::app
