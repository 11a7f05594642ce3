#include "operators/time_terms_gram.hpp"

#include "base/error.hpp"
#include "engines/segments.hpp"
#include "engines/time_terms.hpp"
#include "operators/toeplitz.hpp"

namespace lsrecon {

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
        turned_ = device.zeros(inputs(), {true, precision});
        product_ = device.zeros(inputs(), {true, precision});
    }

    std::size_t inputs() const override { return terms_.front()->inputs(); }
    void add(const Array& in, Array& out) override {
        for (std::size_t l = 0; l < terms_.size(); ++l) {
            device_.combine(1, in, 0, turned_);
            device_.multiply(phases_[l], 0, inputs(), turned_);
            terms_[l]->apply(turned_, product_);
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
    Array turned_; ///< D_l in
    Array product_; ///< sum_c S_c^H T_l S_c D_l in
};

} // namespace

std::vector<TimeTerm> compute_time_terms(Transforms& transforms, const Sampling& sampling,
                                         const Grid& grid, const OffResonance& off_resonance,
                                         Listener listener) {
    // The terms are as exact as Q is: an operator that errors make negative has no solution.
    constexpr double error_of_terms = 1e-7;
    const TimeTerms terms = time_terms(sampling.times, off_resonance, error_of_terms);
    const RealVector of_samples = sampling.q_weights();
    std::vector<RealVector> weights;
    for (Eigen::Index l = 0; l < terms.weights.rows(); ++l) {
        weights.emplace_back(of_samples.array() * terms.weights.row(l).transpose().array());
    }
    std::vector<Q> qs =
        compute_weighted_qs(transforms, sampling.trajectory, weights, grid, listener);
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

} // namespace lsrecon
