// SPDX-License-Identifier: Apache-2.0
//
// load, prune, save and the whole of it, for large training models: those of SECATEUR_MODELS when it is
// there, and always a generated one. Counters: nodes, edits and bytes of the journal, allocations of one
// round.
#include "core/ir/editor.h"
#include "core/onnx/save.h"
#include "core/session/history.h"
#include "tests/support/allocation_counter.h"
#include "tests/support/models.h"

#include <benchmark/benchmark.h>

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

namespace secateur {
namespace {

namespace fs = std::filesystem;

ValueInfoPtr tensorInfo(ElementType element, std::vector<std::int64_t> dims) {
    ValueInfo info;
    info.type = Type::tensor(element, std::move(dims));
    return std::make_shared<const ValueInfo>(std::move(info));
}

/// x -> (MatMul -> Relu) * layers -> loss, with the gradient of every weight as an output.
class GeneratedModel {
  public:
    explicit GeneratedModel(int layers) : m_editor(m_model), m_main(m_editor.createGraph(GraphKind::main)) {
        ModelHeader header;
        header.irVersion = 8;
        header.opsets = {{"", 17, {}}, {"com.microsoft", 1, {}}};
        m_editor.setModelHeader(header);
        const ValueId x = m_editor.createValue(m_main, "x"), labels = m_editor.createValue(m_main, "labels");
        m_editor.setInfo(x, tensorInfo(ElementType::float32, {8, 16}));
        m_editor.setInfo(labels, tensorInfo(ElementType::int64, {8}));
        m_editor.setGraphInputs(m_main, std::vector{x, labels});
        addForward(x, layers);
        const ValueId seed = m_editor.createInitializer(m_main, "loss_grad", makeFloatTensor({}, {1}));
        const NodeId loss = node("SoftmaxCrossEntropyLoss", "", {m_forward, labels}, {"loss", "log_prob"});
        m_editor.appendGraphOutput(m_main, m_model.output(loss, 0), "loss");
        addBackward(first(node("SoftmaxCrossEntropyLossGrad", "com.microsoft",
                               {seed, m_model.output(loss, 1), labels}, {"logits_grad"})));
    }
    [[nodiscard]] const Model& model() const { return m_model; }

  private:
    NodeId node(const char* op, const char* domain, std::vector<ValueId> inputs,
                std::vector<std::string> outputs) {
        return m_editor.createNode(m_main, {op, domain, "", std::move(inputs), std::move(outputs), {}});
    }
    ValueId first(NodeId id) const { return m_model.output(id, 0); }

    void addForward(ValueId x, int layers) {
        m_forward = x;
        for (int i = 0; i < layers; ++i) {
            const std::string name = "layer" + std::to_string(i);
            m_weights.push_back(m_editor.createInitializer(
                m_main, name + ".weight", makeFloatTensor({16, 16}, std::vector<float>(256, 0.5F))));
            m_inputs.push_back(m_forward);
            const ValueId product =
                first(node("MatMul", "", {m_forward, m_weights.back()}, {name + ".product"}));
            m_forward = first(node("Relu", "", {product}, {name + ".output"}));
            m_outputs.push_back(m_forward);
        }
    }

    void addBackward(ValueId gradient) {
        for (std::size_t i = m_weights.size(); i-- > 0;) {
            const std::string name = "layer" + std::to_string(i);
            const ValueId inner =
                first(node("ReluGrad", "com.microsoft", {gradient, m_outputs[i]}, {name + ".product_grad"}));
            const ValueId turned = first(node("Transpose", "", {m_inputs[i]}, {name + ".turned"}));
            const ValueId weight = first(node("MatMul", "", {turned, inner}, {name + ".weight_grad"}));
            m_editor.appendGraphOutput(m_main, weight, name + ".weight_grad");
            const ValueId turnedWeight =
                first(node("Transpose", "", {m_weights[i]}, {name + ".weight_turned"}));
            gradient = first(node("MatMul", "", {inner, turnedWeight}, {name + ".input_grad"}));
        }
    }

    Model m_model;
    Editor m_editor;
    GraphId m_main;
    ValueId m_forward;
    std::vector<ValueId> m_weights, m_inputs, m_outputs;
};

/// Where the generated model lies for the time of the program.
class GeneratedFile {
  public:
    explicit GeneratedFile(int layers)
        : m_path(fs::temp_directory_path() / ("secateur-bench-" + std::to_string(::getpid()) + ".onnx")) {
        std::ofstream(m_path, std::ios::binary) << *serializeModel(GeneratedModel(layers).model());
    }
    ~GeneratedFile() {
        std::error_code ignored;
        fs::remove(m_path, ignored);
    }
    [[nodiscard]] const fs::path& path() const { return m_path; }

