// Times every candidate of a kernel's parameters on one device, and the fastest ones again.

#include "measure/tune.hpp"

#include <algorithm>
#include <set>

#include "base/numbers.hpp"
#include "engines/tuning.hpp"
#include "measure/measure.hpp"

namespace lsrecon {

namespace {

using Outcome = TuneCandidate::Outcome;

/// A candidate that takes this many times as long as the best is timed once.
constexpr double hopeless = 3;
constexpr double seconds_of_a_candidate = 0.3;
constexpr std::size_t runs_of_a_candidate = 3;
/// The fastest are timed again, alternately, before one is kept: a machine that others use is
/// slower at one time than at another.
constexpr std::size_t finalists = 5;
constexpr int rounds_of_finalists = 3;

struct Search {
    DeviceInfo device;
    std::string kernel;
    std::string stage;
    std::vector<std::size_t> matrix;
    std::size_t samples;
    unsigned seed;
};

std::string problem_of(const Search& search) {
    std::string result;
    for (const std::size_t n : search.matrix) {
        result += (result.empty() ? "" : "x") + std::to_string(n);
    }
    return text(result, ", ", search.samples, " samples");
}

std::string first_line(const std::string& message) {
    return message.substr(0, message.find('\n'));
}

/// Tries a candidate on a device of its own: a launch that fails can make a context unusable.
void try_candidate(const Search& search, const TransformCase& what, const MeasureEffort& effort,
                   TuneCandidate& candidate) {
    try {
        ComputeOptions options{"opencl", std::to_string(search.device.index), search.kernel};
        options.parameters = candidate.parameters;
        const auto transforms = open_transforms(options);
        Reporter silent;
        const Measurement measured = measure(*transforms, what, silent, effort);
        candidate.seconds = measured.fastest_seconds;
        if (!measured.verified()) {
            candidate.outcome = Outcome::wrong;
            candidate.reason =
                text("its error ", measured.relative_error, " is above ", measured.bound);
        } else {
            candidate.outcome =
                measured.fastest_seconds > effort.hopeless_seconds ? Outcome::slow : Outcome::timed;
        }
    } catch (const std::exception& error) {
        candidate.outcome = Outcome::failed;
        candidate.reason = first_line(error.what());
    }
}

bool faster(const TuneCandidate& a, const TuneCandidate& b) {
    const bool timed = a.outcome == Outcome::timed;
    if (timed != (b.outcome == Outcome::timed)) {
        return timed;
    }
    return timed && a.seconds < b.seconds;
}

/// Every candidate, in their order.
std::vector<TuneCandidate> try_all(const Search& search, const TransformCase& what,
                                   const std::vector<Parameters>& all, const TuneOptions& options) {
    std::vector<TuneCandidate> tried;
    double best = 0;
    for (const Parameters& parameters : all) {
        TuneCandidate candidate;
        candidate.parameters = parameters;
        MeasureEffort effort{seconds_of_a_candidate, runs_of_a_candidate};
        if (best > 0) {
            effort.hopeless_seconds = hopeless * best;
        }
        try_candidate(search, what, effort, candidate);
        tried.push_back(candidate);
        if (candidate.outcome == Outcome::timed && (best == 0 || candidate.seconds < best)) {
            best = candidate.seconds;
        }
        options.on_step(
            {search.kernel, search.stage, tried.size(), all.size(), tried.back(), best});
    }
    return tried;
}

/// Times the first ones again and keeps the shortest time of each.
void time_finalists(const Search& search, const TransformCase& what,
                    std::vector<TuneCandidate>& candidates) {
    const std::size_t count = std::min(candidates.size(), finalists + 1);
    for (int round = 0; round < rounds_of_finalists; ++round) {
        for (std::size_t i = 0; i < count; ++i) {
            TuneCandidate& candidate = candidates[i];
            if (candidate.outcome == Outcome::timed) {
                const double before = candidate.seconds;
                try_candidate(search, what, {seconds_of_a_candidate, runs_of_a_candidate},
                              candidate);
                candidate.seconds = std::min(candidate.seconds, before);
            }
        }
    }
}

TuneResult run(const Search& search, const TuneOptions& options, Reporter& report) {
    TuneResult result;
    result.kernel = search.kernel;
    result.stage = search.stage;
    result.device = search.device.name;
    result.problem = problem_of(search);
    const Candidates all = tuning_candidates(search.device, search.kernel, search.stage);
    result.skipped = all.skipped;
    const TransformCase what =
        make_transform_case(search.stage, search.matrix, search.samples, search.seed, report);
    result.pairs = what.pairs;
    result.candidates = try_all(search, what, all.valid, options);
    // The shipped default stays in front, to be timed again like the fastest.
    std::stable_sort(result.candidates.begin() + 1, result.candidates.end(), faster);
    time_finalists(search, what, result.candidates);
    result.shipped = result.candidates.front();
    std::stable_sort(result.candidates.begin(), result.candidates.end(), faster);
    result.winner = result.candidates.front();
    return result;
}

std::vector<Tunable> wanted(const TuneOptions& options) {
    std::vector<Tunable> result;
    for (const Tunable& row : tunables()) {
        const auto names = [](const std::vector<std::string>& list, const std::string& name) {
            return list.empty() || std::find(list.begin(), list.end(), name) != list.end();
        };
        if (names(options.kernels, row.kernel) && names(options.stages, row.stage)) {
            result.push_back(row);
        }
    }
    return result;
}

void require_tunable(const std::vector<std::string>& kernels) {
    std::set<std::string> known;
    for (const Tunable& row : tunables()) {
        known.insert(row.kernel);
    }
    for (const std::string& kernel : kernels) {
        if (known.count(kernel) == 0) {
            throw UsageError(text("`kernel` ", kernel, " has no parameters to search\n  expected: ",
                                  "some of ", comma_separated(known)));
        }
    }
}

} // namespace

std::size_t TuneResult::count(TuneCandidate::Outcome outcome) const {
    return static_cast<std::size_t>(
        std::count_if(candidates.begin(), candidates.end(), [&](const TuneCandidate& candidate) {
            return candidate.outcome == outcome;
        }));
}

std::vector<TuneResult> tune(const TuneOptions& options, Reporter& report) {
    const std::vector<DeviceInfo> devices = list_devices();
    require_tunable(options.kernels);
    const DeviceInfo device =
        devices[static_cast<std::size_t>(choose_device(devices, options.device))];
    const bool cpu = device.type == "cpu";
    std::vector<TuneResult> results;
    for (const Tunable& row : wanted(options)) {
        Search search{device, row.kernel, row.stage, options.matrix, options.samples, options.seed};
        if (search.matrix.empty()) {
            search.matrix.assign(3, cpu ? 32 : row.stage == "q" ? 64 : 128);
        }
        if (search.samples == 0) {
            search.samples = cpu ? 2048 : 16384;
        }
        results.push_back(run(search, options, report));
        const TuneResult& result = results.back();
        if (result.winner.outcome != Outcome::timed) {
            throw DeviceError(text("no candidate of ", row.kernel, " ", row.stage, " works on ",
                                   device.name, ": ", result.winner.reason,
                                   "\n  next:     run 'lsrecon devices', or use another `device`"));
        }
        store_winner(
            device, row.kernel, row.stage,
            {result.winner.parameters, result.pairs / result.winner.seconds, result.problem});
    }
    return results;
}

} // namespace lsrecon
