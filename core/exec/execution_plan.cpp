// SPDX-License-Identifier: Apache-2.0
#include "core/exec/execution_plan.h"

#include "core/analysis/operator_mode.h"
#include "core/exec/plan_check.h"
#include "core/exec/run_order.h"
#include "core/ir/function_table.h"
#include "core/ir/walk.h"
#include "core/memory/placement.h"
#include "core/messages/messages.h"

#include <algorithm>
#include <array>

namespace secateur {
namespace {

constexpr std::uint32_t kNone = PlanStep::kNone;
constexpr std::int64_t kNever = -1;
constexpr std::int64_t kToTheEnd = std::numeric_limits<std::int64_t>::max();

class Planner {
  public:
    Planner(const SpecializedModel& model, RunMode mode, PlanAdvisor& advisor,
            const std::vector<bool>& isDynamic)
        : m_source(model), m_model(model.model), m_functions(model.model), m_mode(mode), m_advisor(advisor),
          m_isDynamic(isDynamic) {}

    Result<ExecutionPlan> run() {
        const GraphSchedule schedule = TRY(scheduleGraph(m_model, m_model.mainGraph()));
        findShapes();
        findLastReads(schedule);
        for (m_at = 0; m_at < static_cast<std::int64_t>(schedule.entries.size()); ++m_at)
            TRY(planNode(schedule.entries[static_cast<std::size_t>(m_at)].node));
        TRY(planOutputs());
        TRY(place());
        TRY(checkPlan(m_source, m_plan));
        return std::move(m_plan);
    }

  private:
    /// What is known of a storage beside what the plan says.
    struct Owner {
        std::int64_t lastRead = kNever; ///< by the order of nodes, of any value that lies in it
        bool hasOutput = false;
    };

    void findShapes();
    void findLastReads(const GraphSchedule& schedule);
    [[nodiscard]] bool isStatic(ValueId value) const {
        return value.isNone() || m_shapes[value.index].has_value();
    }
    [[nodiscard]] bool isStatic(NodeId node) const;

    Result<void> planNode(NodeId node);
    Result<void> planRun(NodeId node);
    Result<void> planDynamic(NodeId node);
    Result<bool> planView(NodeId node);
    Result<void> planOutputs();
    Result<void> place();

    std::uint32_t addStorage(PlanStorage::Kind kind, LayoutCode layout, std::uint64_t bytes);
    std::uint32_t addForm(ValueId value, LayoutCode layout, std::uint32_t storage);
    Result<std::uint32_t> nativeForm(ValueId value);
    Result<std::uint32_t> formIn(ValueId value, LayoutCode layout);
    std::uint32_t resultStorage(const PlanStep& step, const StepRequest& request, std::size_t slot,
                                ValueId value);
    [[nodiscard]] bool mayOverwrite(const PlanStep& step, std::size_t slot, ValueId value,
                                    const StepRequest::Slot& wanted, std::size_t outputSlot) const;
    void append(PlanStep step);
    void touch(std::uint32_t storage);

