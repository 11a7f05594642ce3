#include "base/fft.hpp"
#include "base/parallel.hpp"
#include "device/opencl/box_lines.hpp"
#include "device/opencl/device_fft.hpp"
#include "device/opencl/opencl_device.hpp"

namespace lsrecon::opencl {

namespace {

/// Buffers as the host's memory, which is a CPU device's as well: nothing is copied.
class Mapped {
public:
    explicit Mapped(Queue& queue) : queue_(queue) {}
    /// An error of this would come again with the next command.
    ~Mapped() {
        for (const auto& [buffer, values] : buffers_) {
            clEnqueueUnmapMemObject(queue_.commands()(), buffer(), values, 0, nullptr, nullptr);
        }
    }
    Mapped(const Mapped&) = delete;
    Mapped& operator=(const Mapped&) = delete;

    /// Where its values will be: they are there after wait().
    template <typename Value> Value* values(const cl::Buffer& buffer) {
        constexpr cl_map_flags access =
            std::is_const_v<Value> ? CL_MAP_READ : CL_MAP_READ | CL_MAP_WRITE;
        void* const at = queue_.commands().enqueueMapBuffer(buffer, CL_FALSE, access, 0,
                                                            buffer.getInfo<CL_MEM_SIZE>(), nullptr,
                                                            &events_.emplace_back());
        buffers_.emplace_back(buffer, at);
        return static_cast<Value*>(at);
    }
    template <typename Value> Value* values(const Array& array) {
        return values<Value>(buffer_of(array));
    }
    void wait() { cl::Event::waitForEvents(events_); }

private:
    Queue& queue_;
    std::vector<std::pair<cl::Buffer, void*>> buffers_;
    std::vector<cl::Event> events_;
};

/// Points of a period that give every core enough to do, and of all periods that give several.
constexpr std::size_t worth_all_cores = std::size_t(1) << 18;
constexpr std::size_t worth_several_cores = std::size_t(1) << 15;

/// In the buffers' own memory.
template <typename Real> class MappedFftw : public DeviceFft {
public:
    using Value = std::complex<Real>;

    MappedFftw(Queue& queue, const std::array<std::size_t, 3>& extents, std::size_t batch)
        : queue_(queue), fft_(extents, batch) {}

    std::string name() const override { return Fft<Real>::version(); }

    void forward(const cl::Buffer& values) override {
        Mapped mapped(queue_);
        Value* const at = mapped.values<Value>(values);
        mapped.wait();
        fft_.forward(at);
    }
    void backward(const cl::Buffer& values) override {
        Mapped mapped(queue_);
        Value* const at = mapped.values<Value>(values);
        mapped.wait();
        fft_.backward(at);
    }

    bool add_convolution(const Convolution& by, const std::vector<Array>& maps, const Array& in,
                         Array& out) override {
        if (fft_.count() < 2) {
            return false;
        }
        const bool doubles = !maps[0].empty() && maps[0].element().precision == Precision::float64;
        doubles ? add<double>(by, maps, in, out) : add<float>(by, maps, in, out);
        return true;
    }

private:
    template <typename Map>
    void add(const Convolution& by, const std::vector<Array>& maps, const Array& in, Array& out) {
        Mapped mapped(queue_);
        std::vector<const std::complex<Map>*> of_maps;
        for (const Array& map : maps) {
            of_maps.push_back(map.empty() ? nullptr : mapped.values<const std::complex<Map>>(map));
        }
        std::vector<const Value*> factors;
        for (const Box& box : by.boxes) {
            factors.push_back(mapped.values<const Value>(box.factors));
        }
        const Real* const spectra = mapped.values<const Real>(by.spectra);
        const Value* const from = mapped.values<const Value>(in);
        Value* const to = mapped.values<Value>(out);
        Value* const periods = mapped.values<Value>(by.periods);
        mapped.wait();
        // With every parity of the other dimensions, both of the slowest.
        const std::size_t passes = divide_up(by.boxes.size(), 2);
        const auto add_of_map = [&](std::size_t c, Value* period, Value* sum, bool threads) {
            for (std::size_t i = 0; i < passes; ++i) {
                const BoxLines<Real, Map> lines(by.boxes[i], factors[i], of_maps[c]);
                const Real* const even = spectra + i * fft_.count();
                fft_.convolve({even, by.boxes.size() > 1 ? even + passes * fft_.count() : nullptr},
                              {[&](std::size_t first, std::size_t count, Value* values) {
                                   lines.pad({first, count}, from, values);
                               },
                               [&](std::size_t first, std::size_t count, const Value* values) {
                                   lines.crop({first, count}, values, sum);
                               }},
                              period, threads);
            }
        };
        const std::vector<Range> shares = shares_of(maps.size());
        if (shares.size() == 1) {
            for (std::size_t c = 0; c < maps.size(); ++c) {
                add_of_map(c, periods, to, true);
            }
            return;
        }
        sums_.resize(shares.size() * in.count());
        for_each_in_parallel(shares.size(), [&](std::size_t i) {
            Value* const sum = sums_.data() + i * in.count();
            std::fill_n(sum, in.count(), Value(0));
            for (std::size_t c = shares[i].first; c < shares[i].first + shares[i].count; ++c) {
                add_of_map(c, periods + i * fft_.count(), sum, false);
            }
        });
        for (std::size_t i = 0; i < shares.size(); ++i) {
            const Value* const sum = sums_.data() + i * in.count();
            std::transform(sum, sum + in.count(), to, to, std::plus<Value>());
        }
    }

    /// Where a period may stay in the cache of a core, each takes some of the maps, with a period
    /// and a sum of its own; else all cores take one map after the other. Rounding depends on the
    /// number of cores.
    std::vector<Range> shares_of(std::size_t maps) const {
        const std::size_t cores = std::max(1U, std::thread::hardware_concurrency());
        const bool apart =
            fft_.count() < worth_all_cores && maps * fft_.count() >= worth_several_cores;
        return split_into_ranges(maps, divide_up(maps, apart ? std::min(cores, maps) : 1));
    }

    Queue& queue_;
    Fft<Real> fft_;
    std::vector<Value> sums_; ///< one a share
};

} // namespace

std::unique_ptr<DeviceFft> make_fftw(Queue& queue, const std::array<std::size_t, 3>& extents,
                                     std::size_t batch, Precision precision) {
    if (precision == Precision::float64) {
        return std::make_unique<MappedFftw<double>>(queue, extents, batch);
    }
    return std::make_unique<MappedFftw<float>>(queue, extents, batch);
}

} // namespace lsrecon::opencl
