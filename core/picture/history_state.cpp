// SPDX-License-Identifier: Apache-2.0
#include "core/picture/history_state.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>

namespace secateur {

namespace {

class StateBuilder {
  public:
    StateBuilder(const UnionGraph& unionGraph, const Original& original, const History* history,
                 const StateRequest& request)
        : m_union(unionGraph), m_before(original.file.model),
          m_after(history ? history->model() : original.file.model), m_request(request),
          m_cursor(history ? static_cast<std::uint32_t>(history->cursor()) : 0U),
          m_outputsBefore(outputsOf(m_before, unionGraph.modelGraph)),
          m_outputsAfter(outputsOf(m_after, unionGraph.modelGraph)) {
        if (history) noteEqualValues(*history);
    }

    PictureState build() {
        PictureState state;
        state.nodes.resize(m_union.graph.nodes.size());
        for (std::uint32_t i = 0; i < state.nodes.size(); ++i)
            state.nodes[i] = stateOf(i);
        for (const std::uint32_t key : m_request.selectedKeys)
            if (const auto index = m_union.graph.find(key); index != kNoIndex)
                state.nodes[index].isSelected = true;
        for (const NodeId node : m_request.problems)
            if (const auto index = m_union.graph.find(node.index); index != kNoIndex)
                state.nodes[index].finding = Finding::problem;
        state.edges.resize(m_union.graph.edges.size());
        for (std::size_t i = 0; i < state.edges.size(); ++i)
            state.edges[i] = edgeBits(m_union.graph.edges[i]);
        for (const FoldedNode& folded : m_union.graph.folded)
            state.folded.push_back(m_after.isAlive(NodeId(folded.key)) ||
                                           !m_before.isAlive(NodeId(folded.key))
                                       ? DiffState::kept
                                       : fate(state.nodes[folded.host].diff));
        return state;
    }

  private:
    /// What fills each output slot, by its name.
    using Outputs = std::unordered_map<std::string_view, ValueId>;

    static Outputs outputsOf(const Model& model, GraphId graph) {
        Outputs found;
        if (graph.index >= model.graphIdCount()) return found;
        const auto& slots = model.graph(graph).outputs;
        const InputRange values = model.graphOutputs(graph);
        for (std::size_t slot = 0; slots && slot < slots->size() && slot < values.size(); ++slot)
            found.emplace(model.text((*slots)[slot].name), values[slot]);
        return found;
    }

    /// Fate of a node drawn as a row: that of its host where the host goes too.
    static DiffState fate(DiffState host) {
        return host == DiffState::kept || host == DiffState::changed ? DiffState::removedEarlier : host;
    }

    [[nodiscard]] bool isSelectedStep(std::uint32_t step) const {
        return m_request.selectedStep ? step == *m_request.selectedStep + 1 : step <= m_cursor;
    }

    [[nodiscard]] NodeState stateOf(std::uint32_t index) const {
        NodeState state;
        const std::uint32_t created = m_union.createdBy[index], erased = m_union.erasedBy[index];
        const bool isThere = created <= m_cursor, isGone = erased != 0 && erased <= m_cursor;
        const bool isOriginal = created == 0;
        state.isInSelectedStep =
            m_request.selectedStep &&
            ((isGone && isSelectedStep(erased)) || (!isOriginal && isThere && isSelectedStep(created)));
        if (!isThere || (!isOriginal && isGone)) {
            state.diff = DiffState::absent;
        } else if (isGone) {
            const bool isNow = isSelectedStep(erased);
            if (m_request.isBeforePreviousStep && !isNow)
                state.diff = DiffState::absent;
            else if (m_union.isReplaced[index] != 0)
                state.diff = isNow ? DiffState::replaced : DiffState::removedEarlier;
            else
                state.diff = isNow ? DiffState::removedBySelectedStep : DiffState::removedEarlier;
        } else if (!isOriginal) {
            state.diff = m_request.isBeforePreviousStep && !isSelectedStep(created) ? DiffState::kept
                                                                                    : DiffState::added;
        } else if (willGo(index)) {
            state.diff = DiffState::willGo;
        } else {
            state.changedRows = changedRows(index);
            if (isChanged(index)) state.diff = DiffState::changed;
        }
        return state;
    }

    [[nodiscard]] bool willGo(std::uint32_t index) const {
        const std::uint32_t key = m_union.graph.nodes[index].key;
        return key < m_request.willGo.size() && m_request.willGo[key];
    }

    [[nodiscard]] bool isOperator(std::uint32_t index) const {
        return (m_union.graph.nodes[index].key & (kInputKeyBit | kOutputKeyBit)) == 0;
    }

