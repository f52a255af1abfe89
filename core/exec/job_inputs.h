// SPDX-License-Identifier: Apache-2.0
//
// Shared by the files of jobs; not for others.
#pragma once

#include "core/exec/edge_inputs.h"
#include "core/exec/job_compare.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace secateur {

/// Which inputs both models run on once.
struct SetPlan {
    std::string text; ///< "random inputs, seed 3"
    std::uint64_t seed = 0;
    std::optional<EdgePattern> pattern;
    const OwnInputs* own = nullptr;
    std::int64_t batch = 0;
    std::size_t turn = 0;       ///< of the numbers that decide which way a model goes
    bool isExtra = false;       ///< beside the sets that were asked for
    bool hasWideFloats = false; ///< as those of pictures

    /// A model may refuse what lies at an edge.
    [[nodiscard]] bool isEdge() const { return pattern.has_value() || batch > 0 || isExtra; }
    /// Of those, what is needed to have run at all.
    [[nodiscard]] bool isPlain() const { return !isEdge() && own == nullptr; }
};

/// The inputs of one run of both models, in the order of each.
struct InputSet {
    std::vector<RuntimeValue> first, second;
};

/// What random inputs are where nobody said it.
struct OpenChoice {
    std::map<std::string, std::int64_t> sizes; ///< of free dimensions by name
    std::int64_t free = 0, batch = 0;          ///< of all others, and of batches; 0: as the job says
    bool hasWideIntegers = false; ///< integers of which nothing is known: all that bytes are, else 0 and 1
};

/// Makes the inputs that two models share: what has the same name in both is the same value.
class PairedInputs {
  public:
    /// All are borrowed and must outlive it. What both models allow an input to hold becomes the domain of
    /// the first.
    PairedInputs(const Job& job, JobModel& first, JobModel& second, MemoryPool& pool);

    /// Choices for what nobody said of random inputs, the most telling first; none where all is said. Which
    /// one is taken may decide whether the models accept them, and whether they compute anything.
    [[nodiscard]] std::vector<OpenChoice> openChoices() const;
    void choose(OpenChoice choice) { m_choice = std::move(choice); }
    [[nodiscard]] const OpenChoice& choice() const { return m_choice; }
    /// The sets of inputs that the job asks for, in order; of random ones as many more as it takes to go each
    /// way that single numbers decide about.
    [[nodiscard]] std::vector<SetPlan> plan() const;
    /// Two more random sets, of floats as those of pictures; none where a person said what inputs hold.
    [[nodiscard]] std::vector<SetPlan> widePlan() const;
    /// How many random sets it takes to go each of these ways.
    [[nodiscard]] std::size_t turns() const;
    /// The values of one set: those of the first model by the request; of the second the same where the names
    /// are, else its own; none where no input takes the pattern. Fails with `usage` on a named input or
    /// dimension that neither model has, and as makeInputs() does.
    Result<std::optional<InputSet>> make(const SetPlan& plan);
    /// Free dimensions whose size neither a person nor the other model told.
    [[nodiscard]] std::vector<std::string> guesses() const;
    /// In words, which inputs of one model get the weights of the other, and which get random numbers that
    /// the other knows nothing of.
    [[nodiscard]] std::vector<std::string> notes() const;

  private:
    [[nodiscard]] bool isForSecond(const std::filesystem::path& folder) const;
    Result<void> takeSizes(InputRequest& request);
    [[nodiscard]] InputRequest asked() const;
    [[nodiscard]] InputRequest requested() const;
    [[nodiscard]] std::vector<std::string> openNames(bool areBatches) const;
    [[nodiscard]] SetPlan randomPlan(std::size_t turn, std::int64_t batch, bool hasBatch) const;
    [[nodiscard]] std::string randomText(const SetPlan& plan, std::int64_t batch, bool hasBatch) const;
    [[nodiscard]] std::string choicesText(std::size_t turn) const;
    [[nodiscard]] std::vector<std::string> drawnAlone(std::size_t which) const;
    Result<void> refuseUnknown(const InputRequest& asked, const InputRequest& first,
                               const InputRequest& second) const;
    Result<void> giveInitializers(const Model& model, const Model& other,
                                  std::vector<RuntimeValue>& values) const;

    const Job& m_job;
    JobModel& m_first;
    JobModel& m_second;
    MemoryPool& m_pool;
    std::vector<std::size_t> m_fromFirst; ///< by input of the second model: input of the first, or kNone
    OpenChoice m_choice;
    std::map<std::string, std::int64_t> m_sizes; ///< of free dimensions, as the person's own inputs have them
    static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
};

} // namespace secateur
