// SPDX-License-Identifier: Apache-2.0
#include "core/session/session.h"

#include <utility>

namespace secateur {

Session::Session(std::shared_ptr<const Original> original)
    : m_original(std::move(original)), m_recipe(documentRecipe()), m_saved(m_recipe) {}

bool Session::edit(std::string what, const std::function<void(Recipe&)>& change) {
    Recipe after = m_recipe;
    change(after);
    if (after == m_recipe) return false;
    m_changes.resize(m_position);
    m_changes.push_back({std::move(what), m_recipe, after});
    ++m_position;
    m_recipe = std::move(after);
    return true;
}

bool Session::canUndo() const {
    return m_position > 0;
}
bool Session::canRedo() const {
    return m_position < m_changes.size();
}

std::string Session::undoText() const {
    return canUndo() ? m_changes[m_position - 1].what : std::string();
}
std::string Session::redoText() const {
    return canRedo() ? m_changes[m_position].what : std::string();
}

bool Session::undo() {
    if (!canUndo()) return false;
    m_recipe = m_changes[--m_position].before;
    return true;
}

bool Session::redo() {
    if (!canRedo()) return false;
    m_recipe = m_changes[m_position++].after;
    return true;
}

bool Session::isModified() const {
    return !(m_recipe == m_saved);
}
void Session::markSaved() {
    m_saved = m_recipe;
}

bool Session::isCurrent() const {
    return m_history != nullptr && m_history->recipe() == m_recipe;
}
Recipe Session::recipeToSave() const {
    return isCurrent() ? m_history->countedRecipe() : m_recipe;
}
void Session::setHistory(std::unique_ptr<History> history) {
    m_history = std::move(history);
}

} // namespace secateur
