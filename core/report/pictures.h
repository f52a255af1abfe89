// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/picture/picture_state.h"
#include "core/picture/theme.h"
#include "core/report/report.h"
#include "core/session/history.h"

#include <memory>
#include <string>

namespace secateur {

/// Fills in the pictures of a report. The cursor of `history` is moved and put back.
void drawPictures(History& history, Report& report);

/// The laid out union of a model and its steps, to be drawn as often as wanted.
class GraphPicture {
  public:
    /// `history` may be null: the original alone.
    GraphPicture(const Original& original, History* history);
    ~GraphPicture();
    GraphPicture(const GraphPicture&) = delete;
    GraphPicture& operator=(const GraphPicture&) = delete;

    /// One pane at 100 % as an SVG document.
    [[nodiscard]] std::string svg(Pane pane, ThemeKind theme, const std::string& title) const;
    /// The whole graph for Graphviz.
    [[nodiscard]] std::string dot(Pane pane, const std::string& title) const;

  private:
    struct Parts;
    std::unique_ptr<Parts> m_parts;
};

} // namespace secateur
