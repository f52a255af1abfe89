// SPDX-License-Identifier: Apache-2.0
#include "core/session/culprit.h"

#include "core/messages/messages.h"
#include "core/passes/registry.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

namespace secateur {
namespace {

using Status = Verification::Status;

/// How much of a recipe is run: all records of the steps before `step`, and the first `records` of it.
struct Prefix {
    std::size_t step = 0, records = 0;
};

/// The records of the steps that changed something, as the recipe made them in one run.
class Bisection {
  public:
    Bisection(const std::shared_ptr<const Original>& original, const RecipeCheck& check,
              const WorkContext& work)
        : m_original(original), m_check(check), m_work(work) {}

    Result<Blame> run(const Recipe& recipe);

  private:
    Result<bool> findNext(Blame& blame);
    Result<void> listRecords(const Recipe& recipe);
    [[nodiscard]] Recipe cutTo(const Recipe& recipe, Prefix prefix) const;
    Result<bool> differs(const Recipe& recipe, Prefix prefix, Blame& blame);
    Result<std::size_t> firstThatDiffers(std::size_t last, const std::function<Result<bool>(std::size_t)>&);
    [[nodiscard]] Prefix wholeStep(std::size_t busy) const {
        return {m_busy[busy], m_keys[m_busy[busy]].size()};
    }
    void name(const History& history, Prefix prefix, Blame& blame) const;

