// SPDX-License-Identifier: Apache-2.0
#include "core/messages/messages.h"
#include "core/report/html_page.h"
#include "core/report/markdown_text.h"
#include "core/report/report.h"
#include "core/report/report_steps.h"
#include "core/support/printable.h"
#include "core/support/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace secateur {
namespace {

std::string cell(std::string_view text) {
    return markdownText(text, MarkdownPlace::cell);
}

std::string codeCell(std::string_view name) {
    return markdownCode(name, MarkdownPlace::cell);
}

std::string byteText(std::uint64_t bytes) {
    return bytes > 0 ? formatBytes(bytes) : "?";
}

class MarkdownWriter {
  public:
    explicit MarkdownWriter(const Report& report) : m_report(report) {}

    std::string write() {
        m_out = fmt::format("# {}\n\n", markdownText(printable(reportTitle(m_report))));
        writeSummary();
        writeCheck();
        writeTargets();
        writeSteps();
        writeRemoved();
        writeStashes();
        writeWeights();
        writeLists();
        writeReproduce();
        return m_out;
    }

  private:
    void heading(const char* id) { m_out += fmt::format("\n## {}\n\n", message(id)); }

    void summaryRow(const char* id, const std::string& before, const std::string& after,
                    const std::string& delta) {
        m_out += fmt::format("| {} | {} | {} | {} |\n", message(id), before, after, delta);
    }

    void writeSummary() {
        const Metrics& a = m_report.before;
        const Metrics& b = m_report.after;
        m_out += fmt::format("| | {} | {} | |\n|---|---:|---:|---:|\n", message("report.before"),
                             message("report.after"));
        summaryRow("report.nodes", formatCount(a.nodes), formatCount(b.nodes), changeText(a.nodes, b.nodes));
        summaryRow("report.file", formatBytes(a.fileBytes), formatBytes(b.fileBytes),
                   changeText(a.fileBytes, b.fileBytes));
        summaryRow("report.weights", formatBytes(m_report.weightBytesBefore),
                   formatBytes(m_report.weightBytesAfter),
                   changeText(m_report.weightBytesBefore, m_report.weightBytesAfter));
        summaryRow("report.input-bytes", formatBytes(a.parameterInputBytes),
                   formatBytes(b.parameterInputBytes),
                   changeText(a.parameterInputBytes, b.parameterInputBytes));
        for (const ReportRole& role : m_report.roles) {
            m_out += fmt::format(
                "| {} | {} | {} | {} |\n", cell(formatMessage("report.role-nodes", {role.role})),
                formatCount(role.before), formatCount(role.after), changeText(role.before, role.after));
        }
        if (m_report.hasAddedWeights) m_out += fmt::format("\n{}\n", message("report.weights-added"));
        m_out += fmt::format("\n{}\n", markdownText(m_report.verified.verdict()));
    }

    void writeCheck() {
        const auto facts = m_report.verified.facts();
        if (facts.empty()) return;
        heading("report.check");
        m_out += "| | |\n|---|---|\n";
        for (const auto& [id, text] : facts)
            m_out += fmt::format("| {} | {} |\n", message(id), cell(text));
    }

    void writeTargets() {
        heading("report.targets");
        for (const ReportTarget& target : m_report.targets) {
            m_out += fmt::format("- {} {}{}\n", markdownCode(target.name), markdownText(target.type),
                                 target.evidence.empty() ? "" : ": " + markdownText(target.evidence));
        }
        if (m_report.targets.empty()) m_out += std::string(message("report.no-targets")) + "\n";
    }

    void writeSteps() {
        heading("report.steps");
        m_out +=
            fmt::format("| # | {} | | {} | {} | {} |\n|---:|---|---|---:|---:|---|\n", message("report.step"),
                        message("report.rewrites"), message("report.nodes"), message("report.why"));
        std::string classes;
        for (std::size_t i = 0; i < m_report.steps.size(); ++i) {
            const ReportStep& step = m_report.steps[i];
            classes += step.exactness;
            std::string why;
            for (const ReasonGroup& group : step.reasons) {
                why += fmt::format("{}{} ×: {}", why.empty() ? "" : "<br>", formatCount(group.count),
                                   cell(group.example));
            }
            for (const auto* lines : {&step.questions, &step.misses}) {
                for (const std::string& line : *lines)
                    why += (why.empty() ? "" : "<br>") + cell(line);
            }
            if (!step.failure.empty()) why = cell(step.failure);
            if (!step.isOn) why = message("report.step-off");
            const auto delta =
                static_cast<std::int64_t>(step.after.nodes) - static_cast<std::int64_t>(step.before.nodes);
            m_out += fmt::format("| {} | {} | {} | {} | {:+} | {} |\n", i + 1, cell(step.title),
                                 step.exactness, formatCount(step.rewrites), delta, why);
        }
        m_out += "\n" + classesInWords(classes) + "\n";
    }

