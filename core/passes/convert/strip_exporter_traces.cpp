// SPDX-License-Identifier: Apache-2.0
// Removes what an exporter left on nodes, values, graphs and functions for its own debugging: doc strings,
// stack traces, class and module paths. What carries notes of somebody else, too, stays as it is.
//   Gemm {doc_string, pkg.torch.onnx.stack_trace}  =>  Gemm
// Exact: nothing that runs reads them. Off by default, because they lead a node back to its source.
#include "core/ir/walk.h"
#include "core/onnx/rest_fields.h"
#include "core/passes/convert/conversion_passes.h"

#include <algorithm>
#include <string>
#include <vector>

namespace secateur {
namespace {

constexpr std::string_view kRule = "strip-exporter-traces";

/// Does an exporter write this key for its own debugging?
bool isExporterKey(std::string_view key) {
    return key.starts_with("pkg.") || key == "namespace";
}

/// Is this a stack trace of Python source lines, as older exporters leave it in the doc string?
bool isTrace(std::string_view text) {
    return text.find(".py(") != std::string_view::npos || text.find("File \"") != std::string_view::npos;
}

/// Are there texts, and are they an exporter's, all of them? Notes of somebody else are left alone.
bool isExporters(const RestFields& fields) {
    if (fields.metadata.empty() && fields.docString.empty()) return false;
    if (!fields.docString.empty() && !isTrace(fields.docString)) return false;
    return std::all_of(fields.metadata.begin(), fields.metadata.end(),
                       [](const auto& entry) { return isExporterKey(entry.first); });
}

void stripNodes(PassContext& context) {
    const Model& model = context.model();
    std::vector<std::pair<NodeId, std::string>> changes;
    std::uint64_t bytes = 0;
    for (const GraphId graph : allGraphs(model)) {
        for (const NodeId node : model.nodes(graph)) {
            if (!isExporters(nodeFields(model, node))) continue;
            const std::string_view rest = model.text(model.node(node).rest);
            std::string kept = nodeRestWithoutTexts(rest);
            bytes += rest.size() - kept.size();
            changes.emplace_back(node, std::move(kept));
        }
    }
    if (changes.empty()) return;
    RewriteRecord request;
    request.rule = kRule;
    request.root = changes.front().first;
    for (const auto& [node, rest] : changes)
        request.matched.push_back(node);
    request.reason = Reason("strip-exporter-traces.strip",
                            {static_cast<std::int64_t>(changes.size()), static_cast<std::int64_t>(bytes)});
    context.rewrite(std::move(request), [&](Editor& editor, RewriteRecord&) {
        for (const auto& [node, rest] : changes)
            editor.setNodeRest(node, rest);
        return kDone;
    });
}

void stripValues(PassContext& context) {
    const Model& model = context.model();
    std::vector<std::pair<ValueId, ValueInfoPtr>> changes;
    for (std::size_t i = 0; i < model.valueIdCount(); ++i) {
        const ValueId value(i);
        const ValueInfoPtr& info = model.value(value).info;
        const bool hasTexts =
            model.isAlive(value) && info && !info->verbatim.empty() && isExporters(valueFields(*info));
        if (hasTexts) changes.emplace_back(value, infoWithoutTexts(info));
    }
    if (changes.empty()) return;
    RewriteRecord request;
    request.rule = kRule;
    request.reason = Reason("strip-exporter-traces.values", {static_cast<std::int64_t>(changes.size())});
    context.rewrite(std::move(request), [&](Editor& editor, RewriteRecord&) {
        for (const auto& [value, info] : changes)
            editor.setInfo(value, info);
        return kDone;
    });
}

void stripGraphs(PassContext& context) {
    const Model& model = context.model();
    std::vector<std::pair<GraphId, GraphHeader>> changes;
    for (const GraphId graph : allGraphs(model)) {
        if (!isExporters(graphFields(model, graph))) continue;
        const bool isFunction = model.graph(graph).kind == GraphKind::function;
        changes.emplace_back(graph, headerWithoutTexts(*model.graph(graph).header, isFunction));
    }
    if (changes.empty()) return;
    RewriteRecord request;
    request.rule = kRule;
    request.reason = Reason("strip-exporter-traces.graphs", {static_cast<std::int64_t>(changes.size())});
    context.rewrite(std::move(request), [&](Editor& editor, RewriteRecord&) {
        for (auto& [graph, header] : changes)
            editor.setGraphHeader(graph, std::move(header));
        return kDone;
    });
}

class StripExporterTraces final : public Pass {
  public:
    [[nodiscard]] const PassInfo& info() const override {
        static const PassInfo kInfo = passInfo(std::string(kRule), Exactness::exact, {}, false);
        return kInfo;
    }

    Result<void> run(PassContext& context) const override {
        stripNodes(context);
        if (context.work().isCancelled()) return cancelled();
        stripValues(context);
        stripGraphs(context);
        return {};
    }
};

} // namespace

const Pass& stripExporterTracesPass() {
    static const StripExporterTraces pass;
    return pass;
}

} // namespace secateur
