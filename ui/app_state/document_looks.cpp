// SPDX-License-Identifier: Apache-2.0
//
// Looks that are no edits: which graph is drawn, heat maps, the walk from the targets, closed gaps.
#include "ui/app_state/document.h"
#include "ui/app_state/node_words.h"

#include <algorithm>

namespace secateur {

const Model& Document::modelOf(GraphId graph) const {
    const Model& original = m_original->file.model;
    return graph.index < original.graphIdCount() || !history() ? original : history()->model();
}

std::vector<Crumb> Document::crumbs() const {
    if (!m_original) return {};
    return breadcrumbsOf(modelOf(m_shown.graph), m_shown.graph);
}

std::vector<Body> Document::bodiesOf(std::uint32_t key) const {
    if (!m_original || !isNodeKey(key)) return {};
    const NodeId node(key);
    // The graphs of the original where it has the node: a step may have emptied them.
    const Model& original = m_original->file.model;
    const Model& model = original.isAlive(node) ? original : secateur::modelOf(*this, node);
    return model.isAlive(node) ? secateur::bodiesOf(model, node) : std::vector<Body>();
}

const std::shared_ptr<const UnionPicture>& Document::mainPicture() const {
    const auto known = m_others.find(GraphId(0U).index);
    return known == m_others.end() ? m_shown.picture : known->second.picture;
}

std::optional<GraphId> Document::elsewhere(std::uint32_t key) const {
    if (!m_original || !picture() || isGroupKey(key)) return std::nullopt;
    const LayoutGraph& drawn = picture()->unionGraph.graph;
    const std::uint32_t index = drawn.find(key);
    if (index != kNoIndex && drawn.nodes[index].key == key) return std::nullopt;
    GraphId owner = m_shown.graph;
    if (isNodeKey(key)) {
        const NodeId node(key);
        const Model& model = secateur::modelOf(*this, node);
        if (node.index < model.nodeIdCount()) owner = model.node(node).graph;
    } else if ((key & kInputKeyBit) != 0) {
        const ValueId value(key & ~kInputKeyBit);
        const Model& model = m_original->file.model;
        if (value.index < model.valueIdCount()) owner = model.value(value).graph;
    }
    return owner == m_shown.graph ? std::nullopt : std::optional(owner);
}

void Document::enter(Shown shown, std::vector<std::uint32_t> selection) {
    for (const auto kind : {Work::Kind::layout, Work::Kind::compact})
        m_work.drop(kind);
    dropWanted();
    m_shown.expanded = m_shown.laidOut;
    m_others.insert_or_assign(m_shown.graph.index, std::move(m_shown));
    m_shown = std::move(shown);
    m_compactLayout.reset();
    m_selection = std::move(selection);
    m_selectedPath.reset();
    if (m_wave && picture()->waves.count() == 0) m_wave.reset();
    refreshState();
    emit graphChanged();
    emit layoutChanged();
    emit selectionChanged(nullptr);
    emit waveChanged();
    layOutCompact();
    // A run that is on its way would bring the graph back that was drawn when it began.
    if (m_work.isBusy(Work::Kind::model)) runRecipe();
}

void Document::dropWanted() {
    m_work.drop(Work::Kind::graph);
    m_wanted.reset();
}

bool Document::showParent() {
    if (!m_original) return false;
    const std::vector<Crumb> way = crumbs();
    if (way.size() < 2) return false;
    const NodeId holder = way.back().holder;
    std::vector<std::uint32_t> selection;
    if (!holder.isNone()) selection.push_back(holder.index);
    showGraph(way[way.size() - 2].graph, std::move(selection));
    return true;
}

void Document::showHeat(std::optional<HeatKind> kind) {
    if (kind == m_heat) return;
    m_heat = kind;
    if (!picture() || !layout()) return;
    tally();
    if (m_compactLayout) count(*m_compactState, *m_compactLayout);
    emit stateChanged();
}

const Heat* Document::shownHeat() const {
    return m_heat && picture() ? &picture()->heats[static_cast<std::size_t>(*m_heat)] : nullptr;
}

const WalkWaves* Document::waves() const {
    return picture() && picture()->waves.count() > 0 ? &picture()->waves : nullptr;
}

void Document::showWave(std::optional<std::uint32_t> wave) {
    if (wave) {
        if (!waves() || !layout()) return;
        wave = std::min(*wave, waves()->count() - 1);
    }
    if (wave == m_wave) return;
    m_wave = wave;
    m_state->walk = {};
    if (m_wave) m_state->tallyWalk(picture()->unionGraph.graph, *layout(), picture()->waves, *m_wave);
    emit waveChanged();
}

void Document::setCompact(bool on) {
    if (on == m_isCompact) return;
    m_isCompact = on;
    if (on) return layOutCompact();
    m_work.drop(Work::Kind::compact);
    m_compactLayout.reset();
    emit compactChanged();
}

void Document::setCompactLayout(std::shared_ptr<const Layout> layout) {
    m_compactLayout = std::move(layout);
    // A new object: who holds the last one shows the way from there.
    m_compactState = std::make_shared<PictureState>(*m_state);
    count(*m_compactState, *m_compactLayout);
}

const std::shared_ptr<const Layout>& Document::layoutOf(Pane pane) const {
    return pane == Pane::after && m_compactLayout ? m_compactLayout : m_shown.layout;
}

std::shared_ptr<const PictureState> Document::stateOf(Pane pane) const {
    return pane == Pane::after && m_compactLayout ? m_compactState : m_state;
}

} // namespace secateur