  private:
    fs::path m_path;
};

struct Case {
    std::string name;
    fs::path model, weights;
};

template <class T> T valueOf(Result<T> result) {
    if (!result) throw std::runtime_error(result.error().toString());
    return std::move(result).take();
}

Recipe recipeFor(const Case& one) {
    Recipe recipe = conversionRecipe();
    recipe.weightsPath = one.weights.string();
    return recipe;
}

fs::path outputFile() {
    return fs::temp_directory_path() / ("secateur-bench-out-" + std::to_string(::getpid()) + ".onnx");
}

void countHistory(benchmark::State& state, const History& history, std::uint64_t allocations) {
    state.counters["nodes_before"] = static_cast<double>(history.original().metrics.nodes);
    state.counters["nodes_after"] = static_cast<double>(history.steps().back().after.nodes);
    state.counters["edits"] = static_cast<double>(history.model().journal().mark().edits);
    state.counters["journal_bytes"] = static_cast<double>(history.journalBytes());
    state.counters["allocations"] = static_cast<double>(allocations);
}

void load(benchmark::State& state, const Case& one) {
    for (auto _ : state)
        benchmark::DoNotOptimize(valueOf(loadModel(one.model)).model.nodeIdCount());
}

/// Types, targets and roles of the opened model.
void analyse(benchmark::State& state, const Case& one) {
    for (auto _ : state) {
        state.PauseTiming();
        LoadedModel file = valueOf(loadModel(one.model));
        state.ResumeTiming();
        benchmark::DoNotOptimize(makeOriginal(std::move(file))->metrics.nodes);
    }
}

/// As the command line runs a recipe: what a window shows of each step is not worked out.
const RunOptions kPlainRun{.hasHashes = false, .hasSizes = false, .hasTypes = false};

void prune(benchmark::State& state, const Case& one) {
    const auto original = valueOf(openOriginal(one.model));
    std::uint64_t before = 0, after = 0;
    std::unique_ptr<History> history;
    for (auto _ : state) {
        before = testing::allocationCount();
        history = std::make_unique<History>(valueOf(History::run(original, recipeFor(one), {}, kPlainRun)));
        after = testing::allocationCount();
    }
    countHistory(state, *history, after - before);
}

void save(benchmark::State& state, const Case& one) {
    const History history = valueOf(History::run(valueOf(openOriginal(one.model)), recipeFor(one)));
    for (auto _ : state) {
        if (const auto saved = saveModel(history.model(), outputFile()); !saved)
            throw std::runtime_error(saved.error().toString());
    }
    state.counters["bytes"] = static_cast<double>(fs::file_size(outputFile()));
    fs::remove(outputFile());
}

void whole(benchmark::State& state, const Case& one) {
    std::uint64_t before = 0, after = 0;
    std::unique_ptr<History> history;
    for (auto _ : state) {
        before = testing::allocationCount();
        history = std::make_unique<History>(
            valueOf(History::run(valueOf(openOriginal(one.model)), recipeFor(one), {}, kPlainRun)));
        if (const auto saved = saveModel(history->model(), outputFile()); !saved)
            throw std::runtime_error(saved.error().toString());
        after = testing::allocationCount();
    }
    countHistory(state, *history, after - before);
    fs::remove(outputFile());
}

/// From the end to the original and back.
void undo(benchmark::State& state, const Case& one) {
    History history = valueOf(History::run(valueOf(openOriginal(one.model)), recipeFor(one)));
    for (auto _ : state) {
        history.moveCursor(0);
        history.moveCursor(history.steps().size());
    }
}

void registerCase(const Case& one) {
    const auto add = [&](const char* what, void (*run)(benchmark::State&, const Case&)) {
        benchmark::RegisterBenchmark((std::string(what) + "/" + one.name).c_str(),
                                     [run, one](benchmark::State& state) { run(state, one); })
            ->Unit(benchmark::kMillisecond);
    };
    add("load", load);
    add("analyse", analyse);
    add("prune", prune);
    add("save", save);
    add("undo", undo);
    add("whole", whole);
}

} // namespace
} // namespace secateur

int main(int count, char** words) {
    using namespace secateur;
    const GeneratedFile generated(4000);
    registerCase({"generated28000", generated.path(), {}});
    for (const char* name : {"transformer200", "transformer48.adamw.step"}) {
        const fs::path model = testing::trainingModel(name);
        if (model.empty()) continue;
        const fs::path checkpoint = model.parent_path() / "checkpoint";
        registerCase({name, model, fs::exists(checkpoint) ? checkpoint : fs::path()});
    }
    benchmark::Initialize(&count, words);
    if (benchmark::ReportUnrecognizedArguments(count, words)) return 1;
    benchmark::RunSpecifiedBenchmarks();
    benchmark::Shutdown();
    return 0;
}
