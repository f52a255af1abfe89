// SPDX-License-Identifier: Apache-2.0
#include "core/picture/dot_writer.h"

#include "core/picture/edges.h"
#include "core/support/printable.h"
#include "core/support/text.h"

#include <array>
#include <string_view>

namespace secateur {
namespace {

constexpr std::size_t kLabelCharacters = 60;

/// One line of a name or text in a double-quoted DOT string. A backslash is an escape there, so it is
/// doubled, and an ampersand begins an entity. What cannot be seen is written out.
void appendLine(std::string& out, std::string_view text) {
    for (const char c : printable(text)) {
        if (c == '&') {
            out += "&amp;";
            continue;
        }
        if (c == '"' || c == '\\') out += '\\';
        out += c;
    }
}

void appendQuoted(std::string& out, std::string_view text) {
    out += '"';
    appendLine(out, text);
    out += '"';
}

std::string_view nameOf(NodeRole role) {
    constexpr std::array<std::string_view, kNodeRoleCount> kNames{
        "forward", "loss", "backward", "accumulator", "optimizer", "recompute", "metric"};
    return kNames[static_cast<std::size_t>(role)];
}

std::string_view nameOf(DiffState diff) {
    switch (diff) {
    case DiffState::kept: return "kept";
    case DiffState::removedBySelectedStep:
    case DiffState::removedEarlier: return "removed";
    case DiffState::willGo: return "will-go";
    case DiffState::replaced: return "replaced";
    case DiffState::changed: return "changed";
    case DiffState::added: return "added";
    case DiffState::absent: return "absent";
    }
    return "kept";
}

class DotWriter {
  public:
    DotWriter(const LayoutGraph& graph, const PictureState& state, const DotOptions& options)
        : m_graph(graph), m_state(state), m_options(options) {}

    std::string write() {
        m_out = "digraph ";
        appendQuoted(m_out, m_options.name);
        m_out += " {\n  rankdir=TB;\n  node [shape=box, style=\"rounded,filled\", fontname=\"Noto Sans\", "
                 "fontsize=11];"
                 "\n  edge [fontname=\"Noto Sans Mono\", fontsize=9];\n";
        for (std::uint32_t n = 0; n < m_graph.nodes.size(); ++n)
            writeNode(n);
        for (std::uint32_t e = 0; e < m_graph.edges.size(); ++e)
            writeEdge(e);
        m_out += "}\n";
        return std::move(m_out);
    }

  private:
    std::string hex(ThemeRole role, Shade shade = Shade::solid) const {
        return toHex(themeColor(m_options.theme, {role, shade}));
    }
    bool isShown(std::uint32_t node) const { return isPresent(m_state.stateOf(node).diff, m_options.pane); }

    void writeNode(std::uint32_t n) {
        if (!isShown(n)) return;
        const LayoutNode& node = m_graph.nodes[n];
        const DiffState diff = m_state.stateOf(n).diff;
        const NodeFace* face = m_state.faceOf(n, m_options.pane);
        m_out += "  n" + std::to_string(n) + " [label=\"";
        appendLine(m_out, face ? face->title : node.title);
        for (const LayoutRow& row : face ? face->rows : node.rows) {
            m_out += "\\n";
            appendLine(m_out, elideMiddle(row.label.empty() ? row.value : row.label + ' ' + row.value,
                                          kLabelCharacters));
        }
        m_out += '"';
        const std::string& name = face ? face->name : node.name;
        if (!name.empty()) {
            m_out += ", tooltip=";
            appendQuoted(m_out, name);
        }
        const ThemeRole role = themeRoleOf(node.role);
        m_out += ", class=\"" + std::string(nameOf(node.role)) + ' ' + std::string(nameOf(diff)) + '"';
        m_out += ", color=\"" + hex(role) + "\", fillcolor=\"" + hex(role, Shade::tint) + "\", fontcolor=\"" +
                 hex(ThemeRole::text) + '"';
        const bool isGoing = diff == DiffState::removedBySelectedStep || diff == DiffState::removedEarlier ||
                             diff == DiffState::willGo || diff == DiffState::replaced;
        if (isGoing) m_out += ", style=\"rounded,filled,dashed\"";
        if (diff == DiffState::added) m_out += ", peripheries=2";
        m_out += "];\n";
    }

    void writeEdge(std::uint32_t index) {
        const LayoutEdge& e = m_graph.edges[index];
        if (!isEdgeInPane(m_state.edgeBits(index), m_options.pane) || !isShown(e.from) || !isShown(e.to))
            return;
        // A gradient edge is reversed for the ranks and drawn backward: the backward half folds beside the
        // forward.
        const bool isFolded =
            columnOf(m_graph.nodes[e.from].role) == 1 && columnOf(m_graph.nodes[e.to].role) == 1;
        const std::uint32_t tail = isFolded ? e.to : e.from;
        const std::uint32_t head = isFolded ? e.from : e.to;
        m_out += "  n" + std::to_string(tail) + " -> n" + std::to_string(head) + " [";
        if (isFolded) m_out += "dir=back, ";
        switch (e.edgeClass) {
        case EdgeClass::stash:
            m_out += "style=dashed, constraint=false, color=\"" + hex(ThemeRole::roleBackward) + "\", ";
            break;
        case EdgeClass::gradient:
            m_out += "color=\"" + hex(themeRoleOf(m_graph.nodes[e.from].role)) + "\", ";
            break;
        case EdgeClass::capture:
        case EdgeClass::control: m_out += "style=dotted, "; break;
        case EdgeClass::data: break;
        }
        m_out += "label=";
        appendQuoted(m_out, edgeText(m_graph, m_state, m_options.pane, index));
        m_out += "];\n";
    }

    const LayoutGraph& m_graph;
    const PictureState& m_state;
    const DotOptions& m_options;
    std::string m_out;
};

} // namespace

std::string writeDot(const LayoutGraph& graph, const PictureState& state, const DotOptions& options) {
    return DotWriter(graph, state, options).write();
}

} // namespace secateur
