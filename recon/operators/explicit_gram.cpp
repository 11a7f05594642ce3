#include "operators/explicit_gram.hpp"

#include "operators/compose.hpp"

namespace lsrecon {

namespace {

/// F as an operator: images are on this device, samples where the transform is.
class Fourier : public Operator {
public:
    Fourier(Device& device, Transforms& transforms, Precision precision, const Sampling& sampling,
            const Voxels& voxels)
        : device_(device), there_(transforms.device()), precision_(precision),
          transform_(transforms.make(sampling.points(), voxels, precision)) {}

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
                 Precision of_transform, const Sampling& sampling, const Voxels& voxels)
        : Gram(device), maps_(maps), unit_(sampling.q_weights().sum()),
          map_(device, voxels.count()), f_(device, transforms, of_transform, sampling, voxels),
          weights_(transforms.device(), sampling.samples()), f_map_(device, precision, f_, map_),
          a_(transforms.device(), of_transform, weights_, f_map_),
          normal_(transforms.device(), of_transform, a_),
          product_(device.zeros(voxels.count(), {true, precision})) {
        Device& there = transforms.device();
        Array roots = there.zeros(sampling.samples(), {false, of_transform});
        there.upload((sampling.q_weights() / unit_).cwiseSqrt(), {0, sampling.samples()}, 0, roots);
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
                                         const Sampling& sampling, const Voxels& voxels) {
    return std::make_unique<ExplicitGram>(device, precision, maps, transforms, of_transform,
                                          sampling, voxels);
}

} // namespace lsrecon
