// SPDX-License-Identifier: Apache-2.0
#pragma once

#ifndef Q_MOC_RUN // moc of Qt 6.4 cannot read <concepts>
#include "ui/app_state/bar_message.h"
#endif

#include <QWidget>

class QVBoxLayout;

namespace secateur {

class Document;

/// What the window has to say, above the panes and never in the way: at most two lines, the rest behind "n
/// more".
class MessageBar : public QWidget {
    Q_OBJECT
  public:
    explicit MessageBar(Document& document, QWidget* parent = nullptr);
    /// The sentences shown now, for tests.
    [[nodiscard]] QStringList texts() const { return m_texts; }
    /// Runs the link with this text of any message; false when there is none.
    bool trigger(const QString& linkText);

  protected:
    void changeEvent(QEvent* event) override;

  private:
    void refresh();
    [[nodiscard]] bool isAsShown(const std::vector<BarMessage>& messages) const;
    void runLater(std::size_t message, std::size_t link);
    QWidget* makeLine(std::size_t index, std::size_t hidden);

    Document& m_document;
    QVBoxLayout* m_lines = nullptr;
    std::vector<BarMessage> m_messages; ///< all there are, those behind "n more" as well
    QStringList m_texts;
    bool m_showsAll = false;
    bool m_isStale = true; ///< lines have to be made anew though the messages are the same
};

} // namespace secateur