    const std::shared_ptr<const Original>& m_original;
    const RecipeCheck& m_check;
    const WorkContext& m_work;
    VerificationScope m_scope{.isMidway = true, .hasEdges = false};
    std::vector<std::vector<std::string>> m_keys; ///< by step: of its applied records, in order
    std::vector<std::size_t> m_busy;              ///< steps with records
    Verification m_last;                          ///< what the last check that differed said
    std::optional<History> m_history;
};

Result<void> Bisection::listRecords(const Recipe& recipe) {
    m_history = TRY(History::run(m_original, recipe, m_work, {.hasHashes = false, .hasSizes = false}));
    m_keys.assign(recipe.steps.size(), {});
    m_busy.clear();
    for (std::size_t s = 0; s < m_history->steps().size(); ++s) {
        for (const RewriteRecord& record : m_history->steps()[s].records)
            if (!record.isSkipped) m_keys[s].push_back(record.key);
        if (!m_keys[s].empty()) m_busy.push_back(s);
    }
    return {};
}

Recipe Bisection::cutTo(const Recipe& recipe, Prefix prefix) const {
    Recipe cut = recipe;
    for (std::size_t s = prefix.step + 1; s < cut.steps.size(); ++s)
        cut.steps[s].isOn = false;
    const auto& keys = m_keys[prefix.step];
    cut.steps[prefix.step].skippedRewrites.insert(keys.begin() + static_cast<std::ptrdiff_t>(prefix.records),
                                                  keys.end());
    return cut;
}

/// Fails where the models cannot be compared.
Result<bool> Bisection::differs(const Recipe& recipe, Prefix prefix, Blame& blame) {
    if (m_work.isCancelled()) return cancelled();
    ++blame.checks;
    m_work.report("blame.phase", blame.checks, 0);
    Verification found = TRY(m_check(cutTo(recipe, prefix), m_scope));
    // What could not tell models apart shows no difference: other inputs may.
    if (found.status == Status::notChecked && !found.isSilent)
        return Error{ErrorCode::verification, formatMessage("blame.not-run", {found.reason}), {}};
    const bool isDifferent = found.status == Status::differs;
    if (isDifferent) m_last = std::move(found);
    return isDifferent;
}

/// The smallest i in [1, last] for which `differsWith(i)`, known to hold at `last` and not at 0.
Result<std::size_t> Bisection::firstThatDiffers(std::size_t last,
                                                const std::function<Result<bool>(std::size_t)>& differsWith) {
    std::size_t good = 0, bad = last;
    while (bad - good > 1) {
        const std::size_t middle = good + (bad - good) / 2;
        (TRY(differsWith(middle)) ? bad : good) = middle;
    }
    return bad;
}

/// Finds and skips one more culprit. False where none can be named.
Result<bool> Bisection::findNext(Blame& blame) {
    const Recipe recipe = blame.without;
    TRY(listRecords(recipe));
    const auto doubt = [&](std::string_view id) {
        blame.doubt = message(id);
        return false;
    };
    if (recipe.steps.empty()) return doubt("blame.nothing-done");
    const Prefix all{recipe.steps.size() - 1, m_keys.back().size()};
    if (!TRY(differs(recipe, all, blame))) {
        if (m_scope.hasEdges) return doubt("blame.mode-alone");
        m_scope.hasEdges = true; // not on random inputs, then on the edges
        if (!TRY(differs(recipe, all, blame))) return doubt("blame.mode-alone");
    }
    if (m_busy.empty()) return doubt("blame.nothing-done");
    if (TRY(differs(recipe, {m_busy.front(), 0}, blame))) return doubt("blame.differs-from-itself");
    const std::size_t step = TRY(firstThatDiffers(
        m_busy.size(), [&](std::size_t i) { return differs(recipe, wholeStep(i - 1), blame); }));
    Prefix prefix = wholeStep(step - 1);
    prefix.records = TRY(firstThatDiffers(prefix.records, [&](std::size_t i) {
        return differs(recipe, {prefix.step, i}, blame);
    }));
    // The last check need not have been that of the culprit.
    TRY(differs(recipe, prefix, blame));
    name(*m_history, prefix, blame);
    return true;
}

void Bisection::name(const History& history, Prefix prefix, Blame& blame) const {
    const Step& step = history.steps()[prefix.step];
    Culprit found;
    found.step = prefix.step;
    found.pass = step.pass;
    found.key = m_keys[prefix.step][prefix.records - 1];
    const auto record = std::find_if(step.records.begin(), step.records.end(), [&](const RewriteRecord& r) {
        return !r.isSkipped && r.key == found.key;
    });
    const Model& before = history.original().file.model;
    const bool isKnown = !record->root.isNone() && record->root.index < before.nodeIdCount();
    // A rewrite of values, and one of what an earlier step made, have no node that a person knows.
    found.place = isKnown ? nodeText(before, record->root) : formatReason(record->reason, before);
    found.reason = record->reason;
    found.difference = m_last;
    blame.without.steps[prefix.step].skippedRewrites.insert(found.key);
    blame.culprits.push_back(std::move(found));
}

Result<Blame> Bisection::run(const Recipe& recipe) {
    Blame blame;
    blame.without = recipe;
    while (blame.culprits.size() < kMostCulprits) {
        const auto hasFound = findNext(blame);
        if (!hasFound) {
            if (hasFound.error().code == ErrorCode::cancelled) return hasFound.error();
            blame.doubt = hasFound.error().toString();
        }
        if (!hasFound || !*hasFound) return blame;
        ++blame.checks;
        blame.verdict = TRY(m_check(blame.without, VerificationScope{}));
        if (blame.verdict.status == Status::notChecked)
            blame.doubt = formatMessage("blame.not-run", {blame.verdict.reason});
        if (blame.verdict.status != Status::differs) return blame;
    }
    blame.doubt = formatMessage("blame.too-many", {std::to_string(kMostCulprits)});
    return blame;
}

} // namespace

std::string Culprit::words() const {
    const Pass* known = findPass(pass);
    const std::string title = known == nullptr ? pass : std::string(message(known->info().titleId));
    return formatMessage("blame.found", {title, place, difference.text()});
}

std::vector<std::string> Blame::words() const {
    std::vector<std::string> lines;
    for (const Culprit& culprit : culprits)
        lines.push_back(culprit.words());
    if (!doubt.empty()) lines.push_back(doubt);
    return lines;
}

Result<Blame> findCulprits(const std::shared_ptr<const Original>& original, const Recipe& recipe,
                           const RecipeCheck& check, const WorkContext& work) {
    return Bisection(original, check, work).run(recipe);
}

Result<Blame> findCulpritsInWorker(const std::shared_ptr<const Original>& original, const Recipe& recipe,
                                   const std::filesystem::path& program, double edgeSeconds,
                                   const WorkContext& work, const std::vector<OwnInputs>& own) {
    WorkContext quiet;
    quiet.cancel = work.cancel;
    return findCulprits(
        original, recipe,
        [&](const Recipe& part, VerificationScope scope) {
            scope.own = own;
            return verifyInWorker(original, part, program, edgeSeconds, quiet, scope);
        },
        work);
}

} // namespace secateur
