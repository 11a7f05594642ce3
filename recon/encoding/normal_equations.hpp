#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "base/cost.hpp"
#include "encoding/certificate.hpp"
#include "encoding/fhd.hpp"
#include "encoding/formulation.hpp"
#include "operators/preconditioner.hpp"
#include "operators/q.hpp"
#include "operators/time_terms_gram.hpp"
#include "operators/toeplitz.hpp"
#include "scan/density.hpp"
#include "solve/system.hpp"

namespace lsrecon {

/// The way to make products with F^H W F: by Q, or by F and F^H themselves.
enum class Route { q, transforms };

/// Whether F^H d and Q are held against exact ones (encoding/certificate.hpp).
enum class Certified { never, of_engines_not_exact, of_all };

/// The inputs of the normal equations that the frames of a place share.
struct CommonToFrames {
    Transforms& transforms;
    const Formulation& formulation;
    const CoilRows& coil_maps; ///< C x N or empty
    double lambda; ///< weight of Q(0) I
    std::function<Q(const Sampling&)> make_q;
    std::vector<RegulariserChoice> regularisers = {};
    const PriorImage* prior = nullptr; ///< prior image where regularisers need one
    bool precondition = false; ///< conjugate gradients; splitting always is
    Certified certified = Certified::never;
    const Method* method = nullptr; ///< null for one that solves
    /// The weights of a method that does not solve; null for one that does.
    std::function<Density(const Sampling&)> density = nullptr;
    /// The precision of the solver; by default as its regularisers need it.
    std::optional<Precision> solver_precision = {};
};

/// The workspaces that systems of one grid share when they work one at a time; made with the first
/// system.
struct SharedWorkspaces {
    double needed = 0; ///< bytes of the device that all of them and their solve will take
    std::shared_ptr<ToeplitzWorkspace> toeplitz;
    std::shared_ptr<Basis> basis; ///< basis of preconditioners
};

/// The sizes that decide the memory of normal equations.
struct SystemShape {
    Grid grid;
    std::size_t maps; ///< coil maps; 0 and 1 for none
    std::size_t terms = 1; ///< terms of the normal operator off resonance; 0 and 1 for a single Q
};

/// The place where the equations are solved: the device where it was asked for and has room, else
/// the CPU in double precision.
struct WhereSolved {
    Precision precision;
    bool on_device;
    std::string why_not; ///< reason, where a device has no room
};
WhereSolved where_solved(Transforms& transforms, const SystemShape& shape,
                         const SolveOptions& options);
/// Notes that the solver runs on the CPU.
void note_move_to_cpu(const Transforms& transforms, const std::string& why);

/// The data that the frames of a place share, with its coil maps on the transforms' device.
/// Everything that `common` refers to must outlive it.
struct PlaceEquations {
    explicit PlaceEquations(CommonToFrames of_frames)
        : common(std::move(of_frames)), maps(common.transforms.device(), common.coil_maps),
          drawn(common.coil_maps, common.formulation.voxels.count()) {}
    PlaceEquations(const PlaceEquations&) = delete;

    CommonToFrames common;
    CoilMaps maps;
    DrawnVoxels drawn;
};

/// The normal equations of one place and sampling: their transform, and their left-hand side on two
/// devices.
class NormalEquations {
public:
    /// `place` and `sampling` must outlive it. Products are made by F and F^H where Q cannot serve,
    /// whatever the route.
    NormalEquations(PlaceEquations& place, const Sampling& sampling, Route route = Route::q);
    NormalEquations(const NormalEquations&) = delete;

    /// The memory of a system through Q and of its solve, all on one device.
    static Cost cost(const Device& device, const SystemShape& shape, Precision precision,
                     const std::vector<RegulariserChoice>& regularisers, bool precondition);

    /// The time of solving one problem from Q and F^H d on, with all of its iterations.
    static double seconds(Transforms& transforms, const SamplePoints& points,
                          const SystemShape& shape, const SolveOptions& options, bool through_q);

