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
    connect(&document, &Document::historyChanged, this, &Check::forget);
    connect(&document, &Document::recipeChanged, this, [this] {
        // Saving it changes nothing in it.
        if (m_document.session() == nullptr || m_document.session()->recipe() != m_checked) forget();
    });
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
    m_document.work().start<Result<Verification>>(
        Work::Kind::checking, tx("ui.work.check"),
        [original = m_document.session()->original(),
         recipe = m_document.session()->recipe()](const WorkContext& work) {
            return verifyInWorker(original, recipe, workerProgram(), kEdgeSeconds, work);
        },
        [this](const Result<Verification>& found) { finish(found); }, [this] { emit changed(); });
    emit changed();
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
    BarMessage told;
    told.key = kKey;
    const bool hasFailed = found->status == Status::differs;
    told.severity = hasFailed ? BarMessage::Severity::error : BarMessage::Severity::warning;
    told.text = hasFailed ? tx("ui.check.differs", {qs(found->text()), qs(found->judge), qs(found->baseline)})
                          : tx("ui.check.not-possible", {qs(found->reason)});
    if (hasFailed)
        told.links.push_back(
            {tx("ui.check.show"), [this, where = qs(found->where)] { emit showRequested(where); }});
    m_document.say(std::move(told));
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
