// SPDX-License-Identifier: Apache-2.0
#include "core/layout/containers.h"

#include <algorithm>
#include <array>

namespace secateur {
namespace {

using namespace layout_plan;

constexpr std::uint32_t kMostInOnePiece = 400; ///< boxes of a column that are laid out together
constexpr std::uint32_t kBlockSize = 16;       ///< forward boxes of a group that is a block among others
constexpr std::uint32_t kSmallestBlock = 6;    ///< boxes of a group that is worth a container

class ContainerMaker {
  public:
    explicit ContainerMaker(Plan& plan) : m_plan(plan) {}

    void run() {
        countNodes();
        countBoxes();
        Container root;
        root.kind = Container::Kind::root;
        m_plan.containers.push_back(root);
        chooseGroups();
        placeItems();
        collectUpdates();
        makeParts();
        for (std::uint32_t u = 0; u < m_plan.units.size(); ++u) {
            const Unit& unit = m_plan.units[u];
            const bool isPiece =
                unit.child != kNoIndex && m_plan.containers[unit.child].kind == Container::Kind::update;
            if (unit.container != kNoIndex && !isPiece) m_plan.containers[unit.container].units.push_back(u);
        }
    }

  private:
    using Counts = std::array<std::uint32_t, kColumnCount>;

    /// The innermost open group around a box.
    std::uint32_t groupAround(const VisibleItem& item) const {
        const auto& groups = m_plan.hierarchy.groups;
        if (item.node == kNoIndex) return groups[item.group].parent;
        const std::uint32_t group = m_plan.graph.nodes[item.node].group;
        return group < groups.size() ? group : kNoIndex;
    }

    void countNodes() {
        const auto& groups = m_plan.hierarchy.groups;
        m_forward.assign(groups.size(), 0);
        for (const LayoutNode& node : m_plan.graph.nodes) {
            if (columnOf(node.role) != 0) continue;
            ++m_forwardTotal;
            if (node.group < groups.size()) ++m_forward[node.group];
        }
        for (std::size_t g = groups.size(); g-- > 0;) // parents come before children
            if (groups[g].parent != kNoIndex) m_forward[groups[g].parent] += m_forward[g];
    }

    void countBoxes() {
        m_count.assign(m_plan.hierarchy.groups.size(), Counts{});
        for (const VisibleItem& item : m_plan.visible.items) {
            if (item.isHidden) continue;
            for (std::uint32_t g = groupAround(item); g != kNoIndex; g = m_plan.hierarchy.groups[g].parent)
                ++m_count[g][item.column];
            ++m_total[item.column];
        }
    }

    bool isOpen(std::uint32_t group) const {
        return m_plan.expanded.isOpen(group) && sum(m_count[group]) > 0;
    }
    static std::uint32_t sum(const Counts& counts) { return counts[0] + counts[1] + counts[2]; }

    /// Whether the open groups right inside `group` (kNoIndex: the whole graph) become containers: where it
    /// is too much for one piece, whether all of it shows or not, and where it consists of several blocks.
    bool isStack(std::uint32_t group) const {
        const auto& hierarchy = m_plan.hierarchy;
        const auto& inside = group == kNoIndex ? hierarchy.roots : hierarchy.groups[group].children;
        const Counts& boxes = group == kNoIndex ? m_total : m_count[group];
        std::uint32_t blocks = 0;
        std::uint32_t inBlocks = 0;
        bool hasAny = false;
        for (const std::uint32_t g : inside) {
            if (!isOpen(g)) continue;
            hasAny = hasAny || sum(m_count[g]) >= kSmallestBlock;
            if (m_count[g][0] < kBlockSize) continue;
            ++blocks;
            inBlocks += m_count[g][0];
        }
        const std::uint32_t nodes = group == kNoIndex ? m_forwardTotal : m_forward[group];
        const bool isLarge = std::max(nodes, std::max(boxes[0], boxes[1])) > kMostInOnePiece;
        return (isLarge && hasAny) || (blocks >= 2 && inBlocks * 10 >= boxes[0] * 6);
    }

    void chooseGroups() {
        m_containerOf.assign(m_plan.hierarchy.groups.size(), kNoIndex);
        for (std::uint32_t c = 0; c < m_plan.containers.size(); ++c) { // grows while it is walked
            const std::uint32_t group = m_plan.containers[c].group;
            const auto& inside =
                group == kNoIndex ? m_plan.hierarchy.roots : m_plan.hierarchy.groups[group].children;
            if (!isStack(group)) continue;
            m_plan.containers[c].isStack = true;
            for (const std::uint32_t g : inside) {
                if (!isOpen(g) || sum(m_count[g]) < kSmallestBlock) continue;
                m_containerOf[g] = addContainer(Container::Kind::group, c);
                m_plan.containers.back().group = g;
            }
        }
    }

