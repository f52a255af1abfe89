// SPDX-License-Identifier: Apache-2.0
#include "core/passes/convert/unread_data.h"

#include "core/ir/domains.h"
#include "core/ir/function_table.h"
#include "core/ir/journal.h"
#include "core/ir/walk.h"
#include "core/messages/sentences.h"
#include "core/passes/convert/empty_graph.h"
#include "core/passes/convert/node_parts.h"
#include "core/passes/convert/removal.h"
#include "core/support/text.h"

#include <algorithm>
#include <array>
#include <set>
#include <string>

namespace secateur {
namespace {

/// The first result from which on unread ones can be left out without a change to the others; none for
/// operators whose results all count.
std::optional<std::size_t> firstOptionalResult(const Model& model, NodeId node) {
    static constexpr std::array<std::string_view, 4> kOps{"MaxPool", "LayerNormalization",
                                                          "SoftmaxCrossEntropyLoss", "Dropout"};
    const bool isListed = std::find(kOps.begin(), kOps.end(), model.op(node)) != kOps.end();
    return isListed ? std::optional<std::size_t>(1) : std::nullopt;
}

/// How many results the node needs to keep.
std::size_t resultsNeeded(const Model& model, NodeId node) {
    const auto results = model.outputs(node);
    // The number of results says the mode of a BatchNormalization (opsets 7 to 13), and how a Split or a body
    // is cut.
    static constexpr std::array<std::string_view, 6> kCounted{
        "BatchNormalization", "Split", "If", "Loop", "Scan", "SequenceMap"};
    const bool isCounted = std::find(kCounted.begin(), kCounted.end(), model.op(node)) != kCounted.end();
    if (isCounted || !model.isDefaultDomain(node)) return results.size();
    const std::size_t first = firstOptionalResult(model, node).value_or(results.size());
    std::size_t count = results.size();
    const auto canGo = [&](std::size_t slot) {
        return results[slot].isNone() || (slot >= first && !model.hasUses(results[slot]));
    };
    while (count > 1 && canGo(count - 1))
        --count;
    return count;
}

/// Who read a value in the opened model, in words: they are gone by now, each for a reason of its own.
class FormerReaders {
  public:
    explicit FormerReaders(PassContext& context)
        : m_roles(context.environment().roles),
          m_model(context.environment().original != nullptr ? *context.environment().original
                                                            : context.model()) {}

    /// `last` lost it last, where that is known; it tells of values that only steps made, too.
    [[nodiscard]] Reason reasonFor(ValueId value, NodeId last) const {
        std::array<std::int64_t, kRoles.size()> counts{};
        std::array<NodeId, kRoles.size()> firsts{};
        if (value.index < m_model.valueIdCount()) {
            for (const Use use : m_model.uses(value)) {
                if (m_model.node(use.node).kind == NodeKind::operation) count(use.node, counts, firsts);
            }
        }
        const auto kinds = std::count_if(counts.begin(), counts.end(), [](std::int64_t n) { return n > 0; });
        if (kinds == 0 && !last.isNone()) count(last, counts, firsts);
        if (kinds > 1) return Reason("drop-training-state.value.several", {value, listOf(counts)});
        for (const Role role : kRoles) {
            const auto at = static_cast<std::size_t>(role);
            if (counts[at] > 0)
                return Reason("drop-training-state.value." + std::string(roleName(role)),
                              {value, firsts[at], counts[at]});
        }
        return Reason("drop-training-state.value.never", {value});
    }

  private:
    static constexpr std::array kRoles{Role::forward,   Role::loss,      Role::backward, Role::accumulator,
                                       Role::optimizer, Role::recompute, Role::metric};
    using Counts = std::array<std::int64_t, kRoles.size()>;

    void count(NodeId reader, Counts& counts, std::array<NodeId, kRoles.size()>& firsts) const {
        const auto at = static_cast<std::size_t>(m_roles ? m_roles->of(reader) : Role::forward);
        if (counts[at]++ == 0) firsts[at] = reader;
    }
    /// "1 loss node, 2 backward nodes".
    static std::string listOf(const Counts& counts) {
        std::string list;
        for (const Role role : kRoles) {
            const std::int64_t n = counts[static_cast<std::size_t>(role)];
            if (n == 0) continue;
            const std::string id = "drop-training-state.readers." + std::string(roleName(role));
            list += (list.empty() ? "" : ", ") + formatMessage(id, {std::to_string(n)});
        }
        return list;
    }

