// Coil maps, whitening, virtual coils, and the density of samples.

#include "python/scan.hpp"

#include <algorithm>

#include "base/numbers.hpp"
#include "model/prepared_scan.hpp"
#include "scan/coil_transform.hpp"
#include "scan/density.hpp"

namespace lsrecon::python {

namespace {

/// Maps of the scan's own coils by a method of the table.
nb::object maps_of(const ScanOfArrays& scan, const option::Keywords& options) {
    std::optional<CoilRows> maps;
    Grid grid;
    ToPython report;
    {
        const nb::gil_scoped_release others_may_run;
        Request request = options_from(options);
        PrepareOptions prepare = std::move(request.reconstruct.prepare);
        prepare.estimate.sets = 1;
        prepare.whiten = false;
        LentTransforms transforms(request.compute, report);
        FramesInMemory source(scan.for_run(false, prepare.geometry));
        PreparedScan prepared(source, std::move(prepare), *transforms, report);
        const SliceMaps& own = *prepared.maps_of_all();
        grid = prepared.scan().grid;
        maps = own.scale == 1 ? *own.values
                              : CoilRows(CoilMatrix(own.scale * own.values->to_doubles()));
        transforms.give_back();
    }
    return numpy_of(*maps, joined({maps->rows()}, shape_of(grid)));
}

/// W with W Psi W^H = v I, by the noise, C x K.
nb::object whitening_by(const Array& noise) {
    Scan scan;
    scan.noise = rows_of(noise);
    const CoilTransform mixing = whitening(scan);
    const auto coils = static_cast<std::size_t>(mixing.rows());
    return numpy_of<std::complex<double>>(mixing, {coils, coils});
}

/// The mixing of the first virtual coils of samples, V x C, and the share of energy that they keep.
nb::object compression_of(const Array& samples, std::size_t coils, double energy) {
    const CompressedCoils found = compressed_coils({gram(rows_of(samples))}, {coils, energy});
    return nb::make_tuple(numpy_of<std::complex<double>>(
                              found.mixing, {static_cast<std::size_t>(found.mixing.rows()),
                                             static_cast<std::size_t>(found.mixing.cols())}),
                          found.energy);
}

nb::object density_of(const Array& trajectory, const std::vector<std::size_t>& matrix,
                      const std::vector<double>& fov_mm, const std::string& units,
                      const std::string& method) {
    const std::vector<DensityMethod>& rows = density_methods();
    const auto row = std::find_if(rows.begin(), rows.end(),
                                  [&](const DensityMethod& one) { return one.name == method; });
    if (row == rows.end()) {
        throw UsageError(text("`method` ", method, "\n  expected: one of ",
                              comma_separated(names_of(rows)), "\n  next:     name one of them"));
    }
    const Grid grid = grid_of(matrix, fov_mm);
    Trajectory k;
    k.positions = positions_of(trajectory, 0, trajectory.shape(0), units, grid);
    RealVector cells;
    {
        const nb::gil_scoped_release others_may_run;
        cells = row->of(k, grid).cells;
    }
    return numpy_of<double>(cells, {trajectory.shape(0)});
}

} // namespace

void bind_coils(nb::module_& m) {
    m.def("maps", &maps_of, nb::arg("scan"), nb::arg("options"));
    m.def("whitening", &whitening_by, nb::arg("noise"));
    m.def("compression", &compression_of, nb::arg("samples"), nb::arg("coils"), nb::arg("energy"));
    m.def("density", &density_of, nb::arg("trajectory"), nb::arg("matrix"), nb::arg("fov_mm"),
          nb::arg("units"), nb::arg("method"));
    m.attr("maps_methods") = names_of(maps_methods());
    m.attr("density_methods") = names_of(density_methods());
}

} // namespace lsrecon::python
