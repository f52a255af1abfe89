// SPDX-License-Identifier: Apache-2.0
//
// With all colour taken away, no two states of a node may look alike.
#include "core/picture/compose.h"
#include "ui/canvas/list_painter.h"
#include "ui/theme/theme.h"

#include <QImage>
#include <QTest>

#include <array>
#include <utility>

using namespace secateur;

namespace {

struct Named {
    const char* name;
    DiffState diff;
    Pane pane;
    bool isSelected = false;
};

constexpr std::array<Named, 9> kStates{{
    {"kept", DiffState::kept, Pane::before},
    {"removed by the selected step", DiffState::removedBySelectedStep, Pane::before},
    {"removed earlier", DiffState::removedEarlier, Pane::before},
    {"will go", DiffState::willGo, Pane::before},
    {"replaced", DiffState::replaced, Pane::before},
    {"changed", DiffState::changed, Pane::before},
    {"hole", DiffState::removedEarlier, Pane::after},
    {"added", DiffState::added, Pane::after},
    {"selected", DiffState::kept, Pane::before, true},
}};

QImage render(const Named& state, double zoom, ThemeKind theme) {
    LayoutGraph graph;
    LayoutNode node;
    node.key = 1;
    node.title = "MatMul";
    node.rows.push_back({LayoutRow::Kind::weight, "B", "w [4,4]", 5});
    node.kind = OperatorKind::layer;
    node.role = NodeRole::backward;
    graph.nodes.push_back(node);
    graph.indexKeys();
    measureNodes(graph);
    const Layout layout = layoutGraph(graph);
    PictureState picture;
    picture.nodes = {NodeState{state.diff, Finding::none, state.isSelected, false, 0}};
    picture.tally(graph, layout);
    picture.showRoles = true;
    const Scene scene{&graph, &layout, nullptr, &picture};
    ViewRequest request;
    request.zoom = zoom;
    const Rect box = layout.bounds.inflated(20);
    request.viewport = box;
    request.pane = state.pane;
    DisplayList list;
    compose(scene, request, list);
    QImage image(static_cast<int>(box.width * zoom), static_cast<int>(box.height * zoom),
                 QImage::Format_RGB32);
    image.fill(themeColorOf(theme, {ThemeRole::canvas, Shade::solid}));
    QPainter painter(&image);
    ListPainter().paint(painter, list, theme);
    painter.end();
    return image.convertToFormat(QImage::Format_Grayscale8);
}

/// Pixels whose grey differs by what an eye notices on a screen.
int differingPixels(const QImage& a, const QImage& b) {
    constexpr int kNoticeable = 24;
    int count = 0;
    for (int y = 0; y < a.height(); ++y)
        for (int x = 0; x < a.width(); ++x)
            if (qAbs(qGray(a.pixel(x, y)) - qGray(b.pixel(x, y))) > kNoticeable) ++count;
    return count;
}

} // namespace

class TestGreyscale : public QObject {
    Q_OBJECT
  private slots:
    void allStatesDiffer_data() {
        QTest::addColumn<double>("zoom");
        QTest::addColumn<bool>("isDark");
        QTest::newRow("card, light") << 1.0 << false;
        QTest::newRow("card, dark") << 1.0 << true;
        QTest::newRow("small card, light") << 0.5 << false;
        QTest::newRow("small card, dark") << 0.5 << true;
    }

    void allStatesDiffer() {
        QFETCH(double, zoom);
        QFETCH(bool, isDark);
        std::vector<QImage> images;
        for (const Named& state : kStates)
            images.push_back(render(state, zoom, isDark ? ThemeKind::dark : ThemeKind::light));
        for (std::size_t a = 0; a < kStates.size(); ++a)
            for (std::size_t b = a + 1; b < kStates.size(); ++b) {
                const int pixels = differingPixels(images[a], images[b]);
                QVERIFY2(pixels >= 12,
                         qPrintable(QStringLiteral("%1 and %2 differ in %3 pixels only")
                                        .arg(QLatin1String(kStates[a].name), QLatin1String(kStates[b].name))
                                        .arg(pixels)));
            }
    }
};

QTEST_MAIN(TestGreyscale)
#include "tst_greyscale.moc"
