// SPDX-License-Identifier: Apache-2.0
#include "core/session/step_models.h"

#include "core/analysis/reachability.h"
#include "core/exec/narrowed.h"
#include "core/ir/walk.h"
#include "core/messages/messages.h"
#include "core/onnx/save.h"
#include "core/support/hash.h"
#include "core/support/text.h"

#include <algorithm>

namespace secateur {
namespace {

/// The values of a model under these names: outputs, else inner values; fewer where it lacks one.
std::vector<ValueId> valuesNamed(const Model& model, const std::vector<std::string>& names) {
    std::vector<ValueId> values;
    for (const std::string& name : names)
        if (const ValueId value = valueNamed(model, name); !value.isNone()) values.push_back(value);
    return values;
}

/// A number for the computation of some values, the same as long as no step edits a part of it. Shared parts
/// (attributes, tensors) count by where they lie: an edit puts another in their place, and what was there
/// stays in the journal. Whatever stands in bodies and functions counts.
class ComputationMark {
  public:
    explicit ComputationMark(const Model& model) : m_model(model) {}

    std::uint64_t of(const std::vector<ValueId>& values) {
        const Reachability needed = findReachable(m_model, values);
        for (const ValueId value : values)
            addValue(value);
        for (const OpsetImport& opset : m_model.header().opsets)
            m_hash.addText(opset.domain).add(opset.version);
        for (const GraphId graph : allGraphs(m_model)) {
            for (const NodeId node : m_model.nodes(graph))
                if (graph != m_model.mainGraph() || needed.isReached(node)) addNode(node);
            if (graph == m_model.mainGraph()) continue;
            for (const ValueId output : m_model.graphOutputs(graph))
                addValue(output);
        }
        return m_hash.digest();
    }

  private:
    void addNode(NodeId id) {
        const Node& node = m_model.node(id);
        m_hash.add(id.index).add(node.op.index).add(node.domain.index).add(node.overload.index);
        m_hash.add(reinterpret_cast<std::uintptr_t>(node.attributes.get()));
        for (const ValueId input : m_model.inputs(id))
            addValue(input);
        m_hash.add(node.operandCount);
        for (const ValueId output : m_model.outputs(id))
            m_hash.add(output.index);
    }

    void addValue(ValueId value) {
        m_hash.add(value.index);
        if (!value.isNone()) m_hash.add(reinterpret_cast<std::uintptr_t>(m_model.value(value).tensor.get()));
    }

    const Model& m_model;
    StreamHash m_hash;
};

bool changedSomething(const Step& step) {
    return std::any_of(step.records.begin(), step.records.end(),
                       [](const RewriteRecord& record) { return !record.isSkipped; });
}

Result<void> writeNarrowed(const Model& model, const std::vector<ValueId>& values,
                           const std::filesystem::path& file, const WorkContext& work) {
    Model copy = model.clone();
    narrowTo(copy, values);
    return saveModel(copy, file, work);
}

Result<std::vector<StepModel>> write(History& history, const std::filesystem::path& folder,
                                     const WorkContext& work, std::uint64_t mostBytes) {
    history.moveCursor(history.steps().size());
    std::vector<std::string> names;
    for (const OutputSlot& slot : *history.model().graph(history.model().mainGraph()).outputs)
        names.emplace_back(history.model().text(slot.name));
    history.moveCursor(0);
    const std::vector<ValueId> first = valuesNamed(history.model(), names);
    std::uint64_t mark = ComputationMark(history.model()).of(first);
    bool wasWhole = first.size() == names.size();
    std::vector<StepModel> models;
    std::uint64_t written = 0;
    for (std::size_t s = 0; s < history.steps().size(); ++s) {
        if (work.isCancelled()) return cancelled();
        if (!changedSomething(history.steps()[s])) continue;
        history.moveCursor(s + 1);
        const std::vector<ValueId> values = valuesNamed(history.model(), names);
        const std::uint64_t now = ComputationMark(history.model()).of(values);
        StepModel found{s, std::nullopt, {}};
        // Where an output is not there yet, or no longer, whoever opens the model says so.
        const bool isWhole = values.size() == names.size();
        const bool isOther = now != mark || !isWhole || !wasWhole;
        if (isOther && written > mostBytes) {
            found.leftOut =
                formatMessage("verify.step-too-large", {formatBytes(written), formatBytes(mostBytes)});
        } else if (isOther) {
            found.file = folder / ("step_" + std::to_string(s) + ".onnx");
            TRY(writeNarrowed(history.model(), values, *found.file, work));
            std::error_code ignored;
            const auto bytes = std::filesystem::file_size(*found.file, ignored);
            if (!ignored) written += bytes;
        }
        mark = now;
        wasWhole = isWhole;
        models.push_back(std::move(found));
    }
    return models;
}

} // namespace

Result<std::vector<StepModel>> writeStepModels(History& history, const std::filesystem::path& folder,
                                               const WorkContext& work, std::uint64_t mostBytes) {
    const std::size_t cursor = history.cursor();
    auto models = write(history, folder, work, mostBytes);
    history.moveCursor(cursor);
    return models;
}

} // namespace secateur
