// Multiplies by N as a convolution with Q, as a sum of convolutions off resonance, or by F and F^H.

#include "operators/gram.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "base/ranges.hpp"
#include "device/devices.hpp"
#include "engines/segments.hpp"
#include "engines/time_terms.hpp"
#include "operators/embedding.hpp"
#include "operators/operator.hpp"

namespace lsrecon {

namespace {

/// The box in a period of L with the twist exp(-i pi s n / L) of a parity s, times `weight` beside
/// the origin of dimension `weighted`.
Box twisted(Device& device, Precision precision, Box box, const std::array<int, 3>& parity,
            std::size_t weighted, double weight) {
    const auto factor = [&](std::size_t d, std::size_t k) {
        const auto n = static_cast<double>(box.first[d] + static_cast<long>(k));
        return std::polar(d == weighted && n > 0 ? weight : 1.0,
                          -pi * parity[d] * n / static_cast<double>(box.extents[d]));
    };
    return with_factors(device, precision, box, factor);
}

} // namespace

ToeplitzWorkspace::ToeplitzWorkspace(Device& device, const Grid& grid, Precision precision,
                                     std::size_t maps)
    : embedding(grid, device.in_host_memory()), batch(embedding.batch(maps, precision)),
      of_batch(device.plan_fft(embedding.extents, batch, precision)),
      of_one(batch == 1 ? of_batch : device.plan_fft(embedding.extents, 1, precision)),
      padded(device.zeros(embedding.workspace(batch, precision), {true, precision})) {
    // T depends only on differences of voxels, so their origin may be anywhere.
    const Box image{grid.size, {0, 0, 0}, embedding.extents, {}};
    for (const std::array<int, 3>& parity : embedding.parities) {
        boxes.push_back(twisted(device, precision, image, parity, 0, 1));
    }
}

Cost ToeplitzWorkspace::cost(const Device& device, const Grid& grid, Precision precision,
                             std::size_t maps) {
    const Embedding embedding(grid, device.in_host_memory());
    return Cost::array(embedding.workspace(embedding.batch(maps, precision), precision),
                       Element{true, precision}.bytes());
}

Toeplitz::Toeplitz(Device& device, const Q& q, Precision precision, CoilMaps& maps,
                   std::shared_ptr<ToeplitzWorkspace> workspace, double unit)
    : Gram(device), maps_(maps), workspace_(std::move(workspace)), voxels_(q.grid.voxels()),
      unit_(unit),
      spectra_(device.zeros(workspace_->embedding.parities.size() * workspace_->embedding.points(),
                            {false, precision})) {
    make_spectra(q, precision);
}

Cost Toeplitz::cost(const Device& device, const Grid& grid, Precision precision) {
    const Embedding embedding(grid, device.in_host_memory());
    return Cost::array(embedding.parities.size() * embedding.points(),
                       Element{false, precision}.bytes());
}

Cost Toeplitz::cost_of_making(const Device& device, const Grid& grid, Precision precision) {
    return Q::cost(grid, precision) + ToeplitzWorkspace::cost(device, grid, precision, 1);
}

double Toeplitz::seconds(const Device& device, const Machine& machine, const Grid& grid,
                         Precision precision, std::size_t maps) {
    // The cost in multiply-adds, measured on a CPU of two cores and an NVIDIA H100.
    constexpr double of_butterfly = 30;
    const Embedding embedding(grid, device.in_host_memory());
    const auto points = static_cast<double>(embedding.points());
    const double rate = nominal_rates(machine.device).multiply_adds;
    // FFTs of other lengths: 70, 75, 81 and 90 against 64, 72, 80 and 96 on a CPU.
    constexpr double slower = 1.25;
    double butterflies = 0; // of a point
    for (const std::size_t length : embedding.extents) {
        butterflies += (length % 8 == 0 ? 1 : slower) * std::log2(static_cast<double>(length));
    }
    const auto cores = static_cast<double>(std::max(1U, machine.device.compute_units));
    const double busy =
        device.in_host_memory() ? busy_cores(cores, static_cast<double>(maps) * points) / cores : 1;
    const double of_map = slowdown_of(precision, device.in_host_memory()) / busy *
                          static_cast<double>(embedding.parities.size()) * points * butterflies *
                          of_butterfly / rate;
    const std::size_t batches = divide_up(maps, embedding.batch(maps, precision));
    return static_cast<double>(batches) * machine.model.product +
           static_cast<double>(maps) * machine.model.convolution * of_map;
}

// Half of Q is enough for its real spectrum: Q(-d) = conj Q(d), so that each difference counts
// twice. Those with 0 in the slowest dimension are all present and count once.
void Toeplitz::make_spectra(const Q& q, Precision precision) {
    const Embedding& embedding = workspace_->embedding;
    const Voxels half = Voxels::half_differences(q.grid);
    const Box differences{half.lattice_size(), half.lattice_first(), embedding.extents, {}};
    const Array values = q.half.on(device_, precision, 1 / unit_);
    Array period = device_.zeros(embedding.points(), {true, precision});
    const auto slowest = static_cast<std::size_t>(q.grid.dimensions - 1);
    const auto all = static_cast<double>(embedding.parities.size() * embedding.points());
    for (std::size_t i = 0; i < embedding.parities.size(); ++i) {
        const Box box = twisted(device_, precision, differences, embedding.parities[i], slowest, 2);
        device_.pad(box, {}, values, 0, period);
        workspace_->of_one->forward(period);
        // The scale of the inverse FFT goes with it.
        device_.keep_real(period, 1 / all, i * embedding.points(), spectra_);
    }
}

void Toeplitz::add(const Array& in, Array& out) {
    for (const Range& coils : split_into_ranges(maps_.count(), workspace_->batch)) {
        std::vector<Array> of_coils;
        for (std::size_t c = 0; c < coils.count; ++c) {
            of_coils.push_back(maps_.map(coils.first + c, c));
        }
        workspace_->of_batch->add_convolution({workspace_->boxes, spectra_, workspace_->padded},
                                              of_coils, in, out);
    }
}

namespace {

class TimeTermsGram : public Gram {
public:
    TimeTermsGram(Device& device, Precision precision, CoilMaps& maps,
                  const std::vector<TimeTerm>& terms, const OffResonance& off_resonance,
                  double unit)
        : Gram(device) {
        const auto workspace = std::make_shared<ToeplitzWorkspace>(device, terms.front().q.grid,
                                                                   precision, maps.count());
        for (const TimeTerm& term : terms) {
            const ComplexVector phases = phases_at(off_resonance, term.time);
            Array on_device =
                device.zeros(static_cast<std::size_t>(phases.size()), {true, precision});
            device.upload(phases, on_device);
            phases_.push_back(std::move(on_device));
            terms_.push_back(
                std::make_unique<Toeplitz>(device, term.q, precision, maps, workspace, unit));
        }
        dephased_ = device.zeros(inputs(), {true, precision});
        product_ = device.zeros(inputs(), {true, precision});
    }

