// SPDX-License-Identifier: Apache-2.0
#pragma once

#ifndef Q_MOC_RUN // moc of Qt 6.4 cannot read <concepts>
#include "core/picture/heat.h"
#include "core/picture/theme.h"
#endif

#include <QPoint>
#include <QRect>
#include <QStringList>
#include <QWidget>

#include <vector>

namespace secateur {

class Document;
class ViewLink;

/// Below the panes: what the fills of titles mean, and, while they mean the kind of operator, what the rails
/// at the left of the cards do. Only what occurs, in as many lines as it takes at this width: a legend that
/// is cut explains nothing.
class ColourLegend : public QWidget {
    Q_OBJECT
  public:
    ColourLegend(Document& document, ViewLink& link, QWidget* parent = nullptr);
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;
    /// Everything it stands for.
    [[nodiscard]] QStringList words() const;
    /// Where each of its parts stands, in the order of words(); of a heat map title, scale and notes.
    [[nodiscard]] std::vector<QRect> places() const;

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
    /// Something that is not broken over two lines: an entry, or of a heat map a text or the scale.
    struct Part {
        int width = 0;
        const Entry* entry = nullptr;
        QString text; ///< where there is no entry; of the scale the text at its low end
        ThemeRole color = ThemeRole::muted;
        bool isScale = false;
        QPoint at; ///< left end, middle
    };
    [[nodiscard]] std::vector<Part> parts() const;
    [[nodiscard]] int stepWidth() const;
    [[nodiscard]] std::vector<Part> heatParts() const;
    /// Puts parts into lines; the rails into the last one, at its right, where they find room in it.
    void place(std::vector<Part>& parts) const;
    void paintScale(QPainter& painter, const Part& part) const;
    [[nodiscard]] static int widthOf(const Entry& entry);
    static void paintEntry(QPainter& painter, const Entry& entry, int x, double middle);
    void setLines();

    Document& m_document;
    ViewLink& m_link;
    std::vector<Entry> m_fills, m_rails;
    HeatLegend m_heat; ///< while the fills are numbers
    bool m_isHeat = false;
};

} // namespace secateur
