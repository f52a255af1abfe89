// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layout/layout_plan.h"

namespace secateur {

/// The pieces of accumulators and optimizer of one container, packed into rows at the right of its ranks: in
/// one column, each beside the gradient that it takes, where that is not taller than the ranks; else in as
/// many columns as that needs, in the order of the gradients.
class UpdateArea {
  public:
    UpdateArea(layout_plan::Plan& plan, std::uint32_t container);

    /// Chooses rows and x. `left`: where the columns before it end.
    void placeAcross(double left);
    /// Gives the pieces their y, beside the rows of the container. Returns the bottom of the area.
    double placeDown();
    [[nodiscard]] double right() const { return m_right; }
    [[nodiscard]] bool isEmpty() const { return m_pieces.empty(); }

  private:
    /// Target `target` of side `side` leads to the piece.
    struct Entry {
        std::uint32_t side = 0;
        std::uint32_t target = 0;
    };
    struct Piece {
        std::uint32_t container = 0;
        std::uint32_t unit = 0;
        std::uint32_t sourceRank = 0;
        std::uint32_t order = 0;
        std::vector<Entry> entries;
    };
    struct Row {
        std::size_t first = 0, end = 0;
        double height = 0;
        double room = 0; ///< above the pieces, for edges
    };

    void collectPieces();
    [[nodiscard]] double heightOf(std::size_t columns) const;
    [[nodiscard]] double rowsHeight() const;
    void makeRows(std::size_t columns);
    void placeColumns(double left);
    void markDirect(const Piece& piece);
    void runAbove();
    void placeChannel();
    [[nodiscard]] layout_plan::Side::Target& targetOf(const Entry& entry) const {
        return m_plan.sides[entry.side].to[entry.target];
    }

    layout_plan::Plan& m_plan;
    layout_plan::Container& m_container;
    std::vector<Piece> m_pieces;
    std::vector<Row> m_rows;
    std::vector<std::uint32_t> m_sides; ///< sides that lead to pieces
    double m_left = 0;                  ///< of the channel in front of the area
    double m_channel = 0;               ///< its width
    double m_right = 0;
};

} // namespace secateur
