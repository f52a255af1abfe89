// SPDX-License-Identifier: Apache-2.0
#include "core/exec/plan_check.h"

#include "core/memory/placement_check.h"
#include "core/messages/messages.h"

#include <algorithm>

namespace secateur {
namespace {

constexpr std::uint32_t kNone = PlanStep::kNone;

class Checker {
  public:
    Checker(const SpecializedModel& model, const ExecutionPlan& plan)
        : m_model(model.model), m_plan(plan), m_inStorage(plan.storages.size(), kNone),
          m_written(plan.forms.size(), kNone) {}

    Result<void> run() {
        TRY(checkForms());
        for (m_at = 0; m_at < m_plan.steps.size(); ++m_at)
            TRY(checkStep(m_plan.steps[m_at]));
        for (const std::uint32_t form : m_plan.outputs) {
            if (form == kNone) continue;
            TRY(read(form));
            if (m_plan.forms[form].layout != kPlainLayout) return fail("exec.plan-layout", form);
            const auto kind = storageOf(form).kind;
            if (kind == PlanStorage::Kind::arena) return fail("exec.plan-output", form);
        }
        return checkArena();
    }

  private:
    [[nodiscard]] const PlanStorage& storageOf(std::uint32_t form) const {
        return m_plan.storages[m_plan.forms[form].storage];
    }
    [[nodiscard]] Error fail(std::string_view id, std::uint32_t form) const {
        const bool isNode = m_at < m_plan.steps.size() && !m_plan.steps[m_at].node.isNone();
        return invalidInput(
            formatMessage(id, {valueText(m_model, m_plan.forms[form].value), std::to_string(m_at)}),
            isNode ? nodeText(m_model, m_plan.steps[m_at].node) : std::string());
    }

    /// What comes from outside is there from the start, each in a storage of its own.
    Result<void> checkForms() {
        for (std::uint32_t form = 0; form < m_plan.forms.size(); ++form) {
            const PlanForm& each = m_plan.forms[form];
            if (each.storage >= m_plan.storages.size()) return fail("exec.plan-unwritten", form);
            const bool isGiven = m_model.isGraphInput(each.value) || m_model.isInitializer(each.value);
            if (isGiven && each.layout == kPlainLayout && storageOf(form).kind != PlanStorage::Kind::arena &&
                storageOf(form).kind != PlanStorage::Kind::output)
                write(form);
        }
        return {};
    }

    void write(std::uint32_t form) { m_written[form] = m_inStorage[m_plan.forms[form].storage] = m_next++; }

    /// Does the storage still hold what was written under this form?
    Result<void> read(std::uint32_t form) {
        if (m_written[form] == kNone) return fail("exec.plan-unwritten", form);
        if (m_inStorage[m_plan.forms[form].storage] != m_written[form])
            return fail("exec.plan-overwritten", form);
        return checkLife(form);
    }

    [[nodiscard]] Result<void> checkLife(std::uint32_t form) const {
        const PlanStorage& storage = storageOf(form);
        const auto at = static_cast<std::int64_t>(m_at);
        if (at < storage.first || at > storage.last) return fail("exec.plan-not-live", form);
        return {};
    }

    Result<void> checkStep(const PlanStep& step) {
        for (const auto* forms : {&step.inputs, &step.captures})
            for (const std::uint32_t form : *forms)
                if (form != kNone) TRY(read(form));
        for (std::size_t i = 0; i < step.outputs.size(); ++i)
            if (step.outputs[i] != kNone) TRY(checkWrite(step, i));
        if (step.workspace == kNone) return {};
        const PlanStorage& space = m_plan.storages[step.workspace];
        const auto at = static_cast<std::int64_t>(m_at);
        if (space.kind != PlanStorage::Kind::arena || space.first != at || space.last != at)
            return invalidInput(formatMessage("exec.plan-workspace", {std::to_string(m_at)}));
        return {};
    }

    Result<void> checkWrite(const PlanStep& step, std::size_t slot) {
        const std::uint32_t form = step.outputs[slot];
        const std::uint32_t storage = m_plan.forms[form].storage;
        TRY(checkLife(form));
        if (step.kind == PlanStep::Kind::alias) {
            const std::uint32_t from = step.inputs.front();
            if (m_plan.forms[from].storage != storage ||
                m_plan.forms[from].layout != m_plan.forms[form].layout)
                return fail("exec.plan-alias", form);
            m_written[form] = m_written[from];
            return {};
        }
        if (m_plan.storages[storage].kind == PlanStorage::Kind::external)
            return fail("exec.plan-external", form);
        const auto isIn = [&](std::uint32_t other) {
            return other != kNone && m_plan.forms[other].storage == storage;
        };
        // One operand may lie there, in the layout of the result; two, or another result, may not.
        std::size_t operands = 0;
        for (const std::uint32_t input : step.inputs) {
            if (!isIn(input)) continue;
            ++operands;
            if (m_plan.forms[input].layout != m_plan.forms[form].layout)
                return fail("exec.plan-layout", form);
        }
        const auto firstOutput = step.outputs.begin();
        const bool isTwice = std::any_of(firstOutput, firstOutput + static_cast<std::ptrdiff_t>(slot), isIn);
        const bool isCaptured = std::any_of(step.captures.begin(), step.captures.end(), isIn);
        if (operands > 1 || isTwice || isCaptured || (operands == 1 && step.kind != PlanStep::Kind::run))
            return fail("exec.plan-overwritten", form);
        write(form);
        return {};
    }

    [[nodiscard]] Result<void> checkArena() const {
        std::vector<LiveRange> ranges;
        Placement placement;
        for (const PlanStorage& storage : m_plan.storages) {
            if (storage.kind != PlanStorage::Kind::arena) continue;
            ranges.push_back({static_cast<std::int64_t>(storage.bytes), storage.first, storage.last});
            placement.offsets.push_back(storage.offset);
        }
        placement.arena = m_plan.arenaBytes;
        placement.lowerBound = m_plan.lowerBound;
        return checkPlacement(ranges, placement, kPlanAlignment);
    }

    const Model& m_model;
    const ExecutionPlan& m_plan;
    std::vector<std::uint32_t> m_inStorage; ///< which writing lies in a storage
    std::vector<std::uint32_t> m_written;   ///< which writing a form stands for
    std::uint32_t m_next = 0;
    std::size_t m_at = 0;
};

} // namespace

Result<void> checkPlan(const SpecializedModel& model, const ExecutionPlan& plan) {
    return Checker(model, plan).run();
}

} // namespace secateur
