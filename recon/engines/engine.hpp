// An engine: a way to compute transforms, with its kernels, their errors and their costs.

#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/computation.hpp"
#include "base/content_store.hpp"
#include "base/finding.hpp"
#include "base/tolerance.hpp"
#include "device/device.hpp"
#include "device/devices.hpp"
#include "engines/transform.hpp"
#include "engines/tuning.hpp"
#include "scan/voxels.hpp"

namespace lsrecon {

/// A unit of a device, and how tables call it.
struct DeviceUnit {
    double DeviceRates::*rate; ///< null for none
    const char* name;
};
constexpr DeviceUnit no_unit{nullptr, ""};
constexpr DeviceUnit library_trigonometry{&DeviceRates::library_pairs, "sin, cos"};
constexpr DeviceUnit native_trigonometry{&DeviceRates::native_pairs, "native"};
constexpr DeviceUnit multiply_adder{&DeviceRates::multiply_adds, "multiply-add"};
constexpr DeviceUnit matrix_unit{&DeviceRates::matrix_multiply_adds, "fp64 matrix"};

/// The use of the device by one computed pair of a kernel, counted in docs/performance.md, Limits.
struct PairCost {
    DeviceUnit trigonometry = no_unit; ///< one sine and one cosine
    double fhd_multiply_adds = 0; ///< and of F; 0 when nothing is known of the kernel
    double q_multiply_adds = 0;
    /// Counted pairs that one computed pair of F^H d and of F stands for.
    double fhd_pairs = 1;
    double f_pairs = 1;
    DeviceUnit multiply_adds = multiply_adder;
};

struct Limit {
    double pairs_per_second = 0; ///< 0 when nothing is known of the kernel
    std::string unit; ///< what sets it
};

/// The pairs a second that the device allows such a kernel in stage "fhd", "q" or "f", by the
/// slowest unit that each pair needs. Pairs of Q are counted over all differences, of which half
/// are computed.
Limit limit_of(const PairCost& cost, const std::string& stage, const DeviceRates& rates);

/// The single-precision arithmetic of a kernel: its error, and its speed.
struct Arithmetic {
    tolerance::Rounding rounding = {};
    PairCost cost = {};
};

/// The memory layout of a chunk of sources. `vectors` are structs of whole float4, their low parts
/// in radians, and whole runs of them (kernels/tuned.cl).
enum class SourceLayout { none, arrays, structs, vectors };

/// A kernel that --kernel names: a rung of the ladder.
struct Variant {
    std::string name;
    Arithmetic arithmetic = {}; ///< none where its engine predicts the error otherwise
    /// Layout of the direct engine, whose file is NAME.cl.
    SourceLayout layout = SourceLayout::none;
    /// The arithmetic of the variant where a parameter of the kernel has this value.
    struct Choice {
        std::string parameter;
        int value;
        Arithmetic arithmetic;
    };
    std::vector<Choice> choices = {};
    /// The precision of the arithmetic where it differs from that of the arrays.
    std::optional<Precision> computes_in = {};

    const Arithmetic& arithmetic_by(const Parameters& parameters) const;
};

/// The facts by which an engine is chosen and predicted: no device is touched.
struct EngineFacts {
    std::string device_kind; ///< Device::kind(): "opencl", "host" or "reference"
    bool in_host_memory; ///< whether its arrays are in the host's memory
    bool has_doubles;
    const Machine&
        standard_machine; ///< machine by which an engine chooses how it computes (standard_machine)
    const Machine& machine; ///< machine for which it predicts seconds
    Precision precision; ///< precision of arrays
    double accuracy; ///< ComputeOptions::accuracy
    /// The parameters of a variant for a stage ("fhd", "q" or "f").
    std::function<const ChosenParameters&(const std::string& variant, const std::string& stage)>
        parameters;
};

/// The device and facts that an engine computes with. Everything that it refers to must outlive its
/// transforms, whose parameters are on the record from the call on.
struct EngineContext : EngineFacts {
    Device& device;
    OnFinding on_finding;
    ContentStore* kept = nullptr; ///< ComputeOptions::kept
};

/// The cost of one coil in this stage; its error is the bound of the transform's.
using PredictCost = Cost(const EngineFacts& facts, const Variant& variant, const std::string& stage,
                         const SamplePoints& points, const Voxels& voxels);
/// F of these samples at these voxels. The data that `points` refers to must outlive it.
using MakeTransform = std::unique_ptr<Transform>(const EngineContext& context,
                                                 const Variant& variant, const SamplePoints& points,
                                                 const Voxels& voxels);

/// A way to compute transforms.
struct Engine {
    std::string name;
    std::vector<std::string> device_kinds; ///< Device::kind() of those that it computes on
    /// Variants in the order of the ladder; the last is the usual one.
    std::vector<Variant> variants;
    bool divides_time; ///< off-resonance needs time segments (engines/segments.hpp)
    bool exact; ///< its error is rounding: it may serve in place of another one
    /// The reason why the engine cannot serve these points; "" where it can.
    std::string (*refusal)(const SamplePoints& points, const Voxels& voxels);
    std::function<PredictCost> predict;
    std::function<MakeTransform> make;
    /// Whether its adjoint at Voxels::part() has the same bits as at the whole, so that ranks may
    /// compute a part each.
    bool by_part = false;

    bool computes_on(const std::string& device_kind) const {
        return std::find(device_kinds.begin(), device_kinds.end(), device_kind) !=
               device_kinds.end();
    }
};

/// The table, across all kinds of devices: a row each, the fastest exact one after the others.
const std::vector<Engine>& engines();

/// Names of the variants for a kind of device, in the order of the ladder.
std::vector<std::string> kernel_names(const std::string& device_kind = "opencl");
/// The one used unless the user names another.
std::string default_kernel(const std::string& device_kind = "opencl");

/// UsageError for a name that no engine has.
const Engine& engine_of(const std::string& variant, const std::vector<Engine>& table = engines());
const Variant& variant_named(const std::string& name, const std::vector<Engine>& table = engines());

} // namespace lsrecon
