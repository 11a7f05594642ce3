// Refuses images that are zero, not finite or beyond the range of a file's floats, and names the
// columns of the curves.

#include "scan/image.hpp"

#include <cmath>

#include "base/error.hpp"

namespace lsrecon {

namespace {

/// Returns the smallest normal and the largest finite number that the file's floats or doubles
/// hold.
std::pair<double, double> range_of(Precision precision) {
    const auto of = [](auto number) {
        using Limits = std::numeric_limits<decltype(number)>;
        return std::pair<double, double>(Limits::min(), Limits::max());
    };
    return precision == Precision::float64 ? of(0.0) : of(0.0F);
}

[[noreturn]] void refuse_range(double largest, Precision precision) {
    const auto [least, most] = range_of(precision);
    throw ToleranceError(text(
        "the result's largest value is ", largest, ", which the file's ",
        precision == Precision::float64 ? "doubles" : "floats",
        " do not hold; nothing is written\n  expected: ", least, " to ", most,
        "\n  next:     scale the samples or the coil maps by a power of ten, or choose another "
        "`lambda`"));
}

} // namespace

void require_in_range(double largest, Precision precision) {
    if (!std::isfinite(largest)) {
        throw DeviceError("the result is not finite; nothing is written\n  next:     run 'lsrecon "
                          "check' on the scan and 'lsrecon validate' on this device");
    }
    if (largest > range_of(precision).second) {
        refuse_range(largest, precision);
    }
}

void require_an_image(double largest, Precision precision, const std::string& scan_file) {
    require_in_range(largest, precision);
    if (largest == 0) {
        throw InputError({scan_file, "the result", "zero everywhere; nothing is written",
                          "samples with signal, in coils whose maps are not zero",
                          "run 'lsrecon check' on the scan, and look at its coil maps and at the "
                          "weights of `reg`; 'lsrecon validate' shows whether it is the device"});
    }
    if (largest < range_of(precision).first) {
        refuse_range(largest, precision);
    }
}

const std::vector<std::string>& lambda_curve_columns() {
    static const std::vector<std::string> columns{"lambda", "residual", "solution", "discrepancy"};
    return columns;
}

std::string weight_curve_table(const std::string& regulariser) {
    return "weight_curve_" + regulariser;
}

const std::vector<std::string>& weight_curve_columns() {
    static const std::vector<std::string> columns{"weight", "prediction"};
    return columns;
}

} // namespace lsrecon
