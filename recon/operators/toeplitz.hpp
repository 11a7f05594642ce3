#pragma once

#include <memory>

#include "operators/coil_maps.hpp"
#include "operators/embedding.hpp"
#include "operators/gram.hpp"
#include "operators/q.hpp"

namespace lsrecon {

/// Plans and workspace that the T of one grid may share, as long as one of them works at a time.
struct ToeplitzWorkspace {
    /// `maps` is how many coil maps there are. DeviceError when the device has no room.
    ToeplitzWorkspace(Device& device, const Grid& grid, Precision precision, std::size_t maps);
    static Cost cost(const Device& device, const Grid& grid, Precision precision, std::size_t maps);

    Embedding embedding;
    std::size_t batch; ///< maps that are done at a time
    std::shared_ptr<FftPlan> of_batch;
    std::shared_ptr<FftPlan> of_one;
    std::vector<Box> boxes; ///< one a parity
    Array padded; ///< periods of a batch
};

/// N on a grid, with T a convolution with Q: Fessler et al. 2005, IEEE TSP 53(9), section III. For
/// each parity of the frequencies of the period (operators/embedding.hpp): pad with a twist and a
/// coil map, FFT, multiply by the real spectrum of Q, inverse FFT, crop.
class Toeplitz : public Gram {
public:
    /// `unit` is what its products are relative to. DeviceError when the device has no room. The
    /// device and the maps must outlive it.
    Toeplitz(Device& device, const Q& q, Precision precision, CoilMaps& maps,
             std::shared_ptr<ToeplitzWorkspace> workspace, double unit);
    /// Makes a workspace of its own; products are relative to Q(0).
    Toeplitz(Device& device, const Q& q, Precision precision, CoilMaps& maps)
        : Toeplitz(device, q, precision, maps,
                   std::make_shared<ToeplitzWorkspace>(device, q.grid, precision, maps.count()),
                   q.at_zero()) {}

    /// The cost without the workspace; and that of what is there beside both until the spectra are
    /// made.
    static Cost cost(const Device& device, const Grid& grid, Precision precision);
    static Cost cost_of_making(const Device& device, const Grid& grid, Precision precision);
    /// Number of products that take as long as making its spectra.
    static constexpr double products_of_making = 3;
    /// Seconds of a product with so many coil maps: at the pace of this device, or of another
    /// machine.
    static double seconds(const Device& device, const Grid& grid, Precision precision,
                          std::size_t maps) {
        return seconds(device, {device.info(), device.pace()}, grid, precision, maps);
    }
    static double seconds(const Device& device, const Machine& machine, const Grid& grid,
                          Precision precision, std::size_t maps);

    std::size_t inputs() const override { return voxels_; }
    void add(const Array& in, Array& out) override;
    double unit() const override { return unit_; }
    std::string means() const override { return "FFT by " + workspace_->of_batch->library(); }

private:
    void make_spectra(const Q& q, Precision precision);

    CoilMaps& maps_;
    std::shared_ptr<ToeplitzWorkspace> workspace_;
    std::size_t voxels_;
    double unit_;
    Array spectra_; ///< real, one parity after the other
};

} // namespace lsrecon
