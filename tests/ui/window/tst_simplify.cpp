// SPDX-License-Identifier: Apache-2.0
//
// Simplifying in the window: what is offered, how a step is turned on and its level chosen, and what the
// inspector says of what nearly applied.
#ifndef Q_MOC_RUN // moc of Qt 6.4 cannot read <concepts>
#include "core/ir/walk.h"
#include "core/passes/registry.h"
#endif
#include "tests/ui/support/world.h"
#include "ui/inspector/inspector_html.h"
#include "ui/steps/steps_model.h"
#include "ui/steps/steps_panel.h"

#include <QMenu>
#include <QTextDocument>

using namespace secateur;
using secateur::testing::World;

namespace {

/// Two transposes that cancel each other, and a sum with a nought, which changes the sign of another nought.
constexpr const char* kText = R"(
<ir_version: 8, opset_import: ["" : 17]>
g (float[2,3] x) => (float[2,3] y) <float p = {0}> {
    t = Transpose(x)
    u = Transpose(t)
    v = Add(u, p)
    r = Relu(v)
    y = Exp(r)
}
)";

std::size_t stepOf(const Document& document, const char* pass) {
    const auto& steps = document.session()->recipe().steps;
    for (std::size_t i = 0; i < steps.size(); ++i) {
        if (steps[i].pass == pass) return i;
    }
    return steps.size();
}

std::size_t nodesLeft(const Document& document) {
    return countNodes(document.history()->model());
}

const BarMessage::Link* linkNamed(const std::vector<BarMessage>& messages, const QString& text) {
    for (const BarMessage& message : messages) {
        for (const BarMessage::Link& link : message.links)
            if (link.text == text) return &link;
    }
    return nullptr;
}

} // namespace

class TestSimplify : public QObject {
    Q_OBJECT
  private slots:
    void aGraphWithNothingToCutIsOfferedToBeSimplified() {
        World world;
        QVERIFY(world.openText(kText));
        QVERIFY2(world.says("Simplifying leaves 3"), qPrintable(world.allSaid()));
        QCOMPARE(nodesLeft(world.document()), std::size_t{5});
        const auto messages = world.document().messages();
        const BarMessage::Link* link = linkNamed(messages, tx("ui.link.simplify"));
        QVERIFY(link != nullptr);
        link->run();
        QVERIFY(world.settle());
        QCOMPARE(nodesLeft(world.document()), std::size_t{3});
        QVERIFY(linkNamed(world.document().messages(), tx("ui.link.simplify")) == nullptr);
        world.document().undo();
        QVERIFY(world.settle());
        QCOMPARE(nodesLeft(world.document()), std::size_t{5});
    }

    void whatTheStepsLeaveOutIsNoNothing() {
        World world;
        QVERIFY(world.openText("<ir_version: 8, opset_import: [\"\" : 17]>\n"
                               "g (float[2] x) => (float[2] y) { a = Relu(x) d = Dropout(a) y = Exp(d) }"));
        QVERIFY2(world.says("the steps leave 2"), qPrintable(world.allSaid()));
        QVERIFY(!world.says("nothing to cut"));
    }

    void deadEndsDoNotMakeATrainingGraph() {
        World world;
        QVERIFY(world.openText("<ir_version: 8, opset_import: [\"\" : 17]>\n"
                               "g (float[2] x) => (float[2] y) { y = Relu(x) d = Exp(x) e = Neg(d) }"));
        QVERIFY2(world.says("2 of 3 nodes do not reach"), qPrintable(world.allSaid()));
        QVERIFY(!world.says("Training graph"));
    }

    void whereNothingCanBeLeftOutNothingIsOffered() {
        World world;
        QVERIFY(world.openText("<ir_version: 8, opset_import: [\"\" : 17]>\n"
                               "g (float[2] x) => (float[2] y) { a = Relu(x) y = Exp(a) }"));
        QVERIFY(linkNamed(world.document().messages(), tx("ui.link.simplify")) == nullptr);
    }

    void theLevelIsChosenInTheMenuOfTheStep() {
        World world;
        QVERIFY(world.openText(kText));
        Document& document = world.document();
        const std::size_t step = stepOf(document, "simplify");
        document.setStepOn(step, true);
        QVERIFY(world.settle());
        StepsPanel& panel = world.window.steps();
        const QModelIndex row = panel.model().index(static_cast<int>(step) + 1, 0);
        panel.view().scrollTo(row);
        QCOMPARE(panel.model().data(row, StepsModel::chipRole).toString(), QStringLiteral("E"));
        const QPoint at = panel.view().visualRect(row).center();
        emit panel.view().customContextMenuRequested(at);
        auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
        QVERIFY(menu != nullptr);
        QAction* wanted = nullptr;
        for (QAction* sub : menu->actions()) {
            if (!sub->menu()) continue;
            for (QAction* choice : sub->menu()->actions())
                if (choice->text() == tx("choice.simplify.level.value")) wanted = choice;
        }
        QVERIFY(wanted != nullptr);
        QVERIFY(!wanted->isChecked());
        wanted->trigger();
        menu->close();
        QVERIFY(world.settle());
        QCOMPARE(QString::fromStdString(document.session()->recipe().steps[step].options.at("level")),
                 QStringLiteral("value"));
        QCOMPARE(nodesLeft(document), std::size_t{2});
        const QModelIndex again = panel.model().index(static_cast<int>(step) + 1, 0);
        QCOMPARE(panel.model().data(again, StepsModel::chipRole).toString(), QStringLiteral("V"));
    }

    void theInspectorSaysWhyARuleDidNotApply() {
        World world;
        QVERIFY(world.openText(kText));
        Document& document = world.document();
        document.setStepOn(stepOf(document, "simplify"), true);
        QVERIFY(world.settle());
        document.select({world.keyOf("Add")});
        QTextDocument text;
        text.setHtml(inspectorHtml(document));
        const QString said = text.toPlainText();
        QVERIFY2(said.contains(tx("ui.inspector.why-not")), qPrintable(said));
        QVERIFY2(said.contains(QStringLiteral("--level value")) || said.contains(QStringLiteral("value")),
                 qPrintable(said));
    }

    void aTrainingGraphKeepsTheStepForLater() {
        World world;
        QVERIFY(world.openSample());
        Document& document = world.document();
        const std::size_t step = stepOf(document, "simplify");
        QVERIFY(step < document.session()->recipe().steps.size());
        QVERIFY(!document.session()->recipe().steps[step].isOn);
        const std::size_t before = nodesLeft(document);
        document.setStepOn(step, true);
        QVERIFY(world.settle());
        QVERIFY(nodesLeft(document) <= before);
        QVERIFY(!document.history()->steps()[step].failure.has_value());
    }
};

QTEST_MAIN(TestSimplify)
#include "tst_simplify.moc"