    std::uint32_t addContainer(Container::Kind kind, std::uint32_t parent) {
        const auto index = static_cast<std::uint32_t>(m_plan.containers.size());
        Container container;
        container.kind = kind;
        container.parent = parent;
        m_plan.containers.push_back(container);
        (kind == Container::Kind::update ? m_plan.containers[parent].updates
                                         : m_plan.containers[parent].children)
            .push_back(index);
        return index;
    }

    void placeItems() {
        const VisibleGraph& visible = m_plan.visible;
        m_plan.units.resize(visible.items.size());
        for (std::uint32_t i = 0; i < visible.items.size(); ++i) {
            const VisibleItem& item = visible.items[i];
            Unit& unit = m_plan.units[i];
            unit.item = i;
            unit.column = item.column;
            unit.left = unit.right = item.width / 2;
            unit.height = item.height;
            if (item.isHidden || visible.isReplacing(i)) continue;
            std::uint32_t g = groupAround(item);
            while (g != kNoIndex && m_containerOf[g] == kNoIndex)
                g = m_plan.hierarchy.groups[g].parent;
            unit.container = g == kNoIndex ? 0 : m_containerOf[g];
        }
    }

    // --- accumulators and optimizer: what hangs together is a piece ---

    bool isUpdate(std::uint32_t item) const {
        return m_plan.visible.items[item].column == 2 && m_plan.visible.items[item].node != kNoIndex &&
               m_plan.units[item].container != kNoIndex;
    }

    std::uint32_t rootOf(std::uint32_t item) {
        while (m_joined[item] != item)
            item = m_joined[item] = m_joined[m_joined[item]];
        return item;
    }

    void collectUpdates() {
        const auto n = static_cast<std::uint32_t>(m_plan.visible.items.size());
        m_joined.resize(n);
        for (std::uint32_t i = 0; i < n; ++i)
            m_joined[i] = i;
        for (const VisibleEdge& e : m_plan.visible.edges) {
            if (e.isPortal || !isUpdate(e.from) || !isUpdate(e.to)) continue;
            if (m_plan.units[e.from].container != m_plan.units[e.to].container) continue;
            const std::uint32_t a = rootOf(e.from), b = rootOf(e.to);
            m_joined[std::max(a, b)] = std::min(a, b);
        }
        std::vector<std::uint32_t> pieceOf(n, kNoIndex);
        for (std::uint32_t i = 0; i < n; ++i) {
            if (!isUpdate(i)) continue;
            std::uint32_t& piece = pieceOf[rootOf(i)];
            if (piece == kNoIndex) piece = addContainer(Container::Kind::update, m_plan.units[i].container);
            m_pieces.push_back({i, piece});
        }
        for (const auto& [item, piece] : m_pieces)
            m_plan.units[item].container = piece;
    }

    /// The parts of the child containers in the columns that they use.
    void makeParts() {
        for (std::uint32_t i = 0; i < m_plan.visible.items.size(); ++i) {
            for (std::uint32_t c = m_plan.units[i].container; c != kNoIndex;
                 c = m_plan.containers[c].parent) {
                Part& part = m_plan.containers[c].parts[m_plan.units[i].column];
                if (part.isUsed) break;
                part.isUsed = true;
            }
        }
        for (std::uint32_t c = 1; c < m_plan.containers.size(); ++c) {
            for (std::uint8_t k = 0; k < kColumnCount; ++k) {
                if (!m_plan.containers[c].parts[k].isUsed) continue;
                Unit unit;
                unit.child = c;
                unit.container = m_plan.containers[c].parent;
                unit.column = k;
                m_plan.containers[c].parts[k].unit = static_cast<std::uint32_t>(m_plan.units.size());
                m_plan.units.push_back(unit);
            }
        }
    }

    Plan& m_plan;
    std::vector<Counts> m_count; ///< by group: boxes in it by column
    Counts m_total{};
    std::vector<std::uint32_t> m_forward; ///< by group: forward nodes in it, shown or not
    std::uint32_t m_forwardTotal = 0;
    std::vector<std::uint32_t> m_containerOf; ///< by group
    std::vector<std::uint32_t> m_joined;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> m_pieces;
};

} // namespace

void makeContainers(Plan& plan) {
    plan.visible = buildVisibleGraph(plan.graph, plan.hierarchy, plan.expanded, plan.options.portalFanOut,
                                     plan.options.leftOut);
    ContainerMaker(plan).run();
}

std::uint32_t commonContainer(const Plan& plan, std::uint32_t a, std::uint32_t b) {
    // Parents have lower numbers than their children.
    while (a != b) {
        if (a > b)
            a = plan.containers[a].parent;
        else
            b = plan.containers[b].parent;
    }
    return a;
}

std::uint32_t unitAround(const Plan& plan, std::uint32_t container, std::uint32_t item) {
    std::uint32_t at = plan.units[item].container;
    if (at == container) return item;
    while (at != kNoIndex && plan.containers[at].parent != container)
        at = plan.containers[at].parent;
    return at == kNoIndex ? kNoIndex : plan.containers[at].parts[plan.units[item].column].unit;
}

} // namespace secateur
