// SPDX-License-Identifier: Apache-2.0
#include "ui/window/message_bar.h"

#include "core/support/text.h"
#include "ui/app_state/document.h"
#include "ui/app_state/strings.h"
#include "ui/theme/icons.h"
#include "ui/theme/theme.h"

#include <QEvent>
#include <QFrame>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QTimer>
#include <QToolButton>

#include <algorithm>
#include <utility>

namespace secateur {

namespace {

constexpr std::size_t kMostLines = 2;
/// Of one message: about four lines of a wide window. What is longer is cut in its middle.
constexpr std::size_t kMostCharacters = 600;

QString shortened(const QString& text) {
    if (text.size() <= static_cast<qsizetype>(kMostCharacters)) return text;
    return qs(elideMiddle(utf8(text), kMostCharacters));
}

QString iconOf(BarMessage::Severity severity) {
    switch (severity) {
    case BarMessage::Severity::info: return QStringLiteral("info");
    case BarMessage::Severity::ok: return QStringLiteral("info");
    case BarMessage::Severity::question: return QStringLiteral("question");
    case BarMessage::Severity::warning: return QStringLiteral("warning");
    case BarMessage::Severity::error: return QStringLiteral("error");
    }
    return {};
}

ThemeRole colorOf(BarMessage::Severity severity) {
    switch (severity) {
    case BarMessage::Severity::info:
    case BarMessage::Severity::question: return ThemeRole::accent;
    case BarMessage::Severity::ok: return ThemeRole::ok;
    case BarMessage::Severity::warning: return ThemeRole::warn;
    case BarMessage::Severity::error: return ThemeRole::error;
    }
    return ThemeRole::accent;
}

/// A line with a bar in the colour of its severity at the left.
class Line : public QFrame {
  public:
    explicit Line(ThemeRole role) {
        setObjectName(QStringLiteral("messageLine"));
        setAutoFillBackground(true);
        setBackgroundRole(QPalette::Base);
        auto* mark = new QFrame;
        mark->setFixedWidth(4);
        mark->setAutoFillBackground(true);
        QPalette palette = mark->palette();
        palette.setColor(QPalette::Window, themeColorOf(role));
        mark->setPalette(palette);
        m_box = new QHBoxLayout(this);
        m_box->setContentsMargins(0, 0, 6, 0);
        m_box->setSpacing(8);
        m_box->addWidget(mark);
    }
    [[nodiscard]] QHBoxLayout* box() const { return m_box; }

  private:
    QHBoxLayout* m_box = nullptr;
};

/// A label as high as its text at the width it gets, and no higher.
class WrappedLabel : public QLabel {
  public:
    explicit WrappedLabel(const QString& text) : QLabel(text) {
        setWordWrap(true);
        setContentsMargins(0, 6, 0, 6);
        setTextInteractionFlags(Qt::LinksAccessibleByMouse | Qt::LinksAccessibleByKeyboard);
        QSizePolicy policy(QSizePolicy::Expanding, QSizePolicy::Preferred);
        policy.setHeightForWidth(true);
        setSizePolicy(policy);
    }
    [[nodiscard]] QSize sizeHint() const override { return {kWide, heightForWidth(kWide)}; }
    [[nodiscard]] QSize minimumSizeHint() const override { return {160, fontMetrics().height() + 12}; }

  private:
    static constexpr int kWide = 1200;
};

} // namespace

MessageBar::MessageBar(Document& document, QWidget* parent) : QWidget(parent), m_document(document) {
    setObjectName(QStringLiteral("messageBar"));
    m_lines = new QVBoxLayout(this);
    m_lines->setContentsMargins(0, 0, 0, 0);
    m_lines->setSpacing(1);
    connect(&document, &Document::messagesChanged, this, &MessageBar::refresh);
    connect(&document, &Document::recipeChanged, this, &MessageBar::refresh);
    connect(&document, &Document::phaseChanged, this, [this] {
        m_isStale = m_isStale || m_showsAll;
        m_showsAll = false;
        refresh();
    });
    refresh();
}

void MessageBar::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() != QEvent::PaletteChange) return;
    m_isStale = true; // signs in the colours of the theme
    refresh();
}