    const SpecializedModel& m_source;
    const Model& m_model;
    FunctionTable m_functions;
    RunMode m_mode;
    PlanAdvisor& m_advisor;
    const std::vector<bool>& m_isDynamic;
    ExecutionPlan m_plan;
    std::vector<std::optional<Shape>> m_shapes;        ///< by value
    std::vector<std::int64_t> m_lastRead;              ///< by value, in the order of nodes
    std::vector<bool> m_isOutput;                      ///< by value
    std::vector<std::vector<std::uint32_t>> m_formsOf; ///< by value, the one it was made in first
    std::vector<Owner> m_owners;                       ///< by storage
    std::int64_t m_at = 0;                             ///< node being planned
};

void Planner::findShapes() {
    m_shapes.resize(m_model.valueIdCount());
    for (std::uint32_t i = 0; i < m_shapes.size(); ++i) {
        if (!m_model.isAlive(ValueId(i)) || (i < m_isDynamic.size() && m_isDynamic[i])) continue;
        m_shapes[i] = plannedShape(m_source, ValueId(i));
    }
}

void Planner::findLastReads(const GraphSchedule& schedule) {
    m_lastRead.assign(m_model.valueIdCount(), kNever);
    m_isOutput.assign(m_model.valueIdCount(), false);
    m_formsOf.resize(m_model.valueIdCount());
    for (std::size_t i = 0; i < schedule.entries.size(); ++i) {
        const NodeId node = schedule.entries[i].node;
        for (const ValueId value : m_model.inputs(node))
            if (!value.isNone()) m_lastRead[value.index] = static_cast<std::int64_t>(i);
        for (const ValueId value : capturesOf(m_model, node))
            m_lastRead[value.index] = static_cast<std::int64_t>(i);
    }
    for (const ValueId value : m_model.graphOutputs(m_model.mainGraph())) {
        if (value.isNone()) continue;
        m_lastRead[value.index] = kToTheEnd;
        m_isOutput[value.index] = true;
    }
}

bool Planner::isStatic(NodeId node) const {
    if (!m_model.subgraphs(node).empty() || !m_functions.calledBy(m_model, node).isNone()) return false;
    const auto inputs = m_model.inputs(node);
    const auto outputs = m_model.outputs(node);
    return std::all_of(inputs.begin(), inputs.end(), [&](ValueId v) { return isStatic(v); }) &&
           std::all_of(outputs.begin(), outputs.end(), [&](ValueId v) { return isStatic(v); });
}

std::uint32_t Planner::addStorage(PlanStorage::Kind kind, LayoutCode layout, std::uint64_t bytes) {
    PlanStorage storage;
    storage.kind = kind;
    storage.layout = layout;
    storage.bytes = bytes;
    storage.first = kToTheEnd;
    storage.last = kNever;
    m_plan.storages.push_back(storage);
    m_owners.emplace_back();
    return static_cast<std::uint32_t>(m_plan.storages.size() - 1);
}

std::uint32_t Planner::addForm(ValueId value, LayoutCode layout, std::uint32_t storage) {
    const auto form = static_cast<std::uint32_t>(m_plan.forms.size());
    m_plan.forms.push_back({value, layout, storage});
    m_formsOf[value.index].push_back(form);
    Owner& owner = m_owners[storage];
    owner.lastRead = std::max(owner.lastRead, m_lastRead[value.index]);
    owner.hasOutput = owner.hasOutput || (m_isOutput[value.index] && layout == kPlainLayout);
    return form;
}

/// The form a value was made in. Inputs and initializers come into being when they are first asked for.
Result<std::uint32_t> Planner::nativeForm(ValueId value) {
    const auto& known = m_formsOf[value.index];
    if (!known.empty()) return known.front();
    if (!m_model.isGraphInput(value) && !m_model.isInitializer(value))
        return invalidInput(formatMessage("exec.plan-unwritten", {valueText(m_model, value)}));
    const auto& shape = m_shapes[value.index];
    const bool isKnown = shape.has_value();
    const std::uint64_t bytes =
        isKnown ? elementCountOf(*shape).value_or(0) * cellBytes(m_source.types.type(value).element) : 0;
    return addForm(
        value, kPlainLayout,
        addStorage(isKnown ? PlanStorage::Kind::external : PlanStorage::Kind::dynamic, kPlainLayout, bytes));
}

/// The value in a layout; a step that converts it is put in front where there is no such form yet.
Result<std::uint32_t> Planner::formIn(ValueId value, LayoutCode layout) {
    const std::uint32_t native = TRY(nativeForm(value));
    for (const std::uint32_t form : m_formsOf[value.index])
        if (m_plan.forms[form].layout == layout) return form;
    PlanStep step;
    step.kind = PlanStep::Kind::convert;
    step.inputs = {native};
    step.outputs = {addForm(value, layout,
                            addStorage(PlanStorage::Kind::arena, layout, m_advisor.bytesOf(value, layout)))};
    const std::uint32_t made = step.outputs.front();
    append(std::move(step));
    ++m_plan.conversions;
    return made;
}

void Planner::touch(std::uint32_t storage) {
    const auto step = static_cast<std::int64_t>(m_plan.steps.size());
    PlanStorage& touched = m_plan.storages[storage];
    touched.first = std::min(touched.first, step);
    touched.last = std::max(touched.last, step);
}

void Planner::append(PlanStep step) {
    for (const auto* forms : {&step.inputs, &step.outputs, &step.captures})
        for (const std::uint32_t form : *forms)
            if (form != kNone) touch(m_plan.forms[form].storage);
    if (step.workspace != kNone) touch(step.workspace);
    m_plan.steps.push_back(std::move(step));
}

Result<void> Planner::planNode(NodeId node) {
    if (!isStatic(node)) return planDynamic(node);
    if (TRY(planView(node))) return {};
    return planRun(node);
}

/// False where the node is no view.
Result<bool> Planner::planView(NodeId node) {
    if (!isViewNode(m_source, node, m_mode)) return false;
    const ValueId from = m_model.input(node, 0), to = m_model.output(node, 0);
    if (to.isNone() || m_source.types.type(from).element != m_source.types.type(to).element) return false;
    const bool keepsShape = m_shapes[from.index] == m_shapes[to.index];
    std::uint32_t form = TRY(nativeForm(from));
    if (!keepsShape) form = TRY(formIn(from, kPlainLayout));
    const PlanForm source = m_plan.forms[form];
    const PlanStorage storage = m_plan.storages[source.storage];
    const auto count = elementCountOf(*m_shapes[to.index]);
    if (count != elementCountOf(*m_shapes[from.index])) return false;
    PlanStep step;
    step.node = node;
    step.inputs = {form};
    // An output must not share its bytes with what the caller owns, nor with another output.
    const bool isShared = storage.kind == PlanStorage::Kind::external || m_owners[source.storage].hasOutput;
    if (m_isOutput[to.index] && isShared && source.layout == kPlainLayout) {
        step.kind = PlanStep::Kind::copy;
        step.outputs = {
            addForm(to, kPlainLayout, addStorage(PlanStorage::Kind::arena, kPlainLayout, storage.bytes))};
    } else {
        step.kind = PlanStep::Kind::alias;
        step.outputs = {addForm(to, source.layout, source.storage)};
    }
    append(std::move(step));
    if (m_isOutput[to.index]) TRY(formIn(to, kPlainLayout));
    return true;
}

bool Planner::mayOverwrite(const PlanStep& step, std::size_t slot, ValueId value,
                           const StepRequest::Slot& wanted, std::size_t outputSlot) const {
    if (slot >= step.inputs.size() || step.inputs[slot] == kNone) return false;
    const PlanForm& form = m_plan.forms[step.inputs[slot]];
    const PlanStorage& storage = m_plan.storages[form.storage];
    // Read for the last time, by whatever name, and by this slot alone.
    if (storage.kind != PlanStorage::Kind::arena || m_owners[form.storage].lastRead > m_at) return false;
    if (storage.bytes != wanted.bytes || form.layout != wanted.layout) return false;
    if (m_shapes[form.value.index] != m_shapes[value.index]) return false; // broadcast
    for (std::size_t other = 0; other < step.inputs.size(); ++other)
        if (other != slot && step.inputs[other] != kNone &&
            m_plan.forms[step.inputs[other]].storage == form.storage)
            return false;
    for (std::size_t other = 0; other < outputSlot; ++other)
        if (step.outputs[other] != kNone && m_plan.forms[step.outputs[other]].storage == form.storage)
            return false;
    return true;
}

std::uint32_t Planner::resultStorage(const PlanStep& step, const StepRequest& request, std::size_t slot,
                                     ValueId value) {
    const StepRequest::Slot& wanted = request.outputs[slot];
    for (const std::size_t input : wanted.overwrites) {
        if (!mayOverwrite(step, input, value, wanted, slot)) continue;
        ++m_plan.inPlaceResults;
        return m_plan.forms[step.inputs[input]].storage;
    }
    return addStorage(PlanStorage::Kind::arena, wanted.layout, wanted.bytes);
}

Result<void> Planner::planRun(NodeId node) {
    const auto inputs = m_model.inputs(node);
    std::vector<LayoutCode> layouts(inputs.size(), kPlainLayout);
    for (std::size_t i = 0; i < inputs.size(); ++i)
        if (!inputs[i].isNone()) layouts[i] = m_plan.forms[TRY(nativeForm(inputs[i]))].layout;
    const StepRequest request = TRY(m_advisor.request(node, layouts));
    PlanStep step;
    step.node = node;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        const bool isRead = !inputs[i].isNone() && request.inputs[i] != kHeldByStep;
        step.inputs.push_back(isRead ? TRY(formIn(inputs[i], request.inputs[i])) : kNone);
    }
    const auto outputs = m_model.outputs(node);
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        if (outputs[i].isNone()) {
            step.outputs.push_back(kNone);
            continue;
        }
        const std::uint32_t storage = resultStorage(step, request, i, outputs[i]);
        step.outputs.push_back(addForm(outputs[i], request.outputs[i].layout, storage));
    }
    if (request.workspaceBytes > 0)
        step.workspace = addStorage(PlanStorage::Kind::arena, kPlainLayout, request.workspaceBytes);
    append(std::move(step));
    for (const ValueId output : outputs)
        if (!output.isNone() && m_isOutput[output.index]) TRY(formIn(output, kPlainLayout));
    return {};
}

