// SPDX-License-Identifier: Apache-2.0
// Rules of arithmetic over all there is: the cases that show what a rule is for are given narrow types, and
// run before and after over all 65,536 values of float16, or all pairs of int8.
#include "core/exec/cells.h"
#include "core/exec/reference.h"
#include "core/onnx/text.h"
#include "core/passes/simplify/rules.h"
#include "tests/core/passes/rule_cases.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

namespace secateur {
namespace {

using testing::RuleCase;

constexpr std::uint64_t kMemory = std::uint64_t{1} << 28U;
constexpr std::uint32_t kPatterns = 65536;

/// Which types of a case become which.
struct Narrowing {
    std::vector<ElementType> from;
    ElementType to;
};
const Narrowing kHalf{{ElementType::float32, ElementType::float64}, ElementType::float16};
const Narrowing kByte{{ElementType::int32, ElementType::int64}, ElementType::int8};

bool isIn(const std::vector<ElementType>& list, ElementType type) {
    return std::find(list.begin(), list.end(), type) != list.end();
}

/// Do all inputs of the main graph have such a type, the same one?
bool isFit(const Model& model, const Narrowing& narrowing) {
    const auto inputs = model.graphInputs(model.mainGraph());
    return !inputs.empty() && std::all_of(inputs.begin(), inputs.end(), [&](ValueId input) {
        const Type& type = model.declaredType(input);
        return isIn(narrowing.from, type.element) && type.elementCount().has_value() &&
               model.value(input).tensor == nullptr;
    });
}

TensorPtr narrowed(MemoryPool& pool, const Tensor& tensor, ElementType to) {
    const auto wide = TensorData::from(pool, tensor);
    auto narrow = TensorData::make(pool, to, tensor.dims);
    if (!wide || !narrow) return nullptr;
    writeAll<double>(*narrow, readAll<double>(*wide));
    return narrow->toTensor();
}

/// Inputs, outputs and constants of the model in the narrow type; leading dimensions of 2 are `rows` long.
void narrow(Model& model, const Narrowing& narrowing, std::int64_t rows) {
    MemoryPool pool(kMemory);
    Editor editor(model);
    const ElementType wide = model.declaredType(model.graphInputs(model.mainGraph())[0]).element;
    for (std::size_t i = 0; i < model.valueIdCount(); ++i) {
        const ValueId id(i);
        if (!model.isAlive(id)) continue;
        const TensorPtr tensor = model.value(id).tensor;
        if (tensor && tensor->type == wide) editor.setTensor(id, narrowed(pool, *tensor, narrowing.to));
    }
    for (const ValueId input : model.graphInputs(model.mainGraph())) {
        ValueInfo info;
        info.type = model.declaredType(input);
        info.type.element = narrowing.to;
        if (!info.type.dims.empty() && info.type.dims[0].value == 2) info.type.dims[0].value = rows;
        editor.setInfo(input, std::make_shared<const ValueInfo>(info));
    }
    // What outputs are declared as is no longer so.
    const auto outputs = model.graphOutputs(model.mainGraph());
    const std::vector<ValueId> values(outputs.begin(), outputs.end());
    std::vector<OutputSlot> slots = *model.graph(model.mainGraph()).outputs;
    for (OutputSlot& slot : slots)
        slot.info = nullptr;
    editor.setGraphOutputs(model.mainGraph(), values, slots);
}

/// The next values of each input: the first counts through the low half of `at`, the others through what
/// makes pairs of them.
std::vector<RuntimeValue> inputsAt(const Model& model, std::uint32_t& at, MemoryPool& pool) {
    std::vector<RuntimeValue> inputs;
    std::uint32_t step = 0;
    for (const ValueId input : model.graphInputs(model.mainGraph())) {
        const Type& type = model.declaredType(input);
        Shape shape;
        for (const Dim& dim : type.dims)
            shape.push_back(*dim.value);
        auto made = TensorData::make(pool, type.element, shape);
        const auto count = static_cast<std::uint32_t>(made->count());
        for (std::uint32_t i = 0; i < count; ++i) {
            const std::uint32_t number = at + i;
            if (type.element == ElementType::float16)
                made->as<std::uint16_t>()[i] =
                    static_cast<std::uint16_t>(inputs.empty() ? number : number * 40503U);
            else
                made->as<std::int8_t>()[i] = static_cast<std::int8_t>(inputs.empty() ? number : number >> 8U);
        }
        step = std::max(step, count);
        inputs.emplace_back(std::move(*made));
    }
    at += std::max(step, 1U);
    return inputs;
}

bool isSame(double a, double b, Exactness exactness) {
    if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
    if (exactness == Exactness::exact) return a == b && std::signbit(a) == std::signbit(b);
    if (a == b) return true;
    // One unit in the last place of float16, or a few, and what sums and products that overflow or vanish in
    // between make of it.
    const bool isApproximate = exactness == Exactness::approximate;
    if (isApproximate && (!std::isfinite(a) || !std::isfinite(b))) return true;
    const double relative = isApproximate ? 0x1p-7 : 0x1p-10, absolute = isApproximate ? 0x1p-10 : 0;
    return std::abs(a - b) <= absolute + relative * std::max(std::abs(a), std::abs(b));
}

/// Runs both over all values; a sentence about the first difference. `runs` counts the inputs that were run.
std::string sweep(const Model& before, const Model& after, Exactness exactness, std::size_t& runs) {
    ReferenceOptions options;
    options.limits.memoryBytes = kMemory;
    auto old = ReferenceRunner::prepare(before, options);
    auto now = ReferenceRunner::prepare(after, options);
    if (!old) return "";
    if (!now) return "it no longer runs: " + now.error().toString();
    for (std::uint32_t at = 0; at < kPatterns;) {
        MemoryPool pool(kMemory);
        const std::uint32_t first = at;
        const auto inputs = inputsAt(before, at, pool);
        const auto wanted = old->run(inputs);
        if (!wanted) return runs == 0 ? "" : "it runs on some values only: " + wanted.error().toString();
        const auto got = now->run(inputs);
        if (!got) return "it no longer runs: " + got.error().toString();
        for (std::size_t i = 0; i < wanted->size(); ++i) {
            const TensorData *x = (*wanted)[i].tensor(), *y = (*got)[i].tensor();
            if (x == nullptr || y == nullptr || x->type() != y->type() || x->shape() != y->shape())
                return "another type or shape";
            const auto a = readAll<double>(*x), b = readAll<double>(*y);
            for (std::size_t k = 0; k < a.size(); ++k) {
                if (!isSame(a[k], b[k], exactness))
                    return "element " + std::to_string(k) + " from pattern " + std::to_string(first) + ": " +
                           std::to_string(a[k]) + " became " + std::to_string(b[k]);
            }
        }
        ++runs;
    }
    return "";
}

/// Runs over all values in one case; false where the case cannot be narrowed or the rule then stays away.
bool isSwept(const Rule& rule, const RuleCase& wanted, const Narrowing& narrowing, std::int64_t rows) {
    auto loaded = parseModelText(wanted.text);
    if (!loaded.ok() || !isFit(loaded->model, narrowing)) return false;
    Model& model = loaded->model;
    narrow(model, narrowing, rows);
    const Model before = model.clone();
    const Rule* const rules[] = {&rule};
    const auto run = testing::applyRules(model, rules);
    if (run.applied() == 0) return false;
    std::size_t runs = 0;
    EXPECT_EQ(sweep(before, model, run.loosest(), runs), "") << rule.id << ", " << wanted.title;
    return runs > 0;
}

std::size_t sweepAll(const Narrowing& narrowing) {
    std::size_t swept = 0;
    for (const Rule* rule : allRules()) {
        // Which of two nearly equal numbers is the largest is no number that could be close.
        if (rule->group != RuleGroup::arithmetic || rule->id == "skip-monotone") continue;
        const std::string file = "rules/" + std::string(rule->id) + ".txt";
        for (const RuleCase& wanted : testing::readCases(std::filesystem::path(SECATEUR_TEST_DATA) / file)) {
            if (wanted.expectation != "fires") continue;
            // Long inputs where nothing in the case is against it.
            const bool isDone =
                isSwept(*rule, wanted, narrowing, 4096) || isSwept(*rule, wanted, narrowing, 2);
            if (isDone) std::printf("%s: %s\n", std::string(rule->id).c_str(), wanted.title.c_str());
            swept += isDone ? 1U : 0U;
        }
    }
    return swept;
}

TEST(NarrowSweep, everyValueOfFloat16) {
    EXPECT_GE(sweepAll(kHalf), 20U);
}

TEST(NarrowSweep, everyPairOfInt8) {
    EXPECT_GE(sweepAll(kByte), 4U);
}

} // namespace
} // namespace secateur
