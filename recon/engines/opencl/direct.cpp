// The direct transform by a kernel of the variant's name, for voxels anywhere: sources in chunks,
// points in blocks, coils in bundles (engines/pieces.hpp).

#include "engines/opencl/engines.hpp"

#include <optional>

#include "engines/opencl/points.hpp"
#include "engines/pieces.hpp"

namespace lsrecon::opencl {

namespace {

/// out_cp = sum_s value_cs exp(sign i 2 pi k.u)
struct Sum {
    const PointsOnDevice& sources;
    const PointsOnDevice& points;
    const Array& values;
    const cl::Buffer* phases; ///< what the values are multiplied by; null for 1
    /// Every point also stands for its image by x -> -x: the first for the last of `out`.
    bool mirror;
    int sign;
    Array& out;
    std::size_t out_points; ///< points of one coil
    const Progress& progress;
};

class DirectTransform : public Transform {
public:
    DirectTransform(const EngineContext& context, const Variant& variant,
                    const SamplePoints& points, const Voxels& voxels)
        : context_(context), resources_(resources_of(context)), variant_(variant),
          points_(off_resonance_of(points, voxels) ? points : SamplePoints(points.positions)),
          voxels_(off_resonance_of(points, voxels) ? voxels : voxels.in_field(nullptr)),
          units_(points_, voxels_),
          samples_on_device_(
              resources_,
              trajectory_points(points_, voxels.per_fov(),
                                SplitScale(std::max(voxels.extent_in_voxels(), units_.extent),
                                           units_.off_resonance ? 4 : 3),
                                units_.time),
              variant_.layout),
          voxels_on_device_(resources_, voxel_points(voxels_, units_.time), variant_.layout) {}

    std::size_t samples() const override { return points_.count(); }
    std::size_t voxels() const override { return voxels_.count(); }

    void forward(const Array& rho, Array& out, const Progress& progress) override {
        guarded("a transform", [&] {
            run({voxels_on_device_, samples_on_device_, rho, nullptr, false, -1, out, samples(),
                 progress},
                context_.parameters(variant_.name, "f"));
        });
    }

    void adjoint(const Array& values, Array& out, const Progress& progress) override {
        guarded("a transform", [&] { run_adjoint(values, out, progress); });
    }

    double forward_error() const override { return error("f"); }
    double adjoint_error() const override { return error(stage_); }

private:
    // Mirrors F^H d only: Q is asked for at half of its differences, which uses its symmetry
    // already.
    void run_adjoint(const Array& values, Array& out, const Progress& progress) {
        const bool real_values = !values.element().complex;
        stage_ = real_values ? "q" : "fhd";
        const ChosenParameters& parameters = context_.parameters(variant_.name, stage_);
        if (variant_.layout == SourceLayout::vectors && !real_values && can_mirror(voxels_)) {
            if (!mirrored_) {
                mirrored_.emplace(resources_, points_.positions, voxels_, variant_.layout);
            }
            run({mirrored_->samples, mirrored_->half, values, &buffer_of(mirrored_->phases), true,
                 +1, out, voxels(), progress},
                parameters);
        } else {
            run({samples_on_device_, voxels_on_device_, values, nullptr, false, +1, out, voxels(),
                 progress},
                parameters);
        }
    }

    bool has_off() const { return units_.off_resonance != nullptr; }
    /// Numbers of a source before its values.
    std::size_t position_fields() const { return has_off() ? 10 : 6; }

    double error(const std::string& stage) const {
        return error_of_exact(context_, variant_, stage, points_, voxels_);
    }

    void run(const Sum& sum, const ChosenParameters& parameters);
    void run_block(const Sum& sum, const TransformPlan& plan, const Geometry& geometry,
                   const Range& bundle, const Range& block);
    std::size_t pack(const Sum& sum, const TransformPlan& plan, const Range& bundle,
                     const Range& chunk);

