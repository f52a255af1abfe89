// SPDX-License-Identifier: Apache-2.0
#include "ui/window/pose.h"

#include "core/ir/walk.h"
#include "core/report/report_steps.h"
#include "core/support/text.h"
#include "ui/app_state/check.h"
#include "ui/app_state/strings.h"
#include "ui/canvas/compare_view.h"
#include "ui/canvas/graph_canvas.h"
#include "ui/window/main_window.h"

#include <QCoreApplication>
#include <QEventLoop>
#include <QTimer>

namespace secateur {
namespace {

constexpr int kPollMs = 20;

/// That there is no such node, and the nearest names.
QString noSuchNode(const Document& document, const QString& name) {
    if (document.original() == nullptr) return tx("ui.cli.nothing-to-select", {name});
    const Model& model = document.original()->file.model;
    std::vector<std::string> names;
    for (const NodeId node : model.nodes(model.mainGraph()))
        names.push_back(nodeLabel(model, node));
    QString near;
    for (const std::string& one : nearestNames(utf8(name), names))
        near +=
            (near.isEmpty() ? QStringLiteral("`") : QStringLiteral(", `")) + nameText(one) + QLatin1Char('`');
    return near.isEmpty() ? tx("ui.cli.no-node", {name}) : tx("ui.cli.no-node-near", {name, near});
}

void checkAndWait(Check& check) {
    QEventLoop wait;
    QObject::connect(&check, &Check::changed, &wait, [&check, &wait] {
        if (!check.isRunning()) wait.quit();
    });
    check.start();
    if (check.isRunning()) wait.exec();
}

} // namespace

QString poseWindow(MainWindow& window, const WindowPose& pose) {
    Document& document = window.document();
    if (pose.isChecked) checkAndWait(window.check());
    if (pose.isRoleColour) window.actions()[ActionId::colourRole]->setChecked(true);
    if (pose.isOverlay) window.actions()[ActionId::viewOverlay]->setChecked(true);
    QString trouble;
    if (pose.step) {
        const std::size_t steps = document.history() != nullptr ? document.history()->steps().size() : 0;
        if (static_cast<std::size_t>(*pose.step) > steps)
            trouble = tx("ui.cli.no-step", {QString::number(*pose.step), QString::number(steps)});
        else
            document.lookAt(static_cast<std::size_t>(*pose.step));
    }
    if (!pose.select.isEmpty() && !window.selectByName(pose.select))
        trouble = noSuchNode(document, pose.select);
    if (pose.fitsAll) {
        // What the message bar has come to say takes height from the canvas: that first.
        QCoreApplication::processEvents(QEventLoop::ExcludeUserInputEvents);
        window.compareView().before().fitAll();
    }
    return trouble;
}

void whenSettled(MainWindow& window, const std::function<void()>& then) {
    auto* poll = new QTimer(&window);
    QObject::connect(poll, &QTimer::timeout, &window, [&window, poll, then] {
        if (!window.document().isSettled()) return;
        poll->stop();
        poll->deleteLater();
        then();
    });
    poll->start(kPollMs);
}

} // namespace secateur
