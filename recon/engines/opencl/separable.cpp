// The transform on a lattice, by real matrix products of factors of one dimension each. The
// parameter FORM chooses the kernel: 0 is separable.cl, for CPUs, 1 separable_local.cl, for GPUs,
// and 2 separable_matrix.cl, for GPUs with matrix units. The sums of a volume come in blocks that
// fit the device, and in smaller ones when an allocation fails.

#include "engines/opencl/engines.hpp"

#include "engines/opencl/blocks.hpp"
#include "engines/opencl/separable_forms.hpp"

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
            {bytes_of_all(points_.trajectory)},
            LatticeSamples::bytes(points_.count(), resources_.precision), [&] {
                return std::make_shared<LatticeSamples>(of_all, points_.trajectory, voxels_,
                                                        sorted);
            });
    }
    const Parameters& parameters_of(const std::string& stage) const {
        return context_.parameters(variant_.name, stage).values;
    }
    Form form_of(const std::string& stage) const {
        return static_cast<Form>(parameters_of(stage).at("FORM"));
    }

    void run_forward(const SeparableWork& work) const {
        const Parameters& parameters = parameters_of("f");
        switch (form_of("f")) {
        case Form::in_private:
            return forward_private(work);
        case Form::local:
            return forward_tiled(local_forward(parameters, samples(), resources_), work);
        case Form::matrix:
            return forward_tiled(matrix_forward(parameters, samples(), resources_), work);
        }
    }

    void run_adjoint(const SeparableWork& work, std::size_t most_bytes) const {
        const Parameters& parameters = parameters_of(stage_);
        const std::size_t columns = LatticeColumns(voxels_).count;
        switch (form_of(stage_)) {
        case Form::in_private:
            return separable_private(parameters, work, most_bytes,
                                     {context_.kept, points_.trajectory});
        case Form::local:
            return separable_tiled(local_product(parameters, columns, resources_), work,
                                   most_bytes);
        case Form::matrix:
            return separable_tiled(matrix_product(parameters, columns, resources_), work,
                                   most_bytes);
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

std::unique_ptr<Transform> make_separable(const EngineContext& context, const Variant& variant,
                                          const SamplePoints& points, const Voxels& voxels) {
    return guarded("a transform", [&] {
        return std::make_unique<SeparableTransform>(context, variant, points, voxels);
    });
}

} // namespace lsrecon::opencl
