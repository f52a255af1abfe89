#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the small models that the tests of the window open (tests/data/window). Needs the Python package onnx:

    make_window_test_models.py [FOLDER]
"""
import pathlib
import sys

import numpy
from onnx import TensorProto, helper, numpy_helper, save


def weight(name, shape, seed):
    return numpy_helper.from_array(numpy.random.default_rng(seed).standard_normal(shape).astype(numpy.float32), name)


def two_heads():
    """A network and its derivative along a direction: which of the two is the prediction, only a person knows."""
    node = helper.make_node
    nodes = [
        node("MatMul", ["x", "w1"], ["hidden"], "fc1"),
        node("MatMul", ["direction", "w1"], ["hidden_along"], "fc1_along"),
        node("Tanh", ["hidden"], ["active"], "tanh"),
        node("Mul", ["active", "active"], ["square"], "square"),
        node("Sub", ["one", "square"], ["slope"], "slope"),
        node("Mul", ["hidden_along", "slope"], ["active_along"], "chain"),
        node("MatMul", ["active", "w2"], ["left"], "fc2"),
        node("MatMul", ["active_along", "w2"], ["right"], "fc2_along"),
    ]
    value, floats = helper.make_tensor_value_info, TensorProto.FLOAT
    graph = helper.make_graph(
        nodes, "two_heads", [value("x", floats, [4, 8]), value("direction", floats, [4, 8])],
        [value("left", floats, [4, 3]), value("right", floats, [4, 3])],
        [weight("w1", (8, 8), 1), weight("w2", (8, 3), 2), numpy_helper.from_array(numpy.float32(1).reshape(()), "one")])
    return helper.make_model(graph, producer_name="make_window_test_models", ir_version=8,
                             opset_imports=[helper.make_opsetid("", 17)])


def main():
    folder = pathlib.Path(__file__).resolve().parents[2] / "tests" / "data" / "window"
    if len(sys.argv) > 1:
        folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    save(two_heads(), folder / "two_heads.training.onnx")


main()
