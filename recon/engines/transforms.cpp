// Opens the devices of the table of backends, chooses an engine for each transform and records what
// was made.

#include "engines/transforms.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/error.hpp"
#include "base/numbers.hpp"
#include "base/packed.hpp"
#include "device/devices.hpp"
#include "device/host_device.hpp"
#include "engines/host/engines.hpp"
#include "engines/segments.hpp"

namespace lsrecon {

namespace {

/// Floats cannot keep an accuracy that is asked for below theirs.
ComputeOptions in_doubles_where_needed(ComputeOptions options, const Device& device,
                                       const std::vector<Engine>& table) {
    if (may_be_inexact(options, table) && !options.precision && options.is_accuracy_requested() &&
        options.accuracy < least_accuracy_of_floats && device.has(Precision::float64)) {
        options.precision = Precision::float64;
        options.on_info(text("double precision, for an accuracy of ", options.accuracy));
    }
    return options;
}

std::shared_ptr<Kernels> make_kernels(std::shared_ptr<Device> device, const ComputeOptions& options,
                                      std::vector<Engine> table) {
    JobRanks alone;
    return std::make_shared<Kernels>(std::move(device), options, std::move(table),
                                     options.ranks != nullptr ? *options.ranks : alone);
}

} // namespace

Transforms::Transforms(std::shared_ptr<Device> device, ComputeOptions options,
                       std::vector<Engine> table)
    : Transforms(make_kernels(device, options, table),
                 in_doubles_where_needed(options, *device, table)) {}

Transforms::Transforms(std::shared_ptr<Kernels> kernels, ComputeOptions options)
    : kernels_(std::move(kernels)), options_(std::move(options)),
      ranks_(options_.ranks != nullptr ? options_.ranks : &alone_),
      context_{facts(kernels_->machine, &Kernels::recorded_parameters), *kernels_->device,
               options_.on_finding, options_.kept.get()},
      predicting_(facts(kernels_->machine, &Kernels::parameters_of)),
      choosing_(facts(kernels_->standard_machine, &Kernels::shipped_parameters_of)) {
    if (!device().has(precision())) {
        throw DeviceError(text("`precision` double: ", device().info().name,
                               " has no double precision\n  next:     use `precision` single, "
                               "another `device`, or `backend` host"));
    }
}

std::unique_ptr<Transforms> Transforms::with(const ComputeOptions& options) const {
    ComputeOptions changed = options_;
    changed.precision = options.precision;
    changed.accuracy = options.accuracy;
    changed.accuracy_is_of_image = options.accuracy_is_of_image;
    changed.ranks = options.ranks;
    return std::unique_ptr<Transforms>(new Transforms(kernels_, std::move(changed)));
}

std::unique_ptr<Transforms> Transforms::alone() const {
    ComputeOptions options = options_;
    options.ranks = nullptr;
    return with(options);
}

std::unique_ptr<Transforms> Transforms::made_on_processors(ComputeOptions options) {
    options.backend = "host";
    options.kernel = "";
    options.parameters = {};
    options.ranks = nullptr;
    options.kept = nullptr; // what is kept outlives this device
    options.on_info = [](const std::string&) {}; // how the image is computed is said once
    return std::make_unique<Transforms>(make_processors(), std::move(options));
}

Transforms& Transforms::on_processors() {
    if (device().kind() != "opencl") {
        return *this;
    }
    if (!on_processors_) {
        ComputeOptions options = options_;
        options.engine = engine_by_cost;
        on_processors_ = made_on_processors(std::move(options));
    }
    return *on_processors_;
}

Transforms& Transforms::for_estimates() {
    constexpr double most_error = 1e-5; // of noise that any scan has
    if (is_reference(device().kind())) {
        return *this;
    }
    if (!for_estimates_) {
        ComputeOptions options = options_;
        options.engine = "nufft";
        options.accuracy =
            options.accuracy > 0 ? std::min(options.accuracy, most_error) : most_error;
        options.accuracy_is_of_image = true;
        options.precision = options.precision.value_or(Precision::float32);
        options.on_finding = [](const Finding&) {}; // an exact engine serves where it does not
        for_estimates_ = made_on_processors(std::move(options));
    }
    return *for_estimates_;
}

EngineFacts Transforms::facts(const Machine& machine, Kernels::FindParameters parameters) {
    Kernels* const kernels = kernels_.get();
    return {device().kind(),
            device().in_host_memory(),
            device().has(Precision::float64),
            kernels->standard_machine,
            machine,
            precision(),
            options_.accuracy,
            [kernels, parameters](const std::string& variant, const std::string& stage)
                -> const ChosenParameters& { return (kernels->*parameters)(variant, stage); }};
}

ComputedBy Transforms::computed_by() const {
    const DeviceInfo& info = device().info();
    const std::string& first = kernels_->first_served().name;
    const bool has_source = device().kind() == "opencl";
    return {options_.backend,
            info.name,
            info.platform.empty() ? "" : info.platform + ", " + info.driver,
            kernels_->names(),
            has_source ? *kept_or_made<std::string>(
                             options_.kept.get(), "hash of kernel " + first, {}, 0,
                             [&] { return std::make_shared<std::string>(kernel_hash(first)); })
                       : "",
            epsilon(),
            kernels_->parameters()};
}

double Transforms::epsilon() const {
    return unit_roundoff(kernels_->first_served().computes_in.value_or(precision()));
}

Precision Transforms::solver_precision() const {
    return options_.precision.value_or(device().has(Precision::float64) ? Precision::float64
                                                                        : Precision::float32);
}

Choice Transforms::chosen(const SamplePoints& points, const Voxels& voxels) {
    Choice choice = choose(kernels_->table, options_, predicting_, choosing_, points, voxels);
    const bool by_name = !options_.kernel.empty() || options_.engine == kernels_->engine.name;
    const std::string& why = choice.why_replaced;
    if (!why.empty() && by_name && kernels_->is_new(why)) {
        report(
            {Found::kernel_replaced,
             {},
             {{"kernel", kernels_->variant.name}, {"why", why}, {"other", choice.variant->name}}});
    }
    return choice;
}

void Transforms::report_engine(const Choice& choice, const SamplePoints& points,
                               const Voxels& voxels) {
    if (choice.engine->exact || !options_.kernel.empty() || options_.engine != engine_by_cost ||
        !kernels_->is_new(choice.engine->name)) {
        return;
    }
    const auto cost = [&](const EngineAndVariant& any) {
        return cost_of(choosing_, any, "fhd", points, voxels);
    };
    const Cost its = cost(choice);
    const std::optional<EngineAndVariant>& exact = choice.exact;
    options_.on_info(text("engine ", choice.engine->name, ", relative error at most ",
                          rounded(its.error),
                          exact ? text(", about ", rounded(cost(*exact).seconds / its.seconds),
                                       " times as fast as ", exact->variant->name)
                                : ""));
}

std::unique_ptr<Transform> Transforms::make(const SamplePoints& points, const Voxels& voxels,
                                            std::optional<Precision> of_arrays) {
    const Precision precision = of_arrays.value_or(this->precision());
    const Choice by = chosen(points, voxels);
    report_engine(by, points, voxels);
    EngineContext context = context_;
    context.precision = precision;
    kernels_->add_served(*by.variant);
    const OffResonance* const off_resonance = off_resonance_of(points, voxels);
    if (off_resonance == nullptr || !by.engine->divides_time) {
        return by.engine->make(context, *by.variant, points, voxels);
    }
    const TimeSegments segments =
        time_segments(*points.times, *off_resonance, options_.segment_error, precision);
    if (kernels_->segments.empty()) { // once: pieces and frames have about the same
        kernels_->segments =
            text(segments.count(), " time segments, error at most ", rounded(segments.error));
        info("off-resonance by " + kernels_->segments);
    }
    return std::make_unique<SegmentedTransform>(
        device(), precision,
        by.engine->make(context, *by.variant, points, voxels.in_field(nullptr)), segments);
}

void Transforms::record_as_made(const std::string& stage, const SamplePoints& points,
                                const Voxels& voxels) {
    const Choice by = chosen(points, voxels);
    report_engine(by, points, voxels);
    kernels_->add_served(*by.variant);
    kernels_->recorded_parameters(by.variant->name, stage);
}

Cost Transforms::cost_in(Precision precision, const EngineFacts& by, const std::string& stage,
                         const SamplePoints& points, const Voxels& voxels) {
    const Choice choice = chosen(points, voxels);
    EngineFacts facts = by;
    facts.precision = precision;
    Cost cost = cost_of(facts, choice, stage, points, voxels);
    const OffResonance* const off_resonance = off_resonance_of(points, voxels);
    if (off_resonance != nullptr && choice.engine->divides_time) {
        cost.seconds *= expected_segments(*points.times, *off_resonance);
        cost.error += options_.segment_error;
    }
    return cost;
}

double Transforms::segment_error() const {
    return kernels_->engine.divides_time ? options_.segment_error : 0;
}

PairCost Transforms::cost_of_pair(const std::string& stage) {
    return kernels_->variant
        .arithmetic_by(kernels_->parameters_of(kernels_->variant.name, stage).values)
        .cost;
}

namespace {

/// The table of kinds: a row each.
struct Row {
    DeviceKind kind;
    std::unique_ptr<Device> (*open)(const ComputeOptions&);
    std::string kernel; ///< "" for the usual one
};

const std::vector<Row>& table() {
#ifdef LSRECON_WITH_OPENCL
    constexpr bool with_opencl = true;
#else
    constexpr bool with_opencl = false;
#endif
    const auto reference = [](const ComputeOptions&) { return make_reference_device(); };
    static const std::vector<Row> rows{
        {{"opencl", "any OpenCL device", with_opencl},
         [](const ComputeOptions& options) {
             return open_device(options.device, options.device_memory, options.on_finding);
         },
         ""},
        {{"host", "this computer's processors, without OpenCL", true},
         [](const ComputeOptions& options) { return make_processors(options.device_memory); },
         ""},
        {{"reference", "plain loops on the CPU in double precision: the reference", true},
         reference,
         ""},
        {{"reference-single", "the same loops in single precision, for comparison", true},
         reference,
         "loops-single"},
    };
    return rows;
}

const Row& row_of(const std::string& backend) {
    for (const Row& row : table()) {
        if (row.kind.name == backend) {
            return row;
        }
    }
    throw UsageError(text("`backend` ", backend, " is unknown\n  expected: one of ",
                          comma_separated(names_of(device_kinds()))));
}

/// Work is cut by what a device holds in all and in one array. Ranks of which not all hold the same
/// use no more than the largest array of the least of them, so that all cut in the same pieces.
std::shared_ptr<Device> open_equal_devices(const Row& row, ComputeOptions& options) {
    std::shared_ptr<Device> device = row.open(options);
    if (options.ranks == nullptr || device->kind() == "reference") {
        return device;
    }
    const std::array<double, 2> own{device->memory(), device->largest_array()};
    double least = own[1];
    bool all_equal = true;
    for (std::size_t rank = 0; rank < options.ranks->count(); ++rank) {
        std::array<double, 2> other = own;
        options.ranks->broadcast(rank, &other, sizeof other);
        all_equal = all_equal && other == own;
        least = std::min(least, other[1]);
    }
    if (!all_equal) {
        options.device_memory = least;
        options.on_info(text("devices of ranks differ in memory: each uses ",
                             std::floor(least / 1024 / 1024), " MiB"));
        device = row.open(options);
    }
    return device;
}

} // namespace

std::vector<DeviceKind> device_kinds() {
    std::vector<DeviceKind> kinds;
    for (const Row& row : table()) {
        kinds.push_back(row.kind);
    }
    return kinds;
}

std::string backend_of(const ComputeOptions& options) {
    if (options.backend != backend_by_machine) {
        return options.backend;
    }
    const bool asks_for_opencl = // which says what is missing
        !options.device.empty() ||
        std::any_of(engines().begin(), engines().end(), [&](const Engine& engine) {
            const bool is_named =
                engine.name == options.engine ||
                (!options.kernel.empty() && engine.name == engine_of(options.kernel).name);
            return is_named && !engine.computes_on("host");
        });
    return asks_for_opencl || has_opencl_driver() ? "opencl" : "host";
}

void check_options(const ComputeOptions& options) {
    if (options.backend == backend_by_machine) {
        return;
    }
    row_of(options.backend);
    if (options.backend == "host" && !options.device.empty()) {
        throw UsageError("`backend` host takes no `device`\n  next:     leave it out, or use "
                         "`backend` opencl");
    }
    const bool is_own_precision =
        options.backend == "reference" && options.precision == Precision::float64;
    if (is_reference(options.backend) &&
        !(options.device.empty() && options.kernel.empty() && options.engine == engine_by_cost &&
          options.device_memory == 0 && (!options.precision || is_own_precision))) {
        throw UsageError(
            text("`backend` ", options.backend,
                 " takes no `device`, `engine`, `kernel`, `device_memory` or other `precision`\n  "
                 "next:     leave them out, or use `backend` opencl"));
    }
}

std::unique_ptr<Transforms> open_transforms(ComputeOptions options, std::vector<Engine> table,
                                            std::shared_ptr<Device> device) {
    check_options(options);
    if (options.backend == backend_by_machine) {
        options.backend = device ? device->kind() : backend_of(options);
        if (options.ranks != nullptr) {
            options.ranks->broadcast(0, options.backend);
        }
        if (options.backend == "host" && !device && row_of("opencl").kind.built) {
            options.on_info("no OpenCL driver: the processors compute");
        }
    }
    const Row& row = row_of(options.backend);
    if (!row.kind.built) {
        throw NotBuiltError(text("`backend` ", options.backend,
                                 " is not built in\n  next:     configure with "
                                 "-DLSRECON_WITH_OPENCL=ON, or use `backend` host"));
    }
    if (!options.kernel.empty()) {
        engine_of(options.kernel, table); // before a device is opened
    }
    if (!device) {
        device = open_equal_devices(row, options);
    }
    if (device->kind() == "reference") {
        options.kernel = row.kernel;
        options.precision = Precision::float64;
    }
    return std::make_unique<Transforms>(std::move(device), std::move(options), std::move(table));
}

std::unique_ptr<Transforms> reference_transforms() {
    ComputeOptions options;
    options.backend = "reference";
    return open_transforms(std::move(options));
}

} // namespace lsrecon
