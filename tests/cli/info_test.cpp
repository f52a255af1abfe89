// SPDX-License-Identifier: Apache-2.0
#include "tests/cli/command_line.h"
#include "tests/support/models.h"

#include <onnx/onnx_pb.h>

#include <algorithm>
#include <set>

namespace secateur::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

TEST_F(CliTest, infoCountsAndRanks) {
    const auto json = runCli({"info", dataModel("classifier.training"), "--json"}).json();
    const auto& info = json["info"];
    EXPECT_EQ(info["nodes"], 17);
    EXPECT_EQ(info["initializers"], 8);
    EXPECT_EQ(info["opsets"]["ai.onnx"], 14);
    EXPECT_EQ(info["opsets"]["com.microsoft"], 1);
    EXPECT_EQ(info["metadata_bytes"], 0);
    EXPECT_TRUE(info["is_training_graph"].get<bool>());
    const auto& roles = info["roles"];
    EXPECT_EQ(roles["forward"], 4);
    EXPECT_EQ(roles["loss"], 1);
    EXPECT_EQ(roles["backward"], 8);
    EXPECT_EQ(roles["accumulator"], 4);
    EXPECT_EQ(roles["optimizer"], 0);
    EXPECT_EQ(info["targets"][0]["name"], "logits");
    EXPECT_GE(info["targets"][0]["score"].get<double>(), 0.8);
    EXPECT_FALSE(info["targets"][0]["evidence"].empty());
    EXPECT_TRUE(info["problems"].empty()) << info["problems"];
    EXPECT_TRUE(info["runtime"].is_null());
}

TEST_F(CliTest, infoFieldsAlsoStandAtTheTop) {
    const auto json = runCli({"info", dataModel("classifier.training"), "--json"}).json();
    for (const char* field : {"nodes", "metadata_bytes", "roles", "targets"})
        EXPECT_EQ(json[field], json["info"][field]);
}

TEST_F(CliTest, infoIsReadable) {
    const Ran run = runCli({"info", dataModel("classifier.training")});
    EXPECT_EQ(run.exit, 0);
    EXPECT_THAT(
        run.out,
        HasSubstr(
            "classifier.training.onnx: ONNX, IR 8, opsets ai.onnx 14, com.microsoft 1, by make_cli_models"));
    EXPECT_THAT(run.out, HasSubstr("17 nodes"));
    EXPECT_THAT(run.out, HasSubstr("roles: forward 4, loss 1, backward 8, accumulator 4"));
    EXPECT_THAT(run.out, HasSubstr("* `logits`"));
    EXPECT_THAT(run.out, HasSubstr("No problems found in 17 nodes."));
}

TEST_F(CliTest, infoOfAnInferenceGraphSaysSo) {
    const auto json = runCli({"info", dataModel("inference"), "--json"}).json();
    EXPECT_FALSE(json["info"]["is_training_graph"].get<bool>());
    EXPECT_EQ(json["info"]["roles"]["forward"], 2);
    EXPECT_EQ(json["info"]["inputs"][0]["type"], "float[N,8]");
}

TEST_F(CliTest, infoNamesWhatRunsInTrainingMode) {
    const Ran run = runCli({"info", dataModel("exported.training")});
    EXPECT_EQ(run.exit, 0) << run.err;
    EXPECT_THAT(run.out, HasSubstr("  2 Dropout and 1 BatchNormalization are made for training or in training mode\n"));
    const auto json = runCli({"info", dataModel("exported.training"), "--json"}).json();
    EXPECT_EQ(json["info"]["training_mode"]["Dropout"], 2);
    EXPECT_EQ(json["info"]["training_mode"]["BatchNormalization"], 1);
    EXPECT_TRUE(json["info"]["is_training_graph"].get<bool>());
    const auto inference = runCli({"info", dataModel("inference"), "--json"}).json();
    EXPECT_TRUE(inference["info"]["training_mode"].is_object());
    EXPECT_TRUE(inference["info"]["training_mode"].empty());
}

