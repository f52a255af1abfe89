// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/value_kinds.h"

#include "core/analysis/training_signs.h"
#include "core/ir/walk.h"
#include "core/onnx/operator_traits.h"

#include <algorithm>
#include <array>

namespace secateur {
namespace {

constexpr std::uint64_t kLargestNumber = 8; ///< elements; axes, paddings and factors have no more

class KindSearch {
  public:
    KindSearch(const Model& model, const TypeTable& types, const RoleTable& roles, ValueId value)
        : m_model(model), m_types(types), m_roles(roles), m_value(value) {
        for (const Use use : model.uses(value)) {
            if (model.node(use.node).kind != NodeKind::operation) continue;
            m_readers.push_back(use);
            ++m_byRole[static_cast<std::size_t>(roles.of(use.node))];
        }
    }

    [[nodiscard]] ValueUse run() const {
        if (m_readers.empty()) return {};
        if (count(Role::forward) > 0 || count(Role::recompute) > 0) return {ofNetwork(), {}};
        if (count(Role::accumulator) > 0) return ofAccumulation();
        if (count(Role::optimizer) > 0) return ofOptimizer();
        if (count(Role::loss) > 0 || count(Role::metric) > 0) return {ofLoss(), {}};
        if (!isInput() || isSingle()) return {ValueKind::gradientNumber, {}};
        // Without a loss among the outputs the derivative of the loss is all that reads the labels.
        return {isCompared() ? ValueKind::label : ValueKind::seed, {}};
    }

  private:
    [[nodiscard]] std::size_t count(Role role) const { return m_byRole[static_cast<std::size_t>(role)]; }
    [[nodiscard]] bool isInput() const {
        return m_model.isGraphInput(m_value) && !m_model.isInitializer(m_value);
    }
    [[nodiscard]] bool isNumber() const {
        const auto elements = m_types.type(m_value).elementCount();
        return elements && *elements <= kLargestNumber;
    }
    [[nodiscard]] bool isSingle() const { return isSingleElement(m_types.type(m_value)); }
    [[nodiscard]] bool isInteger() const {
        const ElementType type = m_types.type(m_value).element;
        return type == ElementType::int64 || type == ElementType::int32;
    }

    [[nodiscard]] ValueKind ofNetwork() const {
        for (const Use use : m_readers) {
            const bool isNormalization = m_model.op(use.node).starts_with("BatchNorm");
            if (isNormalization && m_roles.of(use.node) == Role::forward && (use.slot == 3 || use.slot == 4))
                return ValueKind::statistic;
        }
        if (m_value.index < m_roles.isWeight.size() && m_roles.isWeight[m_value.index])
            return ValueKind::weight;
        if (isInput()) return isTrained() ? ValueKind::weight : ValueKind::data;
        const bool canBeWeight = isFloatingPoint(m_types.type(m_value).element) && !isSingle();
        return isTrained() || (canBeWeight && !isNumber()) ? ValueKind::weight : ValueKind::constant;
    }

    /// Does any node update it, or add up its gradient?
    [[nodiscard]] bool isTrained() const {
        for (const NodeId node : m_model.nodes(m_model.mainGraph())) {
            const Role role = m_roles.of(node);
            if ((role == Role::optimizer || role == Role::accumulator) && m_roles.servedBy(node) == m_value)
                return true;
        }
        return false;
    }

    /// The weight that all readers of a role work for; none where they work for several.
    [[nodiscard]] ValueId servedBy(Role role) const {
        ValueId served;
        for (const Use use : m_readers) {
            const ValueId of = m_roles.of(use.node) == role ? m_roles.servedBy(use.node) : ValueId();
            if (served && of && of != served) return {};
            if (of) served = of;
        }
        return served;
    }

    [[nodiscard]] ValueUse ofAccumulation() const {
        const bool isSwitch = m_types.type(m_value).element == ElementType::boolean;
        const bool isBuffer = std::any_of(m_readers.begin(), m_readers.end(), [&](Use use) {
            const OperatorTraits traits = traitsOf(m_model.domain(use.node), m_model.op(use.node));
            return m_roles.of(use.node) == Role::accumulator && (!traits.isAccumulator || use.slot == 0);
        });
        if (isSwitch || !isBuffer) return {ValueKind::bufferSwitch, {}};
        return {ValueKind::gradientBuffer, servedBy(Role::accumulator)};
    }

    [[nodiscard]] ValueUse ofOptimizer() const {
        const ValueId weight = servedBy(Role::optimizer);
        const bool isShaped = weight && hasSameStaticType(m_types.type(weight), m_types.type(m_value));
        if (isShaped || (!isSingle() && !isNumber())) return {ValueKind::moment, weight};
        return {isInteger() || isCounted() ? ValueKind::stepCount : ValueKind::optimizerNumber, {}};
    }

    /// Is it an output again, with one added?
    [[nodiscard]] bool isCounted() const {
        return std::any_of(m_readers.begin(), m_readers.end(), [&](Use use) {
            if (!m_model.isOp(use.node, "Add")) return false;
            const ValueId sum = m_model.output(use.node, 0);
            const ValueId other = m_model.input(use.node, 1 - std::min<std::uint32_t>(use.slot, 1));
            return sum && m_model.isGraphOutput(sum) && other && isSingleElement(m_types.type(other));
        });
    }

    /// Do derivatives of a loss read it: classes, or numbers that the prediction is taken away from? What is
    /// only multiplied is where derivatives begin.
    [[nodiscard]] bool isCompared() const {
        if (!isFloatingPoint(m_types.type(m_value).element)) return true;
        return std::any_of(m_readers.begin(), m_readers.end(), [&](Use use) {
            const std::string_view op = m_model.op(use.node);
            return op == "Sub" || op.find("Loss") != std::string_view::npos ||
                   op.find("Entropy") != std::string_view::npos;
        });
    }

    [[nodiscard]] ValueKind ofLoss() const {
        return isInput() && !isSingle() ? ValueKind::label : ValueKind::lossNumber;
    }

    const Model& m_model;
    const TypeTable& m_types;
    const RoleTable& m_roles;
    ValueId m_value;
    std::vector<Use> m_readers;
    std::array<std::size_t, 7> m_byRole{};
};

} // namespace

std::string_view valueKindName(ValueKind kind) {
    switch (kind) {
    case ValueKind::data: return "data";
    case ValueKind::constant: return "constant";
    case ValueKind::weight: return "weight";
    case ValueKind::statistic: return "statistic";
    case ValueKind::label: return "label";
    case ValueKind::seed: return "seed";
    case ValueKind::lossNumber: return "loss-number";
    case ValueKind::gradientNumber: return "gradient-number";
    case ValueKind::gradientBuffer: return "gradient-buffer";
    case ValueKind::bufferSwitch: return "buffer-switch";
    case ValueKind::moment: return "moment";
    case ValueKind::stepCount: return "step-count";
    case ValueKind::optimizerNumber: return "optimizer-number";
    case ValueKind::unread: return "unread";
    }
    return "unread";
}

ValueUse useOf(const Model& model, const TypeTable& types, const RoleTable& roles, ValueId value) {
    return KindSearch(model, types, roles, value).run();
}

} // namespace secateur
