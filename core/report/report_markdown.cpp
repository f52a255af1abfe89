// SPDX-License-Identifier: Apache-2.0
#include "core/messages/messages.h"
#include "core/report/html_page.h"
#include "core/report/report.h"
#include "core/report/report_steps.h"
#include "core/support/printable.h"
#include "core/support/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace secateur {
namespace {

/// Text for a cell of a table: bars and line ends would end it.
std::string cell(std::string_view text) {
    std::string out;
    for (const char c : text) {
        if (c == '|')
            out += "\\|";
        else if (c == '\n')
            out += "<br>";
        else if (c == '<')
            out += "&lt;";
        else
            out += c;
    }
    return out;
}

std::string byteText(std::uint64_t bytes) {
    return bytes > 0 ? formatBytes(bytes) : "?";
}

class MarkdownWriter {
  public:
    explicit MarkdownWriter(const Report& report) : m_report(report) {}

    std::string write() {
        m_out = fmt::format("# {}\n\n", reportTitle(m_report));
        writeSummary();
        writeTargets();
        writeSteps();
        writeRemoved();
        writeStashes();
        writeWeights();
        writeLists();
        writeReproduce();
        return printableLines(m_out);
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
        summaryRow("report.weights", formatBytes(a.initializerBytes), formatBytes(b.initializerBytes),
                   changeText(a.initializerBytes, b.initializerBytes));
        summaryRow("report.input-bytes", formatBytes(a.parameterInputBytes),
                   formatBytes(b.parameterInputBytes),
                   changeText(a.parameterInputBytes, b.parameterInputBytes));
        for (const ReportRole& role : m_report.roles) {
            m_out += fmt::format("| {} | {} | {} | {} |\n", formatMessage("report.role-nodes", {role.role}),
                                 formatCount(role.before), formatCount(role.after),
                                 changeText(role.before, role.after));
        }
        if (m_report.hasAddedWeights) m_out += fmt::format("\n{}\n", message("report.weights-added"));
        m_out += fmt::format("\n{}\n", message("report.not-checked"));
    }

    void writeTargets() {
        heading("report.targets");
        for (const ReportTarget& target : m_report.targets) {
            m_out += fmt::format("- `{}` {}{}\n", target.name, target.type,
                                 target.evidence.empty() ? "" : ": " + target.evidence);
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
        constexpr std::size_t kMostRows = 40;
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
            for (const auto& [op, count] : sorted)
                text += fmt::format("{}{} {}", text.empty() ? "" : ", ", formatCount(count), op);
            m_out += fmt::format("- **{}**: {}\n", role, text);
        }
        m_out += "\n" + removedText(m_report) + "\n";
        m_out += fmt::format("\n<details><summary>{}</summary>\n\n| {} | {} | {} | {} |\n|---|---|---|---|\n",
                             formatMessage("report.removed-list", {formatCount(m_report.removed.size())}),
                             message("report.node"), message("report.role"), message("report.why"),
                             message("report.path"));
        for (std::size_t i = 0; i < std::min(kMostRows, m_report.removed.size()); ++i) {
            const RemovedNode& node = m_report.removed[i];
            std::string path;
            for (std::size_t step = 1; step < node.path.size(); ++step)
                path += "→ " + cell(node.path[step]) + " ";
            if (path.empty())
                path = message(node.stoodOnPath ? "report.made-target" : "report.ends-here");
            else if (node.stoodOnPath)
                path = std::string(message("report.stood-before")) + " " + path;
            m_out += fmt::format("| {} `{}` | {} | {} | {} |\n", node.op, cell(node.name), node.role,
                                 cell(node.reason), path);
        }
        writeMore(m_report.removed.size(), kMostRows);
        m_out += "\n";
        m_out += "</details>\n";
    }

    void writeStashes() {
        constexpr std::size_t kMostRows = 20;
        if (m_report.stashes.empty()) return;
        heading("report.stashes");
        m_out +=
            formatMessage("report.stash-total", {formatCount(m_report.stashes.size()), m_report.stashSize}) +
            "\n\n";
        m_out += fmt::format("| {} | {} | {} | {} | {} |\n|---|---|---|---:|---:|\n", message("report.value"),
                             message("report.made-by"), message("report.type"), message("report.readers"),
                             message("report.bytes"));
        for (std::size_t i = 0; i < std::min(kMostRows, m_report.stashes.size()); ++i) {
            const ReportStash& stash = m_report.stashes[i];
            m_out += fmt::format("| `{}` | {} | {} | {} | {} |\n", cell(stash.value), cell(stash.producer),
                                 stash.type, formatCount(stash.readers), stash.size);
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
        for (std::size_t i = 0; i < std::min(kMostRows, m_report.weights.size()); ++i) {
            const ReportWeight& weight = m_report.weights[i];
            m_out +=
                fmt::format("| `{}` | {} | {} |\n", cell(weight.name), weight.type, byteText(weight.bytes));
        }
        writeMore(m_report.weights.size(), kMostRows);
    }

    /// How many rows of a table were left out, where any were.
    void writeMore(std::size_t count, std::size_t most) {
        if (count > most)
            m_out += "\n" + formatMessage("report.more-in-json", {formatCount(count - most)}) + "\n";
    }

    void writeLists() {
        heading("report.signature");
        const auto list = [&](const char* id, const std::vector<std::string>& lines) {
            constexpr std::size_t kMostLines = 40;
            for (std::size_t i = 0; i < std::min(kMostLines, lines.size()); ++i)
                m_out += fmt::format("- {} `{}`\n", message(id), lines[i]);
            if (lines.size() > kMostLines)
                m_out += fmt::format("- {} {}\n", message(id),
                                     formatMessage("text.more", {formatCount(lines.size() - kMostLines)}));
        };
        list("report.input", m_report.inputs);
        list("report.output", m_report.outputs);
        if (!m_report.opsets.empty()) m_out += fmt::format("- opsets: {}\n", m_report.opsets);
        if (m_report.problems.empty() && m_report.notes.empty()) return;
        heading("report.problems");
        for (const ReportProblem& problem : m_report.problems)
            m_out += fmt::format("- {}: {}\n", problem.severity, problem.text);
        for (const std::string& note : m_report.notes)
            m_out += fmt::format("- {}\n", note);
    }

    void writeReproduce() {
        heading("report.reproduce");
        if (!m_report.command.empty()) m_out += fmt::format("```sh\n{}\n```\n\n", m_report.command);
        m_out += fmt::format("<details><summary>{}</summary>\n\n```json\n{}```\n\n</details>\n",
                             message("report.recipe"), m_report.recipe);
    }

    const Report& m_report;
    std::string m_out;
};

} // namespace

std::string reportToMarkdown(const Report& report) {
    return MarkdownWriter(report).write();
}

} // namespace secateur
