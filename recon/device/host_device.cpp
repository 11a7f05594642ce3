// Implements arrays, and the operations on them, in the host's memory on every core, and opens the
// host's processors as a device.

#include "device/host_device.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>

#include "base/error.hpp"
#include "base/float_range.hpp"
#include "base/linear_algebra.hpp"
#include "base/machine.hpp"
#include "base/numbers.hpp"
#include "device/array.hpp"
#include "device/host_loops.hpp"
#include "device/kernel.hpp"

namespace lsrecon {

namespace {

/// visit(index) for every number, on every core where they are many.
template <typename Visit> void for_each_number(std::size_t count, const Visit& visit) {
    for_each_range_in_parallel(count, cores_for(count), [&](const Range& range) {
        for (std::size_t i = range.first; i < range.first + range.count; ++i) {
            visit(i);
        }
    });
}

/// visit(index, index in its part) for every number of some parts, one after the other.
template <typename Visit>
void for_each_number_of_parts(std::size_t total, std::size_t length, const Visit& visit) {
    for_each_stretch(total, length, cores_for(total),
                     [&](std::size_t part, std::size_t first, std::size_t count) {
                         for (std::size_t i = first; i < first + count; ++i) {
                             visit(part * length + i, i);
                         }
                     });
}

void copy_bytes(const char* from, std::size_t bytes, char* to) {
    for_each_range_in_parallel(bytes, cores_for(bytes / sizeof(float)), [&](const Range& some) {
        std::copy_n(from + some.first, some.count, to + some.first);
    });
}

/// Times a power of two.
template <typename From, typename To>
void round_to(const From* from, std::size_t count, int exponent, To* to) {
    const PowerOfTwo scale(exponent);
    for_each_number(count, [&](std::size_t i) { to[i] = scaled_to<To>(from[i], scale); });
}

/// visit(index in y, value of the map there), for `count` values of the map repeated over y.
template <typename Real, typename Visit> void for_each_with_map(const Array& map, std::size_t first,
                                                                std::size_t count, const Array& y,
                                                                const Visit& visit) {
    in_precision_of(map, [&](auto of_map) {
        const auto* const from = values<decltype(of_map)>(map) + first;
        for_each_number_of_parts(y.count(), count, [&](std::size_t i, std::size_t in_part) {
            visit(i, std::complex<Real>(from[in_part]));
        });
    });
}

/// visit(n, point of n in the period, factors(n) map(n)) for every value of a box, rows of x on
/// these cores.
template <typename Real, typename Visit>
void for_each_value(const Box& box, const Array& map, std::size_t cores, const Visit& visit) {
    using Value = std::complex<Real>;
    const Value* const factors = values<Real>(box.factors);
    const auto visit_row = [&](std::size_t row, const auto* of_map) {
        const std::size_t y = row % box.size[1];
        const std::size_t z = row / box.size[1];
        const std::size_t point =
            (box.point(2, z) * box.extents[1] + box.point(1, y)) * box.extents[0];
        const Value of_row =
            product(factors[box.size[0] + y], factors[box.size[0] + box.size[1] + z]);
        for (std::size_t x = 0; x < box.size[0]; ++x) {
            const std::size_t n = row * box.size[0] + x;
            const Value factor = product(of_row, factors[x]);
            visit(n, point + box.point(0, x),
                  of_map == nullptr ? factor : product(factor, Value(of_map[n])));
        }
    };
    const auto visit_all = [&](const auto* of_map) {
        for_each_range_in_parallel(box.size[1] * box.size[2], cores, [&](const Range& rows) {
            for (std::size_t row = rows.first; row < rows.first + rows.count; ++row) {
                visit_row(row, of_map);
            }
        });
    };
    if (map.empty()) {
        return visit_all(static_cast<const Value*>(nullptr));
    }
    in_precision_of(map, [&](auto of_map) { visit_all(values<decltype(of_map)>(map)); });
}

} // namespace

// --- to and from the device ---------------------------------------------------------------------

void HostDevice::upload(const ComplexVector& from, Array& to) {
    in_precision_of(
        to, [&](auto real) { round_to(from.data(), to.count(), 0, values<decltype(real)>(to)); });
}

void HostDevice::upload(const CoilRows& from, const Range& rows, const Range& columns, int exponent,
                        Array& to) {
    in_precision_of(to, [&](auto real) {
        using Value = std::complex<decltype(real)>;
        const PowerOfTwo scale(exponent);
        Value* const begin = numbers<Value>(to);
        from.visit([&](const auto& all) {
            for_each_stretch(
                to.count(), columns.count, cores_for(to.count()),
                [&](std::size_t row, std::size_t first, std::size_t count) {
                    const auto* const of_row =
                        all.data() + (rows.first + row) * from.columns() + columns.first;
                    for (std::size_t i = first; i < first + count; ++i) {
                        begin[row * columns.count + i] = scaled_to<Value>(of_row[i], scale);
                    }
                });
        });
    });
}

void HostDevice::upload(const RealVector& from, const Range& range, int exponent, Array& to) {
    in_precision_of(to, [&](auto real) {
        round_to(from.data() + range.first, range.count, exponent, numbers<decltype(real)>(to));
    });
}

ComplexVector HostDevice::download(const Array& from, std::size_t first, std::size_t count) {
    ComplexVector result(static_cast<Eigen::Index>(count));
    in_precision_of(from, [&](auto real) {
        round_to(values<decltype(real)>(from) + first, count, 0, result.data());
    });
    return result;
}

void HostDevice::read(const Array& from, std::size_t first, std::size_t count, void* values) {
    const std::size_t bytes = from.element().bytes();
    copy_bytes(numbers<char>(from) + first * bytes, count * bytes, static_cast<char*>(values));
}

void HostDevice::write(const void* values, std::size_t first, std::size_t count, Array& to) {
    const std::size_t bytes = to.element().bytes();
    copy_bytes(static_cast<const char*>(values), count * bytes, numbers<char>(to) + first * bytes);
}

void HostDevice::copy(const Array& from, std::size_t first, Array& to) {
    read(from, first, to.count(), numbers<char>(to));
}

void HostDevice::convert(const Array& from, Array& to) {
    in_precision_of(from, [&](auto of_from) {
        in_precision_of(to, [&](auto of_to) {
            round_to(values<decltype(of_from)>(from), to.count(), 0, values<decltype(of_to)>(to));
        });
    });
}

// --- one number at a time -----------------------------------------------------------------------

void HostDevice::combine(double a, const Array& x, double b, Array& y) {
    in_precision_of(y, [&](auto real) {
        using Real = decltype(real);
        const std::size_t parts = y.element().complex ? 2 : 1;
        const Real* const from = numbers<Real>(x);
        Real* const to = numbers<Real>(y);
        for_each_range_in_parallel(y.count(), cores_for(y.count()), [&](const Range& range) {
            HostRows<Real>::combine(static_cast<Real>(a), from + parts * range.first,
                                    static_cast<Real>(b), to + parts * range.first,
                                    parts * range.count);
        });
    });
}

// Ranges of one length, added up in their order: the same bits on any number of cores.
double HostDevice::dot(const Array& x, const Array& y) {
    constexpr std::size_t numbers_at_a_time = std::size_t(1) << 14;
    return in_precision_of(x, [&](auto real) {
        using Real = decltype(real);
        const Real* const a = numbers<Real>(x);
        const Real* const b = numbers<Real>(y);
        const std::vector<Range> ranges = split_into_ranges(2 * x.count(), numbers_at_a_time);
        std::vector<TwoPartSum> sums(ranges.size());
        for_each_range_in_parallel(ranges.size(), cores_for(x.count()), [&](const Range& some) {
            for (std::size_t i = some.first; i < some.first + some.count; ++i) {
                sums[i] =
                    HostRows<Real>::dot(a + ranges[i].first, b + ranges[i].first, ranges[i].count);
            }
        });
        return total(sums);
    });
}

void HostDevice::multiply(const Array& f, std::size_t first, std::size_t count, Array& y) {
    in_precision_of(y, [&](auto real) {
        using Real = decltype(real);
        std::complex<Real>* const to = values<Real>(y);
        if (f.element().complex) {
            for_each_with_map<Real>(f, first, count, y, [&](std::size_t i, const auto& factor) {
                to[i] = product(factor, to[i]);
            });
            return;
        }
        const Real* const factors = numbers<Real>(f) + first;
        for_each_number_of_parts(y.count(), count, [&](std::size_t i, std::size_t in_part) {
            to[i] *= factors[in_part];
        });
    });
}

void HostDevice::multiply_conjugate(const Array& f, std::size_t first, std::size_t count,
                                    Array& y) {
    in_precision_of(y, [&](auto real) {
        using Real = decltype(real);
        std::complex<Real>* const to = values<Real>(y);
        for_each_with_map<Real>(f, first, count, y, [&](std::size_t i, const auto& factor) {
            to[i] = product(std::conj(factor), to[i]);
        });
    });
}

void HostDevice::add_conjugate_product(const Array& map, const Array& in, std::size_t first,
                                       Array& out) {
    in_precision_of(out, [&](auto real) {
        using Real = decltype(real);
        const std::complex<Real>* const from = values<Real>(in) + first;
        std::complex<Real>* const to = values<Real>(out);
        for_each_with_map<Real>(map, 0, out.count(), out, [&](std::size_t i, const auto& factor) {
            to[i] += product(std::conj(factor), from[i]);
        });
    });
}

void HostDevice::keep_real(const Array& in, double scale, std::size_t first, Array& out) {
    in_precision_of(in, [&](auto real) {
        using Real = decltype(real);
        const std::complex<Real>* const from = values<Real>(in);
        Real* const to = numbers<Real>(out) + first;
        for_each_number(in.count(),
                        [&](std::size_t i) { to[i] = static_cast<Real>(scale) * from[i].real(); });
    });
}

// --- a box in a period --------------------------------------------------------------------------
//
// Boxes that are padded again and again go through FftPlan::add_convolution().

void HostDevice::pad(const Box& box, const Array& map, const Array& in, std::size_t slot,
                     Array& out) {
    in_precision_of(in, [&](auto real) {
        using Real = decltype(real);
        const std::complex<Real>* const from = values<Real>(in);
        std::complex<Real>* const period = values<Real>(out) + slot * box.points();
        for_each_number(box.points(), [&](std::size_t i) { period[i] = 0; });
        // Rows that are further apart than the period come to the same points.
        const bool apart = box.size[1] <= box.extents[1] && box.size[2] <= box.extents[2];
        const std::size_t cores = apart ? cores_for(box.values()) : 1;
        for_each_value<Real>(box, map, cores,
                             [&](std::size_t n, std::size_t point, const auto& factor) {
                                 period[point] += product(factor, from[n]);
                             });
    });
}

void HostDevice::crop(const Box& box, const Array& map, const Array& in, std::size_t slot,
                      Array& out) {
    in_precision_of(in, [&](auto real) {
        using Real = decltype(real);
        const std::complex<Real>* const period = values<Real>(in) + slot * box.points();
        std::complex<Real>* const to = values<Real>(out);
        for_each_value<Real>(box, map, cores_for(box.values()),
                             [&](std::size_t n, std::size_t point, const auto& factor) {
                                 to[n] += product(std::conj(factor), period[point]);
                             });
    });
}

void HostDevice::run(const KernelRun& kernel) {
    kernel.on_host();
}

namespace {

/// Bytes of all arrays of a device, which threads may share.
using BytesInUse = std::atomic<std::size_t>;

/// Zeros on whole pages, counted in `of_all` while they live.
class Memory : public HostNumbers {
public:
    Memory(std::size_t bytes, std::shared_ptr<BytesInUse> of_all)
        : bytes_(bytes), all_bytes_(std::move(of_all)) {
        constexpr std::size_t page = 4096;
        if (::posix_memalign(&begin_, page, std::max<std::size_t>(1, bytes)) != 0) {
            throw DeviceError(text("no memory for an array of ",
                                   divide_up(bytes, std::size_t(1) << 20),
                                   " MiB\n  next:     end other programs, or take a smaller "
                                   "`matrix`"));
        }
        fill_with_zeros(begin_, bytes);
        *all_bytes_ += bytes_;
    }
    ~Memory() override {
        std::free(begin_);
        *all_bytes_ -= bytes_;
    }
    Memory(const Memory&) = delete;
    Memory& operator=(const Memory&) = delete;

