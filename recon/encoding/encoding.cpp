// F^H d and F rho in pieces that fit the device, and the operator A that is made of them.

#include "encoding/encoding.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "base/float_range.hpp"
#include "base/linear_algebra.hpp"
#include "base/numbers.hpp"
#include "base/parallel.hpp"
#include "engines/pieces.hpp"
#include "operators/finite.hpp"
#include "scan/check.hpp"

namespace lsrecon {

void require_few_turns(const Scan& scan, const OffResonance& off_resonance) {
    constexpr double most = 500;
    const double field = off_resonance.field.cwiseAbs().maxCoeff();
    for (const Frame& frame : scan.frames) {
        const RealVector& times = frame.trajectory->times;
        const double latest = times.size() > 0 ? times.cwiseAbs().maxCoeff() : 0;
        if (field * latest > most) {
            throw InputError(
                {scan.file, "field map and times",
                 text("up to ", field, " Hz at ", latest, " s, which is ", field * latest,
                      " turns of the phase"),
                 text("at most ", most, " turns"),
                 "check that the field map is in Hz and the times in s, or pass `field_map` none"});
        }
    }
}

Products Formulation::products() const {
    if (!through_q) {
        return Products::transforms;
    }
    return off_resonance ? Products::convolutions : Products::one_convolution;
}

Formulation formulate(const Scan& scan, const FormulationOptions& options) {
    return formulate(scan, scan.grid, !scan.coil_maps.empty(), scan.off_resonance, options);
}

Formulation formulate(const Scan& scan, const Grid& grid, bool has_maps,
                      const std::shared_ptr<const OffResonance>& off_resonance,
                      const FormulationOptions& options) {
    if (options.with_q && scan.voxels) {
        throw UsageError("`q`: the scan has /voxels, and Q serves a grid only\n  next:     leave "
                         "`q` out: F^H F is then applied by F and F^H");
    }
    if (options.with_neighbours && scan.voxels) {
        throw UsageError("`reg`: the scan has /voxels, and regularisers need a grid\n  next:     "
                         "use `lambda`");
    }
    if (off_resonance) {
        require_few_turns(scan, *off_resonance);
    }
    if (options.with_q && off_resonance) {
        throw UsageError("`q`: the scan has a field map, which Q does not model\n"
                         "  next:     leave `q` out, or pass `field_map` none");
    }
    const bool through_q = !scan.voxels && (!off_resonance || options.in_segments);
    Voxels voxels = scan.voxels ? Voxels::at(grid, *scan.voxels) : Voxels::of_grid(grid);
    return {grid, voxels.in_field(off_resonance), through_q, has_maps, off_resonance != nullptr};
}

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
    std::vector<Array> sums(of.maps.sets()); // over the coils
    of.transform.adjoint(
        of.samples.rows(), false,
        [&](const Range& coils, const Range& at, Array& to) {
            device.upload(of.samples, coils, at, -exponent, to);
            of.factors.apply(at, to);
        },
        [&](const Range& coils, const Range& at, const Array& from) {
            if (of.maps.given()) {
                for (std::size_t s = 0; s < sums.size(); ++s) {
                    if (coils.first == 0) {
                        sums[s] = device.zeros(at.count, complex);
                    }
                    for (std::size_t c = 0; c < coils.count; ++c) {
                        device.add_conjugate_product(of.maps.part(coils.first + c, at, s), from,
                                                     c * at.count, sums[s]);
                    }
                    if (coils.first + coils.count == of.samples.rows()) {
                        take(s, at, sums[s]);
                    }
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

Cost cost_of_fhd(Transforms& transforms, std::size_t coils, std::size_t samples,
                 std::size_t voxels) {
    const Device& device = transforms.device();
    return cost_of_pieces(fit_pieces({coils, samples, voxels, 1}, device.memory(),
                                     device.largest_array(), transforms.precision()),
                          transforms.precision());
}

double fhd_of_frame(Transforms& transforms, const Voxels& voxels, const Frame& frame,
                    const CoilRows& coil_maps, const TakeFhd& take, Reporter& report) {
    PiecewiseTransform transform(transforms, frame.trajectory->points(), voxels);
    CoilMaps maps(transforms.device(), coil_maps);
    MuFactors factors(transforms.device(), transforms.precision(), *frame.trajectory);
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

namespace {

/// DeviceError when F^H d is zero everywhere although a sample is not: one with a weight, of a coil
/// whose map is not zero. A scan that is all zeros is no error of the device.
void require_not_of_device(const std::vector<Volume>& fhd, const Trajectory& trajectory,
                           const CoilRows& samples, const CoilRows& coil_maps) {
    if (std::any_of(fhd.begin(), fhd.end(), [](const Volume& v) { return v.norm() > 0; })) {
        return;
    }
    for (std::size_t c = 0; c < samples.rows(); ++c) {
        const bool is_seen = coil_maps.empty() || !is_silent(coil_maps, c);
        for (std::size_t m = 0; is_seen && m < samples.columns(); ++m) {
            if (counts(trajectory, m) && samples(c, m) != Complex(0)) {
                require_not_zero("fhd", 0);
            }
        }
    }
}

/// The volumes of all sets of coil maps, one after the other, as the one of a problem.
std::vector<Volume> sets_joined(std::vector<Volume> of_sets, bool with_maps) {
    if (!with_maps || of_sets.size() == 1) {
        return of_sets;
    }
    const auto voxels = static_cast<Eigen::Index>(of_sets.front().count());
    ComplexVector all(static_cast<Eigen::Index>(of_sets.size()) * voxels);
    for (std::size_t s = 0; s < of_sets.size(); ++s) {
        all.segment(static_cast<Eigen::Index>(s) * voxels, voxels) = of_sets[s].values();
    }
    return {Volume(std::move(all))};
}

/// A row of values that pad() puts next to other rows, times a map.
Box row_of(std::size_t count, Device& device, Precision precision) {
    Box row;
    row.size = row.extents = {count, 1, 1};
    row.factors = device.zeros(count + 2, {true, precision});
    device.upload(ComplexVector::Ones(static_cast<Eigen::Index>(count + 2)), row.factors);
    return row;
}

} // namespace

Encoding::Encoding(Transforms& transforms, ImageSpace& images, const Trajectory& trajectory)
    : Encoding(transforms, images, trajectory, trajectory.weights) {}

Encoding::Encoding(Transforms& transforms, ImageSpace& images, const Trajectory& trajectory,
                   const RealVector& weights)
    : transforms_(transforms), images_(images), trajectory_(trajectory),
      transform_(transforms, trajectory.points(), images.formulation.voxels),
      factors_(transforms.device(), transforms.precision(), trajectory.phi, weights) {}

bool Encoding::is_exact() const {
    return transforms_.engine_for(trajectory_.points(), formulation().voxels).exact;
}

RightHandSides Encoding::adjoint(const CoilRows& samples, Listener listener) const {
    const std::lock_guard<std::recursive_mutex> one_at_a_time(transforms_.device().in_use);
    const FhdInputs inputs{transform_, factors_, samples, images_.maps};
    const std::optional<Range> share = transform_.share_of_rank("fhd", samples.rows());
    Volumes volumes(transforms_.device(), voxels(), inputs.exponent(transforms_.precision()));
    transform_samples(
        transforms_, inputs,
        [&](std::size_t, const Range& at, const Array& values) {
            share ? volumes.add_share(values) : volumes.add(at, values);
        },
        share, listener);
    RightHandSides result;
    result.volumes = share
                         ? volumes.finished_by(transforms_.ranks(), transform_.voxels().together())
                         : volumes.finished();
    result.volumes = sets_joined(std::move(result.volumes), images_.maps.given());
    for (const Volume& volume : result.volumes) {
        require_finite("fhd", volume.norm());
    }
    require_not_of_device(result.volumes, trajectory_, samples, images_.coil_maps);
    result.error = transform_.error();
    return result;
}

std::optional<FhdOfCoils> Encoding::adjoint_of_coils(const CoilRows& samples) const {
    const std::lock_guard<std::recursive_mutex> one_at_a_time(transforms_.device().in_use);
    if (transforms_.ranks().count() > 1) {
        return {};
    }
    const CoilRows none;
    CoilMaps no_maps(transforms_.device(), none);
    const FhdInputs inputs{transform_, factors_, samples, no_maps};
    FhdOfCoils fhd{{}, inputs.exponent(transforms_.precision())};
    bool whole = true;
    transform_samples(transforms_, inputs,
                      [&](std::size_t, const Range& at, const Array& values) {
                          whole = whole && at.count == voxels();
                          fhd.coils.push_back(values);
                      },
                      {}, {});
    return whole ? std::optional(std::move(fhd)) : std::nullopt;
}

std::vector<Volume> Encoding::combine(const FhdOfCoils& of_coils) const {
    Device& device = transforms_.device();
    const std::lock_guard<std::recursive_mutex> one_at_a_time(device.in_use);
    std::vector<Volume> result;
    for (std::size_t s = 0; s < images_.maps.sets(); ++s) {
        Array sum = device.zeros(voxels(), {true, transforms_.precision()});
        for (std::size_t c = 0; c < of_coils.coils.size(); ++c) {
            device.add_conjugate_product(images_.maps.map(c, 0, s), of_coils.coils[c], 0, sum);
        }
        result.emplace_back(device, std::move(sum), of_coils.exponent);
    }
    result = sets_joined(std::move(result), true);
    require_finite("fhd", result.front().norm());
    return result;
}

void Encoding::visit_samples(const std::vector<ComplexVector>& images, std::size_t coils,
                             const Take& take, Listener listener) const {
    Device& device = transforms_.device();
    const std::lock_guard<std::recursive_mutex> one_at_a_time(device.in_use);
    CoilMaps& maps = images_.maps;
    double largest = 0; // floats end at 1e38
    for (const ComplexVector& image : images) {
        largest = std::max(largest, largest_part(image));
    }
    int exponent = 0;
    std::frexp(largest, &exponent);
    const double scale = std::ldexp(1, exponent); // a power of two changes no bits
    std::vector<Array> of_sets; // the image of each set at some voxels, which coils share
    Range uploaded{0, 0};
    Box row;
    transform_.forward(
        coils,
        [&](const Range& some, const Range& at, Array& to) {
            if (row.size[0] != at.count) {
                row = row_of(at.count, device, to.element().precision);
            }
            of_sets.resize(maps.sets());
            Array sum;
            for (std::size_t c = 0; c < some.count; ++c) {
                const std::size_t coil = some.first + c;
                const bool is_there =
                    maps.given() && uploaded.count == at.count && uploaded.first == at.first;
                for (std::size_t s = 0; s < of_sets.size() && !is_there; ++s) {
                    if (of_sets[s].count() != at.count) {
                        of_sets[s] = device.zeros(at.count, to.element());
                    }
                    const ComplexVector& values = images[maps.given() ? 0 : coil];
                    device.upload(
                        over(values.segment(static_cast<Eigen::Index>(s * voxels() + at.first),
                                            static_cast<Eigen::Index>(at.count)),
                             scale),
                        of_sets[s]);
                }
                uploaded = at;
                if (of_sets.size() == 1) {
                    device.pad(row, maps.given() ? maps.part(coil, at) : Array(), of_sets[0], c,
                               to);
                    continue;
                }
                sum = device.zeros(at.count, to.element());
                for (std::size_t s = 0; s < of_sets.size(); ++s) {
                    Array product = device.zeros(at.count, to.element());
                    device.combine(1, of_sets[s], 0, product);
                    device.multiply(maps.part(coil, at, s), 0, at.count, product);
                    device.combine(1, product, 1, sum);
                }
                device.pad(row, {}, sum, c, to);
            }
        },
        [&](const Range& some, const Range& at, const Array& from) {
            for (std::size_t c = 0; c < some.count; ++c) { // one at a time in the host's memory
                ComplexVector values = device.download(from, c * at.count, at.count);
                for_each_segment(values, [&](auto segment, Eigen::Index first) {
                    segment *= scale;
                    if (trajectory_.phi.size() > 0) {
                        const Eigen::Index m = static_cast<Eigen::Index>(at.first) + first;
                        segment.array() *= trajectory_.phi.segment(m, segment.size()).array();
                    }
                });
                take(some.first + c, at, values);
            }
        },
        [&](double fraction) { listener.progress(fraction); });
}

std::size_t Encoding::coils_of(const std::vector<ComplexVector>& images) const {
    return images_.coil_maps.empty() ? images.size() : images_.coil_maps.rows();
}

CoilMatrix Encoding::forward(const std::vector<ComplexVector>& images, Listener listener) const {
    const std::size_t coils = coils_of(images);
    CoilMatrix samples(static_cast<Eigen::Index>(coils),
                       static_cast<Eigen::Index>(trajectory_.samples()));
    forward(
        images,
        [&](std::size_t c, const Range& at, const ComplexVector& values) {
            samples.row(static_cast<Eigen::Index>(c))
                .segment(static_cast<Eigen::Index>(at.first), values.size()) = values.transpose();
        },
        listener);
    return samples;
}

void Encoding::forward(const std::vector<ComplexVector>& images, const Take& take,
                       Listener listener) const {
    visit_samples(images, coils_of(images), take, listener);
}

CoilMatrix Encoding::derivative(const std::vector<ComplexVector>& images,
                                const std::vector<Vec3>& directions, Listener listener) const {
    const Voxels& voxels = formulation().voxels;
    CoilMatrix sum = CoilMatrix::Zero(static_cast<Eigen::Index>(coils_of(images)),
                                      static_cast<Eigen::Index>(trajectory_.samples()));
    for (std::size_t d = 0; d < static_cast<std::size_t>(formulation().grid.dimensions); ++d) {
        if (std::all_of(directions.begin(), directions.end(),
                        [&](const Vec3& direction) { return direction[d] == 0; })) {
            continue;
        }
        std::vector<ComplexVector> moments = images;
        for (ComplexVector& moment : moments) {
            for (Eigen::Index n = 0; n < moment.size(); ++n) {
                moment(n) *= voxels.position(static_cast<std::size_t>(n) % voxels.count())[d];
            }
        }
        const CoilMatrix samples = forward(moments, listener);
        for (Eigen::Index m = 0; m < sum.cols(); ++m) {
            sum.col(m) +=
                Complex(0, -2 * pi * directions[static_cast<std::size_t>(m)][d]) * samples.col(m);
        }
    }
    return sum;
}

Eigen::VectorXd Encoding::misfits(const CoilRows& samples, const std::vector<ComplexVector>& images,
                                  Listener listener) const {
    Eigen::VectorXd misfits = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(samples.columns()));
    visit_samples(
        images, samples.rows(),
        [&](std::size_t c, const Range& at, const ComplexVector& values) {
            for_each_segment(values, [&](const auto& segment, Eigen::Index first) {
                for (Eigen::Index i = 0; i < segment.size(); ++i) {
                    const std::size_t m = at.first + static_cast<std::size_t>(first + i);
                    misfits(static_cast<Eigen::Index>(m)) +=
                        trajectory_.weight(m) * std::norm(segment(i) - samples(c, m));
                }
            });
        },
        listener);
    return misfits;
}

namespace {

/// Adds the energies of samples of a coil, and what is left of them, to their readouts and to the
/// coil: of each readout by itself, so that any number of threads adds in the same order.
template <typename Energies> void add_parts(const std::vector<std::size_t>& ends, const Range& at,
                                            EnergyOfParts& readouts, EnergyOfParts& coils,
                                            std::size_t coil, const Energies& energies_of) {
    constexpr std::size_t length = 4096; // where readouts are not known
    const std::size_t last = at.first + at.count;
    const std::vector<Range> ranges = [&] {
        if (ends.empty()) {
            return split_into_ranges(at.count, length);
        }
        std::vector<Range> of_readouts;
        for (std::size_t r = 0; r < ends.size(); ++r) {
            const std::size_t begin = std::max(at.first, r > 0 ? ends[r - 1] : 0);
            const std::size_t end = std::max(begin, std::min(last, ends[r]));
            of_readouts.push_back({begin - at.first, end - begin});
        }
        return of_readouts;
    }();
    std::vector<std::pair<double, double>> sums(ranges.size());
    for_each_in_parallel(ranges.size(), [&](std::size_t r) {
        for (std::size_t i = 0; i < ranges[r].count; ++i) {
            const auto [energy, left] = energies_of(at.first + ranges[r].first + i);
            sums[r].first += energy;
            sums[r].second += left;
        }
    });
    for (std::size_t r = 0; r < ranges.size(); ++r) {
        coils.energy[coil] += sums[r].first;
        coils.left[coil] += sums[r].second;
        if (!ends.empty()) {
            readouts.energy[r] += sums[r].first;
            readouts.left[r] += sums[r].second;
        }
    }
}

} // namespace

Encoding::Parts Encoding::parts_left(const CoilRows& samples,
                                     const std::vector<ComplexVector>& images,
                                     const std::vector<std::size_t>& ends,
                                     Listener listener) const {
    Parts parts;
    for (auto [part, count] :
         {std::pair(&parts.readouts, ends.size()), {&parts.coils, samples.rows()}}) {
        part->energy.assign(count, 0);
        part->left.assign(count, 0);
    }
    visit_samples(
        images, samples.rows(),
        [&](std::size_t c, const Range& at, const ComplexVector& values) {
            add_parts(ends, at, parts.readouts, parts.coils, c, [&](std::size_t m) {
                const Complex sample = samples(c, m);
                const Complex left = values(static_cast<Eigen::Index>(m - at.first)) - sample;
                return std::pair(trajectory_.weight(m) * std::norm(sample),
                                 trajectory_.weight(m) * std::norm(left));
            });
        },
        listener);
    return parts;
}

} // namespace lsrecon
