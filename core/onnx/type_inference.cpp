// SPDX-License-Identifier: Apache-2.0
#include "core/onnx/type_inference.h"

#include "core/ir/node_order.h"
#include "core/messages/messages.h"
#include "core/onnx/inference_engine.h"
#include "core/onnx/size_expression.h"

#include <algorithm>

namespace secateur {
namespace {

std::string operatorLabel(const Model& model, NodeId id) {
    std::string label(model.domain(id));
    if (!label.empty()) label += '.';
    return label + std::string(model.op(id));
}

/// One note per operator, at its first node.
void noteOperators(const Model& model, const std::set<std::uint32_t>& nodes, const char* id,
                   std::vector<Problem>& out) {
    std::vector<std::pair<std::string, std::pair<NodeId, std::size_t>>> found; // operator: first node, count
    std::unordered_map<std::string, std::size_t> place;
    for (const std::uint32_t index : nodes) {
        if (!model.isAlive(NodeId(index))) continue;
        std::string label = operatorLabel(model, NodeId(index));
        const auto [at, isNew] = place.emplace(label, found.size());
        if (isNew) found.push_back({std::move(label), {NodeId(index), 0}});
        ++found[at->second].second.second;
    }
    for (const auto& [label, where] : found) {
        out.push_back({Problem::Severity::note,
                       id,
                       formatMessage(id, {"`" + label + "`", std::to_string(where.second)}),
                       where.first,
                       {}});
    }
}

/// Parts of the header that types depend on.
struct HeaderKey {
    std::int64_t irVersion = 0;
    std::vector<OpsetImport> opsets;
    std::vector<GraphId> functions;
    friend bool operator==(const HeaderKey&, const HeaderKey&) = default;

    static HeaderKey of(const Model& model) {
        return {model.header().irVersion, model.header().opsets, model.header().functions};
    }
};

/// What edits touch, read against the model as it is after them: they may have been made or taken back.
class Touched {
  public:
    Touched(const Model& model, std::span<const Edit> edits) : m_model(model) {
        for (const Edit& edit : edits)
            add(edit);
    }

    std::set<std::uint32_t> nodes, values, rootInputs;
    bool needsEverything = false;

  private:
    void add(const Edit& edit) {
        switch (edit.kind) {
        case EditKind::createNode:
        case EditKind::linkNode:
        case EditKind::unlinkNode:
        case EditKind::setOperandRange:
        case EditKind::setResultRange:
        case EditKind::setNodeAttributes: addNode(edit.id); return;
        case EditKind::setNodeSymbol:
            if (edit.field <= 2) addNode(edit.id); // operator, domain, overload; not the name
            return;
        case EditKind::setOperand:
            if (edit.id < m_model.operandIdCount()) addNode(m_model.operand(OperandId(edit.id)).node.index);
            addValue(edit.a); // which outputs a value fills decides what is declared for it
            addValue(edit.b);
            return;
        case EditKind::setProducer:
            addValue(edit.id);
            addNode(edit.a);
            addNode(edit.c);
            return;
        case EditKind::createValue:
        case EditKind::setValueTensor:
        case EditKind::setValueInfo:
        case EditKind::setValueErased: addValue(edit.id); return;
        case EditKind::appendInitializer:
        case EditKind::appendSparseInitializer: addValue(edit.a); return;
        case EditKind::setGraphOutputs:
        case EditKind::createGraph: addOutputsOf(edit.id); return;
        case EditKind::setGraphParent:
            addNode(edit.c);
            addNode(edit.d);
            return;
        case EditKind::setGraphHeader:
            if (edit.id < m_model.graphIdCount() &&
                m_model.graph(GraphId(edit.id)).kind == GraphKind::function) {
                needsEverything = true;
            }
            return;
        case EditKind::setModelHeader: // compared as a whole
        case EditKind::createOperands:
        case EditKind::createResults:
        case EditKind::setValueName:
        case EditKind::appendValueInfo: // its declaration is an edit of its own
        case EditKind::setNodePresence:
        case EditKind::setValueGraph: return;
        }
    }

    void addNode(std::uint32_t index) {
        if (!m_model.isAlive(NodeId(index)) || !nodes.insert(index).second) return;
        const NodeId id(index);
        const Node& node = m_model.node(id);
        GraphId root = node.graph;
        while (m_model.graph(root).kind == GraphKind::subgraph && !m_model.graph(root).parent.isNone()) {
            root = m_model.graph(root).parent;
        }
        if (m_model.graph(root).kind == GraphKind::function)
            needsEverything = true; // types belong to its calls
        if (node.kind == NodeKind::entry && root == node.graph) rootInputs.insert(root.index);
        if (readsAhead(m_model, id)) needsEverything = true;
    }

    void addValue(std::uint32_t index) {
        if (index >= m_model.valueIdCount() || !values.insert(index).second) return;
        const ValueId id(index);
        if (!m_model.isAlive(id)) return;
        const NodeId producer = m_model.producer(id);
        if (!producer.isNone()) addNode(producer.index);
    }