TEST_F(CliTest, infoOfAModelThatImportsNoOpsetSaysWhatThatMeans) {
    const Ran run = runCli({"info", dataModel("no_opset")});
    EXPECT_EQ(run.exit, 0) << run.err;
    EXPECT_THAT(run.out, HasSubstr("opsets not given"));
    EXPECT_THAT(run.out, HasSubstr("1 problem:"));
    EXPECT_THAT(run.out, HasSubstr("no opset of it is imported"));
}

TEST_F(CliTest, infoCountsTheOutputsThatItDoesNotList) {
    const auto model = trainingModel("transformer");
    if (model.empty()) GTEST_SKIP() << "no folder of models: set SECATEUR_MODELS";
    const auto json = runCli({"info", model.string(), "--json"}).json();
    std::set<std::string> all;
    for (const auto& output : json["info"]["outputs"])
        all.insert(output["name"].get<std::string>());
    for (const auto& target : json["info"]["targets"])
        all.insert(target["name"].get<std::string>());
    const Ran run = runCli({"info", model.string()});
    constexpr std::size_t kShown = 8;
    EXPECT_THAT(run.out, HasSubstr("  ... and " + std::to_string(all.size() - kShown) + " more\n"));
}

TEST_F(CliTest, infoNamesTracesThatFillTheFile) {
    const auto model = trainingModel("transformer48.adamw.step");
    if (model.empty()) GTEST_SKIP() << "no folder of models: set SECATEUR_MODELS";
    EXPECT_THAT(runCli({"info", model.string()}).out, HasSubstr("--strip-traces leaves them out"));
    EXPECT_THAT(runCli({"info", dataModel("inference")}).out, Not(HasSubstr("--strip-traces")));
}

