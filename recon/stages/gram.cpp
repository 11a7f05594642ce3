#include "stages/gram.hpp"

#include "base/fft.hpp"

namespace lsrecon {

namespace {

class QGram : public Gram {
public:
    explicit QGram(const Q& q)
        : size_(q.grid.size), extents_(q_extents(q.grid)), fft_(extents_), diagonal_(q.at_zero()) {
        ComplexVector transform = expanded(q);
        fft_.forward(transform.data());
        // Q is Hermitian, so its transform is real; the scale of the inverse FFT goes with it.
        spectrum_ = transform.real() / static_cast<double>(fft_.count());
    }

    ComplexVector apply(const ComplexVector& rho) const override {
        ComplexVector padded = ComplexVector::Zero(static_cast<Eigen::Index>(fft_.count()));
        for_each_row([&](Eigen::Index in_grid, Eigen::Index in_padded, Eigen::Index length) {
            padded.segment(in_padded, length) = rho.segment(in_grid, length);
        });
        fft_.forward(padded.data());
        padded.array() *= spectrum_.array();
        fft_.backward(padded.data());
        ComplexVector result(rho.size());
        for_each_row([&](Eigen::Index in_grid, Eigen::Index in_padded, Eigen::Index length) {
            result.segment(in_grid, length) = padded.segment(in_padded, length);
        });
        return result;
    }

    double diagonal() const override { return diagonal_; }

private:
    /// Calls copy(first index in the grid, first index in the padded grid, length) per row of x.
    template <typename Copy> void for_each_row(const Copy& copy) const {
        for (std::size_t z = 0; z < size_[2]; ++z) {
            for (std::size_t y = 0; y < size_[1]; ++y) {
                copy(static_cast<Eigen::Index>((z * size_[1] + y) * size_[0]),
                     static_cast<Eigen::Index>((z * extents_[1] + y) * extents_[0]),
                     static_cast<Eigen::Index>(size_[0]));
            }
        }
    }

    std::array<std::size_t, 3> size_;
    std::array<std::size_t, 3> extents_;
    Fft<double> fft_;
    double diagonal_;
    RealVector spectrum_;
};

class ExplicitGram : public Gram {
public:
    ExplicitGram(Backend& backend, const Sampling& sampling, const Voxels& voxels)
        : backend_(backend), sampling_(sampling), voxels_(voxels), weights_(sampling.q_weights()) {}

    ComplexVector apply(const ComplexVector& rho) const override {
        const auto silent = [](double) {};
        CoilMatrix samples =
            backend_.forward(sampling_.trajectory, rho.transpose(), voxels_, silent);
        samples.row(0).array() *= weights_.transpose().array();
        return backend_.fhd(sampling_.trajectory, samples, voxels_, silent).row(0).transpose();
    }

    double diagonal() const override { return weights_.sum(); }

private:
    Backend& backend_;
    const Sampling& sampling_;
    Voxels voxels_;
    RealVector weights_;
};

} // namespace

std::unique_ptr<Gram> make_q_gram(const Q& q) {
    return std::make_unique<QGram>(q);
}

std::unique_ptr<Gram> make_explicit_gram(Backend& backend, const Sampling& sampling,
                                         const Voxels& voxels) {
    return std::make_unique<ExplicitGram>(backend, sampling, voxels);
}

ComplexVector NormalOperator::apply(const ComplexVector& rho) const {
    ComplexVector result = shift_ * rho;
    if (coil_maps_.size() == 0) {
        result += gram_.apply(rho);
        return result;
    }
    for (Eigen::Index c = 0; c < coil_maps_.rows(); ++c) {
        const auto map = coil_maps_.row(c).transpose();
        result += map.conjugate().cwiseProduct(gram_.apply(map.cwiseProduct(rho)));
    }
    return result;
}

} // namespace lsrecon