    /// F^H d of C x M samples, the right-hand sides. A method that does not solve weights the
    /// samples so that F^H d is an image.
    std::vector<Volume> fhd(const CoilRows& samples, Listener listener = {});
    /// F^H mu of every coil, and F^H d of it: equations of one sampling that differ in their coil
    /// maps alone share it. None as of compute_fhd_of_coils().
    std::optional<FhdOfCoils> fhd_of_coils(const CoilRows& samples) {
        return compute_fhd_of_coils(common_.transforms, transform_, factors_, samples, {});
    }
    std::vector<Volume> fhd(const FhdOfCoils& of_coils) {
        return combined(common_.transforms, of_coils, maps_);
    }
    /// F^H d as the stage "fhd", or as the stage of the method.
    std::vector<Volume> fhd_in_stage(const CoilRows& samples, Reporter& report);
    /// w_m sum_c |(F rho - d)_cm|^2 of each of M samples, C x M, and the images that they are to be
    /// of: one with coil maps, one a coil without.
    Eigen::VectorXd misfits(const CoilRows& samples, const std::vector<ComplexVector>& images,
                            Listener listener);

    /// Makes what multiplies by F^H F, as the stage "q"; else it is made when it is asked for.
    void prepare(Reporter& report);
    /// Q; null for voxels off the grid, off resonance, or where F and F^H multiply faster.
    const Q* q();

    const CoilRows& coil_maps() const { return common_.coil_maps; }
    /// The source of the weights of a method that does not solve.
    const std::string& density() const { return density_.method; }
    /// The system on the transforms' device, in double precision where the device has it. Null
    /// where the device has no room, which is noted. Made on the first call.
    System* on_device();
    /// A system in the precision of the transforms, without regularisers and preconditioner, for
    /// what needs no more digits; its lambda stays that of now. Null where the solver has that
    /// precision, where products are no convolutions, or where the device has no room.
    std::unique_ptr<System> in_precision_of_transforms();
    /// The system on the reference device; made on the first call.
    System& on_reference();
    /// A system on the transforms' device that outlives these equations, but not what they refer
    /// to. DeviceError when there is no room.
    std::unique_ptr<System> kept_system(SharedWorkspaces& shared, Reporter& report);
    /// Sets lambda for these equations and for all equations of the place that follow.
    void set_lambda(double lambda);
    std::size_t voxels() const { return common_.formulation.voxels.count(); }
    /// Q(0), the unit of lambda.
    double q_at_zero();
    double epsilon_of_transforms() const { return common_.transforms.epsilon(); }
    /// Bound of the relative L2 error of F^H and Q as they were computed.
    double error() const { return error_; }

    bool are_certified();
    /// Errors of the F^H d of a frame's samples; of no voxels where they are not sampled.
    Certificate certify(const CoilRows& samples, const std::vector<Volume>& fhd, Reporter& report);
    /// Adds the errors of Q. Without Q the error of F^H d is taken for it, since F is as wrong as
    /// its adjoint.
    void certify_gram(Certificate& certificate, Reporter& report);
    /// The number of voxels over which errors of F^H d are spread.
    std::size_t unknowns();

private:
    std::unique_ptr<System> system_on(Device& device, Precision precision, CoilMaps& maps,
                                      SharedWorkspaces& shared);
    std::unique_ptr<Gram> gram_on(Device& device, Precision precision, CoilMaps& maps,
                                  SharedWorkspaces& shared);
    Precision solver_precision() const;
    bool preconditions() const;
    void make_products(Listener listener);
    bool by_terms() const {
        return common_.formulation.through_q && common_.formulation.off_resonance;
    }

    CommonToFrames& common_;
    CoilMaps& maps_;
    DrawnVoxels& drawn_;
    const Sampling& sampling_;
    Density density_; ///< its cells are w, of a method that does not solve
    bool through_q_; ///< whether products are made by Q
    PiecewiseTransform transform_;
    MuFactors factors_;
    double error_ = 0;
    std::optional<Certificate> of_q_; ///< once it is sampled
    std::optional<Q> q_;
    std::vector<TimeTerm> terms_; ///< terms in place of Q, off resonance
    /// Q for the preconditioner off resonance: voxels next to each other have nearly the same
    /// field.
    std::optional<Q> without_field_;
    std::unique_ptr<Device> reference_;
    std::unique_ptr<CoilMaps> maps_on_reference_;
    std::optional<std::unique_ptr<System>> on_device_; ///< null where there is no room
    std::unique_ptr<System> on_reference_;
};

} // namespace lsrecon
