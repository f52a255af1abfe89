// SPDX-License-Identifier: Apache-2.0
#pragma once

// The driver of type inference over our graphs. Heavy: for .cpp files of core/onnx.

#include "core/ir/model.h"
#include "core/ir/verifier.h"
#include "core/onnx/call_memo.h"
#include "core/onnx/inference_facts.h"
#include "core/onnx/node_context.h"
#include "core/onnx/noted_problems.h"
#include "core/onnx/schema_cache.h"
#include "core/onnx/type_pool.h"
#include "core/support/cancel.h"

#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace secateur {

/// What a table holds between calls. Copyable: types and partial values are shared.
struct InferenceState {
    TypePool pool;
    std::vector<ValueFacts> values;           // by ValueId
    NotedProblems problems;                   // those of a function's body at its calls
    std::set<std::uint32_t> unknownOperators; // nodes whose operator nobody describes
    std::set<std::uint32_t> laterOperators;   // nodes whose operator their opset does not have yet
    std::string symbolStem = "unk__";
    std::uint64_t visits = 0;
    bool hasUnsortedGraph = false;
    std::vector<ValueId> changed; // by the last visit of a cone

    /// Drops what is noted about nodes that are no more.
    void forgetErased(const Model& model);
};

/// One run over a model: all of it, or the cone behind some nodes.
class InferenceEngine {
  public:
    InferenceEngine(const Model& model, InferenceState& state);

    /// Infers everything anew; returns early, with what it has, when the work is cancelled.
    void inferAll(const WorkContext& work);
    /// Visits `nodes` and all that depends on what changes there. `changed` are values without a producer
    /// whose facts were set from outside, `roots` are root graphs whose inputs may have changed.
    void inferBehind(std::span<const NodeId> nodes, std::span<const ValueId> changed,
                     std::span<const GraphId> roots);

    // --- what the contexts ask ---
    [[nodiscard]] const Model& model() const { return m_model; }
    [[nodiscard]] const TypePool& pool() const { return m_state.pool; }
    [[nodiscard]] const ValueFacts& facts(const Frame& frame, ValueId value) const;
    /// constantOf, through calls and attribute references.
    [[nodiscard]] TensorPtr constant(const Frame& frame, ValueId value) const;
    /// The attribute itself, or what the call gives for the reference it is; null when the call gives
    /// nothing.
    [[nodiscard]] const Attribute* resolve(const Frame& frame, const Attribute& attribute) const;
    /// Infers a body of the node of `context`; the pointers are valid until the engine goes.
    std::vector<const onnx::TypeProto*> inferBody(NodeContext& context, GraphId body,
                                                  const std::vector<const onnx::TypeProto*>& inputs);
    void setPartialValue(NodeContext& context, std::size_t output, onnx::TensorShapeProto&& value);

    // --- of values that no node makes ---
    /// Sets the facts of an initializer or of a name that is only declared. True when they changed.
    bool setUnproduced(ValueId value);
    /// Sets the facts of the inputs of a root graph.
    void setRootInputs(GraphId graph);

  private:
    enum class Mode { everything, cone };

    void runGraph(Frame& frame, GraphId graph);
    void drain(Frame& frame, GraphId graph);
    void visit(Frame& frame, NodeId node);
    void infer(NodeContext& context);
    void callFunction(NodeContext& context, GraphId function);
    bool runCall(Frame& callee, GraphId function, CallMemo::Outcome& outcome);
    void tellProblems(const NodeContext& context, const CalleeProblems& problems);
    void takeResults(NodeContext& context, const std::vector<ValueFacts>& results);
    [[nodiscard]] bool mentions(const std::vector<ValueFacts>& results, std::string_view stem) const;
    void returnValues(NodeContext& context);
    void bindCall(NodeContext& context, GraphId function, Frame& callee);
    void checkArity(const NodeContext& context, const SchemaEntry& schema) const;
    void assignOutputs(NodeContext& context);
    void assign(Frame& frame, ValueId value, onnx::TypeProto& type, bool restsOnDeclaration, NodeId reportAt);
    void propagateValues(NodeContext& context, const SchemaEntry& schema);
    void inferOtherBodies(NodeContext& context);
    [[nodiscard]] ValueFacts& factsOf(Frame& frame, ValueId value);
    [[nodiscard]] std::string stemOf(const Frame& frame, ValueId value) const;
    [[nodiscard]] std::string bodyStem(const NodeContext& context) const;
    void report(const Frame& frame, NodeId node, ValueId value, Problem::Severity severity, std::string id,
                std::string text);
    void reportContradiction(const Frame& frame, NodeId node, ValueId value, const Type& declared,
                             std::uint32_t inferred);
    void setChanged(ValueId value);
    void mark(NodeId node);
    [[nodiscard]] NodeContext& contextAt(std::size_t depth);
    void findSymbolStem();

    const Model& m_model;
    InferenceState& m_state;
    SchemaCache m_schemas;
    Frame m_own; // of the model's graphs
    Mode m_mode = Mode::everything;
    const WorkContext* m_work = nullptr;
    std::vector<std::unique_ptr<NodeContext>> m_contexts; // by depth of nesting
    std::size_t m_depth = 0;
    std::uint64_t m_callVisits = 0; // inside function bodies
    CallMemo m_calls;
    std::uint64_t m_recursions = 0;      // calls that were refused because they stand inside of themselves
    std::vector<CallProblems> m_inCalls; // of the calls that are being run, outermost first
    std::map<std::uint32_t, std::vector<NodeId>> m_orders; // of unsorted graphs
    std::map<std::uint32_t, std::set<std::pair<std::uint64_t, std::uint32_t>>>
        m_pending;                    // by graph: order, node
    std::set<std::uint32_t> m_active; // nodes whose bodies are being inferred
};

} // namespace secateur