    EngineContext context_;
    Resources resources_;
    const Variant& variant_;
    SamplePoints points_; ///< without times where the voxels have no off-resonance
    Voxels voxels_; ///< without off-resonance where the samples have no times
    PhaseUnits units_;
    PointsOnDevice samples_on_device_;
    PointsOnDevice voxels_on_device_;
    std::optional<Mirrored> mirrored_;
    std::string stage_ = "fhd"; ///< stage of the last adjoint
    // Kernels and chunk of the sum at work.
    cl::Kernel pack_;
    cl::Kernel transform_;
    cl::Kernel finish_;
    cl::Kernel finish_images_;
    Array chunk_;
};

/// Divides the sum by the memory of the device, compiles the kernels for that division, and runs
/// its blocks of points for one bundle of coils after the other.
void DirectTransform::run(const Sum& sum, const ChosenParameters& parameters) {
    const std::size_t coils = sum.values.count() / sum.sources.count;
    const bool real_values = !sum.values.element().complex;
    Queue& queue = resources_.queue;
    const std::size_t number_bytes = bytes_of(resources_.precision);
    TransformPlan plan = plan_transform(
        {queue.info().constant_bytes, queue.largest_buffer() / 4}, coils,
        {number_bytes, position_fields(), real_values ? std::size_t(1) : std::size_t(2)});
    // Blocks of equal size: a last block of few points would leave the device idle.
    plan.points_per_block =
        divide_up(sum.points.count, divide_up(sum.points.count, plan.points_per_block));
    Geometry geometry;
    if (variant_.layout == SourceLayout::vectors) {
        geometry =
            tuned_geometry(resources_, parameters, sum.sources, sum.points, sum.mirror, plan);
    }
    const std::string of_values =
        text(" -DREAL_VALUES=", real_values ? 1 : 0, " -DOFF_RESONANCE=", has_off() ? 1 : 0,
             " -DDECAY=", units_.decay ? 1 : 0, resources_.defines());
    transform_ = queue.kernel(variant_.name + ".cl", "transform",
                              text("-DCOILS=", plan.coils_per_bundle, " -DSIGN=", sum.sign,
                                   " -DLOW_POINTS=", sum.points.has_low ? 1 : 0, " -DLOW_SOURCES=",
                                   sum.sources.has_low ? 1 : 0, of_values, geometry.defines));
    pack_ = queue.kernel("direct.cl", "pack", of_values);
    finish_ = queue.kernel("direct.cl", "finish", of_values);
    finish_images_ = queue.kernel("direct.cl", "finish_images", of_values);
    double done = 0;
    const double total = static_cast<double>(plan.coil_bundles * sum.points.count);
    for (const Range& bundle : split_into_ranges(coils, plan.coils_per_bundle)) {
        for (const Range& block : split_into_ranges(sum.points.count, plan.points_per_block)) {
            const double share = static_cast<double>(block.count) / total;
            const Progress of_block = [&](double fraction) {
                sum.progress(done + share * fraction);
            };
            run_block({sum.sources, sum.points, sum.values, sum.phases, sum.mirror, sum.sign,
                       sum.out, sum.out_points, of_block},
                      plan, geometry, bundle, block);
            done += share;
        }
    }
}

/// One block of points for one bundle of coils, over all chunks of sources.
void DirectTransform::run_block(const Sum& sum, const TransformPlan& plan, const Geometry& geometry,
                                const Range& bundle, const Range& block) {
    const std::size_t images = sum.mirror ? 2 : 1;
    Queue& queue = resources_.queue;
    Array totals = resources_.zeros(4 * images * plan.coils_per_bundle * block.count);
    for (const Range& chunk : split_into_ranges(sum.sources.count, plan.sources_per_chunk)) {
        const std::size_t packed = pack(sum, plan, bundle, chunk);
        Queue::set_arguments(transform_, buffer_of(chunk_), static_cast<cl_int>(packed),
                             buffer_of(sum.points.positions), static_cast<cl_int>(sum.points.count),
                             static_cast<cl_int>(block.first), static_cast<cl_int>(block.count),
                             buffer_of(totals));
        if (variant_.layout == SourceLayout::vectors) {
            transform_.setArg(7, static_cast<cl_int>(geometry.row_of(block)));
        }
        queue.launch(transform_, geometry.items(block), 1, geometry.group);
        queue.limit_queued_launches();
        sum.progress(static_cast<double>(chunk.first) / static_cast<double>(sum.sources.count));
    }
    const auto first = static_cast<cl_ulong>(block.first);
    const auto points = static_cast<cl_ulong>(sum.out_points);
    // Rows of coils that the kernel has and the bundle has not are left out.
    const std::array<std::size_t, 3> items{block.count, bundle.count, 1};
    const auto coil = static_cast<cl_ulong>(bundle.first);
    resources_.launch(finish_, items, buffer_of(totals), first, points, coil, buffer_of(sum.out));
    if (sum.mirror) {
        resources_.launch(finish_images_, items, buffer_of(totals), first, points, coil,
                          static_cast<cl_ulong>(sum.points.count),
                          static_cast<cl_ulong>(plan.coils_per_bundle), buffer_of(sum.out));
    }
}

/// Puts a chunk into the layout that the variant reads. Returns its number of sources, which is
/// larger than before when the layout pads them to whole runs.
std::size_t DirectTransform::pack(const Sum& sum, const TransformPlan& plan, const Range& bundle,
                                  const Range& chunk) {
    const bool real_values = !sum.values.element().complex;
    const std::size_t fields = position_fields() + (real_values ? 1 : 2 * plan.coils_per_bundle);
    const bool arrays = variant_.layout == SourceLayout::arrays;
    const bool vectors = variant_.layout == SourceLayout::vectors;
    const std::size_t struct_fields = vectors ? round_up(fields, 4) : fields;
    const std::size_t count = vectors ? round_up(chunk.count, sources_of_a_run) : chunk.count;
    if (chunk_.count() < struct_fields * count) {
        chunk_ = resources_.zeros(struct_fields * count);
    }
    resources_.launch(
        pack_, {count, struct_fields, 1}, buffer_of(sum.sources.positions),
        static_cast<cl_int>(sum.sources.has_low), static_cast<cl_ulong>(sum.sources.count),
        static_cast<cl_ulong>(chunk.first), static_cast<cl_int>(chunk.count), buffer_of(sum.values),
        static_cast<cl_ulong>(bundle.first), static_cast<cl_int>(bundle.count),
        sum.phases ? *sum.phases : buffer_of(sum.values),
        static_cast<cl_int>(sum.phases != nullptr), static_cast<cl_int>(arrays ? 1 : struct_fields),
        static_cast<cl_int>(arrays ? chunk.count : 1), buffer_of(chunk_));
    return count;
}

} // namespace

double error_of_exact(const EngineFacts& context, const Variant& variant, const std::string& stage,
                      const SamplePoints& points, const Voxels& voxels) {
    const std::size_t terms = stage == "f" ? voxels.count() : points.count();
    if (context.precision == Precision::float64) {
        // The error against the reference: both round.
        return 2 * tolerance::reference(largest_turns(points, voxels), terms);
    }
    const Parameters& parameters = context.parameters(variant.name, stage).values;
    return tolerance::direct_transform(variant.arithmetic_by(parameters).rounding, terms);
}

Cost predict_exact(const EngineFacts& context, const Variant& variant, const std::string& stage,
                   const SamplePoints& points, const Voxels& voxels) {
    const ChosenParameters& parameters = context.parameters(variant.name, stage);
    const double half_of_q = stage == "q" ? 2 : 1; // its voxels are half of all differences
    const double pairs =
        half_of_q * static_cast<double>(points.count()) * static_cast<double>(voxels.count());
    const PairCost& of_pair = variant.arithmetic_by(parameters.values).cost;
    const DeviceRates rates = nominal_rates(context.machine.device);
    // Measured by `lsrecon tune`, else by the numbers of the device.
    const double rate = parameters.pairs_per_second > 0
                            ? parameters.pairs_per_second
                            : limit_of(of_pair, stage, rates).pairs_per_second;
    const double of_doubles = context.precision == Precision::float64 ? 3 : 1; // measured
    Cost cost = cost_of_pieces({1, points.count(), voxels.count()}, context.precision);
    cost.seconds = of_doubles * (rate > 0 ? pairs / rate : 0);
    cost.error = error_of_exact(context, variant, stage, points, voxels);
    return cost;
}

std::unique_ptr<Transform> make_direct(const EngineContext& context, const Variant& variant,
                                       const SamplePoints& points, const Voxels& voxels) {
    return guarded("a transform", [&] {
        return std::make_unique<DirectTransform>(context, variant, points, voxels);
    });
}

} // namespace lsrecon::opencl
