// The NUFFT on a device: kernels/nufft.cl between samples and fine grid, the device's FFT, and what
// divides by the transform of the kernel.

#include "engines/opencl/engines.hpp"

#include <cmath>

#include "device/opencl/array_kernels.hpp"
#include "engines/host/engines.hpp"
#include "engines/opencl/nufft_bins.hpp"

namespace lsrecon::opencl {

namespace {

/// Work-items that evaluate the kernels of a sample.
std::size_t lanes_for(std::size_t width) {
    return width <= 4 ? 4 : width <= 8 ? 8 : 16;
}

NufftRates rates_of(const Machine& machine, const EngineFacts& context) {
    // The rates are in multiply-adds, fitted to an NVIDIA H200 with floats and 6 to 11 points. More
    // than 8 take twice as many work-items a sample.
    const double of_doubles = nufft_precision(context) == Precision::float64 ? 2 : 1;
    const double unit = of_doubles / nominal_rates(machine.device).multiply_adds;
    const auto of_sample = [unit, spreading = machine.model.spreading](std::size_t width) {
        const double wide = lanes_for(width) > 8 ? 1.4 : 1;
        return spreading * unit * wide * 1100 * std::pow(static_cast<double>(width), 1.55);
    };
    return {of_sample, machine.model.fine * 45 * unit};
}

NufftGrid grid_of(const EngineFacts& context, const SamplePoints& points, const Voxels& voxels) {
    return choose_nufft_grid(voxels.lattice_size(), points.count(), error_for_fine_grid(context),
                             nufft_precision(context), rates_of(context.standard_machine, context),
                             NufftTiles(voxels.lattice_size()).multiples());
}

/// Coils that share the values of a kernel: what registers have room for.
std::size_t coils_at_a_time(std::size_t coils, std::size_t width, Precision precision) {
    const std::size_t numbers = coils >= 3 ? 4 : coils;
    const std::size_t most_numbers = precision == Precision::float64 ? 16 : 36; // of a window
    std::size_t together = numbers;
    while (together > 1 && together * width > most_numbers) {
        together /= 2;
    }
    return together;
}

Resources computing_in(const EngineContext& context) {
    Resources resources = resources_of(context);
    resources.precision = nufft_precision(context);
    return resources;
}

class NufftOnDevice : public Transform {
public:
    NufftOnDevice(const EngineContext& context, const SamplePoints& points, const Voxels& voxels)
        : resources_(computing_in(context)), stored_(context.precision),
          rounding_(nufft_rounding(context)), tiles_(voxels.lattice_size()),
          grid_(grid_of(context, points, voxels)), bins_(resources_, points, voxels, grid_),
          samples_(points.count()), size_(voxels.lattice_size()),
          coefficients_(resources_.upload(polynomials())), factors_(resources_.upload(factors())) {}

    std::size_t samples() const override { return samples_; }
    std::size_t voxels() const override { return size_[0] * size_[1] * size_[2]; }

    /// Pads voxels, divided by the transform of the kernel, to the fine grid, transforms it, and
    /// interpolates the samples from it.
    void forward(const Array& rho, Array& out, const Progress& progress) override {
        guarded("a transform", [&] {
            const std::size_t coils = out.count() / std::max<std::size_t>(1, samples());
            for_each_batch(coils, true, progress, [&](const Range& some) {
                resources_.queue.fill(buffer_of(fine_), fine_.bytes());
                resources_.launch(kernel("pad"), {size_[0], size_[1], size_[2] * some.count},
                                  buffer_of(rho), as_int4(size_), as_int4(grid_.fine),
                                  buffer_of(factors_), static_cast<cl_ulong>(some.first),
                                  buffer_of(fine_));
                fft_->forward(fine_);
                interpolate(some, out);
            });
        });
    }

    /// Takes the steps of forward() backwards: spreads samples to the fine grid, transforms it, and
    /// crops it to the voxels.
    void adjoint(const Array& values, Array& out, const Progress& progress) override {
        guarded("a transform", [&] {
            const std::size_t coils = out.count() / std::max<std::size_t>(1, voxels());
            for_each_batch(coils, false, progress, [&](const Range& some) {
                spread(values, some);
                fft_->backward(fine_);
                resources_.launch(kernel("crop"), {size_[0], size_[1], size_[2] * some.count},
                                  buffer_of(fine_), as_int4(size_), as_int4(grid_.fine),
                                  buffer_of(factors_), static_cast<cl_ulong>(some.first),
                                  buffer_of(out));
            });
        });
    }

