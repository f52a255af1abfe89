// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/exec/random.h"
#include "core/exec/run_limits.h"
#include "core/exec/runtime_value.h"
#include "core/ir/model.h"
#include "core/support/cancel.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace secateur {

/// Runs a body graph: its inputs in order, to its outputs in order.
using BodyRunner =
    std::function<Result<std::vector<RuntimeValue>>(GraphId body, std::vector<RuntimeValue> inputs)>;

/// Whether operators with a training mode run in it.
enum class RunMode : std::uint8_t {
    asWritten,                    ///< as the attributes and inputs of the node say
    inference,                    ///< Dropout passes through, BatchNormalization uses its running statistics
    inferenceWithBatchStatistics, ///< Dropout passes through, BatchNormalization is as the node says
};

/// One call of an operator: what a kernel reads and where it leaves its results.
class KernelCall {
  public:
    const Model* model = nullptr;
    NodeId node;
    std::int64_t opset = 0; ///< version of the node's domain in its scope
    std::span<const RuntimeValue> inputs;
    std::span<RuntimeValue> outputs; ///< as many as the node has result slots
    MemoryPool* pool = nullptr;
    RandomStream* random = nullptr; ///< of this node: the same for the same seed, whatever else runs
    RunMode mode = RunMode::asWritten;
    LoopBudget* loops = nullptr; ///< of all loops of the run
    const WorkContext* work = nullptr;
    const BodyRunner* runBody = nullptr;
    /// By value: the shapes of the tensors seen so far in this run. Null where a node is run by itself.
    const std::vector<std::optional<Shape>>* shapesSeen = nullptr;
    /// Attributes of the call that a function body is run for; its nodes may refer to them. Null outside
    /// functions.
    const AttributeList* callAttributes = nullptr;

    [[nodiscard]] bool hasInput(std::size_t slot) const {
        return slot < inputs.size() && !inputs[slot].isAbsent();
    }
    /// Is the result of this slot asked for?
    [[nodiscard]] bool wants(std::size_t slot) const { return !model->output(node, slot).isNone(); }
    /// The shape that a value had in this run; null where it was not seen.
    [[nodiscard]] const Shape* shapeSeen(ValueId value) const {
        if (shapesSeen == nullptr || value.index >= shapesSeen->size()) return nullptr;
        const std::optional<Shape>& seen = (*shapesSeen)[value.index];
        return seen ? &*seen : nullptr;
    }
    /// The tensor in an input slot; an error that names the slot where there is none.
    Result<const TensorData*> tensor(std::size_t slot) const;
    /// The same, null where the slot is omitted.
    Result<const TensorData*> optionalTensor(std::size_t slot) const;
    /// A result of the given type and shape, zeroed, to be filled; it is put into its slot by `setOutput`.
    Result<TensorData> make(ElementType type, Shape shape) const {
        return TensorData::make(*pool, type, std::move(shape));
    }
    /// Counts what a kernel works in, beside its operands: `elements` of `each` bytes, for as long as the
    /// result lives. Fails beyond the limit: asked before the memory is taken.
    [[nodiscard]] Result<std::shared_ptr<void>> chargeScratch(std::uint64_t elements,
                                                              std::size_t each) const {
        std::uint64_t bytes = 0;
        return pool->charge(__builtin_mul_overflow(elements, std::uint64_t{each}, &bytes) ? UINT64_MAX
                                                                                          : bytes);
    }
    void setOutput(std::size_t slot, RuntimeValue value) const {
        if (slot < outputs.size()) outputs[slot] = std::move(value);
    }

    /// The attribute, with a reference to an attribute of the calling node followed; null where it is not
    /// given.
    [[nodiscard]] const Attribute* attribute(std::string_view name) const;
    [[nodiscard]] std::int64_t integer(std::string_view name, std::int64_t otherwise) const;
    [[nodiscard]] float real(std::string_view name, float otherwise) const;
    [[nodiscard]] std::string_view text(std::string_view name, std::string_view otherwise) const;
    /// Null where the attribute is not given.
    [[nodiscard]] const std::vector<std::int64_t>* integers(std::string_view name) const;
    [[nodiscard]] const std::vector<float>* reals(std::string_view name) const;
    /// The integers of an int32 or int64 tensor input; none where the slot is omitted.
    Result<std::optional<std::vector<std::int64_t>>> integersIn(std::size_t slot) const;

    /// An error of this node: `id` names the sentence. The runner adds the node's name as the place.
    [[nodiscard]] Error fail(std::string_view id, std::vector<std::string> arguments = {}) const;
    /// The type of input `slot` is none that this kernel has code for.
    [[nodiscard]] Error noCodeFor(ElementType type) const;
};

/// Runs one call. Results it does not set stay absent.
using Kernel = Result<void> (*)(const KernelCall&);

/// Runs a kernel on a call: how every kernel is run. Refuses operands that the standard wants of one type and
/// that are not; errors name the node; memory that a kernel cannot get is an error as well.
Result<void> runKernel(Kernel kernel, const KernelCall& call);

/// One row of a kernel table: operator `op` of `domain` ("" is ai.onnx) from version `since` of its domain
/// on. The row with the largest `since` not above the imported version is taken.
struct KernelEntry {
    std::string_view domain, op;
    std::int64_t since = 1;
    Kernel run = nullptr;
};

/// The kernel for an operator at an opset version; null where there is none.
[[nodiscard]] Kernel findKernel(std::string_view domain, std::string_view op, std::int64_t opset);
/// All rows, sorted by domain, operator, version.
[[nodiscard]] std::span<const KernelEntry> allKernels();

} // namespace secateur
