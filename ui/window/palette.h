// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QFrame>
#include <QPointer>
#include <QString>

#include <functional>
#include <vector>

class QLineEdit;
class QListWidget;

namespace secateur {

/// One line of a palette.
struct PaletteEntry {
    QString text;
    QString detail; ///< at the right: a shortcut, a kind
    QString reason; ///< why it cannot be chosen now; empty: it can
    bool isChecked = false;
    std::function<void()> run;
};

/// A field over the window with the answers to what is typed in it. By keys alone: arrows and page keys walk,
/// Enter chooses and closes, Escape closes and gives the focus back.
class Palette : public QFrame {
    Q_OBJECT
  public:
    /// The answers to a query, best first.
    using Source = std::function<std::vector<PaletteEntry>(const QString& query)>;

    /// A child of the window that it covers.
    explicit Palette(QWidget* window);
    void open(const QString& hint, Source source);
    [[nodiscard]] QLineEdit& field() { return *m_field; }
    [[nodiscard]] QListWidget& list() { return *m_list; }

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    void fill();
    void place();
    void walk(int lines);
    void choose();
    void leave();

    QLineEdit* m_field = nullptr;
    QListWidget* m_list = nullptr;
    Source m_source;
    std::vector<PaletteEntry> m_entries;
    QPointer<QWidget> m_before; ///< what had the focus
};

} // namespace secateur
