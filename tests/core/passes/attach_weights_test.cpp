// SPDX-License-Identifier: Apache-2.0
#include "core/onnx/save.h"
#include "tests/core/passes/pass_fixture.h"
#include "tests/temporary_folder.h"

namespace secateur {
namespace {

using testing::PassGraph;
using Names = std::vector<std::string>;
constexpr std::string_view kPass = "attach-weights";

/// An ONNX file whose initializers are weights.
std::string weightsFile(const testing::TemporaryFolder& folder) {
    PassGraph source;
    const ValueId w = source.floats("w", {1, 2, 3, 4});
    source.floats("other", {5});
    source.initializer("wrong", makeInt64Tensor({4}, {1, 2, 3, 4}));
    source.output(source.add("Neg", {w}, "n"));
    const std::filesystem::path path = folder.path() / "weights.onnx";
    const Result<void> saved = saveModel(source.model, path);
    EXPECT_TRUE(saved.ok()) << (saved.ok() ? "" : saved.error().toString());
    return path.string();
}

struct ParameterGraph : PassGraph {
    ValueId x, w, wrong, unread;

    explicit ParameterGraph(std::int64_t irVersion = 8) : PassGraph(17, irVersion) {
        x = input("x");
        w = input("w", Type::tensor(ElementType::float32, {4}));
        wrong = input("wrong", Type::tensor(ElementType::float32, {4}));
        unread = input("other", Type::tensor(ElementType::float32, {1}));
        output(add("Mul", {add("Add", {x, w}, "a"), wrong}, "y"));
    }
};

TEST(AttachWeights, parametersBecomeInitializers) {
    const testing::TemporaryFolder folder;
    ParameterGraph g;
    g.environment.weightsPath = weightsFile(folder);
    g.run(kPass);
    EXPECT_EQ(g.inputNames(), (Names{"x", "wrong", "other"}));
    ASSERT_NE(g.model.value(g.w).tensor, nullptr);
    EXPECT_EQ(asDoubles(*g.model.value(g.w).tensor), (std::vector<double>{1, 2, 3, 4}));
    EXPECT_TRUE(g.hasMiss("attach-weights.miss.type"));
    EXPECT_FALSE(g.hasMiss("attach-weights.miss.unknown")) << "`x` is a batch of data, no weight";
}

TEST(AttachWeights, parametersThatTheFileDoesNotHaveAreNamedAndDataAreNot) {
    const testing::TemporaryFolder folder;
    PassGraph g;
    const ValueId x = g.input("x", Type::tensor(ElementType::float32, {2, 4})),
                  w = g.input("w", Type::tensor(ElementType::float32, {4})),
                  kernel = g.input("kernel", Type::tensor(ElementType::float32, {4, 3})),
                  bias = g.input("bias", Type::tensor(ElementType::float32, {3})),
                  table = g.input("table", Type::tensor(ElementType::float32, {9, 3})),
                  ids = g.input("ids", Type::tensor(ElementType::int64, {2}));
    const ValueId scaled = g.add("Mul", {x, w}, "scaled");
    const ValueId sum = g.add("Add", {g.add("MatMul", {scaled, kernel}, "h"), bias}, "sum");
    g.output(g.add("Add", {sum, g.add("Gather", {table, ids}, "looked")}, "y"));
    g.environment.weightsPath = weightsFile(folder);
    g.run(kPass);
    ASSERT_EQ(g.misses.size(), 1U);
    EXPECT_EQ(g.misses[0].reason, Reason("attach-weights.miss.unknown",
                                         {std::int64_t{3}, std::string("`kernel`, `bias`, `table`")}));
}

TEST(AttachWeights, beforeIrVersion4InitializersStayListedAsInputs) {
    const testing::TemporaryFolder folder;
    ParameterGraph g(3);
    g.environment.weightsPath = weightsFile(folder);
    g.run(kPass);
    EXPECT_EQ(g.inputNames(), (Names{"x", "w", "wrong", "other"}));
    EXPECT_NE(g.model.value(g.w).tensor, nullptr);
}

TEST(AttachWeights, withoutAFileNothingHappens) {
    ParameterGraph g;
    g.run(kPass);
    EXPECT_TRUE(g.records.empty() && g.misses.empty());
}

TEST(AttachWeights, aMissingFileIsAnError) {
    ParameterGraph g;
    g.environment.weightsPath = "/nowhere/weights.onnx";
    g.inferTypes();
    const WorkContext work;
    const PassOptions options;
    const std::set<std::string> skipped;
    PassContext context(g.model, g.types, g.environment, options, skipped, work);
    EXPECT_FALSE(findPass(kPass)->run(context).ok());
}

} // namespace
} // namespace secateur
