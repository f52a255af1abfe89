// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/cpu/advisor.h"
#include "gpu/cpu/body_model.h"
#include "gpu/cpu/runner.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace secateur {

/// A plan made ready: kernels, constants, and the arena it runs in.
class PlannedRun {
  public:
    struct Outcome {
        std::vector<RuntimeValue> outputs;
        /// A value that came out in another shape or type than planned: nothing of the run is to be used.
        ValueId unplanned;
    };

    /// `origins` must outlive the plan.
    static Result<std::unique_ptr<PlannedRun>> make(const Model& model, const std::vector<NodeId>& origins,
                                                    const std::vector<RuntimeValue>& inputs,
                                                    bool isForAnyShape, const std::vector<bool>& isDynamic,
                                                    RunState& state);
    ~PlannedRun();

    Result<Outcome> run(const std::vector<RuntimeValue>& inputs, RunState& state);
    /// Of the last run; `dynamicBytes` is left to the caller.
    [[nodiscard]] RunReport report() const;
    [[nodiscard]] const ExecutionPlan& plan() const { return m_plan; }

    struct Body;

  private:
    struct Step {
        std::unique_ptr<CpuKernel> kernel;
        PreparedStep::Origin origin = PreparedStep::Origin::reference;
        std::vector<const std::byte*> inputs;
        std::vector<std::byte*> outputs;
        std::size_t reach = 0; ///< where what it writes in the arena ends
        double seconds = 0;
    };
    friend class ReferenceStep;

    PlannedRun(SpecializedModel source, const std::vector<NodeId>& origins);
    Result<void> prepare(const std::vector<bool>& isDynamic, RunState& state);
    Result<void> keepConstants(ConstantStore& constants);

    Result<void> bind(const std::vector<RuntimeValue>& inputs, RunState& state);
    void bindStep(std::size_t at);
    void findPassing();
    [[nodiscard]] std::size_t reachOf(const PlanStep& step, const CpuAdvisor& advisor) const;
    Result<void> runStep(std::size_t at, RunState& state);
    Result<void> tell(std::size_t at, RunState& state);
    void poison(std::size_t at);
    Result<Outcome> collect();
    /// A value as kernels of core take it: what lies in the arena is only borrowed.
    [[nodiscard]] RuntimeValue valueOf(std::uint32_t form) const;
    [[nodiscard]] bool isInArena(const std::byte* place) const;
    const FunctionTable& functionTable();
    Body& bodyOf(GraphId body);
    Body& functionOf(NodeId call, GraphId function, RunState& state);
    std::unique_ptr<Body>& sharedFunction(NodeId call, RunState& state) const;
    std::unique_ptr<Body> bodyFrom(BodyModel body) const;
    /// What a node is called in the whole model; itself where it was made here.
    [[nodiscard]] NodeId originOf(NodeId node) const;

    SpecializedModel m_source;
    const std::vector<NodeId>& m_origins; ///< by node; empty where this is the whole model
    ExecutionPlan m_plan;
    std::vector<Step> m_steps;                  ///< parallel to the plan's
    std::vector<std::optional<Shape>> m_shapes; ///< by value: planned, or as last seen
    std::vector<std::byte*> m_places;           ///< by storage; null where dynamic
    std::vector<RuntimeValue> m_given;          ///< by storage: external ones and outputs, as they are owned
    std::vector<RuntimeValue> m_values;         ///< by form, dynamic ones
    std::vector<std::vector<std::uint32_t>> m_dying; ///< by step: storages of the arena, for `poison`
    std::vector<std::pair<std::uint32_t, std::size_t>> m_taken; ///< forms that take an input, and which
    std::vector<std::uint32_t> m_passing; ///< forms of inputs, outputs and what came to be while running
    std::shared_ptr<std::byte> m_arena;
    ValueId m_unplanned;
    std::size_t m_reached = 0; ///< in the arena, in the last run
    double m_seconds = 0, m_referenceSeconds = 0, m_conversionSeconds = 0;
    std::optional<FunctionTable> m_functionTable;            ///< made when the first body is
    std::map<std::uint32_t, std::unique_ptr<Body>> m_bodies; ///< by graph
    std::map<std::uint32_t, Body*> m_functions;              ///< by calling node; the run's state owns them
};

} // namespace secateur
