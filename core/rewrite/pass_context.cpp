// SPDX-License-Identifier: Apache-2.0
#include "core/rewrite/pass.h"

#include "core/ir/journal.h"

#include <algorithm>

namespace secateur {
namespace {

/// The first result of a node that has a name; "" when none has.
std::string_view firstResultName(const Model& model, NodeId node) {
    for (const ValueId result : model.outputs(node)) {
        if (!result.isNone() && !model.name(result).empty()) return model.name(result);
    }
    return {};
}

/// The attribute of `parent` that holds `body`, with its place where the attribute holds several.
std::string attributeOf(const Model& model, NodeId parent, GraphId body) {
    for (const Attribute& attribute : model.attributes(parent)) {
        if (const auto* graph = std::get_if<GraphId>(&attribute.value); graph != nullptr && *graph == body)
            return attribute.name;
        const auto* graphs = std::get_if<std::vector<GraphId>>(&attribute.value);
        if (graphs == nullptr) continue;
        const auto at = std::find(graphs->begin(), graphs->end(), body);
        if (at != graphs->end()) return attribute.name + "[" + std::to_string(at - graphs->begin()) + "]";
    }
    return "body";
}

template <class T> void sortUnique(std::vector<T>& values) {
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
}

/// Does the body that `graph` is, or that it lies in, belong to an erased node?
bool isInErasedNode(const Model& model, GraphId graph) {
    for (GraphId at = graph; !at.isNone(); at = model.graph(at).parent) {
        const NodeId parent = model.graph(at).parentNode;
        if (!parent.isNone() && model.node(parent).isErased) return true;
    }
    return false;
}

} // namespace

PassContext::PassContext(Model& model, FollowingTypes& types, PassEnvironment& environment,
                         const PassOptions& options, const std::set<std::string>& skippedKeys,
                         const WorkContext& work)
    : m_model(model), m_types(types), m_environment(environment), m_options(options), m_skipped(skippedKeys),
      m_work(work), m_editor(model) {}

std::string PassContext::option(const PassInfo& info, std::string_view name) const {
    if (const auto at = m_options.find(std::string(name)); at != m_options.end()) return at->second;
    for (const PassOption& option : info.options) {
        if (option.name == name) return option.otherwise;
    }
    return {};
}

/// Path of a graph by the result names of the nodes around it: "" for the main graph, "y/then_branch/" for a
/// body.
std::string PassContext::pathOf(GraphId graph) const {
    std::string path;
    for (GraphId at = graph; !at.isNone();) {
        const Graph& g = m_model.graph(at);
        if (g.kind == GraphKind::function)
            return g.header->domain + "::" + g.header->name + ":" + g.header->overload + "/" + path;
        if (g.kind == GraphKind::trainingAlgorithm) return "training/algorithm/" + path;
        if (g.kind == GraphKind::trainingInitialization) return "training/initialization/" + path;
        if (g.kind == GraphKind::main || g.parentNode.isNone()) break;
        path = std::string(firstResultName(m_model, g.parentNode)) + "/" +
               attributeOf(m_model, g.parentNode, at) + "/" + path;
        at = m_model.node(g.parentNode).graph;
    }
    return path;
}

std::string PassContext::keyOf(const RewriteRecord& request) {
    std::string key;
    if (!request.root.isNone()) {
        key = pathOf(m_model.node(request.root).graph) + std::string(firstResultName(m_model, request.root));
    } else if (!request.erasedValues.empty()) {
        const ValueId value = request.erasedValues.front();
        key = pathOf(m_model.value(value).graph) + std::string(m_model.name(value));
    }
    key = request.rule + "@" + key;
    const unsigned occurrence = m_occurrences[key]++;
    return occurrence == 0 ? key : key + "#" + std::to_string(occurrence);
}

void PassContext::describeEdits(RewriteRecord& record) const {
    std::vector<NodeId> made, unlinked;
    for (const Edit& edit : m_model.journal().editsSince(record.begin)) {
        if (edit.kind == EditKind::createNode) made.push_back(NodeId(edit.id));
        if (edit.kind == EditKind::unlinkNode) unlinked.push_back(NodeId(edit.id));
        if (edit.kind == EditKind::setValueErased && m_model.value(ValueId(edit.id)).isErased) {
            record.erasedValues.push_back(ValueId(edit.id));
        }
    }
    sortUnique(made);
    sortUnique(unlinked);
    for (const NodeId node : made) {
        if (m_model.node(node).kind == NodeKind::operation && m_model.isAlive(node))
            record.created.push_back(node);
    }
    for (const NodeId node : unlinked) {
        const bool isNew = std::binary_search(made.begin(), made.end(), node);
        if (!isNew && m_model.node(node).isErased) record.erased.push_back(node);
    }
    sortUnique(record.erasedValues);
    std::erase_if(record.erasedValues, [&](ValueId id) {
        const NodeId producer = m_model.producer(id);
        if (!producer.isNone() && m_model.node(producer).isErased) return true;
        return isInErasedNode(m_model, m_model.value(id).graph);
    });
}

/// A target whose value was replaced is from now on the value that fills its output.
void PassContext::followTargets(const RewriteRecord& record) {
    for (ValueId& target : m_environment.targets) {
        for (const auto& [old, now] : record.equalValues) {
            if (target != old || m_model.isGraphOutput(old)) continue;
            target = now;
            if (m_model.isGraphOutput(now)) break;
            for (const Use use : m_model.uses(now)) { // an Identity gives the output its name
                const ValueId result =
                    m_model.isOp(use.node, "Identity") ? m_model.output(use.node, 0) : ValueId();
                if (!result.isNone() && m_model.isGraphOutput(result)) target = result;
            }
            break;
        }
    }
}

const TypeTable& PassContext::types() {
    if (m_hasTypes) return m_types.asLeft();
    m_hasTypes = true;
    return m_types.upToDate(m_model);
}

const TypeTable& PassContext::typesNow() {
    m_hasTypes = true;
    return m_types.upToDate(m_model);
}

bool PassContext::rewrite(RewriteRecord request,
                          const std::function<Refusal(Editor&, RewriteRecord&)>& apply) {
    request.key = keyOf(request);
    request.begin = request.end = m_model.journal().mark();
    if (m_skipped.contains(request.key)) {
        request.isSkipped = true;
        m_records.push_back(std::move(request));
        return false;
    }
    if (m_environment.rewritesLeft == 0U) return false;
    if (m_environment.trace != nullptr) m_environment.trace->before(m_model, request);
    if (Refusal why = apply(m_editor, request)) {
        m_types.unwind(m_model, request.begin);
        miss(request.rule, request.root, std::move(*why));
        return false;
    }
    request.end = m_model.journal().mark();
    if (request.end == request.begin) return false;
    if (m_environment.rewritesLeft) --*m_environment.rewritesLeft;
    describeEdits(request);
    followTargets(request);
    m_records.push_back(std::move(request));
    if (m_environment.trace != nullptr) m_environment.trace->after(m_model, m_records.back());
    return true;
}

void PassContext::miss(std::string_view rule, NodeId node, Reason reason) {
    m_misses.push_back({std::string(rule), node, std::move(reason)});
}

void PassContext::ask(Question question) {
    m_questions.push_back(std::move(question));
}

} // namespace secateur
