#pragma once

#include <string>
#include <vector>

#include "io/raw_acquisitions.hpp"

namespace lsrecon {

/// Encoding 0 of an ISMRMRD header: what this program uses of it, element by element, so that a
/// message names the element at fault, a number is read whole or refused, and what is not needed
/// may be missing or odd. InputError with the first thing that is wrong.
///
/// libismrmrd's own deserialize (1.8) is not used: it reads 65552 as 16 and 24O as 24, it refuses a
/// header for elements that nothing here needs without naming them, and it prints.
RawEncoding read_ismrmrd_header(const std::string& xml, const std::string& file,
                                const std::string& dataset, std::vector<std::string>& remarks);

} // namespace lsrecon
