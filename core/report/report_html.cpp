// SPDX-License-Identifier: Apache-2.0
#include "core/messages/messages.h"
#include "core/report/html_page.h"
#include "core/report/html_style.h"
#include "core/support/text.h"

#include <fmt/format.h>

#include <algorithm>

namespace secateur {
namespace {

/// A pair of blades over a cut edge, in the accent colour.
constexpr const char* kLogo =
    R"(<svg class="logo" viewBox="0 0 48 48" aria-hidden="true" fill="none" stroke="currentColor" stroke-width="3" stroke-linecap="round"><path d="M10 6 30 31M38 6 18 31"/><circle cx="15" cy="37" r="6"/><circle cx="33" cy="37" r="6"/><path d="M2 19h9M37 19h9" stroke-dasharray="3 5"/></svg>)";

std::string card(const char* id, const std::string& before, const std::string& after, std::uint64_t a,
                 std::uint64_t b) {
    const std::uint64_t kept = a == 0 ? 100 : std::min<std::uint64_t>(100, b * 100 / a);
    return fmt::format(
        "<div class=\"card\"><h3>{}</h3><div class=\"was\">{} →</div><div class=\"now\">{}</div>{}"
        "<div class=\"meter\"><i style=\"width:{}%\"></i></div></div>\n",
        htmlText(message(id)), before, after, htmlChange(a, b), kept);
}

class PageWriter {
  public:
    explicit PageWriter(const Report& report) : m_report(report) {}

    std::string write() {
        const std::string title = formatMessage("report.title", {m_report.model});
        m_out = fmt::format(
            "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
            "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">"
            "<meta name=\"color-scheme\" content=\"light dark\"><title>{}</title>\n<style>{}</style></head>"
            "<body><main>\n",
            htmlEscaped(title), reportStyleSheet());
        writeTop(title);
        writeCards();
        writeRoles();
        writePictures();
        writeSteps();
        m_out += htmlRemovedTables(m_report) + htmlStashTable(m_report) + htmlWeightTable(m_report);
        m_out += htmlSignature(m_report) + htmlProblems(m_report);
        writeReproduce();
        m_out +=
            fmt::format("<footer>{}</footer>\n</main></body></html>\n", htmlText(message("report.footer")));
        return std::move(m_out);
    }

  private:
    void heading(const char* id, const std::string& note = {}) {
        m_out +=
            fmt::format("<h2 id=\"{}\">{}{}</h2>\n", std::string_view(id).substr(7), htmlText(message(id)),
                        note.empty() ? "" : "<small>" + htmlText(note) + "</small>");
    }

    void writeTop(const std::string& title) {
        std::string targets;
        for (const ReportTarget& target : m_report.targets) {
            targets += fmt::format("{}<code>{}</code> {}", targets.empty() ? "" : ", ",
                                   htmlEscaped(target.name), htmlEscaped(target.type));
        }
        if (targets.empty()) targets = htmlText(message("report.no-targets"));
        m_out += fmt::format(
            "<header class=\"top\">{}<div class=\"name\"><h1>{}</h1><p class=\"sub\">{} {}</p></div>"
            "<span class=\"pill\">{}</span></header>\n",
            kLogo, htmlEscaped(title), htmlText(message("report.kept-for")), targets,
            htmlText(message("report.not-checked")));
        m_out += "<nav>";
        for (const char* id : {"report.pictures", "report.steps", "report.removed", "report.stashes",
                               "report.signature", "report.problems", "report.reproduce"}) {
            m_out +=
                fmt::format("<a href=\"#{}\">{}</a>", std::string_view(id).substr(7), htmlText(message(id)));
        }
        m_out += "</nav>\n";
    }

    void writeCards() {
        const Metrics& a = m_report.before;
        const Metrics& b = m_report.after;
        m_out += "<div class=\"cards\">\n";
        m_out += card("report.nodes", formatCount(a.nodes), formatCount(b.nodes), a.nodes, b.nodes);
        m_out +=
            card("report.file", formatBytes(a.fileBytes), formatBytes(b.fileBytes), a.fileBytes, b.fileBytes);
        m_out += card("report.weights", formatBytes(a.initializerBytes), formatBytes(b.initializerBytes),
                      a.initializerBytes, b.initializerBytes);
        m_out += card("report.input-bytes", formatBytes(a.parameterInputBytes),
                      formatBytes(b.parameterInputBytes), a.parameterInputBytes, b.parameterInputBytes);
        m_out += "</div>\n";
    }

    void writeRoleBar(const char* id, bool isAfter) {
        m_out +=
            fmt::format("<div class=\"bar\"><span>{}</span><div class=\"track\">", htmlText(message(id)));
        std::uint64_t total = 0;
        for (const ReportRole& role : m_report.roles) {
            const std::uint64_t count = isAfter ? role.after : role.before;
            total += count;
            if (count == 0) continue;
            m_out += fmt::format("<i style=\"flex:{} 0 0;background:var(--{})\" title=\"{}: {}\"></i>", count,
                                 role.role, role.role, formatCount(count));
        }
        std::uint64_t most = 0;
        for (const ReportRole& role : m_report.roles)
            most += std::max(role.before, role.after);
        // Both bars have one scale: what the shorter one lacks is empty.
        if (most > total) m_out += fmt::format("<i style=\"flex:{} 0 0\"></i>", most - total);
        m_out += fmt::format("</div><span class=\"num\">{}</span></div>\n", formatCount(total));
    }