Result<void> Planner::planDynamic(NodeId node) {
    PlanStep step;
    step.kind = PlanStep::Kind::dynamic;
    step.node = node;
    for (const ValueId input : m_model.inputs(node))
        step.inputs.push_back(input.isNone() ? kNone : TRY(formIn(input, kPlainLayout)));
    for (const ValueId captured : capturesOf(m_model, node))
        step.captures.push_back(TRY(formIn(captured, kPlainLayout)));
    for (const ValueId output : m_model.outputs(node)) {
        if (output.isNone()) {
            step.outputs.push_back(kNone);
            continue;
        }
        const auto& shape = m_shapes[output.index];
        const std::uint64_t bytes =
            shape ? elementCountOf(*shape).value_or(0) * cellBytes(m_source.types.type(output).element) : 0;
        const auto kind = shape ? PlanStorage::Kind::arena : PlanStorage::Kind::dynamic;
        step.outputs.push_back(addForm(output, kPlainLayout, addStorage(kind, kPlainLayout, bytes)));
    }
    ++m_plan.dynamicSteps;
    append(std::move(step));
    return {};
}

Result<void> Planner::planOutputs() {
    for (const ValueId value : m_model.graphOutputs(m_model.mainGraph())) {
        m_plan.outputs.push_back(value.isNone() ? kNone : TRY(formIn(value, kPlainLayout)));
        if (value.isNone()) continue;
        PlanStorage& storage = m_plan.storages[m_plan.forms[m_plan.outputs.back()].storage];
        if (storage.kind == PlanStorage::Kind::arena) storage.kind = PlanStorage::Kind::output;
        storage.first = std::min(storage.first, static_cast<std::int64_t>(m_plan.steps.size()));
    }
    for (const std::uint32_t form : m_plan.outputs)
        if (form != kNone)
            m_plan.storages[m_plan.forms[form].storage].last = static_cast<std::int64_t>(m_plan.steps.size());
    return {};
}

