// F of any trajectory on a device: what opens it, and what predicts and makes its transforms.

#pragma once

#include "base/computation.hpp"
#include "engines/kernels.hpp"

namespace lsrecon {

/// F of any sampling on a device in one precision and accuracy, by the engine that was asked for or
/// one that serves what that one cannot.
class Transforms {
public:
    /// UsageError for an unknown kernel, DeviceError when the device lacks the precision.
    Transforms(std::shared_ptr<Device> device, ComputeOptions options,
               std::vector<Engine> table = engines());

    Transforms(const Transforms&) = delete;
    /// The same kernels on the same device in the precision and with the accuracy of these options,
    /// and with their ranks. What is made by either is on the record of both.
    std::unique_ptr<Transforms> with(const ComputeOptions& options) const;
    /// Makes the same for this rank by itself.
    std::unique_ptr<Transforms> alone() const;
    /// Transforms of this rank on the processors, for small problems beside the image: compiling
    /// and starting kernels takes longer than these. Itself, where no kernels are compiled.
    Transforms& on_processors();
    /// The same for numbers that no image is made of, many transforms of one trajectory each: the
    /// NUFFT where it serves. Itself on the reference.
    Transforms& for_estimates();

    Device& device() { return *kernels_->device; }
    const Device& device() const { return *kernels_->device; }
    /// The device, for the transforms of another scan, one after the other.
    const std::shared_ptr<Device>& shared_device() const { return kernels_->device; }
    ComputedBy computed_by() const;
    /// Unit roundoff of the arithmetic of what ran.
    double epsilon() const;
    /// The ranks that compute together.
    JobRanks& ranks() const { return *ranks_; }
    /// The precision of the transforms' arrays, and of the solver's.
    Precision precision() const { return options_.precision.value_or(Precision::float32); }
    Precision solver_precision() const;

    /// F for samples and voxels, off resonance where the voxels are and the samples have times.
    /// What the points refer to and this must outlive it. DeviceError that says why each engine
    /// cannot serve when none can. Arrays may have another precision than others.
    std::unique_ptr<Transform> make(const SamplePoints& points, const Voxels& voxels,
                                    std::optional<Precision> precision = {});
    /// What scans leave for each other; null for a scan alone (ComputeOptions::kept).
    ContentStore* kept() const { return options_.kept.get(); }
    /// Puts on the record of this scan what another one has made as it would itself.
    void record_as_made(const std::string& stage, const SamplePoints& points, const Voxels& voxels);
    /// The engine that make() takes for them.
    const Engine& engine_for(const SamplePoints& points, const Voxels& voxels) {
        return *chosen(points, voxels).engine;
    }
    double accuracy() const { return options_.accuracy; }
    const ComputeOptions& options() const { return options_; }
    /// The cost of one coil in "fhd", "q" or "f".
    Cost predict(const std::string& stage, const SamplePoints& points, const Voxels& voxels,
                 std::optional<Precision> precision = {}) {
        return cost_in(precision.value_or(this->precision()), predicting_, stage, points, voxels);
    }
    /// The machine by which every choice that the bits of an image depend on is made
    /// (standard_machine), and the cost of a coil by it.
    const Machine& standard_machine() const { return kernels_->standard_machine; }
    Cost cost_by_model(Precision precision, const std::string& stage, const SamplePoints& points,
                       const Voxels& voxels) {
        return cost_in(precision, choosing_, stage, points, voxels);
    }
    /// The relative error at which off-resonance on a grid is divided into time segments
    /// (engines/segments.hpp); 0 when it is part of every phase.
    double segment_error() const;
    /// The cost of a pair of the kernel in "fhd", "q" or "f", in single precision.
    PairCost cost_of_pair(const std::string& stage);

    /// Passes messages to the user, as of ComputeOptions; equal ones are passed once.
    void report(const Finding& finding) const { options_.on_finding(finding); }
    void info(const std::string& message) {
        if (kernels_->is_new(message)) {
            options_.on_info(message);
        }
    }

private:
    Transforms(std::shared_ptr<Kernels> kernels, ComputeOptions options);
    /// Notes where it is not the kernel that was asked for by its name.
    Choice chosen(const SamplePoints& points, const Voxels& voxels);
    /// Tells of an engine that was chosen for its speed, when it is made.
    void report_engine(const Choice& choice, const SamplePoints& points, const Voxels& voxels);
    EngineFacts facts(const Machine& machine, Kernels::FindParameters parameters);
    Cost cost_in(Precision precision, const EngineFacts& by, const std::string& stage,
                 const SamplePoints& points, const Voxels& voxels);

    std::shared_ptr<Kernels> kernels_;
    ComputeOptions options_;
    mutable JobRanks alone_;
    JobRanks* ranks_;
    EngineContext context_; ///< its parameters go into the record
    EngineFacts predicting_; ///< the same; its parameters do not
    EngineFacts choosing_; ///< facts of the standard machine
    static std::unique_ptr<Transforms> made_on_processors(ComputeOptions options);

    std::unique_ptr<Transforms> on_processors_; ///< made when they are first asked for
    std::unique_ptr<Transforms> for_estimates_; ///< the same
};

/// A kind of device, and what computes on it.
struct DeviceKind {
    std::string name; ///< after --backend
    std::string summary;
    bool built;
};
std::vector<DeviceKind> device_kinds();

/// The backend that the options ask for, or that this machine has: OpenCL where there is a driver,
/// or where they name what only OpenCL has, else the host's processors.
std::string backend_of(const ComputeOptions& options);

/// UsageError for an unknown name, and for options that the kind of device does not take.
void check_options(const ComputeOptions& options);

/// Opens the transforms after check_options. NotBuiltError for a kind left out of this build,
/// DeviceError when its device cannot be used. `device` was opened for the same device options, or
/// is null.
std::unique_ptr<Transforms> open_transforms(ComputeOptions options,
                                            std::vector<Engine> table = engines(),
                                            std::shared_ptr<Device> device = nullptr);

/// The oracle: plain loops in double precision on one CPU thread.
std::unique_ptr<Transforms> reference_transforms();

} // namespace lsrecon
