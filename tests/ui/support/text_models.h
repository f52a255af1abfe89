// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/onnx/save.h"
#include "core/onnx/text.h"

#include <QByteArray>

#include <string>
#include <vector>

namespace secateur::testing {

/// The file that a model in ONNX's text form is; empty when the text is none.
inline QByteArray bytesOfText(const std::string& text) {
    const auto loaded = parseModelText(text);
    if (!loaded) return {};
    const auto bytes = serializeModel(loaded->model);
    return bytes ? QByteArray::fromStdString(*bytes) : QByteArray();
}

/// A network of blocks, each with two parts, in which every node carries the path of its part:
/// `/blocks.3/mlp/Relu`. Five nodes a block.
inline std::string blocksText(int blocks) {
    std::string text = "<ir_version: 10, opset_import: [\"\": 21]> net (float[2,8] x) => (float[2,8] y) {\n";
    std::string last = "x";
    const auto add = [&](int block, const std::string& part, const std::string& op, const std::string& inputs,
                         const std::string& result) {
        text += "[\"/blocks." + std::to_string(block) + "/" + part + "/" + op + "\"] " + result + " = " + op +
                "(" + inputs + ")\n";
    };
    for (int block = 0; block < blocks; ++block) {
        const std::string b = "b" + std::to_string(block);
        add(block, "attn", "Relu", last, b + "_1");
        add(block, "attn", "Sigmoid", b + "_1", b + "_2");
        add(block, "attn", "Mul", b + "_1, " + b + "_2", b + "_3");
        add(block, "mlp", "Tanh", b + "_3", b + "_4");
        add(block, "mlp", "Add", b + "_4, " + last, b + "_5");
        last = b + "_5";
    }
    return text + "y = Identity(" + last + ")\n}";
}

/// A network of parts of six nodes each: one is drawn as a row of another (a constant), and one (Dropout)
/// goes in a step.
inline std::string partsText(int parts) {
    std::string text = "<ir_version: 10, opset_import: [\"\": 21]> net (float[2,8] x) => (float[2,8] y) {\n";
    std::string last = "x";
    for (int part = 0; part < parts; ++part) {
        const std::string p = "p" + std::to_string(part), path = "[\"/parts." + std::to_string(part) + "/";
        text += path + "Constant\"] " + p + "_c = Constant<value = float[1] {0.5}>()\n";
        text += path + "Mul\"] " + p + "_1 = Mul(" + last + ", " + p + "_c)\n";
        text += path + "Dropout\"] " + p + "_2 = Dropout(" + p + "_1)\n";
        text += path + "Relu\"] " + p + "_3 = Relu(" + p + "_2)\n";
        text += path + "Sigmoid\"] " + p + "_4 = Sigmoid(" + p + "_3)\n";
        text += path + "Tanh\"] " + p + "_5 = Tanh(" + p + "_4)\n";
        last = p + "_5";
    }
    return text + "y = Identity(" + last + ")\n}";
}

/// A chain of Relu nodes with these names.
inline std::string namesText(const std::vector<std::string>& names) {
    std::string text = "<ir_version: 10, opset_import: [\"\": 21]> names (float[2] x) => (float[2] y) {\n";
    std::string last = "x";
    for (std::size_t i = 0; i < names.size(); ++i) {
        const std::string result = "v" + std::to_string(i);
        if (!names[i].empty()) text += "[\"" + names[i] + "\"] ";
        text += result + " = Relu(" + last + ")\n";
        last = result;
    }
    return text + "y = Identity(" + last + ")\n}";
}

} // namespace secateur::testing
