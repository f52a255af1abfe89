// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/cpu/cpu_kernel.h"

#include <unordered_map>

namespace secateur {

/// The initializers of a model, read when first asked for.
class ConstantStore {
  public:
    ConstantStore(const Model& model, MemoryPool& pool) : m_model(&model), m_pool(&pool) {}

    /// The contents of a value that no run changes; absent where it is none. Fails where they are damaged.
    Result<RuntimeValue> constant(ValueId value);
    [[nodiscard]] MemoryPool& pool() const { return *m_pool; }
    /// Lets go of what is kept for no value of `needed` (by value id).
    void keepOnly(const std::vector<bool>& needed);

  private:
    const Model* m_model;
    MemoryPool* m_pool;
    std::unordered_map<std::uint32_t, RuntimeValue> m_read;
};

/// Chooses kernels and layouts for the nodes of a plan.
class CpuAdvisor : public PlanAdvisor {
  public:
    CpuAdvisor(const SpecializedModel& model, RunMode mode, ConstantStore& constants)
        : m_source(model), m_mode(mode), m_constants(constants) {}

    Result<StepRequest> request(NodeId node, std::span<const LayoutCode> layouts) override;
    [[nodiscard]] std::uint64_t bytesOf(ValueId value, LayoutCode layout) const override;

    /// What was chosen for a node; a step without a kernel where it was never asked for.
    [[nodiscard]] PreparedStep take(NodeId node);

  private:
    /// Kernels may hold tables of the size of their results: what can never be is refused before.
    Result<void> checkSizes(const NodeFacts& facts) const;
    Result<NodeFacts> factsOf(NodeId node, std::span<const LayoutCode> layouts);

    const SpecializedModel& m_source;
    RunMode m_mode;
    ConstantStore& m_constants;
    std::unordered_map<std::uint32_t, PreparedStep> m_steps; ///< by node
};

} // namespace secateur
