// SPDX-License-Identifier: Apache-2.0
#include "core/picture/history_state.h"

#include "core/ir/journal.h"
#include "core/picture/model_text.h"
#include "core/session/explanation.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <unordered_map>

namespace secateur {

namespace {

/// Types of the original and of the model at the cursor.
class TypesAtCursor {
  public:
    TypesAtCursor(const Original& original, const History* history, const MomentTypes* known = nullptr)
        : m_original(original), m_after(&original.types) {
        if (!history || history->cursor() == 0) return;
        if (const TypeTable* found = known ? known->at(history->cursor()) : nullptr) {
            m_after = found;
            m_mayDiffer = findDifference(history->model());
            return;
        }
        m_after = &history->types();
        m_mayDiffer = findDifference(history->model());
        // The history knows the types at its end. Between the ends they are brought up to date from the
        // original, which is only needed where a step changed the type of a value that was there before.
        if (!m_mayDiffer || history->cursor() == history->steps().size()) return;
        m_between = original.types;
        m_between->update(history->model(), history->model().journal().edits());
        m_after = &*m_between;
        m_mayDiffer = findDifference(history->model());
    }

    [[nodiscard]] const TypeTable& after() const { return *m_after; }
    /// The table of this moment where it had to be inferred.
    [[nodiscard]] std::optional<TypeTable> takeInferred() { return std::move(m_between); }
    [[nodiscard]] bool mayDiffer() const { return m_mayDiffer; }
    /// Is a value of the original described in other words at the cursor?
    [[nodiscard]] bool differs(ValueId value) const {
        const Type &before = m_original.types.type(value), &after = m_after->type(value);
        if (before == after || before.kind == Type::Kind::none || after.kind == Type::Kind::none)
            return false;
        // Names that inference makes up are not the same twice.
        return typeText(m_original.types, value) != typeText(*m_after, value);
    }

    /// Has it another type? What was not known before and is now is no change of the model.
    [[nodiscard]] bool contradicts(ValueId value) const {
        const Type &before = m_original.types.type(value), &after = m_after->type(value);
        if (before.kind == Type::Kind::none || after.kind == Type::Kind::none) return false;
        if (before.kind != after.kind || before.element != after.element) return true;
        if (!before.hasShape || !after.hasShape) return false;
        if (before.dims.size() != after.dims.size()) return true;
        for (std::size_t i = 0; i < before.dims.size(); ++i)
            if (isNamed(m_original.types, before.dims[i]) && isNamed(*m_after, after.dims[i]) &&
                !(before.dims[i] == after.dims[i]))
                return true;
        return false;
    }

  private:
    /// A number, or a name that the file gives.
    [[nodiscard]] static bool isNamed(const TypeTable& types, const Dim& dim) {
        return dim.isKnown() || (!dim.symbol.empty() && !types.isOwnSymbol(dim.symbol));
    }

    [[nodiscard]] bool findDifference(const Model& now) const {
        const std::size_t count = m_original.file.model.valueIdCount();
        for (std::size_t i = 0; i < count; ++i)
            if (now.isAlive(ValueId(i)) && differs(ValueId(i))) return true;
        return false;
    }

    const Original& m_original;
    const TypeTable* m_after;
    std::optional<TypeTable> m_between;
    bool m_mayDiffer = false;
};

class StateBuilder {
  public:
    StateBuilder(const UnionGraph& unionGraph, const Original& original, const History* history,
                 const StateRequest& request)
        : m_union(unionGraph), m_before(original.file.model),
          m_after(history ? history->model() : original.file.model), m_history(history), m_request(request),
          m_cursor(history ? static_cast<std::uint32_t>(history->cursor()) : 0U),
          m_outputsBefore(outputsOf(m_before, unionGraph)), m_outputsAfter(outputsOf(m_after, unionGraph)),
          m_types(original, history, request.types), m_momentBefore(momentsUpTo(baseStep())),
          m_momentPrevious(momentsUpTo(static_cast<std::uint32_t>(request.selectedStep.value_or(0)))),
          m_momentAfter(momentsUpTo(m_cursor)) {}

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
        addFaces(state);
        addEdgeTexts(state);
        const std::vector<bool> isReplaced = replacedNodes();
        for (const FoldedNode& folded : m_union.graph.folded) {
            const bool isOthersPlace = folded.key < isReplaced.size() && isReplaced[folded.key];
            state.folded.push_back(
                foldedStateOf(NodeId(folded.key), state.nodes[folded.host].diff, isOthersPlace));
        }
        return state;
    }

  private:
    /// What fills each output slot, by its name.
    using Outputs = std::unordered_map<std::string_view, ValueId>;

