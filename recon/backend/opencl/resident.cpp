#include "backend/opencl/resident.hpp"

#include "plan/embedding.hpp"
#include "scan/voxels.hpp"

namespace lsrecon::opencl {

namespace {

constexpr std::size_t group = 128; // GROUP of kernels/solve.cl
constexpr std::size_t most_groups = 512;

/// Places among the scalars: r^H r in two that take turns, and p^H A p.
enum Place : cl_int { squares_even = 0, squares_odd = 1, curvature = 2, places = 3 };

constexpr double pi = 3.141592653589793238462643383280;

template <typename Integer> cl_int4 as_int4(const std::array<Integer, 3>& values) {
    return {{static_cast<cl_int>(values[0]), static_cast<cl_int>(values[1]),
             static_cast<cl_int>(values[2]), 1}};
}

cl::NDRange range_of(const std::array<std::size_t, 3>& size) {
    return {size[0], size[1], size[2]};
}

/// The vectors are kept relative to ||b|| and A relative to Q(0): squares of floats leave their
/// range at 1e19, which a scan in other units may reach.
template <typename Real> class System : public ResidentSystem {
    static constexpr bool in_double = std::is_same_v<Real, double>;
    using Value = std::complex<Real>;
    using Vector = Eigen::Matrix<Value, Eigen::Dynamic, 1>;

public:
    System(Queue& queue, FftEngine engine, const Grid& grid, const ComplexVector& half_of_q,
           const CoilMatrix& coil_maps, double shift);

    std::string description() const override {
        return text("conjugate gradients on the device, ", in_double ? "double" : "single",
                    " precision, FFT by ", fft_->name());
    }
    double epsilon() const override { return std::numeric_limits<Real>::epsilon() / 2.0; }
    ComplexVector apply(const ComplexVector& x) override;
    void load(const ComplexVector& b) override;
    Step iterate() override;
    ComplexVector solution() override {
        return guarded("solve", [&]() -> ComplexVector {
            return norm_ / scale_ * read(x_).template cast<Complex>();
        });
    }

private:
    template <typename... Arguments> void run(const char* name, const cl::NDRange& items,
                                              const cl::NDRange& local,
                                              const Arguments&... arguments) {
        cl::Kernel kernel = queue_.kernel(
            "solve.cl", name, text("-DGROUP=", group, " -DREAL=", in_double ? "double" : "float"));
        cl_uint index = 0;
        (kernel.setArg(index++, arguments), ...);
        queue_.launch(kernel, items, local);
    }

    static std::vector<Value> turns_of(const std::array<std::size_t, 3>& extents) {
        std::vector<Value> turns; // exp(-i pi n / L) of each dimension
        for (const std::size_t extent : extents) {
            for (std::size_t n = 0; n < extent; ++n) {
                turns.emplace_back(
                    std::polar(1.0, -pi * static_cast<double>(n) / static_cast<double>(extent)));
            }
        }
        return turns;
    }

    void make_spectra(const Grid& grid, const ComplexVector& half_of_q);
    /// Where the spectrum of a parity starts.
    cl_ulong spectrum(std::size_t parity) const { return parity * embedding_.points(); }
    void multiply(const cl::Buffer& in, const cl::Buffer& out);
    void write(const Vector& values, const cl::Buffer& to) {
        queue_.commands().enqueueWriteBuffer(to, CL_TRUE, 0, bytes(), values.data());
    }
    Vector read(const cl::Buffer& from) {
        Vector values(static_cast<Eigen::Index>(count_));
        queue_.commands().enqueueReadBuffer(from, CL_TRUE, 0, bytes(), values.data());
        queue_.finish();
        return values;
    }
    std::size_t bytes() const { return count_ * sizeof(Value); }
    cl::NDRange dot_items() const { return cl::NDRange(groups_ * group); }
    void total_of_parts(Place place) {
        run("dot_total", cl::NDRange(group), cl::NDRange(group), parts_,
            static_cast<cl_int>(groups_), place, scalars_);
    }

    Queue& queue_;
    std::array<std::size_t, 3> size_;
    Embedding embedding_;
    std::size_t count_;
    std::size_t groups_;
    Real shift_;
    double scale_; ///< Q(0)
    double norm_ = 1; ///< ||b||
    Place before_ = squares_even;
    std::size_t coils_;
    std::unique_ptr<DeviceFft> fft_;
    cl::Buffer turns_, padded_, spectra_, maps_, x_, r_, p_, a_p_, parts_, scalars_;
};

template <typename Real>
System<Real>::System(Queue& queue, FftEngine engine, const Grid& grid,
                     const ComplexVector& half_of_q, const CoilMatrix& coil_maps, double shift)
    : queue_(queue), size_(grid.size), embedding_(grid), count_(grid.voxels()),
      groups_(std::clamp<std::size_t>(count_ / (4 * group), 1, most_groups)),
      shift_(static_cast<Real>(shift)),
      scale_(half_of_q(static_cast<Eigen::Index>(Voxels::half_differences(grid).origin())).real()),
      coils_(rows(coil_maps)),
      fft_(make_device_fft(queue, embedding_.extents, engine,
                           in_double ? Precision::float64 : Precision::float32)) {
    turns_ = queue.upload(turns_of(embedding_.extents));
    padded_ = fft_->allocate(queue, embedding_.points());
    spectra_ = queue.buffer(embedding_.parities.size() * embedding_.points() * sizeof(Real));
    make_spectra(grid, half_of_q);
    for (cl::Buffer* const vector : {&x_, &r_, &p_, &a_p_}) {
        *vector = queue.buffer(bytes());
        // Drivers allocate when a buffer is first used: now, while there is another way to solve.
        queue.commands().enqueueFillBuffer(*vector, Value{}, 0, bytes());
    }
    parts_ = queue.buffer(groups_ * sizeof(Value));
    scalars_ = queue.buffer(places * sizeof(Value));
    if (coils_ > 0) {
        const Eigen::Matrix<Value, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> maps =
            coil_maps.cast<Value>();
        maps_ = queue.upload(maps.data(), coils_ * bytes());
    }
    queue.finish();
}

template <typename Real>
void System<Real>::make_spectra(const Grid& grid, const ComplexVector& half_of_q) {
    const Vector half = (half_of_q / scale_).template cast<Value>();
    const cl::Buffer half_buffer =
        queue_.upload(half.data(), static_cast<std::size_t>(half.size()) * sizeof(Value));
    const auto all = static_cast<double>(embedding_.parities.size() * embedding_.points());
    for (std::size_t i = 0; i < embedding_.parities.size(); ++i) {
        run("fold", range_of(embedding_.extents), cl::NullRange, half_buffer, as_int4(size_),
            static_cast<cl_int>(grid.dimensions), as_int4(embedding_.extents), turns_,
            as_int4(embedding_.parities[i]), padded_);
        fft_->forward(padded_);
        // Q is Hermitian, so its transform is real; the scale of the inverse FFT goes with it.
        run("keep_real", cl::NDRange(embedding_.points()), cl::NullRange, padded_,
            static_cast<Real>(1 / all), spectrum(i), spectra_);
    }
    queue_.finish();
}

template <typename Real> void System<Real>::multiply(const cl::Buffer& in, const cl::Buffer& out) {
    const cl_int with_maps = coils_ > 0 ? 1 : 0;
    const cl::Buffer& maps = coils_ > 0 ? maps_ : in; // read only with maps
    const cl_int4 size = as_int4(size_);
    const cl_int4 extents = as_int4(embedding_.extents);
    for (std::size_t c = 0; c < std::max<std::size_t>(coils_, 1); ++c) {
        const auto map = static_cast<cl_ulong>(c * count_);
        for (std::size_t i = 0; i < embedding_.parities.size(); ++i) {
            const cl_int4 parity = as_int4(embedding_.parities[i]);
            const auto start = static_cast<cl_int>(c == 0 && i == 0);
            run("pad", range_of(embedding_.extents), cl::NullRange, in, maps, with_maps, map, size,
                extents, turns_, parity, padded_);
            fft_->forward(padded_);
            run("multiply", cl::NDRange(embedding_.points()), cl::NullRange, spectra_, spectrum(i),
                padded_);
            fft_->backward(padded_);
            run("crop", range_of(size_), cl::NullRange, padded_, maps, with_maps, map, size,
                extents, turns_, parity, start, shift_, in, out);
        }
    }
}

template <typename Real> ComplexVector System<Real>::apply(const ComplexVector& x) {
    return guarded("the product with F^H F", [&]() -> ComplexVector {
        const cl::Buffer in = queue_.buffer(bytes());
        const double norm = x.stableNorm() > 0 ? x.stableNorm() : 1;
        write((x / norm).cast<Value>(), in);
        multiply(in, a_p_);
        return scale_ * norm * read(a_p_).template cast<Complex>();
    });
}

template <typename Real> void System<Real>::load(const ComplexVector& b) {
    guarded("solve", [&] {
        norm_ = b.stableNorm();
        write((b / norm_).cast<Value>(), r_);
        queue_.commands().enqueueCopyBuffer(r_, p_, 0, 0, bytes());
        queue_.commands().enqueueFillBuffer(x_, Value{}, 0, bytes());
        before_ = squares_even;
        run("dot_parts", dot_items(), cl::NDRange(group), r_, r_, static_cast<cl_ulong>(count_),
            parts_);
        total_of_parts(before_);
        queue_.finish();
    });
}

template <typename Real> ResidentSystem::Step System<Real>::iterate() {
    return guarded("solve", [&]() -> Step {
        const auto count = static_cast<cl_ulong>(count_);
        const Place now = before_ == squares_even ? squares_odd : squares_even;
        multiply(p_, a_p_);
        run("dot_parts", dot_items(), cl::NDRange(group), p_, a_p_, count, parts_);
        total_of_parts(curvature);
        run("advance", dot_items(), cl::NDRange(group), scalars_, before_, curvature, count, p_,
            a_p_, x_, r_, parts_);
        total_of_parts(now);
        run("turn", cl::NDRange(count_), cl::NullRange, scalars_, now, before_, r_, p_);
        std::array<Value, places> scalars{};
        queue_.commands().enqueueReadBuffer(scalars_, CL_TRUE, 0, sizeof(scalars), scalars.data());
        queue_.finish();
        before_ = now;
        return {std::sqrt(static_cast<double>(scalars[now].real())),
                static_cast<double>(scalars[curvature].real())};
    });
}

} // namespace

Precision resident_precision(const DeviceInfo& device) {
    return device.double_precision ? Precision::float64 : Precision::float32;
}

std::unique_ptr<ResidentSystem> make_resident_system(Queue& queue, FftEngine engine,
                                                     Precision precision, const Grid& grid,
                                                     const ComplexVector& half_of_q,
                                                     const CoilMatrix& coil_maps, double shift) {
    return guarded("the solver on the device", [&]() -> std::unique_ptr<ResidentSystem> {
        if (precision == Precision::float64) {
            return std::make_unique<System<double>>(queue, engine, grid, half_of_q, coil_maps,
                                                    shift);
        }
        return std::make_unique<System<float>>(queue, engine, grid, half_of_q, coil_maps, shift);
    });
}

} // namespace lsrecon::opencl
