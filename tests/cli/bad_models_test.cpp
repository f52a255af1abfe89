// SPDX-License-Identifier: Apache-2.0
// Models that ONNX does not allow. What leaves open what a model means is refused by every verb that makes a
// model of it; what is only out of order is put in order. All of them open, with their faults listed.
#include "tests/cli/command_line.h"

#include <onnx/checker.h>
#include <onnx/defs/parser.h>
#include <onnx/onnx_pb.h>

#include <functional>

namespace secateur::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

/// x -> Add(w) -> a -> Twice -> y, with a function of the model.
constexpr const char* kSound = R"(
    <ir_version: 10, opset_import: ["" : 18, "local" : 1]>
    main (float[2,3] x) => (float[2,3] y) <float[3] w = {1, 2, 3}> {
        a = Add(x, w)
        y = local.Twice(a)
    }
    <domain: "local", opset_import: ["" : 18, "local" : 1]>
    Twice (p) => (q) { q = Add(p, p) }
)";

onnx::ModelProto soundModel() {
    onnx::ModelProto model;
    onnx::OnnxParser parser(kSound);
    const auto status = parser.Parse(model);
    EXPECT_TRUE(status.IsOK()) << status.ErrorMessage();
    onnx::GraphProto& graph = *model.mutable_graph();
    graph.mutable_node(0)->set_name("add");
    graph.mutable_node(1)->set_name("twice");
    graph.mutable_initializer(0)->clear_float_data();
    graph.mutable_initializer(0)->set_raw_data(std::string(12, '\0'));
    return model;
}

onnx::NodeProto* addNode(onnx::GraphProto& graph, const char* op, const char* input, const char* output) {
    onnx::NodeProto* node = graph.add_node();
    node->set_op_type(op);
    node->add_input(input);
    node->add_output(output);
    return node;
}

struct BadModel {
    const char* name;
    std::function<void(onnx::ModelProto&)> damage;
    const char* words; ///< of the message
};

