// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/exec/execution_plan.h"
#include "core/exec/kernel.h"
#include "gpu/cpu/thread_pool.h"

#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace secateur {

/// Where one run of a step finds its operands.
struct StepMemory {
    std::span<const std::byte* const> inputs; ///< by slot; null where omitted or held by the kernel
    std::span<std::byte* const> outputs;      ///< by slot; null where omitted; contents undefined before
    std::byte* workspace = nullptr;
    ThreadPool& threads;

    [[nodiscard]] const float* floats(std::size_t slot) const {
        return reinterpret_cast<const float*>(inputs[slot]);
    }
    [[nodiscard]] float* result(std::size_t slot = 0) const {
        return reinterpret_cast<float*>(outputs[slot]);
    }
};

/// A node made ready for operands of known types, shapes and layouts.
class CpuKernel {
  public:
    virtual ~CpuKernel() = default;
    /// Do the contents of the operands (indices, say) allow it? Where not, the reference kernel runs, and
    /// says what is wrong. A kernel that asks this takes plain operands only, and holds none.
    [[nodiscard]] virtual bool canRun(const StepMemory&) const { return true; }
    virtual void run(const StepMemory& memory) = 0;
};

/// What is known of an operand before anything runs.
struct OperandFacts {
    bool isPresent = false;
    ElementType type = ElementType::undefined;
    Shape shape;
    LayoutCode layout = kPlainLayout;
    const TensorData* constant = nullptr; ///< its contents, where no run gives it others

    [[nodiscard]] bool isFloat() const { return isPresent && type == ElementType::float32; }
    [[nodiscard]] std::int64_t count() const {
        return static_cast<std::int64_t>(elementCountOf(shape).value_or(0));
    }
};

/// A node, and what is known of its operands.
struct NodeFacts {
    KernelCall call; ///< its attributes; its operands are those of `constants`
    std::vector<OperandFacts> inputs, outputs;
    std::vector<RuntimeValue> constants; ///< by input slot; absent where a run gives the value

    [[nodiscard]] bool has(std::size_t slot) const { return slot < inputs.size() && inputs[slot].isPresent; }
    [[nodiscard]] bool wants(std::size_t slot) const {
        return slot < outputs.size() && outputs[slot].isPresent;
    }
    /// Are all inputs from `slot` on constants, or omitted?
    [[nodiscard]] bool isConstantFrom(std::size_t slot) const;
    /// Has every present input and output elements, and are all of these floats?
    [[nodiscard]] bool isAllFloat() const;
};

/// A kernel and what it wants from the plan.
struct PreparedStep {
    enum class Origin : std::uint8_t { onednn, own, reference };
    std::unique_ptr<CpuKernel> kernel; ///< null: the reference kernel
    StepRequest request;
    Origin origin = Origin::reference;
};

/// A request for plain operands and results, sizes filled in.
[[nodiscard]] StepRequest plainRequest(const NodeFacts& facts);
/// An own kernel with that request.
[[nodiscard]] PreparedStep ownStep(const NodeFacts& facts, std::unique_ptr<CpuKernel> kernel);

} // namespace secateur
