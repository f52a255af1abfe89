// SPDX-License-Identifier: Apache-2.0
#include "ui/window/screenshot.h"

#include "ui/app_state/strings.h"
#include "ui/canvas/compare_view.h"
#include "ui/canvas/graph_canvas.h"
#include "ui/window/main_window.h"

#include <QApplication>
#include <QFileInfo>
#include <QPixmap>
#include <QSaveFile>
#include <QTextStream>
#include <QTimer>

namespace secateur {

namespace {

/// Events that settle layouts after the last change.
constexpr int kSettleMs = 150;

int complain(const QString& text, int exit) {
    QTextStream(stderr) << tx("ui.cli.error", {text}) << '\n';
    return exit;
}

int save(MainWindow& window, const ScreenshotRequest& request) {
    const Document& document = window.document();
    if (document.phase() == Document::Phase::failed) return complain(document.failureText(), 3);
    const QString opened = QFileInfo(document.path()).canonicalFilePath();
    if (!opened.isEmpty() && opened == QFileInfo(request.path).canonicalFilePath())
        return complain(tx("ui.error.screenshot-over-model", {request.path}), 2);
    QSaveFile file(request.path); // whole or not at all
    const bool isOpen = file.open(QIODevice::WriteOnly);
    if (!isOpen || !window.grab().save(&file, "PNG") || !file.commit())
        return complain(tx("ui.error.screenshot", {request.path}), isOpen ? 4 : 2);
    return 0;
}

} // namespace

void takeScreenshot(MainWindow& window, const ScreenshotRequest& request) {
    window.resize(request.size);
    window.fitToSize();
    window.show();
    if (const QSize size = window.size(); size != request.size) {
        const auto text = [](QSize of) { return QStringLiteral("%1x%2").arg(of.width()).arg(of.height()); };
        QTextStream(stderr) << tx("ui.cli.smallest-size", {text(request.size), text(size)}) << '\n';
    }
    whenSettled(window, [&window, request] {
        // The panes have their final size only now.
        window.compareView().before().showFirstView();
        const bool isOpen = window.document().phase() != Document::Phase::failed;
        const QString trouble = isOpen ? poseWindow(window, request.pose) : QString();
        if (!trouble.isEmpty()) return QApplication::exit(complain(trouble, 2));
        QTimer::singleShot(kSettleMs, &window,
                           [&window, request] { QApplication::exit(save(window, request)); });
    });
}

} // namespace secateur
