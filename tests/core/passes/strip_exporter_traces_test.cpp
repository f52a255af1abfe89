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

TEST(StripExporterTraces, isOffByDefault) {
    for (const Pass* pass : allPasses()) {
        EXPECT_EQ(pass->info().isOnByDefault, pass->info().id != "strip-exporter-traces") << pass->info().id;
    }
}

} // namespace
} // namespace secateur