    /// By index into UnionGraph::outputNames; none where the model has no such output.
    static std::vector<ValueId> outputsOf(const Model& model, const UnionGraph& united) {
        const std::vector<std::string>& names = united.outputNames;
        std::vector<ValueId> found(names.size());
        if (united.modelGraph.index >= model.graphIdCount()) return found;
        const auto& slots = model.graph(united.modelGraph).outputs;
        const InputRange values = model.graphOutputs(united.modelGraph);
        const std::size_t count = slots ? std::min(slots->size(), values.size()) : 0;
        // The outputs that are left stand in the order of the original: nothing to look up.
        std::size_t slot = 0;
        for (std::size_t i = 0; i < names.size() && slot < count; ++i)
            if (model.text((*slots)[slot].name) == names[i]) found[i] = values[slot++];
        if (slot == count) return found;
        Outputs byName;
        for (slot = 0; slot < count; ++slot)
            byName.emplace(model.text((*slots)[slot].name), values[slot]);
        for (std::size_t i = 0; i < names.size(); ++i) {
            const auto at = byName.find(names[i]);
            found[i] = at == byName.end() ? ValueId() : at->second;
        }
        return found;
    }

    [[nodiscard]] DiffState foldedStateOf(NodeId node, DiffState host, bool isReplaced) const {
        const bool isThere = m_after.isAlive(node);
        if (!m_before.isAlive(node)) return isThere ? DiffState::added : DiffState::absent;
        if (isThere) return DiffState::kept;
        return isReplaced && host != DiffState::absent ? DiffState::replaced : fate(host);
    }

    /// By NodeId index: a step so far put others in its place. UnionGraph::isReplaced has it for cards alone.
    [[nodiscard]] std::vector<bool> replacedNodes() const {
        std::vector<bool> isReplaced;
        if (m_history == nullptr || m_union.graph.folded.empty()) return isReplaced;
        isReplaced.resize(m_after.nodeIdCount());
        for (std::uint32_t s = 0; s < m_cursor; ++s)
            for (const RewriteRecord& record : m_history->steps()[s].records) {
                if (record.isSkipped || record.created.empty()) continue;
                for (const NodeId node : replacedBy(record))
                    if (node.index < isReplaced.size()) isReplaced[node.index] = true;
            }
        return isReplaced;
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
            state.isReplaced = m_union.isReplaced[index] != 0;
            const bool isNow = isSelectedStep(erased);
            if (m_request.isBeforePreviousStep && !isNow)
                state.diff = DiffState::absent;
            else if (state.isReplaced)
                state.diff = isNow ? DiffState::replaced : DiffState::removedEarlier;
            else
                state.diff = isNow ? DiffState::removedBySelectedStep : DiffState::removedEarlier;
        } else if (created > baseStep()) {
            state.diff = DiffState::added;
        } else if (willGo(index)) {
            state.diff = DiffState::willGo;
        } else if (isChanged(index)) {
            state.diff = DiffState::changed;
            state.isInSelectedStep =
                m_request.selectedStep && isChangedBetween(index, m_momentPrevious, m_momentAfter);
        }
        return state;
    }

    [[nodiscard]] bool willGo(std::uint32_t index) const {
        const std::uint32_t key = m_union.graph.nodes[index].key;
        return key < m_request.willGo.size() && m_request.willGo[key];
    }

    /// The latest moment of each node up to a step; kNoIndex where the node never changes.
    [[nodiscard]] std::vector<std::uint32_t> momentsUpTo(std::uint32_t step) const {
        std::vector<std::uint32_t> latest(m_union.moments.empty() ? 0 : m_union.graph.nodes.size(), kNoIndex);
        for (std::uint32_t i = 0; i < m_union.moments.size(); ++i)
            if (m_union.moments[i].step <= step) latest[m_union.moments[i].node] = i;
        return latest;
    }

    [[nodiscard]] const NodeFace* faceAt(std::uint32_t moment) const {
        if (moment == kNoIndex || m_union.moments[moment].face == kNoIndex) return nullptr;
        return &m_union.faces[m_union.moments[moment].face];
    }

    /// What the panes say of nodes that a step changed, and which of their rows differ.
    void addFaces(PictureState& state) const {
        for (std::uint32_t i = 0; i < m_momentAfter.size(); ++i) {
            const NodeFace* before = faceAt(m_momentBefore[i]);
            const NodeFace* after = faceAt(m_momentAfter[i]);
            if (before) state.facesBefore.add(i, *before);
            if (after) state.facesAfter.add(i, *after);
            if (before == after || m_union.createdBy[i] > baseStep()) continue;
            const NodeFace own = faceOf(m_union.graph.nodes[i]);
            const NodeFace& was = before ? *before : own;
            const NodeFace& is = after ? *after : own;
            state.nodes[i].changedRows = rowsNotIn(was, is);
            state.nodes[i].changedRowsAfter = rowsNotIn(is, was);
        }
    }

