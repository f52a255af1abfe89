// SPDX-License-Identifier: Apache-2.0
// Names in a model are whatever its maker wrote: markup of every format that we write, characters that turn
// the direction of writing, bytes that are no text. Every export stays valid, and the names can be told.
#include "core/ir/walk.h"
#include "core/onnx/text.h"
#include "tests/cli/command_line.h"
#include "tests/cli/document_checks.h"

#include <onnx/onnx_pb.h>

#include <fstream>

namespace secateur::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// Each has a word that must be found again.
const std::string kInput = "alpha|b`c\n# h*e*a_d_<b>&amp;", kWeight = "beta\x1b[31m\xe2\x80\xaexyz",
                  kInner = "gamma\xff\xfe\x80|\\", kOutput = "delta\"q\\u`",
                  kNode = "epsilon](http://x)[`--> ]]>",
                  kOtherNode = "zeta\"]; x [label=\"</text>\xef\xbf\xbe", kDim = "eta\"|`\n<i>";

void addValue(onnx::ValueInfoProto& value, const std::string& name, std::int64_t last) {
    value.set_name(name);
    auto& tensor = *value.mutable_type()->mutable_tensor_type();
    tensor.set_elem_type(onnx::TensorProto_DataType_FLOAT);
    tensor.mutable_shape()->add_dim()->set_dim_param(kDim);
    tensor.mutable_shape()->add_dim()->set_dim_value(last);
}

onnx::NodeProto& addNode(onnx::GraphProto& graph, const std::string& op,
                         const std::vector<std::string>& inputs, const std::string& output,
                         const std::string& name) {
    onnx::NodeProto& node = *graph.add_node();
    node.set_op_type(op);
    node.set_name(name);
    for (const std::string& input : inputs)
        node.add_input(input);
    node.add_output(output);
    return node;
}

/// input x weight -> Dropout -> Relu -> output, with a node that nothing reads.
std::string nastyModel() {
    onnx::ModelProto model;
    model.set_ir_version(8);
    model.set_producer_name("maker\x1b\"|");
    model.add_opset_import()->set_version(17);
    onnx::GraphProto& graph = *model.mutable_graph();
    graph.set_name("graph\"|\n\xff");
    graph.set_doc_string("doc\x02");
    addValue(*graph.add_input(), kInput, 3);
    addValue(*graph.add_output(), kOutput, 2);
    onnx::TensorProto& weight = *graph.add_initializer();
    weight.set_name(kWeight);
    weight.set_data_type(onnx::TensorProto_DataType_FLOAT);
    weight.add_dims(3);
    weight.add_dims(2);
    for (int i = 0; i < 6; ++i)
        weight.add_float_data(static_cast<float>(i));
    addNode(graph, "MatMul", {kInput, kWeight}, kInner, kNode);
    addNode(graph, "Dropout", {kInner}, "drop|`", kOtherNode);
    addNode(graph, "Relu", {"drop|`"}, kOutput, "");
    addNode(graph, "Neg", {kInner}, "unread`|<b>\n", "dead|\xc3(");
    return model.SerializeAsString();
}

struct NastyNamesTest : CliTest {
    std::string model;
    void SetUp() override { model = folder.put("nasty|`<b>\xff.onnx", nastyModel()).string(); }

    /// The document, shown to be valid text with these words in it.
    std::string exported(const std::string& verb, const std::string& name,
                         const std::vector<std::string>& words) {
        const Ran run = runCli({verb, model, "-o", in(name)});
        EXPECT_EQ(run.exit, 0) << run.err;
        EXPECT_EQ(faultOfText(run.out), "");
        EXPECT_EQ(faultOfText(run.err), "");
        std::string text = readAll(folder / name);
        EXPECT_EQ(faultOfText(text), "") << name;
        for (const std::string& word : words)
            EXPECT_THAT(text, HasSubstr(word)) << name;
        return text;
    }
};

TEST_F(NastyNamesTest, pictures) {
    EXPECT_EQ(faultOfMarkup(exported("export", "g.svg", {"alpha", "beta", "delta"}), false), "");
    const std::string dot = exported("export", "g.dot", {"alpha", "beta", "delta", "epsilon", "zeta"});
    EXPECT_EQ(faultOfDot(dot), "");
}

TEST_F(NastyNamesTest, theModelAsTextIsReadBack) {
    const std::string text =
        exported("export", "g.txt", {"alpha", "beta", "gamma", "delta", "epsilon", "zeta"});
    const auto read = parseModelText(text, "g.txt");
    ASSERT_TRUE(read.ok()) << read.error().toString() << text;
    EXPECT_EQ(countNodes(read->model), 4U);
}

TEST_F(NastyNamesTest, reports) {
    const std::string page = exported("report", "r.html", {"alpha", "beta", "delta", "zeta"});
    EXPECT_EQ(faultOfMarkup(page, true), "");
    const std::string text = exported("report", "r.md", {"alpha", "beta", "delta", "zeta"});
    EXPECT_EQ(faultOfMarkdown(text), "") << text;
    EXPECT_THAT(text, Not(HasSubstr("\n# h"))) << "no name becomes a heading";
    EXPECT_TRUE(nlohmann::json::accept(exported("report", "r.json", {"alpha", "beta", "delta", "zeta"})));
}

TEST_F(NastyNamesTest, jsonOfEveryVerb) {
    for (const std::vector<std::string>& words : {std::vector<std::string>{"info", model},
                                                  {"prune", model, "-o", in("o.onnx")},
                                                  {"explain", model}}) {
        std::vector<std::string> all = words;
        all.emplace_back("--json");
        const Ran run = runCli(all);
        EXPECT_EQ(run.exit, 0) << words[0] << run.err;
        EXPECT_THAT(run.json().dump(), HasSubstr("delta")) << words[0];
        const Ran plain = runCli(words);
        EXPECT_EQ(faultOfText(plain.out + plain.err), "") << words[0];
    }
}

} // namespace
} // namespace secateur::testing