    double forward_error() const override { return grid_.error + rounding_; }
    double adjoint_error() const override { return grid_.error + rounding_; }

private:
    std::size_t width() const { return grid_.kernel.width(); }
    std::size_t lanes() const { return lanes_for(width()); }

    /// Lists the kernel's coefficients, highest power first, a row a power, as kernels/nufft.cl
    /// reads them.
    std::vector<double> polynomials() const {
        std::vector<double> numbers;
        for (std::size_t p = grid_.kernel.degree() + 1; p-- > 0;) {
            for (std::size_t j = 0; j < width(); ++j) {
                numbers.push_back(grid_.kernel.coefficient(j, p));
            }
        }
        return numbers;
    }
    /// 1 / the kernel's transform, of x, then of y and z.
    std::vector<double> factors() const {
        std::vector<double> numbers;
        for (std::size_t d = 0; d < 3; ++d) {
            for (std::size_t n = 0; n < size_[d]; ++n) {
                const double frequency = static_cast<double>(n) - static_cast<double>(size_[d] / 2);
                numbers.push_back(grid_.fine[d] == 1
                                      ? 1
                                      : 1 / grid_.kernel.transform(
                                                frequency / static_cast<double>(grid_.fine[d])));
            }
        }
        return numbers;
    }

    /// Points of the fine grid that no frequency has: the middle of each dimension.
    std::array<Range, 3> unused() const {
        std::array<Range, 3> result{};
        for (std::size_t d = 0; d < 3; ++d) {
            result[d] = {size_[d] - size_[d] / 2, grid_.fine[d] - size_[d]};
        }
        return result;
    }

    cl::Kernel kernel(const std::string& name) const {
        return resources_.queue.kernel(
            "nufft.cl", name,
            text("-DWIDTH=", width(), " -DLANES=", lanes(), " -DDEGREE=", grid_.kernel.degree(),
                 " -DCOILS=", together_, " -DTX=", tiles_.along_x(), " -DTY=", tiles_.along_y(),
                 " -DLAYERS=", tiles_.layers(), " -DSTORED=",
                 stored_ == Precision::float64 ? "double" : "float", resources_.defines()));
    }

    /// Makes the fine grids and the FFT of so many coils, kept for the next call; for interpolation
    /// also the grid whose coils are side by side.
    void prepare(std::size_t coils, bool interpolates) {
        Device& device = resources_.device;
        const std::size_t points = grid_.fine[0] * grid_.fine[1] * grid_.fine[2];
        const std::size_t in_parts =
            std::max<std::size_t>(1, bins_.parts * tiles_.points() * tiles_.layers());
        if (coils == prepared_for_ && (!interpolates || together_ == 1 || !interleaved_.empty())) {
            return;
        }
        prepared_for_ = coils;
        together_ = coils_at_a_time(coils, width(), resources_.precision);
        fine_ = {};
        sorted_ = {};
        parts_ = {};
        interleaved_ = {};
        const std::size_t in_grids = interpolates ? 2 * points : points;
        const auto needs = [&](std::size_t values) {
            return static_cast<double>(together_ * values * resources_.complex().bytes());
        };
        while (together_ > 1 &&
               (needs(in_grids + samples_ + in_parts) > device.room() ||
                needs(std::max({points, samples_, in_parts})) > device.largest_array())) {
            together_ /= 2;
        }
        fft_ = device.plan_fft(grid_.fine, together_, resources_.precision, unused());
        fine_ = device.zeros(together_ * points, resources_.complex());
        sorted_ = device.zeros(together_ * samples_, resources_.complex());
        parts_ = device.zeros(together_ * in_parts, resources_.complex());
        if (interpolates && together_ > 1) {
            interleaved_ = device.zeros(together_ * points, resources_.complex());
        }
    }

    template <typename Work> void for_each_batch(std::size_t coils, bool interpolates,
                                                 const Progress& progress, const Work& work) {
        prepare(coils, interpolates);
        for (const Range& some : split_into_ranges(coils, together_)) {
            work(some);
            resources_.queue.limit_queued_launches();
            progress(static_cast<double>(some.first + some.count) / static_cast<double>(coils));
        }
    }

