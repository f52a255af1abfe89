// SPDX-License-Identifier: Apache-2.0
#include "gpu/cpu/planned_run.h"

#include "core/messages/messages.h"
#include "gpu/cpu/fusion.h"
#include "gpu/cpu/layouts.h"
#include "gpu/cpu/onednn_kernel.h"
#include "gpu/cpu/planned_body.h"
#include "gpu/cpu/reference_step.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <exception>

namespace secateur {
namespace {

constexpr std::uint32_t kNone = PlanStep::kNone;
constexpr int kPoison = 0xA5;

using Clock = std::chrono::steady_clock;

/// Graphs are of one model each: never the same.
bool holdsGraph(const Attribute& attribute) {
    return std::holds_alternative<GraphId>(attribute.value) ||
           std::holds_alternative<std::vector<GraphId>>(attribute.value);
}

bool areSame(const AttributeList& one, const AttributeList& other) {
    return std::equal(one.begin(), one.end(), other.begin(), other.end(),
                      [](const Attribute& a, const Attribute& b) {
                          return !holdsGraph(a) && a.name == b.name && a.type == b.type &&
                                 a.value == b.value && a.reference == b.reference && a.rest == b.rest;
                      });
}

} // namespace

PlannedRun::PlannedRun(SpecializedModel source, const std::vector<NodeId>& origins)
    : m_source(std::move(source)), m_origins(origins) {}
PlannedRun::~PlannedRun() = default;

Result<std::unique_ptr<PlannedRun>> PlannedRun::make(const Model& model, const std::vector<NodeId>& origins,
                                                     const std::vector<RuntimeValue>& inputs,
                                                     bool isForAnyShape, const std::vector<bool>& isDynamic,
                                                     RunState& state) {
    SpecializedModel source = TRY(specializeModel(model, inputs, state.fixed, *state.work, isForAnyShape));
    // Whoever listens is told of every node by itself.
    if (!isForAnyShape && !state.options.onNode) fuseConvolutions(source, state.options.mode, state.fixed);
    auto run = std::unique_ptr<PlannedRun>(new PlannedRun(std::move(source), origins));
    std::vector<bool> unknown = isDynamic;
    if (isForAnyShape) unknown.assign(run->m_source.model.valueIdCount(), true);
    try {
        TRY(run->prepare(unknown, state));
    } catch (const std::exception& problem) { // oneDNN's way to say what it cannot do
        return missingHere(formatMessage("exec.kernel-failed", {problem.what()}));
    }
    return run;
}

Result<void> PlannedRun::prepare(const std::vector<bool>& isDynamic, RunState& state) {
    ConstantStore constants(m_source.model, state.fixed);
    CpuAdvisor advisor(m_source, state.options.mode, constants);
    m_plan = TRY(planExecution(m_source, state.options.mode, advisor, isDynamic));
    m_shapes.resize(m_source.model.valueIdCount());
    m_values.resize(m_plan.forms.size());
    m_given.resize(m_plan.storages.size());
    m_places.assign(m_plan.storages.size(), nullptr);
    m_dying.resize(m_plan.steps.size());
    for (const PlanForm& form : m_plan.forms)
        if (m_plan.storages[form.storage].kind != PlanStorage::Kind::dynamic)
            m_shapes[form.value.index] = plannedShape(m_source, form.value);
    for (const PlanStep& planned : m_plan.steps) {
        Step& step = m_steps.emplace_back();
        step.inputs.resize(planned.inputs.size());
        step.outputs.resize(planned.outputs.size());
        if (planned.kind == PlanStep::Kind::run) {
            PreparedStep prepared = advisor.take(planned.node);
            step.kernel = std::move(prepared.kernel);
            step.origin = prepared.origin;
        } else if (planned.kind == PlanStep::Kind::convert) {
            const PlanForm &from = m_plan.forms[planned.inputs[0]], &to = m_plan.forms[planned.outputs[0]];
            step.kernel = conversion(*m_shapes[from.value.index], from.layout, to.layout,
                                     m_source.types.type(from.value).element);
        }
    }
    m_arena = TRY(state.arenas.allocate(static_cast<std::uint64_t>(m_plan.arenaBytes)));
    for (std::uint32_t i = 0; i < m_plan.storages.size(); ++i) {
        const PlanStorage& storage = m_plan.storages[i];
        if (storage.kind != PlanStorage::Kind::arena) continue;
        m_places[i] = m_arena.get() + storage.offset;
        if (storage.last < static_cast<std::int64_t>(m_dying.size()))
            m_dying[static_cast<std::size_t>(storage.last)].push_back(i);
    }
    for (std::size_t at = 0; at < m_steps.size(); ++at)
        m_steps[at].reach = reachOf(m_plan.steps[at], advisor);
    findPassing();
    return keepConstants(constants);
}

/// Which forms take inputs, and which are let go of when a run is over: nothing is held beyond it but the
/// arena and the constants, whatever else these are called. A body runs often: looked for once.
void PlannedRun::findPassing() {
    const Model& model = m_source.model;
    constexpr std::size_t kNoSlot = SIZE_MAX;
    std::vector<std::size_t> slotOf(model.valueIdCount(), kNoSlot);
    for (std::size_t i = 0; i < m_source.inputs.size(); ++i)
        if (!m_source.inputs[i].isNone()) slotOf[m_source.inputs[i].index] = i;
    std::vector<bool> isConstant(m_plan.storages.size());
    for (const PlanForm& form : m_plan.forms)
        if (model.isInitializer(form.value)) isConstant[form.storage] = true;
    for (std::uint32_t form = 0; form < m_plan.forms.size(); ++form) {
        const PlanForm& each = m_plan.forms[form];
        const auto kind = m_plan.storages[each.storage].kind;
        const bool isOutside = kind == PlanStorage::Kind::external || kind == PlanStorage::Kind::dynamic;
        const std::size_t slot = slotOf[each.value.index];
        if (isOutside && slot != kNoSlot && model.isGraphInput(each.value) && each.layout == kPlainLayout)
            m_taken.emplace_back(form, slot);
        if (kind != PlanStorage::Kind::arena && !isConstant[each.storage]) m_passing.push_back(form);
    }
}

/// By the places that the step gets, and by what results of their types and layouts take.
std::size_t PlannedRun::reachOf(const PlanStep& step, const CpuAdvisor& advisor) const {
    std::size_t reach = 0;
    const auto add = [&](std::uint32_t storage, std::uint64_t bytes) {
        const std::byte* place = m_places[storage];
        if (bytes > 0 && place != nullptr)
            reach = std::max(reach, static_cast<std::size_t>(place - m_arena.get()) + bytes);
    };
    for (const std::uint32_t form : step.outputs) {
        if (form == kNone) continue;
        const PlanForm& each = m_plan.forms[form];
        if (m_plan.storages[each.storage].kind == PlanStorage::Kind::arena)
            add(each.storage, advisor.bytesOf(each.value, each.layout));
    }
    if (step.workspace != kNone) add(step.workspace, m_plan.storages[step.workspace].bytes);
    return reach;
}

/// Initializers that a step reads as they are; weights that kernels hold in their own order are let go.
Result<void> PlannedRun::keepConstants(ConstantStore& constants) {
    std::vector<bool> needed(m_source.model.valueIdCount());
    for (std::uint32_t form = 0; form < m_plan.forms.size(); ++form) {
        const PlanForm& each = m_plan.forms[form];
        if (!m_source.model.isInitializer(each.value) || each.layout != kPlainLayout) continue;
        const PlanStorage& storage = m_plan.storages[each.storage];
        if (storage.kind == PlanStorage::Kind::arena || storage.kind == PlanStorage::Kind::output) continue;
        needed[each.value.index] = true;
        m_given[each.storage] = TRY(constants.constant(each.value));
        m_values[form] = m_given[each.storage];
        const TensorData* tensor = m_given[each.storage].tensor();
        // Only read: a plan never writes into external storages, as its check says.
        if (tensor != nullptr && !tensor->isString())
            m_places[each.storage] = const_cast<std::byte*>(tensor->data());
    }
    constants.keepOnly(needed);
    return {};
}

bool PlannedRun::isInArena(const std::byte* place) const {
    return place >= m_arena.get() && place < m_arena.get() + m_plan.arenaBytes;
}

RuntimeValue PlannedRun::valueOf(std::uint32_t form) const {
    const PlanForm& wanted = m_plan.forms[form];
    const PlanStorage& storage = m_plan.storages[wanted.storage];
    if (storage.kind == PlanStorage::Kind::dynamic) return m_values[form];
    // What is owned elsewhere may be kept by whoever gets it.
    if (const TensorData* owned = m_given[wanted.storage].tensor()) {
        const Shape& shape = *m_shapes[wanted.value.index];
        return owned->shape() == shape ? RuntimeValue(*owned) : RuntimeValue(owned->reshaped(shape));
    }
    return TensorData::over(m_places[wanted.storage], m_source.types.type(wanted.value).element,
                            *m_shapes[wanted.value.index]);
}

Result<void> PlannedRun::bind(const std::vector<RuntimeValue>& inputs, RunState& state) {
    for (const auto& [form, slot] : m_taken) {
        if (slot >= inputs.size()) continue;
        const PlanForm& each = m_plan.forms[form];
        m_values[form] = m_given[each.storage] = inputs[slot];
        const TensorData* tensor = inputs[slot].tensor();
        if (tensor != nullptr && !tensor->isString())
            m_places[each.storage] = const_cast<std::byte*>(tensor->data()); // only read
    }
    for (const std::uint32_t form : m_plan.outputs) {
        if (form == kNone) continue;
        const PlanForm& each = m_plan.forms[form];
        if (m_plan.storages[each.storage].kind != PlanStorage::Kind::output) continue;
        TensorData made = TRY(TensorData::make(state.dynamic, m_source.types.type(each.value).element,
                                               *m_shapes[each.value.index]));
        m_places[each.storage] = made.data();
        m_given[each.storage] = std::move(made);
    }
    return {};
}

void PlannedRun::bindStep(std::size_t at) {
    const PlanStep& planned = m_plan.steps[at];
    const auto placeOf = [&](std::uint32_t form) -> std::byte* {
        if (form == kNone) return nullptr;
        return m_places[m_plan.forms[form].storage];
    };
    for (std::size_t i = 0; i < planned.inputs.size(); ++i)
        m_steps[at].inputs[i] = placeOf(planned.inputs[i]);
    for (std::size_t i = 0; i < planned.outputs.size(); ++i)
        m_steps[at].outputs[i] = placeOf(planned.outputs[i]);
}

Result<void> PlannedRun::runStep(std::size_t at, RunState& state) {
    const PlanStep& planned = m_plan.steps[at];
    Step& step = m_steps[at];
    if (planned.kind == PlanStep::Kind::alias) return {};
    if (planned.kind == PlanStep::Kind::copy) {
        std::memcpy(
            step.outputs[0], step.inputs[0],
            static_cast<std::size_t>(m_plan.storages[m_plan.forms[planned.outputs[0]].storage].bytes));
        return {};
    }
    const StepMemory memory{step.inputs, step.outputs,
                            planned.workspace == kNone ? nullptr : m_places[planned.workspace],
                            state.threads};
    if (step.kernel == nullptr || !step.kernel->canRun(memory))
        return ReferenceStep(*this, planned, state).run();
    try {
        step.kernel->run(memory);
    } catch (const std::exception& problem) {
        const std::string where =
            planned.node.isNone() ? std::string() : nodeText(m_source.model, planned.node);
        return missingHere(formatMessage("exec.kernel-failed", {problem.what()}), where);
    }
    return {};
}

/// The results of a step, plain, for whoever listens.
Result<void> PlannedRun::tell(std::size_t at, RunState& state) {
    const PlanStep& planned = m_plan.steps[at];
    std::vector<RuntimeValue> outputs(planned.outputs.size());
    for (std::size_t slot = 0; slot < outputs.size(); ++slot) {
        const std::uint32_t form = planned.outputs[slot];
        if (form == kNone) continue;
        const PlanForm& each = m_plan.forms[form];
        if (m_plan.storages[each.storage].kind == PlanStorage::Kind::dynamic) {
            outputs[slot] = m_values[form];
            continue;
        }
        const Shape& shape = *m_shapes[each.value.index];
        auto copy = TensorData::make(state.dynamic, m_source.types.type(each.value).element, shape);
        if (!copy) continue;
        if (each.layout == kPlainLayout) {
            std::memcpy(copy->data(), m_places[each.storage], static_cast<std::size_t>(copy->byteSize()));
        } else {
            const std::byte* from = m_places[each.storage];
            std::byte* to = copy->data();
            const StepMemory memory{std::span(&from, 1), std::span(&to, 1), nullptr, state.threads};
            try {
                conversion(shape, each.layout, kPlainLayout, copy->type())->run(memory);
            } catch (const std::exception& problem) {
                return missingHere(formatMessage("exec.kernel-failed", {problem.what()}),
                                   nodeText(m_source.model, planned.node));
            }
        }
        outputs[slot] = std::move(*copy);
    }
    state.options.onNode(m_source.model, planned.node, outputs);
    return {};
}

void PlannedRun::poison(std::size_t at) {
    for (const std::uint32_t storage : m_dying[at])
        std::memset(m_places[storage], kPoison, static_cast<std::size_t>(m_plan.storages[storage].bytes));
}

Result<PlannedRun::Outcome> PlannedRun::run(const std::vector<RuntimeValue>& inputs, RunState& state) {
    m_unplanned = {};
    TRY(bind(inputs, state));
    if (state.poisonsFreedMemory)
        std::memset(m_arena.get(), kPoison, static_cast<std::size_t>(m_plan.arenaBytes));
    m_seconds = m_referenceSeconds = m_conversionSeconds = 0;
    m_reached = 0;
    const double referenceBefore = state.referenceSeconds, conversionBefore = state.conversionSeconds;
    auto mark = Clock::now();
    for (std::size_t at = 0; at < m_plan.steps.size(); ++at) {
        if (state.work->isCancelled()) return cancelled();
        const PlanStep& planned = m_plan.steps[at];
        bindStep(at);
        const double outside = std::exchange(state.innerSeconds, 0);
        const double plannedBefore = state.planSeconds;
        TRY(runStep(at, state));
        Step& step = m_steps[at];
        // The end of a step is the beginning of the next: a look at the clock is not free beside a small one.
        const auto now = Clock::now();
        step.seconds =
            std::chrono::duration<double>(now - mark).count() - (state.planSeconds - plannedBefore);
        mark = now;
        m_seconds += step.seconds;
        m_reached = std::max(m_reached, step.reach);
        const double own = step.seconds - state.innerSeconds;
        state.innerSeconds = outside + step.seconds;
        if (planned.kind == PlanStep::Kind::convert)
            state.conversionSeconds += own;
        else if (step.kernel == nullptr && planned.kind != PlanStep::Kind::alias &&
                 planned.kind != PlanStep::Kind::copy)
            state.referenceSeconds += own;
        if (!m_unplanned.isNone()) return Outcome{{}, m_unplanned};
        if (state.options.onNode && !planned.node.isNone()) TRY(tell(at, state));
        if (state.poisonsFreedMemory) poison(at);
        if (state.options.onNode || state.poisonsFreedMemory) mark = Clock::now();
    }
    m_referenceSeconds = state.referenceSeconds - referenceBefore;
    m_conversionSeconds = state.conversionSeconds - conversionBefore;
    return collect();
}

Result<PlannedRun::Outcome> PlannedRun::collect() {
    Outcome outcome;
    for (const std::uint32_t form : m_plan.outputs)
        outcome.outputs.push_back(form == kNone ? RuntimeValue() : valueOf(form));
    for (const std::uint32_t form : m_passing)
        m_values[form] = m_given[m_plan.forms[form].storage] = {};
    return outcome;
}

RunReport PlannedRun::report() const {
    RunReport report;
    report.arenaBytes = static_cast<std::uint64_t>(m_plan.arenaBytes);
    report.lowerBoundBytes = static_cast<std::uint64_t>(m_plan.lowerBound);
    report.arenaReachedBytes = m_reached;
    report.seconds = m_seconds;
    report.referenceSeconds = m_referenceSeconds;
    report.conversionSeconds = m_conversionSeconds;
    static constexpr const char* kOrigins[] = {"onednn", "own", "reference"};
    for (std::size_t at = 0; at < m_plan.steps.size(); ++at) {
        const PlanStep& planned = m_plan.steps[at];
        RunReport::NodeTime time;
        const bool isNode = !planned.node.isNone();
        time.node = isNode ? nodeText(m_source.model, planned.node)
                           : valueText(m_source.model, m_plan.forms[planned.outputs[0]].value);
        time.op = isNode ? std::string(m_source.model.op(planned.node)) : std::string();
        const bool isView = planned.kind == PlanStep::Kind::alias || planned.kind == PlanStep::Kind::copy;
        time.kernel = !isNode  ? "conversion"
                      : isView ? "view"
                               : kOrigins[static_cast<std::size_t>(m_steps[at].origin)];
        time.seconds = m_steps[at].seconds;
        report.nodes.push_back(std::move(time));
    }
    return report;
}

NodeId PlannedRun::originOf(NodeId node) const {
    if (node.index >= m_origins.size() || m_origins[node.index].isNone()) return node;
    return m_origins[node.index];
}

std::unique_ptr<PlannedRun::Body> PlannedRun::bodyFrom(BodyModel body) const {
    for (NodeId& origin : body.origins)
        if (!origin.isNone()) origin = originOf(origin);
    return std::make_unique<Body>(std::move(body));
}

const FunctionTable& PlannedRun::functionTable() {
    if (!m_functionTable) m_functionTable.emplace(m_source.model);
    return *m_functionTable;
}

PlannedRun::Body& PlannedRun::bodyOf(GraphId body) {
    std::unique_ptr<Body>& known = m_bodies[body.index];
    if (known == nullptr) known = bodyFrom(bodyAsModel(m_source.model, functionTable(), body));
    return *known;
}

PlannedRun::Body& PlannedRun::functionOf(NodeId call, GraphId function, RunState& state) {
    Body*& known = m_functions[call.index];
    if (known != nullptr) return *known;
    std::unique_ptr<Body>& shared = sharedFunction(call, state);
    if (shared == nullptr)
        shared = bodyFrom(functionAsModel(m_source.model, functionTable(), call, function));
    known = shared.get();
    return *known;
}

/// The place for the body of the function that is called: empty where it has not been called from there with
/// these attributes. Plans of one place in the file may serve calls of other shapes, too.
std::unique_ptr<PlannedRun::Body>& PlannedRun::sharedFunction(NodeId call, RunState& state) const {
    if (state.functions == nullptr) state.functions = std::make_shared<FunctionBodies>();
    const Model& model = m_source.model;
    std::string key;
    for (const std::string_view part :
         {model.domain(call), model.op(call), model.text(model.node(call).overload)})
        key += std::to_string(part.size()) + ':' + std::string(part);
    key += std::to_string(originOf(call).index);
    std::vector<FunctionBodies::Called>& known = state.functions->byCall[key];
    const AttributeList& given = model.attributes(call);
    const auto same = std::find_if(known.begin(), known.end(), [&](const FunctionBodies::Called& each) {
        return areSame(each.given, given);
    });
    if (same != known.end()) return same->body;
    known.push_back({given, nullptr});
    return known.back().body;
}

} // namespace secateur
