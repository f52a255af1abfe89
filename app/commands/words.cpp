// SPDX-License-Identifier: Apache-2.0
#include "app/commands/words.h"

#include "core/messages/messages.h"
#include "core/messages/value_list.h"
#include "core/report/report_steps.h"
#include "core/session/weight_fit.h"
#include "core/support/printable.h"
#include "core/support/text.h"

#include <fmt/format.h>

namespace secateur::cli {
namespace {

std::string percentChange(std::uint64_t before, std::uint64_t after) {
    if (before == 0 || before == after) return "=";
    const bool isLess = after < before;
    return (isLess ? "-" : "+") + formatPercent(isLess ? before - after : after - before, before);
}

/// Does it say that the recipe is aimed at another value than it was saved for?
bool isSwitch(const Reason& note) {
    return note.id == "note.target-gone";
}

/// The first of its kind, and how many there are besides.
std::string reasonText(const ReasonGroup& group) {
    if (group.count < 2) return group.example;
    return formatMessage("cli.and-like", {group.example, formatCount(group.count - 1)});
}

} // namespace

std::string shellWord(const std::string& word) {
    const bool isPlain = !word.empty() && std::all_of(word.begin(), word.end(), [](unsigned char c) {
        return std::isalnum(c) != 0 || c == '_' || c == '-' || c == '.' || c == '/' || c == ':' || c == ',' ||
               c == '+' || c == '=';
    });
    if (isPlain) return word;
    const bool isShown = printable(word) == word;
    std::string out = isShown ? "'" : "$'";
    for (const char c : word) {
        if (isShown)
            out += c == '\'' ? "'\\''" : std::string(1, c);
        else if (c == '\'' || c == '\\')
            out.append("\\").append(1, c);
        else
            out += c >= ' ' && c <= '~' ? std::string(1, c)
                                        : fmt::format("\\{:03o}", static_cast<unsigned char>(c));
    }
    return out + "'";
}

std::string shellPath(const std::string& path) {
    return shellWord(path.starts_with('-') ? "./" + path : path);
}

std::string changeLine(const History& history, std::optional<std::uint64_t> resultBytes) {
    const Original& original = history.original();
    std::string targets = valueList(original.file.model, history.chosenTargets());
    if (targets.empty()) targets = original.file.path.filename().string();
    const Metrics& before = original.metrics;
    const Metrics& after = history.steps().empty() ? before : history.steps().back().after;
    std::string line = fmt::format("{}: {} -> {} ({})", targets, formatCount(before.nodes),
                                   formatMessage("text.nodes", {formatCount(after.nodes)}),
                                   percentChange(before.nodes, after.nodes));
    if (!resultBytes) return line;
    const std::string was = formatBytes(before.fileBytes), is = formatBytes(*resultBytes);
    // A file without its weights and one with them cannot be compared in size.
    if (usesWeights(history.recipe())) return line + ", " + formatMessage("cli.with-weights", {was, is});
    return line + fmt::format(", {} -> {}", was, is);
}

std::optional<std::string> tracesHint(std::uint64_t metadataBytes, std::uint64_t all) {
    constexpr std::uint64_t kLeastBytes = 64 << 10; // less is not worth a word
    if (metadataBytes < kLeastBytes || metadataBytes * 3 < all) return std::nullopt;
    return formatMessage("cli.traces-hint", {formatBytes(metadataBytes), formatBytes(all)});
}

std::string goneLine(const History& history) {
    const std::vector<bool> isReplaced = replacedNodes(history);
    std::uint64_t removed = 0, replaced = 0;
    for (std::size_t i = 0; i < isReplaced.size(); ++i) {
        if (history.stepThatErased(NodeId(i))) ++(isReplaced[i] ? replaced : removed);
    }
    return formatMessage("report.removed-count", {formatCount(removed), formatCount(replaced)});
}

void tellNotes(const History& history, Console& console) {
    for (const Reason& note : history.notes())
        if (const std::string text = formatReason(note, history.original().file.model); isSwitch(note))
            console.warn(text);
        else
            console.note(text);
}

void printSteps(const History& history, Console& console) {
    if (console.isJson()) return;
    std::string classes;
    for (const ReportStep& step : describeSteps(history)) {
        if (!step.isOn || (step.rewrites == 0 && step.skipped == 0 && step.misses.empty())) continue;
        classes += step.exactness;
        const auto delta =
            static_cast<std::int64_t>(step.after.nodes) - static_cast<std::int64_t>(step.before.nodes);
        console.line(fmt::format("  {} {:<28} {:>8} {:>+9}  {}", step.exactness, step.title,
                                 fmt::format("{} x", formatCount(step.rewrites)), delta,
                                 step.reasons.empty() ? "" : reasonText(step.reasons.front())));
        for (std::size_t i = 1; i < step.reasons.size(); ++i)
            console.line(fmt::format("{:53}{}", "", reasonText(step.reasons[i])));
        for (const std::string& miss : step.misses)
            console.line("      ! " + miss);
    }
    if (!classes.empty()) console.line("  " + classesInWords(classes));
}

} // namespace secateur::cli