    std::size_t inputs() const override { return terms_.front()->inputs(); }
    void add(const Array& in, Array& out) override {
        for (std::size_t l = 0; l < terms_.size(); ++l) {
            device_.combine(1, in, 0, dephased_);
            device_.multiply(phases_[l], 0, inputs(), dephased_);
            terms_[l]->apply(dephased_, product_);
            device_.add_conjugate_product(phases_[l], product_, 0, out);
        }
    }
    double unit() const override { return terms_.front()->unit(); }
    std::string means() const override {
        return text(terms_.size(), " convolutions, ", terms_.front()->means());
    }

private:
    std::vector<Array> phases_; ///< D_l
    std::vector<std::unique_ptr<Toeplitz>> terms_;
    Array dephased_; ///< D_l in
    Array product_; ///< sum_c S_c^H T_l S_c D_l in
};

} // namespace

std::vector<TimeTerm> compute_time_terms(Transforms& transforms, const Trajectory& trajectory,
                                         const Grid& grid, const OffResonance& off_resonance,
                                         Listener listener) {
    // The terms are as exact as Q is: an operator that errors make negative has no solution.
    constexpr double error_of_terms = 1e-7;
    const TimeTerms terms = time_terms(trajectory.times, off_resonance, error_of_terms);
    const RealVector of_samples = trajectory.q_weights();
    std::vector<RealVector> weights;
    for (Eigen::Index l = 0; l < terms.weights.rows(); ++l) {
        weights.emplace_back(of_samples.array() * terms.weights.row(l).transpose().array());
    }
    std::vector<Q> qs =
        compute_weighted_qs(transforms, trajectory.positions, weights, grid, listener);
    std::vector<TimeTerm> result;
    for (std::size_t l = 0; l < qs.size(); ++l) {
        qs[l].error += terms.error;
        result.push_back({std::move(qs[l]), terms.times[l]});
    }
    return result;
}

std::unique_ptr<Gram> make_time_terms_gram(Device& device, Precision precision, CoilMaps& maps,
                                           const std::vector<TimeTerm>& terms,
                                           const OffResonance& off_resonance, double unit) {
    return std::make_unique<TimeTermsGram>(device, precision, maps, terms, off_resonance, unit);
}

Cost cost_of_time_terms_gram(const Device& device, const Grid& grid, Precision precision,
                             std::size_t terms, std::size_t maps) {
    const Cost volume = Cost::array(grid.voxels(), Element{true, precision}.bytes());
    const auto count = static_cast<double>(terms);
    return ToeplitzWorkspace::cost(device, grid, precision, maps) +
           count * Toeplitz::cost(device, grid, precision) + (count + 2) * volume;
}

namespace {

/// F as an operator: images are on this device, samples where the transform is.
class Fourier : public Operator {
public:
    Fourier(Device& device, Transforms& transforms, Precision precision,
            const Trajectory& trajectory, const Voxels& voxels)
        : device_(device), there_(transforms.device()), precision_(precision),
          transform_(transforms.make(trajectory.points(), voxels, precision)) {}

