#include "encoding/fhd.hpp"

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
    /// The exponent of two that is missing from the values handed to TakePart.
    int exponent(Precision precision) const {
        return exponent_of_samples(precision) + factors.exponent();
    }
};

void transform_samples(Transforms& transforms, const FhdInputs& of, const TakePart& take,
                       std::optional<Range> share, Listener listener) {
    Device& device = transforms.device();
    const Element complex{true, transforms.precision()};
    const int exponent = of.exponent_of_samples(transforms.precision());
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
        [&](double fraction) { listener.progress(fraction); }, share);
}

} // namespace

std::vector<Volume> compute_fhd(Transforms& transforms, PiecewiseTransform& transform,
                                MuFactors& factors, const CoilRows& samples, CoilMaps& maps,
                                Listener listener) {
    const FhdInputs inputs{transform, factors, samples, maps};
    const std::optional<Range> share = transform.share_of_rank("fhd", samples.rows());
    Volumes volumes(transforms.device(), transform.voxels().count(),
                    inputs.exponent(transforms.precision()));
    transform_samples(
        transforms, inputs,
        [&](std::size_t, const Range& at, const Array& values) {
            share ? volumes.add_share(values) : volumes.add(at, values);
        },
        share, listener);
    std::vector<Volume> result =
        share ? volumes.finished_by(transforms.ranks(), transform.voxels().together())
              : volumes.finished();
    for (const Volume& volume : result) {
        require_finite("fhd", volume.norm());
    }
    return result;
}

std::optional<FhdOfCoils> compute_fhd_of_coils(Transforms& transforms,
                                               PiecewiseTransform& transform, MuFactors& factors,
                                               const CoilRows& samples, Listener listener) {
    if (transforms.ranks().count() > 1) {
        return {};
    }
    const CoilRows none;
    CoilMaps no_maps(transforms.device(), none);
    const FhdInputs inputs{transform, factors, samples, no_maps};
    FhdOfCoils fhd{{}, inputs.exponent(transforms.precision())};
    bool whole = true;
    transform_samples(
        transforms, inputs,
        [&](std::size_t, const Range& at, const Array& values) {
            whole = whole && at.count == transform.voxels().count();
            fhd.coils.push_back(values);
        },
        {}, listener);
    return whole ? std::optional(std::move(fhd)) : std::nullopt;
}

std::vector<Volume> combined(Transforms& transforms, const FhdOfCoils& fhd, CoilMaps& maps) {
    Device& device = transforms.device();
    Array sum = device.zeros(fhd.coils.front().count(), {true, transforms.precision()});
    for (std::size_t c = 0; c < fhd.coils.size(); ++c) {
        device.add_conjugate_product(maps.map(c, 0), fhd.coils[c], 0, sum);
    }
    std::vector<Volume> result{Volume(device, std::move(sum), fhd.exponent)};
    require_finite("fhd", result.front().norm());
    return result;
}

Cost cost_of_fhd(Transforms& transforms, std::size_t coils, std::size_t samples,
                 std::size_t voxels) {
    const Device& device = transforms.device();
    return cost_of_pieces(fit_pieces({coils, samples, voxels, 1}, device.memory(),
                                     device.largest_array(), transforms.precision()),
                          transforms.precision());
}

double fhd_of_frame(Transforms& transforms, const Voxels& voxels, const Frame& frame,
                    const CoilRows& coil_maps, const TakeFhd& take, Reporter& report) {
    PiecewiseTransform transform(transforms, frame.sampling->points(), voxels);
    CoilMaps maps(transforms.device(), coil_maps);
    MuFactors factors(transforms.device(), transforms.precision(), *frame.sampling);
    const FhdInputs inputs{transform, factors, frame.samples, maps};
    const Stage stage(report, "fhd", transform.predicted("fhd", frame.samples.rows()).seconds);
    const int exponent = inputs.exponent(transforms.precision());
    transform_samples(
        transforms, inputs,
        [&](std::size_t volume, const Range& at, const Array& values) {
            const Volume part(transforms.device(), values, exponent);
            require_finite("fhd", part.norm());
            take(volume, at, part.values());
        },
        {}, report);
    return transform.error();
}

FhdOnHost fhd_on_host(Transforms& transforms, const Voxels& voxels, const Frame& frame,
                      const CoilRows& coil_maps, Reporter& report) {
    const std::size_t volumes = coil_maps.empty() ? frame.samples.rows() : 1;
    FhdOnHost result{
        CoilMatrix(static_cast<Eigen::Index>(volumes), static_cast<Eigen::Index>(voxels.count())),
        0};
    result.error = fhd_of_frame(
        transforms, voxels, frame, coil_maps,
        [&](std::size_t volume, const Range& at, const ComplexVector& values) {
            result.values.row(static_cast<Eigen::Index>(volume))
                .segment(static_cast<Eigen::Index>(at.first), values.size()) = values.transpose();
        },
        report);
    return result;
}

} // namespace lsrecon
