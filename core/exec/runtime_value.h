// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/exec/tensor_data.h"

#include <memory>
#include <variant>
#include <vector>

namespace secateur {

struct SequenceData;
struct OptionalData;

/// What flows along one value while a model runs: a tensor, a sequence, an optional, or nothing (an omitted
/// input, a result that nobody asked for). Copies share their contents, which are never changed once handed
/// on.
class RuntimeValue {
  public:
    RuntimeValue() = default;
    RuntimeValue(TensorData tensor) : m_value(std::move(tensor)) {}
    RuntimeValue(std::shared_ptr<const SequenceData> sequence) : m_value(std::move(sequence)) {}
    RuntimeValue(std::shared_ptr<const OptionalData> optional) : m_value(std::move(optional)) {}

    [[nodiscard]] bool isAbsent() const { return std::holds_alternative<std::monostate>(m_value); }
    [[nodiscard]] const TensorData* tensor() const { return std::get_if<TensorData>(&m_value); }
    [[nodiscard]] const SequenceData* sequence() const {
        const auto* held = std::get_if<std::shared_ptr<const SequenceData>>(&m_value);
        return held == nullptr ? nullptr : held->get();
    }
    [[nodiscard]] const OptionalData* optional() const {
        const auto* held = std::get_if<std::shared_ptr<const OptionalData>>(&m_value);
        return held == nullptr ? nullptr : held->get();
    }
    /// "float[2,3]", "seq of 4", "optional, empty", "nothing": for messages.
    [[nodiscard]] std::string text() const;

  private:
    std::variant<std::monostate, TensorData, std::shared_ptr<const SequenceData>,
                 std::shared_ptr<const OptionalData>>
        m_value;
};

/// A sequence of tensors (or of whatever ONNX puts into one).
struct SequenceData {
    ElementType element = ElementType::undefined; ///< of its tensors, known also when it is empty
    std::vector<RuntimeValue> items;
    std::shared_ptr<void> charged{}; ///< what the items take beside their elements, where that is counted
};

/// An optional: `value` is absent when it is empty.
struct OptionalData {
    RuntimeValue value;
};

} // namespace secateur
