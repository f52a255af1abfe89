// SPDX-License-Identifier: Apache-2.0
#include "core/onnx/body_writing.h"

#include "core/ir/node_edits.h"
#include "core/ir/verifier.h"
#include "core/onnx/text.h"
#include "tests/core/onnx/proto_models.h"

#include <gtest/gtest.h>

#include <string>

namespace secateur {
namespace {

/// `y = f(c, x)` with a choice in `f`, one branch of which reads `w`.
onnx::ModelProto callOfChoice() {
    auto loaded =
        parseModelText("<ir_version: 8, opset_import: [\"\" : 17, \"local\" : 1]>\n"
                       "g (bool c, float[2] x) => (float[2] y) { y = local.f(c, x) }\n"
                       "<domain: \"local\", opset_import: [\"\" : 17]>\n"
                       "f (c, a) => (b) { b = If(c) <then_branch = t () => (float[2] r) { r = Add(a, w) }, "
                       "else_branch = e () => (float[2] q) { q = Neg(a) }> }");
    EXPECT_TRUE(loaded.ok()) << (loaded.ok() ? "" : loaded.error().toString());
    onnx::ModelProto proto;
    EXPECT_TRUE(proto.ParseFromString(*serializeModel(loaded->model)));
    return proto;
}

/// The branch that reads `w`, of the only node that a graph or function has.
template <class Graph> onnx::GraphProto& branchOf(Graph& graph) {
    return *graph.mutable_node(0)->mutable_attribute(0)->mutable_g();
}

/// The model with the body of its function in the place of the call.
onnx::ModelProto written(const onnx::ModelProto& proto) {
    LoadedModel loaded = testing::loadProto(proto);
    Editor editor(loaded.model);
    const NodeId call = *loaded.model.nodes(loaded.model.mainGraph()).begin();
    writeBody(editor, call, {loaded.model, loaded.model.header().functions.front(), {}, makeConstant});
    EXPECT_TRUE(findProblems(loaded.model).empty());
    EXPECT_TRUE(brokenInvariants(loaded.model).empty());
    onnx::ModelProto now;
    EXPECT_TRUE(now.ParseFromString(*serializeModel(loaded.model)));
    return now;
}

TEST(BodyWriting, sparseInitializersOfBodiesAreCopied) {
    onnx::ModelProto proto = callOfChoice();
    auto* sparse = branchOf(*proto.mutable_functions(0)).add_sparse_initializer();
    sparse->mutable_values()->set_name("w");
    sparse->mutable_values()->set_data_type(onnx::TensorProto::FLOAT);
    sparse->mutable_values()->add_dims(1);
    sparse->mutable_values()->add_float_data(7);
    sparse->mutable_indices()->set_data_type(onnx::TensorProto::INT64);
    sparse->mutable_indices()->add_dims(1);
    sparse->mutable_indices()->add_int64_data(1);
    sparse->add_dims(2);
    onnx::ModelProto now = written(proto);
    const onnx::GraphProto& branch = branchOf(*now.mutable_graph());
    ASSERT_EQ(branch.sparse_initializer_size(), 1);
    EXPECT_EQ(branch.sparse_initializer(0).values().name(), branch.node(0).input(1));
    EXPECT_EQ(branch.sparse_initializer(0).values().float_data(0), 7);
    EXPECT_EQ(branch.sparse_initializer(0).indices().int64_data(0), 1);
}

TEST(BodyWriting, initializersOfBodiesAreCopied) {
    onnx::ModelProto proto = callOfChoice();
    auto* tensor = branchOf(*proto.mutable_functions(0)).add_initializer();
    tensor->set_name("w");
    tensor->set_data_type(onnx::TensorProto::FLOAT);
    tensor->add_dims(1);
    tensor->add_float_data(7);
    onnx::ModelProto now = written(proto);
    const onnx::GraphProto& branch = branchOf(*now.mutable_graph());
    ASSERT_EQ(branch.initializer_size(), 1);
    EXPECT_EQ(branch.initializer(0).name(), branch.node(0).input(1));
    EXPECT_EQ(branch.initializer(0).float_data(0), 7);
}

} // namespace
} // namespace secateur
