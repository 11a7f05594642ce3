#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "base/cost.hpp"
#include "base/report.hpp"
#include "device/volume.hpp"
#include "engines/on_host.hpp"
#include "engines/piecewise.hpp"
#include "operators/coil_maps.hpp"
#include "scan/scan.hpp"

namespace lsrecon {

/// F^H d on the transform's voxels. With coil maps one volume, sum_c conj(S_c) F^H mu_c; without,
/// one a coil: the right-hand sides of as many least-squares problems. `samples` is C x M; Mu is
/// made of them on the way. The stage "fhd".
std::vector<Volume> compute_fhd(Transforms& transforms, PiecewiseTransform& transform,
                                MuFactors& factors, const CoilRows& samples, CoilMaps& maps,
                                Listener listener);

/// F^H mu_c of every coil, whole, on the device: what F^H d is made of by any coil maps.
struct FhdOfCoils {
    std::vector<Array> coils;
    int exponent; ///< the values lack this power of two
};
/// None where the device has no room for whole volumes, or ranks compute together.
std::optional<FhdOfCoils> compute_fhd_of_coils(Transforms& transforms,
                                               PiecewiseTransform& transform, MuFactors& factors,
                                               const CoilRows& samples, Listener listener);
/// F^H d with coil maps, with the bits of compute_fhd().
std::vector<Volume> combined(Transforms& transforms, const FhdOfCoils& fhd, CoilMaps& maps);

/// The cost of the transform in F^H d, for as many coils at a time as the device takes, without
/// coil maps and volumes.
Cost cost_of_fhd(Transforms& transforms, std::size_t coils, std::size_t samples,
                 std::size_t voxels);

/// F^H d of a frame with coil maps C x N, or with none, handed over in parts as it is computed: all
/// volumes at some voxels, then all volumes at the next. Returns a bound of the relative L2 error
/// of F^H.
using TakeFhd =
    std::function<void(std::size_t volume, const Range& at, const ComplexVector& values)>;
double fhd_of_frame(Transforms& transforms, const Voxels& voxels, const Frame& frame,
                    const CoilRows& coil_maps, const TakeFhd& take, Reporter& report);

/// F^H d of a frame as rows on the host.
struct FhdOnHost {
    CoilMatrix values;
    double error;
};
FhdOnHost fhd_on_host(Transforms& transforms, const Voxels& voxels, const Frame& frame,
                      const CoilRows& coil_maps, Reporter& report);

} // namespace lsrecon
