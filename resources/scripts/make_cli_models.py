#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the small models of tests/data/cli: one for each thing that the command line has to tell or to refuse.

Needs the Python package onnx (and its numpy):

    make_cli_models.py [FOLDER]
"""
import pathlib
import sys

import numpy
from onnx import TensorProto, external_data_helper, helper, numpy_helper, save

MICROSOFT = "com.microsoft"
FLOAT, INT64, BOOL = TensorProto.FLOAT, TensorProto.INT64, TensorProto.BOOL
info = helper.make_tensor_value_info


def node(op, inputs, outputs, name, domain="", **attributes):
    return helper.make_node(op, inputs, outputs, name=name, domain=domain, **attributes)


def weight(name, *dims):
    values = numpy.random.default_rng(sum(map(ord, name))).standard_normal(dims)
    return numpy_helper.from_array(values.astype(numpy.float32), name)


def constant(name, value, kind):
    return numpy_helper.from_array(numpy.array(value, dtype=kind), name)


def model(name, nodes, inputs, outputs, initializers=(), opset=14, **extra):
    graph = helper.make_graph(nodes, name, inputs, outputs, list(initializers))
    return helper.make_model(graph, producer_name="make_cli_models", ir_version=8, opset_imports=[
        helper.make_opsetid("", opset), helper.make_opsetid(MICROSOFT, 1)], **extra)


def classifier():
    """Forward with Dropout, loss, backward half and accumulators, as ONNX Runtime's builder lays them out."""
    nodes = [
        node("Gemm", ["x", "fc1.weight", "fc1.bias"], ["hidden"], "fc1", transB=1),
        node("Relu", ["hidden"], ["active"], "relu"),
        node("Dropout", ["active", "ratio", "training"], ["dropped", "mask"], "drop"),
        node("Gemm", ["dropped", "fc2.weight", "fc2.bias"], ["logits"], "fc2", transB=1),
        node("SoftmaxCrossEntropyLoss", ["logits", "labels"], ["loss", "log_prob"], "loss_node", reduction="mean"),
        node("SoftmaxCrossEntropyLossGrad", ["loss_grad", "log_prob", "labels"], ["logits_grad"], "loss_node_Grad",
             MICROSOFT, reduction="mean"),
        node("Gemm", ["logits_grad", "dropped"], ["fc2.weight_grad"], "fc2_Grad/weight", transA=1),
        node("ReduceSum", ["logits_grad", "axis0"], ["fc2.bias_grad"], "fc2_Grad/bias", keepdims=0),
        node("Gemm", ["logits_grad", "fc2.weight"], ["dropped_grad"], "fc2_Grad/input"),
        node("DropoutGrad", ["dropped_grad", "mask", "ratio", "training"], ["active_grad"], "drop_Grad", MICROSOFT),
        node("ReluGrad", ["active_grad", "active"], ["hidden_grad"], "relu_Grad", MICROSOFT),
        node("Gemm", ["hidden_grad", "x"], ["fc1.weight_grad"], "fc1_Grad/weight", transA=1),
        node("ReduceSum", ["hidden_grad", "axis0"], ["fc1.bias_grad"], "fc1_Grad/bias", keepdims=0),
    ]
    inputs = [info("x", FLOAT, [4, 8]), info("labels", INT64, [4])]
    outputs = [info("loss", FLOAT, [])]
    for name, dims in (("fc1.weight", [16, 8]), ("fc1.bias", [16]), ("fc2.weight", [3, 16]), ("fc2.bias", [3])):
        nodes.append(node("InPlaceAccumulatorV2", [f"{name}_grad.buffer", f"{name}_grad", "lazy_reset_grad"],
                          [f"{name}_grad.out"], f"accumulate_{name}", MICROSOFT))
        inputs.append(info(f"{name}_grad.buffer", FLOAT, dims))
        outputs.append(info(f"{name}_grad.out", BOOL, [1]))
    inputs.append(info("lazy_reset_grad", BOOL, [1]))
    return model("classifier", nodes, inputs, outputs, [
        weight("fc1.weight", 16, 8), weight("fc1.bias", 16), weight("fc2.weight", 3, 16), weight("fc2.bias", 3),
        constant("ratio", 0.25, numpy.float32), constant("training", True, bool),
        constant("loss_grad", 1, numpy.float32), constant("axis0", [0], numpy.int64)])


