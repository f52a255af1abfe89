// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/value_kinds.h"

#include "core/messages/messages.h"
#include "tests/core/analysis/small_networks.h"

#include <gtest/gtest.h>

#include <array>

namespace secateur {
namespace {

struct Kinds {
    GraphBuilder g;
    TypeTable types;
    RoleTable roles;

    void analyse(ValueId target) {
        types.inferAll(g.model());
        const std::array targets{target};
        roles = findRoles(g.model(), types, targets);
    }
    [[nodiscard]] ValueUse use(ValueId value) const { return useOf(g.model(), types, roles, value); }
    [[nodiscard]] ValueId called(std::string_view name) const { return g.model().findValue(name); }
};

TEST(ValueKinds, ofATrainingFileWithAccumulators) {
    Kinds k;
    const Classifier net = makeClassifier(k.g);
    k.analyse(net.logits);
    EXPECT_EQ(k.use(net.x).kind, ValueKind::data);
    EXPECT_EQ(k.use(net.labels).kind, ValueKind::label);
    EXPECT_EQ(k.use(net.w1).kind, ValueKind::weight);
    EXPECT_EQ(k.use(k.called("buffer1")).kind, ValueKind::gradientBuffer);
    EXPECT_EQ(k.use(k.called("buffer1")).of, net.w1);
    EXPECT_EQ(k.use(k.called("reset")).kind, ValueKind::bufferSwitch);
    EXPECT_EQ(k.use(k.called("one")).kind, ValueKind::gradientNumber);
}

TEST(ValueKinds, ofAPlainStepWithAMomentARateAndACount) {
    Kinds k;
    GraphBuilder& g = k.g;
    const ValueId x = g.input("x", {4, 8}), label = g.input("t", {4, 2}), rate = g.input("rate", {1});
    const ValueId count = g.input("count", {1});
    const ValueId w = g.weight("w", {8, 2}), m = g.weight("m", {8, 2}), idle = g.weight("idle", {8, 2});
    const ValueId y = g.value("MatMul", {x, w}, "y"), error = g.value("Sub", {y, label});
    const ValueId gradient = g.value("MatMul", {g.value("Transpose", {x}), error});
    const ValueId beta = g.scalar("beta", 0.9F);
    const ValueId moment = g.value("Add", {g.value("Mul", {m, beta}), gradient}, "moment");
    const ValueId next = g.value("Add", {count, g.scalar("plus", 1.0F)}, "next");
    const ValueId step = g.value("Mul", {moment, g.value("Div", {rate, next})});
    const ValueId updated = g.value("Sub", {w, step}, "updated");
    for (const ValueId output : {y, updated, moment, next})
        g.output(output, std::string(g.model().name(output)));
    k.analyse(y);
    EXPECT_EQ(k.use(w).kind, ValueKind::weight);
    EXPECT_EQ(k.use(m).kind, ValueKind::moment);
    EXPECT_EQ(k.use(m).of, w);
    EXPECT_EQ(k.use(rate).kind, ValueKind::optimizerNumber);
    EXPECT_EQ(k.use(beta).kind, ValueKind::optimizerNumber);
    EXPECT_EQ(k.use(count).kind, ValueKind::stepCount);
    EXPECT_EQ(k.use(label).kind, ValueKind::label);
    EXPECT_EQ(k.use(idle).kind, ValueKind::unread);
}

TEST(ValueKinds, whereDerivativesBeginIsNoLabel) {
    Kinds k;
    GraphBuilder& g = k.g;
    const ValueId x = g.input("x", {2, 4}), w = g.weight("w", {4, 3}), seed = g.input("dy", {2, 3});
    const ValueId y = g.value("Relu", {g.value("MatMul", {x, w})}, "y");
    const ValueId dz = g.value("ms.ReluGrad", {seed, y});
    const ValueId gradient = g.value("MatMul", {g.value("Transpose", {x}), dz}, "dw");
    g.output(y, "y");
    g.output(gradient, "dw");
    k.analyse(y);
    EXPECT_EQ(k.use(seed).kind, ValueKind::seed);
}

TEST(ValueKinds, runningStatisticsAreNoWeights) {
    Kinds k;
    GraphBuilder& g = k.g;
    const ValueId x = g.input("x", {2, 3, 4, 4});
    const ValueId scale = g.weight("scale", {3}), mean = g.weight("mean", {3});
    const ValueId y =
        g.value("BatchNormalization", {x, scale, g.weight("bias", {3}), mean, g.weight("variance", {3})});
    g.output(y, "y");
    k.analyse(y);
    EXPECT_EQ(k.use(mean).kind, ValueKind::statistic);
    EXPECT_EQ(k.use(scale).kind, ValueKind::weight);
}

TEST(ValueKinds, allHaveWords) {
    for (int kind = 0; kind <= static_cast<int>(ValueKind::unread); ++kind) {
        const std::string id = "kind." + std::string(valueKindName(static_cast<ValueKind>(kind)));
        EXPECT_TRUE(hasMessage(id)) << id;
        EXPECT_TRUE(hasMessage("kind-word" + id.substr(4))) << id;
    }
    for (const char* id : {"kind.moment-of", "kind.gradient-buffer-of"})
        EXPECT_TRUE(hasMessage(id)) << id;
}

} // namespace
} // namespace secateur
