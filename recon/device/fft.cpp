// Runs convolutions by padding, FFT and product, and computes the FFT of arrays in the host's
// memory.

#include <algorithm>
#include <functional>
#include <optional>
#include <vector>

#include "base/fft.hpp"
#include "base/linear_algebra.hpp"
#include "base/parallel.hpp"
#include "device/array.hpp"
#include "device/device.hpp"
#include "device/host_device.hpp"
#include "device/host_loops.hpp"

namespace lsrecon {

void FftPlan::convolve(const Array& spectra, std::size_t first, Array& values) {
    forward(values);
    device_.multiply(spectra, first, points_, values);
    backward(values);
}

void FftPlan::add_convolution(const Convolution& by, const std::vector<Array>& maps,
                              const Array& in, Array& out) {
    for (std::size_t s = 0; s < by.boxes.size(); ++s) {
        for (std::size_t slot = 0; slot < batch_; ++slot) {
            // Slots without a map are filled too, or their values would grow without bound.
            device_.pad(by.boxes[s], maps[std::min(slot, maps.size() - 1)], in, slot, by.periods);
        }
        convolve(by.spectra, s * points_, by.periods);
        for (std::size_t slot = 0; slot < maps.size(); ++slot) {
            device_.crop(by.boxes[s], maps[slot], by.periods, slot, out);
        }
    }
}

namespace {

/// The work of pad and crop (recon/device/device.hpp), some rows of x at a time, in the host's
/// memory: for boxes that begin at 0 and are no longer than their period. Maps may be in another
/// precision.
template <typename Real, typename Map> class BoxLines {
public:
    using Value = std::complex<Real>;

    /// `factors` are those of the box. A null map stands for 1. `memory` is for two rows of x of
    /// the only thread that calls; null where several do.
    BoxLines(const Box& box, const Value* factors, const std::complex<Map>* map,
             Value* memory = nullptr)
        : box_(box), factors_(factors), map_(map), memory_(memory),
          plain_(std::all_of(factors, factors + box.size[0] + box.size[1] + box.size[2],
                             [](const Value& factor) { return factor == Value(1); })) {}

    /// Points of the period: factors(n) map(n) in(n), and 0 where no value is.
    void pad(const Range& points, const Value* in, Value* out) const {
        for_each_row(points, [&](const Row& row, Value* with_factors) {
            Value* const to = out + row.first;
            if (!row.inside) {
                std::fill_n(to, box_.extents[0], Value(0));
                return;
            }
            const Value* values = in + row.n;
            if (row.factors != nullptr) {
                Of::multiply(row.factors, values, with_factors, length());
                values = with_factors;
            }
            if (map_ != nullptr) {
                Of::multiply(map_ + row.n, values, to, length());
            } else {
                std::copy_n(values, length(), to);
            }
            std::fill(to + length(), to + box_.extents[0], Value(0));
        });
    }
    /// out(n) += conj(factors(n) map(n)) times the points of the period; or = with `first`.
    void crop(const Range& points, const Value* in, Value* out, bool first) const {
        for_each_row(points, [&](const Row& row, Value* with_factors) {
            if (!row.inside) {
                return;
            }
            const Value* values = in + row.first;
            if (row.factors != nullptr) {
                Of::multiply_conjugate(row.factors, values, with_factors, length());
                values = with_factors;
            }
            Value* const to = out + row.n;
            if (map_ != nullptr && first) {
                Of::multiply_conjugate(map_ + row.n, values, to, length());
            } else if (map_ != nullptr) {
                Of::add_conjugate_product(map_ + row.n, values, to, length());
            } else if (first) {
                std::copy_n(values, length(), to);
            } else {
                std::transform(values, values + length(), to, to, std::plus<Value>());
            }
        });
    }

private:
    using Of = ComplexRows<Real>;
    struct Row {
        std::size_t first; ///< point, counted from those that are asked for
        bool inside; ///< the box
        std::size_t n; ///< its first value
        const Value* factors; ///< or null, for 1
    };

    std::size_t length() const { return box_.size[0]; }

    /// visit(row, memory for as many values)
    template <typename Visit> void for_each_row(const Range& points, const Visit& visit) const {
        std::vector<Value> own(memory_ == nullptr ? 2 * length() : 0);
        Value* const memory = memory_ == nullptr ? own.data() : memory_;
        Value* const factors = memory + length();
        std::optional<Value> known; // those of y and z in the factors
        for (std::size_t first = 0; first < points.count; first += box_.extents[0]) {
            const std::size_t yz = (points.first + first) / box_.extents[0];
            const std::size_t y = yz % box_.extents[1];
            const std::size_t z = yz / box_.extents[1];
            const bool inside = y < box_.size[1] && z < box_.size[2];
            if (inside && !plain_) {
                const Value of_yz =
                    product(factors_[length() + y], factors_[length() + box_.size[1] + z]);
                if (!known || of_yz != *known) {
                    std::transform(factors_, factors_ + length(), factors,
                                   [&](const Value& of_x) { return product(of_yz, of_x); });
                    known = of_yz;
                }
            }
            visit({first, inside, (z * box_.size[1] + y) * length(), plain_ ? nullptr : factors},
                  memory);
        }
    }

    const Box& box_;
    const Value* factors_;
    const std::complex<Map>* map_;
    Value* const memory_;
    bool plain_; ///< all factors are 1
};

/// Points of a period that give every core enough to do, and of all periods that give several.
constexpr std::size_t worth_all_cores = std::size_t(1) << 18;
constexpr std::size_t worth_several_cores = std::size_t(1) << 15;

template <typename Real> class HostFft : public FftPlan {
public:
    using Value = std::complex<Real>;

    HostFft(Device& device, const GridSize& extents, std::size_t batch)
        : FftPlan(device, extents[0] * extents[1] * extents[2], batch), fft_(extents, batch) {}

    std::string library() const override { return Fft<Real>::version(); }
    void forward(Array& values) override { fft_.forward(numbers<Value>(values)); }
    void backward(Array& values) override { fft_.backward(numbers<Value>(values)); }

    void add_convolution(const Convolution& by, const std::vector<Array>& maps, const Array& in,
                         Array& out) override {
        if (fft_.count() < 2) {
            FftPlan::add_convolution(by, maps, in, out);
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
        // The slowest dimension has both parities, whatever the parity of the others; the faster of
        // two, too.
        const std::size_t passes = divide_up(by.boxes.size(), 2);
        const bool both = passes == 2 && by.periods.count() >= 2 * fft_.count();
        const auto spectra_of = [&](std::size_t pass) -> typename Fft<Real>::Spectra {
            const Real* const even = spectra + pass * fft_.count();
            return {even, by.boxes.size() > 1 ? even + passes * fft_.count() : nullptr};
        };
        const auto add_of_map = [&](std::size_t c, Value* period, Value* sum, bool is_first,
                                    OfCore* alone) {
            for (std::size_t i = 0; i < passes; i += both ? 2 : 1) {
                const BoxLines<Real, Map> lines(by.boxes[i], factors[i], of_maps[c],
                                                alone == nullptr ? nullptr : alone->rows.data());
                const auto of_odd = spectra_of(both ? 1 : 0);
                const bool first = is_first && i == 0;
                fft_.convolve(
                    spectra_of(i), both ? &of_odd : nullptr,
                    {[&](std::size_t first_point, std::size_t count, Value* values) {
                         lines.pad({first_point, count}, from, values);
                     },
                     [&](std::size_t first_point, std::size_t count, const Value* values) {
                         lines.crop({first_point, count}, values, sum, first);
                     }},
                    period, alone == nullptr ? nullptr : alone->lines.get());
            }
        };
        const std::size_t of_core = (both ? 2 : 1) * fft_.count();
        const std::vector<Range> shares = shares_of(maps.size(), fft_.count());
        const std::size_t cores =
            std::min({shares.size(), all_cores(), by.periods.count() / of_core});
        for (std::size_t core = of_cores_.size(); core < cores; ++core) {
            of_cores_.push_back({fft_.scratch(), std::vector<Value>(2 * by.boxes[0].extents[0])});
        }
        if (shares.size() == 1) {
            for (std::size_t c = 0; c < maps.size(); ++c) {
                const bool is_small = cores_for_fft(fft_.count()) == 1;
                add_of_map(c, periods, to, false, is_small ? &of_cores_[0] : nullptr);
            }
            return;
        }
        sums_.resize(shares.size() * in.count());
        for_each_in_parallel(cores, [&](std::size_t core) {
            Value* const period = periods + core * of_core; // in its cache
            for (std::size_t i = core; i < shares.size(); i += cores) {
                const Range& share = shares[i];
                Value* const sum = sums_.data() + i * in.count();
                for (std::size_t c = share.first; c < share.first + share.count; ++c) {
                    add_of_map(c, period, sum, c == share.first, &of_cores_[core]);
                }
            }
        });
        const std::size_t adding = cores_for(shares.size() * in.count());
        for_each_range_in_parallel(in.count(), adding, [&](const Range& some) {
            constexpr std::size_t in_cache = 1024;
            for (const Range& few : split_into_ranges(some.count, in_cache)) {
                const std::size_t first = some.first + few.first;
                for (std::size_t i = 0; i < shares.size(); ++i) {
                    const Value* const sum = sums_.data() + i * in.count() + first;
                    std::transform(sum, sum + few.count, to + first, to + first,
                                   std::plus<Value>());
                }
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

std::unique_ptr<FftPlan> HostDevice::plan_fft(const GridSize& extents, std::size_t batch,
                                              Precision precision, const std::array<Range, 3>&) {
    if (precision == Precision::float64) {
        return std::make_unique<HostFft<double>>(*this, extents, batch);
    }
    return std::make_unique<HostFft<float>>(*this, extents, batch);
}

} // namespace lsrecon
