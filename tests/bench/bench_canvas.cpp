// SPDX-License-Identifier: Apache-2.0
//
// The window's budgets: opening, frames, layout, steps, selection, search and theme, without a display, in a
// window of 1600x1000. Each is run 20 times (SECATEUR_BENCH_TURNS), median and worst are printed, and the
// median of the work of all threads: a busy machine lengthens that less than the time.
#include "tests/support/models.h"
#include "ui/app_state/document.h"
#include "ui/canvas/compare_view.h"
#include "ui/canvas/graph_canvas.h"
#include "ui/inspector/find_field.h"
#include "ui/theme/theme.h"
#include "ui/window/main_window.h"

#include <QApplication>
#include <QTest>

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace secateur {
namespace {

using Clock = std::chrono::steady_clock;
constexpr QSize kWindow{1600, 1000};
constexpr int kPatienceMs = 120000;

/// The models that the budgets name: a few nodes, about 300, and 31,423.
constexpr const char* kModels[] = {"mlp", "transformer", "transformer48.adamw.step"};

int turns() {
    bool isNumber = false;
    const int given = qEnvironmentVariableIntValue("SECATEUR_BENCH_TURNS", &isNumber);
    return isNumber && given > 0 ? given : 20;
}

double cpuMs() {
    timespec time{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) / 1e6;
}

bool waitUntilSettled(MainWindow& window) {
    return QTest::qWaitFor([&] { return window.document().isSettled(); }, kPatienceMs);
}

/// The windows that the benchmarks share; emptied before the application ends.
std::map<std::string, std::unique_ptr<MainWindow>>& openWindows() {
    static std::map<std::string, std::unique_ptr<MainWindow>> windows;
    return windows;
}

/// A window on a model, made when it is first asked for and kept for the benchmarks that follow.
MainWindow* windowOn(const std::string& model, benchmark::State& state) {
    auto& windows = openWindows();
    const std::filesystem::path path = testing::trainingModel(model);
    if (path.empty()) {
        state.SkipWithError("the collection of models is not at hand: set SECATEUR_MODELS");
        return nullptr;
    }
    auto& window = windows[model];
    if (window) return window.get();
    window = std::make_unique<MainWindow>(WindowOptions{false, false});
    // What is measured is the moment that is looked at, not the way there.
    window->actions()[ActionId::reduceMotion]->setChecked(true);
    window->resize(kWindow);
    window->fitToSize();
    window->show();
    window->openFile(QString::fromStdString(path.string()));
    if (!waitUntilSettled(*window)) state.SkipWithError("the model did not open in time");
    QApplication::processEvents();
    return window.get();
}

double medianOf(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values.empty() ? 0 : values[values.size() / 2];
}

/// Times what `run` does, and the painting that follows from it.
template <class Run> void measure(benchmark::State& state, const Run& run) {
    std::vector<double> times, work;
    for (auto _ : state) {
        const double cpuBefore = cpuMs();
        const auto before = Clock::now();
        run();
        const double seconds = std::chrono::duration<double>(Clock::now() - before).count();
        state.SetIterationTime(seconds);
        times.push_back(seconds * 1e3);
        work.push_back(cpuMs() - cpuBefore);
    }
    state.counters["median_ms"] = medianOf(times);
    state.counters["worst_ms"] = *std::max_element(times.begin(), times.end());
    state.counters["cpu_ms"] = medianOf(work);
}

void paintAll() {
    // Updates that were asked for are painted by the posted events.
    QApplication::processEvents();
}

void open(benchmark::State& state, const std::string& model) {
    const std::filesystem::path path = testing::trainingModel(model);
    if (path.empty())
        return state.SkipWithError("the collection of models is not at hand: set SECATEUR_MODELS");
    MainWindow window(WindowOptions{false});
    window.resize(kWindow);
    window.fitToSize();
    window.show();
    QApplication::processEvents();
    measure(state, [&] {
        window.openFile(QString::fromStdString(path.string()));
        if (!waitUntilSettled(window)) state.SkipWithError("the model did not open in time");
        paintAll();
    });
    state.counters["nodes"] = static_cast<double>(window.document().original()->metrics.nodes);
}

/// Frames while panning: no two show the same.
void frames(benchmark::State& state, MainWindow& window) {
    GraphCanvas& canvas = window.compareView().before();
    ViewLink& link = window.compareView().link();
    const Viewport start = link.viewport();
    int frame = 0;
    measure(state, [&] {
        Viewport view = start;
        view.origin.y += (++frame % 7) * 3 / view.zoom;
        link.setViewport(view);
        canvas.viewport()->repaint();
    });
    link.setViewport(start);
    paintAll();
}

void frameFit(benchmark::State& state, const std::string& model, bool isExpanded) {
    MainWindow* window = windowOn(model, state);
    if (!window) return;
    if (isExpanded) {
        window->document().setAllExpanded(true);
        if (!waitUntilSettled(*window)) return state.SkipWithError("the layout did not finish in time");
    }
    window->compareView().before().fitAll();
    paintAll();
    frames(state, *window);
    if (!isExpanded) return;
    window->document().setAllExpanded(false);
    if (!waitUntilSettled(*window)) state.SkipWithError("the layout did not finish in time");
}

void frameWhole(benchmark::State& state, const std::string& model) {
    MainWindow* window = windowOn(model, state);
    if (!window) return;
    window->document().setAllExpanded(true);
    if (!waitUntilSettled(*window)) return state.SkipWithError("the layout did not finish in time");
    GraphCanvas& canvas = window->compareView().before();
    // The middle of the program: blocks, stashes and gradients side by side.
    const LayoutGraph& graph = window->document().picture()->unionGraph.graph;
    window->document().select({graph.nodes[graph.nodes.size() / 4].key});
    canvas.fitSelection();
    canvas.resetZoom();
    paintAll();
    frames(state, *window);
    window->document().select({});
}

void layout(benchmark::State& state, const std::string& model) {
    MainWindow* window = windowOn(model, state);
    if (!window) return;
    bool isOpen = false;
    measure(state, [&] {
        isOpen = !isOpen;
        window->document().setAllExpanded(isOpen);
        if (!waitUntilSettled(*window)) state.SkipWithError("the layout did not finish in time");
    });
    state.counters["items"] = static_cast<double>(window->document().layout()->items.size());
}

void step(benchmark::State& state, const std::string& model) {
    MainWindow* window = windowOn(model, state);
    if (!window) return;
    Document& document = window->document();
    measure(state, [&] {
        const std::size_t steps = document.history()->steps().size();
        document.lookAt(document.cursor() == steps ? 0 : document.cursor() + 1);
        paintAll();
    });
    document.lookAtEnd();
    paintAll();
}

void select(benchmark::State& state, const std::string& model) {
    MainWindow* window = windowOn(model, state);
    if (!window) return;
    const auto& nodes = window->document().picture()->unionGraph.graph.nodes;
    std::size_t at = 0;
    measure(state, [&] {
        at = (at + nodes.size() / 7 + 1) % nodes.size();
        window->document().select({nodes[at].key});
        paintAll();
    });
    window->document().select({});
}

void search(benchmark::State& state, const std::string& model) {
    MainWindow* window = windowOn(model, state);
    if (!window) return;
    FindField& field = window->findField();
    const QString word = QStringLiteral("matmul grad");
    qsizetype at = 0;
    field.clear();
    measure(state, [&] {
        if (at == word.size()) {
            field.clear();
            at = 0;
        }
        QTest::keyClick(&field, word[at++].toLatin1());
        paintAll();
    });
    field.clear();
}

void theme(benchmark::State& state, const std::string& model) {
    MainWindow* window = windowOn(model, state);
    if (!window) return;
    bool isDark = false;
    measure(state, [&] {
        isDark = !isDark;
        applyTheme(*qApp, isDark ? ThemeChoice::dark : ThemeChoice::light);
        paintAll();
    });
    applyTheme(*qApp, ThemeChoice::light);
    paintAll();
}

template <class Body> void add(const std::string& name, Body body) {
    benchmark::RegisterBenchmark(name.c_str(), body)
        ->UseManualTime()
        ->Iterations(turns())
        ->Unit(benchmark::kMillisecond);
}

void addAll() {
    for (const std::string model : kModels) {
        add("open/" + model, [model](benchmark::State& state) { open(state, model); });
        add("frame_fit/" + model, [model](benchmark::State& state) { frameFit(state, model, false); });
        add("frame_fit_open/" + model, [model](benchmark::State& state) { frameFit(state, model, true); });
        add("frame_1_1/" + model, [model](benchmark::State& state) { frameWhole(state, model); });
        add("layout/" + model, [model](benchmark::State& state) { layout(state, model); });
        add("step/" + model, [model](benchmark::State& state) { step(state, model); });
        add("select/" + model, [model](benchmark::State& state) { select(state, model); });
        add("search/" + model, [model](benchmark::State& state) { search(state, model); });
        add("theme/" + model, [model](benchmark::State& state) { theme(state, model); });
    }
}

void closeWindows() {
    openWindows().clear();
}

} // namespace
} // namespace secateur

int main(int argc, char** argv) {
    if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
    QApplication application(argc, argv);
    secateur::applyTheme(application, secateur::ThemeChoice::light);
    secateur::addAll();
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
    benchmark::RunSpecifiedBenchmarks();
    secateur::closeWindows();
    return 0;
}
