// SPDX-License-Identifier: Apache-2.0
//
// The long work of a document: reading, running the recipe, laying out. All of it beside the GUI thread.
#include "ui/app_state/document.h"

#include "core/ir/walk.h"
#include "core/layout/layout_moves.h"
#include "core/onnx/check.h"
#include "core/picture/heat_values.h"
#include "core/picture/left_out.h"
#include "core/picture/path_proof.h"
#include "ui/app_state/node_words.h"
#include "ui/app_state/strings.h"

#include <QFileInfo>
#include <QThreadPool>

#include <cstring>
#include <tuple>
#include <utility>

namespace secateur {

/// What a run of the recipe gives: history (null when none could run), pictures and layouts.
struct Document::Ran {
    std::unique_ptr<History> history;
    ReasonTable reasons;                        ///< of `history`
    std::unique_ptr<const Storyteller> stories; ///< of `history`
    MomentTypes types;                          ///< of `history`
    std::optional<Error> failure;
    Shown main;
    std::optional<Shown> body; ///< where another graph than the main one is drawn
    Reachability reachability;
    std::uint64_t unreached = 0;
};

/// What opening gives: the original with its first run, or why there is none.
struct Document::Opened {
    std::shared_ptr<const Original> original;
    std::optional<Error> failure;
    Ran ran;
    std::optional<std::uint64_t> simplified;
};

namespace {

/// Larger graphs are not simplified before they are shown only to say what would come of it.
constexpr std::uint64_t kMostTried = 5000;

/// Nodes that simplifying would leave; none for graphs that train, and where it would take long to know.
std::optional<std::uint64_t> simplifiedNodes(const std::shared_ptr<const Original>& original,
                                             const WorkContext& work) {
    if (original->roles->isTrainingGraph || original->metrics.nodes > kMostTried) return std::nullopt;
    RunOptions sparing;
    sparing.hasHashes = sparing.hasSizes = sparing.hasTypes = false;
    const auto history = History::run(original, optimizationRecipe(false), work, sparing);
    if (!history || history->steps().empty()) return std::nullopt;
    return history->steps().back().after.nodes;
}

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

Document::Shown Document::drawn(const Original& original, History* history, const Reachability& reach,
                                GraphId graph, const WorkContext& work) {
    Shown shown;
    shown.graph = graph;
    auto picture = std::make_shared<UnionPicture>();
    UnionGraph& united = picture->unionGraph;
    united = buildUnionGraph(original, history, graph);
    picture->hierarchy = buildHierarchy(united.graph, united.hints);
    picture->heats = {timeHeat(united), bytesHeat(united, original, history),
                      flopsHeat(united, original, history)};
    picture->waves = walkWaves(united, reach);
    shown.expanded = initialExpandState(united.graph, picture->hierarchy);
    shown.laidOut = shown.expanded;
    shown.layout = std::make_shared<Layout>(
        layoutGraph(united.graph, picture->hierarchy, shown.expanded, layoutOptions(work)));
    shown.picture = std::move(picture);
    return shown;
}

/// What a run of a recipe starts from.
struct Document::Ask {
    std::shared_ptr<const Original> original;
    Recipe recipe;
    std::vector<ValueId> targets;
    bool mayRun = false;         ///< else the original alone is laid out
    GraphId graph = GraphId(0U); ///< drawn besides the main graph
};

Document::Ran Document::run(const Ask& ask, const WorkContext& work) {
    const Original& original = *ask.original;
    Ran ran;
    if (ask.mayRun) {
        Result<History> history = History::run(ask.original, ask.recipe, work);
        if (history) {
            ran.history = std::make_unique<History>(std::move(history).take());
            ran.reasons = ReasonTable(*ran.history);
            auto stories = std::make_unique<Storyteller>(*ran.history);
            (void)stories->targets(); // looks at the end here rather than on the GUI thread
            ran.stories = std::move(stories);
            ran.types = MomentTypes(original, *ran.history);
        } else {
            ran.failure = history.error();
        }
    }
    work.report("ui.phase.layout", 0, 0);
    const Model& model = original.file.model;
    ran.reachability = findReachable(model, ask.targets);
    if (!ask.targets.empty()) ran.unreached = countUnreached(model, ran.reachability);
    ran.main = drawn(original, ran.history.get(), ran.reachability, model.mainGraph(), work);
    const std::size_t graphs = ran.history ? ran.history->model().graphIdCount() : model.graphIdCount();
    if (ask.graph != model.mainGraph() && ask.graph.index < graphs)
        ran.body = drawn(original, ran.history.get(), ran.reachability, ask.graph, work);
    return ran;
}

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
    m_work.drop(Work::Kind::compact);
    dropWanted();
    // Views let go of what they show when they hear of it: the last one to hold it is this function.
    auto gone = std::tuple(std::move(m_original), std::move(m_session), std::exchange(m_shown, {}),
                           std::exchange(m_others, {}), std::exchange(m_compactLayout, {}), m_state,
                           std::move(m_stories));
    m_wave.reset();
    m_refusal.reset();
    m_reasons = {};
    m_momentTypes = {};
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
            const bool mayRun =
                !opened.original->targets.clear.empty() && !whyNotConverted(opened.original->file);
            opened.ran =
                run({opened.original, documentRecipe(), opened.original->targets.clear, mayRun, GraphId(0U)},
                    work);
            if (mayRun && opened.ran.unreached == 0)
                opened.simplified = simplifiedNodes(opened.original, work);
            return opened;
        },
        [this](Opened opened) { onOpened(std::move(opened)); },
        [this, again = std::move(again)] { onOpeningCancelled(again); });
    emit phaseChanged();
    emit historyChanged();
    emit layoutChanged();
    emit messagesChanged();
    freeElsewhere(std::move(gone));
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
    m_refusal = whyNotConverted(m_original->file);
    m_mayRun = !m_original->targets.clear.empty();
    m_simplified = opened.simplified;
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
    const bool mayRun = m_mayRun && !m_refusal && !targetsInOriginal().empty();
    m_work.drop(Work::Kind::layout);
    if (m_session->isCurrent()) {
        // Undone before it was run: all that is shown belongs to this recipe already.
        m_work.drop(Work::Kind::model);
        unsay(QStringLiteral("run-cancelled"));
        if (m_shown.expanded.open != m_shown.laidOut.open) relayout();
        return;
    }
    m_work.start<Ran>(
        Work::Kind::model, tx("ui.work.run"),
        [ask = Ask{m_original, m_session->recipe(), targetsInOriginal(), mayRun, m_shown.graph}](
            const WorkContext& work) { return run(ask, work); },
        [this](Ran ran) { onRan(std::move(ran)); }, [this] { onRunCancelled(); });
}

