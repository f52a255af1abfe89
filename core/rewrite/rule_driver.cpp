// SPDX-License-Identifier: Apache-2.0
#include "core/rewrite/rule_driver.h"

#include "core/ir/readers.h"
#include "core/ir/walk.h"
#include "core/rewrite/rule_edit.h"

#include <algorithm>

namespace secateur {
namespace {

/// A rule makes a model smaller or simpler: this many rewrites a node is more than any of them needs.
constexpr std::uint64_t kMostRewritesPerNode = 16;

/// A value with more readers is no part of a pattern that wants it for itself.
constexpr std::uint32_t kFewReaders = 16;

/// Bytes that a rewrite may add whatever is left: the nodes that go took more.
constexpr std::uint64_t kSmallConstants = 256;

bool isLooser(Exactness a, Exactness than) {
    return static_cast<unsigned>(a) > static_cast<unsigned>(than);
}

/// Inside a function an attribute may be what the call gives: no rule knows it.
bool refersToCall(const Model& model, NodeId node) {
    const AttributeList& attributes = model.attributes(node);
    return std::any_of(attributes.begin(), attributes.end(),
                       [](const Attribute& attribute) { return !attribute.reference.empty(); });
}

template <class Id> void sortUnique(std::vector<Id>& ids) {
    std::sort(ids.begin(), ids.end(), [](Id a, Id b) { return a.index < b.index; });
    ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
}

std::uint64_t addBounded(std::uint64_t a, std::uint64_t b) {
    return a + b < a ? UINT64_MAX : a + b;
}

} // namespace

RuleDriver::RuleDriver(PassContext& context, std::span<const Rule* const> rules, Exactness loosest,
                       RuleLimits limits)
    : m_context(context), m_model(context.model()), m_rules(rules), m_loosest(loosest), m_limits(limits),
      m_view(m_model, m_limits) {
    m_view.setHeld(valuesHeldByName(m_model));
    for (const GraphId graph : allGraphs(m_model)) {
        for (const QuantizationAnnotation& annotation : m_model.graph(graph).header->quantization)
            if (!annotation.tensor.isNone()) m_view.hold(annotation.tensor);
    }
    m_mostRewrites = 1000 + kMostRewritesPerNode * m_model.nodeIdCount();
    pushAll();
}

const std::vector<std::uint32_t>& RuleDriver::rulesFor(NodeId node) {
    const std::uint32_t symbol = m_model.node(node).op.index;
    const auto [at, isNew] = m_rulesByOperator.try_emplace(symbol);
    if (!isNew) return at->second;
    const std::string_view op = m_model.op(node);
    for (std::uint32_t i = 0; i < m_rules.size(); ++i) {
        const auto& roots = m_rules[i]->roots;
        if (roots.empty() || std::find(roots.begin(), roots.end(), op) != roots.end())
            at->second.push_back(i);
    }
    return at->second;
}

void RuleDriver::push(NodeId node) {
    ++m_counters.pushes;
    if (node.isNone() || !m_model.isAlive(node) || m_model.node(node).kind != NodeKind::operation) return;
    if (node.index >= m_isListed.size()) m_isListed.resize(m_model.nodeIdCount(), false);
    if (m_isListed[node.index]) return;
    m_isListed[node.index] = true;
    m_list.push_back(node);
}

void RuleDriver::pushReaders(ValueId value) {
    if (!m_model.isAlive(value)) return;
    for (const Use use : m_model.uses(value))
        push(use.node);
}

void RuleDriver::pushAll() {
    std::vector<GraphId> roots{m_model.mainGraph()};
    for (const GraphId function : m_model.header().functions)
        roots.push_back(function);
    for (const GraphId root : roots) {
        for (const NodeId node : nodesWithin(m_model, root))
            push(node);
    }
}

/// A node that was changed is looked at again, and so are those whose patterns may reach it: its readers and
/// their readers.
void RuleDriver::pushAround(NodeId node) {
    push(node);
    if (node.isNone() || !m_model.isAlive(node) || m_model.node(node).kind != NodeKind::operation) return;
    for (const ValueId result : m_model.outputs(node)) {
        if (result.isNone() || !m_model.isAlive(result)) continue;
        for (const Use use : m_model.uses(result)) {
            push(use.node);
            for (const ValueId next : m_model.outputs(use.node)) {
                if (!next.isNone()) pushReaders(next);
            }
        }
    }
}

void RuleDriver::noteEdits(JournalMark mark) {
    std::vector<ValueId> values, remade;
    std::vector<NodeId> changed;
    const auto note = [&](std::uint32_t index) {
        if (index != ValueId::kNone && index < m_model.valueIdCount()) values.push_back(ValueId(index));
    };
    for (const Edit& edit : m_model.journal().editsSince(mark)) {
        switch (edit.kind) {
        case EditKind::createNode:
        case EditKind::linkNode:
        case EditKind::setNodeAttributes:
        case EditKind::setOperandRange: changed.push_back(NodeId(edit.id)); break;
        case EditKind::setOperand:
            if (edit.id < m_model.operandIdCount())
                changed.push_back(m_model.operand(OperandId(edit.id)).node);
            note(edit.a); // has fewer readers now
            break;
        case EditKind::setProducer:
        case EditKind::setValueTensor: remade.push_back(ValueId(edit.id)); break;
        default: break;
        }
    }
    // One node or value may be in many edits: each is looked at once.
    sortUnique(changed);
    sortUnique(values);
    sortUnique(remade);
    for (const NodeId node : changed)
        pushAround(node);
    for (const ValueId value : values) {
        if (!m_model.isAlive(value)) continue;
        push(m_model.producer(value));
        // Patterns ask whether a value is read once, or by one node; a hub that lost one of many readers is
        // not.
        if (m_model.value(value).useCount > kFewReaders) continue;
        for (const Use use : m_model.uses(value))
            pushAround(use.node);
    }
    for (const ValueId value : remade) {
        if (m_model.isAlive(value)) pushReaders(value);
    }
}

void RuleDriver::startRound() {
    const bool isFirst = m_counters.rounds++ == 0;
    const JournalMark mark = m_model.journal().mark();
    const TypeTable& types = m_context.typesNow();
    m_view.setTypes(&types);
    if (isFirst || mark == m_typedAt) {
        m_typedAt = mark;
        return;
    }
    m_typedAt = mark;
    const auto changed = types.changedByUpdate();
    if (!changed) return pushAll();
    for (const ValueId value : *changed) {
        if (!m_model.isAlive(value)) continue;
        push(m_model.producer(value));
        for (const Use use : m_model.uses(value)) {
            push(use.node);
            for (const ValueId next : m_model.outputs(use.node)) {
                if (!next.isNone()) pushReaders(next);
            }
        }
    }
}

void RuleDriver::run() {
    while (!m_context.work().isCancelled()) {
        startRound(); // what became better known may put nodes on an empty list
        if (m_list.empty()) return;
        std::deque<NodeId> round;
        round.swap(m_list);
        for (const NodeId node : round) {
            m_isListed[node.index] = false;
            if (!m_model.isAlive(node)) continue;
            if ((m_counters.visits++ & 255U) == 0 && m_context.work().isCancelled()) return;
            visit(node);
            if (m_counters.rewrites >= m_mostRewrites) {
                m_isExhausted = true;
                return;
            }
        }
    }
}

void RuleDriver::visit(NodeId node) {
    // Rules put something in the place of the first result; without one a node can only go.
    const bool hasResult = !m_model.output(node, 0).isNone();
    for (const std::uint32_t rule : rulesFor(node)) {
        const bool isEverywhere = m_rules[rule]->roots.empty();
        if (!isEverywhere && !m_model.isDefaultDomain(node)) continue;
        if (!isEverywhere && !hasResult) continue;
        if (tryRule(rule, node)) return; // it is on the list again where it is still there
    }
}

bool RuleDriver::tryRule(std::uint32_t rule, NodeId node) {
    const Place place{rule, node.index};
    if (m_declined.contains(place)) return false;
    ++m_counters.matches;
    m_misses.erase(place);
    m_looser.erase(place);
    MatchResult result = m_rules[rule]->match(m_view, node);
    if (auto* why = std::get_if<Reason>(&result)) {
        m_misses[place] = std::move(*why);
        return false;
    }
    auto* hit = std::get_if<RuleHit>(&result);
    if (hit == nullptr) return false;
    for (const NodeId matched : hit->matched) {
        if (!refersToCall(m_model, matched)) continue;
        m_misses[place] = Reason("rewrite.miss.call", {matched});
        return false;
    }
    if (const ValueId held = heldResult(hit->matched); !held.isNone()) {
        m_misses[place] = Reason("rewrite.miss.held", {held});
        return false;
    }
    const Exactness exactness = hit->exactness.value_or(m_rules[rule]->exactness);
    if (isLooser(exactness, m_loosest)) {
        m_looser[place] = exactness;
        return false;
    }
    return apply(rule, node, *hit);
}

/// A result that is to stay what it is: of a node that the rewrite is about.
ValueId RuleDriver::heldResult(const std::vector<NodeId>& matched) const {
    for (const NodeId node : matched) {
        for (const ValueId result : m_model.outputs(node)) {
            if (!result.isNone() && m_view.isHeldByName(result)) return result;
        }
    }
    return {};
}

bool RuleDriver::apply(std::uint32_t rule, NodeId node, RuleHit& hit) {
    RewriteRecord request;
    request.rule = m_rules[rule]->id;
    request.root = node;
    const Exactness exactness = hit.exactness.value_or(m_rules[rule]->exactness);
    request.exactness = exactness;
    request.reason = std::move(hit.reason);
    std::vector<ValueId> read;
    for (const NodeId matched : hit.matched) {
        for (const ValueId value : allReadBy(m_model, matched))
            read.push_back(value);
        for (const ValueId value : m_model.outputs(matched))
            read.push_back(value);
    }
    request.matched = std::move(hit.matched);
    const JournalMark mark = m_model.journal().mark();
    const bool isDone =
        m_context.rewrite(std::move(request), [&](Editor& editor, RewriteRecord& record) -> Refusal {
            RuleEdit edit(editor, record, m_view, node);
            if (Refusal why = hit.apply(edit)) return why;
            sweep(editor, record, std::move(read));
            const Growth growth = growthSince(mark);
            const std::uint64_t most =
                addBounded(addBounded(m_limits.bytesLeft, growth.freed), kSmallConstants);
            if (growth.added <= most) return kDone;
            return Reason("rewrite.miss.size", {node, static_cast<std::int64_t>(growth.added - growth.freed),
                                                static_cast<std::int64_t>(m_limits.bytesLeft)});
        });
    if (!isDone) {
        m_declined.emplace(rule, node.index);
        return false;
    }
    ++m_counters.rewrites;
    account(mark);
    if (isLooser(exactness, Exactness::value)) m_view.forgetRanges();
    noteEdits(mark);
    return true;
}

/// Bytes of the tensor in a Constant node; 0 for other nodes.
std::uint64_t RuleDriver::bytesOfConstant(NodeId node) const {
    if (!m_model.isOp(node, "Constant")) return 0;
    const Attribute* value = m_model.attribute(node, "value");
    const auto* tensor = value == nullptr ? nullptr : std::get_if<TensorPtr>(&value->value);
    return tensor != nullptr && *tensor ? (*tensor)->byteSize().value_or(0) : 0;
}

/// What the edits since `mark` added to the constants of the model, and what they freed.
RuleDriver::Growth RuleDriver::growthSince(JournalMark mark) const {
    std::uint64_t added = 0, freed = 0;
    std::set<std::uint32_t> unread;
    for (const Edit& edit : m_model.journal().editsSince(mark)) {
        if (edit.kind == EditKind::createValue) {
            const Value& value = m_model.value(ValueId(edit.id));
            if (value.tensor && !value.isErased)
                added = addBounded(added, value.tensor->byteSize().value_or(0));
        } else if (edit.kind == EditKind::createNode && !m_model.node(NodeId(edit.id)).isErased) {
            added = addBounded(added, bytesOfConstant(NodeId(edit.id)));
        } else if (edit.kind == EditKind::setOperand && edit.a != ValueId::kNone) {
            const Value& value = m_model.value(ValueId(edit.a));
            const bool isFreed = value.tensor && value.producer.isNone() && value.useCount == 0 &&
                                 unread.insert(edit.a).second;
            if (isFreed) freed = addBounded(freed, value.tensor->byteSize().value_or(0));
        } else if (edit.kind == EditKind::unlinkNode && m_model.node(NodeId(edit.id)).isErased) {
            freed = addBounded(freed, bytesOfConstant(NodeId(edit.id)));
        }
    }
    return {added, freed};
}

/// Takes what was added off the limit, and gives back what was freed.
void RuleDriver::account(JournalMark mark) {
    const Growth growth = growthSince(mark);
    m_limits.bytesLeft = addBounded(m_limits.bytesLeft, growth.freed);
    m_limits.bytesLeft -= std::min(m_limits.bytesLeft, growth.added);
}

/// Erases the makers of those values that nobody reads any more, and what only they read.
void RuleDriver::sweep(Editor& editor, RewriteRecord& record, std::vector<ValueId> read) {
    std::set<std::uint32_t> seen;
    while (!read.empty()) {
        const ValueId value = read.back();
        read.pop_back();
        if (value.isNone() || !m_model.isAlive(value) || m_view.isHeldByName(value)) continue;
        const NodeId maker = m_model.producer(value);
        if (maker.isNone() || !m_model.isAlive(maker) || m_model.node(maker).kind != NodeKind::operation)
            continue;
        if (hasReadResult(m_model, maker)) continue;
        const bool isMatched =
            std::find(record.matched.begin(), record.matched.end(), maker) != record.matched.end();
        if (!isMatched && m_view.hasEffect(maker)) continue;
        for (const ValueId input : allReadBy(m_model, maker))
            read.push_back(input);
        editor.eraseNode(maker);
        if (!isMatched)
            record.nodeReasons.emplace_back(maker, Reason("rewrite.only-fed", {maker, record.root}));
    }
}

void RuleDriver::tellMisses() {
    for (const auto& [place, why] : m_misses) {
        if (m_model.isAlive(NodeId(place.second)))
            m_context.miss(m_rules[place.first]->id, NodeId(place.second), why);
    }
    for (const auto& [place, exactness] : m_looser) {
        if (!m_model.isAlive(NodeId(place.second))) continue;
        m_context.miss(m_rules[place.first]->id, NodeId(place.second),
                       Reason("rewrite.needs-level", {std::string(exactnessName(exactness))}));
    }
}

} // namespace secateur
