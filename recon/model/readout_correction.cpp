// Gives frames their moved trajectories, and takes phases out of their samples as they are read.

#include "model/readout_correction.hpp"

#include <map>
#include <memory>

#include "scan/sample_parameters.hpp"

namespace lsrecon {

void correct_readouts(ScanInPreparation& preparation,
                      const std::function<CorrectedReadouts(const Trajectory&)>& corrected) {
    struct Corrected {
        std::shared_ptr<const Trajectory> before; // whose address is that of no other
        std::shared_ptr<const Trajectory> after;
        RealVector phases;
    };
    std::map<const Trajectory*, std::shared_ptr<const Corrected>> known;
    std::vector<std::shared_ptr<const Corrected>> of_frames;
    for (Frame& frame : preparation.scan.frames) {
        std::shared_ptr<const Corrected>& one = known[frame.trajectory.get()];
        if (!one) {
            CorrectedReadouts after = corrected(*frame.trajectory);
            one = std::make_shared<const Corrected>(Corrected{
                frame.trajectory, std::make_shared<const Trajectory>(std::move(after.trajectory)),
                std::move(after.phases)});
        }
        frame.trajectory = one->after;
        of_frames.push_back(one);
    }
    for (Frame& calibration : preparation.scan.calibrations) {
        CorrectedReadouts after = corrected(*calibration.trajectory);
        take_out(after.phases, calibration.samples);
        calibration.trajectory = std::make_shared<const Trajectory>(std::move(after.trajectory));
    }
    preparation.frames.change([of_frames = std::move(of_frames)](std::size_t index, Frame& frame) {
        take_out(of_frames[index]->phases, frame.samples);
    });
    preparation.slices = slices_of(preparation.scan);
}

} // namespace lsrecon
