// SPDX-License-Identifier: Apache-2.0
#include "ui/app_state/check.h"

#include "ui/app_state/document.h"
#include "ui/app_state/strings.h"

#include <QCoreApplication>
#include <QStringList>

namespace secateur {
namespace {

/// Edge cases after the random inputs are begun within this time, so that a small machine answers soon.
constexpr double kEdgeSeconds = 5;

const QString kKey = QStringLiteral("check");

std::filesystem::path workerProgram() {
    return std::filesystem::path(utf8(QCoreApplication::applicationDirPath())) / "secateur-cli";
}

} // namespace

Check::Check(Document& document, QObject* parent) : QObject(parent), m_document(document) {
    connect(&document, &Document::historyChanged, this, &Check::forgetIfStale);
    connect(&document, &Document::recipeChanged, this, &Check::forgetIfStale);
    connect(&document.work(), &Work::changed, this, &Check::changed);
}

bool Check::isRunning() const {
    return m_document.work().isBusy(Work::Kind::checking);
}

void Check::start() {
    if (m_document.history() == nullptr || m_document.session() == nullptr) return;
    m_verdict.reset();
    m_document.dismiss(kKey);
    m_checked = m_document.session()->recipe();
    m_checkedOriginal = m_document.session()->original();
    m_document.work().start<Result<Verification>>(
        Work::Kind::checking, tx("ui.work.check"),
        [original = m_document.session()->original(),
         recipe = m_document.session()->recipe()](const WorkContext& work) {
            return verifyInWorker(original, recipe, workerProgram(), kEdgeSeconds, work);
        },
        [this](const Result<Verification>& found) { finish(found); }, [this] { emit changed(); });
    emit changed();
}

void Check::findCulprits() {
    const Session* session = m_document.session();
    if (session == nullptr || session->recipe() != m_checked || isRunning()) return;
    m_document.dismiss(kKey);
    m_document.work().start<Result<Blame>>(
        Work::Kind::checking, tx("ui.work.find-culprits"),
        [original = m_checkedOriginal, recipe = m_checked](const WorkContext& work) {
            return findCulpritsInWorker(original, recipe, workerProgram(), kEdgeSeconds, work);
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
    if (session == nullptr || session->original() != m_checkedOriginal || session->recipe() != m_checked)
        forget();
}

void Check::forget() {
    m_document.work().drop(Work::Kind::checking);
    if (!m_verdict) return;
    m_verdict.reset();
    m_document.dismiss(kKey);
    emit changed();
}

void Check::finish(const Result<Verification>& found) {
    if (found) m_verdict = *found;
    emit changed();
    if (!found) return;
    using Status = Verification::Status;
    if (found->status == Status::sameBits || found->status == Status::within) return;
    // What failed, or could not be done, does not hide in the strip.
    m_document.say(messageAbout(*found));
}

BarMessage Check::messageAbout(const Verification& verdict) {
    BarMessage told;
    told.key = kKey;
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
    if (!m_verdict) return tx("ui.check.what");
    if (m_verdict->status == Verification::Status::notChecked) return qs(m_verdict->reason);
    QStringList lines{tx("ui.check.details", {qs(m_verdict->judge), qs(m_verdict->baseline)})};
    for (const std::string& inputs : m_verdict->inputs)
        lines.append(QStringLiteral("\u2022 ") + qs(inputs));
    for (const std::string& skipped : m_verdict->skipped)
        lines.append(qs(skipped));
    return lines.join(QLatin1Char('\n'));
}

} // namespace secateur
