// A device with its kernels and their parameters, and the list of what ran for the record.

#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/job_ranks.hpp"
#include "engines/choose.hpp"

namespace lsrecon {

/// A device with its kernels and their parameters, and what of them ran, for the record: what
/// transforms of any precision and accuracy have in common.
class Kernels {
public:
    /// UsageError for an unknown kernel.
    Kernels(std::shared_ptr<Device> on, const ComputeOptions& options, std::vector<Engine> engines,
            JobRanks& ranks);
    Kernels(const Kernels&) = delete;

    const std::shared_ptr<Device> device;
    /// The machine by which every choice that the bits of an image depend on is made
    /// (standard_machine).
    const Machine standard_machine;
    const Machine machine;
    const std::vector<Engine> table;
    const Variant& variant; ///< kernel that was asked for
    const Engine& engine; ///< its engine
    std::string segments; ///< time segments of off-resonance, for the record

    /// Parameters of a kernel in a stage: those that run, the same with an entry in the record, and
    /// those that every machine has.
    using FindParameters = const ChosenParameters& (Kernels::*)(const std::string& name,
                                                                const std::string& stage);
    const ChosenParameters& parameters_of(const std::string& name, const std::string& stage);
    const ChosenParameters& recorded_parameters(const std::string& name, const std::string& stage);
    const ChosenParameters& shipped_parameters_of(const std::string& name,
                                                  const std::string& stage);

    void add_served(const Variant& one);
    const Variant& first_served() const { return served_.empty() ? variant : *served_.front(); }
    std::string names() const; ///< of the kernels that ran
    std::string parameters() const; ///< of what ran, in words
    /// Whether this was not reported before.
    bool is_new(const std::string& message) { return reported_.insert(message).second; }

private:
    void take_parameters_of_first(JobRanks& ranks);
    Parameters given(const std::string& name) const;

    Parameters of_user_;
    std::vector<const Variant*> served_; ///< variants that made transforms
    /// Parameters of the first rank, by variant and stage.
    std::map<std::string, ChosenParameters> of_first_;
    std::map<std::string, ChosenParameters> parameters_;
    std::map<std::string, ChosenParameters> shipped_;
    std::set<std::string> ran_; ///< keys of the parameters that ran
    std::set<std::string> reported_;
};

} // namespace lsrecon
