// SPDX-License-Identifier: Apache-2.0
#include "core/ir/walk.h"
#include "core/onnx/load.h"
#include "core/onnx/type_inference.h"
#include "tests/core/onnx/against_libonnx.h"
#include "tests/support/models.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstring>
#include <ctime>
#include <optional>

namespace secateur {
namespace {

namespace fs = std::filesystem;

/// The model as a file without value_info would give it, and the message it came from.
struct Stripped {
    onnx::ModelProto proto;
    Model model;
};

std::optional<Stripped> stripped(const fs::path& path) {
    Stripped out;
    out.proto = readProto(path);
    dropValueInfo(*out.proto.mutable_graph());
    const std::string bytes = out.proto.SerializeAsString();
    std::vector<std::byte> copy(bytes.size());
    std::memcpy(copy.data(), bytes.data(), bytes.size());
    auto loaded = loadModelFromBytes(ByteRef::own(std::move(copy)), path.string(), path.parent_path());
    if (!loaded) return std::nullopt;
    out.model = std::move(loaded->model);
    return out;
}

void expectNothingLost(const std::vector<fs::path>& paths) {
    for (const fs::path& path : paths) {
        const auto opened = stripped(path);
        ASSERT_TRUE(opened) << path << " does not open";
        TypeTable types;
        types.inferAll(opened->model);
        const Comparison found = compareWithLibonnx(opened->model, types, opened->proto);
        if (found.failure.empty()) {
            EXPECT_TRUE(found.lost.empty())
                << path << ": " << found.lost.size() << " lost, first: " << found.lost.front();
        }
    }
}

TEST(RealModels, noShapeIsLostAgainstLibonnxInItsOwnTestModels) {
    expectNothingLost(testing::filesBelow(SECATEUR_ONNX_TEST_DATA, ".onnx"));
}

TEST(RealModels, noShapeIsLostAgainstLibonnx) {
    const fs::path models = testing::modelsFolder();
    if (models.empty()) GTEST_SKIP() << "no folder of real models: set SECATEUR_MODELS";
    expectNothingLost(testing::filesBelow(models, ".onnx"));
    expectNothingLost(testing::filesBelow(models.parent_path() / "cases", ".onnx"));
}

TEST(RealModels, noValueOfATrainingModelIsWithoutTypeAndRank) {
    const fs::path models = testing::modelsFolder();
    if (models.empty()) GTEST_SKIP() << "no folder of real models: set SECATEUR_MODELS";
    for (const fs::path& path : testing::filesBelow(models / "training", ".onnx")) {
        const auto opened = stripped(path);
        ASSERT_TRUE(opened) << path;
        TypeTable types;
        types.inferAll(opened->model);
        std::size_t open = 0;
        for (const NodeId node : nodesWithin(opened->model, opened->model.mainGraph())) {
            for (const ValueId value : opened->model.outputs(node)) {
                if (value.isNone()) continue;
                const Type& type = types.type(value);
                const bool isKnown = type.isTensor() ? type.hasShape && type.element != ElementType::undefined
                                                     : type.kind != Type::Kind::none;
                if (!isKnown && ++open <= 3) {
                    ADD_FAILURE() << path << ": " << opened->model.op(node) << " "
                                  << opened->model.name(value) << " " << type.text();
                }
            }
        }
        EXPECT_EQ(open, 0U) << path;
        for (const Problem& problem : types.problems()) {
            EXPECT_EQ(problem.severity, Problem::Severity::note) << path << ": " << problem.text;
        }
    }
}

TEST(RealModels, aModelTakesMillisecondsPerTenThousandNodes) {
    const fs::path models = testing::modelsFolder();
    if (models.empty()) GTEST_SKIP() << "no folder of real models: set SECATEUR_MODELS";
    for (const char* name : {"transformer200", "transformer48.adamw.step", "mobilenet.adamw.step"}) {
        auto loaded = loadModel(testing::trainingModel(name));
        ASSERT_TRUE(loaded) << name;
        const auto nodes = static_cast<double>(countNodes(loaded->model));
        TypeTable types;
        types.inferAll(loaded->model); // builds the registry of schemas, once
        const std::clock_t before = std::clock();
        types.inferAll(loaded->model);
        const double ms = 1000.0 * static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC;
        std::printf("%s: %.0f nodes, %.1f ms, %.1f ms per 10,000 nodes\n", name, nodes, ms,
                    ms * 10000.0 / nodes);
        EXPECT_LT(ms * 10000.0 / nodes, 200.0) << name << ": far over the 27 ms it is meant to take";
    }
}

} // namespace
} // namespace secateur