    void writeRemoved() {
        constexpr std::size_t kMostRows = 150; // what a pull request takes
        const std::size_t count = m_report.removed.size(), shown = shownRows(m_report, count, kMostRows);
        if (m_report.removed.empty()) return;
        heading("report.removed");
        std::map<std::string, std::map<std::string, std::uint64_t>> byRole;
        for (const RemovedNode& node : m_report.removed)
            ++byRole[node.role][node.op];
        for (const auto& [role, ops] : byRole) {
            std::vector<std::pair<std::string, std::uint64_t>> sorted(ops.begin(), ops.end());
            std::stable_sort(sorted.begin(), sorted.end(),
                             [](const auto& a, const auto& b) { return a.second > b.second; });
            std::string text;
            for (const auto& [op, nodes] : sorted)
                text += fmt::format("{}{} {}", text.empty() ? "" : ", ", formatCount(nodes),
                                    markdownText(printable(op)));
            m_out += fmt::format("- **{}**: {}\n", role, text);
        }
        m_out += "\n" + removedText(m_report) + "\n";
        m_out += fmt::format(
            "\n<details><summary>{}</summary>\n\n| {} | {} | {} | {} |\n|---|---|---|---|\n",
            shown == count ? formatMessage("report.removed-list", {formatCount(count)})
                           : formatMessage("report.removed-first", {formatCount(shown), formatCount(count)}),
            message("report.node"), message("report.role"), message("report.why"), message("report.path"));
        for (std::size_t i = 0; i < shown; ++i) {
            const RemovedNode& node = m_report.removed[i];
            std::string path;
            for (std::size_t step = 1; step < node.path.size(); ++step) {
                const bool isCut = node.pathNodes > node.path.size() && step == node.path.size() / 2;
                if (isCut) path += fmt::format("→ … {} … ", formatCount(node.pathNodes - node.path.size()));
                path += "→ " + codeCell(node.path[step]) + " ";
            }
            path += (path.empty() ? "" : "<br>") + cell(node.end);
            m_out += fmt::format("| {} {} | {} | {} | {} |\n", cell(printable(node.op)), codeCell(node.name),
                                 node.role, cell(node.reason), path);
        }
        if (shown < count)
            m_out += "\n" +
                     formatMessage("report.not-listed", {formatCount(count - shown), formatCount(count)}) +
                     "\n";
        m_out += "\n";
        m_out += "</details>\n";
    }

    void writeStashes() {
        constexpr std::size_t kMostRows = 20;
        if (m_report.stashes.empty()) return;
        heading("report.stashes");
        m_out += markdownText(formatMessage("report.stash-total", {formatCount(m_report.stashes.size()),
                                                                   printable(m_report.stashSize)})) +
                 "\n\n";
        m_out += fmt::format("| {} | {} | {} | {} | {} |\n|---|---|---|---:|---:|\n", message("report.value"),
                             message("report.made-by"), message("report.type"), message("report.readers"),
                             message("report.bytes"));
        for (std::size_t i = 0; i < shownRows(m_report, m_report.stashes.size(), kMostRows); ++i) {
            const ReportStash& stash = m_report.stashes[i];
            m_out += fmt::format("| {} | {} | {} | {} | {} |\n", codeCell(stash.value), cell(stash.producer),
                                 cell(printable(stash.type)), formatCount(stash.readers),
                                 cell(printable(stash.size)));
        }
        writeMore(m_report.stashes.size(), kMostRows);
    }

    void writeWeights() {
        constexpr std::size_t kMostRows = 20;
        if (m_report.weights.empty()) return;
        heading("report.weight-list");
        std::uint64_t total = 0;
        for (const ReportWeight& weight : m_report.weights)
            total += weight.bytes;
        m_out +=
            formatMessage("report.weight-total", {formatCount(m_report.weights.size()), formatBytes(total)}) +
            "\n\n";
        m_out += fmt::format("| {} | {} | {} |\n|---|---|---:|\n", message("report.name"),
                             message("report.type"), message("report.bytes"));
        for (std::size_t i = 0; i < shownRows(m_report, m_report.weights.size(), kMostRows); ++i) {
            const ReportWeight& weight = m_report.weights[i];
            m_out +=
                fmt::format("| {} | {} | {} |\n", codeCell(weight.name), weight.type, byteText(weight.bytes));
        }
        writeMore(m_report.weights.size(), kMostRows);
    }

    /// How many rows of a table were left out, where any were.
    void writeMore(std::size_t count, std::size_t most) {
        const std::size_t shown = shownRows(m_report, count, most);
        if (count > shown)
            m_out += "\n" + formatMessage("report.more-in-json", {formatCount(count - shown)}) + "\n";
    }

    void writeLists() {
        heading("report.signature");
        const auto list = [&](const char* id, const std::vector<std::string>& lines) {
            constexpr std::size_t kMostLines = 40;
            const std::size_t shown = shownRows(m_report, lines.size(), kMostLines);
            for (std::size_t i = 0; i < shown; ++i)
                m_out += fmt::format("- {} {}\n", message(id), markdownCode(lines[i]));
            if (lines.size() > shown)
                m_out += fmt::format("- {} {}\n", message(id),
                                     formatMessage("text.more", {formatCount(lines.size() - shown)}));
        };
        list("report.input", m_report.inputs);
        list("report.output", m_report.outputs);
        if (!m_report.opsets.empty())
            m_out += fmt::format("- opsets: {}\n", markdownText(printable(m_report.opsets)));
        if (m_report.problems.empty() && m_report.notes.empty()) return;
        heading("report.problems");
        for (const ReportProblem& problem : m_report.problems)
            m_out += fmt::format("- {}: {}\n", problem.severity, markdownText(problem.text));
        for (const std::string& note : m_report.notes)
            m_out += fmt::format("- {}\n", markdownText(note));
    }

    void writeReproduce() {
        heading("report.reproduce");
        if (!m_report.command.empty()) m_out += fmt::format("```sh\n{}\n```\n\n", m_report.command);
        m_out += fmt::format("<details><summary>{}</summary>\n\n```json\n{}```\n\n</details>\n",
                             message("report.recipe"), printableLines(m_report.recipe));
    }

    const Report& m_report;
    std::string m_out;
};

} // namespace

std::string reportToMarkdown(const Report& report) {
    return MarkdownWriter(report).write();
}

} // namespace secateur
