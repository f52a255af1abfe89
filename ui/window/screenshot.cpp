// SPDX-License-Identifier: Apache-2.0
#include "ui/window/screenshot.h"

#include "ui/app_state/strings.h"
#include "ui/canvas/compare_view.h"
#include "ui/canvas/graph_canvas.h"
#include "ui/window/main_window.h"

#include <QApplication>
#include <QPixmap>
#include <QTextStream>
#include <QTimer>

namespace secateur {

namespace {

constexpr int kPollMs = 20;
/// Events that settle layouts after the last change.
constexpr int kSettleMs = 150;

int save(MainWindow& window, const ScreenshotRequest& request) {
    QTextStream err(stderr);
    if (!window.grab().save(request.path)) {
        err << tx("ui.error.screenshot", {request.path}) << '\n';
        return 2;
    }
    return window.document().phase() == Document::Phase::failed ? 3 : 0;
}

int pose(MainWindow& window, const ScreenshotRequest& request) {
    Document& document = window.document();
    if (request.isRoleColour) window.actions()[ActionId::colourRole]->setChecked(true);
    if (request.isOverlay) window.actions()[ActionId::viewOverlay]->setChecked(true);
    if (request.step >= 0) document.lookAt(static_cast<std::size_t>(request.step));
    if (!request.select.isEmpty() && !window.selectByName(request.select)) return 2;
    if (request.fitsAll) window.compareView().before().fitAll();
    return 0;
}

} // namespace

void takeScreenshot(MainWindow& window, const ScreenshotRequest& request) {
    window.resize(request.size);
    window.fitToSize();
    window.show();
    auto* poll = new QTimer(&window);
    QObject::connect(poll, &QTimer::timeout, &window, [&window, request, poll] {
        if (!window.document().isSettled()) return;
        poll->stop();
        // The panes have their final size only now.
        window.compareView().before().showFirstView();
        const int posed = pose(window, request);
        QTimer::singleShot(kSettleMs, &window, [&window, request, posed] {
            const int saved = save(window, request);
            QApplication::exit(posed != 0 ? posed : saved);
        });
    });
    poll->start(kPollMs);
}

} // namespace secateur
