// SPDX-License-Identifier: Apache-2.0
#include "ui/app_state/check.h"

#include "core/exec/own_inputs.h"
#include "core/support/text.h"
#include "ui/app_state/document.h"
#include "ui/app_state/strings.h"

#include <QCoreApplication>
#include <QStringList>

#include <algorithm>

namespace secateur {
namespace {

/// Edge cases after the random inputs are begun within this time, so that a small machine answers soon.
constexpr double kEdgeSeconds = 8;
/// A check begins by itself where one run of both models is estimated to take less than this.
constexpr double kAutomaticSeconds = 2;
/// Edits that follow each other closely start one check, not many.
constexpr int kQuietMs = 300;

const QString kKey = QStringLiteral("check"), kInputsKey = QStringLiteral("check-inputs");

std::filesystem::path workerProgram() {
    return std::filesystem::path(utf8(QCoreApplication::applicationDirPath())) / "secateur-cli";
}

} // namespace

Check::Check(Document& document, QObject* parent) : QObject(parent), m_document(document) {
    m_soon.setSingleShot(true);
    m_soon.setInterval(kQuietMs);
    connect(&m_soon, &QTimer::timeout, this, &Check::startByItself);
    for (const auto signal : {&Document::historyChanged, &Document::recipeChanged, &Document::phaseChanged}) {
        connect(&document, signal, this, &Check::forgetIfStale);
        connect(&document, signal, &m_soon, qOverload<>(&QTimer::start));
    }
    connect(&document.work(), &Work::changed, this, &Check::changed);
}

bool Check::isRunning() const {
    return m_document.work().isBusy(Work::Kind::checking);
}

void Check::start() {
    if (m_document.history() == nullptr || m_document.session() == nullptr) return;
    begin(true);
}

void Check::begin(bool isAsked) {
    m_soon.stop();
    m_verdict.reset();
    m_waitsForSeconds = 0;
    m_document.dismiss(kKey);
    m_checked = m_document.session()->recipe();
    m_checkedOriginal = m_document.session()->original();
    VerificationScope scope;
    scope.own = m_own;
    if (!isAsked) scope.mostSeconds = kAutomaticSeconds;
    m_document.work().start<Result<Verification>>(
        Work::Kind::checking, tx("ui.work.check"),
        [original = m_checkedOriginal, recipe = m_checked, scope](const WorkContext& work) {
            return verifyInWorker(original, recipe, workerProgram(), kEdgeSeconds, work, scope);
        },
        [this, isAsked](const Result<Verification>& found) { finish(found, isAsked); },
        [this] { emit changed(); });
    emit changed();
}

/// Once for each recipe: what a person cancelled does not begin again.
void Check::startByItself() {
    const Session* session = m_document.session();
    if (!m_isAutomatic || session == nullptr || m_document.phase() != Document::Phase::ready) return;
    if (m_document.history() == nullptr || m_document.needsTarget() || !session->isCurrent()) return;
    if (m_document.work().isBusy(Work::Kind::model) || isRunning()) return;
    if (session->original() == m_checkedOriginal && session->recipe() == m_checked) return;
    const auto& steps = m_document.history()->steps();
    const bool changes =
        std::any_of(steps.begin(), steps.end(), [](const Step& step) { return !step.records.empty(); });
    if (changes) begin(false);
}

void Check::setAutomatic(bool on) {
    if (m_isAutomatic == on) return;
    m_isAutomatic = on;
    if (on) m_soon.start();
    emit automaticChanged(on);
    emit changed();
}

void Check::useInputs(const QStringList& paths) {
    if (m_document.original() == nullptr || m_document.history() == nullptr) return;
    std::vector<std::filesystem::path> files;
    for (const QString& path : paths)
        files.emplace_back(utf8(path));
    auto own = ownInputsOf(files, m_document.original()->file.model);
    if (!own) {
        m_document.say({kInputsKey,
                        BarMessage::Severity::error,
                        tx("ui.check.inputs-refused", {qs(own.error().toString())}),
                        {}});
        return;
    }
    m_own = std::move(*own);
    m_ownOriginal = m_document.session()->original();
    QStringList names;
    for (const OwnInputs& set : m_own) {
        if (!set.folder.empty()) names.append(nameText(set.folder.filename().string()));
        for (const auto& file : set.files)
            names.append(QStringLiteral("`%1`").arg(nameText(file.first)));
    }
    m_document.say({kInputsKey,
                    BarMessage::Severity::info,
                    tx("ui.check.inputs-used", {listText(names)}),
                    {{tx("ui.check.inputs-forget"), [this] { forgetInputs(); }}}});
    start();
}

void Check::forgetInputs() {
    m_own.clear();
    m_ownOriginal.reset();
    m_document.dismiss(kInputsKey);
    forget();
    m_checkedOriginal.reset(); // what is left may be checked by itself
    m_soon.start();
}

const Verification* Check::verdictOf(std::size_t step) const {
    if (!m_verdict) return nullptr;
    for (const StepVerdict& verdict : m_verdict->steps)
        if (verdict.step == step) return &verdict.found;
    return nullptr;
}

const Verification* Check::verdictAtCursor() const {
    const History* history = m_document.history();
    if (!m_verdict || history == nullptr || history->cursor() == 0) return nullptr;
    const std::size_t cursor = history->cursor();
    return cursor == history->steps().size() ? &*m_verdict : verdictOf(cursor - 1);
}

void Check::findCulprits() {
    const Session* session = m_document.session();
    if (session == nullptr || !m_verdict || session->recipe() != m_checked || isRunning()) return;
    m_document.dismiss(kKey);
    m_document.work().start<Result<Blame>>(
        Work::Kind::checking, tx("ui.work.find-culprits"),
        [original = m_checkedOriginal, recipe = m_checked, own = m_own](const WorkContext& work) {
            return findCulpritsInWorker(original, recipe, workerProgram(), kEdgeSeconds, work, own);
        },
        [this](const Result<Blame>& found) { finishSearch(found); },
        [this] {
            if (m_verdict) m_document.say(messageAbout(*m_verdict)); // the difference is still there
            emit changed();
        });
    emit changed();
}

/// Saving the recipe changes nothing in it, and running it again neither.
void Check::forgetIfStale() {
    const Session* session = m_document.session();
    if (session == nullptr || session->original() != m_ownOriginal) {
        m_own.clear();
        m_ownOriginal.reset();
        m_document.dismiss(kInputsKey);
    }
    if (session == nullptr || session->original() != m_checkedOriginal || session->recipe() != m_checked) {
        forget();
        m_checkedOriginal.reset();
    }
}

void Check::forget() {
    m_document.work().drop(Work::Kind::checking);
    if (!m_verdict && m_waitsForSeconds == 0) return;
    m_waitsForSeconds = 0;
    m_verdict.reset();
    m_document.dismiss(kKey);
    emit changed();
}

void Check::finish(const Result<Verification>& found, bool isAsked) {
    using Status = Verification::Status;
    if (found && found->estimatedSeconds > kAutomaticSeconds)
        m_waitsForSeconds = found->estimatedSeconds;
    else if (found)
        m_verdict = *found;
    emit changed();
    if (!m_verdict) return;
    if (found->isGood()) return;
    // What nobody asked for and cannot be done is no news: the strip says it.
    if (!isAsked && found->status == Status::notChecked) return;
    // What failed, or could not be done, does not hide in the strip.
    m_document.say(messageAbout(*found));
}

BarMessage Check::messageAbout(const Verification& verdict) {
    BarMessage told;
    told.key = kKey;
    const bool isSound =
        verdict.status == Verification::Status::sameBits || verdict.status == Verification::Status::within;
    if (isSound && verdict.second) {
        told.severity = BarMessage::Severity::warning;
        told.text = tx("ui.check.second-differs",
                       {qs(verdict.text()), qs(verdict.judge), qs(verdict.second->text(verdict.tolerance))});
        return told;
    }
    if (verdict.status != Verification::Status::differs) {
        told.severity = BarMessage::Severity::warning;
        told.text = tx("ui.check.not-possible", {qs(verdict.reason)});
        return told;
    }
    told.severity = BarMessage::Severity::error;
    told.text = tx("ui.check.differs", {qs(verdict.text()), qs(verdict.judge), qs(verdict.baseline)});
    told.links.push_back(
        {tx("ui.check.show"), [this, where = qs(verdict.where)] { emit showRequested(where); }});
    told.links.push_back({tx("ui.check.find-culprits"), [this] { findCulprits(); }});
    return told;
}

void Check::finishSearch(const Result<Blame>& found) {
    emit changed();
    if (!found) return;
    QStringList words;
    for (const std::string& line : found->words())
        words.append(qs(line));
    BarMessage told;
    told.key = kKey;
    told.severity = found->isResolved() ? BarMessage::Severity::info : BarMessage::Severity::error;
    told.text = words.join(QStringLiteral("; "));
    if (!found->culprits.empty()) {
        const QString where = qs(found->culprits.front().difference.where);
        told.links.push_back({tx("ui.check.show"), [this, where] { emit showRequested(where); }});
    }
    if (found->isResolved()) {
        told.text = tx("ui.check.left-out", {told.text, qs(found->verdict.text())});
        told.links.push_back({tx("ui.check.undo"), [this] { m_document.undo(); }});
        m_checked = found->without;
        m_verdict = found->verdict;
        m_document.setRecipe(found->without, "ui.edit.leave-out");
    }
    m_document.say(std::move(told));
    emit changed();
}

QString Check::details() const {
    if (m_waitsForSeconds > 0)
        return tx("ui.check.waits",
                  {qs(formatSeconds(m_waitsForSeconds)), qs(formatSeconds(kAutomaticSeconds))});
    if (!m_verdict) return tx("ui.check.what");
    if (m_verdict->status == Verification::Status::notChecked) return qs(m_verdict->reason);
    QStringList lines{qs(m_verdict->text()),
                      tx("ui.check.details", {qs(m_verdict->judge), qs(m_verdict->baseline)})};
    for (const std::string& inputs : m_verdict->inputs)
        lines.append(QStringLiteral("\u2022 ") + qs(inputs));
    for (const std::string& skipped : m_verdict->skipped)
        lines.append(qs(skipped));
    if (const std::string moved = m_verdict->modeChangeText(); !moved.empty()) lines.append(qs(moved));
    if (m_verdict->second) lines.append(qs(m_verdict->second->text(m_verdict->tolerance)));
    return lines.join(QLatin1Char('\n'));
}

QString Check::detailsOf(const Verification& step) {
    QStringList lines{qs(step.text())};
    using Status = Verification::Status;
    if (!step.judge.empty()) lines.append(tx("ui.check.details", {qs(step.judge), qs(step.baseline)}));
    if (step.status == Status::exactByRule || step.status == Status::notChecked)
        lines.append(qs(step.reason));
    return lines.join(QLatin1Char('\n'));
}

} // namespace secateur