    std::shared_ptr<const RoleTable> m_roles;
    const Model& m_model;
};

} // namespace

void trimUnreadResults(PassContext& context, std::string_view rule) {
    const Model& model = context.model();
    for (const NodeId node : convertibleNodes(model)) {
        const std::size_t needed = resultsNeeded(model, node);
        if (needed == model.outputs(node).size()) continue;
        RewriteRecord request;
        request.rule = rule;
        request.root = node;
        request.matched = {node};
        request.reason = Reason("drop-training-state.results", {node});
        context.rewrite(std::move(request), [&](Editor& editor, RewriteRecord&) {
            keepResults(editor, node, needed);
            return kDone;
        });
    }
}

void dropUncalledFunctions(PassContext& context, std::string_view rule) {
    const Model& model = context.model();
    if (model.header().functions.empty()) return;
    const FunctionTable table(model);
    std::set<GraphId> called;
    std::vector<GraphId> pending{model.mainGraph()};
    while (!pending.empty()) {
        const GraphId graph = pending.back();
        pending.pop_back();
        for (const GraphId function : calledFunctions(model, graph, table)) {
            if (called.insert(function).second) pending.push_back(function);
        }
    }
    std::vector<GraphId> kept, dropped;
    for (const GraphId function : model.header().functions)
        (called.contains(function) ? kept : dropped).push_back(function);
    if (dropped.empty()) return;
    RewriteRecord request;
    request.rule = rule;
    request.reason = Reason("drop-training-state.functions", {static_cast<std::int64_t>(dropped.size()),
                                                              model.graph(dropped.front()).header->name});
    context.rewrite(std::move(request), [&](Editor& editor, RewriteRecord&) {
        for (const GraphId function : dropped)
            emptyGraph(editor, function);
        ModelHeader header = model.header();
        header.functions = kept;
        editor.setModelHeader(std::move(header));
        return kDone;
    });
}

void dropUnreadInputs(PassContext& context, std::string_view rule) {
    const Model& model = context.model();
    const GraphId main = model.mainGraph();
    const std::vector<bool> held = valuesHeldByName(model);
    std::vector<NodeId> lastReader(
        model.valueIdCount()); // of values that lost a reader since the file was opened
    for (const Edit& edit : model.journal().edits()) {
        if (edit.kind != EditKind::setOperand || edit.a == ValueId::kNone || edit.a == edit.b) continue;
        lastReader[edit.a] = model.operand(OperandId(edit.id)).node;
    }
    RewriteRecord request;
    request.rule = rule;
    std::vector<ValueId> kept;
    const FormerReaders former(context);
    for (const ValueId input : model.graphInputs(main)) {
        const NodeId reader = lastReader[input.index];
        if (model.hasUses(input) || held[input.index] || reader.isNone()) {
            kept.push_back(input);
            continue;
        }
        request.valueReasons.emplace_back(input, former.reasonFor(input, reader));
    }
    if (request.valueReasons.empty()) return;
    const ValueId first = request.valueReasons.front().first;
    request.erasedValues = {first};
    request.reason =
        Reason("drop-training-state.inputs", {static_cast<std::int64_t>(request.valueReasons.size()), first});
    context.rewrite(std::move(request), [&](Editor& editor, RewriteRecord&) {
        editor.setGraphInputs(main, kept);
        return kDone;
    });
}

void dropUnreadInitializers(PassContext& context, std::string_view rule) {
    const Model& model = context.model();
    const std::vector<bool> held = valuesHeldByName(model);
    std::vector<ValueId> unread;
    const auto collect = [&](const std::vector<ValueId>& list) {
        for (const ValueId value : list) {
            const bool isData = model.isAlive(value) && model.producer(value).isNone();
            if (isData && !model.hasUses(value) && !held[value.index]) unread.push_back(value);
        }
    };
    for (const GraphId graph : allGraphs(model)) {
        collect(model.graph(graph).initializers);
        collect(model.graph(graph).sparseInitializers);
    }
    if (unread.empty()) return;
    std::uint64_t bytes = 0;
    for (const ValueId value : unread)
        bytes += model.value(value).tensor->byteSize().value_or(0);
    RewriteRecord request;
    request.rule = rule;
    request.erasedValues = {unread.front()};
    const FormerReaders former(context);
    for (const ValueId value : unread)
        request.valueReasons.emplace_back(value, former.reasonFor(value, NodeId()));
    request.reason =
        Reason("drop-training-state.initializers",
               {static_cast<std::int64_t>(unread.size()), static_cast<std::int64_t>(bytes), unread.front()});
    context.rewrite(std::move(request), [&](Editor& editor, RewriteRecord&) {
        for (const ValueId value : unread)
            editor.eraseValue(value);
        for (const GraphId graph : allGraphs(model)) {
            GraphHeader header = *model.graph(graph).header;
            const auto isGone = [&](const QuantizationAnnotation& a) {
                return !a.tensor.isNone() && !model.isAlive(a.tensor);
            };
            if (std::erase_if(header.quantization, isGone) != 0)
                editor.setGraphHeader(graph, std::move(header));
        }
        return kDone;
    });
}

void dropUnusedOpsets(PassContext& context, std::string_view rule) {
    const Model& model = context.model();
    std::set<std::string, std::less<>> used{""};
    Symbol last; // runs of nodes share a domain
    for (const GraphId graph : allGraphs(model)) {
        for (const NodeId node : model.nodes(graph)) {
            if (model.node(node).domain == last) continue;
            last = model.node(node).domain;
            used.emplace(plainDomain(model.domain(node)));
        }
    }
    ModelHeader header = model.header();
    std::vector<std::string> dropped;
    std::erase_if(header.opsets, [&](const OpsetImport& import) {
        if (used.contains(plainDomain(import.domain))) return false;
        dropped.push_back(import.domain);
        return true;
    });
    if (dropped.empty()) return;
    RewriteRecord request;
    request.rule = rule;
    request.reason = Reason("drop-training-state.opsets",
                            {static_cast<std::int64_t>(dropped.size()), quotedList(dropped)});
    context.rewrite(std::move(request), [&](Editor& editor, RewriteRecord&) {
        editor.setModelHeader(std::move(header));
        return kDone;
    });
}

} // namespace secateur
