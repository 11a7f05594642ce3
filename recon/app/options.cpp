#include "app/options.hpp"

namespace lsrecon::app {

Option output_option(std::string& output, const std::string& help, const std::string& more) {
    return about_output({"output", required(name(output)), help, "", more});
}

Option quiet_option(bool& quiet) {
    return about_output({"quiet", toggle(quiet), "print notes and errors only"});
}

} // namespace lsrecon::app
