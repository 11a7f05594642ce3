#include "backend/opencl/separable.hpp"

#include "backend/opencl/pieces.hpp"
#include "backend/opencl/separable_forms.hpp"
#include "base/tolerance.hpp"

namespace lsrecon::opencl {

namespace {

/// Totals of more than this make nothing faster.
constexpr std::size_t most_bytes_of_totals = std::size_t(1) << 28;
/// Of the memory that may be used: samples and factors need the rest.
constexpr std::size_t share_of_totals = 2;

/// What the totals of all voxels take.
std::size_t bytes_of_totals(const Voxels& voxels, std::size_t coils) {
    constexpr std::size_t bytes_of_a_pair = 32; // four sums in two floats
    const std::array<std::size_t, 3>& size = voxels.lattice_size();
    return coils * size[2] * size[1] * LatticeColumns(voxels).count * bytes_of_a_pair;
}

} // namespace

CoilMatrix separable_transform(Queue& queue, const Parameters& parameters,
                               const std::vector<Vec3>& trajectory, const CoilMatrix& values,
                               const Voxels& voxels, const Progress& progress,
                               const std::function<void(const std::string&)>& note) {
    if (trajectory.empty() || voxels.count() == 0 || values.rows() == 0) {
        return CoilMatrix::Zero(values.rows(), static_cast<Eigen::Index>(voxels.count()));
    }
    const LatticeSamples samples(trajectory, values, voxels);
    const std::size_t room = std::min(queue.largest_buffer(), queue.memory() / share_of_totals);
    if (room < most_bytes_of_totals && bytes_of_totals(voxels, rows(values)) > room) {
        note(text("the volume goes through the device in pieces of ", in_mib(room), " MiB"));
    }
    return with_smaller_pieces(std::min(most_bytes_of_totals, room), note, [&](std::size_t bytes) {
        queue.reset_clock(); // an attempt before this one may have launched something
        const SeparableWork work{samples, voxels, rows(values), bytes, progress};
        const std::size_t product_columns = LatticeColumns(voxels).count;
        switch (static_cast<Form>(parameters.at("FORM"))) {
        case Form::in_private:
            break;
        case Form::local:
            return separable_tiled(
                queue, local_product(parameters, product_columns, queue.info().local_bytes), work);
        case Form::matrix:
            return separable_tiled(queue, matrix_product(parameters, product_columns, queue.info()),
                                   work);
        }
        return separable_private(queue, parameters, work);
    });
}

CoilMatrix separable_forward(Queue& queue, const Parameters& parameters,
                             const std::vector<Vec3>& trajectory, const CoilMatrix& rho,
                             const Voxels& voxels, const Progress& progress) {
    const auto count = static_cast<Eigen::Index>(trajectory.size());
    if (trajectory.empty() || rho.size() == 0) {
        return CoilMatrix::Zero(rho.rows(), count);
    }
    const CoilMatrix no_values(0, count);
    const LatticeSamples samples(trajectory, no_values, voxels);
    const ForwardWork work{samples, rho, voxels, progress};
    switch (static_cast<Form>(parameters.at("FORM"))) {
    case Form::in_private:
        break;
    case Form::local:
        return forward_tiled(
            queue, local_forward(parameters, trajectory.size(), queue.info().local_bytes), work);
    case Form::matrix:
        return forward_tiled(queue, matrix_forward(parameters, trajectory.size(), queue.info()),
                             work);
    }
    return forward_private(queue, work);
}

double separable_bound(const Parameters& parameters, std::size_t sources) {
    return static_cast<Form>(parameters.at("FORM")) == Form::matrix
               ? tolerance::separable_in_doubles()
               : tolerance::direct_transform("separable", sources);
}

} // namespace lsrecon::opencl
