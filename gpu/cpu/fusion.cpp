// SPDX-License-Identifier: Apache-2.0
#include "gpu/cpu/fusion.h"

#include "core/analysis/operator_mode.h"
#include "core/exec/tensor_data.h"
#include "core/ir/constants.h"
#include "core/ir/editor.h"
#include "core/ir/journal.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace secateur {
namespace {

/// What is done to each channel: x * factor + addend.
struct ChannelMap {
    std::vector<double> factors, addends;

    explicit ChannelMap(std::size_t channels) : factors(channels, 1), addends(channels, 0) {}
    [[nodiscard]] bool isFinite() const {
        const auto finite = [](double x) { return std::isfinite(x); };
        return std::all_of(factors.begin(), factors.end(), finite) &&
               std::all_of(addends.begin(), addends.end(), finite);
    }
};

class Fuser {
  public:
    Fuser(SpecializedModel& source, RunMode mode, const MemoryPool& pool)
        : m_source(source), m_model(source.model), m_editor(source.model), m_mode(mode), m_pool(pool) {}

    void foldChannels() {
        for (const NodeId node : convolutions())
            fold(node);
    }

    /// The type of a result stays what it was: types are not to be inferred after this.
    void takeActivations() {
        for (const NodeId node : convolutions()) {
            const NodeId next = onlyReader(m_model.output(node, 0));
            if (next.isNone() || !m_model.isOp(next, "HardSwish") || m_model.output(next, 0).isNone())
                continue;
            m_editor.setAttribute(node, Attribute::of("activation", std::string("HardSwish")));
            m_editor.setOperator(node, "Conv", "secateur");
            m_editor.replace(m_model.output(next, 0), m_model.output(node, 0));
            m_editor.eraseNode(next);
        }
    }

  private:
    [[nodiscard]] std::vector<NodeId> convolutions() const {
        std::vector<NodeId> found;
        for (const NodeId node : m_model.nodes(m_model.mainGraph()))
            if (m_model.isOp(node, "Conv") && isFoldable(node)) found.push_back(node);
        return found;
    }

    [[nodiscard]] std::optional<TensorData> floatsOf(ValueId value) {
        const TensorPtr constant = constantOf(m_model, value);
        if (constant == nullptr || constant->type != ElementType::float32) return std::nullopt;
        auto read = TensorData::from(m_pool, *constant);
        if (!read) return std::nullopt;
        return std::move(*read);
    }

    [[nodiscard]] bool isFoldable(NodeId node) const {
        const auto isFloat = [&](ValueId value) {
            const TensorPtr constant = constantOf(m_model, value);
            return constant != nullptr && constant->type == ElementType::float32;
        };
        const ValueId weights = m_model.input(node, 1), bias = m_model.input(node, 2);
        return isFloat(weights) && constantOf(m_model, weights)->dims.size() >= 3 &&
               (bias.isNone() || isFloat(bias)) && !m_model.output(node, 0).isNone();
    }

    /// The one node of the main graph that reads a value, and nobody else; none where there is no such.
    [[nodiscard]] NodeId onlyReader(ValueId value) const {
        if (m_model.useCount(value) != 1) return {};
        const Use use = *m_model.uses(value).begin();
        const Node& reader = m_model.node(use.node);
        const bool isHere = reader.kind == NodeKind::operation && reader.graph == m_model.mainGraph();
        return isHere ? use.node : NodeId();
    }

    void fold(NodeId node) {
        const std::vector<std::int64_t> shape = constantOf(m_model, m_model.input(node, 1))->dims;
        ChannelMap map(static_cast<std::size_t>(shape[0]));
        std::vector<NodeId> taken;
        ValueId last = m_model.output(node, 0);
        for (NodeId next = onlyReader(last); !next.isNone(); next = onlyReader(last)) {
            ChannelMap longer = map;
            if (!append(next, last, shape.size(), longer) || !longer.isFinite()) break;
            map = std::move(longer);
            taken.push_back(next);
            last = m_model.output(next, 0);
        }
        if (taken.empty() || !rewrite(node, map)) return;
        m_editor.replace(last, m_model.output(node, 0));
        m_editor.eraseNodes(taken);
    }

    /// Does `node` map the channels of `x` one by one? Then `map` does so as well.
    bool append(NodeId node, ValueId x, std::size_t rank, ChannelMap& map) {
        if (m_model.output(node, 0).isNone()) return false;
        if (m_model.isOp(node, "BatchNormalization")) return appendNormalization(node, x, map);
        constexpr std::int64_t kNumpyRule = 7;
        if (m_model.opsetVersion("").value_or(0) < kNumpyRule || !m_model.isDefaultDomain(node)) return false;
        const std::string_view op = m_model.op(node);
        const bool isProduct = op == "Mul" || op == "Div", isSum = op == "Add" || op == "Sub";
        if (!isProduct && !isSum) return false;
        const bool isFirst = m_model.input(node, 0) == x;
        if (!isFirst && (op == "Div" || op == "Sub")) return false;
        const auto numbers = perChannel(m_model.input(node, isFirst ? 1 : 0), rank, map.factors.size());
        if (!numbers) return false;
        for (std::size_t c = 0; c < numbers->size(); ++c) {
            const double number = (*numbers)[c];
            if (isSum) {
                map.addends[c] += op == "Add" ? number : -number;
                continue;
            }
            const double factor = op == "Mul" ? number : 1 / number;
            map.factors[c] *= factor;
            map.addends[c] *= factor;
        }
        return true;
    }

