// Images, how they were made, and where their frames go.

#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/computation.hpp"
#include "base/error.hpp"
#include "scan/parts.hpp"
#include "scan/scan.hpp"

namespace lsrecon {

/// A relative L2 error that was measured at random points.
struct ErrorEstimate {
    double estimate = 0;
    double upper = 0; ///< not exceeded, with a confidence of 97.5 %
    template <typename Archive> void each(Archive& archive) { archive(estimate, upper); }
};

/// The errors of what a frame is made of, and what they do to its image
/// (encoding/certificate.hpp).
struct Certificate {
    ErrorEstimate fhd;
    ErrorEstimate gram; ///< errors of Q
    /// Errors of the image from both, with a confidence of 95 %; 0 where they are not known.
    ErrorEstimate image;
    double voxels = 0; ///< number of voxels at which F^H d was computed exactly; 0 for none
    double spread = 0; ///< ||Q|| / (Q(0) 2^(D/2)), of D dimensions
    template <typename Archive> void each(Archive& archive) {
        archive(fhd, gram, image, voxels, spread);
    }
};

/// What `conjugate_symmetry` found in a frame (model/conjugate_symmetry.hpp).
struct SymmetryOfFrame {
    bool is_partial = false; ///< whether k-space ends nearer to its centre on one side
    double asymmetry = 0; ///< imaginary over real energy, once a smooth phase is out
    double filled = 0; ///< share of conjugates in what was not sampled; 0 where none are taken
    template <typename Archive> void each(Archive& archive) {
        archive(is_partial, asymmetry, filled);
    }
};

struct ImageFrame {
    ComplexVector values; ///< N, x fastest; empty where they are kept elsewhere
    std::string label;
    std::optional<Vec3> position; ///< centre of the grid in mm (LPS), where frames differ
    ResidualHistories residuals;
    std::string solver = {}; ///< what solved it, "" when nothing was solved
    std::vector<Stop> stops = {}; ///< one a problem
    double late_change = 0; ///< relative, by the last iterations: solve/residuals.hpp
    double explained = 0; ///< share of ||d||^2 that F rho explains, 0 where that is not known
    double unexplained = 0; ///< the rest, in units of the noise's expected energy; 0 without noise
    double noise = 0; ///< share of ||d||^2 that is noise at most, where none was measured; else 0
    /// Share of ||d||^2 that an image without regularisation leaves, where more is left than noise
    /// is likely to leave; else 0.
    double left_by_model = 0;
    EnergyOfParts readouts = {}; ///< none where their ends are not known
    EnergyOfParts coils = {}; ///< none where the samples were released before
    double resolved_lambda = 0; ///< smallest lambda that all problems resolve
    double image_error = 0; ///< estimated: encoding/summary.hpp
    Certificate certificate = {};
    double maps_scale = 1; ///< what coil maps were divided by; values are of maps as they were
    SymmetryOfFrame symmetry = {};
    std::string error = {}; ///< why there is no such frame; "" where there is one

