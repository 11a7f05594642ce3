#include "solve/fhd.hpp"

#include "base/float_range.hpp"
#include "engines/pieces.hpp"
#include "operators/finite.hpp"

namespace lsrecon {

namespace {

/// Values of a volume, but for a power of two.
using TakePart = std::function<void(std::size_t volume, const Range& at, const Array& values)>;

struct FhdInputs {
    PiecewiseTransform& transform;
    MuFactors& factors;
    const CoilRows& samples;
    CoilMaps& maps;

    int exponent_of_samples(Precision precision) const {
        return range_exponent(precision, samples.largest_part());
    }
    /// Of what is taken.
    int exponent(Precision precision) const {
        return exponent_of_samples(precision) + factors.exponent();
    }
};

void transform_samples(Backend& backend, const FhdInputs& of, const TakePart& take,
                       Reporter& report) {
    const Stage stage(report, "fhd");
    Device& device = backend.device();
    const Element complex{true, backend.precision()};
    const int exponent = of.exponent_of_samples(backend.precision());
    Array sum; // over the coils
    of.transform.adjoint(
        of.samples.rows(), false,
        [&](const Range& coils, const Range& at, Array& to) {
            device.upload(of.samples, coils, at, -exponent, to);
            of.factors.apply(at, to);
        },
        [&](const Range& coils, const Range& at, const Array& from) {
            if (of.maps.given()) {
                if (coils.first == 0) {
                    sum = device.zeros(at.count, complex);
                }
                for (std::size_t c = 0; c < coils.count; ++c) {
                    device.add_conjugate_product(of.maps.part(coils.first + c, at), from,
                                                 c * at.count, sum);
                }
                if (coils.first + coils.count == of.samples.rows()) {
                    take(0, at, sum);
                }
                return;
            }
            for (std::size_t c = 0; c < coils.count; ++c) {
                Array volume = device.zeros(at.count, complex);
                device.copy(from, c * at.count, volume);
                take(coils.first + c, at, volume);
            }
        },
        [&](double fraction) { report.progress(fraction); });
}

} // namespace

std::vector<Volume> compute_fhd(Backend& backend, PiecewiseTransform& transform, MuFactors& factors,
                                const CoilRows& samples, CoilMaps& maps, Reporter& report) {
    const FhdInputs inputs{transform, factors, samples, maps};
    Volumes volumes(backend.device(), transform.voxels().count(),
                    inputs.exponent(backend.precision()));
    transform_samples(
        backend, inputs,
        [&](std::size_t, const Range& at, const Array& values) { volumes.add(at, values); },
        report);
    std::vector<Volume> result = volumes.finished();
    for (const Volume& volume : result) {
        require_finite("fhd", volume.norm());
    }
    return result;
}

Cost cost_of_fhd(Backend& backend, std::size_t coils, std::size_t samples, std::size_t voxels) {
    const Device& device = backend.device();
    return cost_of_pieces(fit_pieces({coils, samples, voxels, 1}, device.memory(),
                                     device.largest_array(), backend.precision()),
                          backend.precision());
}

double fhd_of_frame(Backend& backend, const Voxels& voxels, const Frame& frame,
                    const CoilRows& coil_maps, const TakeFhd& take, Reporter& report) {
    PiecewiseTransform transform(backend, frame.sampling->points(), voxels);
    CoilMaps maps(backend.device(), coil_maps);
    MuFactors factors(backend.device(), backend.precision(), *frame.sampling);
    const FhdInputs inputs{transform, factors, frame.samples, maps};
    const int exponent = inputs.exponent(backend.precision());
    transform_samples(
        backend, inputs,
        [&](std::size_t volume, const Range& at, const Array& values) {
            const Volume part(backend.device(), values, exponent);
            require_finite("fhd", part.norm());
            take(volume, at, part.values());
        },
        report);
    return transform.error();
}

FhdOnHost fhd_on_host(Backend& backend, const Voxels& voxels, const Frame& frame,
                      const CoilRows& coil_maps, Reporter& report) {
    const std::size_t volumes = coil_maps.empty() ? frame.samples.rows() : 1;
    FhdOnHost result{
        CoilMatrix(static_cast<Eigen::Index>(volumes), static_cast<Eigen::Index>(voxels.count())),
        0};
    result.error = fhd_of_frame(
        backend, voxels, frame, coil_maps,
        [&](std::size_t volume, const Range& at, const ComplexVector& values) {
            result.values.row(static_cast<Eigen::Index>(volume))
                .segment(static_cast<Eigen::Index>(at.first), values.size()) = values.transpose();
        },
        report);
    return result;
}

} // namespace lsrecon