Result<void> Planner::place() {
    std::vector<LiveRange> ranges;
    std::vector<std::size_t> which;
    for (std::size_t i = 0; i < m_plan.storages.size(); ++i) {
        PlanStorage& storage = m_plan.storages[i];
        if (storage.last < storage.first) storage.first = storage.last = 0; // never used at all
        if (storage.kind != PlanStorage::Kind::arena) continue;
        if (storage.bytes > static_cast<std::uint64_t>(kToTheEnd))
            return invalidInput(formatMessage("memory.too-large", {std::to_string(storage.bytes)}));
        ranges.push_back({static_cast<std::int64_t>(storage.bytes), storage.first, storage.last});
        which.push_back(i);
    }
    const Placement placement = TRY(placeRanges(ranges, kPlanAlignment));
    for (std::size_t i = 0; i < which.size(); ++i)
        m_plan.storages[which[i]].offset = placement.offsets[i];
    m_plan.arenaBytes = placement.arena;
    m_plan.lowerBound = placement.lowerBound;
    return {};
}

/// Dropout that drops nothing, and whose mask nobody asks for.
bool isIdleDropout(const Model& model, NodeId node, RunMode mode) {
    if (!model.output(node, 1).isNone()) return false;
    const auto form = dropoutForm(model, node);
    if (!form || form->bias != DropoutForm::kNoSlot) return false;
    return mode != RunMode::asWritten || dropoutMode(model, node, *form) == DropoutMode::inference;
}

} // namespace

std::optional<Shape> plannedShape(const SpecializedModel& model, ValueId value) {
    const Type& type = model.types.type(value);
    if (!type.isTensor() || !type.hasShape || cellBytes(type.element) == 0 || model.types.isDeclared(value))
        return std::nullopt;
    Shape shape;
    for (const Dim& dim : type.dims) {
        if (!dim.value || *dim.value < 0) return std::nullopt;
        shape.push_back(*dim.value);
    }
    const auto count = elementCountOf(shape);
    constexpr std::uint64_t kMost = std::uint64_t{1} << 56U; // bytes; what is more must fail where it runs
    if (!count || *count > kMost / cellBytes(type.element)) return std::nullopt;
    return shape;
}

bool isViewNode(const SpecializedModel& model, NodeId node, RunMode mode) {
    static constexpr std::array kViews{"Reshape", "Flatten", "Squeeze", "Unsqueeze", "Identity"};
    const Model& graph = model.model;
    if (graph.isOp(node, "Dropout")) return isIdleDropout(graph, node, mode);
    return graph.isDefaultDomain(node) &&
           std::find(kViews.begin(), kViews.end(), graph.op(node)) != kViews.end();
}

Result<ExecutionPlan> planExecution(const SpecializedModel& model, RunMode mode, PlanAdvisor& advisor,
                                    const std::vector<bool>& isDynamic) {
    return Planner(model, mode, advisor, isDynamic).run();
}

} // namespace secateur