    std::size_t inputs() const override { return transform_->voxels(); }
    std::size_t outputs() const override { return transform_->samples(); }
    void apply(const Array& in, Array& out) override {
        if (is_as_transformed(in)) {
            transform_->forward(in, out, silent);
            return;
        }
        Array image = there_.zeros(inputs(), {true, precision_});
        move(device_, in, there_, image);
        transform_->forward(image, out, silent);
    }
    void adjoint(const Array& in, Array& out) override {
        if (is_as_transformed(out)) {
            transform_->adjoint(in, out, silent);
            return;
        }
        Array image = there_.zeros(inputs(), {true, precision_});
        transform_->adjoint(in, image, silent);
        move(there_, image, device_, out);
    }

private:
    static void silent(double) {}
    bool is_as_transformed(const Array& image) const {
        return &device_ == &there_ && image.element().precision == precision_;
    }
    static void move(Device& from, const Array& values, Device& to, Array& result) {
        if (&from == &to) {
            to.convert(values, result);
        } else {
            to.upload(from.download(values), result);
        }
    }

    Device& device_;
    Device& there_; ///< device of the transform
    Precision precision_; ///< precision of the transform
    std::unique_ptr<Transform> transform_;
};

/// Sum of A_c^H A_c over the coils, A_c = W^1/2 F S_c.
class ExplicitGram : public Gram {
public:
    ExplicitGram(Device& device, Precision precision, CoilMaps& maps, Transforms& transforms,
                 Precision of_transform, const Trajectory& trajectory, const Voxels& voxels)
        : Gram(device), maps_(maps), unit_(trajectory.q_weights().sum()),
          map_(device, voxels.count()), f_(device, transforms, of_transform, trajectory, voxels),
          weights_(transforms.device(), trajectory.samples()), f_map_(device, precision, f_, map_),
          a_(transforms.device(), of_transform, weights_, f_map_),
          normal_(transforms.device(), of_transform, a_),
          product_(device.zeros(voxels.count(), {true, precision})) {
        Device& there = transforms.device();
        Array roots = there.zeros(trajectory.samples(), {false, of_transform});
        there.upload((trajectory.q_weights() / unit_).cwiseSqrt(), {0, trajectory.samples()}, 0,
                     roots);
        weights_.set(std::move(roots));
    }

    std::size_t inputs() const override { return map_.inputs(); }
    void add(const Array& in, Array& out) override {
        for (std::size_t c = 0; c < maps_.count(); ++c) {
            map_.set(maps_.map(c, 0));
            normal_.apply(in, product_);
            device_.combine(1, product_, 1, out);
        }
    }
    double unit() const override { return unit_; }
    std::string means() const override { return "F and F^H"; }

private:
    CoilMaps& maps_;
    double unit_;
    Diagonal map_; ///< S_c
    Fourier f_;
    Diagonal weights_; ///< (w |phi|^2 / Q(0))^1/2
    Product f_map_;
    Product a_;
    NormalOf normal_;
    Array product_; ///< product of a coil
};

} // namespace

std::unique_ptr<Gram> make_explicit_gram(Device& device, Precision precision, CoilMaps& maps,
                                         Transforms& transforms, Precision of_transform,
                                         const Trajectory& trajectory, const Voxels& voxels) {
    return std::make_unique<ExplicitGram>(device, precision, maps, transforms, of_transform,
                                          trajectory, voxels);
}

void Regularised::apply(const Array& in, Array& out) {
    device_.combine(lambda_, in, 0, out);
    n_.add(in, out);
    for (const Term& term : terms_) {
        if (term.k->is_isometry()) {
            device_.combine(term.weight, in, 1, out);
            continue;
        }
        Array& there = numbers(term.k->outputs());
        Array& back = workspace_->back;
        if (back.empty()) {
            back = device_.zeros(inputs(), {true, precision_});
        }
        term.k->apply(in, there);
        term.k->adjoint(there, back);
        device_.combine(term.weight, back, 1, out);
    }
}

Array& Regularised::numbers(std::size_t count) {
    for (Array& there : workspace_->there) {
        if (there.count() == count) {
            return there;
        }
    }
    return workspace_->there.emplace_back(device_.zeros(count, {true, precision_}));
}

} // namespace lsrecon
