// The table of engines for all kinds of devices, with the errors of their kernels as they were
// measured.

#include "engines/engine.hpp"

#include <algorithm>
#include <limits>

#include "base/error.hpp"
#include "base/numbers.hpp"
#include "engines/host/engines.hpp"
#ifdef LSRECON_WITH_OPENCL
#include "engines/opencl/engines.hpp"
#endif

namespace lsrecon {

namespace {

std::string none(const SamplePoints&, const Voxels&) {
    return "";
}

std::string off_a_grid(const SamplePoints&, const Voxels& voxels) {
    return voxels.on_lattice() ? "" : "the voxels are not on a grid";
}

#ifdef LSRECON_WITH_OPENCL

using opencl::sources_of_a_run;

using tolerance::per_term;
using tolerance::per_term_native;

// Errors measured: PoCL, 2 CPU cores, 2026-11, Cartesian, spiral, radial and random scans of 256 to
// 4096 samples, in eps.

/// 5.1 to 19 (F^H d), 3.3 to 14 (Q), which is at most 0.3 sqrt(n), and 0.45 sqrt(n) for a spiral of
/// 4010 samples whose energy sits in the centre.
constexpr tolerance::Rounding in_one_float{per_term, std::numeric_limits<std::size_t>::max()};
/// 1.3 to 2.1 (F^H d), 0.9 to 4.4 (Q); tuned with polynomials, on random scans, 2.0 to 2.7.
constexpr tolerance::Rounding in_runs{per_term, sources_of_a_run};
constexpr tolerance::Rounding in_runs_of_native{per_term_native, sources_of_a_run};
/// 1.3 to 2.0. Three factors of a phase each are multiplied, which are wrong independently:
/// sqrt(3), rounded up. What they leave to another kernel, voxels off a grid, has that one's bound.
/// Runs are those of kernels/separable_local.cl; kernels/separable.cl has 16, and 8 of them in
/// floats. Samples come sorted by radius, so that those of a run are similar: the growth measured
/// on an NVIDIA H200 at 128^3 voxels is 0.29 to 0.31 for 65536 and for 10^6 random samples, runs of
/// 512 and of 1024.
constexpr tolerance::Rounding of_factors{2 * per_term, 1024, 0.5};
/// The rounding of kernels/separable_matrix.cl and separable_forward_matrix.cl: a value and three
/// factors that are right to half an ulp of a float, and one product of them. Measured: at most 1.1
/// eps.
constexpr tolerance::Rounding of_factors_in_doubles{2, 0};

/// Multiply-adds of the phase: 3 products of high parts, 3 of low ones, 5 to take off half turns,
/// the factor 2 pi; then of the value: 4 for F^H d, 2 for Q.
constexpr PairCost of_library{library_trigonometry, 16, 14};
constexpr PairCost of_hardware{native_trigonometry, 16, 14};
/// The cost of a pair where the work that belongs to its row is done once a row: 2 products, 4 for
/// turns and radians. x -> -x on a lattice.
constexpr PairCost of_rows{native_trigonometry, 10, 8, 2};
constexpr PairCost of_rows_by_polynomials{no_unit, 21, 19, 2};
/// The cost without a phase; x -> -x.
constexpr PairCost of_products{no_unit, 4, 2, 2, 2};
constexpr PairCost of_products_in_doubles{no_unit, 4, 2, 2, 2, matrix_unit};

/// The cost of the NUFFT, on the host's cores where the arrays are there, else on the device.
Cost predict_nufft_where(const EngineFacts& facts, const Variant& variant, const std::string& stage,
                         const SamplePoints& points, const Voxels& voxels) {
    return (facts.in_host_memory ? predict_nufft : opencl::predict_nufft)(facts, variant, stage,
                                                                          points, voxels);
}
std::unique_ptr<Transform> make_nufft_where(const EngineContext& context, const Variant& variant,
                                            const SamplePoints& points, const Voxels& voxels) {
    return (context.in_host_memory ? make_nufft : opencl::make_nufft)(context, variant, points,
                                                                      voxels);
}

Cost predict_separable_where(const EngineFacts& facts, const Variant& variant,
                             const std::string& stage, const SamplePoints& points,
                             const Voxels& voxels) {
    return (facts.device_kind == "host" ? host::predict_separable : opencl::predict_separable)(
        facts, variant, stage, points, voxels);
}
std::unique_ptr<Transform> make_separable_where(const EngineContext& context,
                                                const Variant& variant, const SamplePoints& points,
                                                const Voxels& voxels) {
    return (context.device_kind == "host" ? host::make_separable : opencl::make_separable)(
        context, variant, points, voxels);
}

/// The kinds of device of which each has this engine of its own.
std::vector<std::string> each_kind() {
    return {"host", "opencl"};
}
Variant separable() {
    return {"separable",
            {of_factors, of_products},
            SourceLayout::none,
            {{"FORM", 2, {of_factors_in_doubles, of_products_in_doubles}}}};
}

#else

std::vector<std::string> each_kind() {
    return {"host"};
}
Variant separable() {
    return {"separable"};
}
constexpr auto predict_separable_where = host::predict_separable;
constexpr auto make_separable_where = host::make_separable;
constexpr auto predict_nufft_where = predict_nufft;
constexpr auto make_nufft_where = make_nufft;

#endif

} // namespace

const std::vector<Engine>& engines() {
    static const std::vector<Engine> rows{
        {"loops",
         {"reference"},
         {{"loops-single", {}, SourceLayout::none, {}, Precision::float32}, {"loops"}},
         false,
         true,
         &none,
         &predict_loops,
         &make_loops,
         true},
#ifdef LSRECON_WITH_OPENCL
        {"direct",
         {"opencl"},
         {{"naive", {in_one_float, of_library}, SourceLayout::arrays},
          {"register", {in_runs, of_library}, SourceLayout::arrays},
          {"constant", {in_runs, of_library}, SourceLayout::arrays},
          {"struct", {in_runs, of_library}, SourceLayout::structs},
          {"native", {in_runs_of_native, of_hardware}, SourceLayout::structs},
          {"tuned",
           {in_runs_of_native, of_rows},
           SourceLayout::vectors,
           // Polynomials are better than that.
           {{"TRIGONOMETRY", 1, {in_runs_of_native, of_rows_by_polynomials}}}}},
         false,
         true,
         &none,
         &opencl::predict_exact,
         &opencl::make_direct},
#endif
        {"sums",
         {"host"},
         {{"sums"}},
         false,
         true,
         &none,
         &host::predict_sums,
         &host::make_sums,
         true},
        {"separable",
         each_kind(),
         {separable()},
         true,
         true,
         &off_a_grid,
         predict_separable_where,
         make_separable_where,
         true},
        {"nufft",
         each_kind(),
         {{"nufft"}},
         true,
         false,
         &nufft_refusal,
         predict_nufft_where,
         make_nufft_where},
    };
    return rows;
}

const Engine& engine_of(const std::string& variant, const std::vector<Engine>& table) {
    for (const Engine& engine : table) {
        for (const Variant& row : engine.variants) {
            if (row.name == variant) {
                return engine;
            }
        }
    }
    throw UsageError(text("`kernel` ", variant, " is unknown\n  expected: one of ",
                          comma_separated(kernel_names()),
                          "\n  next:     see 'lsrecon devices', or leave `kernel` out"));
}

const Variant& variant_named(const std::string& name, const std::vector<Engine>& table) {
    const std::vector<Variant>& rows = engine_of(name, table).variants;
    return *std::find_if(rows.begin(), rows.end(),
                         [&](const Variant& row) { return row.name == name; });
}

const Arithmetic& Variant::arithmetic_by(const Parameters& parameters) const {
    for (const Choice& choice : choices) {
        const auto given = parameters.find(choice.parameter);
        if (given != parameters.end() && given->second == choice.value) {
            return choice.arithmetic;
        }
    }
    return arithmetic;
}

std::vector<std::string> kernel_names(const std::string& device_kind) {
    std::vector<std::string> names;
    for (const Engine& engine : engines()) {
        for (const Variant& variant : engine.variants) {
            if (engine.computes_on(device_kind)) {
                names.push_back(variant.name);
            }
        }
    }
    return names;
}

std::string default_kernel(const std::string& device_kind) {
    std::string name;
    for (const Engine& engine : engines()) {
        if (engine.exact && engine.computes_on(device_kind)) {
            name = engine.variants.back().name;
        }
    }
    return name;
}

Limit limit_of(const PairCost& cost, const std::string& stage, const DeviceRates& rates) {
    const bool is_q = stage == "q";
    const double needed = is_q ? cost.q_multiply_adds : cost.fhd_multiply_adds;
    if (needed == 0) {
        return {};
    }
    const double counted = is_q ? 2 : stage == "f" ? cost.f_pairs : cost.fhd_pairs;
    Limit limit{counted * rates.*cost.multiply_adds.rate / needed, cost.multiply_adds.name};
    if (cost.trigonometry.rate != nullptr) {
        const double pairs = counted * rates.*cost.trigonometry.rate;
        if (pairs < limit.pairs_per_second) {
            limit = {pairs, cost.trigonometry.name};
        }
    }
    return limit;
}

} // namespace lsrecon
