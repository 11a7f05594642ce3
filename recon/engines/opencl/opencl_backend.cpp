#include "engines/opencl/opencl_backend.hpp"

#include <set>

#include "base/numbers.hpp"
#include "engines/opencl/engines.hpp"
#include "engines/segmented.hpp"

namespace lsrecon {

namespace opencl {

namespace {

class OpenclBackend : public Backend {
public:
    explicit OpenclBackend(const BackendOptions& options)
        : options_(options),
          queue_(
              guarded("opening the device",
                      [&] { return Queue(options.device, options.device_memory, options.note); })),
          device_(make_device(queue_)),
          variant_(options.kernel.empty() ? default_kernel() : options.kernel) {
        engine_of(variant_);
        if (!device_->has(precision())) {
            throw DeviceError(text("`precision` double: ", queue_.info().name,
                                   " has no double precision\n  next:     use `precision` single, "
                                   "another `device`, or `backend` reference"));
        }
    }

    BackendInfo info() const override {
        return {"opencl",
                queue_.info().name,
                queue_.info().platform + ", " + queue_.info().driver,
                variants_that_ran(),
                kernel_hash(variant_),
                unit_roundoff(precision()),
                parameters_that_ran()};
    }
    Device& device() override { return *device_; }
    void open_ahead() override { queue_.open_ahead(); }
    Precision precision() const override { return options_.precision.value_or(Precision::float32); }
    Precision solver_precision() override {
        return options_.precision.value_or(device_->has(Precision::float64) ? Precision::float64
                                                                            : Precision::float32);
    }

    std::unique_ptr<Transform> transform(const SamplePoints& points,
                                         const Voxels& voxels) override {
        const bool serves = engine_of(variant_).serves(voxels);
        const std::string variant = serves ? variant_ : variant_for_any_voxels;
        ran_.insert(variant);
        const auto make = [&](const Voxels& where) {
            return guarded("a transform", [&] {
                return engine_of(variant).make(
                    {{queue_, *device_, precision(), options_.note},
                     [this](const std::string& of, const std::string& stage) -> decltype(auto) {
                         return parameters_of(of, stage);
                     }},
                    variant_named(variant), points, where);
            });
        };
        const OffResonance* const off_resonance = off_resonance_of(points, voxels);
        if (off_resonance == nullptr || !engine_of(variant).divides_time) {
            return make(voxels);
        }
        const TimeSegments segments =
            time_segments(*points.times, *off_resonance, options_.segment_error, precision());
        tell_segments(segments);
        return std::make_unique<SegmentedTransform>(*device_, precision(),
                                                    make(voxels.in_field(nullptr)), segments);
    }
    double segment_error() const override {
        return engine_of(variant_).divides_time ? options_.segment_error : 0;
    }
    PairCost cost_of_pair(const std::string& stage) override {
        return variant_named(variant_).arithmetic_by(parameters_of(variant_, stage).values).cost;
    }

    void note(const std::string& message) const override { options_.note(message); }
    void restart_clock() override { queue_.restart_clock(); }
    double compute_seconds() const override { return queue_.compute_seconds(); }

private:
    /// The variant asked for, and the one that served what it cannot: both go into the record.
    std::string variants_that_ran() const {
        const bool helped =
            variant_ != variant_for_any_voxels && ran_.count(variant_for_any_voxels);
        return variant_ + (helped ? text(" and ", variant_for_any_voxels) : "");
    }

    /// Once: pieces and frames have about the same.
    void tell_segments(const TimeSegments& segments) {
        if (segments_.empty()) {
            segments_ =
                text(segments.count(), " time segments, error at most ", rounded(segments.error));
            options_.note("off-resonance by " + segments_);
        }
    }

    /// The user's parameters are those of the variant that was asked for.
    const ChosenParameters& parameters_of(const std::string& variant, const std::string& stage) {
        const std::string key = variant + " " + stage;
        if (chosen_.count(key) == 0) {
            chosen_[key] =
                choose_parameters(queue_.info(), variant, stage,
                                  variant == variant_ ? options_.parameters : Parameters{});
        }
        return chosen_[key];
    }

    std::string parameters_that_ran() const {
        std::string result = segments_;
        for (const auto& [variant_and_stage, chosen] : chosen_) {
            if (!chosen.values.empty()) {
                result += (result.empty() ? "" : "; ") + variant_and_stage + ": " + chosen.text();
            }
        }
        return result;
    }

    BackendOptions options_;
    Queue queue_;
    std::unique_ptr<Device> device_;
    std::string variant_;
    std::set<std::string> ran_;
    std::string segments_; ///< of off-resonance, for the record
    std::map<std::string, ChosenParameters> chosen_; ///< by variant and stage, of what ran
};

} // namespace
} // namespace opencl

std::unique_ptr<Backend> make_opencl_backend(const BackendOptions& options) {
    return std::make_unique<opencl::OpenclBackend>(options);
}

} // namespace lsrecon
