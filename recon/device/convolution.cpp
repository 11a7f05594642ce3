#include "device/convolution.hpp"

#include <algorithm>

namespace lsrecon {

void convolve_by_verbs(Device& device, FftPlan& fft, std::size_t points, const Array& spectra,
                       std::size_t first, Array& values) {
    fft.forward(values);
    device.multiply(spectra, first, points, values);
    fft.backward(values);
}

void add_convolution_by_verbs(Device& device, FftPlan& fft, std::size_t batch,
                              const Convolution& by, const std::vector<Array>& maps,
                              const Array& in, Array& out) {
    const std::size_t points = by.boxes.front().points();
    for (std::size_t s = 0; s < by.boxes.size(); ++s) {
        for (std::size_t slot = 0; slot < batch; ++slot) {
            // Slots without a map are filled too, or their values would grow without bound.
            device.pad(by.boxes[s], maps[std::min(slot, maps.size() - 1)], in, slot, by.periods);
        }
        fft.convolve(by.spectra, s * points, by.periods);
        for (std::size_t slot = 0; slot < maps.size(); ++slot) {
            device.crop(by.boxes[s], maps[slot], by.periods, slot, out);
        }
    }
}

} // namespace lsrecon
