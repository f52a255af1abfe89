// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/picture/export_picture.h"
#include "core/report/report.h"
#include "core/session/history.h"

#include <memory>
#include <string>
#include <vector>

namespace secateur {

/// Fills in the pictures of a report. The cursor of `history` is moved and put back.
void drawPictures(History& history, Report& report);

/// The laid out union of a model and its steps, to be drawn as often as wanted.
class GraphPicture {
  public:
    /// `history` may be null: the original alone. `graph`: the main graph, or the body of a node, or a
    /// function.
    GraphPicture(const Original& original, History* history, GraphId graph = GraphId(0U));
    ~GraphPicture();
    GraphPicture(const GraphPicture&) = delete;
    GraphPicture& operator=(const GraphPicture&) = delete;

    /// Opens groups as openGroups() has it (core/layout/open_groups.h), besides those open at first.
    [[nodiscard]] Result<void> open(const std::vector<std::string>& words);
    /// Colours the titles by numbers from now on, when the options ask for heat.
    void setHeat(HeatKind kind);

    /// The options decide pane, theme and title; see core/picture/export_picture.h.
    [[nodiscard]] std::string svg(const ExportOptions& options) const;
    [[nodiscard]] std::string dot(const ExportOptions& options) const;
    [[nodiscard]] DisplayList list(const ExportOptions& options) const;

  private:
    struct Parts;
    void layOut();
    [[nodiscard]] ExportSource source() const;
    std::unique_ptr<Parts> m_parts;
};

} // namespace secateur
