// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/app_state/document.h"
#include "ui/app_state/strings.h"
#include "ui/canvas/compare_view.h"
#include "ui/canvas/graph_canvas.h"
#include "ui/theme/theme.h"
#include "ui/window/main_window.h"

#include <QApplication>
#include <QDir>
#include <QFileInfo>
#include <QTest>

#include <filesystem>

namespace secateur::testing {

/// A window as a person meets it, with verbs.
struct World {
    MainWindow window{WindowOptions{false}};

    World() {
        applyTheme(*qApp, ThemeChoice::light);
        window.resize(1440, 900);
        window.fitToSize();
        window.show();
    }
    Document& document() { return window.document(); }
    GraphCanvas& before() { return window.compareView().before(); }
    bool settle(int ms = 60000) {
        return QTest::qWaitFor([this] { return document().isSettled(); }, ms);
    }
    bool openSample() {
        window.openSample();
        return settle();
    }
    bool open(const QString& path) {
        window.openFile(path);
        return settle();
    }
    QAction& action(ActionId id) { return *window.actions()[id]; }
};

/// A model of the project's own test data.
inline QString dataPath(const char* name) {
    return QStringLiteral(SECATEUR_TEST_DATA "/window/") + QLatin1String(name);
}

/// A model of the big collection, or empty where it is not at hand (SECATEUR_MODELS, or beside the sources).
inline QString collectionModel(const char* name) {
    QString folder = qEnvironmentVariable("SECATEUR_MODELS");
    if (folder.isEmpty()) folder = QStringLiteral(SECATEUR_SOURCE_DIR "/../shared/models");
    const QString path =
        folder + QStringLiteral("/training/") + QLatin1String(name) + QStringLiteral("/model.onnx");
    return QFileInfo::exists(path) ? path : QString();
}

} // namespace secateur::testing
