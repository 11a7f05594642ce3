#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "scan/scan.hpp"

namespace lsrecon {

/// Relative residuals of the solver, one history a problem: before every iteration and at the end.
using ResidualHistories = std::vector<std::vector<double>>;

/// What ended the iterations; a solve that diverges is an error and gives no image.
enum class Stop { tolerance, iterations };

struct ImageFrame {
    ComplexVector values; ///< N, x fastest; empty where they are kept elsewhere
    std::string label;
    std::optional<Vec3> position; ///< centre of the grid in mm (LPS), where frames differ
    ResidualHistories residuals;
    std::string solver = {}; ///< what solved it, "" when nothing was solved
    std::vector<Stop> stops = {}; ///< one a problem
    double late_change = 0; ///< relative, by the last iterations: solve/late_change.hpp
    double explained = 0; ///< share of ||d||^2 that F rho explains, 0 where that is not known
    double unexplained = 0; ///< the rest, in units of the noise's expected energy; 0 without noise
    double resolved_lambda = 0; ///< of all problems, and
    double image_error = 0; ///< estimated: solve/summary.hpp
    std::string error = {}; ///< why there is no such frame; "" where there is one

    bool failed() const { return !error.empty(); }
};

/// Rows of numbers of the record.
struct RecordTable {
    std::string name;
    std::vector<std::string> columns;
    std::vector<double> values; ///< a row after the other
};

/// The reconstructed frames and the record of how they were made.
struct Image {
    Grid grid;
    /// Where the scan lists voxels: one value for each of these positions, in fields of view.
    std::optional<std::vector<Vec3>> voxels;
    std::vector<ImageFrame> frames;
    std::vector<std::pair<std::string, std::string>> record; ///< option or fact, and its value
    std::vector<std::pair<std::string, double>> stage_seconds;
    std::vector<std::pair<std::string, double>> numbers = {}; ///< measured, for the record
    RealVector noise_map = {}; ///< N, standard deviation of the noise, a.u.; empty for none
    RealVector g_factor = {}; ///< N; empty for none
    std::vector<RecordTable> tables = {};
};

/// The values of an image a frame at a time, x fastest, as its file holds them.
using ImageValues = std::vector<std::complex<float>>;
using FrameValues = std::function<ImageValues(std::size_t frame)>;

inline ImageValues to_floats(const ComplexVector& values) {
    ImageValues result(static_cast<std::size_t>(values.size()));
    for (std::size_t n = 0; n < result.size(); ++n) {
        result[n] = std::complex<float>(values(static_cast<Eigen::Index>(n)));
    }
    return result;
}

/// Of an image that holds its values; it must outlive them.
inline FrameValues values_of(const Image& image) {
    return [&image](std::size_t frame) { return to_floats(image.frames[frame].values); };
}

/// An image of the scan's grid and no frame yet.
inline Image empty_image(const Scan& scan) {
    return {scan.grid, scan.voxels, {}, {}, {}, {}};
}

} // namespace lsrecon
