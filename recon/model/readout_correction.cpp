// Gives frames their moved trajectories, and takes phases out of their samples as they are read.

#include "model/readout_correction.hpp"

#include <map>
#include <memory>

#include "scan/sample_parameters.hpp"

namespace lsrecon {

void correct_readouts(ScanInPreparation& preparation,
                      const std::function<MovedReadouts(const Trajectory&)>& corrected) {
    using Phases = std::shared_ptr<const RealVector>;
    struct Corrected {
        std::shared_ptr<const Trajectory> before; // whose address is that of no other
        std::shared_ptr<const Trajectory> after;
        Phases phases;
    };
    std::map<const Trajectory*, Corrected> known;
    std::vector<Phases> of_frames;
    for (Frame& frame : preparation.scan.frames) {
        Corrected& one = known[frame.trajectory.get()];
        if (!one.after) {
            MovedReadouts moved = corrected(*frame.trajectory);
            one = {frame.trajectory,
                   std::make_shared<const Trajectory>(std::move(moved.trajectory)),
                   std::make_shared<const RealVector>(std::move(moved.phases))};
        }
        frame.trajectory = one.after;
        of_frames.push_back(one.phases);
    }
    for (Frame& calibration : preparation.scan.calibrations) {
        MovedReadouts after = corrected(*calibration.trajectory);
        take_out(after.phases, calibration.samples);
        calibration.trajectory = std::make_shared<const Trajectory>(std::move(after.trajectory));
    }
    preparation.frames.change([of_frames = std::move(of_frames)](std::size_t index, Frame& frame) {
        take_out(*of_frames[index], frame.samples);
    });
    preparation.slices = slices_of(preparation.scan);
}

} // namespace lsrecon
