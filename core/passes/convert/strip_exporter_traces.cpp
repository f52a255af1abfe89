// SPDX-License-Identifier: Apache-2.0
// Removes what an exporter left on nodes and values for its own debugging: doc strings, stack traces, class and module
// paths. A caller's own metadata stays.
//   Gemm {doc_string, pkg.torch.onnx.stack_trace}  =>  Gemm
// Exact: nothing that runs reads them. Off by default, because they lead a node back to its source.
#include "core/ir/walk.h"
#include "core/passes/convert/conversion_passes.h"
#include "core/passes/convert/wire_filter.h"

#include <string>
#include <vector>

namespace secateur {
namespace {

constexpr std::string_view kRule = "strip-exporter-traces";

// Field numbers of onnx.proto.
constexpr unsigned kNodeDoc = 6, kNodeMetadata = 9, kValueDoc = 3, kValueMetadata = 4, kEntryKey = 1;

/// Keys that exporters write; StringStringEntryProto has its key in field 1.
bool isExporterEntry(std::string_view entry) {
    while (const auto field = nextField(entry)) {
        if (field->number == kEntryKey) return field->payload.starts_with("pkg.") || field->payload == "namespace";
    }
    return false;
}

/// `message` without traces; none where there is nothing to do.
std::optional<std::string> stripped(std::string_view message, unsigned doc, unsigned metadata) {
    if (message.empty()) return std::nullopt;
    const auto kept = withoutFields(message, [&](const WireField& field) {
        return field.number == doc || (field.number == metadata && isExporterEntry(field.payload));
    });
    return kept && kept->size() != message.size() ? kept : std::nullopt;
}

void stripNodes(PassContext& context) {
    const Model& model = context.model();
    std::vector<std::pair<NodeId, std::string>> changes;
    std::uint64_t bytes = 0;
    for (const GraphId graph : allGraphs(model)) {
        for (const NodeId node : model.nodes(graph)) {
            const std::string_view rest = model.text(model.node(node).rest);
            auto kept = stripped(rest, kNodeDoc, kNodeMetadata);
            if (!kept) continue;
            bytes += rest.size() - kept->size();
            changes.emplace_back(node, std::move(*kept));
        }
    }
    if (changes.empty()) return;
    RewriteRecord request;
    request.rule = kRule;
    request.root = changes.front().first;
    for (const auto& [node, rest] : changes) request.matched.push_back(node);
    request.reason = Reason("strip-exporter-traces.strip", {static_cast<std::int64_t>(changes.size()), static_cast<std::int64_t>(bytes)});
    context.rewrite(std::move(request), [&](Editor& editor, RewriteRecord&) {
        for (const auto& [node, rest] : changes) editor.setNodeRest(node, rest);
        return true;
    });
}

void stripValues(PassContext& context) {
    const Model& model = context.model();
    std::vector<std::pair<ValueId, ValueInfoPtr>> changes;
    for (std::size_t i = 0; i < model.valueIdCount(); ++i) {
        const ValueId value(i);
        const ValueInfoPtr& info = model.value(value).info;
        if (!model.isAlive(value) || !info) continue;
        auto kept = stripped(info->verbatim, kValueDoc, kValueMetadata);
        if (!kept) continue;
        ValueInfo now = *info;
        now.verbatim = std::move(*kept);
        changes.emplace_back(value, std::make_shared<const ValueInfo>(std::move(now)));
    }
    if (changes.empty()) return;
    RewriteRecord request;
    request.rule = kRule;
    request.reason = Reason("strip-exporter-traces.values", {static_cast<std::int64_t>(changes.size())});
    context.rewrite(std::move(request), [&](Editor& editor, RewriteRecord&) {
        for (const auto& [value, info] : changes) editor.setInfo(value, info);
        return true;
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
        return {};
    }
};

} // namespace

const Pass& stripExporterTracesPass() {
    static const StripExporterTraces pass;
    return pass;
}

} // namespace secateur
