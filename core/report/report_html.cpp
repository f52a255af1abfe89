// SPDX-License-Identifier: Apache-2.0
#include "core/messages/messages.h"
#include "core/report/html_page.h"
#include "core/report/html_style.h"
#include "core/support/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

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

/// Width and height of a picture, as its document says first.
std::pair<unsigned, unsigned> sizeOf(const std::string& svg) {
    const auto number = [&](const char* name) {
        const auto at = svg.find(name);
        return at == std::string::npos
                   ? 0U
                   : static_cast<unsigned>(std::strtoul(svg.c_str() + at + std::strlen(name), nullptr, 10));
    };
    return {number("width=\""), number("height=\"")};
}

class PageWriter {
  public:
    explicit PageWriter(const Report& report) : m_report(report) {}

    std::string write() {
        const std::string title = reportTitle(m_report);
        std::string out = fmt::format(
            "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
            "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">"
            "<meta name=\"color-scheme\" content=\"light dark\"><title>{}</title>\n<style>{}</style></head>"
            "<body><main>\n",
            htmlEscaped(title), reportStyleSheet());
        add("report.summary", htmlSection("report.summary", "", cards()));
        add("report.check", htmlCheck(m_report));
        add("report.targets", htmlTargets(m_report));
        add("report.roles", htmlSection("report.roles", "", roles()));
        add("report.pictures", pictures());
        add("report.steps", htmlSection("report.steps", "", steps()));
        add("report.removed", htmlRemovedTables(m_report));
        add("report.stashes", htmlStashTable(m_report));
        add("report.weight-list", htmlWeightTable(m_report));
        add("report.signature", htmlSignature(m_report));
        add("report.problems", htmlProblems(m_report));
        add("report.reproduce", htmlSection("report.reproduce", "", reproduce()));
        out += top(title) + navigation();
        for (const auto& [id, section] : m_sections)
            out += section;
        out +=
            fmt::format("<footer>{}</footer>\n</main></body></html>\n", htmlText(message("report.footer")));
        return out;
    }

  private:
    /// A section that has nothing to say is left out, and out of the navigation.
    void add(const char* id, std::string section) {
        if (!section.empty()) m_sections.emplace_back(id, std::move(section));
    }

    [[nodiscard]] std::string top(const std::string& title) const {
        std::string targets;
        for (const ReportTarget& target : m_report.targets) {
            targets += fmt::format("{}<code>{}</code> {}", targets.empty() ? "" : ", ",
                                   htmlEscaped(target.name), htmlEscaped(target.type));
        }
        if (targets.empty()) targets = htmlText(message("report.no-targets"));
        return fmt::format(
            "<header class=\"top\">{}<div class=\"name\"><h1>{}</h1><p class=\"sub\">{} {}</p></div>"
            "<span class=\"pill{}\">{}</span></header>\n",
            kLogo, htmlEscaped(title), htmlText(message("report.kept-for")), targets,
            !m_report.verified.isAsked || m_report.verified.numbers.isWeak() ? ""
            : m_report.verified.isGood()                                     ? " good"
                                                                             : " bad",
            htmlText(m_report.verified.verdict()));
    }

    [[nodiscard]] std::string navigation() const {
        std::string out = fmt::format("<nav aria-label=\"{}\">", htmlEscaped(message("report.sections")));
        for (std::size_t i = 1; i < m_sections.size(); ++i) {
            const char* id = m_sections[i].first;
            out += fmt::format("<a href=\"#{}\">{}</a>", anchorOf(id), htmlText(message(id)));
        }
        return out + "</nav>\n";
    }

    [[nodiscard]] std::string cards() const {
        const Metrics& a = m_report.before;
        const Metrics& b = m_report.after;
        std::string out = "<div class=\"cards\">\n";
        out += card("report.nodes", formatCount(a.nodes), formatCount(b.nodes), a.nodes, b.nodes);
        out +=
            card("report.file", formatBytes(a.fileBytes), formatBytes(b.fileBytes), a.fileBytes, b.fileBytes);
        out += card("report.weights", formatBytes(m_report.weightBytesBefore),
                    formatBytes(m_report.weightBytesAfter), m_report.weightBytesBefore,
                    m_report.weightBytesAfter);
        out += card("report.input-bytes", formatBytes(a.parameterInputBytes),
                    formatBytes(b.parameterInputBytes), a.parameterInputBytes, b.parameterInputBytes);
        out += "</div>";
        if (m_report.hasAddedWeights)
            out += "<p class=\"muted\">" + htmlText(message("report.weights-added")) + "</p>";
        return out;
    }

    [[nodiscard]] std::string roleBar(const char* id, bool isAfter) const {
        std::string parts, words;
        std::uint64_t total = 0, most = 0, all = 0;
        for (const ReportRole& role : m_report.roles) {
            const std::uint64_t count = isAfter ? role.after : role.before;
            total += count;
            most += role.before;
            all += role.after;
            if (count == 0) continue;
            words += fmt::format("{}{} {}", words.empty() ? "" : ", ", formatCount(count), role.role);
            parts += fmt::format("<i style=\"flex:{} 0 0;background:var(--{})\" title=\"{}: {}\"></i>", count,
                                 role.role, role.role, formatCount(count));
        }
        // Both bars have one scale: what the shorter one lacks is empty.
        most = std::max(most, all);
        if (most > total) parts += fmt::format("<i style=\"flex:{} 0 0\"></i>", most - total);
        const std::string label = htmlEscaped(message(id));
        return fmt::format("<div class=\"bar\"><span>{}</span><div class=\"track\" role=\"img\" "
                           "aria-label=\"{}: {}\">{}</div><span class=\"num\">{}</span></div>\n",
                           label, label, htmlEscaped(words), parts, formatCount(total));
    }

