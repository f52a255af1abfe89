// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/analysis/roles.h"
#include "core/analysis/targets.h"
#include "core/onnx/load.h"
#include "core/session/metrics.h"
#include "core/session/recipe.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace secateur {

/// One step as it was run.
struct Step {
    std::string pass;
    std::vector<RewriteRecord> records;
    std::vector<RewriteMiss> misses;
    std::vector<Question> questions;
    JournalMark begin, end;                      ///< its edits
    std::uint64_t hashBefore = 0, hashAfter = 0; ///< exactHash
    Metrics before, after;
    double seconds = 0;
    std::optional<Error> failure; ///< the pass could not run; its edits were taken back
    bool isOn = true;             ///< off in the recipe: nothing was run
};

/// The original model as it was opened, with everything known about it. Immutable and shared by all threads.
struct Original {
    LoadedModel file;
    TypeTable types;
    TargetAnalysis targets;
    std::shared_ptr<const RoleTable> roles; ///< with respect to the clear (or best) targets
    Metrics metrics;
};
Result<std::shared_ptr<const Original>> openOriginal(const std::filesystem::path& path,
                                                     const WorkContext& work = {});
std::shared_ptr<const Original> makeOriginal(LoadedModel file, const WorkContext& work = {});

/// What a run measures besides doing it. Hashes and sizes take a walk over the whole model for every step.
struct RunOptions {
    bool hasHashes = true; ///< else hashBefore and hashAfter of the steps are 0
    bool hasSizes = true;  ///< else only the nodes of the metrics of the steps are counted
    bool hasTypes = true;  ///< else History::types() lacks what steps made after the last pass that asked
    std::optional<std::uint64_t> rewriteLimit =
        std::nullopt;              ///< rewrites of all steps together; none: as many as there are
    RewriteTrace* trace = nullptr; ///< hears of every rewrite
    /// Called in front of each step that is run, with its number. The run fails where it fails.
    std::function<Result<void>(const Model&, std::size_t step)> beforeStep = {};
};

/// A recipe run on a model: the model, one Step for each recipe step, and a cursor. Moving the cursor is
/// looking: it unwinds or re-applies edits and changes nothing else. Node and value ids are those of the
/// original wherever they exist there; ids beyond were made by steps. Move only; used by one thread at a
/// time.
class History {
  public:
    /// Runs `recipe` on a clone of the original. Fails when a target or the weights cannot be found, or on
    /// cancel; a pass that cannot run is a Step with a failure and the others go on. Same input, same ids,
    /// same bytes.
    static Result<History> run(std::shared_ptr<const Original> original, const Recipe& recipe,
                               const WorkContext& work = {}, const RunOptions& options = {});

    [[nodiscard]] const Original& original() const { return *m_original; }
    [[nodiscard]] const Recipe& recipe() const { return m_recipe; }
    [[nodiscard]] const std::vector<Step>& steps() const { return m_steps; }
    /// The model at the cursor.
    [[nodiscard]] const Model& model() const { return m_model; }
    /// Types at the end of the recipe (of the values that are left).
    [[nodiscard]] const TypeTable& types() const { return m_types; }
    /// Chosen targets, ids in the model at the end.
    [[nodiscard]] const std::vector<ValueId>& targets() const { return m_targets; }
    /// The same values by the ids that they have in the original.
    [[nodiscard]] const std::vector<ValueId>& chosenTargets() const { return m_chosenTargets; }
    /// Roles with respect to the chosen targets.
    [[nodiscard]] std::shared_ptr<const RoleTable> roles() const { return m_roles; }

    /// Number of steps applied: 0 is the original, steps().size() the end. A new history stands at the end.
    [[nodiscard]] std::size_t cursor() const { return m_cursor; }
    void moveCursor(std::size_t step);
    /// The step that erased a node, or none; and the record that says why.
    [[nodiscard]] std::optional<std::size_t> stepThatErased(NodeId node) const;
    [[nodiscard]] const RewriteRecord* recordThatErased(NodeId node) const;
    /// The recipe with the targets that were taken and the number of rewrites that each step made: what is
    /// saved to a file.
    [[nodiscard]] Recipe countedRecipe() const;
    /// Memory that the edits of all steps take, applied or behind the cursor.
    [[nodiscard]] std::size_t journalBytes() const;
    /// Lines such as "weights.bin: 3 of 20 parameters were not found", for the message bar and standard
    /// error.
    [[nodiscard]] const std::vector<Reason>& notes() const { return m_notes; }

  private:
    History() = default;
    friend class HistoryRunner;

    std::shared_ptr<const Original> m_original;
    Recipe m_recipe;
    Model m_model;
    TypeTable m_types;
    std::vector<ValueId> m_targets, m_chosenTargets;
    std::shared_ptr<const RoleTable> m_roles;
    std::vector<Step> m_steps;
    std::vector<EditLog> m_ahead;              ///< edits of the steps behind the cursor, nearest last
    std::vector<std::uint32_t> m_erasedBy;     ///< by NodeId index: step + 1, 0 is not erased
    std::vector<std::uint32_t> m_erasedRecord; ///< by NodeId index: the record of that step
    std::vector<Reason> m_notes;
    std::size_t m_cursor = 0;
};

} // namespace secateur
