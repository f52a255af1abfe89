// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/loss_inputs.h"

#include <algorithm>
#include <array>
#include <set>

namespace secateur {
namespace {

constexpr std::size_t kMostLabels = 8;

/// The logits behind a normalisation in log space, which belongs to the loss: LogSoftmax(x), Log(Softmax(x)).
ValueId withoutNormalization(const Model& model, ValueId value) {
    const auto inputOf = [&](ValueId v, std::string_view op) {
        const NodeId producer = model.producer(v);
        if (producer.isNone() || model.node(producer).kind != NodeKind::operation ||
            !model.isOp(producer, op))
            return ValueId();
        return model.input(producer, 0);
    };
    if (const ValueId logits = inputOf(value, "LogSoftmax")) return logits;
    if (const ValueId probabilities = inputOf(value, "Log"))
        if (const ValueId logits = inputOf(probabilities, "Softmax")) return logits;
    return value;
}

/// The one graph input that a value is made of; none where it is made of several, or of none.
ValueId onlyInputOf(const GraphIndex& index, ValueId value) {
    const Model& model = index.model();
    std::set<ValueId> found;
    std::set<std::uint32_t, std::greater<>> open;
    const auto visit = [&](ValueId v) {
        if (v.isNone()) return;
        if (const auto from = index.producer(v); from != GraphIndex::kNone)
            open.insert(from);
        else if (model.isGraphInput(v) && !model.isInitializer(v))
            found.insert(v);
    };
    visit(value);
    for (int steps = 0; !open.empty() && steps < 64; ++steps) {
        const std::uint32_t at = *open.begin();
        open.erase(open.begin());
        for (const ValueId input : index.inputs(at))
            visit(input);
    }
    return found.size() == 1 && open.empty() ? *found.begin() : ValueId();
}

class PlainLoss {
  public:
    PlainLoss(const GraphIndex& index, const TypeTable& types, const TrainingSigns& signs, ValueId loss)
        : m_index(index), m_model(index.model()), m_types(types), m_signs(signs),
          m_cone(index.coneOf(std::array{loss})) {}

    std::vector<LossInput> run() {
        findFeeders();
        findLabels();
        bool isCertain = true;
        if (m_labels.empty()) {
            findInputsUsedAsLabels();
            isCertain = false;
        }
        findActivations();
        std::vector<LossInput> out;
        for (const Label& label : m_labels) {
            LossInput found = meetingPoint(label);
            if (found.prediction.isNone()) continue;
            found.isCertain = isCertain;
            const bool isKnown = std::any_of(out.begin(), out.end(), [&](const LossInput& other) {
                return other.prediction == found.prediction;
            });
            if (!isKnown) out.push_back(found);
        }
        return out;
    }

  private:
    struct Label {
        ValueId value;
        GraphIndex::Flags readers; ///< nodes that read it as a label
    };

    /// Nodes of the cone whose results flow into an operator that reads a weight, that operator included.
    void findFeeders() {
        m_feedsLayer.assign(m_index.size(), false);
        for (std::uint32_t at = m_index.size(); at-- > 0;) {
            if (!m_cone[at]) continue;
            if (m_signs.readsWeight[at]) m_feedsLayer[at] = true;
            if (!m_feedsLayer[at]) continue;
            for (const ValueId input : m_index.inputs(at))
                if (const auto from = m_index.producer(input); from != GraphIndex::kNone)
                    m_feedsLayer[from] = true;
        }
    }

    /// Calls `visit(position, slot, value)` for each read of a graph input without a value of its own, in the
    /// cone.
    template <class Visit> void forEachDataRead(Visit&& visit) const {
        for (std::uint32_t at = 0; at < m_index.size(); ++at) {
            if (!m_cone[at]) continue;
            const auto inputs = m_index.inputs(at);
            for (std::size_t slot = 0; slot < inputs.size(); ++slot) {
                const ValueId value = inputs[slot];
                if (value.isNone() || m_index.producer(value) != GraphIndex::kNone) continue;
                if (m_model.isInitializer(value) || !m_model.isGraphInput(value) ||
                    m_signs.isWeight[value.index])
                    continue;
                visit(at, slot, value);
            }
        }
    }

    void findLabels() {
        std::set<ValueId> data, readers;
        forEachDataRead([&](std::uint32_t at, std::size_t, ValueId value) {
            readers.insert(value);
            if (m_feedsLayer[at]) data.insert(value);
        });
        for (const ValueId value : readers) {
            if (data.contains(value) || m_labels.size() >= kMostLabels) continue;
            Label label{value, GraphIndex::Flags(m_index.size(), false)};
            bool looksLikeLabel = false;
            forEachDataRead([&](std::uint32_t at, std::size_t slot, ValueId read) {
                if (read != value) return;
                label.readers[at] = true;
                looksLikeLabel = looksLikeLabel || isLabelRead(at, slot);
            });
            if (looksLikeLabel) m_labels.push_back(std::move(label));
        }
    }

