// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/explain.h"
#include "core/analysis/targets.h"
#include "core/onnx/load.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>

namespace secateur {
namespace {

struct Analysed {
    Model model;
    TypeTable types;
    TargetAnalysis targets;
    RoleTable roles;
};

Analysed analyse(const std::filesystem::path& path) {
    auto loaded = loadModel(path);
    EXPECT_TRUE(loaded) << path;
    if (!loaded) return {};
    Analysed out{std::move(loaded->model), {}, {}, {}};
    out.types.inferAll(out.model);
    out.targets = findTargets(out.model, out.types);
    out.roles = findRoles(out.model, out.types, out.targets.clear);
    return out;
}

std::map<Role, std::size_t> countRoles(const Analysed& a) {
    std::map<Role, std::size_t> counts;
    for (const NodeId node : a.model.nodes(a.model.mainGraph()))
        ++counts[a.roles.of(node)];
    return counts;
}

const std::filesystem::path kSources(SECATEUR_SOURCE_DIR);

TEST(Sample, hasAClearTargetThoughOnlyTheLossIsAnOutput) {
    const auto sample = analyse(kSources / "resources" / "samples" / "mlp_gelu.training.onnx");
    ASSERT_EQ(sample.targets.clear.size(), 1U);
    EXPECT_EQ(sample.model.name(sample.targets.clear.front()), "logits");
    EXPECT_EQ(countRoles(sample),
              (std::map<Role, std::size_t>{
                  {Role::forward, 3}, {Role::loss, 1}, {Role::backward, 5}, {Role::accumulator, 2}}));
}

TEST(Sample, keepsStashesOfSixteenMebibytesEach) {
    const auto sample = analyse(kSources / "resources" / "samples" / "mlp_gelu.training.onnx");
    std::size_t activations = 0;
    for (const StashEdge& stash : sample.roles.stashes) {
        if (sample.model.isInitializer(stash.value) || sample.model.name(stash.value) == "labels") continue;
        EXPECT_EQ(stash.bytes, 16U << 20) << sample.model.name(stash.value);
        ++activations;
    }
    EXPECT_EQ(activations, 4U) << "x, hidden, activated, log_prob";
}

TEST(Sample, theVariantWithDropoutIsTakenApartAlike) {
    const auto variant =
        analyse(std::filesystem::path(SECATEUR_TEST_DATA) / "mlp_gelu_dropout.training.onnx");
    ASSERT_EQ(variant.targets.clear.size(), 1U);
    EXPECT_EQ(variant.model.name(variant.targets.clear.front()), "logits");
    EXPECT_EQ(countRoles(variant),
              (std::map<Role, std::size_t>{
                  {Role::forward, 4}, {Role::loss, 1}, {Role::backward, 6}, {Role::accumulator, 2}}));
    for (const NodeId node : variant.model.nodes(variant.model.mainGraph()))
        if (variant.model.op(node) == "DropoutGrad") {
            ASSERT_FALSE(variant.roles.twinOf(node).isNone());
            EXPECT_EQ(variant.model.op(variant.roles.twinOf(node)), "Dropout");
        }
}

} // namespace
} // namespace secateur
