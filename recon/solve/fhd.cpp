#include "solve/fhd.hpp"

#include "base/float_range.hpp"
#include "operators/finite.hpp"

namespace lsrecon {

std::vector<Volume> compute_fhd(Backend& backend, PiecewiseTransform& transform, MuFactors& factors,
                                const CoilRows& samples, CoilMaps& maps, Reporter& report) {
    const Stage stage(report, "fhd");
    Device& device = backend.device();
    const Element complex{true, backend.precision()};
    const int exponent = range_exponent(backend.precision(), samples.largest_part());
    Volumes volumes(device, transform.voxels().count(), exponent + factors.exponent());
    Array sum; // over the coils
    transform.adjoint(
        samples.rows(), false,
        [&](const Range& coils, const Range& at, Array& to) {
            device.upload(samples, coils, at, -exponent, to);
            factors.apply(at, to);
        },
        [&](const Range& coils, const Range& at, const Array& from) {
            if (maps.given()) {
                if (coils.first == 0) {
                    sum = device.zeros(at.count, complex);
                }
                for (std::size_t c = 0; c < coils.count; ++c) {
                    device.add_conjugate_product(maps.part(coils.first + c, at), from, c * at.count,
                                                 sum);
                }
                if (coils.first + coils.count == samples.rows()) {
                    volumes.add(at, sum);
                }
                return;
            }
            for (std::size_t c = 0; c < coils.count; ++c) {
                Array volume = device.zeros(at.count, complex);
                device.copy(from, c * at.count, volume);
                volumes.add(at, volume);
            }
        },
        [&](double fraction) { report.progress(fraction); });
    std::vector<Volume> result = volumes.finished();
    for (const Volume& volume : result) {
        require_finite("fhd", volume.norm());
    }
    return result;
}

FhdVolumes fhd_of_frame(Backend& backend, const Voxels& voxels, const Frame& frame,
                        const CoilRows& coil_maps, Reporter& report) {
    PiecewiseTransform transform(backend, frame.sampling->points(), voxels);
    CoilMaps maps(backend.device(), coil_maps);
    MuFactors factors(backend.device(), backend.precision(), *frame.sampling);
    return {compute_fhd(backend, transform, factors, frame.samples, maps, report),
            transform.error()};
}

FhdOnHost fhd_on_host(Backend& backend, const Voxels& voxels, const Frame& frame,
                      const CoilRows& coil_maps, Reporter& report) {
    const auto [volumes, error] = fhd_of_frame(backend, voxels, frame, coil_maps, report);
    FhdOnHost result{CoilMatrix(static_cast<Eigen::Index>(volumes.size()),
                                static_cast<Eigen::Index>(voxels.count())),
                     error};
    for (std::size_t row = 0; row < volumes.size(); ++row) {
        result.values.row(static_cast<Eigen::Index>(row)) = volumes[row].values().transpose();
    }
    return result;
}

} // namespace lsrecon