    /// A constant that has one number for all channels, or one for each, and no other extent.
    std::optional<std::vector<double>> perChannel(ValueId value, std::size_t rank, std::size_t channels) {
        const auto tensor = value.isNone() ? std::nullopt : floatsOf(value);
        if (!tensor || tensor->rank() > rank) return std::nullopt;
        const std::size_t lead = rank - tensor->rank();
        for (std::size_t d = 0; d < tensor->rank(); ++d) {
            const std::int64_t dim = tensor->shape()[d];
            const bool isChannel = d + lead == 1 && dim == static_cast<std::int64_t>(channels);
            if (dim != 1 && !isChannel) return std::nullopt;
        }
        const auto cells = tensor->as<float>();
        std::vector<double> numbers(channels);
        for (std::size_t c = 0; c < channels; ++c)
            numbers[c] = static_cast<double>(cells[cells.size() == 1 ? 0 : c]);
        return numbers;
    }

    bool appendNormalization(NodeId node, ValueId x, ChannelMap& map) {
        if (m_model.input(node, 0) != x || m_model.intAttribute(node, "spatial", 1) != 1 ||
            (takesBatchStatistics(m_model, node) && m_mode != RunMode::inference))
            return false;
        const auto outputs = m_model.outputs(node);
        for (std::size_t slot = 1; slot < outputs.size(); ++slot)
            if (!outputs[slot].isNone()) return false;
        std::vector<TensorData> parts;
        for (std::size_t slot = 1; slot < 5; ++slot) {
            auto part = floatsOf(m_model.input(node, slot));
            if (!part || part->count() != map.factors.size()) return false;
            parts.push_back(std::move(*part));
        }
        const auto epsilon = static_cast<double>(m_model.floatAttribute(node, "epsilon", 1e-5F));
        for (std::size_t c = 0; c < map.factors.size(); ++c) {
            const auto at = [&](std::size_t part) { return static_cast<double>(parts[part].as<float>()[c]); };
            const double factor = at(0) / std::sqrt(at(3) + epsilon);
            map.factors[c] *= factor;
            map.addends[c] = (map.addends[c] - at(2)) * factor + at(1);
        }
        return true;
    }

    /// Weights and bias that do what the convolution and then `map` did.
    bool rewrite(NodeId node, const ChannelMap& map) {
        auto weights = floatsOf(m_model.input(node, 1));
        if (!weights || map.factors.empty()) return false;
        const std::size_t channels = map.factors.size(), each = weights->as<float>().size() / channels;
        std::vector<double> bias(channels, 0.0);
        if (const ValueId given = m_model.input(node, 2); !given.isNone()) {
            const auto read = floatsOf(given);
            if (!read || read->count() != channels) return false;
            for (std::size_t c = 0; c < channels; ++c)
                bias[c] = static_cast<double>(read->as<float>()[c]);
        }
        auto shifted = TensorData::make(m_pool, ElementType::float32, {static_cast<std::int64_t>(channels)});
        if (!shifted) return false;
        // What the model holds of them from now on.
        auto charge = m_pool.charge(weights->byteSize() + shifted->byteSize());
        if (!charge) return false;
        m_source.charges.push_back(std::move(*charge));
        for (std::size_t c = 0; c < channels; ++c) {
            shifted->as<float>()[c] = static_cast<float>(bias[c] * map.factors[c] + map.addends[c]);
            for (std::size_t k = c * each; k < (c + 1) * each; ++k)
                weights->as<float>()[k] =
                    static_cast<float>(static_cast<double>(weights->as<float>()[k]) * map.factors[c]);
        }
        m_editor.setInput(node, 1, constantFrom(*weights, "weights"));
        m_editor.setInput(node, 2, constantFrom(*shifted, "bias"));
        return true;
    }

    ValueId constantFrom(const TensorData& tensor, std::string_view name) {
        return m_editor.createInitializer(m_model.mainGraph(), m_editor.freshName(name), tensor.toTensor());
    }

    SpecializedModel& m_source;
    Model& m_model;
    Editor m_editor;
    RunMode m_mode;
    MemoryPool m_pool;
};

} // namespace

void fuseConvolutions(SpecializedModel& source, RunMode mode, const MemoryPool& pool) {
    const JournalMark before = source.model.journal().mark();
    Fuser fuser(source, mode, pool);
    fuser.foldChannels();
    source.types.update(source.model, source.model.journal().editsSince(before));
    fuser.takeActivations();
}

} // namespace secateur