    void* begin() override { return begin_; }

private:
    void* begin_ = nullptr;
    std::size_t bytes_;
    std::shared_ptr<BytesInUse> all_bytes_;
};

DeviceInfo info_of_processors(double memory) {
    const double limit = memory_limit().bytes;
    DeviceInfo info;
    info.name = processor_name();
    info.type = "cpu";
    info.double_precision = true;
    info.compute_units = static_cast<unsigned>(all_cores());
    info.clock_mhz = 2600; // about that of any server
    info.global_bytes = static_cast<std::size_t>(memory > 0 ? std::min(memory, limit) : limit);
    info.max_allocation_bytes = info.global_bytes;
    return info;
}

class Processors : public HostDevice {
public:
    explicit Processors(const DeviceInfo& info)
        : HostDevice("host", info, machine_model_of(info)) {}

    double room() const override {
        return memory() - std::min(memory(), static_cast<double>(bytes_->load()));
    }
    Array zeros(std::size_t count, Element element) override {
        return {count, element, std::make_shared<Memory>(count * element.bytes(), bytes_)};
    }

private:
    std::shared_ptr<BytesInUse> bytes_ = std::make_shared<BytesInUse>(0);
};

class DescribedDevice : public HostDevice {
public:
    explicit DescribedDevice(const Machine& machine)
        : HostDevice("opencl", machine.device, machine.model) {}

    bool in_host_memory() const override { return info().type == "cpu"; }
    Array zeros(std::size_t, Element) override {
        throw DeviceError(text(info().name, " is described, not here"));
    }
};

} // namespace

std::unique_ptr<Device> make_processors(double memory) {
    return std::make_unique<Processors>(info_of_processors(memory));
}

std::unique_ptr<Device> make_described_device(const Machine& machine) {
    return std::make_unique<DescribedDevice>(machine);
}

} // namespace lsrecon
