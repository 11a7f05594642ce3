#include "base/fft.hpp"

#include <algorithm>
#include <fftw3.h>
#include <mutex>

#include "base/error.hpp"
#include "base/parallel.hpp"
#include "base/ranges.hpp"

namespace lsrecon {

namespace {

/// FFTW has one set of functions a precision.
template <typename Real> struct Fftw;

template <> struct Fftw<double> {
    using Plan = fftw_plan;
    using Value = fftw_complex;
    static constexpr auto plan = &fftw_plan_many_dft;
    static constexpr auto execute = &fftw_execute_dft;
    static constexpr auto destroy = &fftw_destroy_plan;
    static constexpr auto allocate = &fftw_malloc;
    static constexpr auto release = &fftw_free;
    static constexpr auto alignment = &fftw_alignment_of;
    static std::string version() { return fftw_version; }
};

template <> struct Fftw<float> {
    using Plan = fftwf_plan;
    using Value = fftwf_complex;
    static constexpr auto plan = &fftwf_plan_many_dft;
    static constexpr auto execute = &fftwf_execute_dft;
    static constexpr auto destroy = &fftwf_destroy_plan;
    static constexpr auto allocate = &fftwf_malloc;
    static constexpr auto release = &fftwf_free;
    static constexpr auto alignment = &fftwf_alignment_of;
    static std::string version() { return fftwf_version; }
};

/// FFTW's planner is not safe for threads; running a plan is.
std::mutex& planner() {
    static std::mutex mutex;
    return mutex;
}

/// Lines that are transformed together, beside each other in memory of their own: as many doubles
/// as two lines of a cache. FFTW's own way over columns, when it does not measure, takes 3 to 20
/// times as long (256 x 256), and what it chooses when it measures differs from run to run.
constexpr std::size_t together = 8;

/// Starting threads costs more than a small transform.
constexpr std::size_t worth_threads = 32768;

/// As memory of FFTW's own is.
template <typename Real> bool is_aligned(std::complex<Real>* values) {
    return Fftw<Real>::alignment(reinterpret_cast<Real*>(values)) == 0;
}

/// `together` lines of some length, aligned for FFTW.
template <typename Real> class Lines {
public:
    explicit Lines(std::size_t length)
        : length_(length), values_(static_cast<std::complex<Real>*>(Fftw<Real>::allocate(
                               together * length * sizeof(std::complex<Real>)))) {
        if (!values_) {
            throw std::bad_alloc();
        }
        std::fill_n(values_.get(), together * length, std::complex<Real>(0));
    }

    /// `count` lines, whose values are `step` apart: beside each other, or one after the other
    /// where that is 1.
    void gather(const std::complex<Real>* from, std::size_t step, std::size_t count) {
        if (step == 1) {
            std::copy_n(from, count * length_, values_.get());
            return;
        }
        for (std::size_t n = 0; n < length_; ++n) {
            for (std::size_t line = 0; line < count; ++line) {
                values_.get()[line * length_ + n] = from[n * step + line];
            }
        }
    }
    void scatter(std::complex<Real>* to, std::size_t step, std::size_t count) const {
        if (step == 1) {
            std::copy_n(values_.get(), count * length_, to);
            return;
        }
        for (std::size_t n = 0; n < length_; ++n) {
            for (std::size_t line = 0; line < count; ++line) {
                to[n * step + line] = values_.get()[line * length_ + n];
            }
        }
    }
    typename Fftw<Real>::Value* data() {
        return reinterpret_cast<typename Fftw<Real>::Value*>(values_.get());
    }

private:
    struct Release {
        void operator()(std::complex<Real>* values) const { Fftw<Real>::release(values); }
    };
    std::size_t length_;
    std::unique_ptr<std::complex<Real>, Release> values_;
};

/// Calls work for ranges that `count` is divided into, one a core.
template <typename Work> void in_parallel(std::size_t count, bool worth_it, const Work& work) {
    const std::size_t cores = worth_it ? std::max(1U, std::thread::hardware_concurrency()) : 1;
    const std::vector<Range> ranges = split_into_ranges(count, divide_up(count, cores));
    for_each_in_parallel(ranges.size(), [&](std::size_t i) { work(ranges[i]); });
}

} // namespace

/// Along one dimension after the other.
template <typename Real> struct Fft<Real>::Plans {
    struct Dimension {
        std::size_t length;
        std::size_t step; ///< from one value of a line to the next
        typename Fftw<Real>::Plan forward = nullptr;
        typename Fftw<Real>::Plan backward = nullptr;
    };
    using Plan = typename Fftw<Real>::Plan Dimension::*;
    std::size_t count = 1; ///< values of an array
    std::size_t batch = 1;
    std::vector<Dimension> dimensions; ///< longer than 1

    Plans() = default;
    Plans(const Plans&) = delete;
    Plans& operator=(const Plans&) = delete;
    /// The caller of the destructor holds the planner's lock.
    ~Plans() {
        for (const Dimension& of : dimensions) {
            for (const typename Fftw<Real>::Plan plan : {of.forward, of.backward}) {
                if (plan != nullptr) {
                    Fftw<Real>::destroy(plan);
                }
            }
        }
    }

    /// `values` are those of whole arrays. Lines begin one after the other where a line's values do
    /// not lie between their beginnings.
    static void along(const Dimension& of, Plan plan, std::complex<Real>* values,
                      std::size_t all_values, bool worth_threads_of_its_own) {
        const std::size_t group = of.step == 1 ? all_values / of.length : of.step;
        const std::size_t blocks = divide_up(group, together);
        const std::size_t groups = all_values / (group * of.length);
        in_parallel(groups * blocks, worth_threads_of_its_own, [&](const Range& range) {
            Lines<Real> lines(of.length);
            for (std::size_t i = range.first; i < range.first + range.count; ++i) {
                const std::size_t line = i % blocks * together;
                std::complex<Real>* const first =
                    values + i / blocks * group * of.length + line * (of.step == 1 ? of.length : 1);
                const std::size_t here = std::min(together, group - line);
                if (of.step == 1 && here == together && is_aligned<Real>(first)) {
                    auto* const in_place = reinterpret_cast<typename Fftw<Real>::Value*>(first);
                    Fftw<Real>::execute(of.*plan, in_place, in_place);
                    continue;
                }
                lines.gather(first, of.step, here);
                Fftw<Real>::execute(of.*plan, lines.data(), lines.data());
                lines.scatter(first, of.step, here);
            }
        });
    }

    void run(Plan plan, std::complex<Real>* values) const {
        const bool worth_it = batch * count >= worth_threads;
        if (worth_it && batch >= std::thread::hardware_concurrency()) {
            in_parallel(batch, true, [&](const Range& arrays) {
                for (std::size_t i = arrays.first; i < arrays.first + arrays.count; ++i) {
                    for (const Dimension& of : dimensions) { // an array may fit into a cache
                        along(of, plan, values + i * count, count, false);
                    }
                }
            });
            return;
        }
        for (const Dimension& of : dimensions) {
            along(of, plan, values, batch * count, worth_it);
        }
    }
};

template <typename Real>
Fft<Real>::Fft(const std::array<std::size_t, 3>& extents, std::size_t batch)
    : plans_(std::make_unique<Plans>()) {
    using Library = Fftw<Real>;
    plans_->batch = batch;
    for (const std::size_t extent : extents) {
        if (extent != 1) {
            plans_->dimensions.push_back({extent, plans_->count});
        }
        plans_->count *= extent;
    }
    const std::lock_guard<std::mutex> lock(planner());
    for (typename Plans::Dimension& of : plans_->dimensions) {
        Lines<Real> lines(of.length);
        const int length = static_cast<int>(of.length);
        const auto plan = [&](int direction) {
            return Library::plan(1, &length, static_cast<int>(together), lines.data(), nullptr, 1,
                                 length, lines.data(), nullptr, 1, length, direction,
                                 FFTW_ESTIMATE);
        };
        of.forward = plan(FFTW_FORWARD);
        of.backward = plan(FFTW_BACKWARD);
        if (of.forward == nullptr || of.backward == nullptr) {
            plans_.reset(); // while the planner is locked
            throw DeviceError(text("FFTW made no plan for ", length,
                                   " values\n  next:     use a machine with more memory, "
                                   "or report a bug when there is enough"));
        }
    }
}

template <typename Real> Fft<Real>::~Fft() {
    const std::lock_guard<std::mutex> lock(planner());
    plans_.reset();
}

template <typename Real> void Fft<Real>::forward(std::complex<Real>* values) const {
    plans_->run(&Plans::Dimension::forward, values);
}
template <typename Real> void Fft<Real>::backward(std::complex<Real>* values) const {
    plans_->run(&Plans::Dimension::backward, values);
}
template <typename Real> std::size_t Fft<Real>::count() const {
    return plans_->count;
}
template <typename Real> std::string Fft<Real>::version() {
    return Fftw<Real>::version();
}

template class Fft<double>;
template class Fft<float>;

} // namespace lsrecon
