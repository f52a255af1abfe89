// SPDX-License-Identifier: Apache-2.0
#pragma once

#ifndef Q_MOC_RUN // moc of Qt 6.4 cannot read <concepts>
#include "core/picture/heat.h"
#include "core/picture/picture_head.h"
#include "core/picture/theme.h"
#include "ui/canvas/list_painter.h"
#endif

#include <QPoint>
#include <QRect>
#include <QStringList>
#include <QWidget>

#include <optional>
#include <vector>

namespace secateur {

class Document;
class History;
class ViewLink;

/// Below the panes: what the fills of titles mean, while they mean the kind of operator what the rails at the
/// left of the cards do, and then all other signs: outlines, hatching, badges, rings, lines. Only what
/// occurs, in as many lines as it takes at this width: a legend that is cut explains nothing. Where the signs
/// would take more lines than the graph can spare they are in the tooltip alone.
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
        char letter = 0;                                      ///< of a role's rail; 0: a fill
        std::optional<PictureHead::Sign> sign = std::nullopt; ///< in place of both
    };
    void refresh();
    [[nodiscard]] QStringList allWords() const;
    void addKinds();
    void addRoles(bool isRail);
    void addSigns();
    void addSignsOf(Pane pane);
    void keepLooks(const std::vector<Entry>& before);
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
    void paintEntry(QPainter& painter, const Entry& entry, int x, double middle);
    void setLines();

    Document& m_document;
    ViewLink& m_link;
    std::vector<Entry> m_fills, m_rails, m_signs;
    bool m_hasRoomForSigns = true;
    const History* m_history = nullptr; ///< that m_signs is of; only compared
    ListPainter m_painter;
    DisplayList m_list;
    HeatLegend m_heat; ///< while the fills are numbers
    bool m_isHeat = false;
};

} // namespace secateur
