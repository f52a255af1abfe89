#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes resources/samples/mlp_gelu.training.onnx, the model that the window opens when it is given none.

One training step of the smallest network worth drawing, X -> MatMul -> Gelu -> MatMul -> loss, with its backward
half and its gradient accumulators in the same graph. The batch is chosen so that each tensor which the backward
half needs from the forward half (a stash) takes 16 MiB. Needs the Python package onnx (and its numpy):

    make_sample.py [FILE]
"""
import pathlib
import sys

import numpy
from onnx import TensorProto, helper, numpy_helper, save

WIDTH = 128
BATCH = 16 * 2**20 // (4 * WIDTH)
MICROSOFT = "com.microsoft"


def weight(name, seed):
    values = numpy.random.default_rng(seed).standard_normal((WIDTH, WIDTH)) / numpy.sqrt(WIDTH)
    return numpy_helper.from_array(values.astype(numpy.float32), name)


def node(op, inputs, outputs, name, domain="", **attributes):
    return helper.make_node(op, inputs, outputs, name=name, domain=domain, **attributes)


def forward():
    return [
        node("MatMul", ["x", "fc1.weight"], ["hidden"], "fc1"),
        node("Gelu", ["hidden"], ["activated"], "gelu"),
        node("MatMul", ["activated", "fc2.weight"], ["logits"], "fc2"),
        node("SoftmaxCrossEntropyLoss", ["logits", "labels"], ["loss", "log_prob"], "cross_entropy", reduction="mean"),
    ]


def backward():
    return [
        node("SoftmaxCrossEntropyLossGrad", ["loss_grad", "log_prob", "labels"], ["logits_grad"],
             "cross_entropy_grad", MICROSOFT, reduction="mean"),
        node("FusedMatMul", ["activated", "logits_grad"], ["fc2.weight_grad"], "fc2_weight_grad", MICROSOFT, transA=1),
        node("FusedMatMul", ["logits_grad", "fc2.weight"], ["activated_grad"], "fc2_input_grad", MICROSOFT, transB=1),
        node("GeluGrad", ["activated_grad", "hidden"], ["hidden_grad"], "gelu_grad", MICROSOFT),
        node("FusedMatMul", ["x", "hidden_grad"], ["fc1.weight_grad"], "fc1_weight_grad", MICROSOFT, transA=1),
    ]


def accumulators():
    return [node("InPlaceAccumulatorV2", [f"{name}_grad.buffer", f"{name}_grad", "lazy_reset_grad"],
                 [f"{name}_grad.out"], f"{name.replace('.', '_')}_accumulator", MICROSOFT)
            for name in ("fc1.weight", "fc2.weight")]


def main():
    target = pathlib.Path(__file__).resolve().parents[1] / "samples" / "mlp_gelu.training.onnx"
    if len(sys.argv) > 1:
        target = pathlib.Path(sys.argv[1])
    value, floats = helper.make_tensor_value_info, TensorProto.FLOAT
    matrix = [WIDTH, WIDTH]
    graph = helper.make_graph(
        forward() + backward() + accumulators(), "mlp_gelu_training_step",
        [value("x", floats, [BATCH, WIDTH]), value("labels", TensorProto.INT64, [BATCH]),
         value("fc1.weight_grad.buffer", floats, matrix), value("fc2.weight_grad.buffer", floats, matrix),
         value("lazy_reset_grad", TensorProto.BOOL, [1])],
        [value("loss", floats, []), value("fc1.weight_grad.out", floats, matrix),
         value("fc2.weight_grad.out", floats, matrix)],
        [weight("fc1.weight", 1), weight("fc2.weight", 2),
         numpy_helper.from_array(numpy.float32(1).reshape(()), "loss_grad")])
    model = helper.make_model(graph, producer_name="secateur", ir_version=10, opset_imports=[
        helper.make_opsetid("", 20), helper.make_opsetid(MICROSOFT, 1)])
    save(model, target)


main()
