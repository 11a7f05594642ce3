#pragma once

#include "io/scan_options.hpp"
#include "plan/options.hpp"

namespace lsrecon::app {

using namespace option;

Option output_option(std::string& output, const std::string& help, const std::string& more = "");
Option quiet_option(bool& quiet);

} // namespace lsrecon::app
