// SPDX-License-Identifier: Apache-2.0
#include "gpu/cpu/runner.h"

#include "core/messages/messages.h"
#include "gpu/cpu/planned_run.h"

#include <chrono>

namespace secateur {
namespace {

/// Beyond this many shapes one plan serves all: it knows no sizes, and asks for memory as it goes.
constexpr std::size_t kMostPlans = 24;
constexpr const char* kAnyShape = "*";
/// Each time one more value turns out to depend on data.
constexpr int kMostAttempts = 64;

std::string keyOf(const std::vector<RuntimeValue>& inputs) {
    std::string key;
    for (const RuntimeValue& input : inputs) {
        const TensorData* tensor = input.tensor();
        key += tensor != nullptr  ? elementTypeName(tensor->type()) + shapeText(tensor->shape())
               : input.isAbsent() ? "-"
                                  : "?";
        key += ';';
    }
    return key;
}

/// Counts as planning what goes by from its making to `stop`, planning in between included.
class PlanClock {
  public:
    explicit PlanClock(RunState& state) : m_state(state), m_before(state.planSeconds) {}
    void stop() {
        const double passed =
            std::chrono::duration<double>(std::chrono::steady_clock::now() - m_start).count();
        m_state.planSeconds = m_before + passed;
    }

  private:
    RunState& m_state;
    double m_before;
    std::chrono::steady_clock::time_point m_start = std::chrono::steady_clock::now();
};

/// The plan for any shape still depends on which inputs are there: initializers stand in for the others.
std::string keyOfAnyShape(const std::vector<RuntimeValue>& inputs) {
    std::string key(kAnyShape);
    for (const RuntimeValue& input : inputs)
        key += input.isAbsent() ? '-' : '+';
    return key;
}

} // namespace

Runner::Runner(Model model, std::vector<NodeId> origins)
    : m_model(std::move(model)), m_origins(std::move(origins)) {}
Runner::~Runner() = default;

/// A body runs again and again on inputs of the same shapes: these are compared, and no key is written out.
bool Runner::isAsLast(const std::vector<RuntimeValue>& inputs) const {
    if (m_last == nullptr || inputs.size() != m_seen.size()) return false;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        const TensorData* tensor = inputs[i].tensor();
        const Seen& seen = m_seen[i];
        const bool isSame =
            tensor != nullptr ? seen.isTensor && tensor->type() == seen.type && tensor->shape() == seen.shape
                              : !seen.isTensor && inputs[i].isAbsent() == seen.isAbsent;
        if (!isSame) return false;
    }
    return true;
}

/// The plans took a value for one of a known shape that it has not.
void Runner::giveUp(ValueId unplanned) {
    if (m_isDynamic.size() <= unplanned.index) m_isDynamic.resize(unplanned.index + 1);
    m_isDynamic[unplanned.index] = true;
    m_last = nullptr;
    m_plans.clear();
}

void Runner::remember(const std::vector<RuntimeValue>& inputs) {
    m_seen.clear();
    for (const RuntimeValue& input : inputs) {
        const TensorData* tensor = input.tensor();
        m_seen.push_back({tensor == nullptr ? ElementType::undefined : tensor->type(),
                          tensor == nullptr ? Shape() : tensor->shape(), tensor != nullptr,
                          input.isAbsent()});
    }
}

Result<std::vector<RuntimeValue>> Runner::run(std::vector<RuntimeValue> inputs, RunState& state) {
    // An attempt that is given up has drawn random numbers and spent iterations.
    const auto streams = state.streams;
    const std::uint64_t iterations = state.loops.left();
    if (isAsLast(inputs)) {
        PlanClock whole(state);
        PlannedRun::Outcome outcome = TRY(m_last->run(inputs, state));
        if (outcome.unplanned.isNone()) return std::move(outcome.outputs);
        whole.stop();
        giveUp(outcome.unplanned);
        state.streams = streams;
        state.loops.restore(iterations);
    }
    m_last = nullptr;
    remember(inputs);
    std::string key = keyOf(inputs);
    bool isForAnyShape = false;
    ValueId unsettled;
    for (int attempt = 0; attempt < kMostAttempts; ++attempt) {
        auto found = m_plans.find(key);
        if (found == m_plans.end() && !isForAnyShape && m_plans.size() >= kMostPlans) {
            isForAnyShape = true;
            key = keyOfAnyShape(inputs);
            found = m_plans.find(key);
        }
        if (found == m_plans.end()) {
            PlanClock clock(state);
            auto made = TRY(PlannedRun::make(m_model, m_origins, inputs, isForAnyShape, m_isDynamic, state));
            clock.stop();
            found = m_plans.emplace(key, std::move(made)).first;
        }
        m_last = found->second.get();
        PlanClock whole(state);
        PlannedRun::Outcome outcome = TRY(m_last->run(inputs, state));
        if (outcome.unplanned.isNone()) return std::move(outcome.outputs);
        whole.stop();
        unsettled = outcome.unplanned;
        giveUp(unsettled);
        state.streams = streams;
        state.loops.restore(iterations);
    }
    return missingHere(formatMessage("exec.shapes-unsettled", {std::to_string(kMostAttempts)}),
                       unsettled.index < m_model.valueIdCount() ? valueText(m_model, unsettled)
                                                                : std::string());
}

} // namespace secateur
