// SPDX-License-Identifier: Apache-2.0
#include "ui/app_state/document.h"

#include "core/ir/walk.h"
#include "core/picture/heat_sums.h"
#include "core/picture/path_proof.h"
#include "core/session/target_choice.h"
#include "core/support/file_names.h"
#include "ui/app_state/node_words.h"
#include "ui/app_state/strings.h"

#include <algorithm>

namespace secateur {

Document::Document(QObject* parent) : QObject(parent) {
    connect(&m_work, &Work::ranOutOfMemory, this, [this](const QString& what) {
        // What is said of a person's Cancel would be no answer.
        for (const char* key : {"open-cancelled", "run-cancelled", "layout-cancelled"})
            unsay(QLatin1String(key));
        say({QStringLiteral("out-of-memory"),
             BarMessage::Severity::error,
             tx("ui.bar.out-of-memory", {what}),
             {}});
    });
}

Document::~Document() = default;

QString Document::title() const {
    if (m_path.isEmpty()) return m_name;
    return QString::fromStdString(modelTitle(utf8(m_path)));
}

bool Document::isSettled() const {
    if (m_work.isBusy()) return false;
    return m_phase != Phase::opening && (m_phase != Phase::ready || layout());
}

bool Document::needsTarget() const {
    return m_phase == Phase::ready && !m_mayRun && !m_refusal;
}

std::size_t Document::cursor() const {
    return history() ? history()->cursor() : 0;
}

void Document::lookAt(std::size_t cursor) {
    if (!m_session || !m_session->history()) return;
    cursor = std::min(cursor, m_session->history()->steps().size());
    m_session->history()->moveCursor(cursor);
    m_selectedStep = cursor == 0 ? std::nullopt : std::optional(cursor - 1);
    afterLook();
}

void Document::lookAtEnd() {
    if (!m_session || !m_session->history()) return;
    m_session->history()->moveCursor(m_session->history()->steps().size());
    m_selectedStep.reset();
    afterLook();
}

void Document::setBeforePreviousStep(bool on) {
    m_isBeforePreviousStep = on;
    afterLook();
}

void Document::afterLook() {
    ++m_looks;
    unsay(QLatin1String(kExportQuestion));
    m_selectedPath.reset(); // it leads through what is there at the cursor
    refreshState();
    layOutCompact();
    emit cursorChanged();
    emit stateChanged();
    emit looked();
}

void Document::refreshState() {
    m_state = std::make_shared<PictureState>();
    m_groupTallies.clear();
    if (!picture() || !m_original) return;
    StateRequest request;
    request.selectedStep = m_selectedStep;
    request.isBeforePreviousStep = m_isBeforePreviousStep && m_selectedStep;
    request.willGo = m_willGo;
    request.selectedKeys = m_selection;
    request.problems = nodesWithProblems(*m_original, history());
    request.types = &m_momentTypes;
    *m_state = pictureStateOf(picture()->unionGraph, *m_original, history(), request);
    tally();
}

const GroupTally& Document::tallyOf(std::uint32_t group) const {
    static const GroupTally kNone;
    if (!picture()) return kNone;
    if (m_groupTallies.empty())
        m_groupTallies = tallyGroups(picture()->unionGraph.graph, picture()->hierarchy, *m_state);
    return group < m_groupTallies.size() ? m_groupTallies[group] : kNone;
}

void Document::tally() {
    if (layout()) count(*m_state, *layout());
}

void Document::count(PictureState& state, const Layout& layout) const {
    const LayoutGraph& graph = picture()->unionGraph.graph;
    state.tally(graph, layout);
    // The state of closed gaps is that of After alone, the other one stands for both panes.
    const Pane pane = &state == m_compactState.get() ? Pane::after : Pane::overlay;
    state.heat = m_heat ? sumHeatOf(*shownHeat(), graph, layout, state, pane) : HeatSums();
    state.walk = {};
    if (m_wave) state.tallyWalk(graph, layout, picture()->waves, *m_wave);
}

void Document::select(std::vector<std::uint32_t> keys, const QObject* origin) {
    if (!keys.empty())
        if (const auto graph = elsewhere(keys.front())) return showGraph(*graph, std::move(keys));
    dropWanted();
    applySelection(std::move(keys), origin);
}

void Document::applySelection(std::vector<std::uint32_t> keys, const QObject* origin) {
    if (keys == m_selection) return;
    m_selection = std::move(keys);
    m_selectedPath.reset();
    const auto mark = [this](PictureState& state, const Layout& layout) {
        const LayoutGraph& graph = picture()->unionGraph.graph;
        for (NodeState& node : state.nodes)
            node.isSelected = false;
        for (const std::uint32_t key : m_selection)
            if (const auto index = graph.find(key); index < state.nodes.size())
                state.nodes[index].isSelected = true;
        state.tally(graph, layout);
    };
    if (picture() && layout()) mark(*m_state, *layout());
    if (m_compactLayout) mark(*m_compactState, *m_compactLayout);
    emit stateChanged();
    emit selectionChanged(origin);
}

const PathProof& Document::selectedPath() const {
    if (m_selectedPath) return *m_selectedPath;
    PathProof& path = m_selectedPath.emplace();
    if (m_stories && picture() && m_selection.size() == 1 && !isGroupKey(m_selection.front()))
        path = pathProof(picture()->unionGraph, *m_stories, m_selection.front());
    return path;
}

void Document::previewTarget(ValueId value) {
    if (value == m_previewed || !m_original) return;
    m_previewed = value;
    m_willGo.clear();
    if (!value.isNone()) {
        const Model& model = m_original->file.model;
        const Reachability reached = findReachable(model, std::span(&value, 1));
        m_willGo.resize(model.nodeIdCount(), false);
        for (const NodeId id : model.nodes(model.mainGraph()))
            m_willGo[id.index] = !reached.isReached(id);
    }
    refreshState();
    if (m_compactLayout) {
        *m_compactState = *m_state;
        count(*m_compactState, *m_compactLayout);
    }
    emit stateChanged();
}

void Document::edit(std::string_view what, const std::function<void(Recipe&)>& change) {
    if (!m_session || !m_session->edit(std::string(what), change)) return;
    runRecipe();
    emit recipeChanged();
}

void Document::chooseTargets(const std::vector<std::string>& names) {
    previewTarget(ValueId());
    m_mayRun = m_mayRun || !names.empty();
    edit("ui.edit.target", [&](Recipe& recipe) { recipe.targets = names; });
}

void Document::setStepOn(std::size_t step, bool isOn) {
    edit(isOn ? "ui.edit.step-on" : "ui.edit.step-off", [&](Recipe& recipe) {
        if (step < recipe.steps.size()) recipe.steps[step].isOn = isOn;
    });
}

void Document::setRewriteOn(std::size_t step, const std::string& key, bool isOn) {
    edit(isOn ? "ui.edit.rewrite-on" : "ui.edit.rewrite-off", [&](Recipe& recipe) {
        if (step >= recipe.steps.size()) return;
        if (isOn)
            recipe.steps[step].skippedRewrites.erase(key);
        else
            recipe.steps[step].skippedRewrites.insert(key);
    });
}

void Document::setOption(std::size_t step, const std::string& name, const std::string& value) {
    edit("ui.edit.option", [&](Recipe& recipe) {
        if (step < recipe.steps.size()) recipe.steps[step].options[name] = value;
    });
}

void Document::setWeights(const std::string& path) {
    edit("ui.edit.weights", [&](Recipe& recipe) {
        recipe.weightsPath = path;
        recipe.weightsHash.clear();
    });
}

void Document::setForOnnxRuntime(bool on) {
    edit("ui.edit.for-onnx-runtime", [&](Recipe& recipe) { recipe.isForOnnxRuntime = on; });
}

void Document::setRecipe(const Recipe& recipe, std::string_view what) {
    // A recipe that was saved for a target of this model answers what would otherwise be asked.
    const bool isPinned =
        m_original && !recipe.pinnedTargets.empty() && missingPins(*m_original, recipe).empty();
    m_mayRun = m_mayRun || !recipe.targets.empty() || isPinned;
    edit(what, [&](Recipe& r) { r = recipe; });
}

void Document::undo() {
    if (!m_session || !m_session->undo()) return;
    runRecipe();
    emit recipeChanged();
}

void Document::redo() {
    if (!m_session || !m_session->redo()) return;
    runRecipe();
    emit recipeChanged();
}

void Document::markSaved() {
    if (!m_session) return;
    m_session->markSaved();
    emit recipeChanged();
}

std::vector<ValueId> Document::targetsInOriginal() const {
    if (!m_session) return {};
    if (m_session->recipe().targets.empty()) return m_original->targets.clear;
    std::vector<ValueId> targets;
    for (const std::string& name : m_session->recipe().targets) {
        std::vector<std::string> nearest;
        const ValueId value = resolveTarget(m_original->file.model, name, nearest);
        if (!value.isNone()) targets.push_back(value);
    }
    return targets;
}

void Document::setExpanded(std::uint32_t group, bool isOpen) {
    if (!picture() || group >= picture()->hierarchy.groups.size()) return;
    std::vector<bool>& open = m_shown.expanded.open;
    open.resize(picture()->hierarchy.groups.size(), false);
    if (open[group] == isOpen) return;
    open[group] = isOpen;
    relayout();
}

void Document::setAllExpanded(bool isOpen) {
    if (!picture()) return;
    m_shown.expanded.open.assign(picture()->hierarchy.groups.size(), isOpen);
    relayout();
}

bool Document::openGroupsAround(std::uint32_t key) {
    if (!picture()) return false;
    const auto& groups = picture()->hierarchy.groups;
    const LayoutGraph& graph = picture()->unionGraph.graph;
    std::uint32_t group = kNoIndex;
    if (isGroupKey(key)) {
        if ((key & ~kGroupKeyBit) < groups.size()) group = groups[key & ~kGroupKeyBit].parent;
    } else if (const std::uint32_t node = graph.find(key); node != kNoIndex) {
        group = graph.nodes[node].group;
    }
    std::vector<bool>& open = m_shown.expanded.open;
    open.resize(groups.size(), false);
    bool isChanged = false;
    for (; group != kNoIndex; group = groups[group].parent) {
        isChanged = isChanged || !open[group];
        open[group] = true;
    }
    if (isChanged) relayout();
    return isChanged;
}

void Document::unsay(const QString& key) {
    if (std::erase_if(m_said, [&](const BarMessage& said) { return said.key == key; }) > 0)
        emit messagesChanged();
}

void Document::dismiss(const QString& key) {
    std::erase_if(m_said, [&](const BarMessage& said) { return said.key == key; });
    m_dismissed.insert(key);
    emit messagesChanged();
}

void Document::say(BarMessage message) {
    std::erase_if(m_said, [&](const BarMessage& said) { return said.key == message.key; });
    m_dismissed.remove(message.key);
    m_said.push_back(std::move(message));
    emit messagesChanged();
}

} // namespace secateur
