// SPDX-License-Identifier: Apache-2.0
#pragma once

#ifndef Q_MOC_RUN // moc of Qt 6.4 cannot read <concepts>
#include "core/analysis/reachability.h"
#include "core/layout/hierarchy.h"
#include "core/layout/layered.h"
#include "core/picture/breadcrumbs.h"
#include "core/picture/heat.h"
#include "core/picture/history_state.h"
#include "core/picture/picture_walk.h"
#include "core/picture/union_graph.h"
#include "core/session/explanation.h"
#include "core/session/session.h"
#include "ui/app_state/bar_message.h"
#include "ui/app_state/reason_table.h"
#include "ui/app_state/work.h"
#endif

#include <QObject>
#include <QSet>
#include <QString>

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace secateur {

/// What is drawn: the union graph and its groups, what its nodes weigh, and in which order a walk from the
/// targets reaches them. Immutable, shared by the canvases.
struct UnionPicture {
    UnionGraph unionGraph;
    Hierarchy hierarchy;
    std::array<Heat, 3> heats; ///< by HeatKind
    WalkWaves waves;
};

/// The state of one window: the model it shows, the recipe, the moment, the selection. Owns the session; all
/// long work runs through `work()` and comes back as signals. Lives on the GUI thread.
class Document : public QObject {
    Q_OBJECT
  public:
    enum class Phase { empty, opening, failed, ready };
    explicit Document(QObject* parent = nullptr);
    ~Document() override;

    // --- opening ---
    void open(const QString& path);
    /// Opens a model from memory, shown under `name`.
    void openBytes(const QByteArray& bytes, const QString& name);
    [[nodiscard]] Phase phase() const { return m_phase; }
    /// Why the model could not be opened, where it could not.
    [[nodiscard]] QString failureText() const { return QString::fromStdString(m_failure.toString()); }
    [[nodiscard]] QString path() const { return m_path; }
    /// File name for titles; a model of a folder "transformer/model.onnx" is called by both.
    [[nodiscard]] QString title() const;
    /// Nothing is running and every view has what it needs.
    [[nodiscard]] bool isSettled() const;

    // --- the model and its history ---
    [[nodiscard]] const Original* original() const { return m_original.get(); }
    [[nodiscard]] const History* history() const { return m_session ? m_session->history() : nullptr; }
    [[nodiscard]] const Session* session() const { return m_session.get(); }
    [[nodiscard]] const Reachability& reachability() const { return m_reachability; }
    /// Tells why each node stays or goes, at the cursor; null while there is no history.
    [[nodiscard]] const Storyteller* stories() const { return m_stories.get(); }
    /// Of the history; empty while there is none.
    [[nodiscard]] const ReasonTable& reasons() const { return m_reasons; }
    [[nodiscard]] bool needsTarget() const;
    /// Why no other model can be made of this one (two results of one name, a cycle): it is looked at alone,
    /// and nothing is cut for show either. None where it can be.
    [[nodiscard]] const std::optional<Error>& refusal() const { return m_refusal; }
    [[nodiscard]] std::size_t cursor() const;
    /// The step whose changes are at full strength; none: all up to the cursor are.
    [[nodiscard]] std::optional<std::size_t> selectedStep() const { return m_selectedStep; }
    /// Looks at the model after `cursor` steps; the last of them is the selected step. Never an edit.
    void lookAt(std::size_t cursor);
    /// Looks at the end with all changes at full strength: what stands there after opening.
    void lookAtEnd();
    [[nodiscard]] bool isBeforePreviousStep() const { return m_isBeforePreviousStep; }
    void setBeforePreviousStep(bool on);

    // --- edits of the recipe: undoable, each runs the recipe again in a worker ---
    void chooseTargets(const std::vector<std::string>& names);
    void setStepOn(std::size_t step, bool isOn);
    void setRewriteOn(std::size_t step, const std::string& key, bool isOn);
    void setOption(std::size_t step, const std::string& name, const std::string& value);
    void setWeights(const std::string& path);
    void setForOnnxRuntime(bool on);
    void setRecipe(const Recipe& recipe, std::string_view what);
    void undo();
    void redo();
    void markSaved();

    // --- what is drawn ---
    [[nodiscard]] const std::shared_ptr<const UnionPicture>& picture() const { return m_shown.picture; }
    [[nodiscard]] const std::shared_ptr<const Layout>& layout() const { return m_shown.layout; }
    [[nodiscard]] const PictureState& state() const { return *m_state; }
    /// Nodes of a group of the graph that is drawn by fate at the moment that is looked at: what every view
    /// says of it.
    [[nodiscard]] const GroupTally& tallyOf(std::uint32_t group) const;
    [[nodiscard]] const ExpandState& expanded() const { return m_shown.expanded; }
    void setExpanded(std::uint32_t group, bool isOpen);
    void setAllExpanded(bool isOpen);
    /// Opens the groups that hide a node (or a group), so that it gets a box of its own. False when it has
    /// one.
    bool openGroupsAround(std::uint32_t key);
    /// The path of the selected node: to the target at the cursor when it stays, else to its dead end. Empty
    /// while there is no history.
    [[nodiscard]] const PathProof& selectedPath() const;

    // --- which graph of the model is drawn: the main one, the body of a node, or a function ---
    [[nodiscard]] GraphId shownGraph() const { return m_shown.graph; }
    /// Draws another graph and selects in it; at once where it was drawn before, else when a worker is done.
    void showGraph(GraphId graph, std::vector<std::uint32_t> selection = {});
    /// The way from the main graph to the one that is drawn; empty without a model.
    [[nodiscard]] std::vector<Crumb> crumbs() const;
    /// The graphs that a node can be opened into; empty for most nodes.
    [[nodiscard]] std::vector<Body> bodiesOf(std::uint32_t key) const;
    /// Draws the graph that holds the one that is drawn, with the node selected that leads there. False at
    /// the top.
    bool showParent();
    /// Of the main graph, whatever is drawn.
    [[nodiscard]] const std::shared_ptr<const UnionPicture>& mainPicture() const;

    // --- looks that are no edits and not of one pane alone ---
    /// Which numbers stand behind the colours; none: no heat map.
    void showHeat(std::optional<HeatKind> kind);
    [[nodiscard]] const Heat* shownHeat() const;
    /// Replays how the targets reach their nodes, wave by wave; none ends it.
    void showWave(std::optional<std::uint32_t> wave);
    [[nodiscard]] std::optional<std::uint32_t> wave() const { return m_wave; }
    /// Null where there is nothing to follow.
    [[nodiscard]] const WalkWaves* waves() const;
    /// After closes the gaps that steps leave.
    void setCompact(bool on);
    [[nodiscard]] bool isCompact() const { return m_isCompact; }
    /// What After shows: the compact layout once there is one, else that of both panes.
    [[nodiscard]] const std::shared_ptr<const Layout>& layoutOf(Pane pane) const;
    /// Another object for every moment that is looked at: what held the last one can show the way from there.
    [[nodiscard]] std::shared_ptr<const PictureState> stateOf(Pane pane) const;

    // --- selection: one set of keys for all views ---
    [[nodiscard]] const std::vector<std::uint32_t>& selection() const { return m_selection; }
    /// `origin` is the view that it came from, which does not scroll to it. A node of a graph that is not
    /// drawn is selected when that graph is.
    void select(std::vector<std::uint32_t> keys, const QObject* origin = nullptr);
    /// Marks in the Before pane what choosing this value would remove; none ends it.
    void previewTarget(ValueId value);

    // --- messages ---
    [[nodiscard]] std::vector<BarMessage> messages() const;
    void dismiss(const QString& key);
    /// A message that is no consequence of the state: what was exported, what could not be read.
    void say(BarMessage message);

    [[nodiscard]] Work& work() { return m_work; }
    [[nodiscard]] const Work& work() const { return m_work; }

  signals:
    void phaseChanged();
    /// Another model, or the same with another history.
    void historyChanged();
    void recipeChanged();
    void cursorChanged();
    /// Other boxes or other places of them.
    void layoutChanged();
    /// Same boxes, other states.
    void stateChanged();
    /// Another graph of the same model is drawn; layoutChanged and selectionChanged follow.
    void graphChanged();
    /// Another moment is looked at; follows stateChanged.
    void looked();
    /// The walk went on, began or ended.
    void waveChanged();
    /// Compact was turned on or off.
    void compactChanged();
    void selectionChanged(const QObject* origin);
    void messagesChanged();
    void changeTargetRequested();
    void problemsRequested();

  private:
    struct Opened;
    struct Ask;
    struct Ran;
    struct Relaid;
    /// A graph of the model as it is drawn.
    struct Shown {
        GraphId graph = GraphId(0U);
        std::shared_ptr<const UnionPicture> picture;
        std::shared_ptr<const Layout> layout;
        ExpandState expanded; ///< as asked for
        ExpandState laidOut;  ///< as in `layout`
    };
    [[nodiscard]] static Ran run(const Ask& ask, const WorkContext& work);
    void startOpening(std::function<Result<std::shared_ptr<const Original>>(const WorkContext&)> read,
                      std::function<void()> again);
    void onOpened(Opened opened);
    void onOpeningCancelled(const std::function<void()>& again);
    void edit(std::string_view what, const std::function<void(Recipe&)>& change);
    void runRecipe();
    void onRan(Ran ran);
    void onRunCancelled();
    void relayout();
    void onLayoutCancelled();
    void enter(Shown shown, std::vector<std::uint32_t> selection);
    void dropWanted();
    void applySelection(std::vector<std::uint32_t> keys, const QObject* origin);
    /// The graph that a key of the selection belongs to, where it is not the one that is drawn.
    [[nodiscard]] std::optional<GraphId> elsewhere(std::uint32_t key) const;
    void tally();
    void count(PictureState& state, const Layout& layout) const;
    [[nodiscard]] static Shown drawn(const Original& original, History* history, const Reachability& reach,
                                     GraphId graph, const WorkContext& work);
    [[nodiscard]] const Model& modelOf(GraphId graph) const;
    void layOutCompact();
    void setCompactLayout(std::shared_ptr<const Layout> layout);
    /// Takes back what say() said under this key.
    void unsay(const QString& key);
    void afterLook();
    void refreshState();
    [[nodiscard]] std::vector<ValueId> targetsInOriginal() const;
    void addQuestionMessages(std::vector<BarMessage>& out) const;
    void addStepMessages(std::vector<BarMessage>& out) const;
    void addOverviewMessage(std::vector<BarMessage>& out) const;
    void addWeightsMessage(std::vector<BarMessage>& out) const;
    void addProblemsMessage(std::vector<BarMessage>& out) const;

    Phase m_phase = Phase::empty;
    QString m_path, m_name;
    Error m_failure;
    std::shared_ptr<const Original> m_original;
    std::unique_ptr<Session> m_session;
    ReasonTable m_reasons;                        ///< points into the session's history
    std::unique_ptr<const Storyteller> m_stories; ///< the same
    MomentTypes m_momentTypes;                    ///< of the session's history
    Reachability m_reachability;
    std::uint64_t m_unreached = 0;
    std::optional<std::uint64_t>
        m_simplified; ///< nodes that simplifying an inference graph leaves, where known
    Shown m_shown;
    std::map<std::uint32_t, Shown> m_others; ///< graphs that were drawn before, by their index
    /// A graph that a worker makes ready, and what is to be selected in it.
    std::optional<std::pair<GraphId, std::vector<std::uint32_t>>> m_wanted;
    std::shared_ptr<PictureState> m_state = std::make_shared<PictureState>(); ///< never null
    mutable std::vector<GroupTally> m_groupTallies; ///< of m_state, counted when first asked for
    std::optional<HeatKind> m_heat;
    std::optional<std::uint32_t> m_wave;
    bool m_isCompact = false;
    std::shared_ptr<const Layout> m_compactLayout;
    std::shared_ptr<PictureState> m_compactState; ///< of the moment that m_compactLayout is of
    std::uint64_t m_looks = 0;                    ///< counts moments looked at
    std::optional<std::size_t> m_selectedStep;
    bool m_isBeforePreviousStep = false;
    std::optional<Error> m_refusal;
    bool m_mayRun = false; ///< a recipe can be run: targets are clear or were chosen
    std::vector<std::uint32_t> m_selection;
    mutable std::optional<PathProof> m_selectedPath; ///< found when first asked for
    ValueId m_previewed;
    std::vector<bool> m_willGo;
    QSet<QString> m_dismissed;
    std::vector<BarMessage> m_said;
    Work m_work; // last: its destructor ends the threads before the rest goes
};

} // namespace secateur