    /// Adds samples to the fine grid, a work-group a chunk of a tile. Tiles of several chunks are
    /// added up afterwards in a fixed order, so that repeated runs give the same bits.
    void spread(const Array& values, const Range& coils) {
        Queue& queue = resources_.queue;
        resources_.launch(kernel("sort_values"), {samples_, 1, 1}, bins_.order, bins_.phases,
                          static_cast<cl_int>(bins_.with_phases), buffer_of(values),
                          static_cast<cl_int>(values.element().complex),
                          static_cast<cl_ulong>(coils.first), static_cast<cl_int>(coils.count),
                          buffer_of(sorted_));
        cl::Kernel spread = kernel("spread");
        Queue::set_arguments(spread, bins_.chunks, bins_.bins, bins_.starts, bins_.first_points,
                             bins_.offsets, static_cast<cl_ulong>(samples_), buffer_of(sorted_),
                             buffer_of(coefficients_), bins_.strides, buffer_of(fine_),
                             buffer_of(parts_));
        queue.launch(spread, cl::NDRange(bins_.chunk_count * tiles_.points()),
                     cl::NDRange(tiles_.points()));
        if (bins_.split_count > 0) {
            resources_.launch(kernel("add_parts"),
                              {tiles_.points() * tiles_.layers(), bins_.split_count, together_},
                              bins_.split_tiles, bins_.bins, buffer_of(parts_), bins_.strides,
                              buffer_of(fine_));
        }
    }

    /// Interpolates samples from the fine grid. Several coils are first put side by side, since a
    /// sample reads the same points of each.
    void interpolate(const Range& coils, Array& out) {
        constexpr std::size_t group = 64; // INTERPOLATE_GROUP of the kernel
        constexpr std::size_t rounds = 8; // of samples a team takes
        if (together_ > 1) {
            resources_.launch(kernel("interleave"), {fine_.count() / together_, 1, 1},
                              buffer_of(fine_), buffer_of(interleaved_));
        }
        cl::Kernel interpolate = kernel("interpolate");
        Queue::set_arguments(interpolate, bins_.bins, bins_.order, bins_.first_points,
                             bins_.offsets, static_cast<cl_ulong>(samples_), bins_.phases,
                             static_cast<cl_int>(bins_.with_phases), buffer_of(coefficients_),
                             bins_.strides, buffer_of(together_ > 1 ? interleaved_ : fine_),
                             static_cast<cl_ulong>(coils.first), static_cast<cl_int>(coils.count),
                             buffer_of(out));
        const std::size_t groups = divide_up(samples_ * lanes(), rounds * group);
        resources_.queue.launch(interpolate, cl::NDRange(groups * group), cl::NDRange(group));
    }

    Resources resources_; ///< resources in the precision that it computes in
    Precision stored_; ///< precision of arrays
    double rounding_; ///< rounding of the stored results
    NufftTiles tiles_;
    NufftGrid grid_;
    NufftBins bins_;
    std::size_t samples_;
    std::array<std::size_t, 3> size_; ///< size of the lattice of voxels
    Array coefficients_;
    Array factors_;
    // Data of the coils that are transformed together.
    std::size_t prepared_for_ = 0;
    std::size_t together_ = 0;
    std::unique_ptr<FftPlan> fft_;
    Array fine_;
    Array interleaved_; ///< fine grid, coils side by side
    Array sorted_;
    Array parts_;
};

} // namespace

std::unique_ptr<Transform> make_nufft(const EngineContext& context, const Variant&,
                                      const SamplePoints& points, const Voxels& voxels) {
    return guarded("a transform",
                   [&] { return std::make_unique<NufftOnDevice>(context, points, voxels); });
}

Cost predict_nufft(const EngineFacts& context, const Variant&, const std::string&,
                   const SamplePoints& points, const Voxels& voxels) {
    const NufftGrid grid = grid_of(context, points, voxels);
    const NufftTiles tiles(voxels.lattice_size());
    const std::size_t bytes = 2 * bytes_of(nufft_precision(context));
    Cost cost = Cost::array(grid.fine[0] * grid.fine[1] * grid.fine[2], bytes) +
                NufftBins::cost(points, tiles, grid, nufft_precision(context));
    cost.seconds = grid.seconds(points.count(), rates_of(context.machine, context));
    cost.error = grid.error + nufft_rounding(context);
    grid.set_limits(voxels.lattice_size(), points.count(), nufft_precision(context), cost);
    return cost;
}

} // namespace lsrecon::opencl
