#include "app/options.hpp"

namespace lsrecon::app {

Option output_option(std::string& output, const std::string& help, const std::string& more) {
    return {"output", name(output), help, Is::required, Is::about_output, More{more}};
}

Option quiet_option(bool& quiet) {
    return {"quiet", toggle(quiet), "print notes and errors only", Is::about_output};
}

} // namespace lsrecon::app
