// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/explain.h"

#include "core/analysis/targets.h"
#include "core/messages/messages.h"
#include "tests/core/analysis/graph_builder.h"
#include "tests/core/analysis/small_networks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>

namespace secateur {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// A classifier with everything that explanations read.
struct Explained {
    GraphBuilder g;
    Classifier net = makeClassifier(g);
    RoleTable roles;
    Reachability reach;

    explicit Explained(ValueId target = {}) {
        TypeTable types;
        types.inferAll(g.model());
        const std::array targets{target ? target : net.logits};
        roles = findRoles(g.model(), types, targets);
        reach = findReachable(g.model(), targets);
    }
    Explanation explain(NodeId node, const Reason* fate = nullptr) const {
        return explainNode(g.model(), roles, reach, DeadEnds(g.model()), node, fate);
    }
    std::string text(NodeId node) const { return formatReason(explain(node).reason, g.model()); }
};

TEST(Explain, aKeptNodeShowsTheShortestPathToTheTarget) {
    const Explained e;
    const auto why = e.explain(e.net.matmul1);
    EXPECT_TRUE(why.isKept);
    EXPECT_EQ(why.role, Role::forward);
    EXPECT_THAT(why.path, ElementsAre(e.net.matmul1, e.net.relu, e.net.matmul2));
    EXPECT_EQ(why.reason,
              Reason("kept.feeds-target", {e.net.matmul1, e.net.relu, e.net.logits, std::int64_t{2}}));
    EXPECT_EQ(why.end, Reason("end.target", {e.net.matmul2, e.net.logits}));
    EXPECT_EQ(e.explain(e.net.matmul2).reason.id, "kept.makes-target");
    EXPECT_EQ(e.explain(e.net.relu).reason.id, "kept.feeds-target-next");
}

TEST(Explain, aRemovedNodeShowsItsDeadEnd) {
    const Explained e;
    const auto why = e.explain(e.net.reluGrad);
    EXPECT_FALSE(why.isKept);
    EXPECT_THAT(why.path, ElementsAre(e.net.reluGrad, e.net.w1Grad, e.net.accumulator1));
    EXPECT_EQ(why.end.id, "end.accumulator-flag") << "a single bool is no buffer";
    EXPECT_THAT(formatReason(why.end, e.g.model()), HasSubstr("`done1`, which only says"));
    EXPECT_EQ(why.twin, e.net.relu);
}

TEST(Explain, eachRemovedNodeHasItsOwnReason) {
    const Explained e;
    EXPECT_EQ(e.explain(e.net.lossNode).reason.id, "removed.loss");
    EXPECT_EQ(e.explain(e.net.lossGrad).reason,
              Reason("removed.gradient-of-loss", {e.net.lossGrad, e.net.logits, e.net.logits}));
    EXPECT_EQ(e.explain(e.net.w1Grad).reason,
              Reason("removed.gradient-of-weight", {e.net.w1Grad, e.net.w1, e.net.logits}));
    EXPECT_EQ(e.explain(e.net.reluGrad).reason.id, "removed.part-of-weight-gradient");
    EXPECT_EQ(e.explain(e.net.accumulator2).reason,
              Reason("removed.accumulates", {e.net.accumulator2, e.net.w2, e.net.logits}));
    EXPECT_THAT(e.text(e.net.w1Grad), HasSubstr("gradient of the weight `w1`"));
    EXPECT_THAT(e.text(e.net.accumulator2), HasSubstr("nothing it makes reaches `prediction`"));
}

TEST(Explain, theReasonOfARewriteWins) {
    const Explained e;
    const Reason fate("removed.unread", {e.net.relu, e.net.logits});
    const auto why = e.explain(e.net.relu, &fate);
    EXPECT_FALSE(why.isKept);
    EXPECT_EQ(why.reason, fate);
}

TEST(Explain, forwardNodesBehindAChosenInnerValueSaySo) {
    GraphBuilder g;
    const auto net = makeClassifier(g);
    TypeTable types;
    types.inferAll(g.model());
    const std::array targets{net.hidden};
    const auto roles = findRoles(g.model(), types, targets);
    const auto reach = findReachable(g.model(), targets);
    EXPECT_EQ(explainNode(g.model(), roles, reach, DeadEnds(g.model()), net.matmul2).reason.id,
              "removed.forward-beside");
    EXPECT_TRUE(explainNode(g.model(), roles, reach, DeadEnds(g.model()), net.matmul1).isKept);
}

TEST(Explain, theShapeReaderNamesTheTensorWhoseShapeItReads) {
    Explained e;
    const NodeId shape = e.g.node("Shape", {e.net.hidden}, {"shape"});
    e.g.node("Reshape", {e.g.out(e.net.hiddenGrad), e.g.out(shape)}, {"unused"});
    TypeTable types;
    types.inferAll(e.g.model());
    const std::array targets{e.net.logits};
    const auto roles = findRoles(e.g.model(), types, targets);
    const auto reach = findReachable(e.g.model(), targets);
    const Reason reason = reasonForRemoval(e.g.model(), roles, reach, shape);
    EXPECT_TRUE(hasMessage(reason.id));
    const auto why = explainNode(e.g.model(), roles, reach, DeadEnds(e.g.model()), shape);
    EXPECT_EQ(why.path.size(), 2U);
    EXPECT_EQ(why.end.id, "end.unread");
}

TEST(Explain, theOptimizerInPlainOperatorsIsToldApart) {
    GraphBuilder g;
    const ValueId x = g.input("x", {4, 8}), label = g.input("t", {4, 2});
    const ValueId w = g.weight("w", {8, 2}), m = g.weight("m", {8, 2});
    const ValueId y = g.value("MatMul", {x, w}, "y"), error = g.value("Sub", {y, label});
    const ValueId gradient = g.value("MatMul", {g.value("Transpose", {x}), error});
    const ValueId faded = g.value("Mul", {m, g.scalar("beta", 0.9F)}),
                  fresh = g.value("Mul", {gradient, g.scalar("rest", 0.1F)});
    const ValueId moment = g.value("Add", {faded, fresh}),
                  step = g.value("Mul", {moment, g.scalar("lr", 0.1F)});
    const ValueId decayed = g.value("Mul", {w, g.scalar("decay", 0.99F)}),
                  updated = g.value("Sub", {decayed, step});
    for (const ValueId output : {y, updated, moment})
        g.output(output, std::string(g.model().name(output)));
    TypeTable types;
    types.inferAll(g.model());
    const std::array targets{y};
    const auto roles = findRoles(g.model(), types, targets);
    const auto reach = findReachable(g.model(), targets);
    const auto idFor = [&](ValueId value) {
        return reasonForRemoval(g.model(), roles, reach, g.model().producer(value)).id;
    };
    EXPECT_EQ(idFor(faded), "removed.moment-part");
    EXPECT_EQ(idFor(fresh), "removed.applies-gradient");
    EXPECT_EQ(idFor(moment), "removed.writes-state");
    EXPECT_EQ(idFor(step), "removed.update-part");
    EXPECT_EQ(idFor(updated), "removed.writes-weight");
    EXPECT_EQ(idFor(gradient), "removed.gradient-of-weight");
    EXPECT_EQ(explainNode(g.model(), roles, reach, DeadEnds(g.model()), g.model().producer(updated)).end,
              Reason("end.updated-weight", {g.model().producer(updated), updated, w}));
    const Reason end =
        explainNode(g.model(), roles, reach, DeadEnds(g.model()), g.model().producer(fresh)).end;
    EXPECT_EQ(end, Reason("end.updated-moment", {g.model().producer(moment), moment, w}));
    EXPECT_THAT(formatReason(end, g.model()),
                HasSubstr("a moment that the optimizer keeps for the weight `w`"));
}

TEST(Explain, onlyTheGradientOfAWeightItselfIsHandedOnAsSuch) {
    GraphBuilder g;
    const ValueId ids = g.input("ids", {4}, ElementType::int64), w = g.input("w", {16, 8}),
                  p = g.input("p", {4, 8}), w2 = g.input("w2", {8, 3}),
                  labels = g.input("labels", {4}, ElementType::int64),
                  reset = g.input("reset", {1}, ElementType::boolean);
    const ValueId rows = g.value("Gather", {w, ids}, "rows"), h = g.value("Add", {rows, p}, "h"),
                  y = g.value("MatMul", {h, w2}, "y");
    const NodeId loss = g.node("SoftmaxCrossEntropyLoss", {y, labels}, {"loss", "log_prob"});
    const ValueId dy = g.value("ms.SoftmaxCrossEntropyLossGrad",
                               {g.scalar("one", 1.0F), g.out(loss, 1), labels}, "dy"),
                  dw2 = g.value("ms.FusedMatMul", {h, dy}, "dw2", {Attribute::of("transA", std::int64_t{1})}),
                  dh = g.value("ms.FusedMatMul", {dy, w2}, "dh", {Attribute::of("transB", std::int64_t{1})}),
                  drows = g.value("Identity", {dh}, "drows"), dp = g.value("Identity", {dh}, "dp"),
                  dw = g.value("ms.GatherGrad", {g.value("Shape", {w}, "w_shape"), ids, drows}, "dw");
    g.output(g.out(loss), "loss");
    const auto accumulate = [&](const std::string& name, std::vector<std::int64_t> dims, ValueId gradient) {
        const ValueId buffer = g.input(name + "_buffer", std::move(dims));
        const ValueId done = g.value("ms.InPlaceAccumulatorV2", {buffer, gradient, reset}, name + "_done");
        g.output(done, name + "_done", ElementType::boolean, {1});
    };
    accumulate("w", {16, 8}, dw);
    accumulate("p", {4, 8}, dp);
    accumulate("w2", {8, 3}, dw2);
    TypeTable types;
    types.inferAll(g.model());
    const std::array targets{y};
    const auto roles = findRoles(g.model(), types, targets);
    const auto reach = findReachable(g.model(), targets);
    const auto reasonOf = [&](ValueId value) {
        return reasonForRemoval(g.model(), roles, reach, g.model().producer(value));
    };
    EXPECT_EQ(reasonOf(drows), Reason("removed.part-of-weight-gradient", {g.model().producer(drows), w, y}));
    EXPECT_EQ(reasonOf(dp), Reason("removed.gradient-of-weight", {g.model().producer(dp), p, y}));
    EXPECT_EQ(reasonOf(dw), Reason("removed.gradient-of-weight", {g.model().producer(dw), w, y}));
}

TEST(Explain, everyReasonThatTheSourcesNameHasASentence) {
    const std::filesystem::path folder = std::filesystem::path(SECATEUR_SOURCE_DIR) / "core" / "analysis";
    const std::regex idPattern("\"((removed|kept|end|targets)\\.[a-z-]+)\"");
    std::size_t found = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        std::ifstream file(entry.path());
        const std::string text(std::istreambuf_iterator<char>(file), {});
        for (std::sregex_iterator at(text.begin(), text.end(), idPattern), end; at != end; ++at, ++found)
            EXPECT_TRUE(hasMessage((*at)[1].str())) << (*at)[1].str() << " in " << entry.path();
    }
    EXPECT_GT(found, 60U);
}

TEST(Explain, everySentenceIsThereAndFilled) {
    const Explained e;
    for (const NodeId node : e.g.model().nodes(e.g.main())) {
        const auto why = e.explain(node);
        for (const Reason& reason : {why.reason, why.end}) {
            EXPECT_TRUE(hasMessage(reason.id)) << reason.id;
            EXPECT_EQ(formatReason(reason, e.g.model()).find('{'), std::string::npos) << reason.id;
        }
    }
}

} // namespace
} // namespace secateur
