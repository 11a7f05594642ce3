// Energies of readouts and coils that an image leaves unexplained, and the parts that stand out.

#pragma once

#include <cstddef>
#include <vector>

namespace lsrecon {

/// The energy of each readout or coil, and how much of it an image leaves, a.u.^2.
struct EnergyOfParts {
    std::vector<double> energy;
    std::vector<double> left;

    bool empty() const { return energy.empty(); }
    /// At most 1; also 1 of a part without energy, such as a readout of zeros.
    double share_left(std::size_t part) const {
        return left[part] < energy[part] ? left[part] / energy[part] : 1;
    }
    template <typename Archive> void each(Archive& archive) { archive(energy, left); }
};

/// The readouts that leave a larger share of their energy than those of like energy do: at least
/// four times their median, beyond the scatter of these shares, and 2 %. It is more energy than the
/// mean of all. Readouts of little energy hold noise alone, so that a readout is compared with
/// those next to it in the order of energies. None where more than a quarter would stand out: then
/// the model is wrong.
std::vector<std::size_t> readouts_that_stand_out(const EnergyOfParts& readouts);
/// The coils that stand out: by six times the median and half that scatter. Noise is equal in all
/// coils and at most what the quietest one leaves, which is subtracted first.
std::vector<std::size_t> coils_that_stand_out(const EnergyOfParts& coils);

} // namespace lsrecon