    void addOutputsOf(std::uint32_t index) {
        if (index >= m_model.graphIdCount() || !m_graphs.insert(index).second) return;
        const Graph& graph = m_model.graph(GraphId(index));
        addNode(graph.exit.index);
        if (!m_model.isAlive(graph.exit)) return;
        for (const ValueId value : m_model.inputs(graph.exit)) {
            if (!value.isNone()) addValue(value.index);
        }
    }

    const Model& m_model;
    std::set<std::uint32_t> m_graphs; ///< whose outputs are noted
};

} // namespace

struct TypeTable::State {
    InferenceState inference;
    std::vector<Problem> problems;
    HeaderKey header;
    bool isChangeKnown = false; ///< the last update visited a cone

    void listProblems(const Model& model) {
        problems = inference.problems.list(model);
        noteOperators(model, inference.unknownOperators, "problem.unknown-operator", problems);
        // Where an operator set is not imported at all, that is the problem, and loading has said it.
        std::set<std::uint32_t> later = inference.laterOperators;
        std::erase_if(later, [&](std::uint32_t index) {
            const NodeId node(index);
            return model.isAlive(node) && !model.opsetVersion(model.domain(node), model.node(node).graph);
        });
        noteOperators(model, later, "problem.later-operator", problems);
    }
};

TypeTable::TypeTable() : m_state(std::make_unique<State>()) {}
TypeTable::TypeTable(const TypeTable& other) : m_state(std::make_unique<State>(*other.m_state)) {}
TypeTable& TypeTable::operator=(const TypeTable& other) {
    if (this != &other) m_state = std::make_unique<State>(*other.m_state);
    return *this;
}
TypeTable::TypeTable(TypeTable&&) noexcept = default;
TypeTable& TypeTable::operator=(TypeTable&&) noexcept = default;
TypeTable::~TypeTable() = default;

const Type& TypeTable::type(ValueId value) const {
    const auto& values = m_state->inference.values;
    return m_state->inference.pool.type(value.index < values.size() ? values[value.index].type : 0);
}

bool TypeTable::isDeclared(ValueId value) const {
    const auto& values = m_state->inference.values;
    return value.index < values.size() && values[value.index].isDeclared;
}

bool TypeTable::isOwnSymbol(std::string_view symbol) const {
    return secateur::isOwnSymbol(symbol, m_state->inference.symbolStem);
}

std::optional<std::vector<Dim>> TypeTable::elements(ValueId value) const {
    const auto& values = m_state->inference.values;
    if (value.index >= values.size() || !values[value.index].value) return std::nullopt;
    std::vector<Dim> out;
    for (const auto& element : values[value.index].value->dim()) {
        Dim& made = out.emplace_back();
        if (element.has_dim_value())
            made.value = element.dim_value();
        else
            made.symbol = element.dim_param();
    }
    return out;
}

const std::vector<Problem>& TypeTable::problems() const {
    return m_state->problems;
}

std::uint64_t TypeTable::visits() const {
    return m_state->inference.visits;
}

std::optional<std::span<const ValueId>> TypeTable::changedByUpdate() const {
    if (!m_state->isChangeKnown) return std::nullopt;
    return std::span<const ValueId>(m_state->inference.changed);
}

void TypeTable::inferAll(const Model& model, const WorkContext& work) {
    m_state->isChangeKnown = false;
    m_state->header = HeaderKey::of(model);
    InferenceEngine(model, m_state->inference).inferAll(work);
    m_state->listProblems(model);
}

void TypeTable::update(const Model& model, std::span<const Edit> edits) {
    if (edits.empty()) return;
    const Touched touched(model, edits);
    State& state = *m_state;
    if (touched.needsEverything || state.inference.hasUnsortedGraph ||
        !(state.header == HeaderKey::of(model))) {
        inferAll(model);
        return;
    }
    state.inference.values.resize(model.valueIdCount());
    InferenceEngine engine(model, state.inference);
    std::vector<ValueId> changed;
    for (const std::uint32_t index : touched.values) {
        const ValueId value(index);
        const bool isMade = model.isAlive(value) && !model.producer(value).isNone();
        // A tensor counts as changed even where its type did not: its contents may be a shape.
        const bool isRetyped = !isMade && engine.setUnproduced(value);
        if (isRetyped || (model.isAlive(value) && model.isInitializer(value))) changed.push_back(value);
    }
    std::vector<NodeId> nodes;
    for (const std::uint32_t index : touched.nodes)
        nodes.push_back(NodeId(index));
    std::vector<GraphId> roots;
    for (const std::uint32_t index : touched.rootInputs)
        roots.push_back(GraphId(index));
    engine.inferBehind(nodes, changed, roots);
    state.isChangeKnown = true;
    state.inference.forgetErased(model);
    state.listProblems(model);
}

} // namespace secateur
