// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/analysis/roles.h"
#include "core/ir/editor.h"
#include "core/ir/model.h"
#include "core/onnx/following_types.h"
#include "core/rewrite/record.h"
#include "core/rewrite/rewrite_trace.h"
#include "core/support/cancel.h"
#include "core/support/result.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace secateur {

/// An option of a pass, for the recipe, the command line and the steps dock.
struct PassOption {
    std::string name;                 ///< kebab-case
    std::vector<std::string> choices; ///< allowed values; empty: any text
    std::string otherwise;            ///< default
    std::string helpId;               ///< message id of one sentence
};

/// What people read about a pass; every text is a message id.
struct PassInfo {
    std::string id; ///< kebab-case imperative, e.g. "prune-backward"
    Exactness exactness = Exactness::exact;
    std::string titleId, summaryId; ///< "Prune backward"; one sentence
    std::string beforeAfterId;      ///< "before => after"
    std::string gainId, costId, whenId;
    std::vector<PassOption> options;
    bool isOnByDefault = true;
    bool isConversion = true; ///< part of turning training into inference; else it keeps what the model means
};

using PassOptions = std::map<std::string, std::string>;

/// What a pass works with that is not in the model. Passed by the session; shared, read only.
struct PassEnvironment {
    std::vector<ValueId>
        targets; ///< chosen prediction values; empty before they are chosen. Rewrites keep them alive
    std::shared_ptr<const RoleTable> roles;
    std::string weightsPath; ///< checkpoint to read parameters from; "" when none was given
    const Model* original =
        nullptr;                  ///< as it was opened, for reasons; its ids are those of the model worked on
    bool areTargetsNamed = false; ///< a person named them: they keep their names, whatever these are
    bool isForOnnxRuntime = false; ///< keep com.microsoft operators that it can run
    /// Rewrites that may still be made, in all passes together; none: as many as there are. For finding the
    /// one that breaks a model.
    std::optional<std::uint64_t> rewritesLeft;
    RewriteTrace* trace = nullptr; ///< hears of every rewrite
};

/// A decision that only a person can take: the pass stops and says what to choose between.
struct Question {
    Reason text;
    std::string optionName; ///< the pass option that answers it
    std::vector<std::string> choices;
    std::vector<NodeId> nodes; ///< what it is about
};

/// Everything one run of a pass may touch. All edits happen inside `rewrite`.
class PassContext {
  public:
    PassContext(Model& model, FollowingTypes& types, PassEnvironment& environment, const PassOptions& options,
                const std::set<std::string>& skippedKeys, const WorkContext& work);

    [[nodiscard]] const Model& model() const { return m_model; }
    /// Types as they were when the pass first asked for them. A pass that never asks costs none.
    [[nodiscard]] const TypeTable& types();
    /// The same, brought up to date with what this pass has done so far.
    [[nodiscard]] const TypeTable& typesNow();
    [[nodiscard]] PassEnvironment& environment() { return m_environment; }
    /// The value of an option, or its default in `info`.
    [[nodiscard]] std::string option(const PassInfo& info, std::string_view name) const;
    [[nodiscard]] const WorkContext& work() const { return m_work; }

    /// One rewrite: a transaction around `apply`. `request` names rule, root, matched nodes, reason,
    /// exactness; what was created and erased is read off the journal. A rewrite without a root is named by
    /// the first of its `erasedValues`. When `apply` refuses, or the recipe skips this rewrite, nothing is
    /// changed, and it is recorded as a miss with that reason, or as skipped. True when it was applied and
    /// changed something.
    bool rewrite(RewriteRecord request, const std::function<Refusal(Editor&, RewriteRecord&)>& apply);
    /// Records that a rule was about to change `node`, and why it did not.
    void miss(std::string_view rule, NodeId node, Reason reason);
    /// Records a decision that is left to a person; the pass goes on with the rest or stops, as it sees fit.
    void ask(Question question);

    [[nodiscard]] std::vector<RewriteRecord> takeRecords() { return std::move(m_records); }
    [[nodiscard]] std::vector<RewriteMiss> takeMisses() { return std::move(m_misses); }
    [[nodiscard]] std::vector<Question> takeQuestions() { return std::move(m_questions); }

  private:
    [[nodiscard]] std::string keyOf(const RewriteRecord& request);
    [[nodiscard]] std::string pathOf(GraphId graph) const;
    void describeEdits(RewriteRecord& record) const;
    void followTargets(const RewriteRecord& record);

    Model& m_model;
    FollowingTypes& m_types;
    bool m_hasTypes = false; ///< asked for by this pass
    PassEnvironment& m_environment;
    const PassOptions& m_options;
    const std::set<std::string>& m_skipped;
    const WorkContext& m_work;
    Editor m_editor;
    std::map<std::string, unsigned> m_occurrences;
    std::vector<RewriteRecord> m_records;
    std::vector<RewriteMiss> m_misses;
    std::vector<Question> m_questions;
};

/// One transformation of a model. Stateless: all it needs is in the context.
class Pass {
  public:
    virtual ~Pass() = default;
    [[nodiscard]] virtual const PassInfo& info() const = 0;
    /// Makes all its rewrites. Fails only when it cannot go on at all; "nothing to do" is no error.
    virtual Result<void> run(PassContext& context) const = 0;
};

} // namespace secateur
