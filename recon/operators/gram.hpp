// N, the normal operator of a scan, in its three forms: a convolution with Q, a sum of convolutions
// off resonance, and F followed by F^H; and N with lambda and quadratic terms beside it.

#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engines/transforms.hpp"
#include "operators/coil_maps.hpp"
#include "operators/embedding.hpp"
#include "operators/operator.hpp"
#include "operators/q.hpp"
#include "scan/scan.hpp"

namespace lsrecon {

/// N = A^H A of A = W^1/2 F S, relative to Q(0), because floats end at 1e38: sum_c S_c^H T S_c of
/// the coil maps, or T without any. Hermitian and positive semidefinite.
class Gram : public SelfAdjoint {
public:
    /// The device must outlive it.
    explicit Gram(Device& device) : device_(device) {}
    void apply(const Array& in, Array& out) final {
        device_.combine(0, in, 0, out);
        add(in, out);
    }
    /// out += N in
    virtual void add(const Array& in, Array& out) = 0;
    /// Q(0) = sum of w |phi|^2: every diagonal element of T.
    virtual double unit() const = 0;
    /// The means of multiplying: "FFT by fftw-3.3.10".
    virtual std::string means() const = 0;

protected:
    Device& device_;
};

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
    /// Seconds of a product with so many coil maps: by the model of this machine, or of another
    /// machine.
    static double seconds(const Device& device, const Grid& grid, Precision precision,
                          std::size_t maps) {
        return seconds(device, {device.info(), device.machine_model()}, grid, precision, maps);
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

/// One term of the normal operator off resonance (engines/segments.hpp): Q with its weights of the
/// samples, and the time whose phases stand before and after.
struct TimeTerm {
    Q q;
    double time; ///< s
};

/// The terms of one trajectory on the grid of voxels off resonance.
std::vector<TimeTerm> compute_time_terms(Transforms& transforms, const Trajectory& trajectory,
                                         const Grid& grid, const OffResonance& off_resonance,
                                         Listener listener);

/// N with T = sum_l conj(D_l) T_l D_l, D_l = exp(-z time_l) and a convolution T_l with the Q of a
/// term: Fessler et al. 2005, IEEE TSP 53(9), section IV. The device and the maps must outlive it.
std::unique_ptr<Gram> make_time_terms_gram(Device& device, Precision precision, CoilMaps& maps,
                                           const std::vector<TimeTerm>& terms,
                                           const OffResonance& off_resonance, double unit);

/// The cost without what is there until the spectra of its terms are made.
Cost cost_of_time_terms_gram(const Device& device, const Grid& grid, Precision precision,
                             std::size_t terms, std::size_t maps);

/// N by F followed by F^H on the transforms' device in the precision `of_transform`, for voxels
/// anywhere, on arrays of `device` in `precision`. The device, the maps, the transforms and the
/// sampling must outlive it.
std::unique_ptr<Gram> make_explicit_gram(Device& device, Precision precision, CoilMaps& maps,
                                         Transforms& transforms, Precision of_transform,
                                         const Trajectory& trajectory, const Voxels& voxels);

/// The left-hand side of the normal equations relative to Q(0): N + lambda + sum of weight K^H K.
class Regularised : public SelfAdjoint {
public:
    struct Term {
        Operator* k;
        double weight;
    };
    /// All arguments must outlive it. Copies share a workspace: one works at a time.
    Regularised(Device& device, Precision precision, Gram& n, double lambda,
                std::vector<Term> terms = {})
        : device_(device), precision_(precision), n_(n), lambda_(lambda), terms_(std::move(terms)) {
    }

    std::size_t inputs() const override { return n_.inputs(); }
    void apply(const Array& in, Array& out) override;
    void set_lambda(double lambda) { lambda_ = lambda; }
    /// The terms may change between calls.
    std::vector<Term>& terms() { return terms_; }
    const std::vector<Term>& terms() const { return terms_; }

private:
    Array& numbers(std::size_t count);

    Device& device_;
    Precision precision_;
    Gram& n_;
    double lambda_;
    std::vector<Term> terms_;
    struct Workspace {
        std::vector<Array> there; ///< K in, one of each size
        Array back; ///< K^H K in
    };
    std::shared_ptr<Workspace> workspace_ = std::make_shared<Workspace>();
};

} // namespace lsrecon