std::vector<BadModel> badModels() {
    using Proto = onnx::ModelProto;
    const auto weight = [](Proto& m) { return m.mutable_graph()->mutable_initializer(0); };
    const auto dims = [weight](std::vector<std::int64_t> sizes) {
        return [weight, sizes](Proto& m) {
            weight(m)->clear_dims();
            for (const std::int64_t size : sizes)
                weight(m)->add_dims(size);
        };
    };
    return {
        {"a name written by two nodes", [](Proto& m) { addNode(*m.mutable_graph(), "Neg", "x", "a"); },
         "`a` is defined twice in graph `main`: by Add `add` and by Neg"},
        {"two initializers of one name",
         [weight](Proto& m) { *m.mutable_graph()->add_initializer() = *weight(m); },
         "`w` is defined twice in graph `main`: by an initializer and by an initializer"},
        {"an initializer named as a result",
         [weight](Proto& m) {
             *m.mutable_graph()->add_initializer() = *weight(m);
             m.mutable_graph()->mutable_initializer(1)->set_name("a");
         },
         "`a` is defined twice in graph `main`: by an initializer and by Add `add`"},
        {"two inputs of one name", [](Proto& m) { *m.mutable_graph()->add_input() = m.graph().input(0); },
         "`x` is defined twice in graph `main`: by an input of the graph and by an input of the graph"},
        {"a function that calls itself",
         [](Proto& m) {
             onnx::NodeProto& node = *m.mutable_functions(0)->mutable_node(0);
             node.set_op_type("Twice");
             node.set_domain("local");
             node.mutable_input()->RemoveLast();
         },
         "function `local.Twice` calls itself (`local.Twice` -> `local.Twice`)"},
        {"two functions that call each other",
         [](Proto& m) {
             onnx::FunctionProto other = m.functions(0);
             other.set_name("Other");
             other.mutable_node(0)->set_op_type("Twice");
             other.mutable_node(0)->set_domain("local");
             other.mutable_node(0)->mutable_input()->RemoveLast();
             m.mutable_functions(0)->mutable_node(0)->CopyFrom(other.node(0));
             m.mutable_functions(0)->mutable_node(0)->set_op_type("Other");
             *m.add_functions() = other;
         },
         "(`local.Twice` -> `local.Other` -> `local.Twice`)"},
        {"two functions of one name", [](Proto& m) { *m.add_functions() = m.functions(0); },
         "function `local.Twice` is defined twice"},
        {"a cycle", [](Proto& m) { m.mutable_graph()->mutable_node(0)->set_input(1, "y"); }, "form a cycle"},
        {"bytes that are too few", [weight](Proto& m) { weight(m)->set_raw_data("short"); },
         "tensor `w` of type float[3] needs 12 bytes and has 5"},
        {"bytes that are too many", [weight](Proto& m) { weight(m)->set_raw_data(std::string(16, '\0')); },
         "tensor `w` of type float[3] needs 12 bytes and has 16"},
        {"numbers that are too few",
         [weight](Proto& m) {
             weight(m)->clear_raw_data();
             weight(m)->add_float_data(1);
         },
         "tensor `w` of type float[3] needs 3 numbers and has 1"},
        {"no numbers at all", [weight](Proto& m) { weight(m)->clear_raw_data(); },
         "tensor `w` of type float[3] needs 3 numbers and has 0"},
        {"a negative dimension", dims({-3}), "impossible dimensions"},
        {"a product that overflows", dims({std::int64_t{1} << 62, 8}), "impossible dimensions"},
        {"a product that overflows to the right number",
         dims({3, std::int64_t{1} << 32, std::int64_t{1} << 32}), "impossible dimensions"},
        {"no opset of the default domain", [](Proto& m) { m.mutable_opset_import()->DeleteSubrange(0, 1); },
         "the domain `ai.onnx` is used in the model and no opset of it is imported"},
        {"no opset of a domain that is used",
         [](Proto& m) { m.mutable_graph()->mutable_node(0)->set_domain("strange"); },
         "the domain `strange` is used in the model and no opset of it is imported"},
        {"no opset in a function", [](Proto& m) { m.mutable_functions(0)->clear_opset_import(); },
         "is used in function `local.Twice` and no opset of it is imported"},
        {"two opsets of one domain",
         [](Proto& m) {
             auto& import = *m.add_opset_import();
             import.set_domain("ai.onnx");
             import.set_version(11);
         },
         "imports two versions of the operator set of `ai.onnx`, 18 and 11"},
        {"an opset of no version", [](Proto& m) { m.mutable_opset_import(0)->set_version(0); },
         "the operator set of `ai.onnx` that the model imports has version 0"},
        {"no IR version", [](Proto& m) { m.clear_ir_version(); }, "does not say which version of the format"},
        {"a negative IR version", [](Proto& m) { m.set_ir_version(-5); }, "its IR version is -5"},
        {"raw bytes and typed numbers",
         [weight](Proto& m) {
             for (const float number : {1.0F, 2.0F, 3.0F})
                 weight(m)->add_float_data(number);
         },
         "tensor `w` gives its elements twice"},
        {"two fields of typed numbers",
         [weight](Proto& m) {
             weight(m)->clear_raw_data();
             for (const int number : {1, 2, 3}) {
                 weight(m)->add_float_data(static_cast<float>(number));
                 weight(m)->add_int32_data(number);
             }
         },
         "tensor `w` gives its elements twice"},
        {"an attribute given twice",
         [](Proto& m) {
             for (const int axis : {0, 1}) {
                 auto& attribute = *m.mutable_graph()->mutable_node(0)->add_attribute();
                 attribute.set_name("axis");
                 attribute.set_type(onnx::AttributeProto::INT);
                 attribute.set_i(axis);
             }
         },
         "attribute `axis` of Add `add` is given twice"},
        {"a name that nobody makes",
         [](Proto& m) { m.mutable_graph()->mutable_node(0)->set_input(1, "ghost"); },
         "reads `ghost`, which no node, input or initializer of the model makes"},
        {"an output that nobody makes",
         [](Proto& m) { m.mutable_graph()->mutable_output(0)->set_name("ghost"); },
         "output `ghost` of graph `main` is made by no node"},
    };
}

