// SPDX-License-Identifier: Apache-2.0
#include "core/session/history.h"

#include "core/session/history_runner.h"
#include "core/session/target_choice.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace secateur {

Result<std::shared_ptr<const Original>> openOriginal(const std::filesystem::path& path,
                                                     const WorkContext& work) {
    LoadedModel file = TRY(loadModel(path, work));
    if (work.isCancelled()) return cancelled();
    auto original = makeOriginal(std::move(file), work);
    if (work.isCancelled()) return cancelled();
    return original;
}

std::shared_ptr<const Original> makeOriginal(LoadedModel file, const WorkContext& work) {
    auto original = std::make_shared<Original>();
    original->file = std::move(file);
    const Model& model = original->file.model;
    original->types.inferAll(model, work);
    original->targets = findTargets(model, original->types);
    original->roles =
        std::make_shared<const RoleTable>(findRoles(model, original->types, original->targets.clear));
    original->metrics = measureModel(model, original->types, original->file.fileBytes);
    return original;
}

Result<History> History::run(std::shared_ptr<const Original> original, const Recipe& recipe,
                             const WorkContext& work, const RunOptions& options) {
    TRY(checkRecipe(recipe));
    return HistoryRunner(std::move(original), recipe, work, options).run();
}

void History::moveCursor(std::size_t step) {
    const std::size_t wanted = std::min(step, m_steps.size());
    while (m_cursor > wanted)
        m_ahead.push_back(Journal::unwind(m_model, m_steps[--m_cursor].begin));
    while (m_cursor < wanted) {
        Journal::reapply(m_model, std::move(m_ahead.back()));
        m_ahead.pop_back();
        ++m_cursor;
    }
    assert(m_model.journal().mark() == (m_cursor == 0 ? JournalMark{} : m_steps[m_cursor - 1].end));
}

std::optional<std::size_t> History::stepThatErased(NodeId node) const {
    if (node.index >= m_erasedBy.size() || m_erasedBy[node.index] == 0) return std::nullopt;
    return m_erasedBy[node.index] - 1U;
}

const RewriteRecord* History::recordThatErased(NodeId node) const {
    const auto step = stepThatErased(node);
    return step ? &m_steps[*step].records[m_erasedRecord[node.index]] : nullptr;
}

Recipe History::countedRecipe() const {
    Recipe counted = m_recipe;
    if (counted.targets.empty() && needsTargets(counted)) counted.pinnedTargets = namesOfTargets(*this);
    for (std::size_t i = 0; i < counted.steps.size(); ++i) {
        const auto& records = m_steps[i].records;
        counted.steps[i].rewrites.reset();
        if (!counted.steps[i].isOn) continue;
        counted.steps[i].rewrites = static_cast<std::uint64_t>(std::count_if(
            records.begin(), records.end(), [](const RewriteRecord& record) { return !record.isSkipped; }));
    }
    return counted;
}

std::size_t History::journalBytes() const {
    std::size_t bytes = m_model.journal().bytes();
    for (const EditLog& log : m_ahead)
        bytes += log.bytes();
    return bytes;
}

} // namespace secateur
