// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QAction>
#include <QHash>
#include <QObject>
#include <QString>

#include <span>

namespace secateur {

/// Everything that a person can ask the window for.
enum class ActionId {
    open,
    openSample,
    openRecipe,
    saveRecipe,
    exportModel,
    exportPicture,
    exportOpenPicture,
    exportReport,
    closeWindow,
    quit,
    undo,
    redo,
    copySummary,
    copyNodes,
    copyName,
    find,
    findNext,
    findPrevious,
    goTo,
    viewSideBySide,
    viewOverlay,
    colourKind,
    colourRole,
    colourTime,
    colourBytes,
    colourFlops,
    compact,
    followWalk,
    fit,
    fitSelection,
    zoomReset,
    zoomIn,
    zoomOut,
    expandGroup,
    collapseGroup,
    expandAll,
    collapseAll,
    showPath,
    wheelZooms,
    reduceMotion,
    themeSystem,
    themeLight,
    themeDark,
    changeTarget,
    toggleStep,
    useWeights,
    forOnnxRuntime,
    resetRecipe,
    goStart,
    goBack,
    goStep,
    goEnd,
    cancelWork,
    check,
    autoCheck,
    checkInputs,
    checkInputsFolder,
    beforeOriginal,
    beforePrevious,
    nextChange,
    previousChange,
    resetLayout,
    nextPane,
    previousPane,
    showKeys,
    commands,
    about,
};

enum class MenuId { file, edit, view, recipe, run, compare, window, help };

/// One row of the table: what an action says, where it stands and what triggers it.
struct ActionInfo {
    ActionId id;
    MenuId menu;
    const char* name;     ///< of the QObject, for tests and scripts
    const char* textId;   ///< message id; with ".tip" appended the tooltip, where there is one
    const char* icon;     ///< file in resources/icons, or ""
    const char* shortcut; ///< portable text, alternatives separated by "; "
    const char* group;    ///< actions of one group exclude each other; "" for none
    bool isCheckable;
    bool endsSection; ///< a separator follows in the menu
};

/// The whole table, in menu order.
[[nodiscard]] std::span<const ActionInfo> actionTable();
[[nodiscard]] const char* menuTextId(MenuId menu);

/// The QActions of one window, made from the table.
class Actions : public QObject {
    Q_OBJECT
  public:
    explicit Actions(QObject* parent);
    [[nodiscard]] QAction* operator[](ActionId id) const { return m_actions.value(id); }
    /// Turns an action off and says why in its tooltip; an empty reason turns it on.
    void setUnavailable(ActionId id, const QString& reason);

  private:
    QHash<ActionId, QAction*> m_actions;
};

[[nodiscard]] inline size_t qHash(ActionId id, size_t seed = 0) {
    return ::qHash(static_cast<int>(id), seed);
}

} // namespace secateur
