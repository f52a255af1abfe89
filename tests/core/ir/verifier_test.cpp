// SPDX-License-Identifier: Apache-2.0
#include "core/ir/verifier.h"

#include "core/ir/editor.h"
#include "core/ir/node_order.h"
#include "core/ir/tensor_defect.h"

#include <gtest/gtest.h>

#include <functional>

namespace secateur {
namespace {

/// x -> Relu -> a -> Neg -> y, opset 17.
struct Chain {
    Chain() {
        main = editor.createGraph(GraphKind::main);
        ModelHeader header;
        header.opsets = {{"", 17, {}}};
        editor.setModelHeader(header);
        x = editor.createValue(main, "x");
        editor.setGraphInputs(main, std::vector{x});
        relu = editor.createNode(main, {"Relu", "", "r", {x}, {"a"}, {}});
        a = model.output(relu, 0);
        neg = editor.createNode(main, {"Neg", "", "n", {a}, {"y"}, {}});
        y = model.output(neg, 0);
        editor.appendGraphOutput(main, y, "y");
    }
    /// A function of one node that calls `callee`.
    GraphId function(const char* name, const char* callee, const char* overload = "") {
        const GraphId graph = editor.createGraph(GraphKind::function);
        GraphHeader header;
        header.name = name;
        header.domain = "f";
        header.overload = overload;
        header.opsets = {{"", 17, {}}, {"f", 1, {}}};
        editor.setGraphHeader(graph, header);
        const ValueId in = editor.createValue(graph, "in");
        editor.setGraphInputs(graph, std::vector{in});
        const bool isStandard = std::string_view(callee) == "Relu";
        const NodeId call = editor.createNode(graph, {callee, isStandard ? "" : "f", "", {in}, {"out"}, {}});
        editor.appendGraphOutput(graph, model.output(call, 0), "out");
        ModelHeader all = model.header();
        all.functions.push_back(graph);
        editor.setModelHeader(all);
        return graph;
    }
    std::vector<std::string> ids() const {
        std::vector<std::string> out;
        for (const Problem& problem : findProblems(model))
            out.push_back(problem.id);
        return out;
    }