PARAMETERS = {"fc1.weight": [16, 8], "fc1.bias": [16], "fc2.weight": [3, 16], "fc2.bias": [3]}


def artifact():
    """The classifier with its parameters as inputs, as ONNX Runtime's training artifacts have them."""
    made = classifier()
    kept = [one for one in made.graph.initializer if one.name not in PARAMETERS]
    del made.graph.initializer[:]
    made.graph.initializer.extend(kept)
    made.graph.input.extend(info(name, FLOAT, dims) for name, dims in PARAMETERS.items())
    return made


def weights(tensors):
    """A file that gives its initializers as weights."""
    return model("weights", [node("Identity", ["unused"], ["same"], "same")], [info("unused", FLOAT, [1])],
                 [info("same", FLOAT, [1])], [weight(name, *dims) for name, dims in tensors.items()])


def exported():
    """A forward graph alone, exported in training mode: nothing to cut, three nodes to bypass or freeze."""
    nodes = [
        node("Gemm", ["x", "fc1.weight"], ["hidden"], "fc1", transB=1),
        node("BatchNormalization", ["hidden", "scale", "shift", "mean", "variance"],
             ["normal", "new_mean", "new_variance"], "norm", training_mode=1),
        node("Dropout", ["normal", "ratio", "training"], ["first"], "drop1"),
        node("Gemm", ["first", "fc2.weight"], ["narrow"], "fc2", transB=1),
        node("Dropout", ["narrow", "ratio", "training"], ["output"], "drop2"),
    ]
    spread = lambda name, low, high: numpy_helper.from_array(numpy.linspace(low, high, 8, dtype=numpy.float32), name)
    return model("exported", nodes, [info("x", FLOAT, [4, 5])], [info("output", FLOAT, [4, 3])],
                 [weight("fc1.weight", 8, 5), weight("fc2.weight", 3, 8), weight("scale", 8), weight("shift", 8),
                  spread("mean", -1, 1), spread("variance", 0.5, 2), constant("ratio", 0.5, numpy.float32),
                  constant("training", True, bool)])


def nameless():
    """The classifier as some exporters write it: no node has a name."""
    made = classifier()
    for one in made.graph.node:
        one.ClearField("name")
    return made


def twin():
    """A training operator of com.microsoft that has a twin in the standard."""
    nodes = [node("ConcatTraining", ["x", "x"], ["joined"], "join", MICROSOFT, axis=1), node("Relu", ["joined"], ["y"], "relu")]
    return model("twin", nodes, [info("x", FLOAT, [2, 4])], [info("y", FLOAT, [2, 8])])


def bad_attribute():
    """Opens and converts, though its Relu has an attribute that the standard does not know."""
    nodes = [node("Relu", ["x"], ["y"], "relu", steepness=0.5)]
    return model("bad_attribute", nodes, [info("x", FLOAT, [2])], [info("y", FLOAT, [2])])


def no_opset():
    made = inference()
    del made.opset_import[:]
    return made


def batch_norm():
    """A BatchNormalization that trains and whose averages were never trained: somebody has to decide."""
    nodes = [
        node("Gemm", ["x", "fc.weight"], ["hidden"], "fc", transB=1),
        node("BatchNormalization", ["hidden", "scale", "shift", "mean", "variance"],
             ["normal", "new_mean", "new_variance"], "norm", training_mode=1),
        node("Relu", ["normal"], ["output"], "relu"),
    ]
    fill = lambda name, number: numpy_helper.from_array(numpy.full(8, number, numpy.float32), name)
    return model("batch_norm", nodes, [info("x", FLOAT, [4, 5])],
                 [info("output", FLOAT, [4, 8]), info("new_mean", FLOAT, [8]), info("new_variance", FLOAT, [8])],
                 [weight("fc.weight", 8, 5), weight("scale", 8), weight("shift", 8), fill("mean", 0), fill("variance", 1)])


