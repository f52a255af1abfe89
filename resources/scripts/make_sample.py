#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes resources/samples/mlp_gelu.training.onnx, the model that the window opens when it is given none, and
tests/data/mlp_gelu_dropout.training.onnx, the same network in small and with a Dropout, for tests.

One training step of the smallest network worth drawing, X -> MatMul -> Gelu -> MatMul -> loss, with its backward
half and its gradient accumulators in the same graph. The batch of the sample is chosen so that each tensor which the
backward half needs from the forward half (a stash) takes 16 MiB. Needs the Python package onnx (and its numpy):

    make_sample.py [FOLDER]      writes below FOLDER instead of the folder of the sources
"""
import dataclasses
import pathlib
import sys

import numpy
from onnx import TensorProto, helper, numpy_helper, save

MICROSOFT = "com.microsoft"


@dataclasses.dataclass
class Network:
    file: str
    width: int
    batch: int
    has_dropout: bool


SAMPLE = Network("resources/samples/mlp_gelu.training.onnx", 128, 16 * 2**20 // (4 * 128), False)
TEST = Network("tests/data/mlp_gelu_dropout.training.onnx", 8, 4, True)


def weight(network, name, seed):
    size = (network.width, network.width)
    values = numpy.random.default_rng(seed).standard_normal(size) / numpy.sqrt(network.width)
    return numpy_helper.from_array(values.astype(numpy.float32), name)


def number(name, value, kind):
    return numpy_helper.from_array(numpy.array(value, kind), name)


def node(op, inputs, outputs, name, domain="", **attributes):
    return helper.make_node(op, inputs, outputs, name=name, domain=domain, **attributes)


def forward(network):
    dropout = [node("Dropout", ["activated", "ratio", "training_mode"], ["kept", "mask"], "dropout", seed=1)]
    return [
        node("MatMul", ["x", "fc1.weight"], ["hidden"], "fc1"),
        node("Gelu", ["hidden"], ["activated"], "gelu"),
        *(dropout if network.has_dropout else []),
        node("MatMul", [features(network), "fc2.weight"], ["logits"], "fc2"),
        node("SoftmaxCrossEntropyLoss", ["logits", "labels"], ["loss", "log_prob"], "cross_entropy", reduction="mean"),
    ]


def features(network):
    return "kept" if network.has_dropout else "activated"


def backward(network):
    dropout = [node("DropoutGrad", ["kept_grad", "mask", "ratio", "training_mode"], ["activated_grad"],
                    "dropout_grad", MICROSOFT)]
    return [
        node("SoftmaxCrossEntropyLossGrad", ["loss_grad", "log_prob", "labels"], ["logits_grad"],
             "cross_entropy_grad", MICROSOFT, reduction="mean"),
        node("FusedMatMul", [features(network), "logits_grad"], ["fc2.weight_grad"], "fc2_weight_grad", MICROSOFT,
             transA=1),
        node("FusedMatMul", ["logits_grad", "fc2.weight"], [features(network) + "_grad"], "fc2_input_grad", MICROSOFT,
             transB=1),
        *(dropout if network.has_dropout else []),
        node("GeluGrad", ["activated_grad", "hidden"], ["hidden_grad"], "gelu_grad", MICROSOFT),
        node("FusedMatMul", ["x", "hidden_grad"], ["fc1.weight_grad"], "fc1_weight_grad", MICROSOFT, transA=1),
    ]


def accumulators():
    return [node("InPlaceAccumulatorV2", [f"{name}_grad.buffer", f"{name}_grad", "lazy_reset_grad"],
                 [f"{name}_grad.out"], f"{name.replace('.', '_')}_accumulator", MICROSOFT)
            for name in ("fc1.weight", "fc2.weight")]


def model(network):
    value, floats, boolean = helper.make_tensor_value_info, TensorProto.FLOAT, TensorProto.BOOL
    matrix = [network.width, network.width]
    numbers = [number("loss_grad", 1, numpy.float32)]
    if network.has_dropout:
        numbers += [number("ratio", 0.25, numpy.float32), number("training_mode", True, numpy.bool_)]
    graph = helper.make_graph(
        forward(network) + backward(network) + accumulators(), "mlp_gelu_training_step",
        [value("x", floats, [network.batch, network.width]), value("labels", TensorProto.INT64, [network.batch]),
         value("fc1.weight_grad.buffer", floats, matrix), value("fc2.weight_grad.buffer", floats, matrix),
         value("lazy_reset_grad", boolean, [1])],
        [value("loss", floats, []), value("fc1.weight_grad.out", boolean, [1]),
         value("fc2.weight_grad.out", boolean, [1])],
        [weight(network, "fc1.weight", 1), weight(network, "fc2.weight", 2), *numbers])
    return helper.make_model(graph, producer_name="secateur", ir_version=10, opset_imports=[
        helper.make_opsetid("", 20), helper.make_opsetid(MICROSOFT, 1)])


def main():
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parents[2]
    for network in (SAMPLE, TEST):
        target = folder / network.file
        target.parent.mkdir(parents=True, exist_ok=True)
        save(model(network), target)


main()
