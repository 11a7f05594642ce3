#include "measure/benchmark_limits.hpp"

#include <algorithm>
#include <vector>

namespace lsrecon {

namespace {

/// A unit of a device that computes sine and cosine, and how the table calls it.
struct Trigonometry {
    double DeviceRates::*rate; ///< null when a pair needs none
    const char* unit;
};
constexpr Trigonometry of_library{&DeviceRates::library_pairs, "sin, cos"};
constexpr Trigonometry of_hardware{&DeviceRates::native_pairs, "native"};
constexpr Trigonometry none{nullptr, ""};

/// What a computed pair costs on the device.
struct CostPerPair {
    const char* kernel;
    Trigonometry trigonometry;
    double fhd_multiply_adds; ///< and of F
    double q_multiply_adds;
    /// Counted pairs that one computed pair of F^H d and of F stands for.
    double fhd_pairs = 1;
    double f_pairs = 1;
    double DeviceRates::*multiply_adds = &DeviceRates::multiply_adds;
    const char* unit = "multiply-add";
};

/// Rows of kernels whose parameters, as text, choose another unit of the device.
struct Variant {
    const char* kernel;
    const char* parameter;
    const char* row;
};
constexpr Variant polynomials{"tuned", "TRIGONOMETRY=1", "tuned with polynomials"};
constexpr Variant in_doubles{"separable", "FORM=2", "separable in doubles"};

/// Phase: 3 products of high parts, 3 of low ones, 5 to take off half turns, the factor 2 pi; then
/// the value: 4 for F^H d, 2 for Q. The tuned kernel does on a row what belongs to it: 2 products,
/// 4 for turns and radians; polynomials are 11. It has x -> -x on a lattice, as the separable
/// product, which has no phase.
const std::vector<CostPerPair>& table() {
    static const std::vector<CostPerPair> rows{
        {"naive", of_library, 16, 14},
        {"register", of_library, 16, 14},
        {"constant", of_library, 16, 14},
        {"struct", of_library, 16, 14},
        {"native", of_hardware, 16, 14},
        {"tuned", of_hardware, 10, 8, 2},
        {polynomials.row, none, 21, 19, 2},
        {"separable", none, 4, 2, 2, 2},
        {in_doubles.row, none, 4, 2, 2, 2, &DeviceRates::matrix_multiply_adds, "fp64 matrix"},
    };
    return rows;
}

} // namespace

double stone_operations(const std::string& stage, int dimensions) {
    const double sine = 13;
    const double cosine = 12;
    const double phase = 2 * dimensions;
    return sine + cosine + phase + (stage == "q" ? 4 : 8);
}

Limit limit_of(const std::string& kernel, const std::string& stage, const DeviceRates& rates,
               const std::string& parameters) {
    std::string wanted = kernel;
    for (const Variant& variant : {polynomials, in_doubles}) {
        if (kernel == variant.kernel && parameters.find(variant.parameter) != std::string::npos) {
            wanted = variant.row;
        }
    }
    const auto row = std::find_if(table().begin(), table().end(),
                                  [&](const CostPerPair& cost) { return cost.kernel == wanted; });
    if (row == table().end()) {
        return {};
    }
    const bool is_q = stage == "q";
    const double counted = is_q ? 2 : stage == "f" ? row->f_pairs : row->fhd_pairs;
    Limit limit{counted * rates.*row->multiply_adds /
                    (is_q ? row->q_multiply_adds : row->fhd_multiply_adds),
                row->unit};
    if (row->trigonometry.rate != nullptr) {
        const double pairs = counted * rates.*row->trigonometry.rate;
        if (pairs < limit.pairs_per_second) {
            limit = {pairs, row->trigonometry.unit};
        }
    }
    return limit;
}

} // namespace lsrecon
