// tune: searches for the parameters of kernels, and reports the fastest.

#include "measure/tune.hpp"

#include <unistd.h>

#include "app/command.hpp"
#include "app/console.hpp"
#include "app/json.hpp"
#include "app/output.hpp"
#include "base/named_files.hpp"
#include "engines/tuning.hpp"

namespace lsrecon::app {

namespace {

using Outcome = TuneCandidate::Outcome;

constexpr std::size_t shown = 10;

struct TuneFlags {
    TuneOptions tune;
    std::string json;
    bool quiet = false;
};

const char* name_of(Outcome outcome) {
    constexpr const char* names[] = {"timed", "slow", "wrong", "failed"};
    return names[static_cast<std::size_t>(outcome)];
}

/// One line for each candidate; a terminal overwrites the line before unless it reports a failure.
void print_step(const TuneStep& step) {
    const TuneCandidate& candidate = step.candidate;
    const bool worked = candidate.outcome == Outcome::timed || candidate.outcome == Outcome::slow;
    const std::string what =
        worked ? text(1e3 * candidate.seconds, " ms, best ", 1e3 * step.best_seconds, " ms")
               : std::string(name_of(candidate.outcome)) + ": " + candidate.reason;
    const bool terminal = ::isatty(STDERR_FILENO) == 1;
    put(stderr,
        text(step.kernel, " ", step.stage, " ", step.number, "/", step.count, "  ",
             to_text(candidate.parameters), "  ", what),
        terminal ? "\r\033[K" : "", terminal && worked && step.number < step.count ? "" : "\n");
}

double gpairs(const TuneResult& result, const TuneCandidate& candidate) {
    return candidate.seconds > 0 ? 1e-9 * result.pairs / candidate.seconds : 0;
}

void print_row(const TuneResult& result, const TuneCandidate& candidate, const char* remark) {
    print_line("%12.4g %12.4g  %s%s", candidate.seconds, gpairs(result, candidate),
               to_text(candidate.parameters).c_str(), remark);
}

void print(const TuneResult& result) {
    print_line("%s %s on %s, %s", result.kernel.c_str(), result.stage.c_str(),
               result.device.c_str(), result.problem.c_str());
    print_line("%zu candidates: %zu timed, %zu slow, %zu wrong, %zu failed; %zu beyond the "
               "device were left out",
               result.candidates.size(), result.count(Outcome::timed), result.count(Outcome::slow),
               result.count(Outcome::wrong), result.count(Outcome::failed), result.skipped);
    print_line("%12s %12s  %s", "seconds", "Gpairs/s", "parameters");
    const std::size_t rows = std::min(shown, result.count(Outcome::timed));
    for (std::size_t i = 0; i < rows; ++i) {
        print_row(result, result.candidates[i], i == 0 ? "  kept" : "");
    }
    if (result.shipped.outcome == Outcome::timed) {
        print_row(result, result.shipped, "  the default that ships");
    } else {
        print_line("the default that ships, %s, %s: %s", to_text(result.shipped.parameters).c_str(),
                   name_of(result.shipped.outcome), result.shipped.reason.c_str());
    }
}

nlohmann::json as_json(const TuneResult& result) {
    nlohmann::json candidates = nlohmann::json::array();
    for (const TuneCandidate& candidate : result.candidates) {
        candidates.push_back({{"parameters", candidate.parameters},
                              {"outcome", name_of(candidate.outcome)},
                              {"seconds", candidate.seconds},
                              {"pairs_per_second", 1e9 * gpairs(result, candidate)},
                              {"reason", candidate.reason}});
    }
    return {{"kernel", result.kernel},
            {"stage", result.stage},
            {"device", result.device},
            {"problem", result.problem},
            {"skipped", result.skipped},
            {"shipped", result.shipped.parameters},
            {"shipped_pairs_per_second", 1e9 * gpairs(result, result.shipped)},
            {"winner", result.winner.parameters},
            {"winner_pairs_per_second", 1e9 * gpairs(result, result.winner)},
            {"candidates", candidates}};
}

OptionTable options_of_tune(TuneFlags& options) {
    TuneOptions& tune = options.tune;
    return joined(
        {in("Measurement",
            {{"kernel", choices(tune.kernels, {}, "NAMES"),
              "variants of the transforms, separated by commas", Default{"all"},
              More{"By default all variants that have parameters are tuned."}},
             {"stage", choices(tune.stages, {"fhd", "q", "f"}, "STAGES"), "stages to tune"},
             {"matrix", grid_size(tune.matrix, most_to_measure), "voxels of the image",
              Default{"as fits the device"}},
             {"samples", number(tune.samples, whole(1, most_to_measure), "N"),
              "samples of the random trajectory", Default{"as fits the device"}}}),
         in("Device", {device_option(tune.device)}),
         in("Output", {{"json", name(options.json), "file to write every candidate to"},
                       quiet_option(options.quiet)})});
}

ExitCode run_tune(TuneFlags& options) {
    check_files({}, {{"--json", options.json, FileKind::json}});
    if (!options.quiet) {
        options.tune.on_step = print_step;
    }
    Console console(true); // a search reports its own progress
    nlohmann::json json = json_of_kind("tuning");
    json.update({{"command", command_line()}, {"searches", nlohmann::json::array()}});
    for (const TuneResult& result : tune(options.tune, console)) {
        print(result);
        json["searches"].push_back(as_json(result));
    }
    json["warnings"] = warnings_as_json(console.findings());
    if (!options.json.empty()) {
        write_text(options.json, page_of(json));
    }
    return ExitCode::done;
}

} // namespace

Bound bind_tune() {
    return bound(&options_of_tune, &run_tune);
}

} // namespace lsrecon::app
