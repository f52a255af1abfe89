// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/support/models.h"
#include "tests/ui/support/text_models.h"
#include "ui/app_state/document.h"
#include "ui/app_state/strings.h"
#include "ui/canvas/compare_view.h"
#include "ui/canvas/graph_canvas.h"
#include "ui/theme/theme.h"
#include "ui/window/main_window.h"

#include <QApplication>
#include <QTest>

namespace secateur::testing {

/// A window as a person meets it, with verbs.
struct World {
    MainWindow window;

    explicit World(bool checksByItself = false) : window(WindowOptions{false, checksByItself}) {
        applyTheme(*qApp, ThemeChoice::light);
        // Tests look at what is there, not at the way to it; those of motion turn it on.
        action(ActionId::reduceMotion).setChecked(true);
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
    /// A model in ONNX's text form.
    bool openText(const std::string& text) {
        document().openBytes(bytesOfText(text), QStringLiteral("text.onnx"));
        return settle() && document().phase() == Document::Phase::ready;
    }
    /// The key of the first node with this operator; kNoIndex when there is none.
    std::uint32_t keyOf(const char* op) {
        const Model& model = document().original()->file.model;
        for (const NodeId id : model.nodes(model.mainGraph()))
            if (model.op(id) == op) return id.index;
        return kNoIndex;
    }
    std::vector<std::uint32_t> selection() { return document().selection(); }
    /// Everything in the message bar, also what is folded away behind "n more".
    QString allSaid() {
        QStringList all;
        for (const BarMessage& message : document().messages())
            all.append(message.text);
        return all.join(QLatin1Char('\n'));
    }
    bool says(const char* words) { return allSaid().contains(QLatin1String(words)); }
    QAction& action(ActionId id) { return *window.actions()[id]; }
};

/// A model of the project's own test data.
inline QString dataPath(const char* name) {
    return QStringLiteral(SECATEUR_TEST_DATA "/window/") + QLatin1String(name);
}

/// A training model of the collection (tests/support/models.h), or empty where it is not at hand.
inline QString collectionModel(const char* name) {
    return QString::fromStdString(trainingModel(name).string());
}

} // namespace secateur::testing
