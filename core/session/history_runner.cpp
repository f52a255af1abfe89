// SPDX-License-Identifier: Apache-2.0
#include "core/session/history_runner.h"
#include "core/ir/hidden_names.h"

#include "core/ir/model_hash.h"
#include "core/ir/node_order.h"
#include "core/ir/verifier.h"
#include "core/ir/walk.h"
#include "core/messages/messages.h"
#include "core/passes/convert/weight_source.h"
#include "core/session/target_choice.h"
#include "core/session/weight_fit.h"
#include "core/support/printable.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <new>
#include <utility>

namespace secateur {

HistoryRunner::HistoryRunner(std::shared_ptr<const Original> original, const Recipe& recipe,
                             const WorkContext& work, const RunOptions& options, PassLookup lookup)
    : m_work(work), m_options(options), m_lookup(std::move(lookup)) {
    m_history.m_model = original->file.model.clone();
    m_types = FollowingTypes(original->types);
    m_history.m_original = std::move(original);
    m_history.m_recipe = recipe;
    sortClone();
}

/// Passes may count on sorted nodes, and what they leave is to be a valid model. The original keeps its
/// order, and sorting the clone is no step of the history: nothing can undo it.
void HistoryRunner::sortClone() {
    m_history.m_model.journal().setRecording(false);
    Editor editor(m_history.m_model);
    const auto sorted = static_cast<std::int64_t>(sortNodes(editor));
    m_history.m_model.journal().setRecording(true);
    if (sorted > 0) m_history.m_notes.emplace_back("note.sorted", std::vector<ReasonArgument>{sorted});
}

Result<History> HistoryRunner::run() {
    const Recipe recipe = m_history.m_recipe;
    TRY(checkWeights());
    TRY(chooseTargetsAndRoles());
    for (std::size_t i = 0; i < recipe.steps.size(); ++i) {
        if (m_work.isCancelled()) return cancelled();
        const Pass* pass = m_lookup(recipe.steps[i].pass);
        m_work.report(pass->info().titleId, i, recipe.steps.size());
        TRY(runStep(recipe.steps[i]));
    }
    if (m_options.hasTypes) m_types.upToDate(m_history.m_model);
    m_history.m_types = m_types.take();
    m_history.m_cursor = m_history.m_steps.size();
    m_history.m_targets = m_environment.targets;
    indexErased();
    TRY(judgeWeights());
    return std::move(m_history);
}

Result<void> HistoryRunner::checkWeights() {
    m_environment.weightsPath = m_history.m_recipe.weightsPath;
    m_environment.rewritesLeft = m_options.rewriteLimit;
    m_environment.trace = m_options.trace;
    m_environment.isForOnnxRuntime = m_history.m_recipe.isForOnnxRuntime;
    if (m_environment.weightsPath.empty()) return {};
    // A file that is none must not cost the time of all passes first.
    TRY(openWeights(m_environment.weightsPath));
    return {};
}

Result<void> HistoryRunner::judgeWeights() {
    if (m_environment.weightsPath.empty()) return {};
    const std::filesystem::path file(m_environment.weightsPath);
    if (!usesWeights(m_history.m_recipe)) {
        m_history.m_notes.emplace_back("note.weights-unused",
                                       std::vector<ReasonArgument>{printable(file.filename().string())});
        return {};
    }
    const WeightFit fit = TRY(findWeightFit(m_history));
    if (fit.fitting() == 0) return nothingFits(fit, file);
    for (Reason& note : fit.notes(printable(file.filename().string())))
        m_history.m_notes.push_back(std::move(note));
    return {};
}

Result<void> HistoryRunner::chooseTargetsAndRoles() {
    const Original& original = *m_history.m_original;
    m_environment.targets = TRY(chooseTargets(original, m_history.m_recipe));
    m_history.m_chosenTargets = m_environment.targets;
    for (Reason& note : pinNotes(original, m_history.m_recipe))
        m_history.m_notes.push_back(std::move(note));
    // The original's roles are those of its clear targets: computed once, shared by all that agree.
    const bool isSame = m_environment.targets == original.targets.clear;
    m_history.m_roles = isSame ? original.roles
                               : std::make_shared<const RoleTable>(
                                     findRoles(m_history.m_model, original.types, m_environment.targets));
    m_environment.roles = m_history.m_roles;
    m_environment.areTargetsNamed = !m_history.m_recipe.targets.empty();
    m_environment.original = &original.file.model;
    return {};
}

Result<void> HistoryRunner::runStep(const RecipeStep& wanted) {
    Step step;
    step.pass = wanted.pass;
    step.isOn = wanted.isOn;
    step.begin = step.end = m_history.m_model.journal().mark();
    const bool isFirst = m_history.m_steps.empty();
    if (!isFirst)
        step.hashBefore = m_history.m_steps.back().hashAfter;
    else if (m_options.hasHashes)
        step.hashBefore = exactHash(m_history.m_model);
    step.before = isFirst ? m_history.m_original->metrics : m_history.m_steps.back().after;
    if (wanted.isOn) {
        if (m_options.beforeStep) TRY(m_options.beforeStep(m_history.m_model, m_history.m_steps.size()));
        const auto start = std::chrono::steady_clock::now();
        runPass(*m_lookup(wanted.pass), wanted, step);
        if (m_work.isCancelled()) return cancelled();
        step.end = m_history.m_model.journal().mark();
        step.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    }
    measure(step);
    m_history.m_steps.push_back(std::move(step));
    return {};
}

void HistoryRunner::runPass(const Pass& pass, const RecipeStep& wanted, Step& step) {
    const PassEnvironment before = m_environment;
    PassContext context(m_history.m_model, m_types, m_environment, wanted.options, wanted.skippedRewrites,
                        m_work);
    std::optional<Error> failure;
    try {
        if (auto done = pass.run(context); !done) failure = std::move(done).error();
    } catch (const std::bad_alloc&) {
        failure = missingHere(std::string(message("error.memory")));
    } catch (const std::exception& thrown) {
        failure = Error{
            ErrorCode::verification, formatMessage("error.pass-threw", {pass.info().id, thrown.what()}), {}};
    }
    const bool hasEdits = m_history.m_model.journal().mark() != step.begin;
    if (!failure && hasEdits) {
        // What a body reads from outside since this pass may have the name of something in the body.
        Editor editor(m_history.m_model);
        for (const ValueId value : valuesThatHideReads(m_history.m_model))
            renameInBody(editor, value);
        if (const auto broken = brokenInvariants(m_history.m_model); !broken.empty()) {
            failure = Error{ErrorCode::verification,
                            formatMessage("error.pass-broke", {pass.info().id, broken.front()}),
                            {}};
        }
    }
    step.misses = context.takeMisses();
    step.questions = context.takeQuestions();
    if (failure) {
        m_environment = before;
        takeBack(step, std::move(*failure));
        return;
    }
    step.records = context.takeRecords();
}

void HistoryRunner::takeBack(Step& step, Error failure) {
    m_types.unwind(m_history.m_model, step.begin);
    step.failure = std::move(failure);
}

void HistoryRunner::measure(Step& step) {
    if (step.begin == step.end) {
        step.hashAfter = step.hashBefore;
        step.after = step.before;
        return;
    }
    if (m_options.hasHashes) step.hashAfter = exactHash(m_history.m_model);
    if (m_options.hasSizes)
        step.after = measureModel(m_history.m_model, m_types.asLeft()); // which reads types of inputs alone
    else
        step.after.nodes = countNodes(m_history.m_model);
}

void HistoryRunner::indexErased() {
    m_history.m_erasedBy.assign(m_history.m_model.nodeIdCount(), 0);
    m_history.m_erasedRecord.assign(m_history.m_model.nodeIdCount(), 0);
    for (std::size_t s = 0; s < m_history.m_steps.size(); ++s) {
        const Step& step = m_history.m_steps[s];
        for (std::size_t r = 0; r < step.records.size(); ++r) {
            for (const NodeId node : step.records[r].erased) {
                m_history.m_erasedBy[node.index] = static_cast<std::uint32_t>(s + 1);
                m_history.m_erasedRecord[node.index] = static_cast<std::uint32_t>(r);
            }
        }
    }
}

} // namespace secateur
