// SPDX-License-Identifier: Apache-2.0
#include "app/commands/rewrite_printer.h"

#include "core/messages/messages.h"
#include "core/onnx/onnx_text.h"

#include <algorithm>
#include <set>
#include <utility>

namespace secateur::cli {
namespace {

/// More nodes of one rewrite are counted, not written.
constexpr std::size_t kMostNodes = 24;

/// Nodes in ONNX text, a line each.
RewritePrinter::Lines linesOf(const Model& model, std::vector<NodeId> nodes) {
    RewritePrinter::Lines lines;
    const std::size_t count = nodes.size();
    lines.leftOut = count;
    nodes.resize(std::min(count, kMostNodes));
    const std::size_t written = nodes.size();
    const auto text = nodesText(model, std::move(nodes), 8);
    if (!text) return lines;
    lines.leftOut = count - written;
    for (std::size_t at = 0; at < text->size();) {
        const std::size_t end = std::min(text->find('\n', at), text->size());
        // Nodes without a name have an empty one there.
        std::size_t begin = text->find_first_not_of(' ', at);
        if (begin < end && text->compare(begin, 5, "[\"\"] ") == 0) begin += 5;
        if (begin < end) lines.nodes.push_back(text->substr(begin, end - begin));
        at = end + 1;
    }
    return lines;
}

bool has(const std::vector<std::string>& lines, const std::string& line) {
    return std::find(lines.begin(), lines.end(), line) != lines.end();
}

} // namespace

void RewritePrinter::before(const Model& model, const RewriteRecord& request) {
    m_before = linesOf(model, request.matched);
    m_reason = formatReason(request.reason, model);
}

/// The lines that `others` lacks, and how many nodes have no line.
void RewritePrinter::print(const char* mark, const Lines& lines, const Lines& others) {
    for (const std::string& line : lines.nodes) {
        if (!has(others.nodes, line)) m_console.note(mark + line);
    }
    if (lines.leftOut > 0)
        m_console.note(mark + formatMessage("cli.rewrite-more", {std::to_string(lines.leftOut)}));
}

void RewritePrinter::after(const Model& model, const RewriteRecord& record) {
    std::vector<NodeId> nodes = record.created;
    for (const NodeId node : record.matched) {
        if (model.isAlive(node)) nodes.push_back(node);
    }
    const Lines now = linesOf(model, nodes);
    ++m_count;
    m_console.note(formatMessage("cli.rewrite", {std::to_string(m_count), record.rule,
                                                 std::string(exactnessName(record.exactness)), m_reason}));
    print("  - ", m_before, now);
    const std::set<NodeId> matched(record.matched.begin(), record.matched.end());
    const auto beside = std::count_if(record.erased.begin(), record.erased.end(),
                                      [&](NodeId node) { return !matched.contains(node); });
    if (beside > 0) m_console.note("  - " + formatMessage("cli.rewrite-beside", {std::to_string(beside)}));
    print("  + ", now, m_before);
}

} // namespace secateur::cli
