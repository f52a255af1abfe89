// SPDX-License-Identifier: Apache-2.0
#include "ui/canvas/target_chooser.h"

#include "core/picture/model_text.h"
#include "ui/app_state/document.h"
#include "ui/app_state/strings.h"
#include "ui/fonts/bundled_fonts.h"
#include "ui/theme/theme.h"

#include <QCheckBox>
#include <QEvent>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QVBoxLayout>

#include <algorithm>

namespace secateur {

namespace {

/// More are of no help to a person, who can still type any name.
constexpr std::size_t kMostCandidates = 12;

constexpr const char* kIndexProperty = "candidate";

} // namespace

TargetChooser::TargetChooser(Document& document, QWidget* parent) : QWidget(parent), m_document(document) {
    setObjectName(QStringLiteral("targetChooser"));
    auto* outer = new QVBoxLayout(this);
    outer->setContentsMargins(12, 12, 12, 12);
    outer->setSpacing(8);
    m_title = new QLabel(tx("ui.chooser.title"));
    m_title->setFont(fontOf(FontFace::SansBold, 15));
    m_title->setWordWrap(true);
    auto* hint = new QLabel(tx("ui.chooser.hint"));
    hint->setWordWrap(true);
    outer->addWidget(m_title);
    outer->addWidget(hint);

    auto* list = new QWidget;
    m_rows = new QVBoxLayout(list);
    m_rows->setContentsMargins(0, 0, 0, 0);
    m_rows->setSpacing(6);
    auto* scroll = new QScrollArea;
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setWidgetResizable(true);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setWidget(list);
    outer->addWidget(scroll, 1);

    m_other = new QLineEdit;
    m_other->setPlaceholderText(tx("ui.chooser.other"));
    m_other->setClearButtonEnabled(true);
    m_other->setAccessibleName(tx("ui.chooser.other"));
    m_otherNote = new QLabel;
    m_otherNote->setWordWrap(true);
    m_otherNote->hide();
    outer->addWidget(m_other);
    outer->addWidget(m_otherNote);
    m_use = new QPushButton(tx("ui.chooser.use"));
    m_use->setObjectName(QStringLiteral("useTargets"));
    m_use->setDefault(true);
    m_cancel = new QPushButton(tx("ui.chooser.cancel"));
    auto* buttons = new QHBoxLayout;
    buttons->addStretch();
    buttons->addWidget(m_cancel);
    buttons->addWidget(m_use);
    outer->addLayout(buttons);

    connect(m_other, &QLineEdit::textChanged, this, &TargetChooser::updateUse);
    connect(m_other, &QLineEdit::returnPressed, this, &TargetChooser::use);
    connect(m_use, &QPushButton::clicked, this, &TargetChooser::use);
    connect(m_cancel, &QPushButton::clicked, this, [this] {
        m_document.previewTarget(ValueId());
        emit cancelled();
    });
    connect(&m_document, &Document::historyChanged, this, &TargetChooser::rebuild);
    connect(&m_document, &Document::recipeChanged, this, &TargetChooser::rebuild);
    rebuild();
}

void TargetChooser::showEvent(QShowEvent* event) {
    if (m_isStale) rebuild();
    QWidget::showEvent(event);
}

void TargetChooser::rebuild() {
    // Most runs of a recipe ask nothing: the rows are made when they are seen.
    m_isStale = !isVisible();
    if (m_isStale) return;
    for (QCheckBox* tick : m_ticks)
        tick->disconnect(this);
    m_ticks.clear();
    while (QLayoutItem* item = m_rows->takeAt(0)) {
        if (item->widget()) item->widget()->deleteLater();
        delete item;
    }
    m_other->clear();
    if (!m_document.original()) return;
    const auto& candidates = m_document.original()->targets.candidates;
    for (std::size_t i = 0; i < std::min(candidates.size(), kMostCandidates); ++i)
        m_rows->addWidget(makeRow(i));
    m_rows->addStretch();
    setFocusProxy(m_ticks.empty() ? static_cast<QWidget*>(m_other) : m_ticks.front());
    m_cancel->setVisible(!m_document.needsTarget());
    updateUse();
}

QWidget* TargetChooser::makeRow(std::size_t candidate) {
    const TargetCandidate& c = m_document.original()->targets.candidates[candidate];
    const Model& model = m_document.original()->file.model;
    auto* row = new QFrame;
    row->setObjectName(QStringLiteral("candidate"));
    row->setFrameShape(QFrame::StyledPanel);
    row->setAutoFillBackground(true);
    row->setBackgroundRole(QPalette::Base);
    row->setProperty(kIndexProperty, static_cast<int>(candidate));
    row->installEventFilter(this);
    auto* tick = new QCheckBox(nameText(model.name(c.value)).replace(QLatin1Char('&'), QStringLiteral("&&")));
    tick->setFont(fontOf(FontFace::MonoRegular, 13));
    tick->setProperty(kIndexProperty, static_cast<int>(candidate));
    tick->installEventFilter(this);
    const auto& chosen = m_document.session()->recipe().targets;
    const auto& clear = m_document.original()->targets.clear;
    tick->setChecked(chosen.empty() ? std::find(clear.begin(), clear.end(), c.value) != clear.end()
                                    : std::find(chosen.begin(), chosen.end(),
                                                std::string(model.name(c.value))) != chosen.end());
    connect(tick, &QCheckBox::toggled, this, &TargetChooser::updateUse);
    m_ticks.push_back(tick);
    auto* facts = new QLabel(
        tx("ui.chooser.facts", {QString::number(c.score, 'f', 2),
                                QString::fromStdString(typeText(m_document.original()->types, c.value)),
                                countText(c.keptNodes)}));
    facts->setFont(fontOf(FontFace::SansRegular, 12));
    facts->setWordWrap(true);
    QString reasons;
    for (const Reason& reason : c.evidence) {
        if (!reasons.isEmpty()) reasons += QStringLiteral("; ");
        reasons += QString::fromStdString(formatReason(reason, model));
    }
    auto* evidence = new QLabel(richText(reasons));
    evidence->setFont(fontOf(FontFace::SansRegular, 12));
    evidence->setWordWrap(true);
    auto* box = new QVBoxLayout(row);
    box->setContentsMargins(8, 6, 8, 6);
    box->setSpacing(2);
    box->addWidget(tick);
    box->addWidget(facts);
    if (!reasons.isEmpty()) box->addWidget(evidence);
    return row;
}

bool TargetChooser::eventFilter(QObject* watched, QEvent* event) {
    const bool isPointing = event->type() == QEvent::Enter || event->type() == QEvent::FocusIn;
    const bool isLeaving = event->type() == QEvent::Leave && !qobject_cast<QCheckBox*>(watched);
    if (isPointing && m_document.original()) {
        const auto index = static_cast<std::size_t>(watched->property(kIndexProperty).toInt());
        if (index < m_document.original()->targets.candidates.size())
            m_document.previewTarget(m_document.original()->targets.candidates[index].value);
    } else if (isLeaving) {
        m_document.previewTarget(ValueId());
    }
    return QWidget::eventFilter(watched, event);
}

void TargetChooser::updateUse() {
    const bool hasTick =
        std::any_of(m_ticks.begin(), m_ticks.end(), [](const QCheckBox* tick) { return tick->isChecked(); });
    m_use->setEnabled(hasTick || !m_other->text().trimmed().isEmpty());
    m_otherNote->hide();
}

void TargetChooser::use() {
    if (!m_document.original()) return;
    const Model& model = m_document.original()->file.model;
    std::vector<std::string> names;
    const QString other = m_other->text().trimmed();
    if (!other.isEmpty()) {
        std::vector<std::string> nearest;
        if (resolveTarget(model, utf8(other), nearest).isNone()) {
            QStringList like;
            for (const std::string& name : nearest)
                like.append(QLatin1Char('`') + nameText(name) + QLatin1Char('`'));
            m_otherNote->setText(richText(
                like.isEmpty() ? tx("ui.chooser.unknown", {other})
                               : tx("ui.chooser.unknown-like", {other, like.join(QStringLiteral(", "))})));
            m_otherNote->show();
            return;
        }
        names.push_back(utf8(other));
    }
    for (std::size_t i = 0; i < m_ticks.size(); ++i)
        if (m_ticks[i]->isChecked())
            names.emplace_back(model.name(m_document.original()->targets.candidates[i].value));
    if (names.empty()) return;
    m_document.chooseTargets(names);
    emit chosen();
}

} // namespace secateur
