// Chooses the exact engine that was asked for or the last that serves, and an inexact one where its
// error is small enough and it takes less than half of the time.

#include "engines/choose.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/numbers.hpp"

namespace lsrecon {

namespace {

/// The value of ComputeOptions::engine that asks for any exact engine.
const std::string any_exact = "exact";

/// A choice in the making.
struct Choosing {
    const std::vector<Engine>& table;
    const ComputeOptions& request;
    const EngineFacts& facts;
    const EngineFacts& standard;
    const SamplePoints& points;
    const Voxels& voxels;

    std::string refusal_of(const EngineAndVariant& any) const;
    std::optional<Choice> exact_one(std::string& refusals) const;
    std::optional<EngineAndVariant> faster_one(const std::optional<Choice>& exact) const;
};

std::string Choosing::refusal_of(const EngineAndVariant& any) const {
    const Engine& engine = *any.engine;
    if (!engine.computes_on(facts.device_kind)) {
        return text("it computes on ", comma_separated(engine.device_kinds), ", not on ",
                    facts.device_kind);
    }
    const std::string refusal = engine.refusal(points, voxels);
    const double most = engine.exact && request.accuracy_is_of_image ? 0 : request.accuracy;
    if (!refusal.empty() || most == 0) {
        return refusal;
    }
    double error = 0;
    for (const std::string stage : {"fhd", "q", "f"}) {
        error = std::max(error, engine.predict(facts, *any.variant, stage, points, voxels).error);
    }
    return error <= most ? ""
                         : text("its relative error is up to ", rounded(error), ", and ", most,
                                " is asked for");
}

/// The one that was asked for, else an exact one.
std::optional<Choice> Choosing::exact_one(std::string& refusals) const {
    const std::string kernel = kernel_of(request, facts.device_kind, table);
    const EngineAndVariant requested{&engine_of(kernel, table), &variant_named(kernel, table)};
    const std::string why = refusal_of(requested);
    if (why.empty()) {
        return Choice{requested};
    }
    refusals = text("\n  ", kernel, ": ", why);
    for (auto engine = table.rbegin(); engine != table.rend(); ++engine) {
        const EngineAndVariant other{&*engine, &engine->variants.back()};
        if (other.engine == requested.engine || !engine->exact) {
            continue;
        }
        const std::string refusal = refusal_of(other);
        if (refusal.empty()) {
            return Choice{other, why};
        }
        refusals += text("\n  ", other.variant->name, ": ", refusal);
    }
    return {};
}

std::optional<EngineAndVariant> Choosing::faster_one(const std::optional<Choice>& exact) const {
    constexpr double worth_it = 2; // times faster, of one coil
    constexpr double seconds_on_processors = 0.05;
    const double seconds_of_making =
        standard.in_host_memory ? seconds_on_processors : standard.machine.model.making;
    const double seconds = exact ? cost_of(standard, *exact, "fhd", points, voxels).seconds : 0;
    if (exact && seconds < seconds_of_making) {
        return {};
    }
    for (const Engine& engine : table) {
        const EngineAndVariant any{&engine, &engine.variants.back()};
        if (engine.exact || !refusal_of(any).empty()) {
            continue;
        }
        const Cost cost = cost_of(standard, any, "fhd", points, voxels);
        if (!exact || seconds > worth_it * cost.seconds + seconds_of_making) {
            return any;
        }
    }
    return {};
}

} // namespace

bool may_be_inexact(const ComputeOptions& request, const std::vector<Engine>& table) {
    const bool any = std::any_of(table.begin(), table.end(), [](const Engine& engine) {
        return !engine.computes_on("reference");
    });
    return any && !is_reference(request.backend) &&
           (request.kernel.empty() && request.engine == engine_by_cost
                ? true
                : request.engine != any_exact &&
                      !engine_of(kernel_of(request, "host", table), table).exact);
}

std::vector<std::string> engine_words(const std::vector<Engine>& table) {
    std::vector<std::string> words{engine_by_cost, any_exact};
    for (const Engine& engine : table) {
        if (!engine.computes_on("reference")) {
            words.push_back(engine.name);
        }
    }
    return words;
}

std::vector<std::string> list_rival_engines(const std::vector<Engine>& table) {
    std::vector<std::string> words{any_exact};
    for (const Engine& engine : table) {
        if (!engine.computes_on("reference") && !engine.exact) {
            words.push_back(engine.name);
        }
    }
    return words;
}

std::string kernel_of(const ComputeOptions& request, const std::string& device_kind,
                      const std::vector<Engine>& table) {
    if (!request.kernel.empty()) {
        const std::string& engine = engine_of(request.kernel, table).name;
        if (request.engine != engine_by_cost && request.engine != engine) {
            throw UsageError(text("`engine` ", request.engine, " and `kernel` ", request.kernel,
                                  ", which is of ", engine, "\n  next:     leave one of them out"));
        }
        return request.kernel;
    }
    for (const Engine& engine : table) {
        if (engine.name == request.engine) {
            return engine.variants.back().name;
        }
    }
    return default_kernel(device_kind);
}

Choice choose(const std::vector<Engine>& table, const ComputeOptions& request,
              const EngineFacts& facts, const EngineFacts& standard, const SamplePoints& points,
              const Voxels& voxels) {
    const Choosing choosing{table, request, facts, standard, points, voxels};
    std::string refusals;
    const std::optional<Choice> usual = choosing.exact_one(refusals);
    if (request.kernel.empty() && request.engine == engine_by_cost) {
        if (const std::optional<EngineAndVariant> faster = choosing.faster_one(usual)) {
            return {*faster, "", usual};
        }
    }
    if (!usual) {
        throw DeviceError("no engine can compute this transform" + refusals +
                          (request.is_accuracy_requested()
                               ? "\n  next:     pass a larger `accuracy`, or "
                                 "`precision` double"
                               : ""));
    }
    return *usual;
}

Cost cost_of(const EngineFacts& facts, const EngineAndVariant& by, const std::string& stage,
             const SamplePoints& points, const Voxels& voxels) {
    Cost cost = by.engine->predict(facts, *by.variant, stage, points, voxels);
    if (by.engine->exact) {
        const MachineModel& machine = facts.machine.model;
        const double sums = cost.seconds - cost.once;
        cost.once *= machine.phases;
        cost.seconds = machine.exact * sums + cost.once;
    }
    return cost;
}

} // namespace lsrecon
