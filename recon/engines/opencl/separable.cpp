// The transform on a lattice, by real matrix products of factors of one dimension each. The
// parameter FORM chooses the kernel: 0 is separable.cl, for CPUs, 1 separable_local.cl, for GPUs,
// and 2 separable_matrix.cl, for GPUs with matrix units. The sums of a volume come in blocks that
// fit the device, and in smaller ones when an allocation fails.

#include "engines/opencl/engines.hpp"

#include "engines/opencl/resources.hpp"
#include "engines/opencl/separable_forms.hpp"
#include "engines/pieces.hpp"

namespace lsrecon::opencl {

namespace {

/// Bytes of the sums of one block: larger blocks were not faster.
constexpr std::size_t most_bytes_of_totals = std::size_t(1) << 28;
/// Share of the usable memory, as a divisor: samples, factors and the volume need the rest.
constexpr std::size_t share_of_totals = 4;

class SeparableTransform : public Transform {
public:
    SeparableTransform(const EngineContext& context, const Variant& variant,
                       const SamplePoints& points, const Voxels& voxels)
        : context_(context), resources_(resources_of(context)), variant_(variant), points_(points),
          voxels_(voxels), samples_(samples_of(context, form_of("fhd") != Form::matrix)) {}

    std::size_t samples() const override { return samples_->count(); }
    std::size_t voxels() const override { return voxels_.count(); }

    void forward(const Array& rho, Array& out, const Progress& progress) override {
        const SeparableWork work{resources_, *samples_, voxels_, rho, out, progress};
        guarded("a transform", [&] { run_forward(work); });
    }

    /// Sums in blocks as large as speed and memory allow, and begins again with smaller ones when
    /// an allocation fails.
    void adjoint(const Array& values, Array& out, const Progress& progress) override {
        stage_ = values.element().complex ? "fhd" : "q";
        const Queue& queue = resources_.queue;
        const std::size_t room = std::min(queue.largest_buffer(), queue.memory() / share_of_totals);
        const SeparableWork work{resources_, *samples_, voxels_, values, out, progress};
        with_smaller_blocks(std::min(most_bytes_of_totals, room), resources_.on_finding,
                            [&](std::size_t bytes) {
                                resources_.queue.abandon_launches(); // of an attempt before
                                run_adjoint(work, bytes);
                            });
    }

    double forward_error() const override { return error("f"); }
    double adjoint_error() const override { return error(stage_); }

private:
    /// Returns the samples that another scan has left, or new ones.
    std::shared_ptr<const LatticeSamples> samples_of(const EngineContext& context,
                                                     bool sorted) const {
        Resources of_all = resources_;
        of_all.on_finding = [](const Finding&) {}; // they may outlive who listens
        return kept_or_made<LatticeSamples>(
            context.kept, text(name_of(voxels_, resources_.precision), sorted ? " sorted" : ""),
            {bytes_of_all(points_.positions)},
            LatticeSamples::bytes(points_.count(), resources_.precision), [&] {
                return std::make_shared<LatticeSamples>(of_all, points_.positions, voxels_, sorted);
            });
    }
    const Parameters& parameters_of(const std::string& stage) const {
        return context_.parameters(variant_.name, stage).values;
    }
    Form form_of(const std::string& stage) const {
        return static_cast<Form>(parameters_of(stage).at("FORM"));
    }

    void run_forward(const SeparableWork& work) const {
        const Form form = form_of("f");
        if (form == Form::in_private) {
            forward_private(work);
        } else {
            forward_tiled(form, parameters_of("f"), work);
        }
    }

    void run_adjoint(const SeparableWork& work, std::size_t most_bytes) const {
        const Form form = form_of(stage_);
        if (form == Form::in_private) {
            separable_private(parameters_of(stage_), work, most_bytes,
                              {context_.kept, points_.positions});
        } else {
            separable_tiled(form, parameters_of(stage_), work, most_bytes);
        }
    }

    double error(const std::string& stage) const {
        return error_of_exact(context_, variant_, stage, points_, voxels_);
    }

    EngineContext context_;
    Resources resources_;
    const Variant& variant_;
    SamplePoints points_;
    Voxels voxels_;
    std::shared_ptr<const LatticeSamples> samples_;
    std::string stage_ = "fhd"; ///< stage of the last adjoint
};

} // namespace

Cost predict_separable(const EngineFacts& context, const Variant& variant, const std::string& stage,
                       const SamplePoints& points, const Voxels& voxels) {
    constexpr double multiply_adds = 800; // as many take as long as one factor in doubles, measured
    Cost cost = predict_exact(context, variant, stage, points, voxels);
    const Parameters& parameters = context.parameters(variant.name, stage).values;
    if (stage != "f" && static_cast<Form>(parameters.at("FORM")) == Form::in_private) {
        const std::size_t columns = LatticeColumns(voxels).count;
        cost.seconds *= static_cast<double>(round_up(columns, lanes_of(context.precision))) /
                        static_cast<double>(columns);
    }
    double factors = 0;
    for (const std::size_t size : voxels.lattice_size()) {
        factors += size > 1 ? static_cast<double>(size) : 0;
    }
    const double rate = nominal_rates(context.machine.device).multiply_adds;
    cost.once = rate > 0 ? factors * static_cast<double>(points.count()) * multiply_adds / rate : 0;
    cost.seconds += cost.once;
    return cost;
}

std::unique_ptr<Transform> make_separable(const EngineContext& context, const Variant& variant,
                                          const SamplePoints& points, const Voxels& voxels) {
    return guarded("a transform", [&] {
        return std::make_unique<SeparableTransform>(context, variant, points, voxels);
    });
}

} // namespace lsrecon::opencl
