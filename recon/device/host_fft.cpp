#include "device/host_fft.hpp"

#include "base/fft.hpp"
#include "base/parallel.hpp"
#include "device/box_lines.hpp"
#include "device/convolution.hpp"
#include "device/host_loops.hpp"
#include "device/host_numbers.hpp"

namespace lsrecon {

namespace {

/// Points of a period that give every core enough to do, and of all periods that give several.
constexpr std::size_t worth_all_cores = std::size_t(1) << 18;
constexpr std::size_t worth_several_cores = std::size_t(1) << 15;

template <typename Real> class HostFft : public FftPlan {
public:
    using Value = std::complex<Real>;

    HostFft(Device& device, const std::array<std::size_t, 3>& extents, std::size_t batch)
        : device_(device), batch_(batch), fft_(extents, batch) {}

    std::string library() const override { return Fft<Real>::version(); }
    void forward(Array& values) override { fft_.forward(numbers<Value>(values)); }
    void backward(Array& values) override { fft_.backward(numbers<Value>(values)); }
    void convolve(const Array& spectra, std::size_t first, Array& values) override {
        convolve_by_verbs(device_, *this, fft_.count(), spectra, first, values);
    }

    void add_convolution(const Convolution& by, const std::vector<Array>& maps, const Array& in,
                         Array& out) override {
        if (fft_.count() < 2) {
            add_convolution_by_verbs(device_, *this, batch_, by, maps, in, out);
            return;
        }
        const bool doubles = !maps[0].empty() && maps[0].element().precision == Precision::float64;
        doubles ? add<double>(by, maps, in, out) : add<float>(by, maps, in, out);
    }

private:
    template <typename Map>
    void add(const Convolution& by, const std::vector<Array>& maps, const Array& in, Array& out) {
        std::vector<const std::complex<Map>*> of_maps;
        for (const Array& map : maps) {
            of_maps.push_back(map.empty() ? nullptr : numbers<std::complex<Map>>(map));
        }
        std::vector<const Value*> factors;
        for (const Box& box : by.boxes) {
            factors.push_back(numbers<Value>(box.factors));
        }
        const Real* const spectra = numbers<Real>(by.spectra);
        const Value* const from = numbers<Value>(in);
        Value* const to = numbers<Value>(out);
        Value* const periods = numbers<Value>(by.periods);
        // The slowest dimension has both parities, whatever the parity of the others.
        const std::size_t passes = divide_up(by.boxes.size(), 2);
        const auto add_of_map = [&](std::size_t c, Value* period, Value* sum, OfCore* alone) {
            for (std::size_t i = 0; i < passes; ++i) {
                const BoxLines<Real, Map> lines(by.boxes[i], factors[i], of_maps[c],
                                                alone == nullptr ? nullptr : alone->rows.data());
                const Real* const even = spectra + i * fft_.count();
                fft_.convolve({even, by.boxes.size() > 1 ? even + passes * fft_.count() : nullptr},
                              {[&](std::size_t first, std::size_t count, Value* values) {
                                   lines.pad({first, count}, from, values);
                               },
                               [&](std::size_t first, std::size_t count, const Value* values) {
                                   lines.crop({first, count}, values, sum);
                               }},
                              period, alone == nullptr ? nullptr : alone->lines.get());
            }
        };
        const std::vector<Range> shares = shares_of(maps.size(), fft_.count());
        const std::size_t cores = std::min(shares.size(), all_cores());
        for (std::size_t core = of_cores_.size(); core < cores; ++core) {
            of_cores_.push_back({fft_.scratch(), std::vector<Value>(3 * by.boxes[0].extents[0])});
        }
        if (shares.size() == 1) {
            for (std::size_t c = 0; c < maps.size(); ++c) {
                const bool is_small = fft_.count() < worth_several_cores;
                add_of_map(c, periods, to, is_small ? &of_cores_[0] : nullptr);
            }
            return;
        }
        sums_.resize(shares.size() * in.count());
        for_each_in_parallel(shares.size(), [&](std::size_t i) {
            Value* const period = periods + i % cores * fft_.count(); // in the cache of its core
            Value* const sum = sums_.data() + i * in.count();
            std::fill_n(sum, in.count(), Value(0));
            for (std::size_t c = shares[i].first; c < shares[i].first + shares[i].count; ++c) {
                add_of_map(c, period, sum, &of_cores_[i % cores]);
            }
        });
        const std::size_t adding = cores_for(shares.size() * in.count());
        for_each_range_in_parallel(in.count(), adding, [&](const Range& some) {
            for (std::size_t i = 0; i < shares.size(); ++i) {
                const Value* const sum = sums_.data() + i * in.count() + some.first;
                std::transform(sum, sum + some.count, to + some.first, to + some.first,
                               std::plus<Value>());
            }
        });
    }

    /// The maps are divided among the cores where a period fits the cache of a core: each core then
    /// has a period and a sum of its own. Else all cores take one map after the other. The number
    /// of shares is the same whatever the number of cores, so that rounding does not depend on it.
    static std::vector<Range> shares_of(std::size_t maps, std::size_t points) {
        constexpr std::size_t most_shares = 16;
        const bool apart = points < worth_all_cores && maps * points >= worth_several_cores;
        return split_into_ranges(maps, divide_up(maps, apart ? std::min(most_shares, maps) : 1));
    }

    Device& device_;
    std::size_t batch_;
    Fft<Real> fft_;
    /// The memory of a core for lines that it convolves, and for rows of x.
    struct OfCore {
        std::shared_ptr<typename Fft<Real>::Scratch> lines;
        std::vector<Value> rows;
    };
    std::vector<OfCore> of_cores_;
    std::vector<Value> sums_; ///< one a share
};

} // namespace

std::unique_ptr<FftPlan> make_host_fft(Device& device, const std::array<std::size_t, 3>& extents,
                                       std::size_t batch, Precision precision) {
    if (precision == Precision::float64) {
        return std::make_unique<HostFft<double>>(device, extents, batch);
    }
    return std::make_unique<HostFft<float>>(device, extents, batch);
}

} // namespace lsrecon
