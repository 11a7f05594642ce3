// validate: compares each stage with the reference, and prints a table.

#include "measure/validate.hpp"

#include "app/command.hpp"
#include "app/console.hpp"
#include "app/json.hpp"
#include "app/output.hpp"
#include "base/named_files.hpp"
#include "io/scan_file.hpp"

namespace lsrecon::app {

namespace {

struct ValidateFlags {
    std::string scan;
    std::string json;
    bool quiet = false;
    ReadOptions read;
    ComputeOptions compute;
    ValidateOptions validate;
};

/// "wide": with so few --pairs the bound is too wide for a verdict.
const char* verdict(const ValidationRow& row) {
    if (!row.says_something()) {
        return "wide";
    }
    return row.passed() ? "ok" : "FAIL";
}

void print_table(const std::vector<ValidationRow>& rows) {
    print_line("%-9s %-12s %-9s %-6s %-12s %-24s %s", "stage", "relative L2", "bound", "",
               "largest", "where", "compared");
    for (const ValidationRow& row : rows) {
        print_line("%-9s %-12.2e %-9.1e %-6s %-12.2e %-24s %s", row.stage.c_str(), row.relative_l2,
                   row.bound, verdict(row), row.largest, row.where.c_str(),
                   row.remark.empty() ? text("all ", row.total).c_str() : row.remark.c_str());
    }
}

nlohmann::json as_json(const std::vector<ValidationRow>& rows, const ComputedBy& info,
                       const Reporter& report) {
    nlohmann::json json = json_of_kind("validation");
    json.update({{"device", info.device}, {"driver", info.driver}, {"kernel", info.kernel}});
    json["warnings"] = warnings_as_json(report.findings());
    json["rows"] = nlohmann::json::array();
    for (const ValidationRow& row : rows) {
        json["rows"].push_back({{"stage", row.stage},
                                {"relative_l2", row.relative_l2},
                                {"bound", row.bound},
                                {"passed", row.passed()},
                                {"verdict", verdict(row)},
                                {"largest_error", row.largest},
                                {"where", row.where},
                                {"compared", row.compared},
                                {"total", row.total},
                                {"remark", row.remark}});
    }
    return json;
}

OptionTable options_of_validate(ValidateFlags& options) {
    ValidateOptions& validate = options.validate;
    return joined(
        {scan_options(options.scan, options.read),
         in("Measurement", {{"pairs", number(validate.pairs, positive()),
                             "largest number of pairs of a sample and a voxel in each stage",
                             More{"A random part of larger scans is compared."}},
                            {"lambda", number(validate.lambda, positive()),
                             "Tikhonov weight of the compared solution"},
                            {"seed", number(validate.seed, whole(0), "N"),
                             "random seed of the compared voxels and samples"}}),
         device_options(options.compute),
         in("Output", {{"json", name(options.json), "file to write the table to"},
                       quiet_option(options.quiet)})});
}

ExitCode run_validate(ValidateFlags& options) {
    check_files({{"SCAN", options.scan}}, {{"--json", options.json, FileKind::json}});
    Console console(options.quiet);
    const auto transforms = open_transforms(options.compute, console);
    ScanFile source(options.scan, options.read, console);
    Scan scan = source.scan();
    scan.frames.front() = source.frame(0); // the others are not looked at
    const std::vector<ValidationRow> rows = validate(scan, *transforms, options.validate, console);
    const ComputedBy info = transforms->computed_by();
    print_line("%s, kernel %s, first of %zu frames", info.device.c_str(), info.kernel.c_str(),
               scan.frames.size());
    print_table(rows);
    for (const ValidationRow& row : rows) {
        if (!row.says_something()) {
            console.add({Found::stage_not_checked, {}, {{"stage", row.stage}}});
        }
    }
    if (!options.json.empty()) {
        write_text(options.json, page_of(as_json(rows, info, console)));
    }
    for (const ValidationRow& row : rows) {
        if (!row.passed()) {
            throw ToleranceError(text(row.stage, " is off by ", row.relative_l2, ", more than ",
                                      row.bound,
                                      "\n  next:     try another --kernel or driver; "
                                      "do not trust images of this device"));
        }
    }
    return ExitCode::done;
}

} // namespace

Bound bind_validate() {
    return bound(&options_of_validate, &run_validate);
}

} // namespace lsrecon::app
