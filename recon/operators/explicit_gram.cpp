#include "operators/explicit_gram.hpp"

namespace lsrecon {

namespace {

class ExplicitGram : public Gram {
public:
    ExplicitGram(Device& device, Precision precision, Transforms& transforms,
                 const Sampling& sampling, const Voxels& voxels)
        : device_(device), precision_(precision), transforms_(transforms),
          transform_(transforms.make(sampling.points(), voxels)) {
        const RealVector weights = sampling.q_weights();
        diagonal_ = weights.sum();
        weights_ = transforms.device().zeros(sampling.samples(), {false, transforms.precision()});
        transforms.device().upload(weights / diagonal_, {0, sampling.samples()}, 0, weights_);
        samples_ = transforms.device().zeros(sampling.samples(), {true, transforms.precision()});
    }

    std::size_t voxels() const override { return transform_->voxels(); }
    void add(CoilMaps& maps, const Array& in, Array& out) override {
        for (std::size_t c = 0; c < maps.count(); ++c) {
            const Array map = maps.map(c, 0);
            if (map.empty()) {
                device_.combine(1, product(in), 1, out);
            } else {
                Array image = device_.zeros(in.count(), in.element());
                device_.combine(1, in, 0, image);
                device_.multiply(map, 0, map.count(), image);
                device_.add_conjugate_product(map, product(image), 0, out);
            }
        }
    }
    double diagonal() const override { return diagonal_; }
    std::string means() const override { return "F and F^H"; }

private:
    Array product(const Array& rho) {
        const auto silent = [](double) {};
        Device& there = transforms_.device();
        const Array image = moved(rho, device_, there, transforms_.precision());
        transform_->forward(image, samples_, silent);
        there.multiply(weights_, 0, weights_.count(), samples_);
        Array back = there.zeros(voxels(), {true, transforms_.precision()});
        transform_->adjoint(samples_, back, silent);
        return moved(back, there, device_, precision_);
    }

    static Array moved(const Array& values, Device& from, Device& to, Precision precision) {
        Array result = to.zeros(values.count(), {true, precision});
        if (&from == &to) {
            to.convert(values, result);
        } else {
            to.upload(from.download(values), result);
        }
        return result;
    }

    Device& device_; ///< of the arrays that are given
    Precision precision_;
    Transforms& transforms_;
    std::unique_ptr<Transform> transform_;
    double diagonal_;
    Array weights_; ///< w |phi|^2 / Q(0)
    Array samples_;
};

} // namespace

std::unique_ptr<Gram> make_explicit_gram(Device& device, Precision precision,
                                         Transforms& transforms, const Sampling& sampling,
                                         const Voxels& voxels) {
    return std::make_unique<ExplicitGram>(device, precision, transforms, sampling, voxels);
}

} // namespace lsrecon
