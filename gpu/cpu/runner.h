// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/exec/backend.h"
#include "gpu/cpu/thread_pool.h"

#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace secateur {

class PlannedRun;
struct FunctionBodies;

/// What a run and the bodies inside it share.
struct RunState {
    BackendOptions options;
    bool poisonsFreedMemory = false; ///< for tests: what nobody needs any more is overwritten at once
    MemoryPool fixed;                ///< constants
    MemoryPool arenas, dynamic;      ///< arenas, and all else, within the same limit
    ThreadPool threads;
    std::unordered_map<std::uint32_t, RandomStream> streams; ///< by node of the whole model, for one run
    LoopBudget loops;
    const WorkContext* work = nullptr;
    double innerSeconds = 0; ///< of the steps that ran inside the step that runs
    double referenceSeconds = 0, conversionSeconds = 0;
    double planSeconds = 0; ///< of all runs so far, see RunReport
    /// Of all functions, made when the first is called: one that is called again is not made again.
    std::shared_ptr<FunctionBodies> functions;

    explicit RunState(BackendOptions given)
        : options(std::move(given)),
          fixed(options.within ? options.within->sibling() : MemoryPool(options.limits.memoryBytes)),
          arenas(fixed.sibling()), dynamic(fixed.sibling()), threads(options.threads) {}
};

/// Runs one model, or one body, with a plan for each tuple of input shapes.
class Runner {
  public:
    /// `origins`, by node: what it is called in the whole model; itself where the list is empty.
    explicit Runner(Model model, std::vector<NodeId> origins = {});
    ~Runner();

    /// Inputs in the order of the main graph's; absent where the initializer stands in.
    Result<std::vector<RuntimeValue>> run(std::vector<RuntimeValue> inputs, RunState& state);
    [[nodiscard]] const Model& model() const { return m_model; }
    /// The plan of the last run; null before the first.
    [[nodiscard]] const PlannedRun* lastPlan() const { return m_last; }

  private:
    Model m_model;
    std::vector<NodeId> m_origins;
    std::map<std::string, std::unique_ptr<PlannedRun>> m_plans; ///< by the types and shapes of the inputs
    std::vector<bool> m_isDynamic; ///< by value: had another shape than inference said
    [[nodiscard]] bool isAsLast(const std::vector<RuntimeValue>& inputs) const;
    void remember(const std::vector<RuntimeValue>& inputs);
    void giveUp(ValueId unplanned);

    PlannedRun* m_last = nullptr;
    /// Of the inputs of the last run: absent, no tensor, or of this type and shape.
    struct Seen {
        ElementType type = ElementType::undefined;
        Shape shape;
        bool isTensor = false, isAbsent = false;
    };
    std::vector<Seen> m_seen;
};

} // namespace secateur
