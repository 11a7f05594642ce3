// The least-squares problem of a trajectory: its system, where it is solved, and what it costs.

#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/computation.hpp"
#include "encoding/normal_operator.hpp"
#include "operators/conjugate_symmetry.hpp"
#include "solve/system.hpp"

namespace lsrecon {

/// The sizes that decide the memory of a problem.
struct SystemShape {
    Grid grid;
    std::size_t maps; ///< coil maps; 0 and 1 for none
    std::size_t terms = 1; ///< terms of the normal operator off resonance; 0 and 1 for a single Q
    std::size_t sets = 1; ///< sets of coil maps
    bool is_symmetric = false; ///< whether there is a Symmetry
};

/// The memory of a problem through Q and of its solve, all on one device.
Cost cost_of_least_squares(const Device& device, const SystemShape& shape, Precision precision,
                           const std::vector<RegulariserChoice>& regularisers, bool precondition);
/// The time of solving one problem from Q and F^H d on, with all of its iterations.
double seconds_of_least_squares(Transforms& transforms, const SamplePoints& points,
                                const SystemShape& shape, const SolveOptions& options,
                                bool through_q);

/// A problem is solved on the device, where the solver runs there and it has room, else on the CPU
/// in double precision.
struct WhereSolved {
    Precision precision;
    bool on_device;
    std::string why_not; ///< reason, where a device has no room
};
WhereSolved where_solved(Transforms& transforms, const SystemShape& shape,
                         const SolveOptions& options);
/// Notes that the solver runs on the CPU.
void note_move_to_cpu(const Transforms& transforms, const std::string& why);

/// The workspaces that systems of one grid share when they work one at a time; made with the first
/// system.
struct SharedWorkspaces {
    double needed = 0; ///< bytes of the device that all of them and their solve will take
    std::shared_ptr<ToeplitzWorkspace> toeplitz;
    std::shared_ptr<Basis> basis; ///< basis of preconditioners
};

/// What is known of an image beside its samples.
struct KnownImage {
    const PriorImage* prior = nullptr; ///< null where no regulariser needs one
    std::shared_ptr<const Symmetry> symmetry = nullptr; ///< null for none
};

/// A system on the reference device, with the device and the maps that it works on.
struct ReferenceSystem {
    std::unique_ptr<Device> device;
    std::unique_ptr<CoilMaps> maps;
    std::unique_ptr<System> system;
};
ReferenceSystem make_reference_system(const NormalOperator& n, const SolveOptions& settings,
                                      const KnownImage& known = {});

/// (N + lambda) rho = F^H d / Q(0) with the regularisers and the preconditioner of some settings:
/// what is solved.
class LeastSquares {
public:
    /// `n` and the prior must outlive it. A system where the solver of the settings runs; on the
    /// CPU, with a note, where the device has no room.
    LeastSquares(const NormalOperator& n, const SolveOptions& settings, KnownImage known = {});

    System& system() const { return reference_.system ? *reference_.system : *on_device_; }
    bool is_on_device() const { return on_device_ != nullptr; }
    /// Makes the same system on the reference device.
    ReferenceSystem on_reference() const { return make_reference_system(n_, settings_, known_); }
    const std::shared_ptr<const Symmetry>& symmetry() const { return known_.symmetry; }
    const CoilRows& coil_maps() const { return n_.encoding().images().coil_maps; }

private:
    const NormalOperator& n_;
    const SolveOptions settings_;
    const KnownImage known_;
    std::unique_ptr<System> on_device_; ///< null where it is on the reference device
    ReferenceSystem reference_;
};

/// A system on the transforms' device that outlives N, but not what N refers to; in the precision
/// of the solver, or in another one. DeviceError when there is no room.
std::unique_ptr<System> make_kept_system(const NormalOperator& n, const SolveOptions& settings,
                                         const KnownImage& known, SharedWorkspaces& shared,
                                         std::optional<Precision> precision = {});

/// N + lambda alone, for what needs no more digits than the transforms have: a system in their
/// precision. Null where the solver has that precision, where products are no convolutions, or
/// where the device has no room.
std::unique_ptr<System> in_precision_of_transforms(const NormalOperator& n,
                                                   const SolveOptions& settings);

} // namespace lsrecon
