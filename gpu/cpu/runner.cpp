// SPDX-License-Identifier: Apache-2.0
#include "gpu/cpu/runner.h"

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

} // namespace

Runner::Runner(Model model) : m_model(std::move(model)) {}
Runner::~Runner() = default;

Result<std::vector<RuntimeValue>> Runner::run(std::vector<RuntimeValue> inputs, RunState& state) {
    std::string key = keyOf(inputs);
    for (int attempt = 0; attempt < kMostAttempts; ++attempt) {
        auto found = m_plans.find(key);
        if (found == m_plans.end() && m_plans.size() >= kMostPlans) {
            key = std::string(kAnyShape);
            found = m_plans.find(key);
        }
        if (found == m_plans.end()) {
            auto made = TRY(PlannedRun::make(m_model, inputs, key == kAnyShape, m_isDynamic, state));
            found = m_plans.emplace(key, std::move(made)).first;
        }
        m_last = found->second.get();
        PlannedRun::Outcome outcome = TRY(m_last->run(inputs, state));
        if (outcome.unplanned.isNone()) return std::move(outcome.outputs);
        if (m_isDynamic.size() <= outcome.unplanned.index) m_isDynamic.resize(outcome.unplanned.index + 1);
        m_isDynamic[outcome.unplanned.index] = true;
        m_last = nullptr;
        m_plans.clear();
    }
    return invalidInput(std::string());
}

} // namespace secateur