    void writeRoles() {
        heading("report.roles");
        m_out += "<div class=\"bars\">";
        writeRoleBar("report.before", false);
        writeRoleBar("report.after", true);
        m_out += "<div class=\"legend\">";
        for (const ReportRole& role : m_report.roles) {
            m_out +=
                fmt::format("<span>{}{} <span class=\"muted\">{} → {}</span></span>", htmlRoleChip(role.role),
                            role.role, formatCount(role.before), formatCount(role.after));
        }
        m_out += "</div></div>\n";
    }

    void writePane(const char* id, const std::string& light, const std::string& dark, std::uint64_t nodes) {
        const std::string caption = std::string(message(id));
        m_out += fmt::format("<figure><figcaption><b>{}</b> {}</figcaption><div class=\"pane\"><picture>",
                             htmlText(caption), htmlText(formatMessage("text.nodes", {formatCount(nodes)})));
        if (!dark.empty()) {
            m_out += fmt::format("<source media=\"screen and (prefers-color-scheme: dark)\" srcset=\"{}\">",
                                 svgDataUri(dark));
        }
        m_out += fmt::format("<img alt=\"{}\" src=\"{}\"></picture></div></figure>\n",
                             htmlEscaped(formatMessage("report.picture-alt", {caption, formatCount(nodes)})),
                             svgDataUri(light));
    }

    void writePictures() {
        if (m_report.beforeLight.empty() && m_report.afterLight.empty()) return;
        heading("report.pictures");
        m_out += "<div class=\"panes\">\n";
        writePane("report.before", m_report.beforeLight, m_report.beforeDark, m_report.before.nodes);
        writePane("report.after", m_report.afterLight, m_report.afterDark, m_report.after.nodes);
        m_out += "</div>\n";
    }

    void writeStep(std::size_t index, const ReportStep& step) {
        const bool isIdle = !step.isOn || (step.rewrites == 0 && step.failure.empty());
        m_out += fmt::format(
            "<li class=\"{}\"><div class=\"dot\">{}</div><div class=\"step\"><div class=\"head\"><b>{}</b>"
            "<span class=\"chip class\">{}</span><span class=\"gain\">{}</span></div><p>{}</p>",
            !step.failure.empty() ? "failed"
            : isIdle              ? "idle"
                                  : "active",
            index + 1, htmlText(step.title), step.exactness, gainOf(step), htmlText(step.summary));
        if (!step.reasons.empty()) {
            m_out += "<ul class=\"why\">";
            for (const ReasonGroup& group : step.reasons) {
                m_out += fmt::format("<li><span class=\"n\">{} ×</span><span>{}</span></li>",
                                     formatCount(group.count), htmlText(group.example));
            }
            m_out += "</ul>";
        }
        for (const std::string& question : step.questions)
            m_out += "<div class=\"note\">" + htmlText(question) + "</div>";
        for (const std::string& miss : step.misses)
            m_out += "<div class=\"note\">" + htmlText(miss) + "</div>";
        if (!step.failure.empty()) m_out += "<div class=\"note error\">" + htmlText(step.failure) + "</div>";
        m_out += "</div></li>\n";
    }

    static std::string gainOf(const ReportStep& step) {
        if (!step.isOn) return "<span class=\"muted\">" + htmlText(message("report.step-off")) + "</span>";
        if (step.rewrites == 0)
            return "<span class=\"muted\">" + htmlText(message("report.nothing-to-do")) + "</span>";
        const auto signedText = [](std::uint64_t before, std::uint64_t after, const auto& format) {
            const bool isLess = after < before;
            return fmt::format("<span class=\"{}\">{}{}</span>", isLess ? "less" : "more", isLess ? "−" : "+",
                               format(isLess ? before - after : after - before));
        };
        std::string text = htmlText(formatMessage("report.rewrite-count", {formatCount(step.rewrites)}));
        if (step.before.nodes != step.after.nodes) {
            text += " · " + signedText(step.before.nodes, step.after.nodes, [](std::uint64_t n) {
                        return htmlText(formatMessage("text.nodes", {formatCount(n)}));
                    });
        }
        if (step.before.fileBytes != step.after.fileBytes) {
            text += " · " + signedText(step.before.fileBytes, step.after.fileBytes,
                                       [](std::uint64_t n) { return formatBytes(n); });
        }
        return text;
    }

    void writeSteps() {
        heading("report.steps");
        m_out += "<ol class=\"steps\">\n";
        for (std::size_t i = 0; i < m_report.steps.size(); ++i)
            writeStep(i, m_report.steps[i]);
        m_out += "</ol>\n";
    }

    void writeReproduce() {
        heading("report.reproduce");
        if (!m_report.command.empty())
            m_out += "<pre><code>" + htmlEscaped(m_report.command) + "</code></pre>\n";
        m_out += fmt::format(
            "<details style=\"margin-top:10px\"><summary>{}</summary><pre><code>{}</code></pre></details>\n",
            htmlText(message("report.recipe")), htmlEscaped(m_report.recipe));
    }

    const Report& m_report;
    std::string m_out;
};

} // namespace

std::string reportToHtml(const Report& report) {
    return PageWriter(report).write();
}

} // namespace secateur
