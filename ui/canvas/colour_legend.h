// SPDX-License-Identifier: Apache-2.0
#pragma once

#ifndef Q_MOC_RUN // moc of Qt 6.4 cannot read <concepts>
#include "core/picture/heat.h"
#include "core/picture/theme.h"
#endif

#include <QStringList>
#include <QWidget>

#include <vector>

namespace secateur {

class Document;
class ViewLink;

/// Below the panes: what the fills of titles mean, and, while they mean the kind of operator, what the rails
/// at the left of the cards do. Only what occurs. One line, or two where the rails find no room in it; what
/// does not even then is counted and stands in the tooltip.
class ColourLegend : public QWidget {
    Q_OBJECT
  public:
    ColourLegend(Document& document, ViewLink& link, QWidget* parent = nullptr);
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;
    /// Everything it stands for, also what finds no room.
    [[nodiscard]] QStringList words() const;

  protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

  private:
    struct Entry {
        ThemeRole color = ThemeRole::text;
        QString word;
        char letter = 0; ///< of a role's rail; 0: a fill
    };
    void refresh();
    void addKinds();
    void addRoles(bool isRail);
    [[nodiscard]] bool hasGroups() const; ///< closed ones, drawn as boxes
    /// Title, lowest value, steps, highest value, then what blank means and what the numbers hold for.
    void paintHeat(QPainter& painter) const;
    [[nodiscard]] static int widthOf(const Entry& entry);
    static void paintEntry(QPainter& painter, const Entry& entry, int x, double middle);
    void paintFills(QPainter& painter, int end, double middle) const;
    [[nodiscard]] static int widthOf(const std::vector<Entry>& entries);
    [[nodiscard]] bool needsTwoLines() const;
    void setLines();

    Document& m_document;
    ViewLink& m_link;
    std::vector<Entry> m_fills, m_rails;
    HeatLegend m_heat; ///< while the fills are numbers
    bool m_isHeat = false;
};

} // namespace secateur