    Model model;
    Editor editor{model};
    GraphId main;
    ValueId x, a, y;
    NodeId relu, neg;
};

using Ids = std::vector<std::string>;

TEST(Verifier, aSoundModelHasNoProblems) {
    Chain chain;
    chain.editor.createInitializer(chain.main, "w", makeFloatTensor({2, 2}, {1, 2, 3, 4}));
    chain.function("F", "Relu");
    chain.function("F", "Relu", "other");
    chain.function("G", "F");
    EXPECT_EQ(chain.ids(), Ids());
}

TEST(Verifier, twoDefinitionsOfOneNameAreFatalWhoeverMakesThem) {
    const auto expectDuplicate = [](const std::function<void(Chain&)>& change, const char* first,
                                    const char* second) {
        Chain chain;
        change(chain);
        const auto problems = findProblems(chain.model);
        ASSERT_EQ(problems.size(), 1U);
        EXPECT_EQ(problems[0].id, "problem.duplicate-value");
        EXPECT_TRUE(problems[0].isFatal);
        EXPECT_NE(problems[0].text.find(std::string("by ") + first + " and by " + second), std::string::npos)
            << problems[0].text;
    };
    expectDuplicate(
        [](Chain& c) {
            c.editor.createNode(c.main, {"Abs", "", "", {c.x}, {"a"}, {}});
        },
        "Relu `r`", "Abs");
    expectDuplicate([](Chain& c) { c.editor.createInitializer(c.main, "a", makeFloatTensor({1}, {1})); },
                    "an initializer", "Relu `r`");
    expectDuplicate(
        [](Chain& c) {
            c.editor.createInitializer(c.main, "w", makeFloatTensor({1}, {1}));
            c.editor.createInitializer(c.main, "w", makeFloatTensor({1}, {2}));
        },
        "an initializer", "an initializer");
    expectDuplicate(
        [](Chain& c) {
            const ValueId twin = c.editor.createValue(c.main, "x");
            c.editor.setGraphInputs(c.main, std::vector{c.x, twin});
        },
        "an input of the graph", "an input of the graph");
}

TEST(Verifier, findsValuesThatNobodyMakes) {
    Chain chain;
    chain.editor.setInput(chain.neg, 0, chain.editor.createValue(chain.main, "ghost"));
    const auto problems = findProblems(chain.model);
    ASSERT_EQ(problems.size(), 1U);
    EXPECT_EQ(problems[0].id, "problem.missing-value");
    EXPECT_NE(problems[0].text.find("`ghost`"), std::string::npos);
}

TEST(Verifier, unsortedNodesAreAWarningAndCanBeSorted) {
    Chain chain;
    chain.editor.moveNode(chain.neg, chain.main, chain.relu);
    const auto problems = findProblems(chain.model);
    ASSERT_EQ(problems.size(), 1U);
    EXPECT_EQ(problems[0].id, "problem.order");
    EXPECT_EQ(problems[0].severity, Problem::Severity::warning);
    EXPECT_FALSE(problems[0].isFatal);
    EXPECT_EQ(sortNodes(chain.editor), 1U);
    EXPECT_EQ(chain.ids(), Ids());
    EXPECT_TRUE(chain.model.isBefore(chain.relu, chain.neg));
    EXPECT_TRUE(brokenInvariants(chain.model).empty());
    EXPECT_EQ(sortNodes(chain.editor), 0U);
}

TEST(Verifier, sortingMovesAReaderInABodyBehindWhatItReads) {
    Chain chain;
    const GraphId body = chain.editor.createGraph(GraphKind::subgraph, chain.main);
    const ValueId late = chain.editor.createValue(chain.main, "late");
    const NodeId inner = chain.editor.createNode(body, {"Abs", "", "", {late}, {"b"}, {}});
    chain.editor.appendGraphOutput(body, chain.model.output(inner, 0), "b");
    Attribute branch;
    branch.name = "then_branch";
    branch.type = AttributeType::graph;
    branch.value = body;
    const NodeId choice = chain.editor.createNode(chain.main, {"If", "", "", {chain.x}, {"i"}, {branch}});
    chain.editor.setGraphParent(body, chain.main, choice);
    const NodeId maker = chain.editor.createNode(chain.main, {"Neg", "", "", {chain.x}, {}, {}});
    chain.editor.setOutputs(maker, {late});
    EXPECT_EQ(chain.ids(), Ids{"problem.order"});
    EXPECT_EQ(sortNodes(chain.editor), 1U);
    EXPECT_EQ(chain.ids(), Ids());
    EXPECT_TRUE(chain.model.isBefore(maker, choice));
}

TEST(Verifier, aCycleIsFatalAndNamedAsAPath) {
    Chain chain;
    chain.editor.setInput(chain.relu, 0, chain.y);
    const auto problems = findProblems(chain.model);
    ASSERT_EQ(problems.size(), 1U);
    EXPECT_EQ(problems[0].id, "problem.cycle");
    EXPECT_TRUE(problems[0].isFatal);
    const bool isPath = problems[0].text.find("Relu `r` -> Neg `n` -> Relu `r`") != std::string::npos ||
                        problems[0].text.find("Neg `n` -> Relu `r` -> Neg `n`") != std::string::npos;
    EXPECT_TRUE(isPath) << problems[0].text;
    EXPECT_EQ(sortNodes(chain.editor), 0U) << "a cycle has no order";
}

TEST(Verifier, aLongCycleIsToldByItsEnds) {
    Chain chain;
    ValueId last = chain.a;
    for (int i = 0; i < 5000; ++i)
        last = chain.model.output(
            chain.editor.createNode(chain.main, {"Abs", "", "", {last}, {"v" + std::to_string(i)}, {}}), 0);
    chain.editor.setInput(chain.relu, 0, last);
    const auto problems = findProblems(chain.model);
    ASSERT_EQ(problems.size(), 1U);
    EXPECT_EQ(problems[0].id, "problem.cycle");
    EXPECT_LT(problems[0].text.size(), 400U);
    EXPECT_NE(problems[0].text.find("5001 nodes are part"), std::string::npos) << problems[0].text;
}

TEST(Verifier, functionsThatCallThemselvesAreFatal) {
    Chain chain;
    chain.function("F", "F");
    EXPECT_EQ(chain.ids(), Ids{"problem.recursive-function"});
    Chain two;
    two.function("A", "B");
    two.function("B", "A");
    const auto problems = findProblems(two.model);
    ASSERT_EQ(problems.size(), 1U);
    EXPECT_TRUE(problems[0].isFatal);
    EXPECT_NE(problems[0].text.find("`f.A` -> `f.B` -> `f.A`"), std::string::npos) << problems[0].text;
}

TEST(Verifier, functionsDefinedTwiceAreFatal) {
    Chain chain;
    chain.function("F", "Relu", "o");
    chain.function("F", "Relu", "o");
    const auto problems = findProblems(chain.model);
    ASSERT_EQ(problems.size(), 1U);
    EXPECT_EQ(problems[0].id, "problem.duplicate-function");
    EXPECT_TRUE(problems[0].isFatal);
    EXPECT_NE(problems[0].text.find("`f.F:o`"), std::string::npos) << problems[0].text;
}

TEST(Verifier, aDomainWithoutAnOpsetIsNamedOnceWithItsNodes) {
    Chain chain;
    for (const char* name : {"p", "q"})
        chain.editor.createNode(chain.main, {"Gelu", "com.microsoft", "", {chain.x}, {name}, {}});
    const auto problems = findProblems(chain.model);
    ASSERT_EQ(problems.size(), 1U);
    EXPECT_EQ(problems[0].id, "problem.missing-opset");
    EXPECT_FALSE(problems[0].isFatal);
    EXPECT_NE(problems[0].text.find("2 nodes, first Gelu"), std::string::npos) << problems[0].text;
    ModelHeader header = chain.model.header();
    header.opsets = {{"com.microsoft", 1, {}}};
    chain.editor.setModelHeader(header);
    EXPECT_NE(findProblems(chain.model).at(0).text.find("`ai.onnx`"), std::string::npos);
}

/// The sentence id of what is wrong with a tensor; "" where nothing is.
std::string defectOf(Tensor tensor) {
    const auto defect = findDefect(tensor);
    return defect ? defect->sentence : "";
}

Tensor typed(ElementType type, int field, std::vector<std::int64_t> dims, std::size_t bytes) {
    Tensor tensor;
    tensor.type = type;
    tensor.dims = std::move(dims);
    tensor.encoding = Tensor::Encoding::typed;
    tensor.typedField = field;
    tensor.payload = ByteRef::own(std::vector<std::byte>(bytes));
    return tensor;
}

TEST(TensorDefect, rawBytesMustFitTheDims) {
    Tensor tensor = *makeFloatTensor({2, 3}, {1, 2, 3, 4, 5, 6});
    EXPECT_EQ(defectOf(tensor), "");
    for (const std::vector<std::int64_t>& dims : {std::vector<std::int64_t>{2, 2}, {2, 4}, {}, {6, 0}, {7}}) {
        tensor.dims = dims;
        EXPECT_EQ(defectOf(tensor), "problem.tensor-size");
    }
}

TEST(TensorDefect, dimsMustBePossible) {
    Tensor tensor = *makeFloatTensor({1}, {1});
    constexpr std::int64_t kHuge = std::int64_t{1} << 62;
    for (const std::vector<std::int64_t>& dims :
         {std::vector<std::int64_t>{-1}, {-2, -3}, {kHuge, 8}, {kHuge, 4, kHuge}, {kHuge}}) {
        tensor.dims = dims;
        EXPECT_EQ(defectOf(tensor), "problem.tensor-dims");
    }
}

TEST(TensorDefect, typedFieldsHoldAsManyNumbersAsTheDimsSay) {
    using E = ElementType;
    EXPECT_EQ(defectOf(typed(E::float32, 4, {3}, 12)), "");
    EXPECT_EQ(defectOf(typed(E::complex64, 4, {3}, 24)), "");
    EXPECT_EQ(defectOf(typed(E::float64, 10, {3}, 24)), "");
    EXPECT_EQ(defectOf(typed(E::int64, 7, {3}, 3)), "") << "each zero byte is a number";
    EXPECT_EQ(defectOf(typed(E::float16, 5, {2, 2}, 4)), "");
    EXPECT_EQ(defectOf(typed(E::int4, 5, {3}, 2)), "") << "two to a number";
    EXPECT_EQ(defectOf(typed(E::float32, 4, {3}, 8)), "problem.tensor-elements");
    EXPECT_EQ(defectOf(typed(E::int64, 7, {3}, 4)), "problem.tensor-elements");
    EXPECT_EQ(defectOf(typed(E::int4, 5, {3}, 3)), "problem.tensor-elements");
    EXPECT_EQ(defectOf(typed(E::float32, 7, {3}, 3)), "problem.tensor-field");
    EXPECT_EQ(defectOf(typed(static_cast<E>(77), 5, {3}, 1)), "") << "of a type of tomorrow nothing is known";
}

TEST(TensorDefect, textsAndNothingAreCountedToo) {
    Tensor tensor;
    tensor.type = ElementType::string;
    tensor.encoding = Tensor::Encoding::strings;
    tensor.dims = {2};
    tensor.strings = {"a", "b"};
    EXPECT_EQ(defectOf(tensor), "");
    tensor.strings.pop_back();
    EXPECT_EQ(defectOf(tensor), "problem.tensor-elements");
    tensor.type = ElementType::int8;
    EXPECT_EQ(defectOf(tensor), "problem.tensor-field");
    tensor.encoding = Tensor::Encoding::none;
    EXPECT_EQ(defectOf(tensor), "problem.tensor-elements");
    tensor.dims = {0, 4};
    EXPECT_EQ(defectOf(tensor), "");
    tensor.type = ElementType::undefined;
    EXPECT_EQ(defectOf(tensor), "problem.tensor-type");
}

} // namespace
} // namespace secateur
