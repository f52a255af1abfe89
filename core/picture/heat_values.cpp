// SPDX-License-Identifier: Apache-2.0
#include "core/picture/heat_values.h"

#include "core/analysis/flops.h"
#include "core/messages/sentences.h"
#include "core/picture/model_text.h"
#include "core/support/printable.h"
#include "core/support/text.h"

#include <algorithm>
#include <set>

namespace secateur {
namespace {

/// Collects the numbers and the names of dimensions that were taken as one.
class HeatBuilder {
  public:
    HeatBuilder(HeatKind kind, const UnionGraph& united, const Original& original, const History* history)
        : m_united(united), m_original(original), m_history(history) {
        m_heat.kind = kind;
        m_heat.values.assign(united.graph.nodes.size(), Heat::kNotMeasured);
    }

    /// `measure(model, types, node)` gives a number below 0 where it knows none.
    template <class Measure> Heat build(Measure measure) {
        for (std::uint32_t i = 0; i < m_united.graph.nodes.size(); ++i) {
            const std::uint32_t key = m_united.graph.nodes[i].key;
            if ((key & (kInputKeyBit | kOutputKeyBit)) != 0) continue;
            const NodeId node(key);
            const bool isOriginal = m_original.file.model.isAlive(node);
            if (!isOriginal && (!m_history || !m_history->model().isAlive(node))) continue;
            const Model& model = isOriginal ? m_original.file.model : m_history->model();
            const TypeTable& types = isOriginal ? m_original.types : m_history->types();
            m_heat.values[i] = measure(model, types, node);
        }
        if (!m_names.empty()) {
            std::vector<std::string> names;
            for (const std::string& name : m_names)
                names.push_back(printable(name));
            m_heat.note = formatMessage("picture.heat-names", {shortList(names)});
        }
        finishHeat(m_heat);
        return std::move(m_heat);
    }

    void addNames(const TypeTable& types, ValueId value) {
        if (value.isNone()) return;
        for (const Dim& dim : types.type(value).dims)
            if (!dim.symbol.empty() && !types.isOwnSymbol(dim.symbol)) m_names.insert(dim.symbol);
    }

  private:
    const UnionGraph& m_united;
    const Original& m_original;
    const History* m_history;
    Heat m_heat;
    std::set<std::string> m_names;
};

} // namespace

Heat bytesHeat(const UnionGraph& united, const Original& original, const History* history) {
    HeatBuilder builder(HeatKind::bytes, united, original, history);
    const RoleTable& roles = history && history->roles() ? *history->roles() : *original.roles;
    return builder.build([&](const Model& model, const TypeTable& types, NodeId node) {
        double sum = 0;
        const auto add = [&](ValueId value) {
            const double bytes = tensorSize(types, value).bytes;
            if (bytes < 0) return false;
            sum += bytes;
            builder.addNames(types, value);
            return true;
        };
        for (const ValueId result : model.outputs(node))
            if (!result.isNone() && !add(result)) return Heat::kNotMeasured;
        for (const ValueId input : model.inputs(node)) {
            if (input.isNone() || !isParameterLike(model, roles, input)) continue;
            if (!add(input)) return Heat::kNotMeasured;
        }
        return sum;
    });
}

Heat flopsHeat(const UnionGraph& united, const Original& original, const History* history) {
    HeatBuilder builder(HeatKind::flops, united, original, history);
    return builder.build([&](const Model& model, const TypeTable& types, NodeId node) {
        const std::optional<FlopCount> flops = flopsOf(model, types, node);
        if (!flops) return Heat::kNotMeasured;
        if (flops->hasNamedDims) {
            for (const ValueId result : model.outputs(node))
                builder.addNames(types, result);
            for (const ValueId input : model.inputs(node))
                builder.addNames(types, input);
        }
        return flops->count;
    });
}

Heat timeHeat(const UnionGraph& united) {
    Heat heat;
    heat.kind = HeatKind::time;
    heat.values.assign(united.graph.nodes.size(), Heat::kNotMeasured);
    heat.note = std::string(message("picture.heat-no-time"));
    finishHeat(heat);
    return heat;
}

} // namespace secateur