TEST_F(CliTest, infoCountsWhatATargetKeepsAsItCountsNodes) {
    const auto model = folder.put("m.onnx", modelOfText(R"(
        <ir_version: 8, opset_import: ["" : 17, "local" : 1]>
        main (float[2] x, bool c) => (float[2] y) {
            y = If (c) <then_branch = yes () => (float[2] t) { a = local.Twice(x)  t = Neg(a) },
                       else_branch = no () => (float[2] e) { e = Neg(x) }>
        }
        <domain: "local", opset_import: ["" : 17]> Twice (p) => (q) { r = Add(p, p)  q = Neg(r) })"));
    const auto info = runCli({"info", model.string(), "--json"}).json();
    EXPECT_EQ(info["nodes"], 5);
    EXPECT_EQ(info["targets"][0]["kept_nodes"], 5);
    EXPECT_THAT(runCli({"info", model.string()}).out, HasSubstr("keeps 5 nodes"));
}

TEST_F(CliTest, infoFindsWeightsInConstantsAndInSparseInitializers) {
    const auto model = folder.put("m.onnx", modelOfText(R"(
        <ir_version: 8, opset_import: ["" : 17]>
        main (float[2] x) => (float[300] y) {
            w = ConstantOfShape <value = float[1] {1}> (s)
            s = Constant <value = int64[1] {300}> ()
            b = Constant <value_ints = [1, 2]> ()
            y = Identity(w)
        })"));
    EXPECT_EQ(runCli({"info", model.string(), "--json"}).json()["bytes"]["weights"], 4 + 8);

    onnx::ModelProto proto;
    ASSERT_TRUE(proto.ParseFromString(modelOfText(R"(
        <ir_version: 8, opset_import: ["" : 17]>
        main (float[1, 3] x) => (float[1, 3] y) { y = MatMul(x, w) })")));
    onnx::SparseTensorProto& sparse = *proto.mutable_graph()->add_sparse_initializer();
    for (const int dim : {3, 3})
        sparse.add_dims(dim);
    sparse.mutable_values()->set_name("w");
    sparse.mutable_values()->set_data_type(onnx::TensorProto_DataType_FLOAT);
    sparse.mutable_values()->add_dims(2);
    for (const float value : {2.0F, 5.0F})
        sparse.mutable_values()->add_float_data(value);
    sparse.mutable_indices()->set_data_type(onnx::TensorProto_DataType_INT64);
    sparse.mutable_indices()->add_dims(2);
    for (const int at : {0, 8})
        sparse.mutable_indices()->add_int64_data(at);
    const auto stored = folder.put("s.onnx", proto.SerializeAsString());
    const auto info = runCli({"info", stored.string(), "--json"}).json();
    EXPECT_EQ(info["initializers"], 1);
    EXPECT_GT(info["bytes"]["weights"], 0);
    EXPECT_TRUE(info["problems"].empty()) << info["problems"];

    // Zeros but for two elements, 2 and 5: x = 1 gives 2, 0, 5.
    const Ran run = runCli({"run", stored.string(), "--input", "x=1:1", "--json"});
    ASSERT_EQ(run.exit, 0) << run.err;
    const auto out = run.json()["outputs"][0];
    EXPECT_EQ(out["min"], 0.0);
    EXPECT_EQ(out["max"], 5.0);
    EXPECT_NEAR(out["mean"].get<double>(), 7.0 / 3, 1e-6);

    // 2^62 elements times four numbers each is 0 in 64 bits, as many as there are.
    for (const std::int64_t elements : {std::int64_t{9}, std::int64_t{1} << 62}) {
        sparse.clear_dims();
        for (const std::int64_t dim : {elements, std::int64_t{1}, std::int64_t{1}, std::int64_t{1}})
            sparse.add_dims(dim);
        sparse.mutable_values()->set_dims(0, std::int64_t{1} << 62);
        sparse.mutable_indices()->clear_int64_data();
        sparse.mutable_indices()->clear_dims();
        sparse.mutable_indices()->add_dims(0);
        sparse.mutable_indices()->add_dims(4);
        const auto lying = folder.put("lie.onnx", proto.SerializeAsString());
        const Ran refused = runCli({"run", lying.string(), "--input", "x=1:1"});
        EXPECT_THAT(refused.exit, ::testing::AnyOf(3, 4)) << refused.err;
        EXPECT_THAT(refused.err, HasSubstr("w")) << refused.err;
    }
}

TEST_F(CliTest, infoNamesNoDimensionThatTheModelDoesNotName) {
    const auto model = folder.put("m.onnx", modelOfText(R"(
        <ir_version: 8, opset_import: ["" : 17]>
        main (float[n, 3] x) => (int64[k, 2] y) { z = NonZero(x)  y = Transpose(z) })"));
    for (const std::vector<std::string>& words :
         {std::vector<std::string>{"info", model.string()},
          {"info", model.string(), "--json"},
          {"prune", model.string(), "--target", "z", "-o", in("o.onnx"), "--json"}}) {
        const Ran run = runCli(words);
        EXPECT_EQ(run.exit, 0) << run.err;
        EXPECT_THAT(run.out, Not(HasSubstr("unk_"))) << run.out;
    }
    EXPECT_THAT(runCli({"report", model.string(), "--target", "z", "-o", in("r.md")}).err,
                Not(HasSubstr("unk_")));
    EXPECT_THAT(readAll(folder / "r.md"), AllOf(HasSubstr("int64[2,?]"), Not(HasSubstr("unk_"))));
}

TEST_F(CliTest, infoOfFunctionsThatMultiplyIsShort) {
    std::string text = "<ir_version: 8, opset_import: [\"\" : 17, \"my\" : 1]> "
                       "g (float[2] x) => (float[2] y) { y = my.f0(x) }";
    for (int level = 0; level < 64; ++level) {
        const std::string next = level == 63 ? "Neg" : "my.f" + std::to_string(level + 1);
        text += "<domain: \"my\", opset_import: [\"\" : 17, \"my\" : 1]> f" + std::to_string(level) +
                " (a) => (b) { t = " + next + "(a)  b = " + next + "(t) }";
    }
    const auto model = folder.put("bomb.onnx", modelOfText(text.c_str()));
    const Ran run = runCli({"info", model.string()});
    EXPECT_EQ(run.exit, 0);
    EXPECT_THAT(run.out, HasSubstr("over 10^18 nodes"));
    EXPECT_LT(std::count(run.out.begin(), run.out.end(), '\n'), 30) << run.out;
}

TEST_F(CliTest, infoForARuntimeIsNotThereYet) {
    const Ran run = runCli({"info", dataModel("inference"), "--runtime", "onnxruntime-1.20"});
    EXPECT_EQ(run.exit, 4);
    EXPECT_THAT(run.err, HasSubstr("onnxruntime-1.20"));
}

} // namespace
} // namespace secateur::testing
