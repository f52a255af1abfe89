// SPDX-License-Identifier: Apache-2.0
// Writes the nodes of model-local functions in the place of the nodes that call them, also of calls within
// them.
//   y = Block(x)  with Block(a) = Relu(Add(a, a))  =>  y = Relu(Add(x, x))
// Exact: runtimes do the same before they run a model. Off by default, because a function is how an exporter
// says which part of a network this is.
#include "core/ir/node_edits.h"
#include "core/ir/walk.h"
#include "core/onnx/body_depth.h"
#include "core/onnx/body_writing.h"
#include "core/passes/convert/conversion_passes.h"
#include "core/passes/convert/unread_data.h"
#include "core/passes/simplify/callees.h"
#include "core/passes/simplify/simplify_passes.h"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace secateur {
namespace {

constexpr std::string_view kRule = "inline-functions";

/// Functions that call functions can stand for more nodes than any file has: more than this are not written.
constexpr std::uint64_t kMostNodes = 250'000;

class Inlining {
  public:
    explicit Inlining(PassContext& context)
        : m_context(context), m_model(context.model()), m_callees(m_model) {}

    void run() {
        if (m_callees.table().empty()) return;
        std::deque<NodeId> calls;
        for (const NodeId node : nodesWithin(m_model, m_model.mainGraph()))
            calls.push_back(node);
        while (!calls.empty() && !m_context.work().isCancelled()) {
            const NodeId call = calls.front();
            calls.pop_front();
            const GraphId function = m_callees.table().calledBy(m_model, call);
            if (function.isNone()) continue;
            if (auto why = whyNot(call, function)) {
                m_context.miss(kRule, call, std::move(*why));
                continue;
            }
            for (const NodeId made : written(call, function))
                calls.push_back(made);
        }
        dropUncalledFunctions(m_context, kRule);
    }

  private:
    [[nodiscard]] std::size_t depthOf(GraphId graph) const {
        std::size_t depth = 0;
        for (GraphId at = m_model.graph(graph).parent; !at.isNone(); at = m_model.graph(at).parent)
            ++depth;
        return depth;
    }

    [[nodiscard]] bool givesAll(NodeId call, GraphId function, const Callee& callee) const {
        const auto isGiven = [&](std::size_t slot) { return !m_model.input(call, slot).isNone(); };
        return !callee.lacksResult && std::all_of(callee.handedOn.begin(), callee.handedOn.end(), isGiven) &&
               m_model.outputs(call).size() <= m_model.graphOutputs(function).size() &&
               m_model.inputs(call).size() <= m_model.graphInputs(function).size();
    }

    [[nodiscard]] std::optional<Reason> whyNot(NodeId call, GraphId function) {
        const Callee& callee = m_callees.of(function);
        if (m_written + callee.size > kMostNodes)
            return Reason("inline-functions.miss.size", {call, static_cast<std::int64_t>(kMostNodes)});
        if (callee.isEndless) return Reason("inline-functions.miss.endless", {call});
        if (!m_model.subgraphs(call).empty()) return Reason("inline-functions.miss.body", {call});
        if (!givesAll(call, function, callee)) return Reason("inline-functions.miss.results", {call});
        const std::size_t depth = depthOf(m_model.node(call).graph) + callee.depth;
        if (callee.depth > 0 && depth > kDeepestBodiesElsewhere)
            return Reason("inline-functions.miss.deep", {call, static_cast<std::int64_t>(depth),
                                                         static_cast<std::int64_t>(kDeepestBodiesElsewhere)});
        if (callee.other.isNone()) return std::nullopt;
        const std::string_view domain = m_model.domain(callee.other);
        return Reason("inline-functions.miss.opset", {call, std::string(m_model.op(callee.other)),
                                                      m_model.opsetVersion(domain, function).value_or(0),
                                                      m_model.opsetVersion(domain).value_or(0)});
    }

    /// Imports of the function that the model lacks.
    void addImports(Editor& editor, GraphId function) const {
        std::vector<OpsetImport> lacking;
        for (const OpsetImport& opset : m_model.graph(function).header->opsets) {
            if (!m_model.opsetVersion(opset.domain)) lacking.push_back(opset);
        }
        if (lacking.empty()) return;
        ModelHeader header = m_model.header();
        header.opsets.insert(header.opsets.end(), lacking.begin(), lacking.end());
        editor.setModelHeader(std::move(header));
    }

    std::vector<NodeId> written(NodeId call, GraphId function) {
        const AttributeList given = m_model.attributes(call);
        const GraphHeaderPtr header = m_model.graph(function).header;
        const BodySource body{
            m_model,
            function,
            [&](std::string_view name) -> const Attribute* {
                for (const AttributeList* list : {&given, &header->attributeDefaults}) {
                    for (const Attribute& attribute : *list) {
                        if (attribute.name == name) return &attribute;
                    }
                }
                return nullptr;
            },
            [](Editor& editor, NodeId before, std::string_view hint, const TensorPtr& tensor) {
                return makeConstant(editor, before, hint, tensor);
            },
            true,
            &m_callees.of(function).constants};
        RewriteRecord request;
        request.rule = kRule;
        request.root = call;
        request.matched = {call};
        request.reason =
            Reason("inline-functions.inline",
                   {call, header->name, static_cast<std::int64_t>(m_model.graph(function).nodeCount)});
        std::vector<NodeId> made;
        m_context.rewrite(std::move(request), [&](Editor& editor, RewriteRecord&) {
            addImports(editor, function);
            made = writeBody(editor, call, body);
            return kDone;
        });
        // Constants become initializers, which are no new nodes, and count all the same.
        m_written += std::max<std::uint64_t>(1, m_callees.of(function).size);
        return made;
    }

    PassContext& m_context;
    const Model& m_model;
    Callees m_callees;
    std::uint64_t m_written = 0;
};

class InlineFunctions final : public Pass {
  public:
    [[nodiscard]] const PassInfo& info() const override {
        static const PassInfo kInfo = [] {
            PassInfo info = passInfo(std::string(kRule), Exactness::exact, {}, false);
            info.isConversion = false;
            return info;
        }();
        return kInfo;
    }

    Result<void> run(PassContext& context) const override {
        Inlining(context).run();
        if (context.work().isCancelled()) return cancelled();
        return {};
    }
};

} // namespace

const Pass& inlineFunctionsPass() {
    static const InlineFunctions pass;
    return pass;
}

} // namespace secateur
