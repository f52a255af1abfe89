// SPDX-License-Identifier: Apache-2.0
//
// The long work of a document: reading, running the recipe, laying out. All of it beside the GUI thread.
#include "ui/app_state/document.h"

#include "core/ir/walk.h"
#include "ui/app_state/strings.h"

#include <QFileInfo>
#include <QThreadPool>

#include <cstring>
#include <tuple>

namespace secateur {

/// What a run of the recipe gives: history (null when none could run), picture, layout.
struct Document::Ran {
    std::unique_ptr<History> history;
    ReasonTable reasons; ///< of `history`
    std::optional<Error> failure;
    std::shared_ptr<const UnionPicture> picture;
    std::shared_ptr<const Layout> layout;
    ExpandState expanded;
    Reachability reachability;
    std::uint64_t unreached = 0;
};

/// What opening gives: the original with its first run, or why there is none.
struct Document::Opened {
    std::shared_ptr<const Original> original;
    std::optional<Error> failure;
    Ran ran;
};

namespace {

LayoutOptions layoutOptions(const WorkContext& work) {
    LayoutOptions options;
    options.isCancelled = [cancel = work.cancel] { return cancel.isCancelled(); };
    return options;
}

/// Freeing a large model takes tens of milliseconds, in which the window would stand still.
template <class... Owners> void freeElsewhere(Owners... owners) {
    auto garbage = std::make_shared<std::tuple<Owners...>>(std::move(owners)...);
    QThreadPool::globalInstance()->start([garbage = std::move(garbage)]() mutable { garbage.reset(); });
}

/// Nodes that no target depends on, bodies included.
std::uint64_t countUnreached(const Model& model, const Reachability& reached) {
    std::uint64_t count = 0;
    for (const NodeId id : nodesWithin(model, model.mainGraph()))
        if (!reached.isReached(id)) ++count;
    return count;
}

} // namespace

namespace document_work {

/// Runs the recipe and lays out the result; `mayRun` false: lays out the original alone.
template <class Ran>
Ran run(const std::shared_ptr<const Original>& original, const Recipe& recipe,
        const std::vector<ValueId>& targets, bool mayRun, const WorkContext& work) {
    Ran ran;
    if (mayRun) {
        Result<History> history = History::run(original, recipe, work);
        if (history) {
            ran.history = std::make_unique<History>(std::move(history).take());
            ran.reasons = ReasonTable(*ran.history);
        } else {
            ran.failure = history.error();
        }
    }
    work.report("ui.phase.layout", 0, 0);
    auto picture = std::make_shared<UnionPicture>();
    picture->unionGraph = buildUnionGraph(*original, ran.history.get());
    picture->hierarchy = buildHierarchy(picture->unionGraph.graph, picture->unionGraph.hints);
    ran.expanded = initialExpandState(picture->unionGraph.graph, picture->hierarchy);
    ran.layout = std::make_shared<Layout>(
        layoutGraph(picture->unionGraph.graph, picture->hierarchy, ran.expanded, layoutOptions(work)));
    ran.picture = std::move(picture);
    ran.reachability = findReachable(original->file.model, targets);
    if (!targets.empty()) ran.unreached = countUnreached(original->file.model, ran.reachability);
    return ran;
}

} // namespace document_work

void Document::open(const QString& path) {
    m_path = QFileInfo(path).absoluteFilePath();
    m_name.clear();
    startOpening([file = std::filesystem::path(utf8(path))](
                     const WorkContext& work) { return openOriginal(file, work); },
                 [this, path] { open(path); });
}

void Document::openBytes(const QByteArray& bytes, const QString& name) {
    m_path.clear();
    m_name = name;
    startOpening(
        [bytes, name](const WorkContext& work) -> Result<std::shared_ptr<const Original>> {
            std::vector<std::byte> copy(static_cast<std::size_t>(bytes.size()));
            std::memcpy(copy.data(), bytes.constData(), copy.size());
            LoadedModel loaded = TRY(loadModelFromBytes(ByteRef::own(std::move(copy)), name.toStdString()));
            loaded.fileBytes = static_cast<std::uint64_t>(bytes.size());
            return makeOriginal(std::move(loaded), work);
        },
        [this, bytes, name] { openBytes(bytes, name); });
}

void Document::startOpening(std::function<Result<std::shared_ptr<const Original>>(const WorkContext&)> read,
                            std::function<void()> again) {
    m_work.drop(Work::Kind::layout);
    m_phase = Phase::opening;
    freeElsewhere(std::move(m_original), std::move(m_session), std::move(m_picture), std::move(m_layout));
    m_reasons = {};
    m_selection.clear();
    m_selectedPath.reset();
    m_willGo.clear();
    m_previewed = {};
    m_selectedStep.reset();
    m_said.clear();
    m_dismissed.clear();
    refreshState();
    m_work.start<Opened>(
        Work::Kind::model, tx("ui.work.open", {title()}),
        [read = std::move(read)](const WorkContext& work) {
            Opened opened;
            work.report("ui.phase.read", 0, 0);
            auto original = read(work);
            if (!original) {
                opened.failure = original.error();
                return opened;
            }
            opened.original = std::move(original).take();
            // A graph without a training half is run as well: its passes may still find something to do.
            const bool mayRun = !opened.original->targets.clear.empty();
            opened.ran = document_work::run<Ran>(opened.original, conversionRecipe(),
                                                 opened.original->targets.clear, mayRun, work);
            return opened;
        },
        [this](Opened opened) { onOpened(std::move(opened)); },
        [this, again = std::move(again)] { onOpeningCancelled(again); });
    emit phaseChanged();
    emit historyChanged();
    emit layoutChanged();
    emit messagesChanged();
}

void Document::onOpened(Opened opened) {
    if (opened.failure) {
        m_failure = *opened.failure;
        m_phase = Phase::failed;
        emit phaseChanged();
        emit messagesChanged();
        return;
    }
    m_original = std::move(opened.original);
    m_session = std::make_unique<Session>(m_original);
    m_mayRun = !m_original->targets.clear.empty();
    m_phase = Phase::ready;
    emit phaseChanged();
    onRan(std::move(opened.ran));
    emit recipeChanged();
}

void Document::onOpeningCancelled(const std::function<void()>& again) {
    const QString what = title();
    m_path.clear();
    m_name.clear();
    m_phase = Phase::empty;
    emit phaseChanged();
    say({QStringLiteral("open-cancelled"),
         BarMessage::Severity::info,
         tx("ui.bar.open-cancelled", {what}),
         {{tx("ui.link.open-again"), again}}});
}

void Document::runRecipe() {
    const bool mayRun = m_mayRun && !targetsInOriginal().empty();
    m_work.drop(Work::Kind::layout);
    if (m_session->isCurrent()) {
        // Undone before it was run: all that is shown belongs to this recipe already.
        m_work.drop(Work::Kind::model);
        unsay(QStringLiteral("run-cancelled"));
        if (m_expanded.open != m_laidOut.open) relayout();
        return;
    }
    m_work.start<Ran>(
        Work::Kind::model, tx("ui.work.run"),
        [original = m_original, recipe = m_session->recipe(), targets = targetsInOriginal(),
         mayRun](const WorkContext& work) {
            return document_work::run<Ran>(original, recipe, targets, mayRun, work);
        },
        [this](Ran ran) { onRan(std::move(ran)); }, [this] { onRunCancelled(); });
}

void Document::onRunCancelled() {
    // History, picture and layout are still those of the recipe before the change.
    say({QStringLiteral("run-cancelled"),
         BarMessage::Severity::warning,
         tx("ui.bar.run-cancelled"),
         {{tx("ui.link.run-now"), [this] { runRecipe(); }}, {tx("ui.link.undo"), [this] { undo(); }}}});
    emit recipeChanged();
    if (m_expanded.open != m_laidOut.open) relayout();
}

void Document::onRan(Ran ran) {
    const bool isSameGroups =
        m_picture && m_picture->hierarchy.groups.size() == ran.picture->hierarchy.groups.size();
    unsay(QStringLiteral("run-cancelled"));
    unsay(QStringLiteral("run-failed"));
    if (ran.failure)
        say({QStringLiteral("run-failed"),
             BarMessage::Severity::error,
             QString::fromStdString(ran.failure->toString()),
             {}});
    const bool keepsGroups = isSameGroups && m_expanded.open.size() == ran.expanded.open.size() &&
                             m_expanded.open != ran.expanded.open;
    m_laidOut = std::move(ran.expanded);
    if (!keepsGroups) m_expanded = m_laidOut;
    m_reasons = std::move(ran.reasons);
    m_reachability = std::move(ran.reachability);
    m_selectedPath.reset();
    m_unreached = ran.unreached;
    const std::size_t steps = ran.history ? ran.history->steps().size() : 0;
    // A step that was looked at stays looked at when the recipe changes.
    const std::optional<std::size_t> looked =
        m_selectedStep && *m_selectedStep < steps ? m_selectedStep : std::optional<std::size_t>();
    freeElsewhere(m_session->takeHistory(), std::move(m_picture), std::move(m_layout));
    m_session->setHistory(std::move(ran.history));
    m_picture = std::move(ran.picture);
    m_layout = std::move(ran.layout);
    if (looked && m_session->history()) m_session->history()->moveCursor(*looked + 1);
    m_selectedStep = looked;
    refreshState();
    emit historyChanged();
    emit layoutChanged();
    emit cursorChanged();
    emit selectionChanged(nullptr);
    emit messagesChanged();
    if (keepsGroups) relayout();
}

void Document::relayout() {
    m_work.start<std::shared_ptr<const Layout>>(
        Work::Kind::layout, tx("ui.work.layout", {countText(m_picture->unionGraph.graph.nodes.size())}),
        [picture = m_picture,
         expanded = m_expanded](const WorkContext& work) -> std::shared_ptr<const Layout> {
            return std::make_shared<Layout>(
                layoutGraph(picture->unionGraph.graph, picture->hierarchy, expanded, layoutOptions(work)));
        },
        [this, expanded = m_expanded](std::shared_ptr<const Layout> layout) {
            m_layout = std::move(layout);
            m_laidOut = expanded;
            m_state.tally(m_picture->unionGraph.graph, *m_layout, &m_picture->hierarchy);
            emit layoutChanged();
        },
        [this] { onLayoutCancelled(); });
}

void Document::onLayoutCancelled() {
    m_expanded = m_laidOut;
    say({QStringLiteral("layout-cancelled"), BarMessage::Severity::info, tx("ui.bar.layout-cancelled"), {}});
}

} // namespace secateur
