// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/explain.h"
#include "core/analysis/targets.h"
#include "core/messages/messages.h"
#include "tests/core/analysis/graph_builder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

namespace secateur {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// x -> MatMul -> Tanh -> MatMul -> y, a loss of LogSoftmax and labels, its derivative, the backward half and
/// one step of an optimizer with a moment: all in plain operators, as exporters decompose a training step.
struct DecomposedStep {
    GraphBuilder g;
    ValueId x = g.input("x", {4, 8}), labels = g.input("labels", {4, 3}, ElementType::float32);
    ValueId rate = g.input("rate", {1});
    ValueId w1 = g.weight("w1", {8, 6}), w2 = g.weight("w2", {6, 3}), m2 = g.weight("m2", {6, 3});
    AttributeList whole{Attribute::of("keepdims", std::int64_t{0})};
    ValueId z = g.value("MatMul", {x, w1}, "z"), h = g.value("Tanh", {z}, "h"),
            y = g.value("MatMul", {h, w2}, "y");
    // The loss.
    ValueId logp = g.value("LogSoftmax", {y}, "logp"), picked = g.value("Mul", {logp, labels}, "picked"),
            loss = g.value("ReduceSum", {picked}, "loss", whole);
    // Its derivative: (exp(logp) * sum(labels) - labels).
    ValueId ones = g.value(
        "Expand",
        {g.value("CastLike", {g.scalar("one", 1.0F), loss}, "like"), g.value("Shape", {loss}, "shape")},
        "ones");
    ValueId scaled = g.value("Mul", {labels, ones}, "scaled"), prob = g.value("Exp", {logp}, "prob"),
            total = g.value("ReduceSum", {scaled, g.integers("axis", {1})}, "total"),
            spread = g.value("Mul", {prob, total}, "spread"), dy = g.value("Sub", {spread, scaled}, "dy");
    // Backward.
    ValueId ht = g.value("Transpose", {h}, "ht"), dw2 = g.value("MatMul", {ht, dy}, "dw2"),
            w2t = g.value("Transpose", {w2}, "w2t"), dh = g.value("MatMul", {dy, w2t}, "dh"),
            square = g.value("Mul", {h, h}, "square"),
            slope = g.value("Sub", {g.scalar("1", 1.0F), square}, "slope"),
            dz = g.value("Mul", {dh, slope}, "dz"), dzt = g.value("Transpose", {dz}, "dzt"),
            dw1t = g.value("MatMul", {dzt, x}, "dw1t"), dw1 = g.value("Transpose", {dw1t}, "dw1");
    // The optimizer.
    ValueId kept = g.value("Mul", {m2, g.scalar("beta", 0.9F)}, "kept"),
            fresh = g.value("Mul", {dw2, g.scalar("rest", 0.1F)}, "fresh"),
            moment = g.value("Add", {kept, fresh}, "moment"), step2 = g.value("Mul", {moment, rate}, "step2"),
            new2 = g.value("Sub", {w2, step2}, "new2"), step1 = g.value("Mul", {dw1, rate}, "step1"),
            new1 = g.value("Sub", {w1, step1}, "new1");
    TypeTable types;
    RoleTable roles;
    Reachability reach;

