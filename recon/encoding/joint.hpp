// Solves the frames of a slice together, for terms that couple them.

#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "encoding/solve.hpp"
#include "engines/transforms.hpp"

namespace lsrecon {

/// A frame of those that are solved together, once its samples are transformed.
struct JointFrame {
    std::size_t index = 0; ///< index in the scan
    Frame about = {}; ///< without samples
    std::shared_ptr<System> system = nullptr; ///< one for frames of one trajectory
    std::vector<Volume> fhd = {}; ///< its right-hand sides; given away
    double error = 0; ///< error of its transforms
    Certificate certificate = {};
    Monitor monitor = nullptr;
    // A path needs these, one a problem:
    std::vector<ComplexVector> start = {}; ///< images to begin with
    std::vector<double> scales = {}; ///< largest voxels of images, see System::iterate_briefly
};

/// Minimises over the images rho_f of all frames, in their order,
///
///     sum over f of Q_f(0) / q (1/2 rho_f^H A_f rho_f - Re(rho_f^H b_f) + terms) + joint terms
///
/// with everything in units of Q_f(0) as in solve(), and q its mean: a frame of more samples counts
/// more (solve/splitting.hpp). s of every term is the largest voxel of all frames
/// (System::iterate_briefly). Coils without maps are one such problem after another. The stage
/// "solve".
std::vector<Solved> solve_jointly(std::vector<JointFrame>& frames, const CoilRows& coil_maps,
                                  const SolveOptions& options, Reporter& report);

/// Frames that are solved together with one weight after another (solve/splitting.hpp). Their
/// systems must have been made with the terms.
class JointPath {
public:
    explicit JointPath(std::vector<JointFrame> frames);

    void set_weight(std::size_t regulariser, double weight);
    void go_on(int iterations);
    /// The paths of the problems, of all frames.
    const std::vector<SplitPath>& problems() const { return problems_; }
    /// The images of a frame: one a problem.
    std::vector<ComplexVector> images(std::size_t frame) const;

private:
    std::vector<JointFrame> frames_;
    std::vector<SplitPath> problems_;
};

} // namespace lsrecon