    /// The step that the Before pane shows: 0 is the original.
    [[nodiscard]] std::uint32_t baseStep() const {
        const bool isPrevious = m_request.isBeforePreviousStep && m_request.selectedStep;
        return isPrevious ? static_cast<std::uint32_t>(*m_request.selectedStep) : 0;
    }

    [[nodiscard]] bool isChanged(std::uint32_t index) const {
        return isChangedBetween(index, m_momentBefore, m_momentAfter) || hasOtherResults(index);
    }

    [[nodiscard]] bool isChangedBetween(std::uint32_t index, const std::vector<std::uint32_t>& from,
                                        const std::vector<std::uint32_t>& to) const {
        if (index >= to.size() || to[index] == kNoIndex || from[index] == kNoIndex) return false;
        return m_union.moments[from[index]].meaning != m_union.moments[to[index]].meaning;
    }

    [[nodiscard]] bool hasOtherResults(std::uint32_t index) const {
        if (!m_types.mayDiffer() || m_union.createdBy[index] != 0 ||
            (m_union.graph.nodes[index].key & (kInputKeyBit | kOutputKeyBit)) != 0)
            return false;
        const auto results = m_after.outputs(NodeId(m_union.graph.nodes[index].key));
        return std::any_of(results.begin(), results.end(),
                           [&](ValueId result) { return !result.isNone() && m_types.contradicts(result); });
    }

    /// Labels of edges whose value has another type at the cursor.
    void addEdgeTexts(PictureState& state) const {
        if (!m_types.mayDiffer()) return;
        for (std::uint32_t e = 0; e < m_union.graph.edges.size(); ++e) {
            const ValueId value(m_union.graph.edges[e].value);
            if ((state.edges[e] & kEdgeInAfter) == 0 || !m_types.differs(value)) continue;
            const TensorSize size = tensorSize(m_types.after(), value);
            EdgeText text{typeText(m_types.after(), value), -1, -1, size.factor};
            (size.factor.empty() ? text.bytes : text.bytesForOne) = size.bytes;
            state.edgeTextsAfter.add(e, std::move(text));
        }
    }

    /// Does the value come from the node `from` in this model? Another one may have taken it over.
    [[nodiscard]] bool isMadeAt(const Model& model, ValueId value, std::uint32_t from) const {
        const std::uint32_t key = m_union.graph.nodes[from].key;
        if (key & kInputKeyBit) return true;
        return value.index < model.valueIdCount() && model.producer(value) == NodeId(key);
    }

    [[nodiscard]] bool isRead(const Model& model, const std::vector<ValueId>& outputs,
                              const LayoutEdge& edge) const {
        const ValueId value(edge.value);
        const std::uint32_t key = m_union.graph.nodes[edge.to].key;
        if (key & kOutputKeyBit) {
            return outputs[key & ~kOutputKeyBit] == value && isMadeAt(model, value, edge.from);
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
    const History* m_history;
    const StateRequest& m_request;
    std::uint32_t m_cursor;
    std::vector<ValueId> m_outputsBefore, m_outputsAfter;
    TypesAtCursor m_types;
    std::vector<std::uint32_t> m_momentBefore, m_momentPrevious, m_momentAfter;
};

} // namespace

MomentTypes::MomentTypes(const Original& original, History& history) {
    const std::size_t cursor = history.cursor(), steps = history.steps().size();
    m_tables.resize(steps);
    for (std::size_t step = 1; step < steps; ++step) {
        history.moveCursor(step);
        m_tables[step] = TypesAtCursor(original, &history).takeInferred();
    }
    history.moveCursor(cursor);
}

/// What reads a weight whose bytes are not where the file says that they are.
static void addReadersOfMissing(const Model& model, std::vector<NodeId>& nodes) {
    for (std::uint32_t g = 0; g < model.graphIdCount(); ++g)
        for (const ValueId weight : model.graph(GraphId(g)).initializers) {
            if (!model.isAlive(weight) || !model.isInitializer(weight)) continue;
            const Tensor& tensor = *model.value(weight).tensor;
            if (tensor.encoding != Tensor::Encoding::external || tensor.payload.data != nullptr) continue;
            for (const Use use : model.uses(weight))
                nodes.push_back(use.node);
        }
}

std::vector<NodeId> nodesWithProblems(const Original& original, const History* history) {
    std::vector<NodeId> nodes;
    for (const Problem& problem : original.file.problems)
        if (!problem.node.isNone() && problem.severity != Problem::Severity::note)
            nodes.push_back(problem.node);
    addReadersOfMissing(original.file.model, nodes);
    if (!history) return nodes;
    for (const Step& step : history->steps())
        for (const Question& question : step.questions)
            nodes.insert(nodes.end(), question.nodes.begin(), question.nodes.end());
    return nodes;
}

PictureState pictureStateOf(const UnionGraph& unionGraph, const Original& original, const History* history,
                            const StateRequest& request) {
    return StateBuilder(unionGraph, original, history, request).build();
}

} // namespace secateur
