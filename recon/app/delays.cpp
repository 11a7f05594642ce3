// delays: finds delays of gradients and phases of readouts by a scan, and prints them.

#include <cmath>

#include "app/command.hpp"
#include "app/console.hpp"
#include "app/json.hpp"
#include "app/output.hpp"
#include "base/named_files.hpp"
#include "base/numbers.hpp"
#include "model/prepared_scan.hpp"
#include "reconstruct_file.hpp"
#include "scan/check.hpp"

namespace lsrecon::app {

namespace {

struct DelaysFlags {
    std::string scan;
    bool json = false;
    bool quiet = false;
    ReadOptions read;
    PrepareOptions prepare;
    ComputeOptions compute;
};

OptionTable options_of_delays(DelaysFlags& options) {
    return joined({scan_options(options.scan, options.read),
                   geometry_options(options.prepare.geometry), device_options(options.compute),
                   in("Output", {{"json", toggle(options.json), "print as JSON, by name"},
                                 quiet_option(options.quiet)})});
}

/// A deviation that nothing bounds is null.
nlohmann::json number_or_null(double value) {
    return std::isfinite(value) ? nlohmann::json(value) : nlohmann::json();
}

nlohmann::json as_json(const DelaysFound& found, const Findings& findings) {
    nlohmann::json json = json_of_kind("delays");
    json["warnings"] = warnings_as_json(findings);
    json["delays"] = found.delays().word();
    for (const auto& [name, number] : found.numbers()) {
        json[name] = number_or_null(number);
    }
    json["chance"] = found.fit.chance();
    json["is_clear"] = found.is_clear();
    json["is_known"] = found.is_known();
    return json;
}

void print(const DelaysFound& found, const std::string& scan) {
    for (std::size_t i = 0; i < found.names.size(); ++i) {
        const bool is_phase = found.names[i].rfind("phase", 0) == 0;
        const double deviation = found.fit.deviation(i);
        print_line("%-8s %9.4f  +- %s %s", found.names[i].c_str(),
                   found.fit.values(static_cast<Eigen::Index>(i)), rounded(deviation).c_str(),
                   is_phase ? "rad" : "dwell times");
    }
    const auto percent = [&](double left) { return rounded(100 * left / found.fit.energy); };
    print_line("the centre of k-space: %s %% unexplained without, %s %% with them",
               percent(found.fit.left_before).c_str(), percent(found.fit.left).c_str());
    if (!found.is_known()) {
        print_line("they are not known well enough to correct them");
    } else if (!found.is_clear()) {
        print_line("they explain no more than noise would");
    } else {
        put(stdout, text("lsrecon recon ", scan, " -o image.h5 --delays ",
                         found.delays().rounded().word()));
    }
}

ExitCode run_delays(DelaysFlags& options) {
    require_input(options.scan);
    options.prepare.delays = FromScan();
    options.prepare.maps = NoSource();
    options.prepare.field_map = NoSource();
    Console console(options.quiet || options.json);
    const auto transforms = open_transforms(options.compute, console);
    ScanFile source(options.scan, reading_for(options.prepare, options.read), console);
    require_samples(source.scan());
    const std::string scan = source.scan().file;
    PreparedScan prepared(source, options.prepare, *transforms, console);
    const std::optional<DelaysFound>& found = prepared.delays();
    if (!found) {
        throw InputError({scan, "delays of gradients",
                          "no readouts in several directions, or no samples but zeros",
                          "spokes, spirals or other readouts in several directions",
                          "leave the trajectory as it is: its image makes up for delays"});
    }
    if (options.json) {
        put_page(page_of(as_json(*found, prepared.findings())));
    } else {
        print(*found, scan);
    }
    return ExitCode::done;
}

} // namespace

Bound bind_delays() {
    return bound(&options_of_delays, &run_delays);
}

} // namespace lsrecon::app
