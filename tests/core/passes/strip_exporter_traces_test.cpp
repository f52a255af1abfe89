// SPDX-License-Identifier: Apache-2.0
#include "core/onnx/rest_fields.h"
#include "tests/core/passes/pass_fixture.h"

namespace secateur {
namespace {

using testing::PassGraph;

/// NodeProto.metadata_props (field 9) with one entry.
std::string metadata(const std::string& key, const std::string& value) {
    const auto text = [](char tag, const std::string& s) {
        return std::string{tag, static_cast<char>(s.size())} + s;
    };
    return text('\x4a', text('\x0a', key) + text('\x12', value));
}

TEST(StripExporterTraces, tracesGoAndOtherNotesStay) {
    PassGraph g;
    const ValueId x = g.input("x");
    const NodeId traced = g.node("Neg", {x}, {"a"}),
                 noted = g.node("Relu", {g.model.output(traced, 0)}, {"y"});
    g.output(g.model.output(noted, 0));
    g.editor().setNodeRest(traced, metadata("pkg.torch.onnx.stack_trace", "File model.py") +
                                       metadata("namespace", "net"));
    g.editor().setNodeRest(noted, metadata("owner", "vision team"));
    g.run("strip-exporter-traces");
    EXPECT_TRUE(nodeFields(g.model, traced).metadata.empty());
    ASSERT_EQ(nodeFields(g.model, noted).metadata.size(), 1U);
    ASSERT_EQ(g.records.size(), 1U);
    EXPECT_EQ(g.records.front().matched, std::vector{traced});
}

/// GraphProto.metadata_props is field 16, FunctionProto's 14: tags of two bytes and of one.
std::string headerMetadata(const std::string& key, const std::string& value, bool isFunction) {
    std::string entry = metadata(key, value);
    return (isFunction ? std::string("\x72") : std::string("\x82\x01")) + entry.substr(1);
}

TEST(StripExporterTraces, graphsAndFunctionsLoseWhatTheExporterWroteOnThem) {
    PassGraph g;
    const ValueId x = g.input("x");
    g.output(g.add("Neg", {x}, "y"));
    const auto setHeader = [&](GraphId graph, const std::string& doc, const std::string& rest) {
        GraphHeader header = *g.model.graph(graph).header;
        header.docString = doc;
        header.rest = rest;
        g.editor().setGraphHeader(graph, std::move(header));
    };
    const GraphId traced = g.editor().createGraph(GraphKind::function),
                  noted = g.editor().createGraph(GraphKind::function);
    ModelHeader model = g.model.header();
    model.functions = {traced, noted};
    g.editor().setModelHeader(std::move(model));
    setHeader(g.main, "", headerMetadata("pkg.torch.export.ExportedProgram.graph_signature", "p", false));
    setHeader(traced, "File \"net.py\", line 3", headerMetadata("pkg.torch.onnx.stack_trace", "t", true));
    setHeader(noted, "what the vision team wants", headerMetadata("pkg.torch.onnx.stack_trace", "t", true));
    g.run("strip-exporter-traces");
    EXPECT_TRUE(graphFields(g.model, g.main).metadata.empty());
    EXPECT_TRUE(graphFields(g.model, traced).metadata.empty());
    EXPECT_EQ(graphFields(g.model, traced).docString, "");
    EXPECT_EQ(graphFields(g.model, noted).docString, "what the vision team wants");
    EXPECT_EQ(graphFields(g.model, noted).metadata.size(), 1U) << "notes of people keep the rest, too";
    EXPECT_EQ(g.applied(), std::vector<std::string>{"strip-exporter-traces.graphs"});
}

TEST(StripExporterTraces, aPersonsNoteBesideATraceKeepsTheNodeAsItIs) {
    PassGraph g;
    const ValueId x = g.input("x");
    const NodeId node = g.node("Neg", {x}, {"y"});
    g.output(g.model.output(node, 0));
    g.editor().setNodeRest(node, "\x32\x04mine" + metadata("pkg.torch.onnx.stack_trace", "File model.py"));
    g.run("strip-exporter-traces");
    EXPECT_TRUE(g.records.empty());
}

TEST(StripExporterTraces, isOffByDefault) {
    for (const Pass* pass : allPasses()) {
        const std::string& id = pass->info().id;
        EXPECT_EQ(pass->info().isOnByDefault, id != "strip-exporter-traces" && id != "inline-functions")
            << id;
    }
}

} // namespace
} // namespace secateur