/// Whether two lists of messages look the same.
bool MessageBar::isAsShown(const std::vector<BarMessage>& messages) const {
    return std::equal(messages.begin(), messages.end(), m_messages.begin(), m_messages.end(),
                      [](const BarMessage& a, const BarMessage& b) {
                          return a.key == b.key && a.severity == b.severity && a.text == b.text &&
                                 std::equal(a.links.begin(), a.links.end(), b.links.begin(), b.links.end(),
                                            [](const auto& x, const auto& y) { return x.text == y.text; });
                      });
}

/// Runs a link from the event loop: it may end in the deletion of what was clicked.
void MessageBar::runLater(std::size_t message, std::size_t link) {
    if (message >= m_messages.size() || link >= m_messages[message].links.size()) return;
    QTimer::singleShot(0, this, m_messages[message].links[link].run);
}

void MessageBar::refresh() {
    std::vector<BarMessage> messages = m_document.messages();
    const bool isSame = !m_isStale && isAsShown(messages);
    m_messages = std::move(messages); // what links do may be new where their words are not
    if (isSame) return;
    m_isStale = false;
    while (QLayoutItem* item = m_lines->takeAt(0)) {
        if (item->widget()) {
            item->widget()->hide();
            item->widget()->deleteLater();
        }
        delete item;
    }
    m_texts.clear();
    const std::size_t shown = m_showsAll ? m_messages.size() : std::min(m_messages.size(), kMostLines);
    for (std::size_t i = 0; i < shown; ++i) {
        const bool isLast = i + 1 == shown;
        m_texts.append(shortened(m_messages[i].text));
        m_lines->addWidget(makeLine(i, isLast ? m_messages.size() - shown : 0));
    }
    setVisible(shown > 0);
}

QWidget* MessageBar::makeLine(std::size_t index, std::size_t hidden) {
    const BarMessage& message = m_messages[index];
    auto* line = new Line(colorOf(message.severity));
    auto* sign = new QLabel;
    sign->setPixmap(icon(iconOf(message.severity)).pixmap(16, 16));
    line->box()->addWidget(sign);
    QString text = richText(shortened(message.text));
    const bool isQuestion = message.severity == BarMessage::Severity::question;
    if (!isQuestion)
        for (std::size_t i = 0; i < message.links.size(); ++i)
            text += QStringLiteral("&nbsp; <a href=\"%1\">%2</a>")
                        .arg(QString::number(i), message.links[i].text.toHtmlEscaped());
    auto* label = new WrappedLabel(text);
    connect(label, &QLabel::linkActivated, this,
            [this, index](const QString& which) { runLater(index, which.toUInt()); });
    line->box()->addWidget(label, 1);
    if (isQuestion)
        for (std::size_t link = 0; link < message.links.size(); ++link) {
            auto* button = new QPushButton(message.links[link].text);
            connect(button, &QPushButton::clicked, this, [this, index, link] { runLater(index, link); });
            line->box()->addWidget(button);
        }
    if (hidden > 0) {
        auto* more = new QPushButton(tx("ui.bar.more", {QString::number(hidden)}));
        more->setFlat(true);
        connect(more, &QPushButton::clicked, this, [this] {
            m_showsAll = m_isStale = true;
            QTimer::singleShot(0, this, &MessageBar::refresh);
        });
        line->box()->addWidget(more);
    }
    auto* close = new QToolButton;
    close->setIcon(icon(QStringLiteral("close")));
    close->setAutoRaise(true);
    close->setToolTip(tx("ui.bar.dismiss"));
    close->setAccessibleName(tx("ui.bar.dismiss"));
    close->setMinimumSize(24, 24);
    connect(close, &QToolButton::clicked, this, [this, key = message.key] {
        QTimer::singleShot(0, this, [this, key] { m_document.dismiss(key); });
    });
    line->box()->addWidget(close, 0, Qt::AlignVCenter);
    return line;
}

bool MessageBar::trigger(const QString& linkText) {
    for (const BarMessage& message : m_document.messages())
        for (const BarMessage::Link& link : message.links)
            if (link.text == linkText) {
                link.run();
                return true;
            }
    return false;
}

} // namespace secateur