void Document::onRunCancelled() {
    // History, picture and layout are still those of the recipe before the change.
    say({QStringLiteral("run-cancelled"),
         BarMessage::Severity::warning,
         tx("ui.bar.run-cancelled"),
         {{tx("ui.link.run-now"), [this] { runRecipe(); }}, {tx("ui.link.undo"), [this] { undo(); }}}});
    emit recipeChanged();
    if (m_shown.expanded.open != m_shown.laidOut.open) relayout();
}

void Document::onRan(Ran ran) {
    unsay(QStringLiteral("run-cancelled"));
    unsay(QStringLiteral("run-failed"));
    unsay(QLatin1String(kExportQuestion));
    if (ran.failure)
        say({QStringLiteral("run-failed"),
             BarMessage::Severity::error,
             QString::fromStdString(ran.failure->toString()),
             {}});
    Shown next = ran.body ? std::move(*ran.body) : ran.main;
    // Groups that were opened or closed by hand stay so.
    const bool isSameGroups = picture() && m_shown.graph == next.graph &&
                              picture()->hierarchy.groups.size() == next.picture->hierarchy.groups.size() &&
                              m_shown.expanded.open.size() == next.expanded.open.size();
    const bool keepsGroups = isSameGroups && m_shown.expanded.open != next.expanded.open;
    if (keepsGroups) next.expanded = m_shown.expanded;
    const bool isOtherGraph = picture() && m_shown.graph != next.graph;
    m_reasons = std::move(ran.reasons);
    auto oldStories = std::exchange(m_stories, std::move(ran.stories));
    std::swap(m_momentTypes, ran.types); // the old ones are freed with the rest
    m_reachability = std::move(ran.reachability);
    m_selectedPath.reset();
    m_unreached = ran.unreached;
    const std::size_t steps = ran.history ? ran.history->steps().size() : 0;
    // A step that was looked at stays looked at when the recipe changes.
    const std::optional<std::size_t> looked =
        m_selectedStep && *m_selectedStep < steps ? m_selectedStep : std::optional<std::size_t>();
    // A body that is being opened is one of the model before this run: it is asked for again.
    const auto wanted = std::exchange(m_wanted, std::nullopt);
    m_work.drop(Work::Kind::graph);
    m_work.drop(Work::Kind::compact);
    auto gone =
        std::tuple(m_session->takeHistory(), std::move(m_shown), std::exchange(m_others, {}),
                   std::exchange(m_compactLayout, {}), m_state, std::move(ran.types), std::move(oldStories));
    m_session->setHistory(std::move(ran.history));
    m_shown = std::move(next);
    if (!isSameGroups) std::erase_if(m_selection, isGroupKey);
    if (ran.body) m_others.emplace(ran.main.graph.index, std::move(ran.main));
    if (looked && m_session->history()) m_session->history()->moveCursor(*looked + 1);
    m_selectedStep = looked;
    m_wave.reset();
    ++m_looks;
    refreshState();
    emit historyChanged();
    if (isOtherGraph) emit graphChanged();
    emit layoutChanged();
    emit cursorChanged();
    emit selectionChanged(nullptr);
    emit messagesChanged();
    emit waveChanged();
    freeElsewhere(std::move(gone));
    if (keepsGroups)
        relayout();
    else
        layOutCompact();
    if (wanted && wanted->first.index < modelOf(wanted->first).graphIdCount())
        showGraph(wanted->first, wanted->second);
}

