// SPDX-License-Identifier: Apache-2.0
#include "gpu/cpu/runner.h"

#include "core/messages/messages.h"
#include "gpu/cpu/planned_run.h"

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

/// The plan for any shape still depends on which inputs are there: initializers stand in for the others.
std::string keyOfAnyShape(const std::vector<RuntimeValue>& inputs) {
    std::string key(kAnyShape);
    for (const RuntimeValue& input : inputs)
        key += input.isAbsent() ? '-' : '+';
    return key;
}

} // namespace

Runner::Runner(Model model) : m_model(std::move(model)) {}
Runner::~Runner() = default;

Result<std::vector<RuntimeValue>> Runner::run(std::vector<RuntimeValue> inputs, RunState& state) {
    std::string key = keyOf(inputs);
    bool isForAnyShape = false;
    // An attempt that is given up has drawn random numbers and spent iterations.
    const auto streams = state.streams;
    const std::uint64_t iterations = state.iterationsLeft;
    ValueId unsettled;
    for (int attempt = 0; attempt < kMostAttempts; ++attempt) {
        auto found = m_plans.find(key);
        if (found == m_plans.end() && !isForAnyShape && m_plans.size() >= kMostPlans) {
            isForAnyShape = true;
            key = keyOfAnyShape(inputs);
            found = m_plans.find(key);
        }
        if (found == m_plans.end()) {
            auto made = TRY(PlannedRun::make(m_model, inputs, isForAnyShape, m_isDynamic, state));
            found = m_plans.emplace(key, std::move(made)).first;
        }
        m_last = found->second.get();
        PlannedRun::Outcome outcome = TRY(m_last->run(inputs, state));
        if (outcome.unplanned.isNone()) return std::move(outcome.outputs);
        unsettled = outcome.unplanned;
        if (m_isDynamic.size() <= unsettled.index) m_isDynamic.resize(unsettled.index + 1);
        m_isDynamic[unsettled.index] = true;
        m_last = nullptr;
        m_plans.clear();
        state.streams = streams;
        state.iterationsLeft = iterations;
    }
    return missingHere(formatMessage("exec.shapes-unsettled", {std::to_string(kMostAttempts)}),
                       unsettled.index < m_model.valueIdCount() ? valueText(m_model, unsettled)
                                                                : std::string());
}

} // namespace secateur