    [[nodiscard]] std::string roles() const {
        std::string out =
            "<div class=\"bars\">" + roleBar("report.before", false) + roleBar("report.after", true);
        out += "<div class=\"legend\">";
        for (const ReportRole& role : m_report.roles) {
            out +=
                fmt::format("<span>{}{} <span class=\"muted\">{} → {}</span></span>", htmlRoleChip(role.role),
                            role.role, formatCount(role.before), formatCount(role.after));
        }
        return out + "</div></div>";
    }

    [[nodiscard]] static std::string pane(const char* id, const std::string& light, const std::string& dark,
                                          std::uint64_t nodes) {
        const std::string caption(message(id));
        std::string out = fmt::format(
            "<figure><figcaption><b>{}</b> {}</figcaption><div class=\"pane\" tabindex=\"0\"><picture>",
            htmlText(caption), htmlText(formatMessage("text.nodes", {formatCount(nodes)})));
        if (!dark.empty()) {
            out += fmt::format("<source media=\"screen and (prefers-color-scheme: dark)\" srcset=\"{}\">",
                               svgDataUri(dark));
        }
        const auto [width, height] = sizeOf(light);
        return out + fmt::format(
                         "<img width=\"{}\" height=\"{}\" alt=\"{}\" src=\"{}\"></picture></div></figure>\n",
                         width, height,
                         htmlEscaped(formatMessage("report.picture-alt", {caption, formatCount(nodes)})),
                         svgDataUri(light));
    }

    /// Whole or in full size, by two radio buttons and the style sheet. What is still readable when it is
    /// whole is shown so at first.
    [[nodiscard]] std::string pictures() const {
        if (m_report.beforeLight.empty() && m_report.afterLight.empty()) return {};
        constexpr unsigned kReadableWidth = 1400;
        const bool isWhole = sizeOf(m_report.beforeLight).first <= kReadableWidth;
        std::string body;
        for (const bool whole : {true, false}) {
            const char* id = whole ? "zoom-whole" : "zoom-full";
            body += fmt::format(
                "<input type=\"radio\" name=\"zoom\" id=\"{0}\"{1}><label for=\"{0}\">{2}</label>\n", id,
                whole == isWhole ? " checked" : "",
                htmlText(message(whole ? "report.zoom-whole" : "report.zoom-full")));
        }
        body += "<div class=\"panes\">\n";
        body += pane("report.before", m_report.beforeLight, m_report.beforeDark, m_report.before.nodes);
        body += pane("report.after", m_report.afterLight, m_report.afterDark, m_report.after.nodes);
        return htmlSection("report.pictures", "", body + "</div>");
    }

    [[nodiscard]] static std::string stepItem(std::size_t index, const ReportStep& step) {
        const bool isIdle = !step.isOn || (step.rewrites == 0 && step.failure.empty());
        std::string out = fmt::format(
            "<li class=\"{}\"><div class=\"dot\">{}</div><div class=\"step\"><div class=\"head\"><h3>{}</h3>"
            "<span class=\"chip class\" title=\"{}\">{}</span><span class=\"gain\">{}</span></div><p>{}</p>",
            !step.failure.empty() ? "failed"
            : isIdle              ? "idle"
                                  : "active",
            index + 1, htmlText(step.title), htmlEscaped(message("cli.pass-classes")), step.exactness,
            gainOf(step), htmlText(step.summary));
        if (!step.reasons.empty()) {
            out += "<ul class=\"why\">";
            for (const ReasonGroup& group : step.reasons) {
                const std::string such =
                    group.count > 1
                        ? "<span class=\"muted\">" + htmlText(message("report.such-as")) + "</span> "
                        : std::string();
                out += fmt::format("<li><span class=\"n\">{} ×</span><span>{}{}</span></li>",
                                   formatCount(group.count), such, htmlText(group.example));
            }
            out += "</ul>";
        }
        for (const std::string& question : step.questions)
            out += "<div class=\"note\">" + htmlText(question) + "</div>";
        for (const std::string& miss : step.misses)
            out += "<div class=\"note\">" + htmlText(miss) + "</div>";
        if (!step.failure.empty()) out += "<div class=\"note error\">" + htmlText(step.failure) + "</div>";
        return out + "</div></li>\n";
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

    [[nodiscard]] std::string steps() const {
        std::string out = "<ol class=\"steps\">\n";
        for (std::size_t i = 0; i < m_report.steps.size(); ++i)
            out += stepItem(i, m_report.steps[i]);
        return out + "</ol>";
    }

    [[nodiscard]] std::string reproduce() const {
        std::string out;
        if (!m_report.command.empty())
            out += "<pre><code>" + htmlEscaped(m_report.command) + "</code></pre>\n";
        return out + fmt::format("<details><summary>{}</summary><pre><code>{}</code></pre></details>",
                                 htmlText(message("report.recipe")), htmlEscaped(m_report.recipe));
    }

    const Report& m_report;
    std::vector<std::pair<const char*, std::string>> m_sections; ///< message id of the heading, the section
};

} // namespace

std::string reportToHtml(const Report& report) {
    return PageWriter(report).write();
}

} // namespace secateur
