// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/core/analysis/graph_builder.h"

namespace secateur {

/// x -> MatMul -> Relu -> MatMul -> SoftmaxCrossEntropyLoss, with backward half and accumulators, in ONNX
/// Runtime's form.
struct Classifier {
    ValueId x, labels, w1, w2, hidden, logits, loss;
    NodeId matmul1, relu, matmul2, lossNode;
    NodeId lossGrad, w2Grad, hiddenGrad, reluGrad, w1Grad, accumulator1, accumulator2;
};

inline Classifier makeClassifier(GraphBuilder& g) {
    Classifier c;
    const AttributeList transA{Attribute::of("transA", std::int64_t{1})},
        transB{Attribute::of("transB", std::int64_t{1})};
    c.x = g.input("x", {-1, 8});
    c.labels = g.input("labels", {-1}, ElementType::int64);
    c.w1 = g.input("w1", {8, 6});
    c.w2 = g.input("w2", {6, 3});
    const ValueId buffer1 = g.input("buffer1", {8, 6}), buffer2 = g.input("buffer2", {6, 3});
    const ValueId reset = g.input("reset", {1}, ElementType::boolean);
    c.matmul1 = g.node("MatMul", {c.x, c.w1}, {"z"});
    c.relu = g.node("Relu", {g.out(c.matmul1)}, {"hidden"});
    c.hidden = g.out(c.relu);
    c.matmul2 = g.node("MatMul", {c.hidden, c.w2}, {"prediction"});
    c.logits = g.out(c.matmul2);
    c.lossNode = g.node("SoftmaxCrossEntropyLoss", {c.logits, c.labels}, {"loss", "log_prob"});
    c.loss = g.out(c.lossNode);
    c.lossGrad = g.node("ms.SoftmaxCrossEntropyLossGrad",
                        {g.scalar("one", 1.0F), g.out(c.lossNode, 1), c.labels}, {"dy"});
    c.w2Grad = g.node("ms.FusedMatMul", {c.hidden, g.out(c.lossGrad)}, {"dw2"}, transA);
    c.hiddenGrad = g.node("ms.FusedMatMul", {g.out(c.lossGrad), c.w2}, {"dh"}, transB);
    c.reluGrad = g.node("ms.ReluGrad", {g.out(c.hiddenGrad), c.hidden}, {"dz"});
    c.w1Grad = g.node("ms.FusedMatMul", {c.x, g.out(c.reluGrad)}, {"dw1"}, transA);
    c.accumulator1 = g.node("ms.InPlaceAccumulatorV2", {buffer1, g.out(c.w1Grad), reset}, {"done1"});
    c.accumulator2 = g.node("ms.InPlaceAccumulatorV2", {buffer2, g.out(c.w2Grad), reset}, {"done2"});
    g.output(c.loss, "loss");
    g.output(g.out(c.accumulator1), "done1", ElementType::boolean, {1});
    g.output(g.out(c.accumulator2), "done2", ElementType::boolean, {1});
    return c;
}

/// One SGD step in plain operators for the weight that `prediction` was multiplied with.
struct PlainStep {
    ValueId error, gradient, updated;
    NodeId transpose, multiply, rate, update;
};
inline PlainStep trainPlainly(GraphBuilder& g, ValueId x, ValueId prediction, ValueId label) {
    ValueId weight, matmul = prediction;
    while (g.model().op(g.model().producer(matmul)) != "MatMul")
        matmul = g.model().input(g.model().producer(matmul), 0);
    weight = g.model().input(g.model().producer(matmul), 1);
    PlainStep step;
    step.error = label ? g.value("Sub", {prediction, label}) : g.value("Mul", {prediction, prediction});
    step.transpose = g.node("Transpose", {x}, {g.fresh("xt")});
    step.multiply = g.node("MatMul", {g.out(step.transpose), step.error}, {g.fresh("dw")});
    step.gradient = g.out(step.multiply);
    step.rate = g.node("Mul", {step.gradient, g.scalar(g.fresh("lr"), 0.1F)}, {g.fresh("scaled")});
    step.update = g.node("Sub", {weight, g.out(step.rate)}, {g.fresh("updated")});
    step.updated = g.out(step.update);
    g.output(step.updated, std::string(g.model().name(step.updated)));
    return step;
}

} // namespace secateur