    DecomposedStep() {
        for (const ValueId output : {y, loss, new1, new2, moment})
            g.output(output, std::string(g.model().name(output)));
        types.inferAll(g.model());
        const std::array targets{y};
        roles = findRoles(g.model(), types, targets);
        reach = findReachable(g.model(), targets);
    }
    [[nodiscard]] NodeId maker(ValueId value) const { return g.model().producer(value); }
    [[nodiscard]] Reason reason(ValueId value) const {
        return reasonForRemoval(g.model(), roles, reach, maker(value));
    }
    [[nodiscard]] std::string text(ValueId value) const { return formatReason(reason(value), g.model()); }
};

TEST(GradientFlow, theDerivativeOfTheLossIsNoGradientOfALayerYet) {
    const DecomposedStep s;
    for (const ValueId value : {s.scaled, s.prob, s.total, s.spread, s.dy}) {
        EXPECT_EQ(s.roles.of(s.maker(value)), Role::backward) << s.g.model().name(value);
        EXPECT_EQ(s.roles.backwardKindOf(s.maker(value)), BackwardKind::lossDerivative)
            << s.g.model().name(value);
        EXPECT_EQ(s.reason(value), Reason("removed.loss-derivative", {s.maker(value), s.y}));
    }
}

TEST(GradientFlow, shapesAndFilledTensorsAreNoGradients) {
    const DecomposedStep s;
    EXPECT_EQ(s.roles.backwardKindOf(s.maker(s.ones)), BackwardKind::shape);
    EXPECT_EQ(s.reason(s.ones), Reason("removed.shape-helper", {s.maker(s.ones), s.y}));
}

TEST(GradientFlow, whatReadsActivationsAndNoGradientOnlyPreparesThem) {
    const DecomposedStep s;
    for (const ValueId value : {s.ht, s.w2t, s.square, s.slope})
        EXPECT_EQ(s.roles.backwardKindOf(s.maker(value)), BackwardKind::preparation)
            << s.g.model().name(value);
    EXPECT_THAT(s.text(s.square), HasSubstr("prepares `h_"));
    EXPECT_THAT(s.text(s.slope), HasSubstr("is a step of preparing `h_"));
}

TEST(GradientFlow, aGradientIsToldFromTheLayerWhoseGradientComesIn) {
    const DecomposedStep s;
    for (const ValueId value : {s.dh, s.dz}) {
        EXPECT_EQ(s.roles.backwardKindOf(s.maker(value)), BackwardKind::gradient);
        EXPECT_EQ(s.roles.gradientFromOf(s.maker(value)), s.y) << s.g.model().name(value);
        EXPECT_EQ(s.reason(value), Reason("removed.gradient-back", {s.maker(value), s.y, s.y}));
    }
    EXPECT_TRUE(s.roles.sureTwinOf(s.maker(s.dz)).isNone()) << "Tanh is likely, not certain";
}

TEST(GradientFlow, whatMakesTheGradientOfOneWeightBelongsToTheLayerThatReadsIt) {
    const DecomposedStep s;
    EXPECT_EQ(s.roles.sureTwinOf(s.maker(s.dw2)), s.maker(s.y));
    // The first layer's weight is all that the rest ends in: its own part begins where its data are read.
    for (const ValueId value : {s.dh, s.dz, s.dw1t})
        EXPECT_TRUE(s.roles.sureTwinOf(s.maker(value)).isNone()) << s.g.model().name(value);
    for (const ValueId value : {s.dh, s.dz})
        EXPECT_EQ(s.reason(value).id, "removed.gradient-back") << s.g.model().name(value);
    EXPECT_EQ(s.reason(s.dw1t), Reason("removed.part-of-weight-gradient", {s.maker(s.dw1t), s.w1, s.y}))
        << "the data have no gradient";
    EXPECT_EQ(s.reason(s.dw1), Reason("removed.gradient-of-weight", {s.maker(s.dw1), s.w1, s.y}));
    EXPECT_EQ(s.reason(s.dw2), Reason("removed.gradient-of-weight", {s.maker(s.dw2), s.w2, s.y}));
}

TEST(GradientFlow, noReasonCallsLabelsOrMomentsAWeight) {
    const DecomposedStep s;
    for (const NodeId node : s.g.model().nodes(s.g.main())) {
        if (s.reach.isReached(node)) continue;
        const std::string text =
            formatReason(reasonForRemoval(s.g.model(), s.roles, s.reach, node), s.g.model());
        EXPECT_THAT(text, Not(HasSubstr("weight `labels`")));
        EXPECT_THAT(text, Not(HasSubstr("weight `m2`")));
        EXPECT_THAT(text, Not(HasSubstr("weight `rate`")));
        EXPECT_THAT(text, Not(HasSubstr("works on `rate`")));
    }
    EXPECT_EQ(s.reason(s.kept), Reason("removed.moment-part", {s.maker(s.kept), s.m2, s.w2, s.y}));
    EXPECT_EQ(s.reason(s.picked).id, "removed.loss-compares");
}

TEST(GradientFlow, theOptimizerKeepsItsCountOfStepsForNoWeight) {
    DecomposedStep s;
    const ValueId count = s.g.input("count", {1});
    const ValueId next = s.g.value("Add", {count, s.g.scalar("plus", 1.0F)}, "next");
    const ValueId slower = s.g.value("Div", {s.rate, next}, "slower");
    s.g.editor().setInput(s.maker(s.step1), 1, slower);
    s.g.editor().setInput(s.maker(s.step2), 1, slower);
    for (const ValueId made : {slower, next}) // before their readers
        s.g.editor().moveNode(s.maker(made), s.g.main(), s.maker(made == next ? slower : s.z));
    s.g.output(next, "next", ElementType::float32, {1});
    s.types.inferAll(s.g.model());
    const std::array targets{s.y};
    s.roles = findRoles(s.g.model(), s.types, targets);
    s.reach = findReachable(s.g.model(), targets);
    EXPECT_EQ(s.reason(next).id, "removed.writes-number") << s.text(next);
    EXPECT_THAT(s.text(next), Not(HasSubstr("unchanged")));
}

} // namespace
} // namespace secateur
