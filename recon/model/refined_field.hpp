// The correction of a field map that the scan itself shows.

#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/finding.hpp"
#include "encoding/parameter_fit.hpp"
#include "scan/slice.hpp"

namespace lsrecon {

/// What the first good frame of a slice shows of its field map.
struct SliceRefinement {
    ParameterFit fit;
    double size = 0; ///< Hz, root mean square of the correction where the image has signal
    /// Hz, that of the correction's noise; errors of its few samples and iterations are larger.
    double deviation = 0;
    RealVector correction; ///< N, Hz

    /// Whether the correction explains clearly more of the samples.
    bool is_clear() const;
};

/// By the samples of the centre of k-space, as far as these are few. `model` is that of the frame.
SliceRefinement refine_field(Transforms& transforms, const Scan& scan, const Model& model,
                             const Frame& frame);

/// The slices of a scan whose maps are to be refined.
class FieldRefinements {
public:
    void add(const SliceRefinement& of);
    /// The numbers of all slices together, for the record.
    std::vector<std::pair<std::string, double>> numbers() const;
    /// Whether maps were refined or stay; none where no slice was looked at.
    Findings findings() const;

private:
    std::size_t slices_ = 0;
    std::size_t refined_ = 0;
    double energy_ = 0, left_before_ = 0, left_ = 0;
    double size_ = 0; ///< Hz, the largest
};

} // namespace lsrecon
