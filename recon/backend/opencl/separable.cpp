#include "backend/opencl/separable.hpp"

#include "backend/opencl/separable_forms.hpp"

namespace lsrecon::opencl {

namespace {

/// Totals of more than this make nothing faster.
constexpr std::size_t most_bytes_of_totals = std::size_t(1) << 28;
/// Of the memory that may be used: samples and factors need the rest.
constexpr std::size_t share_of_totals = 2;
/// Below this a failed allocation is the device's last word.
constexpr std::size_t fewest_bytes_of_totals = std::size_t(1) << 20;

bool out_of_memory(const cl::Error& error) {
    return error.err() == CL_MEM_OBJECT_ALLOCATION_FAILURE || error.err() == CL_OUT_OF_RESOURCES ||
           error.err() == CL_INVALID_BUFFER_SIZE;
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
    std::size_t most_bytes =
        std::min({most_bytes_of_totals, queue.largest_buffer(), queue.memory() / share_of_totals});
    for (;;) {
        try {
            const SeparableWork work{samples, voxels, rows(values), most_bytes, progress};
            return parameters.at("LOCAL") != 0 ? separable_local(queue, parameters, work)
                                               : separable_private(queue, parameters, work);
        } catch (const cl::Error& error) {
            if (!out_of_memory(error) || most_bytes / 2 < fewest_bytes_of_totals) {
                throw;
            }
            most_bytes /= 2;
            note(text("the device has no room for pieces of ", most_bytes >> 19,
                      " MiB; going on with half of that"));
        }
    }
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
    return parameters.at("LOCAL") != 0 ? forward_local(queue, parameters, work)
                                       : forward_private(queue, work);
}

} // namespace lsrecon::opencl