/// What other programs refuse or may refuse, and what keeps its meaning all the same.
std::vector<BadModel> oddModels() {
    using Proto = onnx::ModelProto;
    constexpr int kUnknownType = 99;
    return {
        {"an element type of tomorrow in a tensor",
         [](Proto& m) { m.mutable_graph()->mutable_initializer(0)->set_data_type(kUnknownType); },
         "tensor `w` has the element type type<99>, which this version does not know"},
        {"an element type of tomorrow in an input",
         [](Proto& m) {
             m.mutable_graph()->mutable_input(0)->mutable_type()->mutable_tensor_type()->set_elem_type(
                 kUnknownType);
         },
         "`x` is declared with the element type type<99>"},
        {"an IR version of tomorrow", [](Proto& m) { m.set_ir_version(99); },
         "version 99 of the format (IR), and the newest known here is"},
        {"an IR version without opsets", [](Proto& m) { m.set_ir_version(2); }, "which has no operator sets"},
        {"an opset of tomorrow", [](Proto& m) { m.mutable_opset_import(0)->set_version(99); },
         "the model imports version 99 of the operator set of `ai.onnx`"},
        {"an import given twice", [](Proto& m) { *m.add_opset_import() = m.opset_import(0); },
         "imports version 18 of the operator set of `ai.onnx` twice"},
        {"an input without a type", [](Proto& m) { m.mutable_graph()->mutable_input(0)->clear_type(); },
         "input `x` has no type"},
    };
}

struct BadModelsTest : CliTest {
    std::string put(const onnx::ModelProto& model) const {
        return folder.put("model.onnx", model.SerializeAsString()).string();
    }
    onnx::ModelProto read(const char* name) const {
        onnx::ModelProto model;
        EXPECT_TRUE(model.ParseFromString(readAll(folder / name)));
        return model;
    }
};

TEST_F(BadModelsTest, theSoundModelIsConverted) {
    const std::string model = put(soundModel());
    const Ran run = runCli({"prune", model, "-o", in("out.onnx"), "--recipe-out", in("recipe.json")});
    EXPECT_EQ(run.exit, 0) << run.err;
    EXPECT_NO_THROW(onnx::checker::check_model(read("out.onnx")));
    EXPECT_TRUE(runCli({"info", model, "--json"}).json()["info"]["problems"].empty());
}

TEST_F(BadModelsTest, whatIsNotSoundIsRefusedByEveryVerbThatWritesAModel) {
    ASSERT_EQ(
        runCli({"prune", put(soundModel()), "-o", in("out.onnx"), "--recipe-out", in("recipe.json")}).exit,
        0);
    std::filesystem::remove(folder / "out.onnx");
    // Aimed at what it was saved for, `apply` would cut some of the defects away.
    auto recipe = nlohmann::json::parse(readAll(folder / "recipe.json"));
    recipe.erase("pinned_targets");
    folder.put("recipe.json", recipe.dump());
    for (const BadModel& bad : badModels()) {
        onnx::ModelProto proto = soundModel();
        bad.damage(proto);
        const std::string model = put(proto);
        for (const std::vector<std::string>& verb :
             {std::vector<std::string>{"prune", model, "-o", in("out.onnx")},
              {"apply", in("recipe.json"), model, "-o", in("out.onnx")}}) {
            const Ran run = runCli(verb);
            EXPECT_EQ(run.exit, 3) << bad.name << ", " << verb[0] << ": " << run.err;
            EXPECT_THAT(run.err, AllOf(HasSubstr("error: " + model + ": "), HasSubstr(bad.words)))
                << bad.name << ", " << verb[0];
            EXPECT_THAT(run.out, IsEmpty()) << bad.name;
            EXPECT_EQ(files(), 2U) << bad.name << " left something behind";
        }
    }
}

TEST_F(BadModelsTest, whatIsNotSoundOpensWithItsFaultsListed) {
    for (const BadModel& bad : badModels()) {
        onnx::ModelProto proto = soundModel();
        bad.damage(proto);
        const std::string model = put(proto);
        const Ran run = runCli({"info", model, "--json"});
        ASSERT_EQ(run.exit, 0) << bad.name << ": " << run.err;
        const std::string problems = run.json()["info"]["problems"].dump();
        EXPECT_THAT(problems, HasSubstr(bad.words)) << bad.name;
        for (const std::vector<std::string>& verb :
             {std::vector<std::string>{"explain", model}, {"report", model, "-o", in("out.html")}}) {
            const Ran shown = runCli(verb);
            EXPECT_TRUE(shown.exit == 0 || shown.exit == 2 || shown.exit == 3)
                << bad.name << ", " << verb[0] << ": exit " << shown.exit << " " << shown.err;
        }
    }
}

