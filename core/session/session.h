// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/session/history.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace secateur {

/// A person's work on one model: the original, the recipe as an undoable document, and the history it gives.
/// Belongs to one thread; only History::run is meant for workers, with the result handed back through
/// `setHistory`.
class Session {
  public:
    explicit Session(std::shared_ptr<const Original> original);

    [[nodiscard]] const std::shared_ptr<const Original>& original() const { return m_original; }
    [[nodiscard]] const Recipe& recipe() const { return m_recipe; }
    /// One undoable edit of the recipe. `what` is a message id, shown as "Undo <what>". False when nothing
    /// changes.
    bool edit(std::string what, const std::function<void(Recipe&)>& change);
    [[nodiscard]] bool canUndo() const;
    [[nodiscard]] bool canRedo() const;
    [[nodiscard]] std::string undoText() const; ///< message id
    [[nodiscard]] std::string redoText() const;
    bool undo();
    bool redo();
    /// The recipe as it is saved to a file: with what its run chose and counted where that is current.
    [[nodiscard]] Recipe recipeToSave() const;
    /// Has the recipe changed since it was saved (or opened)?
    [[nodiscard]] bool isModified() const;
    void markSaved();

    /// The history of the recipe; null until one was run. `isCurrent` says whether it belongs to the recipe
    /// as it is.
    [[nodiscard]] History* history() { return m_history.get(); }
    [[nodiscard]] const History* history() const { return m_history.get(); }
    [[nodiscard]] bool isCurrent() const;
    void setHistory(std::unique_ptr<History> history);
    /// Gives the history away, for another thread to free: that of a large model takes tens of milliseconds.
    [[nodiscard]] std::unique_ptr<History> takeHistory() { return std::move(m_history); }

  private:
    struct Change {
        std::string what;
        Recipe before, after;
    };
    std::shared_ptr<const Original> m_original;
    Recipe m_recipe, m_saved;
    std::vector<Change> m_changes;
    std::size_t m_position = 0; ///< changes before it are done, those after it undone
    std::unique_ptr<History> m_history;
};

} // namespace secateur