/// Boxes laid out anew: for both panes, and where gaps are closed for After.
struct Document::Relaid {
    std::shared_ptr<const Layout> layout, compact;
};

void Document::relayout() {
    m_work.drop(Work::Kind::compact);
    const auto leftOut = m_isCompact
                             ? std::optional(leftOutOf(picture()->unionGraph.graph, *m_state, Pane::after))
                             : std::nullopt;
    m_work.start<Relaid>(
        Work::Kind::layout, tx("ui.work.layout", {countText(picture()->unionGraph.graph.nodes.size())}),
        [picture = picture(), expanded = m_shown.expanded, leftOut](const WorkContext& work) {
            const LayoutGraph& graph = picture->unionGraph.graph;
            Relaid relaid;
            relaid.layout = std::make_shared<Layout>(
                layoutGraph(graph, picture->hierarchy, expanded, layoutOptions(work)));
            if (leftOut)
                relaid.compact = std::make_shared<Layout>(compactLayout(
                    graph, picture->hierarchy, expanded, *relaid.layout, *leftOut, layoutOptions(work)));
            return relaid;
        },
        [this, expanded = m_shown.expanded, looks = m_looks](Relaid relaid) {
            auto gone = std::tuple(std::exchange(m_shown.layout, std::move(relaid.layout)), m_compactLayout);
            m_shown.laidOut = expanded;
            tally();
            const bool isCurrent = m_isCompact && relaid.compact && looks == m_looks;
            m_compactLayout.reset();
            if (isCurrent) setCompactLayout(std::move(relaid.compact));
            emit layoutChanged();
            freeElsewhere(std::move(gone));
            if (!isCurrent) layOutCompact();
        },
        [this] { onLayoutCancelled(); });
}

void Document::onLayoutCancelled() {
    m_shown.expanded = m_shown.laidOut;
    say({QStringLiteral("layout-cancelled"), BarMessage::Severity::info, tx("ui.bar.layout-cancelled"), {}});
}

void Document::showGraph(GraphId graph, std::vector<std::uint32_t> selection) {
    if (!m_original || !picture()) return;
    dropWanted();
    if (graph == m_shown.graph) return applySelection(std::move(selection), nullptr);
    if (const auto known = m_others.find(graph.index); known != m_others.end()) {
        Shown shown = std::move(known->second);
        m_others.erase(known);
        return enter(std::move(shown), std::move(selection));
    }
    // A history belongs to one thread: the worker makes one of its own, which gives the same ids.
    m_wanted.emplace(graph, selection);
    const auto recipe = history() ? std::optional(history()->recipe()) : std::nullopt;
    m_work.start<std::optional<Shown>>(
        Work::Kind::graph, tx("ui.work.graph"),
        [original = m_original, recipe, targets = m_reachability.targets,
         graph](const WorkContext& work) -> std::optional<Shown> {
            std::optional<History> history;
            if (recipe) {
                RunOptions options;
                options.hasHashes = options.hasSizes = false;
                Result<History> again = History::run(original, *recipe, work, options);
                if (!again) return std::nullopt; // cancelled: it ran before
                history.emplace(std::move(again).take());
            }
            return drawn(*original, history ? &*history : nullptr,
                         findReachable(original->file.model, targets), graph, work);
        },
        [this, selection = std::move(selection)](std::optional<Shown> shown) {
            m_wanted.reset();
            if (shown) enter(std::move(*shown), selection);
        },
        [this] { m_wanted.reset(); });
}

void Document::layOutCompact() {
    if (!m_isCompact || !picture() || !layout() || m_work.isBusy(Work::Kind::layout)) return;
    m_work.start<std::shared_ptr<const Layout>>(
        Work::Kind::compact, tx("ui.work.layout", {countText(picture()->unionGraph.graph.nodes.size())}),
        [picture = picture(), locked = layout(), expanded = m_shown.laidOut,
         leftOut = leftOutOf(picture()->unionGraph.graph, *m_state, Pane::after)](
            const WorkContext& work) -> std::shared_ptr<const Layout> {
            return std::make_shared<Layout>(compactLayout(picture->unionGraph.graph, picture->hierarchy,
                                                          expanded, *locked, leftOut, layoutOptions(work)));
        },
        [this](std::shared_ptr<const Layout> compact) {
            setCompactLayout(std::move(compact));
            emit compactChanged();
        },
        [this] {
            setCompact(false);
            onLayoutCancelled();
        });
}

} // namespace secateur
