#include "reconstruct_joint.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "encoding/joint.hpp"

namespace lsrecon {

namespace {

JointFrame joint_frame(const Run& run, std::size_t f, SamplingTurn& turn,
                       std::optional<FrameTurn> begun, std::shared_ptr<System>& system,
                       SharedWorkspaces& shared, Monitor monitor) {
    FrameTurn of_frame = begun ? std::move(*begun) : begin_frame(run, turn, f);
    if (!system) {
        system = turn.equations.kept_system(shared, run.report);
    }
    turn.equations.certify_gram(of_frame.certificate, run.report);
    return {f,
            std::move(of_frame.frame),
            system,
            std::move(of_frame.fhd),
            turn.equations.error(),
            of_frame.certificate,
            std::move(monitor)};
}

} // namespace

FrameShape shape_of_frames(const Scan& scan, const Formulation& formulation) {
    return {scan.grid, scan.coils(), formulation.coils_share_one_problem};
}

JointRoom require_joint_room(const Run& run, const Formulation& formulation) {
    const Scan& scan = run.scan();
    JointRoom room =
        require_joint_room(run.transforms, scan, shape_of_frames(scan, formulation), run.how);
    run.report.tell(room.words);
    return room;
}

void solve_together(const Run& run, const Place& place, const JointRoom& room, TurnAhead& ahead,
                    FrameResults& frames) {
    SharedWorkspaces shared;
    shared.needed = room.on_device;
    std::vector<JointFrame> begun;
    std::unique_ptr<PlaceTurn> here = ahead.take(place);
    frames.begin_together(place.frames().size());
    for (const SampledFrames& alike : place.samplings) {
        std::unique_ptr<SamplingTurn> turn = here ? ahead.take(*here, *alike.sampling) : nullptr;
        std::shared_ptr<System> system;
        for (const std::size_t f : alike.frames) {
            frames.attempt(f, [&] {
                begin(run, place, *alike.sampling, here, turn);
                try {
                    begun.push_back(joint_frame(run, f, *turn, ahead.take(f), system, shared,
                                                frames.monitor_of(f)));
                } catch (const DeviceError& error) {
                    throw RunError({run.scan().file, "frames that are solved together",
                                    text("no room on the device after ", begun.size(),
                                         " of them: ", error.what()),
                                    "room for all of them",
                                    "choose some with `frames`, or leave " +
                                        flags_over_frames(run.how.regularisers) + " out"});
                }
            });
        }
    }
    frames.end_together();
    if (begun.empty()) {
        return;
    }
    std::sort(begun.begin(), begun.end(), // in time, not by their samplings, as they began
              [](const JointFrame& a, const JointFrame& b) { return a.index < b.index; });
    std::vector<Solved> solved = solve_jointly(begun, *here->model.coil_maps, run.how, run.report);
    for (std::size_t i = 0; i < begun.size(); ++i) {
        const JointFrame& frame = begun[i];
        frames.attempt(frame.index, [&] {
            const auto unknowns = static_cast<std::size_t>(solved[i].image.size());
            frames.put(frame.index,
                       in_units_of_maps(image_of(run, frame.about, solved[i], frame.error,
                                                 frame.certificate, unknowns),
                                        here->model));
        });
        solved[i] = {};
    }
}

} // namespace lsrecon
