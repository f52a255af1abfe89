// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/exec/specialized_model.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

namespace secateur {

/// How the elements of a tensor lie in memory: plain is dense and row major, everything else is a number of
/// the backend, which knows the bytes it takes.
using LayoutCode = std::uint32_t;
inline constexpr LayoutCode kPlainLayout = 0;
/// A step holds this input in a form of its own (weights made ready) and reads nothing at run time.
inline constexpr LayoutCode kHeldByStep = std::numeric_limits<LayoutCode>::max();

/// A piece of memory of a plan. Several values lie in one where they are aliases of each other, or where a
/// result takes the place of an operand that nobody reads any more.
struct PlanStorage {
    enum class Kind : std::uint8_t {
        arena,    ///< at `offset` of the arena
        output,   ///< memory of its own that leaves the run with an output
        external, ///< the caller's input, or an initializer: never written
        dynamic,  ///< known only while running: strings, sequences, shapes that depend on data
    };
    Kind kind = Kind::arena;
    LayoutCode layout = kPlainLayout; ///< of what is written into it first
    std::uint64_t bytes = 0;
    std::int64_t first = 0, last = 0; ///< steps, both included
    std::int64_t offset = 0;
};

/// A value in one layout. A value that readers want in several has several forms.
struct PlanForm {
    ValueId value;
    LayoutCode layout = kPlainLayout;
    std::uint32_t storage = 0;
};

/// One thing to do.
struct PlanStep {
    enum class Kind : std::uint8_t {
        run,     ///< the node, all sizes known
        dynamic, ///< the node, with a value whose size only a run tells
        alias,   ///< the result is the operand under another shape: nothing to do
        copy,    ///< as alias, but the bytes are wanted elsewhere
        convert, ///< inputs[0] into the layout of outputs[0]
    };
    static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

    Kind kind = Kind::run;
    NodeId node;                         ///< none for `convert`
    std::vector<std::uint32_t> inputs;   ///< forms by slot; kNone where omitted or held by the step
    std::vector<std::uint32_t> outputs;  ///< forms by slot; kNone where omitted
    std::vector<std::uint32_t> captures; ///< forms of what bodies of the node read from outside
    std::uint32_t workspace = kNone;     ///< storage
};

/// What is to be done for inputs of given shapes, and where everything lies. Steps have three phases: results
/// and workspace come, the step runs, what nobody reads any more goes. Storages live [first writer, last
/// reader of any alias]; a result that nobody reads lives exactly one step.
struct ExecutionPlan {
    std::vector<PlanStep> steps;
    std::vector<PlanForm> forms;
    std::vector<PlanStorage> storages;
    std::vector<std::uint32_t> outputs; ///< plain forms, by output of the main graph; kNone for none
    std::int64_t arenaBytes = 0;
    std::int64_t lowerBound = 0; ///< the most bytes of the arena's storages at one step
    std::uint64_t dynamicSteps = 0, conversions = 0, inPlaceResults = 0;
};

/// What a backend wants for one node.
struct StepRequest {
    struct Slot {
        LayoutCode layout = kPlainLayout;
        std::uint64_t bytes = 0;
        /// Input slots that this result may be written over while the node runs.
        std::vector<std::size_t> overwrites;
    };
    std::vector<LayoutCode> inputs; ///< by slot
    std::vector<Slot> outputs;      ///< by slot
    std::uint64_t workspaceBytes = 0;
};

/// What a backend says while a plan is made, node by node in the order of the steps.
class PlanAdvisor {
  public:
    virtual ~PlanAdvisor() = default;
    /// For a node all sizes of which are known. `layouts`: those that its inputs lie in so far.
    virtual Result<StepRequest> request(NodeId node, std::span<const LayoutCode> layouts) = 0;
    /// Bytes of a value of known shape in one of the backend's layouts.
    [[nodiscard]] virtual std::uint64_t bytesOf(ValueId value, LayoutCode layout) const = 0;
};

inline constexpr std::int64_t kPlanAlignment = 64;

/// The shape of a tensor whose size is known before anything runs, as inference proves it; none for strings,
/// sequences, and shapes that depend on data.
[[nodiscard]] std::optional<Shape> plannedShape(const SpecializedModel& model, ValueId value);
/// Does the node hand on its first input under another shape, bytes untouched (Reshape, Flatten, Squeeze,
/// Unsqueeze, Identity, Dropout outside training)?
[[nodiscard]] bool isViewNode(const SpecializedModel& model, NodeId node, RunMode mode);

/// Plans the main graph in the order of core/exec/run_order.h. Values in `isDynamic` (by value id; may be
/// shorter) are treated as unknown whatever inference says. Bodies of If, Loop and Scan are no part of the
/// plan: they run in memory of their own, and what they read from outside counts as read by their node. The
/// plan is checked (plan_check.h) before it is handed out.
Result<ExecutionPlan> planExecution(const SpecializedModel& model, RunMode mode, PlanAdvisor& advisor,
                                    const std::vector<bool>& isDynamic = {});

} // namespace secateur