    bool failed() const { return !error.empty(); }
    /// All members but the values, and the label and position, which the scan knows.
    template <typename Archive> void each(Archive& archive) {
        archive(residuals, solver, stops, late_change, explained, unexplained, noise, left_by_model,
                readouts, coils, resolved_lambda, image_error, certificate, maps_scale, symmetry,
                error);
    }
};

/// Facts and their values, for the record.
using Record = std::vector<std::pair<std::string, std::string>>;

/// The unit of an image other than that of its scan, in the record: SNR, where each part of the
/// noise has a standard deviation of 1.
constexpr const char* image_unit = "image_unit";
constexpr const char* unit_of_snr = "SNR";

/// Rows of numbers of the record.
struct RecordTable {
    std::string name;
    std::vector<std::string> columns;
    std::vector<double> values; ///< a row after the other
};

/// The reconstructed frames and the record of how they were made.
struct Image {
    Grid grid;
    /// The positions of the voxels in fields of view, one a value, where the scan lists voxels.
    std::optional<std::vector<Vec3>> voxels;
    std::vector<ImageFrame> frames;
    Record record; ///< option or fact, and its value
    std::vector<std::pair<std::string, double>> stage_seconds;
    std::vector<std::pair<std::string, double>> numbers = {}; ///< measured, for the record
    RealVector noise_map = {}; ///< N, standard deviation of the noise, a.u.; empty for none
    RealVector g_factor = {}; ///< N; empty for none
    std::vector<RecordTable> tables = {};
    /// How many frames are images of the coils of one, coil after coil; 1 where they are combined.
    std::size_t coils = 1;
};

/// Checks that values up to this largest |real or imaginary part| are an image: DeviceError for
/// values that no scan explains; InputError, which names the scan, for zeros; ToleranceError for
/// sound values that the file's numbers cannot hold.
void require_an_image(double largest, Precision precision = Precision::float32,
                      const std::string& scan_file = "");
/// The check of a part of an image, which may be small or zeros.
void require_in_range(double largest, Precision precision);

/// The table of the choice of lambda, /record/lambda_curve, and the meaning of its columns.
constexpr const char* lambda_curve_table = "lambda_curve";
const std::vector<std::string>& lambda_curve_columns();

/// The value of `lambda_rule` or `weight_rule` in records: samples that were held out chose it.
constexpr const char* held_out_rule = "held out";
/// How lambda or the weight of a regulariser was chosen by held-out samples:
/// /record/weight_curve_NAME, and what its columns are.
std::string weight_curve_table(const std::string& regulariser);
const std::vector<std::string>& weight_curve_columns();

/// What a frame leaves of each "readout" or "coil": /record/unexplained_by_readout, and its
/// columns.
inline std::string unexplained_table(const std::string& part) {
    return "unexplained_by_" + part;
}
inline std::vector<std::string> unexplained_columns(const std::string& part) {
    return {"frame", part, "unexplained", "energy"};
}

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

/// The values of an image that holds them; the image must outlive the function.
inline FrameValues values_of(const Image& image) {
    return [&image](std::size_t frame) { return to_floats(image.frames[frame].values); };
}

/// An image of the scan's grid and no frame yet.
inline Image empty_image(const Scan& scan) {
    return {scan.grid, scan.voxels, {}, {}, {}, {}};
}

/// The destination of finished frames: a file (reconstruct_file.hpp) or a caller.
class ImageSink {
public:
    virtual ~ImageSink() = default;

    /// Checks the scan before any work, as it is transformed. InputError when the sink cannot hold
    /// its image.
    virtual void check(const Scan& /*scan*/) {}
    /// What an earlier run, which is continued, had chosen by the samples of this scan, as
    /// keep_chosen() was given it; "" for none. After check().
    virtual std::string chosen(const Scan& /*scan*/) { return ""; }
    virtual void keep_chosen(std::string /*bytes*/) {}
    /// Begins before the first frame, with the settings of the solve. `by_frame` is whether each
    /// frame is solved alone: one that is put is done with. The scan has all of its findings.
    virtual void begin(const Scan& /*scan*/, const Record& /*settings*/, bool /*by_frame*/) {}
    /// The entry of a frame that need not be solved again; nothing for all others.
    virtual std::optional<ImageFrame> finished(std::size_t /*frame*/) { return std::nullopt; }
    /// A frame that is solved. Errors are those of the frame, but for RunError.
    virtual void put(std::size_t frame, ImageFrame image) = 0;
    /// Ends after the last frame, with all that is known of the image but its values and the
    /// record.
    virtual void end(const Scan& /*scan*/, const Image& /*about*/, const ComputedBy& /*by*/) {}
};

/// Hands each frame to a function.
class FramesToCaller : public ImageSink {
public:
    using Take = std::function<void(std::size_t frame, ImageFrame image)>;
    explicit FramesToCaller(Take take) : take_(std::move(take)) {}
    void put(std::size_t frame, ImageFrame image) override { take_(frame, std::move(image)); }

private:
    Take take_;
};

} // namespace lsrecon
