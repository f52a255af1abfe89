// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/exec/kernel.h"

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace secateur {

/// How a model is run by the reference kernels.
struct ReferenceOptions {
    RunMode mode = RunMode::asWritten;
    std::uint64_t seed = 0; ///< of random operators: the same seed gives the same numbers on every machine
    RunLimits limits;
    /// Told of each node that ran, bodies included, with its results.
    std::function<void(NodeId, std::span<const RuntimeValue>)> onNode;
    /// Another pool whose limit is the one of this run, too; else limits.memoryBytes is.
    std::optional<MemoryPool> within{};
};

/// Runs a model node by node with the reference kernels: one thread, no reordering of arithmetic, the same
/// bytes on every machine. It is what other backends are checked against, and what constants are folded by.
/// Knows ai.onnx, the training operators, control flow and model-local functions; an operator without a
/// kernel runs through the function body of its schema. Results are freed after their last use.
class ReferenceRunner {
  public:
    /// Looks at every node before anything runs. Fails with `missing`, naming operators and nodes, where
    /// something has neither kernel nor body, and with `invalidInput` where the graph has a cycle. The model
    /// must outlive the runner and not change.
    static Result<ReferenceRunner> prepare(const Model& model, ReferenceOptions options = {});
    ReferenceRunner(ReferenceRunner&&) noexcept;
    ReferenceRunner& operator=(ReferenceRunner&&) noexcept;
    ~ReferenceRunner();

    /// Runs the main graph: `inputs` in the order of its inputs, absent where the initializer of that name
    /// stands in. Gives its outputs in order. Shapes and element types are checked against the declared ones.
    Result<std::vector<RuntimeValue>> run(std::vector<RuntimeValue> inputs, const WorkContext& work = {});

    /// The model that is run: the one given, with function bodies written in place of operators without a
    /// kernel.
    [[nodiscard]] const Model& model() const;
    [[nodiscard]] const MemoryPool& pool() const;

  private:
    struct State;
    explicit ReferenceRunner(std::unique_ptr<State> state);
    std::unique_ptr<State> m_state;
};

/// Do these values (in the order of the main graph's inputs, absent where an initializer stands in) fit what
/// the model declares? Only what the declared types say is compared.
Result<void> checkInputs(const Model& model, std::span<const RuntimeValue> inputs);
/// The seed of a random node: by the name of what it makes, so that it draws the same numbers in a model that
/// other nodes were cut from; a node whose results have no names goes by its place.
[[nodiscard]] std::uint64_t seedOfNode(const Model& model, NodeId node, std::uint64_t seed);

/// Runs one node by its reference kernel on the given inputs; for folding. Nodes that hold bodies or call
/// functions, and random operators, are refused with `missing`.
Result<std::vector<RuntimeValue>> evaluateNode(const Model& model, NodeId node,
                                               std::span<const RuntimeValue> inputs, MemoryPool& pool);

} // namespace secateur
