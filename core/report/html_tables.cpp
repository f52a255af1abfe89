// SPDX-License-Identifier: Apache-2.0
#include "core/messages/messages.h"
#include "core/report/html_page.h"
#include "core/support/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace secateur {
namespace {

constexpr std::size_t kMostRemovedRows = 1000; // of one step; the rest stands in the JSON report
constexpr std::size_t kMostRows = 40;

/// The way from a node to where its results end, without the node itself, and what stands there.
std::string pathText(const RemovedNode& node) {
    std::string out;
    for (std::size_t i = 1; i < node.path.size(); ++i) {
        const bool isCut = node.pathNodes > node.path.size() && i == node.path.size() / 2;
        if (isCut) out += fmt::format("→ … {} … ", formatCount(node.pathNodes - node.path.size()));
        out += "→ <code>" + htmlEscaped(elideMiddle(node.path[i], 48)) + "</code> ";
    }
    return out + (out.empty() ? "" : "<br>") + "<span class=\"end\">" + htmlText(node.end) + "</span>";
}

std::string removedRow(const RemovedNode& node) {
    return fmt::format("<tr><td>{}<b>{}</b> <code>{}</code></td><td>{}</td><td class=\"path\">{}</td></tr>\n",
                       htmlRoleChip(node.role), htmlEscaped(node.op), htmlEscaped(elideMiddle(node.name, 64)),
                       htmlText(node.reason), pathText(node));
}

std::string moreNote(std::size_t rest) {
    return "<p class=\"muted\">" + htmlText(formatMessage("report.more-in-json", {formatCount(rest)})) +
           "</p>";
}

/// That rows are left out, of how many, and where all of them stand.
std::string notListedNote(std::size_t rest, std::size_t count) {
    return "<p class=\"muted\">" +
           htmlText(formatMessage("report.not-listed", {formatCount(rest), formatCount(count)})) + "</p>";
}

std::string byteText(std::uint64_t bytes) {
    return bytes > 0 ? formatBytes(bytes) : "?";
}

} // namespace

std::string htmlCheck(const Report& report) {
    const auto facts = report.verified.facts();
    if (facts.empty()) return {};
    std::string rows;
    for (const auto& [id, text] : facts)
        rows += fmt::format("<tr><th scope=\"row\">{}</th><td>{}</td></tr>\n", htmlText(message(id)),
                            htmlText(text));
    return htmlSection("report.check", "",
                       "<div class=\"scroll\"><table class=\"check\"><tbody>\n" + rows +
                           "</tbody></table></div>");
}

std::string htmlTargets(const Report& report) {
    std::string body;
    for (const ReportTarget& target : report.targets) {
        body +=
            fmt::format("<p class=\"target\"><code>{}</code> <span class=\"mono muted\">{}</span>{}</p>\n",
                        htmlEscaped(target.name), htmlEscaped(target.type),
                        target.evidence.empty() ? "" : "<br>" + htmlText(target.evidence));
    }
    if (body.empty()) body = "<p>" + htmlText(message("report.no-targets")) + "</p>";
    return htmlSection("report.targets", "", body);
}

std::string htmlRemovedTables(const Report& report) {
    if (report.removed.empty()) return {};
    std::map<std::string, std::vector<const RemovedNode*>> byPass;
    for (const RemovedNode& node : report.removed)
        byPass[node.pass].push_back(&node);
    std::string body;
    for (const ReportStep& step : report.steps) {
        const auto at = byPass.find(step.pass);
        if (at == byPass.end()) continue;
        const std::vector<const RemovedNode*> nodes = std::move(at->second);
        byPass.erase(at);
        const std::size_t shown = shownRows(report, nodes.size(), kMostRemovedRows);
        std::string rows;
        for (std::size_t i = 0; i < shown; ++i)
            rows += removedRow(*nodes[i]);
        body +=
            fmt::format("<details{}><summary>{} <span class=\"muted\">{}</span></summary>{}{}</details>\n",
                        nodes.size() <= kMostRows ? " open" : "", htmlText(step.title),
                        htmlText(formatMessage("text.nodes", {formatCount(nodes.size())})),
                        htmlTable("removed", {"report.node", "report.why", "report.path"}, rows),
                        shown < nodes.size() ? notListedNote(nodes.size() - shown, nodes.size()) : "");
    }
    return htmlSection("report.removed", removedText(report), body);
}

