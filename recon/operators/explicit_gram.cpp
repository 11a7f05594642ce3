#include "operators/explicit_gram.hpp"

namespace lsrecon {

namespace {

class ExplicitGram : public Gram {
public:
    ExplicitGram(Device& device, Backend& backend, const Sampling& sampling, const Voxels& voxels)
        : device_(device), backend_(backend), sampling_(sampling), voxels_(voxels),
          weights_(sampling.q_weights()), diagonal_(weights_.sum()) {}

    std::size_t voxels() const override { return voxels_.count(); }
    void add(const std::vector<Array>& maps, const Array& in, Array& out) override {
        const ComplexVector rho = device_.download(in);
        ComplexVector sum = device_.download(out);
        for (const Array& map : maps) {
            if (map.empty()) {
                sum += product(rho);
            } else {
                const ComplexVector of_coil = device_.download(map);
                sum += of_coil.conjugate().cwiseProduct(product(of_coil.cwiseProduct(rho)));
            }
        }
        device_.upload(sum, out);
    }
    double diagonal() const override { return diagonal_; }
    std::string means() const override { return "F and F^H"; }

private:
    ComplexVector product(const ComplexVector& rho) {
        const auto silent = [](double) {};
        CoilMatrix samples =
            backend_.forward(sampling_.trajectory, rho.transpose(), voxels_, silent);
        samples.row(0).array() *= weights_.transpose().array() / diagonal_;
        return backend_.fhd(sampling_.trajectory, samples, voxels_, silent).row(0).transpose();
    }

    Device& device_;
    Backend& backend_;
    const Sampling& sampling_;
    Voxels voxels_;
    RealVector weights_;
    double diagonal_;
};

} // namespace

std::unique_ptr<Gram> make_explicit_gram(Device& reference, Backend& backend,
                                         const Sampling& sampling, const Voxels& voxels) {
    return std::make_unique<ExplicitGram>(reference, backend, sampling, voxels);
}

} // namespace lsrecon
