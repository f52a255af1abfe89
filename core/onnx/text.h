// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/ir/model.h"
#include "core/onnx/load.h"
#include "core/support/result.h"

#include <string>
#include <string_view>

namespace secateur {

/// The model in ONNX's text form, initializers with all their elements: for small models, tests and reading.
Result<std::string> modelText(const Model& model);

/// One graph of the model in ONNX's text form: the main graph, a function, or the body of a node.
Result<std::string> graphText(const Model& model, GraphId graph);

/// A model from ONNX's text form; fails with InvalidInput, and with the place, on text that is none. `name`
/// stands for the text in messages.
Result<LoadedModel> parseModelText(std::string_view text, std::string name = "text");

/// Does it begin as a model in text form does: with "<" or with a graph's name and "("?
[[nodiscard]] bool looksLikeModelText(std::string_view text);

} // namespace secateur