def two_losses():
    """Two heads of the same standing, both inside, and only the sum of their losses as output."""
    nodes = [node("Gemm", ["x", "trunk.weight"], ["trunk"], "trunk", transB=1)]
    inputs, initializers = [info("x", FLOAT, [4, 8])], [weight("trunk.weight", 8, 8)]
    for head in ("left", "right"):
        nodes += [
            node("Gemm", ["trunk", f"{head}.weight"], [f"{head}_logits"], head, transB=1),
            node("SoftmaxCrossEntropyLoss", [f"{head}_logits", f"{head}_labels"], [f"{head}_loss"], f"{head}_loss",
                 reduction="mean"),
        ]
        inputs.append(info(f"{head}_labels", INT64, [4]))
        initializers.append(weight(f"{head}.weight", 3, 8))
    nodes.append(node("Add", ["left_loss", "right_loss"], ["loss"], "total"))
    return model("two_losses", nodes, inputs, [info("loss", FLOAT, [])], initializers)


def autoencoder():
    """The network rebuilds its own input, so the label of its loss is also its data, and there is no loss operator."""
    nodes = [
        node("Gemm", ["x", "encoder.weight"], ["code"], "encoder", transB=1),
        node("Dropout", ["code", "ratio", "training"], ["dropped"], "drop"),
        node("Gemm", ["dropped", "decoder.weight"], ["rebuilt"], "decoder", transB=1),
        node("Sub", ["rebuilt", "x"], ["difference"], "difference"),
        node("Mul", ["difference", "difference"], ["square"], "square"),
        node("ReduceMean", ["square"], ["loss"], "mean", keepdims=0),
    ]
    return model("autoencoder", nodes, [info("x", FLOAT, [4, 8])], [info("loss", FLOAT, [])],
                 [weight("encoder.weight", 3, 8), weight("decoder.weight", 8, 3), constant("ratio", 0.5, numpy.float32),
                  constant("training", True, bool)])


def inference():
    nodes = [node("MatMul", ["x", "weight"], ["product"], "product"), node("Relu", ["product"], ["y"], "relu")]
    return model("inference", nodes, [info("x", FLOAT, ["N", 8])], [info("y", FLOAT, ["N", 4])], [weight("weight", 8, 4)])


def external(location):
    """Its weights lie in another file that is not there."""
    made = inference()
    tensor = made.graph.initializer[0]
    external_data_helper.set_external_data(tensor, location, offset=0, length=8 * 4 * 4)
    tensor.ClearField("raw_data")
    tensor.data_location = TensorProto.EXTERNAL
    return made


def cycle():
    nodes = [node("Add", ["x", "b"], ["a"], "first"), node("Relu", ["a"], ["b"], "second")]
    return model("cycle", nodes, [info("x", FLOAT, [2])], [info("b", FLOAT, [2])])


def duplicate_value():
    nodes = [node("Relu", ["x"], ["y"], "first"), node("Neg", ["x"], ["y"], "second")]
    return model("duplicate", nodes, [info("x", FLOAT, [2])], [info("y", FLOAT, [2])])


def unknown_operator():
    nodes = [node("Relu", ["x"], ["a"], "known"), node("Frobnicate", ["a"], ["y"], "strange", "my.domain", level=3)]
    made = model("unknown", nodes, [info("x", FLOAT, [2])], [info("y", FLOAT, [2])])
    made.opset_import.append(helper.make_opsetid("my.domain", 1))
    return made


def main():
    default = pathlib.Path(__file__).resolve().parents[2] / "tests" / "data" / "cli"
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else default
    folder.mkdir(parents=True, exist_ok=True)
    models = {
        "classifier.training": classifier(), "batch_norm.training": batch_norm(), "two_losses.training": two_losses(),
        "autoencoder.training": autoencoder(), "artifact.training": artifact(), "exported.training": exported(),
        "nameless.training": nameless(), "twin.training": twin(),
        "no_opset": no_opset(), "bad_attribute": bad_attribute(), "artifact.weights": weights(PARAMETERS),
        "partial.weights": weights({"fc1.weight": [16, 8], "fc1.bias": [16], "fc2.weight": [5, 16], "head.bias": [5]}),
        "other_shapes.weights": weights({name: [7, *dims] for name, dims in PARAMETERS.items()}),
        "foreign.weights": weights({"conv.weight": [4, 3], "conv.bias": [4]}),
        "inference": inference(), "missing_data": external("absent.bin"), "escaping_data": external("../../outside.bin"),
        "cycle": cycle(), "duplicate_value": duplicate_value(), "unknown_operator": unknown_operator(),
    }
    for name, made in models.items():
        save(made, folder / f"{name}.onnx")


main()
