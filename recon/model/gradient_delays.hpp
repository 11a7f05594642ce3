// Delays of gradients and phases of readouts that a scan shows.

#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "encoding/parameter_fit.hpp"
#include "scan/delays.hpp"

namespace lsrecon {

struct ScanInPreparation; // model/steps.hpp
struct ScanToPrepare;
struct StepCost;

/// What the frames of a scan show of delays and phases of their readouts.
struct DelaysFound {
    ParameterFit fit;
    std::vector<std::string> names; ///< of its values
    bool is_radial = false;

    Delays delays() const;
    /// The largest deviation of a delay, in dwell times.
    double deviation() const;
    /// Whether delays can be known from the scan, and whether they explain clearly more of it.
    bool is_known() const;
    bool is_clear() const;
    /// Numbers for the record, by their names.
    std::vector<std::pair<std::string, double>> numbers() const;
};

/// The delays that the first good frame of a scan shows, or several where one is not enough; none
/// where it has no readouts, or no samples but zeros.
std::optional<DelaysFound> find_delays(ScanInPreparation& preparation);

/// The row "delays" of the table of steps.
bool may_have_delays(const ScanInPreparation& preparation);
void correct_delays(ScanInPreparation& preparation);
StepCost cost_of_delays(const ScanToPrepare& scan);

} // namespace lsrecon