    /// A weight that only an addition reads (a bias) reaches no operator that reads weights, either. What
    /// tells them apart: classes are integers, labels come in batches or are shaped like what they are
    /// compared with.
    bool isLabelRead(std::uint32_t at, std::size_t slot) const {
        const auto inputs = m_index.inputs(at);
        const Type& type = m_types.type(inputs[slot]);
        if (!type.isTensor() || !isFloatingPoint(type.element)) return true;
        if (!type.hasShape) return true;
        if (std::any_of(type.dims.begin(), type.dims.end(), [](const Dim& d) { return !d.isKnown(); }))
            return true;
        for (std::size_t i = 0; i < inputs.size(); ++i)
            if (i != slot && !inputs[i].isNone() && hasSameStaticType(type, m_types.type(inputs[i])))
                return true;
        return false;
    }

    /// Where every input feeds the layers, one may still be what the result is compared with: a read of it
    /// that leads into no layer.
    void findInputsUsedAsLabels() {
        forEachDataRead([&](std::uint32_t at, std::size_t, ValueId value) {
            if (m_feedsLayer[at] || isShapeReader(at)) return;
            auto known = std::find_if(m_labels.begin(), m_labels.end(),
                                      [&](const Label& l) { return l.value == value; });
            if (known == m_labels.end()) {
                if (m_labels.size() >= kMostLabels) return;
                m_labels.push_back({value, GraphIndex::Flags(m_index.size(), false)});
                known = m_labels.end() - 1;
            }
            known->readers[at] = true;
        });
    }

    bool isShapeReader(std::uint32_t at) const {
        const std::string_view op = m_model.op(m_index.node(at));
        return op == "Shape" || op == "Size";
    }

    /// Nodes that carry data of the network (not merely its shape) and no label.
    void findActivations() {
        GraphIndex::Flags labelled(m_index.size(), false);
        for (const Label& label : m_labels)
            for (std::uint32_t at = 0; at < m_index.size(); ++at)
                if (label.readers[at]) labelled[at] = true;
        m_isLabelled = m_index.behind(std::move(labelled));
        m_isActivation.assign(m_index.size(), false);
        for (std::uint32_t at = 0; at < m_index.size(); ++at) {
            if (!m_cone[at] || m_isLabelled[at] || isShapeReader(at)) continue;
            for (const ValueId input : m_index.inputs(at))
                if (isActivation(input)) m_isActivation[at] = true;
        }
    }

    bool isActivation(ValueId value) const {
        if (value.isNone()) return false;
        if (const auto from = m_index.producer(value); from != GraphIndex::kNone) return m_isActivation[from];
        return m_model.isGraphInput(value) && !m_model.isInitializer(value) && !m_signs.isWeight[value.index];
    }

    LossInput meetingPoint(const Label& label) const {
        const auto labelled = m_index.behind(label.readers);
        LossInput found;
        found.label = label.value;
        std::set<std::pair<std::uint32_t, ValueId>, std::greater<>> front;
        for (std::uint32_t at = 0; at < m_index.size(); ++at) {
            if (!m_cone[at] || !labelled[at]) continue;
            for (const ValueId input : m_index.inputs(at)) {
                const auto from = m_index.producer(input);
                if (from == GraphIndex::kNone || !m_isActivation[from]) continue;
                if (found.meets.isNone()) found.meets = m_index.node(at);
                front.insert({from, input});
            }
        }
        found.normalized = merge(std::move(front));
        if (found.normalized.isNone()) return found;
        found.prediction = withoutNormalization(m_model, found.normalized);
        return found;
    }

    /// The nearest value that all of `front` is made of: the latest node is replaced by what it reads until
    /// one is left.
    ValueId merge(std::set<std::pair<std::uint32_t, ValueId>, std::greater<>> front) const {
        while (front.size() > 1) {
            const std::uint32_t latest = front.begin()->first;
            while (!front.empty() && front.begin()->first == latest)
                front.erase(front.begin());
            if (front.empty()) return m_model.output(m_index.node(latest), 0);
            for (const ValueId input : m_index.inputs(latest)) {
                if (!isActivation(input)) continue;
                const auto from = m_index.producer(input);
                if (from == GraphIndex::kNone)
                    return {}; // paths that join only at an input: no single prediction
                front.insert({from, input});
            }
        }
        return front.empty() ? ValueId() : front.begin()->second;
    }

    const GraphIndex& m_index;
    const Model& m_model;
    const TypeTable& m_types;
    const TrainingSigns& m_signs;
    GraphIndex::Flags m_cone, m_feedsLayer, m_isLabelled, m_isActivation;
    std::vector<Label> m_labels;
};

} // namespace

std::vector<LossInput> inputsOfLossOperators(const GraphIndex& index) {
    const Model& model = index.model();
    std::vector<LossInput> out;
    for (std::uint32_t at = 0; at < index.size(); ++at) {
        if (!index.traits(at).isLoss || index.traits(at).isGradient) continue;
        const NodeId node = index.node(at);
        const ValueId read = model.input(node, 0);
        if (read.isNone() || index.producer(read) == GraphIndex::kNone) continue;
        LossInput found;
        found.normalized = read;
        found.prediction = withoutNormalization(model, read);
        found.label = onlyInputOf(index, model.input(node, 1));
        found.meets = node;
        const bool isKnown = std::any_of(out.begin(), out.end(), [&](const LossInput& other) {
            return other.prediction == found.prediction;
        });
        if (!isKnown) out.push_back(found);
    }
    return out;
}

std::vector<LossInput> inputsOfPlainLoss(const GraphIndex& index, const TypeTable& types,
                                         const TrainingSigns& signs, ValueId loss) {
    return PlainLoss(index, types, signs, loss).run();
}

} // namespace secateur
