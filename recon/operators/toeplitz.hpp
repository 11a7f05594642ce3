#pragma once

#include <memory>

#include "operators/gram.hpp"
#include "operators/q.hpp"
#include "plan/embedding.hpp"

namespace lsrecon {

/// T on a grid, a convolution with Q: Fessler et al. 2005, IEEE TSP 53(9), section III. One parity
/// of the frequencies of the period at a time (plan/embedding.hpp): pad with a twist, FFT, multiply
/// by the real spectrum of Q, inverse FFT, crop.
class Toeplitz : public Gram {
public:
    /// `maps` is how many coil maps add() will be given, for its workspace; `diagonal` what its
    /// products are relative to. DeviceError when the device has no room. The device must outlive
    /// it.
    Toeplitz(Device& device, const Q& q, Precision precision, std::size_t maps, double diagonal);
    Toeplitz(Device& device, const Q& q, Precision precision, std::size_t maps)
        : Toeplitz(device, q, precision, maps, q.at_zero()) {}

    std::size_t voxels() const override { return voxels_; }
    void add(CoilMaps& maps, const Array& in, Array& out) override;
    double diagonal() const override { return diagonal_; }
    std::string means() const override { return "FFT by " + fft_->library(); }

private:
    void make_spectra(const Q& q, Precision precision);

    Device& device_;
    Embedding embedding_;
    std::size_t voxels_;
    std::size_t batch_; ///< maps that are done at a time
    double diagonal_;
    std::unique_ptr<FftPlan> fft_;
    std::vector<Box> boxes_; ///< one a parity
    Array padded_; ///< batch_ periods
    Array spectra_; ///< real, one parity after the other
};

} // namespace lsrecon
