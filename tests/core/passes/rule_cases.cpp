// SPDX-License-Identifier: Apache-2.0
#include "tests/core/passes/rule_cases.h"

#include "core/analysis/input_domain.h"
#include "core/exec/cells.h"
#include "core/exec/compare.h"
#include "core/exec/edge_inputs.h"
#include "core/exec/input_values.h"
#include "core/exec/reference.h"
#include "core/messages/messages.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <optional>
#include <sstream>

namespace secateur::testing {
namespace {

constexpr std::string_view kMark = "# case:";
constexpr std::uint64_t kMemory = std::uint64_t{1} << 28U;

std::string trimmed(std::string text) {
    const auto isBlank = [](unsigned char c) { return std::isspace(c) != 0; };
    text.erase(text.begin(), std::find_if_not(text.begin(), text.end(), isBlank));
    text.erase(std::find_if_not(text.rbegin(), text.rend(), isBlank).base(), text.end());
    return text;
}

RuleCase caseOf(const std::string& line) {
    RuleCase made;
    const std::size_t bar = line.find('|');
    made.title = trimmed(line.substr(kMark.size(), bar - kMark.size()));
    std::istringstream rest(bar == std::string::npos ? "" : line.substr(bar + 1));
    rest >> made.expectation >> made.argument;
    return made;
}

/// Outputs, or nothing where this model cannot take these inputs.
std::optional<std::vector<RuntimeValue>>
outputsOf(const Model& model, const std::vector<RuntimeValue>& inputs, std::string& why) {
    ReferenceOptions options;
    options.limits.memoryBytes = kMemory;
    auto runner = ReferenceRunner::prepare(model, options);
    if (!runner) {
        why = runner.error().toString();
        return std::nullopt;
    }
    auto outputs = runner->run(inputs);
    if (!outputs) {
        why = outputs.error().toString();
        return std::nullopt;
    }
    return std::move(*outputs);
}

/// Not one bit differs, but for what a NaN carries.
bool isSameBits(const RuntimeValue& a, const RuntimeValue& b) {
    const ValueDifference difference = compareValues(a, b, {0, 0});
    if (!difference.fits || difference.isSameBits) return difference.fits;
    if (a.tensor() == nullptr || b.tensor() == nullptr || difference.nanMismatches > 0) return false;
    if (!isFloating(a.tensor()->type())) return false; // there is no NaN whose bits may differ
    const auto x = readAll<double>(*a.tensor()), y = readAll<double>(*b.tensor());
    for (std::size_t i = 0; i < x.size(); ++i) {
        const bool areNan = std::isnan(x[i]) && std::isnan(y[i]);
        if (!areNan && (x[i] != y[i] || std::signbit(x[i]) != std::signbit(y[i]))) return false;
    }
    return true;
}

/// Is it the same as far as the class promises?
bool isSameValue(const RuntimeValue& a, const RuntimeValue& b, Exactness exactness) {
    if (exactness == Exactness::exact) return isSameBits(a, b);
    const double relative = exactness == Exactness::value ? 1e-6 : 1e-3;
    const ValueDifference difference = compareValues(a, b, {relative, relative * 1e-3});
    return difference.fits && difference.isWithin;
}

} // namespace

std::vector<RuleCase> readCases(const std::filesystem::path& file) {
    std::ifstream in(file);
    EXPECT_TRUE(in.is_open()) << "no cases: " << file;
    std::vector<RuleCase> cases;
    for (std::string line; std::getline(in, line);) {
        if (line.starts_with(kMark)) {
            cases.push_back(caseOf(line));
        } else if (!cases.empty() && !line.starts_with('#')) {
            cases.back().text += line + "\n";
        }
    }
    return cases;
}

bool RuleRun::says(std::string_view reasonId) const {
    return std::any_of(misses.begin(), misses.end(),
                       [&](const RewriteMiss& miss) { return miss.reason.id == reasonId; });
}

Exactness RuleRun::loosest() const {
    Exactness all = Exactness::exact;
    for (const RewriteRecord& record : records)
        all = std::max(all, record.exactness);
    return all;
}

RuleRun applyRules(Model& model, std::span<const Rule* const> rules, std::string_view off,
                   Exactness loosest) {
    TypeTable table;
    table.inferAll(model);
    FollowingTypes types(std::move(table), model.journal().mark());
    PassEnvironment environment;
    const PassOptions options;
    const std::set<std::string> skipped;
    const WorkContext work;
    PassContext context(model, types, environment, options, skipped, work);
    RuleDriver driver(context, rules, loosest, {});
    if (!off.empty()) driver.view().switchOff(off);
    driver.run();
    driver.tellMisses();
    return {context.takeRecords(), context.takeMisses(), driver.counters(), driver.isExhausted()};
}

std::string findDifference(const Model& before, const Model& after, Exactness exactness) {
    TypeTable types;
    types.inferAll(before);
    const auto domains = inputDomains(before, types);
    std::size_t compared = 0;
    std::string whyNot;
    // Approximate rules say what they do not promise at the edges.
    const std::size_t edges = exactness == Exactness::approximate ? 0 : kEdgePatterns.size();
    for (std::uint64_t seed = 0; seed < 3 + edges; ++seed) {
        MemoryPool pool(kMemory);
        InputRequest request;
        request.seed = seed;
        request.freeDim = seed == 1 ? 3 : 2;
        auto inputs = makeInputs(before, domains, request, pool);
        if (!inputs) return inputs.error().toString();
        if (seed >= 3) {
            const std::vector<bool> kept(inputs->size(), false);
            const auto had = applyPattern(*inputs, domains, kept, kEdgePatterns[seed - 3], pool);
            if (!had || !*had) continue;
        }
        const auto wanted = outputsOf(before, *inputs, whyNot);
        if (!wanted) continue; // e.g. a free dimension that the model cannot have
        std::string why;
        const auto got = outputsOf(after, *inputs, why);
        if (!got) return "it no longer runs: " + why;
        if (got->size() != wanted->size()) return "another number of outputs";
        for (std::size_t i = 0; i < got->size(); ++i) {
            if (isSameValue((*got)[i], (*wanted)[i], exactness)) continue;
            const ValueDifference difference = compareValues((*got)[i], (*wanted)[i], {0, 0});
            return "output " + std::to_string(i) + " differs with inputs " + std::to_string(seed) + ": " +
                   (difference.fits ? "by " + std::to_string(difference.maxAbsolute) + ", NaN at " +
                                          std::to_string(difference.nanMismatches)
                                    : difference.misfit);
        }
        ++compared;
    }
    return compared > 0 ? "" : "the model itself never runs: " + whyNot;
}

namespace {

void captureAll(Model& model, const std::vector<ValueId>& values) {
    Editor editor(model);
    const GraphId main = model.mainGraph();
    const ValueId condition = editor.createValue(main, "variant_condition");
    ValueInfo info;
    info.type = Type::tensor(ElementType::boolean, {});
    editor.setInfo(condition, std::make_shared<const ValueInfo>(info));
    const auto old = model.graphInputs(main);
    std::vector<ValueId> inputs(old.begin(), old.end());
    inputs.push_back(condition);
    editor.setGraphInputs(main, inputs);
    for (std::size_t i = 0; i < values.size(); ++i) {
        const std::string name = "variant_" + std::to_string(i);
        const NodeId node = editor.createNode(main, {"If", "", "", {condition}, {name}, {}});
        for (const char* branch : {"then_branch", "else_branch"}) {
            const GraphId body = editor.createGraph(GraphKind::subgraph, main);
            editor.setGraphParent(body, main, node);
            const std::string inner = name + "_" + branch;
            const NodeId copy = editor.createNode(body, {"Identity", "", "", {values[i]}, {inner}, {}});
            editor.appendGraphOutput(body, model.output(copy, 0), inner);
            Attribute attribute;
            attribute.name = branch;
            attribute.type = AttributeType::graph;
            attribute.value = body;
            editor.setAttribute(node, attribute);
        }
        editor.appendGraphOutput(main, model.output(node, 0), name);
    }
}

void listInitializers(Model& model, std::int64_t irVersion) {
    Editor editor(model);
    const GraphId main = model.mainGraph();
    const auto old = model.graphInputs(main);
    std::vector<ValueId> inputs(old.begin(), old.end());
    const std::vector<ValueId> initializers = model.graph(main).initializers;
    for (const ValueId value : initializers) {
        if (!model.isAlive(value) || !model.producer(value).isNone()) continue;
        ValueInfo info;
        info.type = model.value(value).tensor->asType();
        editor.setInfo(value, std::make_shared<const ValueInfo>(info));
        inputs.push_back(value);
    }
    editor.setGraphInputs(main, inputs);
    ModelHeader header = model.header();
    header.irVersion = irVersion;
    editor.setModelHeader(std::move(header));
}

} // namespace

void makeVariant(Model& model, Variant variant) {
    if (variant == Variant::initializersAreInputs) return listInitializers(model, 8);
    if (variant == Variant::initializersAreInputsOfIr3) return listInitializers(model, 3);
    std::vector<ValueId> values;
    for (const NodeId node : model.nodes(model.mainGraph())) {
        for (const ValueId result : model.outputs(node)) {
            const bool isFree = !result.isNone() && !model.isGraphOutput(result);
            if (isFree || (variant == Variant::everyValueIsCaptured && !result.isNone()))
                values.push_back(result);
        }
    }
    if (variant == Variant::everyValueIsCaptured) return captureAll(model, values);
    Editor editor(model);
    for (const ValueId value : values)
        editor.appendGraphOutput(model.mainGraph(), value, model.name(value));
}

} // namespace secateur::testing
