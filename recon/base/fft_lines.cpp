#include "base/fft_lines.hpp"

#include <mutex>

#include "base/error.hpp"

namespace lsrecon {

namespace {

/// FFTW's planner is not safe for threads; running a plan is.
std::mutex& planner() {
    static std::mutex mutex;
    return mutex;
}

} // namespace

template <typename Real> LinePlans<Real>::LinePlans(const LineShape& shape) {
    using Raw = typename Fftw<Real>::Value;
    LineBlock<Real> from(shape);
    LineBlock<Real> to(shape);
    const int length = static_cast<int>(shape.length);
    const int distance = static_cast<int>(shape.template distance<Real>());
    const auto plan = [&](int direction) {
        return Owned(Fftw<Real>::plan(1, &length, static_cast<int>(together),
                                      reinterpret_cast<Raw*>(from.data()), nullptr, 1, distance,
                                      reinterpret_cast<Raw*>(to.data()), nullptr, 1, distance,
                                      direction, FFTW_ESTIMATE | FFTW_PRESERVE_INPUT));
    };
    {
        const std::lock_guard<std::mutex> lock(planner());
        forward_ = plan(FFTW_FORWARD);
        backward_ = plan(FFTW_BACKWARD);
    }
    if (!forward_ || !backward_) {
        throw DeviceError(text("FFTW made no plan for ", length,
                               " values\n  next:     use a machine with more memory, or report a "
                               "bug when there is enough"));
    }
}

template <typename Real>
void LinePlans<Real>::Destroy::operator()(std::remove_pointer_t<Plan>* plan) const {
    const std::lock_guard<std::mutex> lock(planner());
    Fftw<Real>::destroy(plan);
}

template class LinePlans<double>;
template class LinePlans<float>;

} // namespace lsrecon
