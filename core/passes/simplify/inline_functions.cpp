// SPDX-License-Identifier: Apache-2.0
// Writes the nodes of model-local functions in the place of the nodes that call them, also of calls within
// them.
//   y = Block(x)  with Block(a) = Relu(Add(a, a))  =>  y = Relu(Add(x, x))
// Exact: runtimes do the same before they run a model. Off by default, because a function is how an exporter
// says which part of a network this is.
#include "core/ir/function_table.h"
#include "core/ir/node_edits.h"
#include "core/ir/walk.h"
#include "core/onnx/body_writing.h"
#include "core/onnx/schemas.h"
#include "core/passes/convert/conversion_passes.h"
#include "core/passes/convert/unread_data.h"
#include "core/passes/simplify/simplify_passes.h"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace secateur {
namespace {

constexpr std::string_view kRule = "inline-functions";

/// Functions that call functions can stand for more nodes than any file has: more than this are not written.
constexpr std::uint64_t kMostNodes = 250'000;

class Inlining {
  public:
    explicit Inlining(PassContext& context)
        : m_context(context), m_model(context.model()), m_functions(m_model) {}

    void run() {
        if (m_functions.empty()) return;
        std::deque<NodeId> calls;
        for (const NodeId node : nodesWithin(m_model, m_model.mainGraph()))
            calls.push_back(node);
        while (!calls.empty() && !m_context.work().isCancelled()) {
            const NodeId call = calls.front();
            calls.pop_front();
            const GraphId function = m_functions.calledBy(m_model, call);
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
    /// Does an operator mean the same in the function as where it is called?
    [[nodiscard]] bool meansTheSame(NodeId node, GraphId function, GraphId around) const {
        if (!m_functions.calledBy(m_model, node).isNone()) return true;
        const std::string_view domain = m_model.domain(node);
        const auto inside = m_model.opsetVersion(domain, function);
        const auto outside = m_model.opsetVersion(domain, around);
        if (!inside || !outside || inside == outside) return inside.has_value(); // an import can be added
        const auto here = schemaOf(domain, m_model.op(node), *inside);
        const auto there = schemaOf(domain, m_model.op(node), *outside);
        return here && there && here->sinceVersion == there->sinceVersion;
    }

    /// Is every result made in the function, or something that the call gives?
    [[nodiscard]] bool givesResults(NodeId call, GraphId function) const {
        const auto formals = m_model.graphInputs(function);
        for (const ValueId output : m_model.graphOutputs(function)) {
            if (output.isNone()) return false;
            const auto at = std::find(formals.begin(), formals.end(), output);
            const auto slot = static_cast<std::size_t>(at - formals.begin());
            const bool isMade = !m_model.producer(output).isNone() && at == formals.end();
            if (!isMade && (at == formals.end() || m_model.input(call, slot).isNone())) return false;
        }
        return m_model.outputs(call).size() <= m_model.graphOutputs(function).size() &&
               m_model.inputs(call).size() <= formals.size();
    }

    /// The same of the bodies of a node in it: no result is missing, or an input that the call omits.
    [[nodiscard]] bool givesBodyResults(NodeId call, GraphId function, NodeId node) const {
        const auto formals = m_model.graphInputs(function);
        for (const GraphId body : m_model.subgraphs(node)) {
            for (const ValueId output : m_model.graphOutputs(body)) {
                if (output.isNone()) return false;
                const auto at = std::find(formals.begin(), formals.end(), output);
                const auto slot = static_cast<std::size_t>(at - formals.begin());
                if (at != formals.end() && m_model.input(call, slot).isNone()) return false;
            }
        }
        return true;
    }

    /// Does the function call itself, through others or not?
    [[nodiscard]] bool isEndless(GraphId function) const {
        std::set<GraphId> seen;
        std::vector<GraphId> pending{function};
        while (!pending.empty()) {
            const GraphId at = pending.back();
            pending.pop_back();
            for (const GraphId called : calledFunctions(m_model, at, m_functions)) {
                if (called == function) return true;
                if (seen.insert(called).second) pending.push_back(called);
            }
        }
        return false;
    }

    [[nodiscard]] std::optional<Reason> whyNot(NodeId call, GraphId function) {
        const GraphId around = m_model.node(call).graph;
        const auto [size, isNew] = m_sizes.try_emplace(function.index, 0);
        if (isNew) {
            size->second = nodesWithin(m_model, function).size();
            if (isEndless(function)) m_endless.insert(function);
        }
        if (m_written + size->second > kMostNodes)
            return Reason("inline-functions.miss.size", {call, static_cast<std::int64_t>(kMostNodes)});
        if (m_endless.contains(function)) return Reason("inline-functions.miss.endless", {call});
        if (!m_model.subgraphs(call).empty()) return Reason("inline-functions.miss.body", {call});
        if (!givesResults(call, function)) return Reason("inline-functions.miss.results", {call});
        for (const NodeId node : nodesWithin(m_model, function)) {
            if (!givesBodyResults(call, function, node))
                return Reason("inline-functions.miss.results", {call});
            if (meansTheSame(node, function, around)) continue;
            const std::string domain(m_model.domain(node));
            return Reason("inline-functions.miss.opset", {call, std::string(m_model.op(node)),
                                                          m_model.opsetVersion(domain, function).value_or(0),
                                                          m_model.opsetVersion(domain, around).value_or(0)});
        }
        return std::nullopt;
    }

    /// Imports of the function that the model lacks.
    void addImports(Editor& editor, GraphId function) const {
        ModelHeader header = m_model.header();
        const std::size_t before = header.opsets.size();
        for (const OpsetImport& opset : m_model.graph(function).header->opsets) {
            if (!m_model.opsetVersion(opset.domain, m_model.mainGraph())) header.opsets.push_back(opset);
        }
        if (header.opsets.size() != before) editor.setModelHeader(std::move(header));
    }

    std::vector<NodeId> written(NodeId call, GraphId function) {
        const AttributeList given = m_model.attributes(call);
        const GraphHeaderPtr header = m_model.graph(function).header;
        const BodySource body{
            m_model, function,
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
            true};
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
        m_written += std::max<std::uint64_t>(1, m_sizes[function.index]);
        return made;
    }

    PassContext& m_context;
    const Model& m_model;
    const FunctionTable m_functions;
    std::uint64_t m_written = 0;
    std::map<std::uint32_t, std::uint64_t> m_sizes; ///< of functions, bodies included
    std::set<GraphId> m_endless;
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