std::string htmlStashTable(const Report& report) {
    if (report.stashes.empty()) return {};
    std::string rows;
    const std::size_t shown = shownRows(report, report.stashes.size(), kMostRows);
    for (std::size_t i = 0; i < shown; ++i) {
        const ReportStash& stash = report.stashes[i];
        rows += fmt::format(
            "<tr><td><code>{}</code></td><td>{}</td><td class=\"mono\">{}</td><td class=\"num\">{}</td>"
            "<td class=\"num\">{}</td></tr>\n",
            htmlEscaped(stash.value), htmlText(stash.producer), htmlEscaped(stash.type),
            formatCount(stash.readers), htmlEscaped(stash.size));
    }
    std::string body =
        "<p>" +
        htmlText(
            formatMessage("report.stash-total", {formatCount(report.stashes.size()), report.stashSize})) +
        "</p>" +
        htmlTable("stashes",
                  {"report.value", "report.made-by", "report.type", "report.readers", "report.bytes"}, rows);
    if (shown < report.stashes.size()) body += moreNote(report.stashes.size() - shown);
    return htmlSection("report.stashes", "", body);
}

std::string htmlWeightTable(const Report& report) {
    if (report.weights.empty()) return {};
    std::uint64_t total = 0;
    for (const ReportWeight& weight : report.weights)
        total += weight.bytes;
    std::string rows;
    const std::size_t shown = shownRows(report, report.weights.size(), kMostRows);
    for (std::size_t i = 0; i < shown; ++i) {
        const ReportWeight& weight = report.weights[i];
        rows += fmt::format(
            "<tr><td><code>{}</code></td><td class=\"mono\">{}</td><td class=\"num\">{}</td></tr>\n",
            htmlEscaped(weight.name), htmlEscaped(weight.type), byteText(weight.bytes));
    }
    std::string body =
        fmt::format("<details><summary>{}</summary>{}</details>",
                    htmlText(formatMessage("report.weight-total",
                                           {formatCount(report.weights.size()), formatBytes(total)})),
                    htmlTable("weights", {"report.name", "report.type", "report.bytes"}, rows));
    if (shown < report.weights.size()) body += moreNote(report.weights.size() - shown);
    return htmlSection("report.weight-list", "", body);
}

std::string htmlSignature(const Report& report) {
    std::string rows;
    const auto add = [&](const char* id, const std::vector<std::string>& lines) {
        const std::size_t shown = shownRows(report, lines.size(), kMostRows);
        const std::string what = htmlText(message(id));
        for (std::size_t i = 0; i < shown; ++i)
            rows += fmt::format("<tr><td class=\"muted\">{}</td><td><code>{}</code></td></tr>\n", what,
                                htmlEscaped(lines[i]));
        if (shown < lines.size())
            rows += fmt::format("<tr><td class=\"muted\">{}</td><td>{}</td></tr>\n", what,
                                htmlText(formatMessage("text.more", {formatCount(lines.size() - shown)})));
    };
    add("report.input", report.inputs);
    add("report.output", report.outputs);
    return htmlSection("report.signature", report.opsets,
                       htmlTable("signature", {"report.kind", "report.name-and-type"}, rows));
}

std::string htmlProblems(const Report& report) {
    std::string body;
    for (const std::string& note : report.notes)
        body += "<div class=\"note\">" + htmlText(note) + "</div>\n";
    const std::size_t shown = shownRows(report, report.problems.size(), kMostRows);
    for (std::size_t i = 0; i < shown; ++i) {
        const ReportProblem& problem = report.problems[i];
        body += fmt::format("<div class=\"note{}\"><b>{}</b> {}</div>\n",
                            problem.severity == "error" ? " error" : "", htmlText(problem.severity),
                            htmlText(problem.text));
    }
    if (shown < report.problems.size()) body += moreNote(report.problems.size() - shown);
    if (body.empty())
        body = "<p>" + htmlText(formatMessage("report.no-problems", {formatCount(report.before.nodes)})) +
               "</p>";
    return htmlSection("report.problems", "", body);
}

} // namespace secateur
