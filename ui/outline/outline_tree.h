// SPDX-License-Identifier: Apache-2.0
#pragma once

#ifndef Q_MOC_RUN // moc of Qt 6.4 cannot read <concepts>
#include "core/layout/hierarchy.h"
#include "core/layout/layout_graph.h"
#endif

#include <cstdint>
#include <vector>

namespace secateur {

/// Groups, the nodes in them, and the nodes that are drawn as rows of others, as one tree. The forward half
/// stands first, each of its groups where it ends in the program (what prepares weights often runs early),
/// then the rest in program order. Entries are numbered: groups first, then nodes, then folded nodes. Plain
/// data, built once in linear time; an answer takes constant time.
class OutlineTree {
  public:
    using Entry = std::uint32_t;
    static constexpr Entry kRoot = kNoIndex;
    OutlineTree() = default;
    OutlineTree(const LayoutGraph& graph, const Hierarchy& hierarchy);

    [[nodiscard]] std::uint32_t size() const { return m_groups + m_nodes + m_folded; }
    [[nodiscard]] bool isGroup(Entry entry) const { return entry < m_groups; }
    [[nodiscard]] bool isFolded(Entry entry) const { return entry >= m_groups + m_nodes; }
    /// Index into Hierarchy::groups.
    [[nodiscard]] std::uint32_t groupOf(Entry entry) const { return entry; }
    /// Index into LayoutGraph::nodes: its own, or of the node that it is a row of.
    [[nodiscard]] std::uint32_t nodeOf(Entry entry) const;
    /// Index into LayoutGraph::folded.
    [[nodiscard]] std::uint32_t foldedOf(Entry entry) const { return entry - m_groups - m_nodes; }
    [[nodiscard]] Entry ofGroup(std::uint32_t group) const { return group; }
    [[nodiscard]] Entry ofNode(std::uint32_t node) const { return m_groups + node; }
    [[nodiscard]] Entry ofFolded(std::uint32_t folded) const { return m_groups + m_nodes + folded; }

    [[nodiscard]] Entry parent(Entry entry) const { return m_parent[entry]; }
    [[nodiscard]] std::uint32_t row(Entry entry) const { return m_row[entry]; }
    [[nodiscard]] std::uint32_t childCount(Entry parent) const;
    [[nodiscard]] Entry child(Entry parent, std::uint32_t row) const;

  private:
    /// Into m_start; the root stands behind all entries.
    [[nodiscard]] std::size_t slot(Entry parent) const { return parent == kRoot ? size() : parent; }

    std::uint32_t m_groups = 0, m_nodes = 0, m_folded = 0;
    std::vector<Entry> m_parent;
    std::vector<std::uint32_t> m_row;
    std::vector<std::uint32_t> m_start; ///< entries + 2 offsets into m_children
    std::vector<Entry> m_children;
    std::vector<std::uint32_t> m_hosts; ///< by folded entry: the node it is a row of
};

} // namespace secateur
