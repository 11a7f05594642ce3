#include "model/estimated_maps.hpp"

#include <algorithm>

#include "base/eigenvectors.hpp"
#include "model/resampled.hpp"

namespace lsrecon {

const std::vector<MapsMethod>& maps_methods() {
    static const std::vector<MapsMethod> table{
        {"espirit", "ESPIRiT from the centre of k-space", &espirit_maps, true, &cost_of_espirit},
        {"walsh", "adaptive combination of low-resolution images", &walsh_maps, false,
         &cost_of_walsh},
    };
    return table;
}

const MapsMethod* maps_method_named(const std::string& name) {
    const std::vector<MapsMethod>& table = maps_methods();
    const auto found = std::find_if(table.begin(), table.end(),
                                    [&](const MapsMethod& row) { return row.name == name; });
    return found == table.end() ? nullptr : &*found;
}

Eigen::VectorXcf strongest_combination(const CoilMatrix& rows) {
    return eigen_of(rows * rows.adjoint()).vectors.rightCols(1).cast<std::complex<float>>();
}

namespace {

/// Adds the values of the two neighbours along one dimension.
void add_neighbours(Eigen::ArrayXcd& values, const Grid& grid, std::size_t d) {
    const Eigen::ArrayXcd before = values;
    Eigen::Index stride = 1;
    for (std::size_t i = 0; i < d; ++i) {
        stride *= static_cast<Eigen::Index>(grid.size[i]);
    }
    const Eigen::Index block = stride * static_cast<Eigen::Index>(grid.size[d]);
    const Eigen::Index beside = block - stride; // values with such a neighbour
    for (Eigen::Index first = 0; first < values.size(); first += block) {
        values.segment(first + stride, beside) += before.segment(first, beside);
        values.segment(first, beside) += before.segment(first + stride, beside);
    }
}

} // namespace

Cost cost_of_walsh(const MachineModel& machine, std::size_t coils, const Grid& from,
                   const Grid& to) {
    const std::size_t pairs = coils * (coils + 1) / 2;
    Cost cost = Cost::on_host(static_cast<double>((pairs * from.voxels() + coils * to.voxels()) *
                                                  sizeof(std::complex<float>)));
    cost.seconds = machine.map * static_cast<double>(coils * coils * to.voxels());
    return cost;
}

CoilRows::Floats walsh_maps(const Calibration& calibration, const Grid& grid, const MapsOptions&) {
    const CoilMatrix& images = calibration.images;
    const Eigen::Index coils = images.rows();
    HermitianField field;
    field.coils = static_cast<std::size_t>(coils);
    const auto voxels = static_cast<Eigen::Index>(calibration.grid.voxels());
    field.coefficients.resize(coils * (coils + 1) / 2, voxels);
    // Relative to the largest, because the square of a float may leave its range.
    const double scale = images.cwiseAbs().maxCoeff();
    Eigen::Index pair = 0;
    for (Eigen::Index a = 0; a < coils; ++a) {
        for (Eigen::Index b = a; b < coils; ++b) {
            const Eigen::ArrayXcd of_frames =
                (images.row(a) / scale).array() * (images.row(b) / scale).array().conjugate();
            Eigen::ArrayXcd product =
                of_frames.reshaped(voxels, static_cast<Eigen::Index>(calibration.frames))
                    .rowwise()
                    .sum();
            for (std::size_t d = 0; d < 3; ++d) {
                add_neighbours(product, calibration.grid, d);
            }
            field.coefficients.row(pair++) =
                product.cast<std::complex<float>>().matrix().transpose();
        }
    }
    for (std::size_t d = 0; d < 3; ++d) {
        field.basis[d] = linear_interpolation(grid.size[d], calibration.grid.size[d])
                             .cast<std::complex<float>>();
    }
    return dominant_eigenvectors(field, grid, strongest_combination(images)).vectors;
}

} // namespace lsrecon
