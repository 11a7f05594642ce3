#include "prepare/scan_equations.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "scan/sampling_pool.hpp"
#include "solve/choose_lambda.hpp"
#include "solve/methods.hpp"
#include "solve/misfit.hpp"
#include "solve/solve.hpp"

namespace lsrecon {

namespace {

/// False where this frame is refused, which is reported when its turn comes.
template <typename Action> bool unless_refused(const Action& action) {
    try {
        action();
        return true;
    } catch (const RunError&) {
        throw;
    } catch (const InputError&) {
        return false;
    }
}

} // namespace

ScanEquations::OfPlace::OfPlace(Place prepared, const Plan& of, ScanEquations& scan)
    : place(std::move(prepared)), plan(of),
      frames({scan.transforms_, plan, *place.coil_maps, scan.options_.lambda,
              [&scan](const Sampling& sampling) { return scan.make_q(sampling); },
              scan.options_.regularisers, place.prior.get(), scan.options_.precondition,
              scan.sample_errors_, &method_of(scan.options_), scan.density_for(plan),
              scan.products()}) {}

double ScanEquations::products() const {
    const Scan& scan = prepared_.scan();
    const auto samplings = static_cast<double>(samplings_of(scan.frames).size());
    const double frames = static_cast<double>(scan.frames.size()) / samplings;
    return q_.is_given() ? 0 : options_.iterations * frames;
}

std::function<Density(const Sampling&)> ScanEquations::density_for(const Plan& plan) const {
    const Method& method = method_of(options_);
    if (method.solves) {
        return nullptr;
    }
    return [this, &method, &plan](const Sampling& sampling) {
        const Stage stage(report_, "density");
        Density density = method.density(sampling, prepared_.scan(), plan, options_);
        if (!density.remark.empty()) {
            report_.note(density.remark);
        }
        return density;
    };
}

NormalEquations& ScanEquations::of(std::size_t frame) {
    const Scan& scan = prepared_.scan();
    const std::size_t index = prepared_.place_of(frame).index;
    if (!here_ || here_->place.index != index) {
        here_.reset(); // its memory is the next one's
        Place place = prepared_.at(index);
        if (place.prior) {
            require_prior(options_.regularisers, *place.prior, scan.grid);
        }
        const Plan plan = make_plan(scan, place, plan_);
        here_.emplace(std::move(place), plan, *this);
    }
    return here_->frames.of(scan.frames[frame].sampling);
}

Q ScanEquations::make_q(const Sampling& sampling) {
    for (const auto& [of, q] : kept_qs_) {
        if (of == &sampling) {
            return q;
        }
    }
    const Q q = q_.of(sampling, prepared_.scan().grid);
    if (prepared_.places().size() > 1) {
        constexpr double share_of_memory = 1.0 / 16;
        const double most_bytes = share_of_memory * transforms_.device().memory();
        const auto bytes = static_cast<double>(q.half.count() * sizeof(Complex));
        while (!kept_qs_.empty() && static_cast<double>(kept_qs_.size() + 1) * bytes > most_bytes) {
            kept_qs_.pop_front();
        }
        kept_qs_.emplace_back(&sampling, q);
    }
    return q;
}

ScanEquations::Transformed ScanEquations::transformed(std::size_t frame) {
    Transformed result;
    if (in_hand_ && in_hand_->first == frame) {
        result = std::move(in_hand_->second);
        in_hand_.reset();
    } else {
        result.frame = prepared_.frame(frame);
        result.energy = energy_of(*result.frame.sampling, result.frame.samples);
        result.most_noise = most_noise_of(result.frame);
        NormalEquations& equations = of(frame);
        result.fhd = equations.fhd(result.frame.samples, report_);
        result.sampled = equations.sampled_errors(result.frame.samples, result.fhd, report_);
        if (method_of(options_).solves) {
            compare_models(frame, result.frame);
        }
        result.frame.samples = {}; // what follows needs their memory
    }
    return result;
}

double ScanEquations::most_noise_of(const Frame& frame) const {
    const bool is_compared = prepared_.scan().noise.empty() && method_of(options_).solves;
    return is_compared ? most_energy_of_noise(*frame.sampling, frame.samples) *
                             frame.sampling->sum_of_weights()
                       : 0;
}

/// Of the first good frame of each place, whichever is at hand: a run that is resumed says the
/// same.
void ScanEquations::compare_models(std::size_t f, const Frame& frame) {
    const Place& place = here_->place;
    if (!compared_.insert(place.index).second) {
        return;
    }
    const std::size_t first = *prepared_.first_good_of(place); // f, if no other
    if (first == f) {
        model_.compare(prepared_.scan(), place, frame, report_);
    } else {
        unless_refused(
            [&] { model_.compare(prepared_.scan(), place, prepared_.frame(first), report_); });
    }
}

/// A slice at the edge, or a contrast without signal, has too large a lambda for all others: of
/// some good frames from all over the scan the one of most energy a sample.
std::size_t ScanEquations::bright_frame() {
    constexpr std::size_t most_read = 8;
    std::vector<std::size_t> good;
    for (std::size_t f = 0; f < prepared_.scan().frames.size(); ++f) {
        if (!prepared_.is_bad(f)) {
            good.push_back(f);
        }
    }
    std::vector<std::pair<double, std::size_t>> by_energy; // of a sample
    const std::size_t reads = good.size() > 1 ? std::min(most_read, good.size()) : 0;
    for (std::size_t i = 0; i < reads; ++i) {
        // No whole number of frames apart: every eighth may be the same contrast.
        const std::size_t f = good[i * (good.size() - 1) / (reads - 1)];
        unless_refused([&] {
            const Frame frame = prepared_.frame(f);
            by_energy.emplace_back(
                energy_of(*frame.sampling, frame.samples) / frame.sampling->sum_of_weights(), f);
        });
    }
    std::stable_sort(by_energy.begin(), by_energy.end(),
                     [](const auto& a, const auto& b) { return a.first > b.first; });
    for (const auto& [energy, f] : by_energy) {
        if (unless_refused([&, frame = f] { of(frame); })) { // its place has coil maps
            return f;
        }
    }
    return prepared_.first_good();
}

LambdaCurve ScanEquations::choose_lambda(const RuleChoice& rule) {
    const std::size_t f = bright_frame();
    Frame frame = prepared_.frame(f);
    NormalEquations& equations = of(f);
    std::vector<Volume> fhd = equations.fhd(frame.samples, report_);
    compare_models(f, frame);
    LambdaCurve curve =
        lsrecon::choose_lambda(rule, prepared_.scan(), f, frame, equations, fhd, options_, report_);
    curve.frame = f;
    if (f == prepared_.first_good()) { // which is the next
        const SampledErrors sampled = equations.sampled_errors(frame.samples, fhd, report_);
        const double most_noise = most_noise_of(frame);
        frame.samples = {};
        in_hand_ = {f, {std::move(frame), std::move(fhd), curve.data, sampled, most_noise}};
    }
    return curve;
}

void ScanEquations::set_lambda(double lambda) {
    options_.lambda = lambda;
    if (here_) {
        here_->frames.set_lambda(lambda);
    }
}

} // namespace lsrecon
