#include "reconstruct_joint.hpp"

#include <algorithm>
#include <numeric>

#include "base/error.hpp"
#include "base/said_on_signal.hpp"
#include "scan/frame_places.hpp"

namespace lsrecon {

namespace {

/// The frames of one place, from their samples to their images.
class Stack {
public:
    Stack(PreparedScan& prepared, const FrameSteps& steps, const SolveOptions& options,
          double needed, Reporter& report)
        : prepared_(prepared), steps_(steps), options_(options), needed_(needed), report_(report) {}

    void begin(std::size_t f) {
        ScanEquations::Transformed transformed = steps_.equations.transformed(f);
        NormalEquations& equations = steps_.equations.of(f);
        Begun frame{f, std::move(transformed.frame)};
        JointFrame joint{nullptr, std::move(transformed.fhd), steps_.monitor_of(f)};
        joint.system = system_of(frame.about, equations);
        frame.error = equations.error();
        begun_.push_back(std::move(frame));
        joint_.push_back(std::move(joint));
    }

    void solve() {
        const Scan& scan = prepared_.scan();
        std::vector<std::size_t> in_time(begun_.size()); // not by their samplings, as they began
        std::iota(in_time.begin(), in_time.end(), 0);
        std::sort(in_time.begin(), in_time.end(),
                  [&](std::size_t a, std::size_t b) { return begun_[a].index < begun_[b].index; });
        std::vector<JointFrame> frames;
        for (const std::size_t i : in_time) {
            frames.push_back(std::move(joint_[i]));
        }
        joint_.clear();
        std::vector<Solved> solved =
            solve_jointly(scan.grid, frames, scan.coil_maps, options_, report_);
        solved_.resize(solved.size());
        for (std::size_t i = 0; i < solved.size(); ++i) {
            solved_[in_time[i]] = std::move(solved[i]);
        }
        shared_ = {};
        next_ = 0;
    }

    /// In the order in which they began.
    ImageFrame solved(std::size_t f) {
        while (begun_[next_].index != f) {
            ++next_;
        }
        ImageFrame image =
            steps_.finished(begun_[next_].about, solved_[next_], begun_[next_].error);
        solved_[next_] = {};
        if (next_ + 1 == begun_.size()) {
            begun_.clear();
        }
        return image;
    }

private:
    struct Begun {
        std::size_t index;
        Frame about; ///< without samples
        double error = 0;
    };

    std::shared_ptr<System> system_of(const Frame& frame, NormalEquations& equations) {
        if (!begun_.empty() && begun_.back().about.sampling == frame.sampling) {
            return joint_.back().system;
        }
        shared_.needed = needed_;
        try {
            return equations.kept_system(shared_, report_);
        } catch (const DeviceError& error) {
            throw RunError(
                {prepared_.scan().file, "frames that are solved together",
                 text("no room on the device after ", begun_.size(), " of them: ", error.what()),
                 "room for all of them",
                 "choose some with --frames, or leave " + flags_over_frames(options_.regularisers) +
                     " out"});
        }
    }

    PreparedScan& prepared_;
    const FrameSteps& steps_;
    const SolveOptions& options_;
    double needed_;
    Reporter& report_;
    SharedWorkspaces shared_;
    std::vector<Begun> begun_;
    std::vector<JointFrame> joint_;
    std::vector<Solved> solved_;
    std::size_t next_ = 0; ///< of the begun that is asked for
};

} // namespace

void fill_jointly(ImageSink& sink, PreparedScan& prepared, const FrameSteps& steps,
                  const SolveOptions& options, double needed, Reporter& report) {
    const SaidOnSignal words("lsrecon: stopped by a signal; frames that are solved together are "
                             "saved only when all are done\n");
    Stack stack(prepared, steps, options, needed, report);
    sink.fill(stacks_of(prepared.scan()),
              {[&](std::size_t f) { stack.begin(f); }, [&] { stack.solve(); },
               [&](std::size_t f) { return stack.solved(f); }},
              report);
}

} // namespace lsrecon