    void noteEqualValues(const History& history) {
        for (std::size_t step = 0; step < m_cursor; ++step)
            for (const RewriteRecord& record : history.steps()[step].records)
                for (const auto& [old, now] : record.equalValues)
                    m_standsFor.insert_or_assign(old.index, now);
    }

    /// Does a node that read `was` read the same now? What a bypassed node handed on is no change of its
    /// readers; another weight is one, as its row says.
    [[nodiscard]] bool isSame(ValueId was, ValueId is) const {
        if (was == is) return true;
        const NodeId producer = was.isNone() ? NodeId() : m_before.producer(was);
        if (producer.isNone() || m_before.node(producer).kind != NodeKind::operation) return false;
        std::size_t most = m_standsFor.size(); // each pair leads on once
        for (auto at = m_standsFor.find(was.index); at != m_standsFor.end() && most > 0; --most) {
            if (at->second == is) return true;
            at = m_standsFor.find(at->second.index);
        }
        return false;
    }

    [[nodiscard]] bool isChanged(std::uint32_t index) const {
        if (m_cursor == 0 || !isOperator(index)) return false;
        const NodeId id(m_union.graph.nodes[index].key);
        const Node &before = m_before.node(id), &after = m_after.node(id);
        if (before.op != after.op || before.domain != after.domain || before.attributes != after.attributes)
            return true;
        const InputRange was = m_before.inputs(id), is = m_after.inputs(id);
        if (was.size() != is.size()) return true;
        for (std::size_t slot = 0; slot < was.size(); ++slot)
            if (!isSame(was[slot], is[slot])) return true;
        return false;
    }

    [[nodiscard]] std::uint8_t changedRows(std::uint32_t index) const {
        if (m_cursor == 0 || !isOperator(index)) return 0;
        const NodeId id(m_union.graph.nodes[index].key);
        const bool hasOtherAttributes = m_before.node(id).attributes != m_after.node(id).attributes;
        const InputRange inputs = m_after.inputs(id);
        std::uint8_t bits = 0;
        const auto& rows = m_union.graph.nodes[index].rows;
        for (std::size_t row = 0; row < rows.size() && row < 8; ++row) {
            const ValueId shown(rows[row].key);
            const bool isGone =
                !shown.isNone() &&
                std::none_of(inputs.begin(), inputs.end(), [&](ValueId is) { return isSame(shown, is); });
            if (isGone || (rows[row].kind == LayoutRow::Kind::attribute && hasOtherAttributes))
                bits = static_cast<std::uint8_t>(bits | (1U << row));
        }
        return bits;
    }

    /// Does the value come from the node `from` in this model? Another one may have taken it over.
    [[nodiscard]] bool isMadeAt(const Model& model, ValueId value, std::uint32_t from) const {
        const std::uint32_t key = m_union.graph.nodes[from].key;
        if (key & kInputKeyBit) return true;
        return value.index < model.valueIdCount() && model.producer(value) == NodeId(key);
    }

    [[nodiscard]] bool isRead(const Model& model, const Outputs& outputs, const LayoutEdge& edge) const {
        const ValueId value(edge.value);
        const std::uint32_t key = m_union.graph.nodes[edge.to].key;
        if (key & kOutputKeyBit) {
            const auto at = outputs.find(m_union.outputNames[key & ~kOutputKeyBit]);
            return at != outputs.end() && at->second == value && isMadeAt(model, value, edge.from);
        }
        const NodeId reader(key);
        if (!model.isAlive(reader) || !isMadeAt(model, value, edge.from)) return false;
        if (edge.edgeClass == EdgeClass::capture) return model.isAlive(value);
        return model.input(reader, edge.toSlot) == value;
    }

    [[nodiscard]] std::uint8_t edgeBits(const LayoutEdge& edge) const {
        unsigned bits = 0;
        if (isRead(m_before, m_outputsBefore, edge)) bits |= kEdgeInBefore;
        if (isRead(m_after, m_outputsAfter, edge)) bits |= kEdgeInAfter;
        return static_cast<std::uint8_t>(bits);
    }

    const UnionGraph& m_union;
    const Model& m_before;
    const Model& m_after;
    const StateRequest& m_request;
    std::uint32_t m_cursor;
    Outputs m_outputsBefore, m_outputsAfter;
    std::unordered_map<std::uint32_t, ValueId>
        m_standsFor; ///< by ValueId index: what a step put in its place
};

} // namespace

PictureState pictureStateOf(const UnionGraph& unionGraph, const Original& original, const History* history,
                            const StateRequest& request) {
    return StateBuilder(unionGraph, original, history, request).build();
}

} // namespace secateur
