// SPDX-License-Identifier: Apache-2.0
#include "ui/app_state/actions.h"

#include "ui/app_state/strings.h"
#include "ui/theme/icons.h"

#include <QActionGroup>
#include <QKeySequence>
#include <QMap>

#include <array>

namespace secateur {

namespace {

using enum ActionId;
constexpr auto F = MenuId::file, E = MenuId::edit, V = MenuId::view, R = MenuId::recipe, N = MenuId::run,
               C = MenuId::compare, W = MenuId::window, H = MenuId::help;

// Columns: id, menu, name, text, icon, shortcut, group, checkable, separator after.
constexpr auto kTable = std::to_array<ActionInfo>({
    {open, F, "open", "ui.action.open", "open", "Ctrl+O", "", false, false},
    {openSample, F, "openSample", "ui.action.sample", "sample", "", "", false, true},
    {openRecipe, F, "openRecipe", "ui.action.open-recipe", "", "Ctrl+Shift+O", "", false, false},
    {saveRecipe, F, "saveRecipe", "ui.action.save-recipe", "save", "Ctrl+S", "", false, true},
    {exportModel, F, "exportModel", "ui.action.export-model", "export", "Ctrl+E", "", false, false},
    {exportPicture, F, "exportPicture", "ui.action.export-picture", "picture", "", "", false, false},
    {exportOpenPicture, F, "exportOpenPicture", "ui.action.export-open-picture", "", "", "", false, false},
    {exportReport, F, "exportReport", "ui.action.export-report", "report", "", "", false, true},
    {closeWindow, F, "closeWindow", "ui.action.close", "", "Ctrl+W", "", false, false},
    {quit, F, "quit", "ui.action.quit", "", "Ctrl+Q", "", false, false},

    {undo, E, "undo", "ui.action.undo", "undo", "Ctrl+Z", "", false, false},
    {redo, E, "redo", "ui.action.redo", "redo", "Ctrl+Shift+Z; Ctrl+Y", "", false, true},
    {copyNodes, E, "copyNodes", "ui.action.copy-nodes", "", "Ctrl+C", "", false, false},
    {copyName, E, "copyName", "ui.action.copy-name", "", "Ctrl+Shift+C", "", false, false},
    {copySummary, E, "copySummary", "ui.action.copy-summary", "copy", "", "", false, true},
    {find, E, "find", "ui.action.find", "find", "Ctrl+F", "", false, false},
    {findNext, E, "findNext", "ui.action.find-next", "", "F3", "", false, false},
    {findPrevious, E, "findPrevious", "ui.action.find-previous", "", "Shift+F3", "", false, false},
    {goTo, E, "goTo", "ui.action.go-to", "", "Ctrl+G", "", false, false},

    {viewSideBySide, V, "viewSideBySide", "ui.action.view-side", "", "", "view", true, false},
    {viewOverlay, V, "viewOverlay", "ui.action.view-overlay", "", "", "view", true, true},
    {colourKind, V, "colourKind", "ui.action.colour-kind", "", "", "colour", true, false},
    {colourRole, V, "colourRole", "ui.action.colour-role", "", "", "colour", true, false},
    {colourTime, V, "colourTime", "ui.action.colour-time", "", "", "colour", true, false},
    {colourBytes, V, "colourBytes", "ui.action.colour-bytes", "", "", "colour", true, false},
    {colourFlops, V, "colourFlops", "ui.action.colour-flops", "", "", "colour", true, true},
    {compact, V, "compact", "ui.action.compact", "", "", "", true, false},
    {followWalk, V, "followWalk", "ui.action.follow-walk", "", "Ctrl+Shift+W", "", true, true},
    {fit, V, "fit", "ui.action.fit", "fit", "", "", false, false},
    {fitSelection, V, "fitSelection", "ui.action.fit-selection", "", "", "", false, false},
    {zoomReset, V, "zoomReset", "ui.action.zoom-reset", "", "Ctrl+0", "", false, false},
    {zoomIn, V, "zoomIn", "ui.action.zoom-in", "", "Ctrl++; Ctrl+=", "", false, false},
    {zoomOut, V, "zoomOut", "ui.action.zoom-out", "", "Ctrl+-", "", false, true},
    {expandGroup, V, "expandGroup", "ui.action.expand", "", "", "", false, false},
    {collapseGroup, V, "collapseGroup", "ui.action.collapse", "", "Alt+Left", "", false, false},
    {expandAll, V, "expandAll", "ui.action.expand-all", "", "", "", false, false},
    {collapseAll, V, "collapseAll", "ui.action.collapse-all", "", "", "", false, false},
    {showPath, V, "showPath", "ui.action.show-path", "", "Ctrl+P", "", true, false},
    {wheelZooms, V, "wheelZooms", "ui.action.wheel-zooms", "", "Ctrl+M", "", true, false},
    {reduceMotion, V, "reduceMotion", "ui.action.reduce-motion", "", "", "", true, true},
    {themeSystem, V, "themeSystem", "ui.action.theme-system", "", "", "theme", true, false},
    {themeLight, V, "themeLight", "ui.action.theme-light", "", "", "theme", true, false},
    {themeDark, V, "themeDark", "ui.action.theme-dark", "", "", "theme", true, false},

    {changeTarget, R, "changeTarget", "ui.action.change-target", "target", "Ctrl+T", "", false, false},
    {useWeights, R, "useWeights", "ui.action.use-weights", "", "", "", false, false},
    {forOnnxRuntime, R, "forOnnxRuntime", "ui.action.for-onnx-runtime", "", "", "", true, true},
    {toggleStep, R, "toggleStep", "ui.action.toggle-step", "", "", "", false, false},
    {resetRecipe, R, "resetRecipe", "ui.action.reset-recipe", "", "", "", false, false},

    {goStart, N, "goStart", "ui.action.go-start", "start", "Ctrl+Home", "", false, false},
    {goBack, N, "goBack", "ui.action.go-back", "back", "Ctrl+Left", "", false, false},
    {goStep, N, "goStep", "ui.action.go-step", "step", "Ctrl+Right", "", false, false},
    {goEnd, N, "goEnd", "ui.action.go-end", "end", "Ctrl+End", "", false, true},
    {check, N, "check", "ui.action.check", "check", "Ctrl+R", "", false, false},
    {checkInputs, N, "checkInputs", "ui.action.check-inputs", "", "", "", false, false},
    {checkInputsFolder, N, "checkInputsFolder", "ui.action.check-inputs-folder", "", "", "", false, false},
    {autoCheck, N, "autoCheck", "ui.action.auto-check", "", "", "", true, true},
    {cancelWork, N, "cancelWork", "ui.action.cancel", "", "Ctrl+.", "", false, false},

    {beforeOriginal, C, "beforeOriginal", "ui.action.before-original", "", "", "before", true, false},
    {beforePrevious, C, "beforePrevious", "ui.action.before-previous", "", "", "before", true, true},
    {nextChange, C, "nextChange", "ui.action.next-change", "", "F8", "", false, false},
    {previousChange, C, "previousChange", "ui.action.previous-change", "", "Shift+F8", "", false, false},

    {nextPane, W, "nextPane", "ui.action.next-pane", "", "F6", "", false, false},
    {previousPane, W, "previousPane", "ui.action.previous-pane", "", "Shift+F6", "", false, true},
    {resetLayout, W, "resetLayout", "ui.action.reset-layout", "", "", "", false, false},

    {commands, H, "commands", "ui.action.commands", "", "Ctrl+Shift+P", "", false, false},
    {showKeys, H, "showKeys", "ui.action.keys", "keys", "F1", "", false, false},
    {about, H, "about", "ui.action.about", "", "", "", false, false},
});

} // namespace

std::span<const ActionInfo> actionTable() {
    return kTable;
}

const char* menuTextId(MenuId menu) {
    switch (menu) {
    case MenuId::file: return "ui.menu.file";
    case MenuId::edit: return "ui.menu.edit";
    case MenuId::view: return "ui.menu.view";
    case MenuId::recipe: return "ui.menu.recipe";
    case MenuId::run: return "ui.menu.run";
    case MenuId::compare: return "ui.menu.compare";
    case MenuId::window: return "ui.menu.window";
    case MenuId::help: return "ui.menu.help";
    }
    return "";
}

Actions::Actions(QObject* parent) : QObject(parent) {
    QMap<QString, QActionGroup*> groups;
    for (const ActionInfo& info : kTable) {
        auto* action = new QAction(tx(info.textId), this);
        action->setObjectName(QLatin1String(info.name));
        if (*info.icon) action->setIcon(icon(QLatin1String(info.icon)));
        QList<QKeySequence> keys;
        for (const QString& key :
             QString::fromLatin1(info.shortcut).split(QStringLiteral("; "), Qt::SkipEmptyParts))
            keys.append(QKeySequence(key, QKeySequence::PortableText));
        action->setShortcuts(keys);
        action->setCheckable(info.isCheckable);
        if (*info.group) {
            QActionGroup*& group = groups[QLatin1String(info.group)];
            if (!group) group = new QActionGroup(this);
            group->addAction(action);
        }
        m_actions.insert(info.id, action);
        setUnavailable(info.id, {});
    }
}

void Actions::setUnavailable(ActionId id, const QString& reason) {
    QAction* action = m_actions.value(id);
    action->setEnabled(reason.isEmpty());
    QString tip = action->text().remove(QLatin1Char('&')).remove(QStringLiteral("…"));
    if (!action->shortcut().isEmpty())
        tip += QStringLiteral("  ") + action->shortcut().toString(QKeySequence::NativeText);
    action->setToolTip(reason.isEmpty() ? tip : tip + QLatin1Char('\n') + reason);
}

} // namespace secateur
