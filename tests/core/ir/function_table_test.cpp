// SPDX-License-Identifier: Apache-2.0
#include "core/ir/function_table.h"

#include "core/ir/domains.h"
#include "core/ir/editor.h"

#include <gtest/gtest.h>

namespace secateur {
namespace {

GraphId addFunction(Editor& editor, const char* domain, const char* name, const char* overload = "") {
    const GraphId graph = editor.createGraph(GraphKind::function);
    GraphHeader header;
    header.domain = domain;
    header.name = name;
    header.overload = overload;
    editor.setGraphHeader(graph, header);
    ModelHeader model = editor.model().header();
    model.functions.push_back(graph);
    editor.setModelHeader(model);
    return graph;
}

TEST(Domains, theDefaultOneHasTwoNames) {
    EXPECT_EQ(plainDomain("ai.onnx"), "");
    EXPECT_EQ(plainDomain("ai.onnx.ml"), "ai.onnx.ml");
    EXPECT_EQ(shownDomain(""), "ai.onnx");
    EXPECT_EQ(shownDomain("com.microsoft"), "com.microsoft");
}

TEST(FunctionTable, findsByDomainNameAndOverloadAndTheFirstOfTwo) {
    Model model;
    Editor editor(model);
    const GraphId main = editor.createGraph(GraphKind::main);
    EXPECT_TRUE(FunctionTable(model).empty());
    const GraphId plain = addFunction(editor, "ai.onnx", "F");
    const GraphId other = addFunction(editor, "ai.onnx", "F", "other");
    addFunction(editor, "", "F");
    const FunctionTable table(model);
    EXPECT_EQ(table.find("", "F", ""), plain);
    EXPECT_EQ(table.find("ai.onnx", "F", "other"), other);
    EXPECT_TRUE(table.find("com.microsoft", "F", "").isNone());
    const NodeId call = editor.createNode(main, {"F", "", "", {}, {"y"}, {}});
    EXPECT_EQ(table.calledBy(model, call), plain);
    editor.setOperator(call, "F", "ai.onnx", "other");
    EXPECT_EQ(table.calledBy(model, call), other);
    editor.setOperator(call, "G");
    EXPECT_TRUE(table.calledBy(model, call).isNone());
}

TEST(FunctionTable, callsOfAGraphAreListedOnceInOrder) {
    Model model;
    Editor editor(model);
    const GraphId main = editor.createGraph(GraphKind::main);
    const GraphId a = addFunction(editor, "d", "A"), b = addFunction(editor, "d", "B");
    for (const char* op : {"B", "Relu", "A", "B"})
        editor.createNode(main, {op, "d", "", {}, {}, {}});
    EXPECT_EQ(calledFunctions(model, main, FunctionTable(model)), (std::vector{b, a}));
}

} // namespace
} // namespace secateur
