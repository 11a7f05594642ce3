#include "base/fft.hpp"

#include <fftw3.h>
#include <mutex>
#include <thread>

#include "base/error.hpp"

namespace lsrecon {

namespace {

/// FFTW has one set of functions a precision.
template <typename Real> struct Fftw;

template <> struct Fftw<double> {
    using Plan = fftw_plan;
    using Value = fftw_complex;
    static constexpr auto init_threads = &fftw_init_threads;
    static constexpr auto plan_with_threads = &fftw_plan_with_nthreads;
    static constexpr auto plan = &fftw_plan_many_dft;
    static constexpr auto execute = &fftw_execute_dft;
    static constexpr auto destroy = &fftw_destroy_plan;
    static std::string version() { return fftw_version; }
};

template <> struct Fftw<float> {
    using Plan = fftwf_plan;
    using Value = fftwf_complex;
    static constexpr auto init_threads = &fftwf_init_threads;
    static constexpr auto plan_with_threads = &fftwf_plan_with_nthreads;
    static constexpr auto plan = &fftwf_plan_many_dft;
    static constexpr auto execute = &fftwf_execute_dft;
    static constexpr auto destroy = &fftwf_destroy_plan;
    static std::string version() { return fftwf_version; }
};

/// FFTW's planner is not safe for threads; running a plan is.
std::mutex& planner() {
    static std::mutex mutex;
    return mutex;
}

/// FFTW starts its threads anew at every call, which costs more than a small transform.
constexpr std::size_t worth_threads = 32768;

} // namespace

template <typename Real> struct Fft<Real>::Plans {
    std::size_t count = 0;
    typename Fftw<Real>::Plan forward = nullptr;
    typename Fftw<Real>::Plan backward = nullptr;

    Plans() = default;
    Plans(const Plans&) = delete;
    Plans& operator=(const Plans&) = delete;
    /// The caller of the destructor holds the planner's lock.
    ~Plans() {
        for (const typename Fftw<Real>::Plan plan : {forward, backward}) {
            if (plan != nullptr) {
                Fftw<Real>::destroy(plan);
            }
        }
    }

    static void run(typename Fftw<Real>::Plan plan, std::complex<Real>* values) {
        auto* const data = reinterpret_cast<typename Fftw<Real>::Value*>(values);
        Fftw<Real>::execute(plan, data, data);
    }
};

template <typename Real>
Fft<Real>::Fft(const std::array<std::size_t, 3>& extents, std::size_t batch)
    : plans_(std::make_unique<Plans>()) {
    using Library = Fftw<Real>;
    const std::lock_guard<std::mutex> lock(planner());
    plans_->count = extents[0] * extents[1] * extents[2];
    static const int threads_ready = Library::init_threads();
    if (threads_ready != 0) {
        const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
        Library::plan_with_threads(batch * plans_->count < worth_threads ? 1
                                                                         : static_cast<int>(cores));
    }
    const std::array<int, 3> slowest_first{
        static_cast<int>(extents[2]), static_cast<int>(extents[1]), static_cast<int>(extents[0])};
    // FFTW_ESTIMATE plans without touching the values: any address will do. Arrays may be aligned
    // in any way.
    typename Library::Value scratch{};
    const auto plan = [&](int direction) {
        const int distance = static_cast<int>(plans_->count);
        return Library::plan(3, slowest_first.data(), static_cast<int>(batch), &scratch, nullptr, 1,
                             distance, &scratch, nullptr, 1, distance, direction,
                             FFTW_ESTIMATE | FFTW_UNALIGNED);
    };
    plans_->forward = plan(FFTW_FORWARD);
    plans_->backward = plan(FFTW_BACKWARD);
    if (plans_->forward == nullptr || plans_->backward == nullptr) {
        plans_.reset(); // while the planner is locked
        throw DeviceError(text("FFTW made no plan for ", extents[0], " x ", extents[1], " x ",
                               extents[2],
                               " values\n  next:     use a machine with more memory, "
                               "or report a bug when there is enough"));
    }
}

template <typename Real> Fft<Real>::~Fft() {
    const std::lock_guard<std::mutex> lock(planner());
    plans_.reset();
}

template <typename Real> void Fft<Real>::forward(std::complex<Real>* values) const {
    Plans::run(plans_->forward, values);
}
template <typename Real> void Fft<Real>::backward(std::complex<Real>* values) const {
    Plans::run(plans_->backward, values);
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
