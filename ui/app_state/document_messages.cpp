// SPDX-License-Identifier: Apache-2.0
#include "core/messages/value_list.h"
#include "core/session/training_mode.h"
#include "ui/app_state/document.h"
#include "ui/app_state/strings.h"

#include <QFileInfo>

#include <algorithm>
#include <cstdint>
#include <variant>

namespace secateur {

namespace {

QString firstFatalProblem(const Original& original) {
    const auto& problems = original.file.problems;
    const auto fatal = std::find_if(problems.begin(), problems.end(),
                                    [](const Problem& problem) { return problem.isFatal; });
    QString text = fatal == problems.end() ? QString() : QString::fromStdString(fatal->text);
    while (text.endsWith(QLatin1Char('.')))
        text.chop(1);
    return text;
}

/// Outputs whose types a step wrote into the model, since the file leaves them open.
std::uint64_t declaredOutputs(const History& history) {
    std::uint64_t count = 0;
    for (const Step& step : history.steps())
        for (const RewriteRecord& record : step.records) {
            if (record.isSkipped) continue;
            if (record.reason.id == "choose-targets.declare") ++count;
            if (record.reason.id != "choose-targets.declare.all" || record.reason.arguments.empty()) continue;
            if (const auto* all = std::get_if<std::int64_t>(&record.reason.arguments.front()))
                count += static_cast<std::uint64_t>(*all);
        }
    return count;
}

} // namespace

std::vector<BarMessage> Document::messages() const {
    std::vector<BarMessage> all = m_said;
    if (m_phase == Phase::failed)
        all.push_back({QStringLiteral("open-failed"),
                       BarMessage::Severity::error,
                       QString::fromStdString(m_failure.toString()),
                       {}});
    if (m_phase == Phase::ready) {
        addQuestionMessages(all);
        addOverviewMessage(all);
        addStepMessages(all);
        addWeightsMessage(all);
        addProblemsMessage(all);
    }
    std::vector<BarMessage> shown;
    for (BarMessage& message : all)
        if (!m_dismissed.contains(message.key)) shown.push_back(std::move(message));
    return shown;
}

void Document::addOverviewMessage(std::vector<BarMessage>& out) const {
    auto* self = const_cast<Document*>(this);
    const std::uint64_t nodes = m_original->metrics.nodes;
    const QString key = QStringLiteral("overview");
    if (m_refusal) {
        out.push_back({key,
                       BarMessage::Severity::error,
                       tx("ui.bar.not-converted", {firstFatalProblem(*m_original)}),
                       {{tx("ui.link.problems"), [self] { emit self->problemsRequested(); }}}});
        return;
    }
    if (needsTarget()) {
        const std::size_t count = m_original->targets.candidates.size();
        out.push_back({key,
                       BarMessage::Severity::question,
                       tx(count == 0 ? "ui.bar.no-candidate" : "ui.bar.choose-target", {countText(count)}),
                       {}});
        return;
    }
    if (!history()) return;
    const QString names = qs(valueList(m_original->file.model, targetsInOriginal()));
    if (!m_original->roles->isTrainingGraph && m_unreached == 0) {
        const auto& done = history()->steps();
        const std::uint64_t left = done.empty() ? nodes : done.back().after.nodes;
        BarMessage message{key,
                           BarMessage::Severity::info,
                           left < nodes
                               ? tx("ui.bar.inference-fewer", {countText(nodes), names, countText(left)})
                               : tx("ui.bar.inference", {countText(nodes), names}),
                           {}};
        if (const std::uint64_t declared = declaredOutputs(*history()); left == nodes && declared > 0) {
            const std::uint64_t before = m_original->metrics.fileBytes, after = done.back().after.fileBytes;
            if (after > before)
                message.text += QLatin1Char(' ') + tx("ui.bar.inference-grows",
                                                      {bytesText(after - before), countText(declared)});
        }
        if (left < nodes) message.links.push_back({tx("ui.link.step-through"), [self] { self->lookAt(1); }});
        const auto& steps = m_session->recipe().steps;
        const auto simplify = std::find_if(steps.begin(), steps.end(),
                                           [](const RecipeStep& step) { return step.pass == "simplify"; });
        if (simplify != steps.end() && !simplify->isOn && m_simplified.value_or(0) != nodes) {
            if (m_simplified)
                message.text += QLatin1Char(' ') + tx("ui.bar.simplifiable", {countText(*m_simplified)});
            message.links.push_back(
                {tx("ui.link.simplify"), [self, at = static_cast<std::size_t>(simplify - steps.begin())] {
                     self->setStepOn(at, true);
                 }});
        }
        out.push_back(std::move(message));
        return;
    }
    const BarMessage::Link through{tx("ui.link.step-through"), [self] { self->lookAt(1); }};
    const BarMessage::Link change{tx("ui.link.change-target"),
                                  [self] { emit self->changeTargetRequested(); }};
    if (m_unreached == 0) {
        const QString training = QString::fromStdString(joinCounts(countTrainingMode(*m_original)));
        const QString text = training.isEmpty() ? tx("ui.bar.all-reach", {countText(nodes), names})
                                                : tx("ui.bar.training-mode",
                                                     {countText(nodes), names, training,
                                                      countText(m_original->roles->inTrainingMode.size())});
        out.push_back({key, BarMessage::Severity::info, text, {through, change}});
        return;
    }
    out.push_back({key,
                   BarMessage::Severity::info,
                   tx(m_original->roles->isTrainingGraph ? "ui.bar.training" : "ui.bar.dead-ends",
                      {countText(m_unreached), countText(nodes), names}),
                   {through, change}});
}

void Document::addQuestionMessages(std::vector<BarMessage>& out) const {
    if (!history()) return;
    auto* self = const_cast<Document*>(this);
    const auto& steps = history()->steps();
    for (std::size_t i = 0; i < steps.size(); ++i)
        for (const Question& question : steps[i].questions) {
            BarMessage message;
            message.key =
                QStringLiteral("question-%1-%2").arg(i).arg(QString::fromStdString(question.optionName));
            message.severity = BarMessage::Severity::question;
            message.text = QString::fromStdString(formatReason(question.text, history()->model()));
            for (const std::string& choice : question.choices) {
                const std::string id = "choice." + steps[i].pass + "." + question.optionName + "." + choice;
                message.links.push_back(
                    {hasMessage(id) ? tx(id) : QString::fromStdString(choice),
                     [self, i, name = question.optionName, choice] { self->setOption(i, name, choice); }});
            }
            if (!question.nodes.empty())
                message.links.push_back({tx("ui.link.show"), [self, node = question.nodes.front()] {
                                             self->select({node.index});
                                         }});
            out.push_back(std::move(message));
        }
}

void Document::addStepMessages(std::vector<BarMessage>& out) const {
    if (!history()) return;
    const auto& steps = history()->steps();
    for (std::size_t i = 0; i < steps.size(); ++i)
        if (steps[i].failure)
            out.push_back({QStringLiteral("failure-%1").arg(i),
                           BarMessage::Severity::error,
                           tx("ui.bar.step-failed", {QString::fromStdString(steps[i].pass),
                                                     QString::fromStdString(steps[i].failure->toString())}),
                           {}});
    for (const Reason& note : history()->notes())
        out.push_back({QStringLiteral("note-") + QString::fromStdString(note.id),
                       BarMessage::Severity::warning,
                       QString::fromStdString(formatReason(note, history()->model())),
                       {}});
}

void Document::addWeightsMessage(std::vector<BarMessage>& out) const {
    if (m_original->file.checkpoint.empty() || !m_session->recipe().weightsPath.empty()) return;
    auto* self = const_cast<Document*>(this);
    const std::string path = m_original->file.checkpoint.string();
    out.push_back({QStringLiteral("weights"),
                   BarMessage::Severity::info,
                   tx("ui.bar.weights", {QFileInfo(QString::fromStdString(path)).fileName()}),
                   {{tx("ui.link.use-weights"), [self, path] { self->setWeights(path); }}}});
}

void Document::addProblemsMessage(std::vector<BarMessage>& out) const {
    std::uint64_t count = 0; // the same that the command line counts, and the panel lists
    bool isError = false, isSerious = false;
    for (const auto* problems : {&m_original->file.problems, &m_original->types.problems()}) {
        count += problems->size();
        for (const Problem& problem : *problems) {
            isSerious = isSerious || problem.severity != Problem::Severity::note;
            isError = isError || problem.severity == Problem::Severity::error;
        }
    }
    if (!isSerious) return;
    auto* self = const_cast<Document*>(this);
    out.push_back({QStringLiteral("problems"),
                   isError ? BarMessage::Severity::error : BarMessage::Severity::warning,
                   tx("ui.bar.problems", {countText(count)}),
                   {{tx("ui.link.problems"), [self] { emit self->problemsRequested(); }}}});
}

} // namespace secateur
