// SPDX-License-Identifier: Apache-2.0
//
// Shared by the files of jobs; not for others.
#pragma once

#include "core/exec/job_compare.h"

#include <map>
#include <string>
#include <vector>

namespace secateur {

/// Values by the name of the input or output that they belong to.
using NamedValues = std::map<std::string, RuntimeValue, std::less<>>;

/// One set of inputs as the two models of a comparison ran on it.
struct RanSet {
    std::string text;
    std::uint64_t seed = 0;
    bool isEdge = false;
    NamedValues inputs;   ///< all that either model takes
    NamedValues expected; ///< what the second model gave
};

/// The side models of a comparison (SideModel): all stand ready while sets of inputs come and go, so that
/// none of these has to be kept. What goes wrong with one of them is told in its answer and harms no other.
class SideRuns {
  public:
    SideRuns(const Job& job, const WorkContext& work, MemoryPool& pool)
        : m_job(job), m_work(work), m_pool(pool) {}

    /// Opens them, narrowed to the outputs of these names.
    Result<void> open(const std::vector<std::string>& outputs);
    /// Runs each on one set. Fails only when cancelled.
    Result<void> run(const RanSet& set);
    /// Runs what waits for all its sets (a process of ONNX Runtime starts once), and gives the answers.
    Result<std::vector<SideAnswer>> finish();
    /// How long they ran so far.
    [[nodiscard]] double seconds() const { return m_seconds; }

  private:
    struct Side {
        std::size_t number = 0;
        JobModel model;
        std::vector<std::string> outputs; ///< names by output of the model
        SideAnswer answer;
        std::vector<RanSet> waiting; ///< of a device that runs all at once
    };
    Result<void> openOne(Side& side, const std::vector<std::string>& outputs) const;
    Result<std::vector<RuntimeValue>> inputsOf(const Side& side, const RanSet& set);
    Result<NamedValues> runOne(Side& side, const RanSet& set);
    void compareOne(Side& side, const RanSet& set, const NamedValues& given,
                    const NamedValues* previous) const;
    Result<void> runWaiting(Side& side);
    Result<void> locate(Side& side, const RanSet& set);
    [[nodiscard]] bool takes(const Side& side, const RanSet& set) const;

    const Job& m_job;
    const WorkContext& m_work;
    MemoryPool& m_pool;
    std::vector<std::string> m_outputs;
    std::vector<Side> m_sides;
    double m_seconds = 0;
};

} // namespace secateur