TEST_F(BadModelsTest, whatIsOddIsSaidAndCarriedOn) {
    for (const BadModel& odd : oddModels()) {
        onnx::ModelProto proto = soundModel();
        odd.damage(proto);
        const std::string model = put(proto);
        const Ran info = runCli({"info", model});
        EXPECT_EQ(info.exit, 0) << odd.name << ": " << info.err;
        EXPECT_THAT(info.out, AllOf(HasSubstr("warning: "), HasSubstr(odd.words))) << odd.name;
        const Ran run = runCli({"prune", model, "-o", in("out.onnx")});
        EXPECT_EQ(run.exit, 0) << odd.name << ": " << run.err;
        EXPECT_THAT(run.err, AllOf(HasSubstr("warning: "), HasSubstr(odd.words)))
            << odd.name << ": whoever reads no report is told, too";
        const onnx::ModelProto made = read("out.onnx");
        EXPECT_EQ(made.ir_version(), proto.ir_version()) << odd.name;
        EXPECT_EQ(made.opset_import(0).version(), proto.opset_import(0).version()) << odd.name;
        EXPECT_EQ(made.graph().initializer(0).SerializeAsString(),
                  proto.graph().initializer(0).SerializeAsString())
            << odd.name;
        EXPECT_EQ(made.graph().input(0).SerializeAsString(), proto.graph().input(0).SerializeAsString())
            << odd.name;
    }
}

/// Neither the checker of ONNX nor its runtime minds.
TEST_F(BadModelsTest, anOutputGivenTwiceStaysSo) {
    onnx::ModelProto proto = soundModel();
    *proto.mutable_graph()->add_output() = proto.graph().output(0);
    const Ran run = runCli({"prune", put(proto), "-o", in("out.onnx")});
    EXPECT_EQ(run.exit, 0) << run.err;
    EXPECT_THAT(run.err, IsEmpty());
    ASSERT_EQ(read("out.onnx").graph().output_size(), 2);
    EXPECT_EQ(read("out.onnx").graph().output(1).name(), "y");
}

/// The checker of ONNX asks for the type of an output.
TEST_F(BadModelsTest, anOutputWithoutATypeGetsTheOneThatFollows) {
    for (const bool isTyped : {false, true}) {
        onnx::ModelProto proto = soundModel();
        onnx::ValueInfoProto& output = *proto.mutable_graph()->mutable_output(0);
        if (isTyped)
            output.mutable_type()->mutable_tensor_type()->clear_shape();
        else
            output.clear_type();
        const Ran run = runCli({"prune", put(proto), "-o", in("out.onnx")});
        EXPECT_EQ(run.exit, 0) << run.err;
        EXPECT_THAT(run.err, IsEmpty());
        const onnx::ModelProto made = read("out.onnx");
        EXPECT_NO_THROW(onnx::checker::check_model(made));
        EXPECT_EQ(made.graph().output(0).type().tensor_type().shape().dim_size(), 2);
    }
}

TEST_F(BadModelsTest, anOutputWhoseTypeCannotBeToldIsNamed) {
    onnx::ModelProto proto = soundModel();
    onnx::OperatorSetIdProto& import = *proto.add_opset_import();
    import.set_domain("strange");
    import.set_version(1);
    onnx::GraphProto& graph = *proto.mutable_graph();
    addNode(graph, "Frobnicate", "y", "z")->set_domain("strange");
    graph.mutable_output(0)->set_name("z");
    graph.mutable_output(0)->clear_type();
    const Ran run = runCli({"prune", put(proto), "-o", in("out.onnx")});
    EXPECT_EQ(run.exit, 0) << run.err;
    EXPECT_THAT(run.err, HasSubstr("warning: output `z` has no declared type"));
    EXPECT_FALSE(read("out.onnx").graph().output(0).has_type());
}

