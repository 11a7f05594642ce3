#include "stages/fft.hpp"

#include <fftw3.h>
#include <mutex>
#include <thread>

namespace lsrecon {

struct Fft::Plans {
    std::size_t count = 0;
    fftw_plan forward = nullptr;
    fftw_plan backward = nullptr;
};

namespace {

/// FFTW's planner is not safe for threads; running a plan is.
std::mutex& planner() {
    static std::mutex mutex;
    return mutex;
}

void run(fftw_plan plan, ComplexVector& values) {
    auto* const data = reinterpret_cast<fftw_complex*>(values.data());
    fftw_execute_dft(plan, data, data);
}

} // namespace

Fft::Fft(const std::array<std::size_t, 3>& extents) : plans_(std::make_unique<Plans>()) {
    const std::lock_guard<std::mutex> lock(planner());
    static const int threads_ready = fftw_init_threads();
    if (threads_ready != 0) {
        fftw_plan_with_nthreads(
            static_cast<int>(std::max(1U, std::thread::hardware_concurrency())));
    }
    plans_->count = extents[0] * extents[1] * extents[2];
    ComplexVector scratch(static_cast<Eigen::Index>(plans_->count));
    auto* const data = reinterpret_cast<fftw_complex*>(scratch.data());
    const int x = static_cast<int>(extents[0]);
    const int y = static_cast<int>(extents[1]);
    const int z = static_cast<int>(extents[2]);
    // Other arrays may be aligned otherwise than the scratch that was planned on.
    const unsigned flags = FFTW_ESTIMATE | FFTW_UNALIGNED;
    plans_->forward = fftw_plan_dft_3d(z, y, x, data, data, FFTW_FORWARD, flags);
    plans_->backward = fftw_plan_dft_3d(z, y, x, data, data, FFTW_BACKWARD, flags);
}

Fft::~Fft() {
    const std::lock_guard<std::mutex> lock(planner());
    fftw_destroy_plan(plans_->forward);
    fftw_destroy_plan(plans_->backward);
}

void Fft::forward(ComplexVector& values) const {
    run(plans_->forward, values);
}
void Fft::backward(ComplexVector& values) const {
    run(plans_->backward, values);
}
std::size_t Fft::count() const {
    return plans_->count;
}

} // namespace lsrecon