TEST_F(BadModelsTest, noForceMakesAModelOfWhatHasTwoMeanings) {
    onnx::ModelProto proto = soundModel();
    addNode(*proto.mutable_graph(), "Neg", "x", "a");
    const Ran run = runCli({"prune", put(proto), "-o", in("out.onnx"), "--force"});
    EXPECT_EQ(run.exit, 3) << run.err;
    EXPECT_FALSE(exists("out.onnx"));
}

/// A name from a file must not colour, move or turn what stands beside it.
TEST_F(BadModelsTest, namesCannotSteerTheTerminal) {
    using namespace std::string_literals;
    onnx::ModelProto proto = soundModel();
    const std::string evil = "\x1b[2J\x1b]0;title\x07\r\nerror: forged\xe2\x80\xae";
    onnx::GraphProto& graph = *proto.mutable_graph();
    graph.mutable_node(0)->set_name("add" + evil);
    graph.mutable_input(0)->set_name("x" + evil);
    graph.mutable_node(0)->set_input(0, "x" + evil);
    graph.mutable_output(0)->set_name("y" + evil);
    graph.mutable_node(1)->set_output(0, "y" + evil);
    addNode(graph, "Strange\x1b[31m", "ghost\x1b[1m", "b");
    proto.set_producer_name("me\x1b[5m");
    const std::string model = put(proto);
    for (const std::vector<std::string>& verb :
         {std::vector<std::string>{"info", model},
          {"explain", model},
          {"explain", model, "--node", "add" + evil},
          {"explain", model, "--value", "x" + evil},
          {"explain", model, "--value", "nothing" + evil},
          {"prune", model, "-o", in("out.onnx"), "--force"},
          {"prune", model, "-o", in("out.onnx"), "--target", "no" + evil},
          {"report", model, "-o", in("out.html")},
          {"report", model, "-o", in("out.md")}}) {
        const Ran run = runCli(verb);
        for (const std::string& text : {run.out, run.err}) {
            EXPECT_THAT(text, Not(HasSubstr("\x1b"))) << verb[0] << " " << verb.back();
            EXPECT_THAT(text, Not(HasSubstr("\r"))) << verb[0] << " " << verb.back();
            EXPECT_THAT(text, Not(HasSubstr("\nerror: forged"))) << verb[0] << " " << verb.back();
            EXPECT_THAT(text, Not(HasSubstr("\xe2\x80\xae"))) << verb[0] << " " << verb.back();
        }
    }
    EXPECT_THAT(runCli({"info", model}).out, HasSubstr("y\\x1b[2J"));
    for (const char* report : {"out.html", "out.md"}) {
        const std::string text = readAll(folder / report);
        EXPECT_THAT(text,
                    AllOf(HasSubstr("\\x1b[2J"), Not(HasSubstr("\x1b")), Not(HasSubstr("\xe2\x80\xae"))))
            << report;
    }
}

TEST_F(BadModelsTest, unsortedNodesAreSortedInTheResult) {
    onnx::ModelProto proto = soundModel();
    proto.mutable_graph()->mutable_node()->SwapElements(0, 1);
    const std::string model = put(proto);
    const std::string before = readAll(model);
    const Ran run = runCli({"prune", model, "-o", in("out.onnx")});
    EXPECT_EQ(run.exit, 0) << run.err;
    EXPECT_THAT(run.err, HasSubstr("not sorted"));
    const onnx::ModelProto made = read("out.onnx");
    EXPECT_NO_THROW(onnx::checker::check_model(made));
    EXPECT_EQ(made.graph().node(0).name(), "add");
    EXPECT_EQ(readAll(model), before);
    const auto info = runCli({"info", model, "--json"}).json();
    EXPECT_EQ(info["info"]["problems"][0]["id"], "problem.order");
    EXPECT_EQ(info["info"]["problems"][0]["severity"], "warning");
}

TEST_F(BadModelsTest, overloadsAreDifferentFunctions) {
    onnx::ModelProto proto = soundModel();
    *proto.add_functions() = proto.functions(0);
    proto.mutable_functions(1)->set_overload("other");
    const Ran run = runCli({"prune", put(proto), "-o", in("out.onnx")});
    EXPECT_EQ(run.exit, 0) << run.err;
}

} // namespace
} // namespace secateur::testing
